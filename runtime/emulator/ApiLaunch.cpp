//===- ApiLaunch.cpp - Kernel launches and their limits -------------------===//

#include "ApiLaunch.h"
#include "ApiCapture.h"
#include "ApiTrace.h"
#include <algorithm>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

LaunchShape shapeOf(dim3 Grid, dim3 Block, uint64_t DynamicShared,
                    bool Cooperative) {
  return {{Grid.x, Grid.y, Grid.z},
          {Block.x, Block.y, Block.z},
          static_cast<uint32_t>(DynamicShared),
          Cooperative};
}

bool fits(const uint32_t (&Dimensions)[3], const uint32_t (&Most)[3]) {
  for (int I = 0; I < 3; ++I)
    if (Dimensions[I] == 0 || Dimensions[I] > Most[I])
      return false;
  return true;
}

cudaError_t launch(const void *Function, dim3 Grid, dim3 Block,
                   void **Arguments, uint64_t DynamicShared,
                   cudaStream_t Handle, bool Cooperative) {
  CUstream_st *Stream = lookupStream(Handle);
  if (!Stream)
    return cudaErrorInvalidResourceHandle;
  const Kernel *K = lookupKernel(Function);
  if (!K)
    return cudaErrorInvalidDeviceFunction;
  LaunchShape Shape = shapeOf(Grid, Block, DynamicShared, Cooperative);
  if (cudaError_t Error = checkLaunch(*K, Shape, DynamicShared))
    return Error;
  // Arguments are copied only where they must outlive this call.
  if (isCapturing(*Stream)) {
    KernelWork Copy;
    if (cudaError_t Error = makeKernelWork(Function, Grid, Block, Arguments,
                                           DynamicShared, Cooperative, Copy))
      return Error;
    Work W = std::move(Copy);
    if (std::optional<cudaError_t> Captured = capture(*Stream, W)) {
      if (ApiTracer *T = tracer(); T && *Captured == cudaSuccess)
        T->launch(*K->Info, Shape, Arguments, Stream->Id, true);
      return *Captured;
    }
  }
  if (Stream == &runtime().NullStream)
    if (cudaError_t Error = checkImplicitSync())
      return Error;
  if (ApiTracer *T = tracer())
    T->launch(*K->Info, Shape, Arguments, Stream->Id, false);
  performLaunch(*K->Info, Shape, Arguments);
  // As on a GPU, later calls tell what became of it.
  return cudaSuccess;
}

/// The attributes of a launch that change what it does.
cudaError_t readAttributes(const cudaLaunchConfig_t &Config,
                           bool &Cooperative) {
  for (unsigned I = 0; I < Config.numAttrs; ++I) {
    const cudaLaunchAttribute &A = Config.attrs[I];
    if (A.id == cudaLaunchAttributeCooperative)
      Cooperative = A.val.cooperative != 0;
    if (A.id != cudaLaunchAttributeClusterDimension)
      continue;
    const auto &Cluster = A.val.clusterDim;
    if (Cluster.x * Cluster.y * Cluster.z > 1)
      return unsupported("a launch in clusters of more than one block");
  }
  return cudaSuccess;
}

} // namespace

cudaError_t api::checkLaunch(const Kernel &K, const LaunchShape &Shape,
                             uint64_t DynamicShared) {
  uint64_t Threads = uint64_t(Shape.Block[0]) * Shape.Block[1] * Shape.Block[2];
  if (!fits(Shape.Block, limits::BlockDim) ||
      !fits(Shape.Grid, limits::GridDim) || Threads > limits::BlockThreads)
    return cudaErrorInvalidConfiguration;
  if (DynamicShared > maxDynamicShared(K))
    return cudaErrorInvalidValue;
  if (K.Info->MaxThreadsPerBlock && Threads > K.Info->MaxThreadsPerBlock)
    return cudaErrorInvalidValue;
  if (!Shape.Cooperative)
    return cudaSuccess;
  uint64_t Resident = uint64_t(blocksPerMultiprocessor(
                          K, static_cast<uint32_t>(Threads), DynamicShared)) *
                      limits::Multiprocessors;
  uint64_t Blocks = uint64_t(Shape.Grid[0]) * Shape.Grid[1] * Shape.Grid[2];
  return Blocks > Resident ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

cudaError_t api::makeKernelWork(const void *Function, dim3 Grid, dim3 Block,
                                void **Arguments, uint64_t DynamicShared,
                                bool Cooperative, KernelWork &Result) {
  const Kernel *K = lookupKernel(Function);
  if (!K)
    return cudaErrorInvalidDeviceFunction;
  Result.Function = Function;
  Result.Info = K->Info;
  Result.Shape = shapeOf(Grid, Block, DynamicShared, Cooperative);
  if (cudaError_t Error = checkLaunch(*K, Result.Shape, DynamicShared))
    return Error;
  if (K->Info->ParameterCount && !Arguments)
    return cudaErrorInvalidValue;
  Result.Arguments.clear();
  for (uint32_t I = 0; I < K->Info->ParameterCount; ++I) {
    const char *From = static_cast<const char *>(Arguments[I]);
    Result.Arguments.emplace_back(From, From + K->Info->ParameterBytes[I]);
  }
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                             void **Arguments, size_t SharedBytes,
                             cudaStream_t Stream) {
  return apiCall(__func__, [&] {
    return launch(Function, Grid, Block, Arguments, SharedBytes, Stream, false);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void *Function, dim3 Grid,
                                        dim3 Block, void **Arguments,
                                        size_t SharedBytes,
                                        cudaStream_t Stream) {
  return apiCall(__func__, [&] {
    return launch(Function, Grid, Block, Arguments, SharedBytes, Stream, true);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config,
                                const void *Function, void **Arguments) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Config)
      return cudaErrorInvalidValue;
    bool Cooperative = false;
    if (cudaError_t Error = readAttributes(*Config, Cooperative))
      return Error;
    return launch(Function, Config->gridDim, Config->blockDim, Arguments,
                  Config->dynamicSmemBytes, Config->stream, Cooperative);
  });
}
}

CUDAL1_PER_THREAD_NAME(cudaLaunchKernel, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaLaunchCooperativeKernel, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaLaunchKernelExC, _ptsz)
