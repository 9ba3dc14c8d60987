//===- DeviceSystem.cpp - Registers, clocks, fences, ends -----------------===//

#include "AddressSpace.h"
#include "Block.h"
#include "DeviceLibrary.h"
#include "DeviceMemory.h"
#include "Findings.h"
#include "Races.h"
#include "Registry.h"
#include "Text.h"
#include "Worker.h"
#include <atomic>
#include <ctime>
#include <unistd.h>

using namespace cudal1::emulator;

namespace {

/// Spin hints in a row before a thread lets others run. A loop that reads a
/// flag goes round in some nanoseconds, a switch costs some tens of them.
constexpr uint32_t HintsPerYield = 64;
/// The same once it has done so: what it waits for was not there.
constexpr uint32_t HintsPerLaterYield = 16;

uint64_t nanoseconds() {
  timespec Now = {};
  ::clock_gettime(CLOCK_REALTIME, &Now);
  return uint64_t(Now.tv_sec) * 1000000000u + uint64_t(Now.tv_nsec);
}

uint64_t cycles() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return nanoseconds();
#endif
}

uint32_t linearBlock(const ThreadState &Thread) {
  return (Thread.BlockIdx[2] * Thread.GridDim[1] + Thread.BlockIdx[1]) *
             Thread.GridDim[0] +
         Thread.BlockIdx[0];
}

/// As many as the emulated GPU's properties tell (cudaDeviceProp).
constexpr uint32_t Multiprocessors = 132;

void fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  races::fence();
}

} // namespace

uint32_t cudal1_nvvm_read_ptx_sreg_laneid() { return cudal1_emu_thread->Lane; }
uint32_t cudal1_nvvm_read_ptx_sreg_warpid() { return cudal1_emu_thread->Warp; }
uint32_t cudal1_nvvm_read_ptx_sreg_nwarpid() {
  return LargestBlock * 2 / WarpLanes;
}
uint32_t cudal1_nvvm_read_ptx_sreg_smid() {
  return linearBlock(*cudal1_emu_thread) % Multiprocessors;
}
uint32_t cudal1_nvvm_read_ptx_sreg_nsmid() { return Multiprocessors; }
uint32_t cudal1_nvvm_read_ptx_sreg_gridid() {
  return static_cast<uint32_t>(Worker::current()->launch().Serial);
}
uint32_t cudal1_nvvm_read_ptx_sreg_lanemask_eq() {
  return uint32_t(1) << cudal1_emu_thread->Lane;
}
uint32_t cudal1_nvvm_read_ptx_sreg_lanemask_lt() {
  return (uint32_t(1) << cudal1_emu_thread->Lane) - 1;
}
uint32_t cudal1_nvvm_read_ptx_sreg_lanemask_le() {
  return (uint32_t(2) << cudal1_emu_thread->Lane) - 1;
}
uint32_t cudal1_nvvm_read_ptx_sreg_lanemask_ge() {
  return ~cudal1_nvvm_read_ptx_sreg_lanemask_lt();
}
uint32_t cudal1_nvvm_read_ptx_sreg_lanemask_gt() {
  return ~cudal1_nvvm_read_ptx_sreg_lanemask_le();
}
uint32_t cudal1_nvvm_read_ptx_sreg_clock() {
  return static_cast<uint32_t>(cycles());
}
uint64_t cudal1_nvvm_read_ptx_sreg_clock64() { return cycles(); }
uint64_t cudal1_nvvm_read_ptx_sreg_globaltimer() { return nanoseconds(); }
uint32_t cudal1_nvvm_read_ptx_sreg_globaltimer_lo() {
  return static_cast<uint32_t>(nanoseconds());
}
uint32_t cudal1_nvvm_read_ptx_sreg_dynamic_smem_size() {
  return cudal1_emu_thread->DynamicSharedBytes;
}
uint32_t cudal1_nvvm_read_ptx_sreg_total_smem_size() {
  return cudal1_emu_thread->DynamicSharedBytes +
         cudal1_emu_thread->StaticSharedBytes;
}
uint32_t cudal1_nvvm_read_ptx_sreg_aggr_smem_size() {
  return cudal1_nvvm_read_ptx_sreg_total_smem_size();
}

