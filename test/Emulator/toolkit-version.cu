// The runtime has the layouts of one version of CUDA's headers: a program with
// those of another is refused.
// REQUIRES: emulator, nvcc
// RUN: rm -rf %t && mkdir -p %t
// RUN: cp -rs %cuda_path/include/. %t/include
// RUN: ln -s %cuda_path/nvvm %cuda_path/bin %t/
// RUN: rm %t/include/cuda.h
// RUN: sed 's/CUDA_VERSION 1[0-9].*/CUDA_VERSION 14000/' %cuda_path/include/cuda.h > %t/include/cuda.h
// RUN: not cuda-l1-emu --cuda-path=%t %s 2>&1 | FileCheck %s
// RUN: cuda-l1-emu --cuda-path=%cuda_path %s

// CHECK: the program includes the headers of CUDA 14, and the emulator's runtime was built with those of another version
__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
