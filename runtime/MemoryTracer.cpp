//===- MemoryTracer.cpp - Allocations and what the host gets to see -------===//

#include "Allocations.h"
#include "CallTracer.h"
#include "OwnCalls.h"
#include <sys/uio.h>

using namespace cudal1;
using namespace cudal1::runtime;

namespace {

/// Buffers larger than this are not looked at when they are freed.
constexpr uint64_t MaxSnapshotBytes = uint64_t(256) << 20;
/// All that such looks may read in one process, about 2 s of hashing.
constexpr uint64_t SnapshotBudgetBytes = uint64_t(8) << 30;

template <typename T> const T &as(const void *Parameters) {
  return *static_cast<const T *>(Parameters);
}

trace::AllocationKind kindOf(replay::MemoryKind Kind) {
  switch (Kind) {
  case replay::MemoryKind::Managed:
    return trace::AllocationKind::Managed;
  case replay::MemoryKind::Host:
    return trace::AllocationKind::Host;
  default:
    return trace::AllocationKind::Device;
  }
}

/// What the driver calls an address is a pointer where memory is shared.
const char *hostPointer(uint64_t Address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<const char *>(Address);
}

/// The stream that a null handle means in the per-thread variants of calls.
CUstream perThread(CUstream Stream) {
  return Stream ? Stream : CU_STREAM_PER_THREAD;
}

/// Copies memory of this process that may be gone by now; false if it is.
bool readIfMapped(void *To, const void *From, size_t Bytes) {
  iovec Local = {To, Bytes};
  iovec Remote = {const_cast<void *>(From), Bytes};
  return ::process_vm_readv(::getpid(), &Local, 1, &Remote, 1, 0) ==
         static_cast<ssize_t>(Bytes);
}

} // namespace

bool CallTracer::onAllocation(CUpti_CallbackId Id, const void *P) {
  std::optional<replay::Allocation> Made = allocationOf(Id, P);
  if (Made)
    allocate(kindOf(Made->Kind), Made->Address, Made->Bytes);
  return Made.has_value();
}

void CallTracer::onFree(CUpti_CallbackId Id, const void *P) {
  if (std::optional<uint64_t> Address = releaseOf(Id, P))
    release(*Address);
}

void CallTracer::allocate(trace::AllocationKind Kind, uint64_t Address,
                          uint64_t Bytes) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Blocks[Address] = {Bytes, Kind, Kind == trace::AllocationKind::Managed};
  }
  Out.allocation(Kind, Address, Bytes);
}

void CallTracer::release(uint64_t Address) {
  Block Freed;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto Entry = Blocks.find(Address);
    if (Entry == Blocks.end())
      return;
    Freed = Entry->second;
    Blocks.erase(Entry);
  }
  if (Freed.Shared)
    snapshotShared(Address, Freed.Bytes);
  else if (Freed.Kind == trace::AllocationKind::Device)
    snapshotFreed(Address, Freed.Bytes);
  Out.free(Address);
}

bool CallTracer::takeSnapshotBudget(uint64_t Bytes) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Bytes <= MaxSnapshotBytes &&
        SnapshotBytes + Bytes <= SnapshotBudgetBytes) {
      SnapshotBytes += Bytes;
      return true;
    }
  }
  noteOnce("some buffers were too large to be looked at when they were freed");
  return false;
}

void CallTracer::snapshotFreed(uint64_t Address, uint64_t Bytes) {
  if (!takeSnapshotBudget(Bytes))
    return;
  std::vector<char> Data(Bytes);
  {
    OwnCalls Own(D);
    if (D.CtxSynchronize() != CUDA_SUCCESS ||
        D.MemcpyDtoH(Data.data(), Address, Bytes) != CUDA_SUCCESS)
      return;
  }
  Out.copy(trace::CopyOrigin::FreedBuffer, Address, Data.data(), Bytes);
}

void CallTracer::snapshotShared(uint64_t Address, uint64_t Bytes) {
  if (!takeSnapshotBudget(Bytes) || !mayReadManaged())
    return;
  {
    OwnCalls Own(D);
    if (D.CtxSynchronize() != CUDA_SUCCESS)
      return;
  }
  Out.copy(trace::CopyOrigin::SharedView, Address, hostPointer(Address), Bytes);
}

