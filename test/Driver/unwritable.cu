// What cannot be written is said before anything is searched, and the input
// stays.

// RUN: rm -rf %t && mkdir %t && cp %s %t/in.cu
// RUN: not cuda-l1-opt %t/in.cu --apply-all -o %t/no/such/out.cu -- %fake_cuda 2>&1 | FileCheck --check-prefix=FOLDER %s
// FOLDER: error: cannot write '{{.*}}out.cu': there is no folder '{{.*}}such'

// A full disk: nothing half written, the message is the system's.
// RUN: not cuda-l1-opt %t/in.cu --apply-all -o /dev/full -- %fake_cuda 2>&1 | FileCheck --check-prefix=FULL %s
// RUN: not cuda-l1-opt %t/in.cu --apply-all -- %fake_cuda 2>&1 >/dev/full | FileCheck --check-prefix=FULL %s
// FULL: error: cannot write {{.*}}No space left on device

// The result may not overwrite the input by accident.
// RUN: not cuda-l1-opt %t/in.cu --apply-all -o %t/in.cu -- %fake_cuda 2>&1 | FileCheck --check-prefix=SAME %s
// SAME: error: {{.*}}in.cu

// The report is written last, and looked at first.
// RUN: not cuda-l1-opt %t/in.cu --apply-all -o %t/out.cu --report %t/no/such.json -- %fake_cuda 2>&1 | FileCheck --check-prefix=REPORT %s
// RUN: test ! -e %t/out.cu
// REPORT: error: cannot write '{{.*}}such.json': there is no folder '{{.*}}no'

// RUN: diff %s %t/in.cu

__global__ void walk(float *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
