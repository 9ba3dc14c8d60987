// nvcc's flags give the macros, the architecture and the folders of the parse.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '#define FROM_HEADER 1' > %t/settings.h
// RUN: %cuda_l1_opt --dump-kernels %s -- %fake_cuda -arch=sm_80 -DSIZE=64 \
// RUN:   -I %t -include settings.h -Xcompiler=-Wall,-DHOST_FLAG \
// RUN:   --use_fast_math --extended-lambda --expt-relaxed-constexpr \
// RUN:   -Xptxas -v -maxrregcount=64 -rdc=true -O3 -std=c++17 -lineinfo \
// RUN:   | FileCheck %s
// RUN: %cuda_l1_opt --dump-kernels %s -- %fake_cuda --cuda-gpu-arch=sm_75 \
// RUN:   | FileCheck %s --check-prefix=PLAIN

// CHECK: kernel with_flags
// PLAIN-NOT: kernel with_flags
#if SIZE == 64 && FROM_HEADER && defined(HOST_FLAG)
__global__ void with_flags(float *p) { p[threadIdx.x] = 0; }
#endif

// The host pass has no __CUDA_ARCH__; kernels are read from the device pass.
// CHECK: kernel for_sm_80
// PLAIN: kernel for_sm_75
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800
__global__ void for_sm_80(float *p) { p[threadIdx.x] = 0; }
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 750
__global__ void for_sm_75(float *p) { p[threadIdx.x] = 0; }
#endif
