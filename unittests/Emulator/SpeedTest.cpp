//===- SpeedTest.cpp - What the emulator's own work costs -----------------===//
///
/// \file
/// Prints figures, in time that the OS thread computed. The limits are wide:
/// they catch a cost that grew tenfold, not a busy machine.
///
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "TestKernel.h"
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>

using namespace cudal1::emulator;

namespace {

const SourceSite Here = {"speed.cu", "kernel", 1, 1, 0, 4};

/// Nanoseconds of one of \p Count things that \p Body does together.
double timeOf(uint64_t Count, const std::function<void()> &Body) {
  double Start = computedNanoseconds();
  Body();
  return (computedNanoseconds() - Start) / static_cast<double>(Count);
}

TEST(Speed, ThreadsOfAKernelWithoutBarriersCostNanoseconds) {
  WithSettings Settings;
  WithSettings::workers(1);
  KernelInfo Info = {};
  Info.Name = "empty";
  Info.Entry = [](void **) { asm volatile("" ::: "memory"); };
  LaunchShape Shape = {{20000, 1, 1}, {256, 1, 1}, 0};
  double Each = timeOf(20000 * 256, [&] { runGrid(Info, Shape, nullptr); });
  std::printf("%.1f ns per thread of a kernel without barriers\n", Each);
  EXPECT_LT(Each, 50);
}

TEST(Speed, ASmallLaunchCostsMicroseconds) {
  KernelInfo Info = {};
  Info.Name = "empty";
  Info.Entry = [](void **) { asm volatile("" ::: "memory"); };
  LaunchShape Shape = {{1, 1, 1}, {32, 1, 1}, 0};
  double Each = timeOf(2000, [&] {
    for (int I = 0; I < 2000; ++I)
      runGrid(Info, Shape, nullptr);
  });
  std::printf("%.0f ns per launch of one block\n", Each);
  EXPECT_LT(Each, 100000);
}

TEST(Speed, ASwitchCostsTensOfNanoseconds) {
  WithSettings Settings;
  WithSettings::workers(1);
  for (uint32_t Threads : {32u, 64u, 256u, 1024u}) {
    constexpr uint32_t Rounds = 2000;
    TestKernel Kernel([&] {
      for (uint32_t I = 0; I < Rounds; ++I)
        barrier();
    });
    Kernel.run(1, Threads); // The stacks are touched for the first time.
    double Each = timeOf(Threads * Rounds, [&] { Kernel.run(1, Threads); });
    std::printf("%.1f ns per thread at a barrier of %u threads\n", Each,
                Threads);
    EXPECT_LT(Each, 500);
  }
}

TEST(Speed, AShuffleCostsTensOfNanoseconds) {
  WithSettings Settings;
  WithSettings::workers(1);
  constexpr uint32_t Rounds = 2000;
  TestKernel Kernel([&] {
    for (uint32_t I = 0; I < Rounds; ++I)
      cudal1_nvvm_shfl_sync_bfly_i32(~0u, I, 1, 31);
  });
  Kernel.run(1, 256);
  double Each = timeOf(256 * Rounds, [&] { Kernel.run(1, 256); });
  std::printf("%.1f ns per lane of a shuffle\n", Each);
  EXPECT_LT(Each, 500);
}

TEST(Speed, AFiberCostsLittleMoreThanItsWork) {
  WithSettings Settings;
  WithSettings::workers(1);
  TestKernel Kernel([] {});
  Kernel.run(1, 256);
  double Each = timeOf(500 * 256, [&] { Kernel.run(500, 256); });
  std::printf("%.1f ns per thread that is a fiber and does nothing\n", Each);
  EXPECT_LT(Each, 1000);
}

TEST(Speed, AnAccessIsCheckedInNanoseconds) {
  WithSettings Settings;
  constexpr uint32_t Words = 1 << 14, Rounds = 100;
  auto *A =
      static_cast<uint32_t *>(memory::allocate(Words * 4, MemoryKind::Device));
  memory::markInitialized(A, Words * 4);
  TestKernel Kernel(
      [=] {
        for (uint32_t Round = 0; Round < Rounds; ++Round)
          for (uint32_t I = 0; I < Words; ++I)
            cudal1_emu_check_load(A + I, 4, &Here);
      },
      0);
  double Each = timeOf(Words * Rounds, [&] { Kernel.run(1, 1); });
  std::printf("%.1f ns per load that is checked by a call\n", Each);
  EXPECT_LT(Each, 100);
  settings().Races = true;
  std::memset(A, 0, Words * 4);
  TestKernel Racing([=] {
    for (uint32_t Round = 0; Round < Rounds / 4; ++Round)
      for (uint32_t I = 0; I < Words; I += 8)
        cudal1_emu_race_load(A + I, 4, &Here);
  });
  Each = timeOf(Words / 8 * Rounds / 4 * 32, [&] { Racing.run(1, 32); });
  std::printf("%.1f ns per load that may race\n", Each);
  EXPECT_LT(Each, 1000);
}

} // namespace