uint32_t cudal1_nvvm_read_ptx_sreg_reserved_smem_offset_1() {
  if (Block *Owner = currentThread()->Owner)
    Owner->openReservedShared();
  return static_cast<uint32_t>(ReservedSharedOffset);
}

void cudal1_nvvm_membar_cta() { fence(); }
void cudal1_nvvm_membar_gl() { fence(); }
void cudal1_nvvm_membar_sys() { fence(); }
void cudal1_nvvm_fence_sc_cluster() { fence(); }
void cudal1_nvvm_fence_proxy_alias() { fence(); }
void cudal1_nvvm_fence_proxy_async() { fence(); }
void cudal1_nvvm_fence_proxy_async_global() { fence(); }
void cudal1_nvvm_fence_proxy_async_shared_cta() { fence(); }
void cudal1_nvvm_fence_proxy_async_shared_cluster() { fence(); }

uint32_t cudal1_nvvm_isspacep_shared(const void *Address) {
  return space::contains(Address) && space::isShared(Address);
}
uint32_t cudal1_nvvm_isspacep_shared_cluster(const void *Address) {
  return cudal1_nvvm_isspacep_shared(Address);
}
uint32_t cudal1_nvvm_isspacep_local(const void *Address) {
  const DeviceThread &Self = *currentThread();
  return reinterpret_cast<uintptr_t>(Address) - Self.StackLow <
         Self.StackHigh - Self.StackLow;
}
uint32_t cudal1_nvvm_isspacep_const(const void *Address) {
  const VariableInfo *Variable = registry::variableAt(Address);
  return Variable && (Variable->Flags & VariableConstant);
}
uint32_t cudal1_nvvm_isspacep_global(const void *Address) {
  return !cudal1_nvvm_isspacep_shared(Address) &&
         !cudal1_nvvm_isspacep_local(Address) &&
         !cudal1_nvvm_isspacep_const(Address);
}

void cudal1_emu_spin_hint(void) {
  DeviceThread &Self = *currentThread();
  if (++Self.SpinHints < HintsPerYield || !Self.Owner)
    return;
  Self.SpinHints = HintsPerYield - HintsPerLaterYield;
  Self.Owner->spin(Self);
}

void cudal1_emu_volatile_access(void) {
  DeviceThread &Self = *currentThread();
  if (Self.Owner)
    Self.Owner->keepLockstep(Self);
}

void cudal1_nvvm_nanosleep(uint32_t) {
  DeviceThread &Self = *currentThread();
  if (Self.Owner)
    Self.Owner->spin(Self);
}

void cudal1_nvvm_exit() {
  DeviceThread &Self = *currentThread();
  if (!Self.Owner)
    cudal1_emu_unsupported("exit in a kernel without waiting", Self.Site);
  Self.Owner->finish(Self);
}

void cudal1_device_assertfail(const char *Message, const char *File,
                              uint32_t Line, const char *Function, size_t) {
  const ThreadState &Self = *cudal1_emu_thread;
  std::fflush(stdout);
  std::fprintf(stderr,
               "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion "
               "`%s` failed.\n",
               File, Line, Function, Self.BlockIdx[0], Self.BlockIdx[1],
               Self.BlockIdx[2], Self.ThreadIdx[0], Self.ThreadIdx[1],
               Self.ThreadIdx[2], Message);
  Worker::current()->abandon(LaunchResult::Assert);
}

void cudal1_device_trap(void) {
  Worker::current()->abandon(LaunchResult::Trap);
}

void *cudal1_device_malloc(size_t Bytes) {
  return memory::allocate(Bytes, MemoryKind::Heap);
}

void cudal1_device_free(void *Address) {
  if (!Address || memory::release(Address))
    return;
  reportFinding(FindingKind::InvalidFree, cudal1_emu_thread->Site,
                format("free of %p, which malloc in device code did not give "
                       "or which is freed already",
                       Address));
}

void cudal1_emu_unsupported(const char *Construct, const SourceSite *Site) {
  reportFinding(FindingKind::Unsupported, Site,
                std::string("the emulator cannot run ") + Construct);
  std::fflush(nullptr);
  ::_exit(ExitUnsupported);
}