bool CallTracer::mayReadManaged() {
  if (!D.CtxGetDevice || !D.DeviceGetAttribute)
    return false;
  OwnCalls Own(D);
  CUdevice Device;
  int Concurrent = 0;
  return D.CtxGetDevice(&Device) == CUDA_SUCCESS &&
         D.DeviceGetAttribute(&Concurrent,
                              CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                              Device) == CUDA_SUCCESS &&
         Concurrent;
}

void CallTracer::onSynchronize() {
  std::vector<std::pair<uint64_t, uint64_t>> Shared;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Count.Synchronizations;
    if (!LaunchedSinceSnapshot)
      return;
    LaunchedSinceSnapshot = false;
    for (const auto &[Address, Memory] : Blocks)
      if (Memory.Shared)
        Shared.push_back({Address, Memory.Bytes});
  }
  for (auto [Address, Bytes] : Shared)
    snapshotShared(Address, Bytes);
}

void CallTracer::onGraphLaunch(CUstream Stream, CUresult Result) {
  Out.graphLaunch(streamNumber(Stream), Result);
  std::vector<CapturedCopy> Copies;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Count.GraphLaunches;
    LaunchedSinceSnapshot = true;
    Copies = CapturedCopies;
  }
  if (Result != CUDA_SUCCESS || Copies.empty() || isCapturing(Stream))
    return;
  {
    OwnCalls Own(D);
    if (D.StreamSynchronize(Stream) != CUDA_SUCCESS)
      return;
  }
  for (const CapturedCopy &Copy : Copies) {
    std::vector<char> Data(Copy.Bytes);
    if (readIfMapped(Data.data(), Copy.Host, Copy.Bytes))
      Out.copy(trace::CopyOrigin::GraphCopy, Copy.Source, Data.data(),
               Copy.Bytes);
  }
}

bool CallTracer::isHostMemory(uint64_t Address) {
  OwnCalls Own(D);
  CUmemorytype Type = CU_MEMORYTYPE_HOST;
  // Plain memory of the process is unknown to the driver.
  return D.PointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               Address) != CUDA_SUCCESS ||
         Type == CU_MEMORYTYPE_HOST;
}

bool CallTracer::isDeviceMemory(uint64_t Address) {
  OwnCalls Own(D);
  CUmemorytype Type = CU_MEMORYTYPE_HOST;
  return D.PointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               Address) == CUDA_SUCCESS &&
         Type == CU_MEMORYTYPE_DEVICE;
}

void CallTracer::hostCopy(const void *Host, uint64_t Source, uint64_t Bytes,
                          bool Async, CUstream Stream) {
  if (Bytes == 0)
    return;
  if (Async) {
    if (isCapturing(Stream)) {
      std::lock_guard<std::mutex> Lock(Mutex);
      CapturedCopies.push_back({Host, Source, Bytes});
      return;
    }
    OwnCalls Own(D);
    if (D.StreamSynchronize(Stream) != CUDA_SUCCESS)
      return;
  }
  Out.copy(trace::CopyOrigin::Copy, Source, Host, Bytes);
}

