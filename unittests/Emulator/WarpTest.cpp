//===- WarpTest.cpp -------------------------------------------------------===//

#include "TestKernel.h"
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cudal1::emulator;
using testing::HasSubstr;

namespace {

constexpr SourceSite Here = {"warp.cu", "f", 10, 3, 0, 0};
constexpr SourceSite There = {"warp.cu", "f", 20, 3, 0, 0};
constexpr uint32_t All = 0xffffffff;

const char *const Orders[] = {"forward", "reverse", "random:3", "ahead:1"};

/// Runs \p Body in every order and expects it to call nothing wrong.
void everyOrder(uint32_t Threads, std::function<int()> CountWrong) {
  WithSettings Settings;
  for (const char *Order : Orders) {
    WithSettings::order(Order);
    std::atomic<int> Wrong{0};
    TestKernel Kernel([&] { Wrong += CountWrong(); });
    EXPECT_EQ(Kernel.run(3, Threads), LaunchResult::Done) << Order;
    EXPECT_EQ(Wrong, 0) << Order;
  }
}

uint32_t lane() { return self().Lane; }

TEST(Shuffle, MovesValuesWithinSegments) {
  everyOrder(96, [] {
    uint32_t L = lane(), V = L * 10;
    int Wrong = 0;
    // As __shfl_down_sync(All, V, 3) etc. pass the control operand.
    Wrong += cudal1_nvvm_shfl_sync_down_i32(All, V, 3, 31) !=
             (L + 3 < 32 ? L + 3 : L) * 10;
    Wrong +=
        cudal1_nvvm_shfl_sync_up_i32(All, V, 3, 0) != (L >= 3 ? L - 3 : L) * 10;
    Wrong += cudal1_nvvm_shfl_sync_bfly_i32(All, V, 5, 31) != (L ^ 5) * 10;
    Wrong += cudal1_nvvm_shfl_sync_idx_i32(All, V, 35, 31) != 30;
    // Width 8.
    uint32_t Segment = (32 - 8) << 8;
    Wrong += cudal1_nvvm_shfl_sync_down_i32(All, V, 2, Segment | 31) !=
             (L % 8 + 2 < 8 ? L + 2 : L) * 10;
    Wrong += cudal1_nvvm_shfl_sync_idx_i32(All, V, 9, Segment | 31) !=
             (L / 8 * 8 + 1) * 10;
    Wrong += cudal1_nvvm_shfl_sync_up_i32(All, V, 1, Segment) !=
             (L % 8 ? L - 1 : L) * 10;
    uint8_t Predicate = 2;
    cudal1_nvvm_shfl_sync_down_i32p(All, V, 16, 31, &Predicate);
    Wrong += Predicate != (L < 16);
    Wrong +=
        cudal1_nvvm_shfl_sync_bfly_f32(All, float(L), 1, 31) != float(L ^ 1);
    return Wrong;
  });
}

TEST(Vote, CountsLanesOfTheMask) {
  everyOrder(64, [] {
    uint32_t L = lane();
    int Wrong = 0;
    Wrong += cudal1_nvvm_vote_ballot_sync(All, L % 4 == 0) != 0x11111111;
    Wrong += cudal1_nvvm_vote_all_sync(All, L < 32) != 1;
    Wrong += cudal1_nvvm_vote_all_sync(All, L < 31) != 0;
    Wrong += cudal1_nvvm_vote_any_sync(All, L == 7) != 1;
    Wrong += cudal1_nvvm_vote_any_sync(All, 0) != 0;
    Wrong += cudal1_nvvm_vote_uni_sync(All, 0) != 1;
    Wrong += cudal1_nvvm_vote_uni_sync(All, L == 3) != 0;
    // Two halves of the warp, each for itself.
    uint32_t Mine = L < 16 ? 0x0000ffff : 0xffff0000;
    Wrong += cudal1_nvvm_vote_ballot_sync(Mine, 1) != Mine;
    return Wrong;
  });
}

TEST(Vote, LanesThatDoNotExistOrHaveExitedDoNotTakePart) {
  everyOrder(40, [] {
    uint32_t Alive = self().Warp == 0 ? All : 0xff;
    int Wrong = cudal1_nvvm_vote_ballot_sync(All, 1) != Alive;
    if (lane() == 0)
      return Wrong; // exits
    Wrong += cudal1_nvvm_vote_ballot_sync(All, 1) != (Alive & ~1u);
    return Wrong;
  });
}

TEST(Match, FindsEqualValues) {
  everyOrder(32, [] {
    uint32_t L = lane();
    int Wrong = 0;
    Wrong += cudal1_nvvm_match_any_sync_i32(All, L % 2) !=
             (L % 2 ? 0xaaaaaaaa : 0x55555555);
    uint64_t Wide = uint64_t(L < 16) << 40;
    Wrong += cudal1_nvvm_match_any_sync_i64(All, Wide) !=
             (L < 16 ? 0xffffu : 0xffff0000u);
    uint8_t Predicate = 2;
    Wrong += cudal1_nvvm_match_all_sync_i32p(All, 5, &Predicate) != All;
    Wrong += Predicate != 1;
    Wrong += cudal1_nvvm_match_all_sync_i64p(All, L, &Predicate) != 0;
    Wrong += Predicate != 0;
    return Wrong;
  });
}

TEST(Redux, CombinesAllLanes) {
  everyOrder(32, [] {
    uint32_t L = lane();
    int Wrong = 0;
    Wrong += cudal1_nvvm_redux_sync_add(L, All) != 31 * 16;
    Wrong += cudal1_nvvm_redux_sync_min(L - 5, All) != uint32_t(-5);
    Wrong += cudal1_nvvm_redux_sync_umin(L - 5, All) != 0;
    uint32_t Half = L < 16 ? 0xffff : 0xffff0000;
    Wrong += cudal1_nvvm_redux_sync_umax(L, Half) != (L < 16 ? 15 : 31);
    Wrong += cudal1_nvvm_redux_sync_or(1u << L, All) != All;
    Wrong += cudal1_nvvm_redux_sync_xor(1, All) != 0;
    Wrong += cudal1_nvvm_redux_sync_fmax_abs(-float(L), All) != 31.0f;
    uint8_t Elected = 2;
    Wrong += cudal1_nvvm_elect_sync(All, &Elected) != 0;
    Wrong += Elected != (L == 0);
    return Wrong;
  });
}

TEST(Warp, LanesMayBeAtDifferentPlacesOfTheCode) {
  everyOrder(32, [] {
    uint32_t L = lane();
    uint32_t Got = 0;
    if (L < 16) {
      at(Here);
      Got = cudal1_nvvm_shfl_sync_bfly_i32(All, L, 16, 31);
    } else {
      at(There);
      Got = cudal1_nvvm_shfl_sync_bfly_i32(All, L, 16, 31);
    }
    return int(Got != (L ^ 16));
  });
}

TEST(Warp, ActiveMaskIsTheLanesAtThisPlace) {
  everyOrder(64, [] {
    int Wrong = 0;
    if (lane() % 2) {
      at(Here);
      Wrong += cudal1_nvvm_activemask() != 0xaaaaaaaa;
    } else {
      at(There);
      Wrong += cudal1_nvvm_activemask() != 0x55555555;
    }
    cudal1_nvvm_bar_warp_sync(All);
    at(Here);
    Wrong += cudal1_nvvm_activemask() != All;
    return Wrong;
  });
}

TEST(Warp, ALaneOutsideOfItsOwnMaskIsReported) {
  WithSettings Settings;
  TestKernel Kernel([] {
    at(Here);
    cudal1_nvvm_vote_ballot_sync(0xffff, 1);
  });
  std::string Findings =
      findingsOf([&] { EXPECT_EQ(Kernel.run(1, 32), LaunchResult::Done); });
  EXPECT_THAT(Findings, HasSubstr("is not in the mask 0x0000ffff"));
}

TEST(Warp, LanesThatNameDifferentMasksDeadlock) {
  WithSettings Settings;
  TestKernel Kernel([] {
    at(lane() < 16 ? Here : There);
    cudal1_nvvm_bar_warp_sync(lane() < 16 ? All : 0xffff0001);
  });
  std::string Findings =
      findingsOf([&] { EXPECT_EQ(Kernel.run(1, 32), LaunchResult::Deadlock); });
  EXPECT_THAT(Findings, HasSubstr("16 threads in an operation of its warp with "
                                  "the lanes 0xffffffff at warp.cu:10"));
}

// Waiting for what others write.

TEST(Spinning, ALaneWaitsForAnotherOfItsWarp) {
  WithSettings Settings;
  for (const char *Order : Orders) {
    WithSettings::order(Order);
    uint32_t Offset = 0;
    TestKernel Kernel(
        [&] {
          volatile uint32_t *Turn = shared<uint32_t>(Offset);
          if (threadX() == 0)
            *Turn = 0;
          barrier();
          // Each thread waits for the one before it.
          while (*Turn != threadX())
            cudal1_emu_spin_hint();
          *Turn = threadX() + 1;
        },
        KernelWaits | KernelSpins);
    Offset = Kernel.addShared("turn", 4);
    EXPECT_EQ(Kernel.run(2, 128), LaunchResult::Done) << Order;
  }
}

TEST(Spinning, BlocksMayWaitForOthersInAnyOrder) {
  for (unsigned Workers : {1u, 2u, 4u})
    for (const char *Order : Orders) {
      WithSettings Settings;
      WithSettings::order(Order);
      WithSettings::workers(Workers);
      constexpr uint32_t Blocks = 300;
      // A chained scan: each block waits for the sum of the one before.
      std::vector<std::atomic<uint32_t>> Sums(Blocks);
      TestKernel Kernel(
          [&] {
            if (threadX() == 0) {
              uint32_t Before = 0;
              if (blockX() > 0)
                while (!(Before = Sums[blockX() - 1].load()))
                  cudal1_emu_spin_hint();
              Sums[blockX()] = Before + 1;
            }
            barrier();
          },
          KernelWaits | KernelSpins);
      EXPECT_EQ(Kernel.run(Blocks, 32), LaunchResult::Done) << Order;
      EXPECT_EQ(Sums[Blocks - 1], Blocks);
    }
}

TEST(Spinning, AWholeWarpMaySpinWithVotes) {
  WithSettings Settings;
  WithSettings::workers(1);
  std::atomic<uint32_t> Ready{0};
  TestKernel Kernel(
      [&] {
        if (blockX() == 0)
          while (cudal1_nvvm_vote_any_sync(All, Ready.load() == 0))
            cudal1_emu_spin_hint();
        else
          Ready = 1;
      },
      KernelWaits | KernelSpins);
  EXPECT_EQ(Kernel.run(2, 64), LaunchResult::Done);
}

TEST(Spinning, AGridBarrierJoinsAllBlocks) {
  for (unsigned Workers : {1u, 3u}) {
    WithSettings Settings;
    WithSettings::workers(Workers);
    constexpr uint32_t Blocks = 40, Rounds = 5;
    std::atomic<uint32_t> Arrived{0};
    std::vector<uint32_t> Values(Blocks);
    std::atomic<int> Wrong{0};
    TestKernel Kernel(
        [&] {
          for (uint32_t Round = 1; Round <= Rounds; ++Round) {
            if (threadX() == 0)
              Values[blockX()] = Round;
            barrier();
            if (threadX() == 0) {
              ++Arrived;
              while (Arrived.load() < Round * Blocks)
                cudal1_emu_spin_hint();
            }
            barrier();
            Wrong += Values[(blockX() + 1) % Blocks] < Round;
          }
        },
        KernelWaits | KernelSpins);
    LaunchShape Shape = {{Blocks, 1, 1}, {64, 1, 1}, 0, true};
    EXPECT_EQ(Kernel.run(Shape), LaunchResult::Done);
    EXPECT_EQ(Wrong, 0);
  }
}

/// As cooperative_groups' grid.sync finds its counter.
uint32_t *gridBarrier() {
  uint64_t Address = uint64_t(cudal1_nvvm_read_ptx_sreg_envreg1()) << 32 |
                     cudal1_nvvm_read_ptx_sreg_envreg2();
  return Address ? reinterpret_cast<uint32_t *>(Address) + 1 : nullptr;
}

TEST(Spinning, AFullGpuOfCooperativeBlocksIsResident) {
  WithSettings Settings;
  WithSettings::workers(2);
  constexpr uint32_t Blocks = 132 * 4;
  std::atomic<int> Wrong{0};
  TestKernel Kernel(
      [&] {
        barrier();
        if (threadX() == 0) {
          auto *Arrived =
              reinterpret_cast<std::atomic<uint32_t> *>(gridBarrier());
          ++*Arrived;
          while (Arrived->load() < Blocks)
            cudal1_emu_spin_hint();
        }
        barrier();
        Wrong += *gridBarrier() != Blocks;
      },
      KernelWaits | KernelSpins);
  LaunchShape Shape = {{Blocks, 1, 1}, {256, 1, 1}, 0, true};
  EXPECT_EQ(Kernel.run(Shape), LaunchResult::Done);
  EXPECT_EQ(Wrong, 0);
  TestKernel Other([&] { Wrong += gridBarrier() != nullptr; });
  Other.run(1, 32);
  EXPECT_EQ(Wrong, 0);
}

TEST(Spinning, LoopsWithAtomicUpdatesAreNotTakenForWaiting) {
  WithSettings Settings;
  WithSettings::workers(1);
  settings().PatienceSeconds = 1;
  std::atomic<uint32_t> Sum{0}, Resident{0}, Most{0};
  TestKernel Kernel(
      [&] {
        if (threadX() == 0)
          Most = std::max(Most.load(), ++Resident);
        for (uint32_t I = 0; I < 20000; ++I) {
          Sum += I & 1;
          cudal1_emu_spin_hint();
        }
        if (threadX() == 0)
          --Resident;
      },
      KernelSpins);
  EXPECT_EQ(Kernel.run(300, 32), LaunchResult::Done);
  EXPECT_EQ(Sum, 300 * 32 * 10000u);
  EXPECT_LT(Most, 60u);
}

TEST(Spinning, InVainIsADeadlock) {
  WithSettings Settings;
  settings().PatienceSeconds = 0.2;
  std::atomic<uint32_t> Never{0};
  static const SourceSite Loop = {"spin.cu", "f", 7, 1, 0, 0};
  TestKernel Kernel(
      [&] {
        at(Loop);
        while (!Never.load())
          cudal1_emu_spin_hint();
      },
      KernelSpins);
  std::string Findings =
      findingsOf([&] { EXPECT_EQ(Kernel.run(4, 32), LaunchResult::Deadlock); });
  EXPECT_THAT(Findings, HasSubstr("32 threads in a loop that waits for a value "
                                  "at spin.cu:7"));
}

TEST(Lockstep, OldWarpReductionsWithoutSyncGiveTheSum) {
  WithSettings Settings;
  for (const char *Order : Orders) {
    WithSettings::order(Order);
    uint32_t Offset = 0;
    std::atomic<int> Wrong{0};
    TestKernel Kernel([&] {
      volatile int *Values = shared<int>(Offset);
      uint32_t X = threadX();
      Values[X] = 1;
      barrier();
      if (X >= 32)
        return;
      for (uint32_t Distance : {32u, 16u, 8u, 4u, 2u, 1u}) {
        cudal1_emu_volatile_access();
        int Mine = Values[X];
        cudal1_emu_volatile_access();
        int Other = Values[X + Distance];
        cudal1_emu_volatile_access();
        Values[X] = Mine + Other;
      }
      if (X == 0)
        Wrong += Values[0] != 64;
    });
    Offset = Kernel.addShared("values", 64 * 4);
    EXPECT_EQ(Kernel.run(3, 64), LaunchResult::Done) << Order;
    EXPECT_EQ(Wrong, 0) << Order;
  }
}

} // namespace
