// Allocations, copies and fills. Device memory is one arena of
// $FAKE_GPU_MEMORY bytes, so that blocks lie side by side as on a GPU. Of the
// host's memory, blocks of up to $FAKE_GPU_HOST_MEMORY bytes can be had.

#include "Gpu.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

using namespace fake;

namespace {

constexpr size_t DefaultBytes = size_t(256) << 20;
constexpr size_t Alignment = 512;

struct Block {
  size_t Bytes;
  CUmemorytype Type;
  int Device = 0;
};

struct Memory {
  Memory() {
    if (const char *Text = std::getenv("FAKE_GPU_MEMORY"))
      Total = std::strtoull(Text, nullptr, 10);
    Arena = reinterpret_cast<CUdeviceptr>(
        mmap(nullptr, Total, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  size_t Total = DefaultBytes;
  CUdeviceptr Arena;
  size_t Used = 0;
  std::map<CUdeviceptr, Block> Blocks;
};

Memory &memory() {
  static Memory M;
  return M;
}

size_t rounded(size_t Bytes) {
  return (Bytes + Alignment - 1) / Alignment * Alignment;
}

/// The first gap that is large enough.
CUresult allocateOnDevice(CUdeviceptr *Address, size_t Bytes) {
  if (Bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  Lock Guard(stateMutex());
  Memory &M = memory();
  CUdeviceptr At = M.Arena;
  for (auto &[Start, B] : M.Blocks) {
    if (B.Type != CU_MEMORYTYPE_DEVICE)
      continue;
    if (Start - At >= rounded(Bytes))
      break;
    At = Start + rounded(B.Bytes);
  }
  if (At + rounded(Bytes) > M.Arena + M.Total)
    return CUDA_ERROR_OUT_OF_MEMORY;
  M.Blocks[At] = {Bytes, CU_MEMORYTYPE_DEVICE};
  M.Used += rounded(Bytes);
  *Address = At;
  return CUDA_SUCCESS;
}

const std::pair<const CUdeviceptr, Block> *blockAt(CUdeviceptr Address) {
  auto &Blocks = memory().Blocks;
  auto Above = Blocks.upper_bound(Address);
  if (Above == Blocks.begin())
    return nullptr;
  auto Found = std::prev(Above);
  return Address - Found->first < Found->second.Bytes ? &*Found : nullptr;
}

CUresult release(CUdeviceptr Address, CUmemorytype Type) {
  Lock Guard(stateMutex());
  Memory &M = memory();
  auto Found = M.Blocks.find(Address);
  if (Found == M.Blocks.end() || Found->second.Type != Type)
    return CUDA_ERROR_INVALID_VALUE;
  if (Type == CU_MEMORYTYPE_DEVICE)
    M.Used -= rounded(Found->second.Bytes);
  else
    std::free(reinterpret_cast<void *>(Address));
  M.Blocks.erase(Found);
  return CUDA_SUCCESS;
}

CUresult copy(CUdeviceptr To, CUdeviceptr From, size_t Bytes, CUstream Stream) {
  if (!isAccessible(To, Bytes) || !isAccessible(From, Bytes))
    return CUDA_ERROR_INVALID_VALUE;
  submit(Stream, [=] {
    runOnDevice([=] {
      std::memcpy(reinterpret_cast<void *>(To),
                  reinterpret_cast<const void *>(From), Bytes);
    });
    return true;
  });
  return CUDA_SUCCESS;
}

CUdeviceptr address(const void *Host) {
  return reinterpret_cast<CUdeviceptr>(Host);
}

} // namespace

/// What lies in no block is plain memory of the process, or nothing.
bool fake::isAccessible(CUdeviceptr Address, size_t Bytes) {
  Lock Guard(stateMutex());
  if (const auto *Found = blockAt(Address))
    return Bytes <= Found->second.Bytes - (Address - Found->first);
  const Memory &M = memory();
  return Address != 0 && !(Address >= M.Arena && Address < M.Arena + M.Total);
}

extern "C" {

CUresult cuMemAlloc(CUdeviceptr *Address, size_t Bytes) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2",
                cuMemAlloc_v2_params{Address, Bytes},
                [&] { return allocateOnDevice(Address, Bytes); });
}

CUresult cuMemAllocManaged(CUdeviceptr *Address, size_t Bytes, unsigned Flags) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, "cuMemAllocManaged",
                cuMemAllocManaged_params{Address, Bytes, Flags},
                [&] { return allocateOnDevice(Address, Bytes); });
}

CUresult cuMemFree(CUdeviceptr Address) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2",
                cuMemFree_v2_params{Address},
                [&] { return release(Address, CU_MEMORYTYPE_DEVICE); });
}