bool CallTracer::onCopy(CUpti_CallbackId Id, const void *P) {
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds: {
    const auto &Call = as<cuMemcpyDtoH_v2_params>(P);
    hostCopy(Call.dstHost, Call.srcDevice, Call.ByteCount, false, nullptr);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz: {
    const auto &Call = as<cuMemcpyDtoHAsync_v2_params>(P);
    bool PerThread = Id == CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz;
    hostCopy(Call.dstHost, Call.srcDevice, Call.ByteCount, true,
             PerThread ? perThread(Call.hStream) : Call.hStream);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds: {
    const auto &Call = as<cuMemcpy_params>(P);
    if (isDeviceMemory(Call.src) && isHostMemory(Call.dst))
      hostCopy(hostPointer(Call.dst), Call.src, Call.ByteCount, false, nullptr);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz: {
    const auto &Call = as<cuMemcpyAsync_params>(P);
    bool PerThread = Id == CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz;
    if (isDeviceMemory(Call.src) && isHostMemory(Call.dst))
      hostCopy(hostPointer(Call.dst), Call.src, Call.ByteCount, true,
               PerThread ? perThread(Call.hStream) : Call.hStream);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAtoH_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAtoH_v2_ptds: {
    const auto &Call = as<cuMemcpyAtoH_v2_params>(P);
    hostCopy(Call.dstHost, 0, Call.ByteCount, false, nullptr);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAtoHAsync_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAtoHAsync_v2_ptsz: {
    const auto &Call = as<cuMemcpyAtoHAsync_v2_params>(P);
    bool PerThread = Id == CUPTI_DRIVER_TRACE_CBID_cuMemcpyAtoHAsync_v2_ptsz;
    hostCopy(Call.dstHost, 0, Call.ByteCount, true,
             PerThread ? perThread(Call.hStream) : Call.hStream);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz: {
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Count.HostToDeviceCopies;
    return true;
  }
  default:
    return false;
  }
}

bool CallTracer::onPitchedCopy(CUpti_CallbackId Id, const void *P) {
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2_ptds:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DUnaligned_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DUnaligned_v2_ptds:
    pitchedCopy(*as<cuMemcpy2D_v2_params>(P).pCopy, 1, 0, 0, false, nullptr);
    return true;
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2_ptsz: {
    const auto &Call = as<cuMemcpy2DAsync_v2_params>(P);
    bool PerThread = Id == CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2_ptsz;
    pitchedCopy(*Call.pCopy, 1, 0, 0, true,
                PerThread ? perThread(Call.hStream) : Call.hStream);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy3D_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy3D_v2_ptds: {
    const CUDA_MEMCPY3D &Copy = *as<cuMemcpy3D_v2_params>(P).pCopy;
    pitchedCopy(Copy, Copy.Depth, Copy.srcZ * Copy.srcHeight * Copy.srcPitch,
                Copy.dstHeight * Copy.dstPitch, false, nullptr);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2_ptsz: {
    const auto &Call = as<cuMemcpy3DAsync_v2_params>(P);
    const CUDA_MEMCPY3D &Copy = *Call.pCopy;
    bool PerThread = Id == CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2_ptsz;
    pitchedCopy(Copy, Copy.Depth, Copy.srcZ * Copy.srcHeight * Copy.srcPitch,
                Copy.dstHeight * Copy.dstPitch, true,
                PerThread ? perThread(Call.hStream) : Call.hStream);
    return true;
  }
  default:
    return false;
  }
}

/// Copies of rows. \p SourceSlice is where the first slice starts in the
/// source, \p HostSlice the bytes from one slice to the next on the host.
template <typename Descriptor>
void CallTracer::pitchedCopy(const Descriptor &Copy, uint64_t Depth,
                             uint64_t SourceSlice, uint64_t HostSlice,
                             bool Async, CUstream Stream) {
  const char *Host = nullptr;
  if (Copy.dstMemoryType == CU_MEMORYTYPE_HOST)
    Host = static_cast<const char *>(Copy.dstHost);
  else if (Copy.dstMemoryType == CU_MEMORYTYPE_UNIFIED &&
           isHostMemory(Copy.dstDevice))
    Host = hostPointer(Copy.dstDevice);
  bool FromArray = Copy.srcMemoryType == CU_MEMORYTYPE_ARRAY;
  bool FromDevice = Copy.srcMemoryType == CU_MEMORYTYPE_DEVICE ||
                    (Copy.srcMemoryType == CU_MEMORYTYPE_UNIFIED &&
                     isDeviceMemory(Copy.srcDevice));
  if (!Host || !(FromArray || FromDevice))
    return;
  if (Async) {
    if (isCapturing(Stream)) {
      noteOnce("a pitched copy inside a graph was not compared");
      return;
    }
    OwnCalls Own(D);
    if (D.StreamSynchronize(Stream) != CUDA_SUCCESS)
      return;
  }
  uint64_t Source = FromArray
                        ? 0
                        : Copy.srcDevice + SourceSlice +
                              Copy.srcY * Copy.srcPitch + Copy.srcXInBytes;
  uint64_t FirstSlice = 0;
  if constexpr (std::is_same_v<Descriptor, CUDA_MEMCPY3D>)
    FirstSlice = Copy.dstZ;
  std::vector<char> Rows;
  Rows.reserve(Copy.WidthInBytes * Copy.Height * Depth);
  uint64_t Pitch = Copy.dstPitch ? Copy.dstPitch : Copy.WidthInBytes;
  for (uint64_t Z = 0; Z < Depth; ++Z)
    for (uint64_t Y = 0; Y < Copy.Height; ++Y) {
      const char *Row = Host + (FirstSlice + Z) * HostSlice +
                        (Copy.dstY + Y) * Pitch + Copy.dstXInBytes;
      Rows.insert(Rows.end(), Row, Row + Copy.WidthInBytes);
    }
  if (!Rows.empty())
    Out.copy(trace::CopyOrigin::Copy, Source, Rows.data(), Rows.size());
}
