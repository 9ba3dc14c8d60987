//===- LaunchTest.cpp -----------------------------------------------------===//

#include "DeviceMemory.h"
#include "TestKernel.h"
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cudal1::emulator;

namespace {

TEST(Launch, RunsEveryThreadOfEveryBlockOnce) {
  for (uint32_t Flags : {0u, uint32_t(KernelWaits)}) {
    std::vector<std::atomic<int>> Seen(3 * 2 * 2 * 10 * 5 * 2);
    TestKernel Kernel(
        [&] {
          const ThreadState &S = self();
          uint32_t Block =
              (S.BlockIdx[2] * 2 + S.BlockIdx[1]) * 3 + S.BlockIdx[0];
          uint32_t Thread =
              (S.ThreadIdx[2] * 5 + S.ThreadIdx[1]) * 10 + S.ThreadIdx[0];
          EXPECT_EQ(S.Lane, Thread % 32);
          EXPECT_EQ(S.Warp, Thread / 32);
          EXPECT_EQ(S.BlockDim[1], 5u);
          EXPECT_EQ(S.GridDim[0], 3u);
          ++Seen[Block * 100 + Thread];
        },
        Flags);
    EXPECT_EQ(Kernel.run({{3, 2, 2}, {10, 5, 2}, 0}), LaunchResult::Done);
    for (auto &Count : Seen)
      EXPECT_EQ(Count, 1);
  }
}

TEST(Launch, EveryOrderRunsEveryThreadOnce) {
  WithSettings Settings;
  for (const char *Order : {"forward", "reverse", "random:7", "ahead:1"})
    for (uint32_t Flags : {0u, uint32_t(KernelWaits)}) {
      WithSettings::order(Order);
      std::vector<std::atomic<int>> Seen(37 * 70);
      TestKernel Kernel(
          [&] {
            ++Seen[blockX() * 70 + threadX()];
            if (self().Site)
              barrier();
          },
          Flags);
      Kernel.run(37, 70);
      for (auto &Count : Seen)
        EXPECT_EQ(Count, 1) << Order;
    }
}

std::vector<uint32_t> orderOfThreads(const char *Order) {
  WithSettings Settings;
  WithSettings::order(Order);
  WithSettings::workers(1);
  std::vector<uint32_t> Result;
  TestKernel Kernel([&] {
    Result.push_back(blockX() * 1000 + threadX());
    barrier();
    Result.push_back(blockX() * 1000 + threadX());
  });
  Kernel.run(2, 64);
  return Result;
}

TEST(Launch, OneWorkerIsDeterministic) {
  for (const char *Order : {"forward", "reverse", "ahead:1"})
    EXPECT_EQ(orderOfThreads(Order), orderOfThreads(Order));
  EXPECT_EQ(orderOfThreads("forward").front(), 0u);
  EXPECT_EQ(orderOfThreads("reverse").front(), 1063u);
  EXPECT_EQ(orderOfThreads("ahead:1").front(), 32u);
  EXPECT_NE(orderOfThreads("random:1"), orderOfThreads("forward"));
}

TEST(Launch, SharedMemoryIsFreshInEachBlock) {
  TestKernel Kernel([] {}, 0);
  uint32_t Offset = 0;
  std::atomic<int> Stale{0};
  TestKernel Filling([&] {
    int *Tile = shared<int>(Offset);
    Stale += Tile[threadX()] != -1;
    barrier();
    Tile[threadX()] = 7;
  });
  Offset = Filling.addShared("tile", 128);
  EXPECT_EQ(Filling.run(20, 32), LaunchResult::Done);
  EXPECT_EQ(Stale, 0);
}

TEST(Launch, KernelMayUseADeepStack) {
  std::atomic<int> Sum{0};
  std::function<int(int)> Recurse = [&](int Depth) -> int {
    volatile char Frame[512];
    Frame[0] = static_cast<char>(Depth);
    return Depth ? Recurse(Depth - 1) + (Frame[0] != 0) : 0;
  };
  TestKernel Kernel([&] {
    barrier();
    Sum += Recurse(150);
  });
  EXPECT_EQ(Kernel.run(1, 64), LaunchResult::Done);
  EXPECT_GT(Sum, 0);
}

TEST(Launch, AFullStackEndsTheLaunchAndNotTheProgram) {
  WithSettings Settings;
  std::function<int(int)> Recurse = [&](int Depth) -> int {
    volatile char Frame[512];
    Frame[0] = static_cast<char>(Depth);
    return Depth ? Recurse(Depth - 1) + (Frame[0] != 0) : 0;
  };
  TestKernel Kernel([&] { Recurse(1 << 20); });
  std::string Findings = findingsOf(
      [&] { EXPECT_EQ(Kernel.run(1, 64), LaunchResult::IllegalAddress); });
  EXPECT_THAT(Findings, testing::HasSubstr("overflows its stack"));
}

TEST(Launch, AnUnmappedAddressEndsTheLaunchAndNotTheProgram) {
  WithSettings Settings;
  for (uint32_t Flags : {0u, uint32_t(KernelWaits)}) {
    volatile int *Nowhere = nullptr;
    TestKernel Kernel(
        [&] {
          if (threadX() == 3)
            *Nowhere = 1;
        },
        Flags);
    EXPECT_EQ(Kernel.run(100, 64), LaunchResult::IllegalAddress);
    TestKernel Fine([] {}, Flags);
    EXPECT_EQ(Fine.run(100, 64), LaunchResult::Done);
  }
}

TEST(Launch, TrapAndAssertEndTheLaunch) {
  TestKernel Trap([] { cudal1_device_trap(); });
  EXPECT_EQ(Trap.run(4, 32), LaunchResult::Trap);
  TestKernel Assert(
      [] { cudal1_device_assertfail("x > 0", "a.cu", 3, "f", 1); }, 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Assert.run(1, 1), LaunchResult::Assert);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "a.cu:3: f: block: [0,0,0], thread: [0,0,0] Assertion `x > 0` "
            "failed.\n");
}

TEST(Launch, ExitEndsOneThread) {
  std::atomic<int> Left{0};
  TestKernel Kernel([&] {
    if (threadX() % 2)
      cudal1_nvvm_exit();
    barrier();
    ++Left;
  });
  EXPECT_EQ(Kernel.run(1, 64), LaunchResult::Done);
  EXPECT_EQ(Left, 32);
}

} // namespace
