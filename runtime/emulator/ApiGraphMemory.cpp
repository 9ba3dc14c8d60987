//===- ApiGraphMemory.cpp - Allocations that a graph makes ----------------===//

#include "ApiGraphMemory.h"
#include "ApiMemory.h"
#include "ApiState.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

GraphMemoryTable &table() { return runtime().GraphMemories; }

} // namespace

std::shared_ptr<GraphMemory> GraphMemory::make(uint64_t Bytes) {
  void *Address = nullptr;
  if (allocate(&Address, Bytes, MemoryKind::Device) || !Address)
    return nullptr;
  std::shared_ptr<GraphMemory> Result(new GraphMemory(Address, Bytes));
  GraphMemoryTable &T = table();
  std::lock_guard<std::mutex> Lock(T.Mutex);
  T.ByAddress[Address] = Result.get();
  T.Reserved += Bytes;
  T.ReservedHigh = std::max(T.ReservedHigh, T.Reserved);
  return Result;
}

GraphMemory::~GraphMemory() {
  GraphMemoryTable &T = table();
  {
    std::lock_guard<std::mutex> Lock(T.Mutex);
    T.ByAddress.erase(Address);
    T.Reserved -= Bytes;
    if (Taken) {
      T.Used -= Bytes;
      return;
    }
  }
  release(Address, false, "cudaGraphDestroy");
}

cudaError_t GraphMemory::take() {
  GraphMemoryTable &T = table();
  std::lock_guard<std::mutex> Lock(T.Mutex);
  if (Taken)
    return cudaErrorInvalidValue;
  Taken = true;
  T.Used += Bytes;
  T.UsedHigh = std::max(T.UsedHigh, T.Used);
  return cudaSuccess;
}

bool GraphMemory::give(void *Address) {
  GraphMemoryTable &T = table();
  std::lock_guard<std::mutex> Lock(T.Mutex);
  auto Found = T.ByAddress.find(Address);
  if (Found == T.ByAddress.end() || !Found->second->Taken)
    return false;
  Found->second->Taken = false;
  T.Used -= Found->second->Bytes;
  return true;
}

extern "C" {

cudaError_t cudaDeviceGraphMemTrim(int Device) {
  return apiCall(__func__, [&] {
    return Device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int Device,
                                           cudaGraphMemAttributeType Which,
                                           void *Value) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (Device != 0 || !Value)
      return Value ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    GraphMemoryTable &T = table();
    std::lock_guard<std::mutex> Lock(T.Mutex);
    auto &Result = *static_cast<uint64_t *>(Value);
    switch (Which) {
    case cudaGraphMemAttrUsedMemCurrent:
      Result = T.Used;
      return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh:
      Result = T.UsedHigh;
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemCurrent:
      Result = T.Reserved;
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemHigh:
      Result = T.ReservedHigh;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

/// Only the two highest marks can be set, and only back to what is now.
cudaError_t cudaDeviceSetGraphMemAttribute(int Device,
                                           cudaGraphMemAttributeType Which,
                                           void *Value) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (Device != 0 || !Value)
      return Value ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    GraphMemoryTable &T = table();
    std::lock_guard<std::mutex> Lock(T.Mutex);
    if (Which == cudaGraphMemAttrUsedMemHigh)
      T.UsedHigh = T.Used;
    else if (Which == cudaGraphMemAttrReservedMemHigh)
      T.ReservedHigh = T.Reserved;
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}
}
