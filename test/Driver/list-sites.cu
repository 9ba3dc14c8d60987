// Each legal site in one line that begins like a compiler's message and holds a
// step as --apply takes it; then what it does and why it is legal.

// RUN: cuda-l1-opt %s --list-sites --rules='-*,unroll-loop' -- %fake_cuda | FileCheck %s

__global__ void walk(float *a, int n) {
  // CHECK: list-sites.cu:[[@LINE+3]]: unroll-loop:i {factor=4} {factor=2}{{.*}} [exact]
  // CHECK-NEXT: in walk: unroll the loop over i
  // CHECK-NEXT: because {{.+}}
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
