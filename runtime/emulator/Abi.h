//===- Abi.h - Between emulated device code and its runtime -----*- C++ -*-===//
///
/// \file
/// What the device code of a unit, compiled for the CPU, and the emulator's
/// runtime know of each other. lib/Emulator emits code against these layouts;
/// the runtime is linked into the emulated program. Plain C++17 without LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_ABI_H
#define CUDAL1_RUNTIME_EMULATOR_ABI_H

#include <cstddef>
#include <cstdint>

namespace cudal1::emulator {

/// A place in the source that a finding can name.
struct SourceSite {
  const char *File;     ///< as the debug information spells it
  const char *Function; ///< demangled name of the function that holds it
  uint32_t Line;        ///< 1-based; 0: unknown
  uint32_t Column;
  uint32_t Flags; ///< SiteFlags
  /// Bytes that the address must be a multiple of, as the GPU demands.
  uint32_t Alignment;
};

enum SiteFlags : uint32_t {
  SiteVolatile = 1,
  SiteAtomic = 2,
  /// A store or atomic that also releases: what the thread wrote before is seen
  /// by who reads this (`atom.release`, `st.release`, not CUDA's atomicAdd).
  SiteRelease = 4,
};

/// What device code sees of the thread that runs it. The runtime keeps more
/// about a thread behind this. Filled in before a kernel's entry is called.
struct ThreadState {
  uint32_t ThreadIdx[3];
  uint32_t Lane; ///< 0 to 31
  uint32_t BlockIdx[3];
  uint32_t Warp; ///< of the block
  uint32_t BlockDim[3];
  uint32_t StaticSharedBytes;
  uint32_t GridDim[3];
  uint32_t DynamicSharedBytes;
  /// Start of the shared memory of the thread's block.
  char *Shared;
  /// Where the thread last called into the runtime to wait or to meet others.
  const SourceSite *Site;
};

/// Where a device pointer's checks start. `__device__` memory lies in one
/// address range, its shadow (one byte a byte) in another.
struct CheckedRange {
  uintptr_t Base;
  uintptr_t Bytes;
  uint8_t *Shadow; ///< of the byte at Base
};

/// Values of a shadow byte. Fresh shadow memory is zero: not addressable.
enum ShadowByte : uint8_t {
  ShadowOutside = 0,
  ShadowUninitialized = 1, ///< addressable, never written
  ShadowInitialized = 3,   ///< addressable and written
  ShadowFreed = 4,         ///< was part of an allocation that was freed
};

/// One `__shared__` array or variable of a module.
struct SharedVariable {
  const char *Name; ///< mangled, or plain
  uint32_t Offset;  ///< from ThreadState::Shared
  uint32_t Bytes;
};

enum KernelFlags : uint32_t {
  /// A thread may wait for others (barriers, warp operations): it needs a stack
  /// of its own. Without it all threads of a block run one after the other.
  KernelWaits = 1,
  /// May wait in a loop for what another thread or block writes.
  KernelSpins = 2,
};

struct KernelInfo {
  const char *Name; ///< mangled, as the host registers it
  /// Runs the calling thread: \p Arguments as in cudaLaunchKernel.
  void (*Entry)(void **Arguments);
  uint32_t Flags;
  uint32_t StaticSharedBytes; ///< as the GPU would count them
  /// From ThreadState::Shared to the dynamic shared memory.
  uint32_t DynamicSharedOffset;
  uint32_t MaxThreadsPerBlock; ///< of __launch_bounds__; 0: none
  const SharedVariable *SharedVariables;
  uint32_t SharedVariableCount;
  uint32_t ParameterCount;
  const uint32_t *ParameterBytes;
  const char *File;
  uint32_t Line;
};

enum VariableFlags : uint32_t { VariableConstant = 1, VariableManaged = 2 };

/// One `__device__`, `__constant__` or `__managed__` variable.
struct VariableInfo {
  const char *Name; ///< mangled, as the host registers it
  void *Address;
  uint64_t Bytes;
  uint32_t Flags;
  uint32_t Reserved;
};

/// All of one unit's device side.
struct ModuleInfo {
  const KernelInfo *Kernels;
  uint64_t KernelCount;
  const VariableInfo *Variables;
  uint64_t VariableCount;
};

} // namespace cudal1::emulator

