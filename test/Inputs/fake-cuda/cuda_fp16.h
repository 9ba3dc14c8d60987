// The few names of CUDA's cuda_fp16.h and cuda_bf16.h that tests use.
#ifndef FAKE_CUDA_FP16_H
#define FAKE_CUDA_FP16_H

#include "cuda.h"

struct __half {
  unsigned short bits;
  __half() = default;
  __host__ __device__ __half(float f);
  __host__ __device__ operator float() const;
};
typedef __half half;
__host__ __device__ float __half2float(const __half h);
__host__ __device__ __half __float2half(float f);
__device__ __half __hmul(const __half a, const __half b);
__device__ __half operator*(const __half &a, const __half &b);

struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float f);
  __host__ __device__ operator float() const;
};
__host__ __device__ float __bfloat162float(const __nv_bfloat16 h);
__host__ __device__ __nv_bfloat16 __float2bfloat16(float f);

#endif
