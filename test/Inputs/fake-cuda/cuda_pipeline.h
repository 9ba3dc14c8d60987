// The few names of CUDA's cuda_pipeline.h that rewritten text uses.
#ifndef FAKE_CUDA_PIPELINE_H
#define FAKE_CUDA_PIPELINE_H

#include "cuda.h"

__device__ void __pipeline_memcpy_async(void *shared, const void *global, __SIZE_TYPE__ bytes, __SIZE_TYPE__ zeros = 0);
__device__ void __pipeline_commit();
__device__ void __pipeline_wait_prior(__SIZE_TYPE__ groups);

#endif
