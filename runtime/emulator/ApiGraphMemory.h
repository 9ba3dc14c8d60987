//===- ApiGraphMemory.h - Allocations that a graph makes --------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIGRAPHMEMORY_H
#define CUDAL1_RUNTIME_EMULATOR_APIGRAPHMEMORY_H

#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace cudal1::emulator::api {

/// What one allocation node stands for, shared by its graph and by all that was
/// made of it. The address is the same at every launch, so the memory is there
/// all the time; what changes is whether the program has it.
class GraphMemory {
public:
  /// Null if there is no room.
  static std::shared_ptr<GraphMemory> make(uint64_t Bytes);
  /// What the program still has stays: it is freed as any other memory.
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;

  void *address() const { return Address; }
  /// The allocation node was reached. An error if the program has it already.
  cudaError_t take();

  /// A free node was reached, or the program freed it. False if \p Address is
  /// no memory of a graph that the program has.
  static bool give(void *Address);

private:
  GraphMemory(void *Address, uint64_t Bytes) : Address(Address), Bytes(Bytes) {}

  void *Address;
  uint64_t Bytes;
  bool Taken = false;
};

/// All memory of graphs that there is.
struct GraphMemoryTable {
  std::mutex Mutex; ///< guards all that follows and GraphMemory::Taken
  std::unordered_map<const void *, GraphMemory *> ByAddress;
  uint64_t Used = 0, UsedHigh = 0;         ///< bytes that programs have
  uint64_t Reserved = 0, ReservedHigh = 0; ///< bytes of all
};

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APIGRAPHMEMORY_H
