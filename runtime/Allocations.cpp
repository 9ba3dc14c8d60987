//===- Allocations.cpp - Which calls make and release memory --------------===//

#include "Allocations.h"

using namespace cudal1;
using namespace cudal1::runtime;
using replay::Allocation;
using replay::MemoryKind;

namespace {

template <typename T> const T &as(const void *Parameters) {
  return *static_cast<const T *>(Parameters);
}

uint64_t address(const void *Pointer) {
  return reinterpret_cast<uint64_t>(Pointer);
}

/// The array that surfaces may write to that a call made, or null.
const void *surfaceArrayOf(CUpti_CallbackId Id, const void *P) {
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuArray3DCreate_v2: {
    const auto &Call = as<cuArray3DCreate_v2_params>(P);
    return Call.pAllocateArray->Flags & CUDA_ARRAY3D_SURFACE_LDST
               ? *Call.pHandle
               : nullptr;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMipmappedArrayCreate: {
    const auto &Call = as<cuMipmappedArrayCreate_params>(P);
    return Call.pMipmappedArrayDesc->Flags & CUDA_ARRAY3D_SURFACE_LDST
               ? *Call.pHandle
               : nullptr;
  }
  default:
    return nullptr;
  }
}

/// Whether a call makes memory of another process, or of a graphics interface,
/// known here: others may write to it.
bool importsMemory(CUpti_CallbackId Id) {
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuIpcOpenMemHandle:
  case CUPTI_DRIVER_TRACE_CBID_cuIpcOpenMemHandle_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuMemPoolImportPointer:
  case CUPTI_DRIVER_TRACE_CBID_cuMemImportFromShareableHandle:
  case CUPTI_DRIVER_TRACE_CBID_cuExternalMemoryGetMappedBuffer:
  case CUPTI_DRIVER_TRACE_CBID_cuExternalMemoryGetMappedMipmappedArray:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphicsResourceGetMappedPointer:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphicsResourceGetMappedPointer_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphicsSubResourceGetMappedArray:
    return true;
  default:
    return false;
  }
}

/// The array that a call destroys, or null.
const void *destroyedArrayOf(CUpti_CallbackId Id, const void *P) {
  if (Id == CUPTI_DRIVER_TRACE_CBID_cuArrayDestroy)
    return as<cuArrayDestroy_params>(P).hArray;
  if (Id == CUPTI_DRIVER_TRACE_CBID_cuMipmappedArrayDestroy)
    return as<cuMipmappedArrayDestroy_params>(P).hMipmappedArray;
  return nullptr;
}

} // namespace

std::optional<Allocation> runtime::allocationOf(CUpti_CallbackId Id,
                                                const void *P) {
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
    const auto &Call = as<cuMemAlloc_v2_params>(P);
    return Allocation{*Call.dptr, Call.bytesize, MemoryKind::Device};
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2: {
    const auto &Call = as<cuMemAllocPitch_v2_params>(P);
    return Allocation{*Call.dptr, *Call.pPitch * Call.Height,
                      MemoryKind::Device};
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz: {
    const auto &Call = as<cuMemAllocAsync_params>(P);
    return Allocation{*Call.dptr, Call.bytesize, MemoryKind::Device};
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz: {
    const auto &Call = as<cuMemAllocFromPoolAsync_params>(P);
    return Allocation{*Call.dptr, Call.bytesize, MemoryKind::Device};
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged: {
    const auto &Call = as<cuMemAllocManaged_params>(P);
    return Allocation{*Call.dptr, Call.bytesize, MemoryKind::Managed};
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2: {
    const auto &Call = as<cuMemAllocHost_v2_params>(P);
    return Allocation{address(*Call.pp), Call.bytesize, MemoryKind::Host};
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc:
  case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2: {
    const auto &Call = as<cuMemHostAlloc_params>(P);
    return Allocation{address(*Call.pp), Call.bytesize, MemoryKind::Host};
  }
  case CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2: {
    const auto &Call = as<cuMemHostRegister_v2_params>(P);
    return Allocation{address(Call.p), Call.bytesize, MemoryKind::Host};
  }
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> runtime::releaseOf(CUpti_CallbackId Id, const void *P) {
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
    return as<cuMemFree_v2_params>(P).dptr;
  case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
  case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
    return as<cuMemFreeAsync_params>(P).dptr;
  case CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost:
    return address(as<cuMemFreeHost_params>(P).p);
  case CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister:
    return address(as<cuMemHostUnregister_params>(P).p);
  default:
    return std::nullopt;
  }
}

void AllocationMap::onEnter(CUpti_CallbackId Id, const void *Parameters) {
  if (Id == CUPTI_DRIVER_TRACE_CBID_cuMemUnmap) {
    const auto &Call = as<cuMemUnmap_params>(Parameters);
    std::lock_guard<std::mutex> Lock(Mutex);
    Blocks.erase(Blocks.lower_bound(Call.ptr),
                 Blocks.lower_bound(Call.ptr + Call.size));
    return;
  }
  std::optional<uint64_t> Released = releaseOf(Id, Parameters);
  const void *Array = destroyedArrayOf(Id, Parameters);
  if (!Released && !Array)
    return;
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Released)
    Blocks.erase(*Released);
  SurfaceArrays.erase(Array);
}

void AllocationMap::onSuccess(CUpti_CallbackId Id, const void *Parameters) {
  std::optional<Allocation> Made = allocationOf(Id, Parameters);
  if (Id == CUPTI_DRIVER_TRACE_CBID_cuMemMap) {
    const auto &Call = as<cuMemMap_params>(Parameters);
    Made = {Call.ptr, Call.size, MemoryKind::Mapped};
  }
  const void *Array = surfaceArrayOf(Id, Parameters);
  bool Imports = importsMemory(Id);
  if (!Made && !Array && !Imports)
    return;
  std::lock_guard<std::mutex> Lock(Mutex);
  Foreign |= Imports;
  if (Made)
    Blocks[Made->Address] = *Made;
  if (Array)
    SurfaceArrays.insert(Array);
}

std::vector<Allocation> AllocationMap::blocks() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  std::vector<Allocation> Result;
  Result.reserve(Blocks.size());
  for (const auto &[Address, Block] : Blocks) {
    bool GoesOn = !Result.empty() && Block.Kind == MemoryKind::Mapped &&
                  Result.back().Kind == MemoryKind::Mapped &&
                  Result.back().Address + Result.back().Bytes == Address;
    if (GoesOn)
      Result.back().Bytes += Block.Bytes;
    else
      Result.push_back(Block);
  }
  return Result;
}

bool AllocationMap::hasForeignMemory() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Foreign;
}

uint64_t AllocationMap::surfaceArrays() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return SurfaceArrays.size();
}
