// What fake-nvcc puts before a .cu file, so that the host's compiler takes it:
// CUDA's words for kernels, and the few calls of its runtime that test programs
// make. For kernels without barriers: threads run one after the other.

#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <math.h>

#define __global__
#define __device__
#define __host__
#define __constant__ __attribute__((section(".constant")))
#define __managed__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z) {}
};

/// The only structure that kernels may take by value.
struct TwoPointers {
  void *First, *Second;
};

/// Set by the driver for each thread of a kernel.
extern "C" uint3 threadIdx, blockIdx, blockDim, gridDim;

extern "C" {
/// In a kernel: an access that the GPU would refuse. Does not return.
void fakeIllegalAddress();

/// In a kernel: this thread's work takes so many ns. A launch takes the sum, or
/// the CPU time if no thread has said; so times need not depend on the CPU.
void fakeWork(unsigned Ns);

int fakeMalloc(void **Address, size_t Bytes);
int fakeMallocManaged(void **Address, size_t Bytes);
int fakeMallocHost(void **Address, size_t Bytes);
int fakeFree(void *Address);
int fakeFreeHost(void *Address);
int fakeCopy(void *To, const void *From, size_t Bytes, int Kind);
int fakeSynchronize();
int fakeBeginCapture();
int fakeEndCapture();
/// What was captured last.
int fakeLaunchGraph();
/// The next launch has this CUlaunchAttribute, of up to three numbers.
void fakeAttribute(unsigned Id, unsigned X, unsigned Y, unsigned Z);
/// Sets a CUfunction_attribute of a kernel.
int fakeFunctionAttribute(const void *Kernel, int What, int Value);
void fakeMemoryOfOtherGpu(void **Address, size_t Bytes);
void fakeMemoryOfOtherProcess(void **Address, size_t Bytes);
void fakeMappedMemory(void **Address, size_t Bytes);
int fakeLaunchKernel(const void *Kernel, const unsigned *Grid,
                     const unsigned *Block, size_t SharedBytes,
                     void **Arguments);
}

template <typename T, typename U> T atomicAdd(T *At, U Value) {
  T Old = *At;
  *At = Old + Value;
  return Old;
}
template <typename T, typename U> T atomicMin(T *At, U Value) {
  T Old = *At;
  *At = T(Value) < Old ? T(Value) : Old;
  return Old;
}
template <typename T, typename U> T atomicMax(T *At, U Value) {
  T Old = *At;
  *At = Old < T(Value) ? T(Value) : Old;
  return Old;
}
template <typename T> T __ldg(const T *At) { return *At; }

using cudaError_t = int;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

template <typename T> cudaError_t cudaMalloc(T **Address, size_t Bytes) {
  return fakeMalloc(reinterpret_cast<void **>(Address), Bytes);
}
template <typename T> cudaError_t cudaMallocManaged(T **Address, size_t Bytes) {
  return fakeMallocManaged(reinterpret_cast<void **>(Address), Bytes);
}
template <typename T> cudaError_t cudaMallocHost(T **Address, size_t Bytes) {
  return fakeMallocHost(reinterpret_cast<void **>(Address), Bytes);
}
inline cudaError_t cudaFree(void *Address) { return fakeFree(Address); }
inline cudaError_t cudaFreeHost(void *Address) { return fakeFreeHost(Address); }
inline cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes,
                              cudaMemcpyKind Kind) {
  return fakeCopy(To, From, Bytes, Kind);
}
inline cudaError_t cudaDeviceSynchronize() { return fakeSynchronize(); }

/// What `kernel<<<grid, block>>>` is turned into.
template <typename... Parameters> struct FakeLaunch {
  void (*Kernel)(Parameters...);
  dim3 Grid, Block;
  size_t SharedBytes;

  void operator()(Parameters... Values) const {
    void *Arguments[] = {&Values..., nullptr};
    fakeLaunchKernel(reinterpret_cast<const void *>(Kernel), &Grid.x, &Block.x,
                     SharedBytes, Arguments);
  }
};
template <typename... Parameters>
FakeLaunch<Parameters...> fakeLaunch(void (*Kernel)(Parameters...), dim3 Grid,
                                     dim3 Block, size_t SharedBytes = 0) {
  return {Kernel, Grid, Block, SharedBytes};
}

#endif // FAKE_CUDA_H
