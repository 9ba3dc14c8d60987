//===- ApiLaunchTest.cpp --------------------------------------------------===//

#include "ApiTestKernels.h"
#include "Findings.h"
#include <string>
#include <vector>

using namespace cudal1;
using namespace cudal1::test;

extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
}

namespace {

class LaunchTest : public ApiTest {
protected:
  LaunchTest() {
    cudaMalloc(reinterpret_cast<void **>(&Device), Count * sizeof(int));
    cudaMemset(Device, 0, Count * sizeof(int));
  }
  ~LaunchTest() override {
    cudaDeviceReset();
    cudaFree(Device);
  }

  cudaError_t launchShape(dim3 Grid, dim3 Block) {
    return launch(AddOne, Grid, Block, nullptr, Device, Count);
  }
  std::vector<int> values() {
    std::vector<int> Result(Count);
    EXPECT_EQ(cudaMemcpy(Result.data(), Device, Count * sizeof(int),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return Result;
  }

  static constexpr int Count = 100;
  int *Device = nullptr;
};

TEST_F(LaunchTest, EveryThreadRuns) {
  EXPECT_EQ(launchShape(4, 32), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(Count, 1));
}

TEST_F(LaunchTest, TheShapeOfALaunchGetsThroughItsStub) {
  EXPECT_EQ(__cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, nullptr), 0u);
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Stream;
  EXPECT_EQ(__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream),
            cudaSuccess);
  EXPECT_EQ(Grid.y, 2u);
  EXPECT_EQ(Block.z, 6u);
  EXPECT_EQ(Shared, 7u);
  EXPECT_EQ(__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream),
            cudaErrorMissingConfiguration);
}

TEST_F(LaunchTest, ShapesThatNoGpuTakesAreRefused) {
  for (dim3 Grid : {dim3(0), dim3(1, 0), dim3(1, 65536), dim3(1, 1, 65536),
                    dim3(2147483648u)})
    EXPECT_EQ(launchShape(Grid, 32), cudaErrorInvalidConfiguration) << Grid.x;
  for (dim3 Block : {dim3(0), dim3(1025), dim3(1, 1025), dim3(1, 1, 65),
                     dim3(32, 33), dim3(16, 0)})
    EXPECT_EQ(launchShape(1, Block), cudaErrorInvalidConfiguration) << Block.x;
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(Count, 0));
}

TEST_F(LaunchTest, MoreThreadsThanTheLaunchBoundsAreRefused) {
  EXPECT_EQ(launch(Bounded, 1, 128, nullptr), cudaSuccess);
  EXPECT_EQ(launch(Bounded, 1, 129, nullptr), cudaErrorInvalidValue);
  cudaFuncAttributes A;
  EXPECT_EQ(cudaFuncGetAttributes(&A, Bounded), cudaSuccess);
  EXPECT_EQ(A.maxThreadsPerBlock, 128);
}

TEST_F(LaunchTest, SharedMemoryOverTheLimitNeedsTheAttribute) {
  auto Launch = [](size_t Bytes) {
    return cudaLaunchKernel(Shared20K, 1, 32, nullptr, Bytes, nullptr);
  };
  EXPECT_EQ(Launch(28 << 10), cudaSuccess);
  EXPECT_EQ(Launch((28 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(Shared20K,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (208 << 10)),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(Shared20K,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (207 << 10)),
            cudaSuccess);
  EXPECT_EQ(Launch(207 << 10), cudaSuccess);
}

TEST_F(LaunchTest, FunctionsThatAreNotThereAreNoKernels) {
  EXPECT_EQ(launch(Missing, 1, 32, nullptr), cudaErrorInvalidDeviceFunction);
  int NoKernel = 0;
  EXPECT_EQ(launch(&NoKernel, 1, 32, nullptr), cudaErrorInvalidDeviceFunction);
}

TEST_F(LaunchTest, AnErrorInAKernelIsToldLaterAndStays) {
  EXPECT_EQ(launch(BadStore, 1, 1, nullptr, Device), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  void *Pointer;
  EXPECT_EQ(cudaMalloc(&Pointer, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LaunchTest, ATrapIsALaunchFailure) {
  EXPECT_EQ(launch(Trapping, 1, 1, nullptr), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorLaunchFailure);
}

TEST_F(LaunchTest, OnlyWhatFitsIsLaunchedAsOne) {
  int One = Count;
  void *Arguments[] = {&Device, &One};
  EXPECT_EQ(cudaLaunchCooperativeKernel(AddOne, 4, 1024, Arguments, 0, nullptr),
            cudaSuccess);
  EXPECT_EQ(
      cudaLaunchCooperativeKernel(AddOne, 265, 1024, Arguments, 0, nullptr),
      cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(LaunchTest, AConfigurationLaunchesToo) {
  cudaLaunchConfig_t Config = {};
  Config.gridDim = 4;
  Config.blockDim = 32;
  int One = Count;
  void *Arguments[] = {&Device, &One};
  EXPECT_EQ(cudaLaunchKernelExC(&Config, AddOne, Arguments), cudaSuccess);
  EXPECT_EQ(values(), std::vector<int>(Count, 1));
}

TEST_F(LaunchTest, OccupancyFollowsTheLimits) {
  auto Blocks = [](const void *Kernel, int Threads, size_t Shared) {
    int N = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&N, Kernel, Threads,
                                                            Shared),
              cudaSuccess);
    return N;
  };
  EXPECT_EQ(Blocks(AddOne, 32, 0), 32);
  EXPECT_EQ(Blocks(AddOne, 256, 0), 8);
  EXPECT_EQ(Blocks(AddOne, 1024, 0), 2);
  EXPECT_EQ(Blocks(AddOne, 256, 100 << 10), 2);
  EXPECT_EQ(Blocks(Shared20K, 64, 0), 10);
  EXPECT_EQ(Blocks(Bounded, 256, 0), 0);
}

TEST_F(LaunchTest, ErrorsHaveNames) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidConfiguration),
               "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(1020)),
               "unrecognized error code");
}

} // namespace
