// Plain C++: a statement, exit code 0, and the output is the input to the byte,
// so that a build goes on.

// RUN: cuda-l1-opt %s --no-measure -o %t.cpp -- 2>&1 | FileCheck %s
// RUN: diff %s %t.cpp
// CHECK: note: no kernel is defined in {{.*}}no-kernels.cpp{{.*}}nothing to rewrite
// CHECK-NOT: error

int main() { return 0; }