// Their names are symbols of a library that is linked with any program.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

/// The thread that this OS thread runs now. Not `thread_local`, which would
/// make each use call an initialiser first.
extern __thread cudal1::emulator::ThreadState *cudal1_emu_thread;

/// Range of all device allocations; fixed before main. Emitted code tests
/// against it inline and calls the functions below for the rest.
extern cudal1::emulator::CheckedRange cudal1_emu_memory;

/// The compute capability times ten (90) that device code was compiled for. A
/// unit may define it (weakly, as others may too); 90 is assumed without it.
extern const uint32_t cudal1_emu_compute_capability __attribute__((weak));

/// Called by a constructor that every emulated unit holds.
void cudal1_emu_register_module(const cudal1::emulator::ModuleInfo *Module);

/// A load that the inline test did not find to be right. Reports what is
/// wrong, if anything is; does not return if the address cannot be read.
void cudal1_emu_check_load(const void *Address, uint64_t Bytes,
                           const cudal1::emulator::SourceSite *Site);

/// The same for a store about to happen. Marks the bytes as written.
void cudal1_emu_check_store(void *Address, uint64_t Bytes,
                            const cudal1::emulator::SourceSite *Site);

/// The same for an atomic read-modify-write.
void cudal1_emu_check_atomic(void *Address, uint64_t Bytes,
                             const cudal1::emulator::SourceSite *Site);

/// Looks for data races; called beside the checks where races are looked for.
/// \p Value holds the low bytes of what is written (up to 8), so that threads
/// that write the same value are told from a race.
void cudal1_emu_race_load(const void *Address, uint64_t Bytes,
                          const cudal1::emulator::SourceSite *Site);
void cudal1_emu_race_store(void *Address, uint64_t Bytes, uint64_t Value,
                           const cudal1::emulator::SourceSite *Site);
void cudal1_emu_race_atomic(void *Address, uint64_t Bytes,
                            const cudal1::emulator::SourceSite *Site);

/// memcpy and memset of device code. Shadow bytes travel with a copy.
void cudal1_emu_memcpy(void *To, const void *From, uint64_t Bytes,
                       const cudal1::emulator::SourceSite *Site);
void cudal1_emu_memmove(void *To, const void *From, uint64_t Bytes,
                        const cudal1::emulator::SourceSite *Site);
void cudal1_emu_memset(void *To, int Value, uint64_t Bytes,
                       const cudal1::emulator::SourceSite *Site);

/// An access outside of a local or shared array whose bounds are known where
/// it is accessed. \p Offset is from the array's start.
void cudal1_emu_outside_array(const char *Array, int64_t Offset, uint64_t Bytes,
                              uint64_t ArrayBytes,
                              const cudal1::emulator::SourceSite *Site);

/// An integer is divided by zero, which ends nothing on a GPU.
void cudal1_emu_division_by_zero(const cudal1::emulator::SourceSite *Site);

/// Called after each volatile or atomic load inside a loop: the thread may be
/// waiting for what another one writes. After some calls it lets others run,
/// and blocks that have not begun. Such a kernel needs KernelSpins.
void cudal1_emu_spin_hint(void);

/// Called before each volatile access to shared memory: lanes of a warp make
/// such accesses in lockstep, which code from before __syncwarp relies on. Such
/// a kernel needs KernelSpins or KernelWaits.
void cudal1_emu_volatile_access(void);

/// Code that the emulator cannot run was reached. Ends the process with the
/// exit code of `unsupported`; never returns.
[[noreturn]] void
cudal1_emu_unsupported(const char *Construct,
                       const cudal1::emulator::SourceSite *Site);
}
// NOLINTEND(readability-identifier-naming)

#endif // CUDAL1_RUNTIME_EMULATOR_ABI_H
