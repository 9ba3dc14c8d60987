// The few names of CUDA's mma.h that rewritten text uses.
#ifndef FAKE_CUDA_MMA_H
#define FAKE_CUDA_MMA_H

#include "cuda_fp16.h"

extern "C" __host__ __device__ void *memcpy(void *, const void *, __SIZE_TYPE__);

namespace nvcuda::wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };
template <typename Use, int M, int N, int K, typename T, typename Layout = void> struct fragment {};
template <typename F, typename T> __device__ void fill_fragment(F &f, T value);
template <typename F, typename T> __device__ void load_matrix_sync(F &f, const T *p, unsigned stride);
template <typename F, typename T> __device__ void store_matrix_sync(T *p, const F &f, unsigned stride, layout_t layout);
template <typename D, typename A, typename B, typename C> __device__ void mma_sync(D &d, const A &a, const B &b, const C &c);
__device__ float __float_to_tf32(float f);
} // namespace nvcuda::wmma

#endif
