//===- ApiDeviceTest.cpp --------------------------------------------------===//

#include "ApiTestKernels.h"
#include "Findings.h"
#include <cstdlib>
#include <cuda_profiler_api.h>
#include <string>

using namespace cudal1;
using namespace cudal1::test;

namespace {

using DeviceTest = ApiTest;

TEST_F(DeviceTest, ThereIsOneDeviceThatSaysWhatItIs) {
  int Count = 0, Device = -1;
  EXPECT_EQ(cudaGetDeviceCount(&Count), cudaSuccess);
  EXPECT_EQ(Count, 1);
  EXPECT_EQ(cudaGetDevice(&Device), cudaSuccess);
  EXPECT_EQ(Device, 0);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  cudaDeviceProp P;
  ASSERT_EQ(cudaGetDeviceProperties(&P, 0), cudaSuccess);
  EXPECT_NE(std::string(P.name).find("emulator"), std::string::npos);
  EXPECT_EQ(P.major, 9);
  EXPECT_EQ(P.warpSize, 32);
  EXPECT_EQ(cudaGetDeviceProperties(&P, 1), cudaErrorInvalidDevice);
}

TEST_F(DeviceTest, AttributesAgreeWithProperties) {
  cudaDeviceProp P;
  ASSERT_EQ(cudaGetDeviceProperties(&P, 0), cudaSuccess);
  auto Get = [](cudaDeviceAttr Which) {
    int Value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&Value, Which, 0), cudaSuccess);
    return Value;
  };
  EXPECT_EQ(Get(cudaDevAttrMultiProcessorCount), P.multiProcessorCount);
  EXPECT_EQ(Get(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            static_cast<int>(P.sharedMemPerBlockOptin));
  EXPECT_EQ(Get(cudaDevAttrMaxGridDimY), P.maxGridSize[1]);
  EXPECT_EQ(Get(cudaDevAttrL2CacheSize), P.l2CacheSize);
  EXPECT_EQ(Get(cudaDevAttrClusterLaunch), P.clusterLaunch);
  EXPECT_EQ(Get(cudaDevAttrCooperativeLaunch), P.cooperativeLaunch);
  int Value;
  EXPECT_EQ(cudaDeviceGetAttribute(&Value, static_cast<cudaDeviceAttr>(255), 0),
            cudaErrorInvalidValue);
}

TEST_F(DeviceTest, LimitsAreKept) {
  size_t Value = 0;
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 12345678), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&Value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(Value, 12345678u);
  EXPECT_EQ(cudaDeviceGetLimit(&Value, static_cast<cudaLimit>(7)),
            cudaErrorUnsupportedLimit);
}

TEST_F(DeviceTest, ItHasNoPeers) {
  int Can = 1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&Can, 0, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
}

TEST_F(DeviceTest, VersionsAreThoseOfTheHeaders) {
  int Version = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&Version), cudaSuccess);
  EXPECT_EQ(Version, CUDART_VERSION);
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

/// Ends the process as a program does whose main returned \p Code.
[[noreturn]] void endAsProgram(int Code) {
  ::unsetenv("CUDAL1_EMU_EXIT");
  std::exit(Code);
}

TEST_F(DeviceTest, FindingsAreTheExitCodeOfAProgramThatEndsWell) {
  auto Fault = [] {
    int NoAllocation;
    cudaFree(&NoAllocation);
  };
  EXPECT_EXIT((Fault(), endAsProgram(0)),
              testing::ExitedWithCode(emulator::ExitFindings), "");
  EXPECT_EXIT((Fault(), endAsProgram(3)), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(
      (Fault(), ::setenv("CUDAL1_EMU_EXIT", "program", 1), std::exit(0)),
      testing::ExitedWithCode(0), "");
}

TEST_F(DeviceTest, LeaksAreFindingsWhereTheyAreAskedFor) {
  auto Leak = [] {
    void *Pointer;
    cudaMalloc(&Pointer, 100);
  };
  EXPECT_EXIT((Leak(), endAsProgram(0)), testing::ExitedWithCode(0), "");
  EXPECT_EXIT((Leak(), ::setenv("CUDAL1_EMU_LEAKS", "1", 1), endAsProgram(0)),
              testing::ExitedWithCode(emulator::ExitFindings), "not freed");
}

TEST_F(DeviceTest, ACallThatIsNotEmulatedEndsTheProgramAsUnsupported) {
  auto Texture = [] {
    EXPECT_EQ(cudaCreateTextureObject(nullptr, nullptr, nullptr, nullptr),
              cudaErrorNotSupported);
  };
  EXPECT_EXIT((Texture(), endAsProgram(0)),
              testing::ExitedWithCode(emulator::ExitUnsupported),
              "cudaCreateTextureObject is not emulated");
}

} // namespace