CUresult cuMemHostAlloc(void **Address, size_t Bytes, unsigned Flags) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc, "cuMemHostAlloc",
                cuMemHostAlloc_params{Address, Bytes, Flags}, [&] {
                  const char *Most = std::getenv("FAKE_GPU_HOST_MEMORY");
                  if (Most && Bytes > std::strtoull(Most, nullptr, 10))
                    return CUDA_ERROR_OUT_OF_MEMORY;
                  Lock Guard(stateMutex());
                  *Address = std::aligned_alloc(Alignment, rounded(Bytes));
                  memory().Blocks[address(*Address)] = {Bytes,
                                                        CU_MEMORYTYPE_HOST};
                  return CUDA_SUCCESS;
                });
}

CUresult cuMemFreeHost(void *Address) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, "cuMemFreeHost",
                cuMemFreeHost_params{Address},
                [&] { return release(address(Address), CU_MEMORYTYPE_HOST); });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *Device, void *Host, unsigned) {
  *Device = address(Host);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *Free, size_t *Total) {
  Lock Guard(stateMutex());
  *Total = memory().Total;
  *Free = memory().Total - memory().Used;
  return lostContext();
}

CUresult cuPointerGetAttribute(void *Data, CUpointer_attribute What,
                               CUdeviceptr Address) {
  Lock Guard(stateMutex());
  const auto *Found = blockAt(Address);
  if (!Found)
    return CUDA_ERROR_INVALID_VALUE;
  switch (What) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<CUmemorytype *>(Data) = Found->second.Type;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    *static_cast<CUdeviceptr *>(Data) = Found->first;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(Data) = Found->second.Device;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    *static_cast<size_t *>(Data) = Found->second.Bytes;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemcpyHtoD(CUdeviceptr To, const void *From, size_t Bytes) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, "cuMemcpyHtoD_v2",
                cuMemcpyHtoD_v2_params{To, From, Bytes},
                [&] { return copy(To, address(From), Bytes, nullptr); });
}

CUresult cuMemcpyDtoH(void *To, CUdeviceptr From, size_t Bytes) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2",
                cuMemcpyDtoH_v2_params{To, From, Bytes},
                [&] { return copy(address(To), From, Bytes, nullptr); });
}

CUresult cuMemcpyAsync(CUdeviceptr To, CUdeviceptr From, size_t Bytes,
                       CUstream Stream) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, "cuMemcpyAsync",
                cuMemcpyAsync_params{To, From, Bytes, Stream},
                [&] { return copy(To, From, Bytes, Stream); });
}

CUresult cuMemsetD8Async(CUdeviceptr To, unsigned char Value, size_t Bytes,
                         CUstream Stream) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, "cuMemsetD8Async",
                cuMemsetD8Async_params{To, Value, Bytes, Stream}, [&] {
                  if (!isAccessible(To, Bytes))
                    return CUDA_ERROR_INVALID_VALUE;
                  submit(Stream, [=] {
                    runOnDevice([=] {
                      std::memset(reinterpret_cast<void *>(To), Value, Bytes);
                    });
                    return true;
                  });
                  return CUDA_SUCCESS;
                });
}

/// Memory of another GPU.
void fakeMemoryOfOtherGpu(void **Address, size_t Bytes) {
  cuMemAlloc(reinterpret_cast<CUdeviceptr *>(Address), Bytes);
  Lock Guard(stateMutex());
  memory().Blocks[address(*Address)].Device = 1;
}

/// As reserved and then mapped by cuMemMap.
void fakeMappedMemory(void **Address, size_t Bytes) {
  allocateOnDevice(reinterpret_cast<CUdeviceptr *>(Address), Bytes);
  traced(CUPTI_DRIVER_TRACE_CBID_cuMemMap, "cuMemMap",
         cuMemMap_params{address(*Address), Bytes, 0, 0, 0},
         [] { return CUDA_SUCCESS; });
}

/// Memory that another process has made.
void fakeMemoryOfOtherProcess(void **Address, size_t Bytes) {
  auto *To = reinterpret_cast<CUdeviceptr *>(Address);
  allocateOnDevice(To, Bytes);
  traced(CUPTI_DRIVER_TRACE_CBID_cuIpcOpenMemHandle_v2, "cuIpcOpenMemHandle_v2",
         cuIpcOpenMemHandle_v2_params{To, {}, 0}, [] { return CUDA_SUCCESS; });
}

/// The driver knows memory whose making nobody saw, as after cuMemMap.
void fakeUnseenMemory(void **Address, size_t Bytes) {
  allocateOnDevice(reinterpret_cast<CUdeviceptr *>(Address), Bytes);
}
}
