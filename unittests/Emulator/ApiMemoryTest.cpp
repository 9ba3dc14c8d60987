//===- ApiMemoryTest.cpp --------------------------------------------------===//

#include "ApiTestKernels.h"
#include "DeviceMemory.h"
#include "Findings.h"
#include <cstring>
#include <vector>

using namespace cudal1;
using namespace cudal1::emulator;
using namespace cudal1::test;

namespace {

using MemoryTest = ApiTest;

TEST_F(MemoryTest, BytesGoThereAndBack) {
  int From[4] = {1, 2, 3, 4}, To[4] = {};
  int *Device = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), sizeof(From)),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpy(Device, From, sizeof(From), cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpy(To, Device, sizeof(To), cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(std::memcmp(From, To, sizeof(To)), 0);
  EXPECT_EQ(cudaMemset(Device, 1, sizeof(From)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(To, Device, sizeof(To), cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(To[3], 0x01010101);
  EXPECT_EQ(cudaFree(Device), cudaSuccess);
}

TEST_F(MemoryTest, NoBytesGiveNoAddress) {
  void *Pointer = &Pointer;
  EXPECT_EQ(cudaMalloc(&Pointer, 0), cudaSuccess);
  EXPECT_EQ(Pointer, nullptr);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, TooMuchIsOutOfMemory) {
  void *Pointer;
  EXPECT_EQ(cudaMalloc(&Pointer, size_t(1) << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST_F(MemoryTest, AFreeOfNoAllocationIsAFinding) {
  char *Device;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), 64), cudaSuccess);
  uint64_t Before = findingCount();
  EXPECT_EQ(cudaFree(Device + 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(Device), cudaSuccess);
  EXPECT_EQ(cudaFree(Device), cudaErrorInvalidValue);
  EXPECT_EQ(findingCount(), Before + 2);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, HostMemoryIsFreedAsHostMemory) {
  void *Pinned;
  ASSERT_EQ(cudaMallocHost(&Pinned, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(Pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(Pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(Pinned), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, ACopyPastTheEndIsAFindingAndCopiesNothing) {
  int *Device, Host[8] = {5, 5, 5, 5, 5, 5, 5, 5};
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), 16), cudaSuccess);
  ASSERT_EQ(cudaMemset(Device, 0, 16), cudaSuccess);
  uint64_t Before = findingCount();
  EXPECT_EQ(cudaMemcpy(Host, Device, sizeof(Host), cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(findingCount(), Before + 1);
  EXPECT_EQ(Host[0], 5);
  EXPECT_EQ(cudaMemset(Device + 1, 0, 16), cudaErrorInvalidValue);
  EXPECT_EQ(findingCount(), Before + 2);
  cudaFree(Device);
}

TEST_F(MemoryTest, ADirectionThatDoesNotFitIsRefused) {
  int Host[2] = {}, Other[2] = {};
  EXPECT_EQ(cudaMemcpy(Host, Other, 8, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Host, Other, 8, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Host, Other, 8, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(Host, Other, 8, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(cudaMemset(Host, 0, 8), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, RowsKeepTheirPitch) {
  size_t Pitch = 0;
  char *Device;
  ASSERT_EQ(cudaMallocPitch(reinterpret_cast<void **>(&Device), &Pitch, 6, 3),
            cudaSuccess);
  EXPECT_GE(Pitch, 6u);
  char From[3][6], To[3][6] = {};
  for (int I = 0; I < 18; ++I)
    From[I / 6][I % 6] = static_cast<char>(I);
  EXPECT_EQ(cudaMemcpy2D(Device, Pitch, From, 6, 6, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cudaMemset2D(Device, Pitch, 9, 2, 3), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(To, 6, Device, Pitch, 6, 3, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(To[2][1], 9);
  EXPECT_EQ(To[2][5], 17);
  EXPECT_EQ(cudaMemcpy2D(To, 5, Device, Pitch, 6, 3, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  cudaFree(Device);
}

TEST_F(MemoryTest, AVolumeIsCopiedSliceBySlice) {
  cudaExtent Extent = {8, 3, 2};
  cudaPitchedPtr Device;
  ASSERT_EQ(cudaMalloc3D(&Device, Extent), cudaSuccess);
  std::vector<char> From(48), To(48);
  for (size_t I = 0; I < 48; ++I)
    From[I] = static_cast<char>(I);
  cudaMemcpy3DParms P = {};
  P.srcPtr = {From.data(), 8, 8, 3};
  P.dstPtr = Device;
  P.extent = Extent;
  P.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&P), cudaSuccess);
  P.srcPtr = Device;
  P.dstPtr = {To.data(), 8, 8, 3};
  P.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3D(&P), cudaSuccess);
  EXPECT_EQ(From, To);
  cudaFree(Device.ptr);
}

TEST_F(MemoryTest, ASymbolIsFoundByItsHostName) {
  int From[2] = {7, 8}, To[2] = {};
  EXPECT_EQ(cudaMemcpyToSymbol(HostSymbol, From, 8, 4, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(DeviceSymbol[1], 7);
  EXPECT_EQ(cudaMemcpyFromSymbol(To, HostSymbol, 8, 4, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(To[1], 8);
  EXPECT_EQ(cudaMemcpyToSymbol(HostSymbol, From, 8, 12, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(From, From, 8, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  void *Address;
  size_t Bytes;
  EXPECT_EQ(cudaGetSymbolAddress(&Address, HostSymbol), cudaSuccess);
  EXPECT_EQ(cudaGetSymbolSize(&Bytes, HostSymbol), cudaSuccess);
  EXPECT_EQ(Address, DeviceSymbol);
  EXPECT_EQ(Bytes, 16u);
}

TEST_F(MemoryTest, PointersSayWhatTheyAre) {
  void *Device, *Managed, *Pinned;
  int OnStack = 0;
  ASSERT_EQ(cudaMalloc(&Device, 4), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&Managed, 4, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&Pinned, 4), cudaSuccess);
  auto TypeOf = [](const void *Pointer) {
    cudaPointerAttributes A;
    EXPECT_EQ(cudaPointerGetAttributes(&A, Pointer), cudaSuccess);
    return A.type;
  };
  EXPECT_EQ(TypeOf(Device), cudaMemoryTypeDevice);
  EXPECT_EQ(TypeOf(Managed), cudaMemoryTypeManaged);
  EXPECT_EQ(TypeOf(Pinned), cudaMemoryTypeHost);
  EXPECT_EQ(TypeOf(&OnStack), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaHostRegister(&OnStack, 4, cudaHostRegisterDefault),
            cudaSuccess);
  EXPECT_EQ(cudaHostRegister(&OnStack, 4, cudaHostRegisterDefault),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(TypeOf(&OnStack), cudaMemoryTypeHost);
  void *Mapped;
  EXPECT_EQ(cudaHostGetDevicePointer(&Mapped, &OnStack, 0), cudaSuccess);
  EXPECT_EQ(Mapped, &OnStack);
  EXPECT_EQ(cudaHostUnregister(&OnStack), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(&OnStack), cudaErrorHostMemoryNotRegistered);
  cudaFree(Device);
  cudaFree(Managed);
  cudaFreeHost(Pinned);
}

TEST_F(MemoryTest, ACopyCarriesWhatWasWritten) {
  char *From, *To, Host[8] = {};
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&From), 8), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&To), 8), cudaSuccess);
  auto ShadowOf = [](char *Address) {
    return cudal1_emu_memory
        .Shadow[reinterpret_cast<uintptr_t>(Address) - cudal1_emu_memory.Base];
  };
  EXPECT_EQ(ShadowOf(From), ShadowUninitialized);
  EXPECT_EQ(cudaMemcpy(From, Host, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(To, From, 8, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(ShadowOf(To), ShadowInitialized);
  EXPECT_EQ(ShadowOf(To + 4), ShadowUninitialized);
  cudaFree(From);
  cudaFree(To);
}

TEST_F(MemoryTest, ArraysHoldElements) {
  cudaChannelFormatDesc Format =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t Array;
  ASSERT_EQ(cudaMallocArray(&Array, &Format, 4, 2, 0), cudaSuccess);
  float From[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, To[2][2] = {};
  EXPECT_EQ(
      cudaMemcpy2DToArray(Array, 0, 0, From, 16, 16, 2, cudaMemcpyHostToDevice),
      cudaSuccess);
  EXPECT_EQ(
      cudaMemcpy2DFromArray(To, 8, Array, 8, 0, 8, 2, cudaMemcpyDeviceToHost),
      cudaSuccess);
  EXPECT_EQ(To[1][0], 7);
  EXPECT_EQ(
      cudaMemcpy2DFromArray(To, 8, Array, 12, 0, 8, 2, cudaMemcpyDeviceToHost),
      cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(Array), cudaSuccess);
}

TEST_F(MemoryTest, PoolsAllocateInAStream) {
  cudaMemPool_t Pool;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&Pool, 0), cudaSuccess);
  uint64_t Threshold = UINT64_MAX, Read = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(Pool, cudaMemPoolAttrReleaseThreshold,
                                    &Threshold),
            cudaSuccess);
  EXPECT_EQ(
      cudaMemPoolGetAttribute(Pool, cudaMemPoolAttrReleaseThreshold, &Read),
      cudaSuccess);
  EXPECT_EQ(Read, Threshold);
  void *Device;
  EXPECT_EQ(cudaMallocAsync(&Device, 64, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(Device, 0, 64, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(Device, nullptr), cudaSuccess);
}

TEST_F(MemoryTest, FreeMemoryShrinksByWhatIsAllocated) {
  size_t Free, Total, Later;
  ASSERT_EQ(cudaMemGetInfo(&Free, &Total), cudaSuccess);
  EXPECT_LE(Free, Total);
  void *Device;
  ASSERT_EQ(cudaMalloc(&Device, 1 << 20), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&Later, &Total), cudaSuccess);
  EXPECT_GE(Free - Later, size_t(1) << 20);
  cudaFree(Device);
}

} // namespace
