// A step is named by rule, line, subject and parameters; what is left out fits
// anything, and the first site that fits is taken.

// RUN: cuda-l1-opt %s --apply 'unroll-loop{factor=8}' -- %fake_cuda | FileCheck --check-prefix=FIRST %s
// FIRST: {{^ +}}#pragma unroll 8
// FIRST-NEXT: {{^ +}}for (int i = 0
// FIRST-NOT: {{^ +}}#pragma

// RUN: cuda-l1-opt %s --apply unroll-loop:j -- %fake_cuda | FileCheck --check-prefix=SUBJECT %s
// SUBJECT-NOT: {{^ +}}#pragma
// SUBJECT: {{^ +}}#pragma unroll 4
// SUBJECT-NEXT: {{^ +}}for (int j = 0

// Steps are made in order.
// RUN: cuda-l1-opt %s --apply unroll-loop:j --apply unroll-loop:i -- %fake_cuda | FileCheck --check-prefix=BOTH %s
// BOTH: {{^ +}}#pragma unroll 4
// BOTH-NEXT: {{^ +}}for (int i = 0
// BOTH: {{^ +}}#pragma unroll 4
// BOTH-NEXT: {{^ +}}for (int j = 0

// A step that fits nothing is an error that says what there is; nothing is
// printed.
// RUN: not cuda-l1-opt %s --apply 'unroll-loop{factor=3}' -- %fake_cuda 2>%t.err | count 0
// RUN: FileCheck --check-prefix=MISS %s < %t.err
// MISS: error: no site fits 'unroll-loop{factor=3}'; legal ones of this rule: unroll-loop@{{[0-9]+}}:i {factor=4}

__global__ void walk(float *a, const float *b, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = b[i];
  for (int j = 0; j < n; ++j)
    a[j] += b[j];
}

// The rule's own output is left alone.
// RUN: cuda-l1-opt %s --rules='-*,unroll-loop' --apply-all -o %t.cu -- %fake_cuda 2>&1 | count 0
// RUN: cuda-l1-opt %t.cu --rules='-*,unroll-loop' --apply-all -- %fake_cuda | diff %t.cu -
