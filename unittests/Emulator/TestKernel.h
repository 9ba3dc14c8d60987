//===- TestKernel.h - Hand-written device code ------------------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_EMULATOR_TESTKERNEL_H
#define CUDAL1_UNITTESTS_EMULATOR_TESTKERNEL_H

#include "Abi.h"
#include "DeviceLibrary.h"
#include "Findings.h"
#include "Launcher.h"
#include "Settings.h"
#include <functional>
#include <vector>

namespace cudal1::emulator {

/// A kernel whose body is a lambda: what lib/Emulator would make of a unit.
class TestKernel {
public:
  explicit TestKernel(std::function<void()> Body, uint32_t Flags = KernelWaits)
      : Body(std::move(Body)) {
    Info.Name = "testKernel";
    Info.Entry = [](void **Arguments) {
      (*static_cast<std::function<void()> *>(Arguments[0]))();
    };
    Info.Flags = Flags;
    Info.File = "kernel.cu";
  }

  /// Adds a shared variable and returns its offset from ThreadState::Shared.
  uint32_t addShared(const char *Name, uint32_t Bytes) {
    uint32_t Offset = Info.DynamicSharedOffset;
    Variables.push_back({Name, Offset, Bytes});
    Info.SharedVariables = Variables.data();
    Info.SharedVariableCount = static_cast<uint32_t>(Variables.size());
    Info.StaticSharedBytes += Bytes;
    Info.DynamicSharedOffset = Offset + (Bytes + 127) / 128 * 128 + 128;
    return Offset;
  }

  LaunchResult run(uint32_t Blocks, uint32_t Threads,
                   uint32_t DynamicBytes = 0) {
    return run({{Blocks, 1, 1}, {Threads, 1, 1}, DynamicBytes});
  }
  LaunchResult run(const LaunchShape &Shape) {
    void *Arguments[] = {&Body};
    return runGrid(Info, Shape, Arguments);
  }

  KernelInfo Info = {};

private:
  std::function<void()> Body;
  std::vector<SharedVariable> Variables;
};

/// Runs with other settings and puts the old ones back.
class WithSettings {
public:
  WithSettings() : Old(settings()) {
    settings().Quiet = true;
    settings().Races = false;
  }
  ~WithSettings() { settings() = Old; }

  static void order(const char *Text) {
    settings().Schedule = Order::parse(Text);
  }
  static void workers(unsigned Count) { settings().Workers = Count; }

private:
  Settings Old;
};

inline const ThreadState &self() { return *cudal1_emu_thread; }
inline uint32_t threadX() { return self().ThreadIdx[0]; }
inline uint32_t blockX() { return self().BlockIdx[0]; }
inline void barrier() { cudal1_nvvm_barrier_cta_sync_aligned_all(0); }

/// What emitted code does before it calls something that waits.
inline void at(const SourceSite &Site) { cudal1_emu_thread->Site = &Site; }

template <typename T> T *shared(uint32_t Offset) {
  return reinterpret_cast<T *>(self().Shared + Offset);
}

/// Nanoseconds that this OS thread has computed: what a stopwatch shows on a
/// machine that does nothing else.
double computedNanoseconds();

/// The lines of the findings file that runs of \p Body add.
std::string findingsOf(const std::function<void()> &Body);

} // namespace cudal1::emulator

#endif // CUDAL1_UNITTESTS_EMULATOR_TESTKERNEL_H
