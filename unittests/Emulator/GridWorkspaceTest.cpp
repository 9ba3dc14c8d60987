//===- GridWorkspaceTest.cpp ----------------------------------------------===//

#include "GridWorkspace.h"
#include "TestKernel.h"
#include <atomic>
#include <gtest/gtest.h>

using namespace cudal1::emulator;

namespace {

GridWorkspace *workspace() {
  uint64_t Address = uint64_t(cudal1_nvvm_read_ptx_sreg_envreg1()) << 32 |
                     cudal1_nvvm_read_ptx_sreg_envreg2();
  return reinterpret_cast<GridWorkspace *>(Address);
}

/// The grid barrier of cooperative groups: the top bit flips when all came.
void synchronizeGrid() {
  const ThreadState &Self = *cudal1_emu_thread;
  cudal1_nvvm_barrier_cta_sync_all(0);
  if (Self.ThreadIdx[0] == 0) {
    uint32_t Blocks = Self.GridDim[0];
    uint32_t Step = Self.BlockIdx[0] ? 1 : 0x80000000u - (Blocks - 1);
    std::atomic_ref<uint32_t> Barrier(workspace()->Barrier);
    uint32_t Old = Barrier.fetch_add(Step);
    while (!((Old ^ Barrier.load()) & 0x80000000u))
      cudal1_nvvm_nanosleep(0);
  }
  cudal1_nvvm_barrier_cta_sync_all(0);
}

TEST(GridWorkspace, BlocksOfACooperativeGridMeet) {
  constexpr uint32_t Blocks = 5, Threads = 64;
  std::atomic<uint32_t> Arrived{0}, Missing{0};
  TestKernel Kernel(
      [&] {
        for (uint32_t Round = 1; Round <= 3; ++Round) {
          ++Arrived;
          synchronizeGrid();
          if (Arrived < Round * Blocks * Threads)
            ++Missing;
          synchronizeGrid();
        }
      },
      KernelWaits | KernelSpins);
  LaunchShape Shape = {{Blocks, 1, 1}, {Threads, 1, 1}, 0, true};
  EXPECT_EQ(Kernel.run(Shape), LaunchResult::Done);
  EXPECT_EQ(Arrived, 3 * Blocks * Threads);
  EXPECT_EQ(Missing, 0u);
}

TEST(GridWorkspace, OtherGridsHaveNone) {
  std::atomic<uint32_t> Found{0};
  TestKernel Kernel([&] { Found += workspace() != nullptr; });
  EXPECT_EQ(Kernel.run(2, 32), LaunchResult::Done);
  EXPECT_EQ(Found, 0u);
}

TEST(ReservedShared, IsZeroWhenABlockBegins) {
  std::atomic<uint32_t> Wrong{0};
  TestKernel Kernel(
      [&] {
        const ThreadState &Self = *cudal1_emu_thread;
        auto &Word = *reinterpret_cast<uint32_t *>(
            Self.Shared + cudal1_nvvm_read_ptx_sreg_reserved_smem_offset_1());
        cudal1_emu_check_load(&Word, sizeof Word, nullptr);
        Wrong += Word != 0;
        cudal1_nvvm_barrier_cta_sync_all(0);
        ++Word;
        cudal1_nvvm_barrier_cta_sync_all(0);
        Wrong += Word != Self.BlockDim[0];
      },
      KernelWaits | KernelSpins);
  EXPECT_EQ(Kernel.run(6, 40), LaunchResult::Done);
  EXPECT_EQ(Wrong, 0u);
}

} // namespace
