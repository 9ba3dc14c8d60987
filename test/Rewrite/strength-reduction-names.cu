// Divisors that are not what they seem; all are left alone.
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --apply-all --needs-check -o %t.cu -- %fake_cuda
// RUN: diff %s %t.cu

// At the end of the body, n is another variable.
__global__ void hidden(int *o, int n, int m) {
  for (int i = 0; i < m; i++) {
    o[i] = i / n;
    int n = 7;
    o[i + 1] = n;
  }
}

__global__ void assignedByChoice(int *o, int n, int m) {
  int j = n;
  for (int i = 0; i < m; i++) {
    o[i] = i / j;
    (m > 3 ? j : n) += 1;
  }
}
