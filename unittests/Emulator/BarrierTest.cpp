//===- BarrierTest.cpp ----------------------------------------------------===//

#include "TestKernel.h"
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cudal1::emulator;

namespace {

constexpr SourceSite Here = {"a.cu", "f", 10, 3, 0, 0};
constexpr SourceSite There = {"a.cu", "f", 20, 3, 0, 0};

const char *const Orders[] = {"forward", "reverse", "random:3", "ahead:2"};

TEST(Barrier, OrdersWhatIsBeforeAndAfter) {
  WithSettings Settings;
  for (const char *Order : Orders) {
    WithSettings::order(Order);
    uint32_t Offset = 0;
    std::atomic<int> Wrong{0};
    TestKernel Kernel([&] {
      int *Tile = shared<int>(Offset);
      uint32_t N = self().BlockDim[0];
      for (int Round = 0; Round < 10; ++Round) {
        Tile[threadX()] = static_cast<int>(threadX()) + Round;
        barrier();
        Wrong += Tile[N - 1 - threadX()] !=
                 static_cast<int>(N - 1 - threadX()) + Round;
        barrier();
      }
    });
    Offset = Kernel.addShared("tile", 4096);
    for (uint32_t Threads : {1u, 33u, 100u, 1024u})
      EXPECT_EQ(Kernel.run(5, Threads), LaunchResult::Done);
    EXPECT_EQ(Wrong, 0) << Order;
  }
}

TEST(Barrier, DoesNotWaitForThreadsThatHaveExited) {
  WithSettings Settings;
  std::atomic<int> Passed{0};
  std::string Findings = findingsOf([&] {
    for (const char *Order : Orders) {
      WithSettings::order(Order);
      TestKernel Kernel([&] {
        at(Here);
        if (threadX() >= 40)
          return;
        barrier();
        ++Passed;
      });
      EXPECT_EQ(Kernel.run(3, 64), LaunchResult::Done);
    }
  });
  EXPECT_EQ(Passed, 4 * 3 * 40);
  EXPECT_EQ(Findings, "");
}

TEST(Barrier, ReducesPredicates) {
  std::atomic<int> Wrong{0};
  TestKernel Kernel([&] {
    uint32_t X = threadX();
    Wrong += cudal1_nvvm_barrier_cta_red_popc_aligned_all(0, X % 3 == 0) != 34;
    Wrong += cudal1_nvvm_barrier_cta_red_and_aligned_all(0, X < 100) != 1;
    Wrong += cudal1_nvvm_barrier_cta_red_and_aligned_all(0, X < 99) != 0;
    Wrong += cudal1_nvvm_barrier_cta_red_or_aligned_all(0, X == 50) != 1;
    Wrong += cudal1_nvvm_barrier_cta_red_or_aligned_all(0, X == 500) != 0;
  });
  EXPECT_EQ(Kernel.run(3, 100), LaunchResult::Done);
  EXPECT_EQ(Wrong, 0);
}

TEST(Barrier, NamedBarriersJoinSomeOfTheWarps) {
  WithSettings Settings;
  for (const char *Order : Orders) {
    WithSettings::order(Order);
    uint32_t Offset = 0;
    std::atomic<int> Wrong{0};
    TestKernel Kernel([&] {
      int *Tile = shared<int>(Offset);
      uint32_t Warp = self().Warp;
      if (Warp == 0) { // produces for warp 1, and goes on
        Tile[self().Lane] = 5;
        cudal1_nvvm_barrier_cta_arrive_aligned_count(1, 64);
      } else if (Warp == 1) {
        cudal1_nvvm_barrier_cta_sync_aligned_count(1, 64);
        Wrong += Tile[31 - self().Lane] != 5;
      } else { // 40 threads: hardware counts two whole warps
        cudal1_nvvm_barrier_cta_sync_aligned_count(2, 64);
      }
      barrier();
    });
    Offset = Kernel.addShared("tile", 128);
    EXPECT_EQ(Kernel.run(3, 104), LaunchResult::Done) << Order;
    EXPECT_EQ(Wrong, 0) << Order;
  }
}

TEST(Barrier, ReportsThreadsThatMeetAtDifferentPlaces) {
  WithSettings Settings;
  TestKernel Kernel([&] {
    at(threadX() < 10 ? Here : There);
    barrier();
  });
  std::string Findings =
      findingsOf([&] { EXPECT_EQ(Kernel.run(1, 64), LaunchResult::Done); });
  EXPECT_THAT(Findings, testing::HasSubstr("\"kind\": \"divergent-barrier\""));
  EXPECT_THAT(Findings, testing::HasSubstr("\"line\": 20"));
  EXPECT_THAT(Findings, testing::HasSubstr("others at a.cu:10"));
}

TEST(Barrier, ReportsADeadlockWithThePlacesWhereThreadsWait) {
  WithSettings Settings;
  TestKernel Kernel([&] {
    if (threadX() < 10) {
      at(Here);
      cudal1_nvvm_barrier_cta_sync_aligned_all(1);
    } else {
      at(There);
      cudal1_nvvm_barrier_cta_sync_aligned_all(2);
    }
  });
  std::string Findings =
      findingsOf([&] { EXPECT_EQ(Kernel.run(1, 64), LaunchResult::Deadlock); });
  EXPECT_THAT(Findings, testing::HasSubstr("10 threads at barrier 1 at "
                                           "a.cu:10, 54 threads at barrier 2 "
                                           "at a.cu:20"));
}

} // namespace
