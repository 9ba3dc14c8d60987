// Products are no less accurate than pow, and so `reassociate`; not where the
// product rounds to float more than once and pow did not.
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --apply-all --fp-class=reassociate -o %t.cu -- %fake_cuda
// RUN: grep -v CHECK %t.cu | FileCheck %s

// SITES-DAG: strength-reduction:pow [reassociate]
// SITES-DAG: strength-reduction:pow:float [approximate]

// CHECK-LABEL: void powers(
__global__ void powers(float *out, float x, float y, float d) {
  // CHECK: out[0] = x * x;
  out[0] = pow(x, 2);
  // CHECK: out[1] = 1.0f / y;
  out[1] = pow(y, -1);
  // CHECK: out[2] = (double)d * d * d;
  out[2] = pow(d, 3);
  // CHECK: out[3] = (double)x * x * ((double)x * x);
  out[3] = pow(x, 4.0);
  // CHECK: out[4] = y * y * y;
  out[4] = powf(y, 3.0f);
  // CHECK: out[5] = y * ((double)d * d * d);
  out[5] = y * pow(d, 3);
  // CHECK: out[6] = powf(x, 0.5f);
  out[6] = powf(x, 0.5f);
}
