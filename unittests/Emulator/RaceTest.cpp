//===- RaceTest.cpp -------------------------------------------------------===//

#include "DeviceMemory.h"
#include "TestKernel.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cudal1::emulator;
using testing::HasSubstr;

namespace {

constexpr uint32_t All = 0xffffffff;

/// Sites of one access each. Findings are reported once for each place, so
/// every test has its own lines.
struct Sites {
  static uint32_t nextLine() {
    static uint32_t Line = 0;
    return Line += 10;
  }
  static const SourceSite *make(uint32_t Line, uint32_t Flags) {
    // In the program's image, as those that lib/Emulator emits.
    static SourceSite Pool[1000];
    static size_t Used = 0;
    Pool[Used] = {"race.cu", "kernel", Line, 5, Flags, 4};
    return &Pool[Used++];
  }
  uint32_t Line = nextLine();
  const SourceSite *Store = make(Line + 1, 0);
  const SourceSite *Load = make(Line + 2, 0);
  const SourceSite *Atomic = make(Line + 3, SiteAtomic);
  const SourceSite *VolatileStore = make(Line + 4, SiteVolatile);
  const SourceSite *VolatileLoad = make(Line + 5, SiteVolatile);

  void store(uint32_t *To, uint32_t Value) const {
    cudal1_emu_race_store(To, 4, Value, Store);
    *To = Value;
  }
  uint32_t load(const uint32_t *From) const {
    cudal1_emu_race_load(From, 4, Load);
    return *From;
  }
  void add(uint32_t *To) const {
    cudal1_emu_race_atomic(To, 4, Atomic);
    ++*To;
  }
  void publish(uint32_t *To, uint32_t Value) const {
    cudal1_emu_race_store(To, 4, Value, VolatileStore);
    *static_cast<volatile uint32_t *>(To) = Value;
  }
  uint32_t poll(const uint32_t *From) const {
    cudal1_emu_race_load(From, 4, VolatileLoad);
    uint32_t Value = *static_cast<const volatile uint32_t *>(From);
    cudal1_emu_spin_hint();
    return Value;
  }
};

/// The races found when \p Body runs with a shared array `tile` of 64 words, in
/// all orders together.
std::string racesOf(std::function<void(uint32_t *Tile)> Body,
                    uint32_t Blocks = 2, uint32_t Threads = 64,
                    uint32_t Flags = KernelWaits) {
  WithSettings Settings;
  settings().Races = true;
  std::string Result;
  for (const char *Order : {"forward", "reverse", "random:5"}) {
    WithSettings::order(Order);
    uint32_t Offset = 0;
    TestKernel Kernel([&] { Body(shared<uint32_t>(Offset)); }, Flags);
    Offset = Kernel.addShared("tile", 256);
    Result += findingsOf(
        [&] { EXPECT_EQ(Kernel.run(Blocks, Threads), LaunchResult::Done); });
  }
  return Result;
}

TEST(Race, ABarrierOrdersAccesses) {
  Sites S;
  EXPECT_EQ(racesOf([=](uint32_t *Tile) {
              for (uint32_t Round = 0; Round < 3; ++Round) {
                S.store(&Tile[threadX()], threadX() + Round);
                barrier();
                S.load(&Tile[63 - threadX()]);
                barrier();
              }
            }),
            "");
}

TEST(Race, AMissingBarrierIsFoundWithBothPlaces) {
  Sites S;
  std::string Findings = racesOf([=](uint32_t *Tile) {
    S.store(&Tile[threadX()], threadX() + 1);
    S.load(&Tile[63 - threadX()]);
  });
  EXPECT_THAT(Findings, HasSubstr("read of 4 bytes"));
  EXPECT_THAT(Findings,
              HasSubstr("shared array 'tile' races with the write at race.cu:" +
                        std::to_string(S.Line + 1) + " by thread ("));
  EXPECT_THAT(Findings, HasSubstr("no barrier between them"));
}

TEST(Race, AMissingBarrierBeforeTheNextWriteIsFound) {
  Sites S;
  std::string Findings = racesOf([=](uint32_t *Tile) {
    for (uint32_t Round = 0; Round < 2; ++Round) {
      S.store(&Tile[threadX()], threadX() + Round + 1);
      barrier();
      S.load(&Tile[(threadX() + 32) % 64]);
    }
  });
  EXPECT_THAT(Findings, HasSubstr("write of 4 bytes to shared array 'tile' "
                                  "races with the read at"));
}

TEST(Race, ManyReadersAndALateWriterAreFound) {
  Sites S;
  std::string Findings = racesOf([=](uint32_t *Tile) {
    if (threadX() == 7)
      S.store(&Tile[0], 1);
    barrier();
    S.load(&Tile[0]);
    if (threadX() == 7)
      S.store(&Tile[0], 2);
  });
  EXPECT_THAT(Findings, HasSubstr("races with the read at"));
}

TEST(Race, AWriteAfterManyReadsOfAKernelWithoutBarriersIsFound) {
  auto *Data =
      static_cast<uint32_t *>(memory::allocate(256, MemoryKind::Device));
  std::memset(Data, 0, 256);
  // In each order of the threads another one writes: the first, the last and
  // one between them. All read several times before.
  for (uint32_t Writer : {0u, 17u, 63u}) {
    Sites S;
    std::string Findings = racesOf(
        [=](uint32_t *) {
          for (int I = 0; I < 3; ++I)
            S.load(&Data[5]);
          if (threadX() == Writer)
            S.store(&Data[5], Writer + 1);
        },
        1, 64, /*Flags=*/0);
    EXPECT_THAT(Findings, HasSubstr("races with the")) << Writer;
  }
  memory::release(Data);
}

TEST(Race, AReadAfterAWriteThatFollowedManyReadsIsFound) {
  auto *Data =
      static_cast<uint32_t *>(memory::allocate(256, MemoryKind::Device));
  std::memset(Data, 0, 256);
  Sites S;
  // Reads of one launch are no excuse in the next.
  std::string Findings = racesOf([=](uint32_t *) { S.load(&Data[5]); }, 1, 64,
                                 /*Flags=*/0);
  EXPECT_EQ(Findings, "");
  Sites T;
  Findings = racesOf(
      [=](uint32_t *) {
        if (threadX() == 31)
          T.store(&Data[5], blockX() + threadX());
        else
          T.load(&Data[5]);
      },
      1, 64, /*Flags=*/0);
  EXPECT_THAT(Findings, HasSubstr("read of 4 bytes"));
  memory::release(Data);
}

TEST(Race, AThreadsOwnLoopOfReadsAndWritesIsNone) {
  auto *Data =
      static_cast<uint32_t *>(memory::allocate(512, MemoryKind::Device));
  std::memset(Data, 0, 512);
  Sites S;
  EXPECT_EQ(racesOf(
                [=](uint32_t *) {
                  uint32_t *Mine = &Data[blockX() * 64 + threadX()];
                  for (uint32_t I = 0; I < 4; ++I)
                    S.store(Mine, S.load(Mine) + 1);
                },
                2, 64, /*Flags=*/0),
            "");
  memory::release(Data);
}

TEST(Race, WarpOperationsOrderTheirLanesOnly) {
  Sites S;
  EXPECT_EQ(racesOf([=](uint32_t *Tile) {
              uint32_t *Mine = Tile + self().Warp * 32;
              S.store(&Mine[self().Lane], threadX() + 1);
              cudal1_nvvm_bar_warp_sync(All);
              S.load(&Mine[31 - self().Lane]);
              cudal1_nvvm_shfl_sync_bfly_i32(All, 0, 1, 31);
              S.store(&Mine[self().Lane], threadX() + 9);
            }),
            "");
  Sites Other;
  EXPECT_THAT(racesOf([=](uint32_t *Tile) {
                Other.store(&Tile[threadX()], threadX() + 1);
                cudal1_nvvm_bar_warp_sync(All);
                Other.load(&Tile[63 - threadX()]); // of the other warp
              }),
              HasSubstr("races"));
}

TEST(Race, NamedBarriersOrderThoseWhoCame) {
  Sites S;
  EXPECT_EQ(racesOf(
                [=](uint32_t *Tile) {
                  if (self().Warp == 0) {
                    S.store(&Tile[self().Lane], self().Lane + 1);
                    cudal1_nvvm_barrier_cta_arrive_count(1, 64);
                  } else if (self().Warp == 1) {
                    cudal1_nvvm_barrier_cta_sync_count(1, 64);
                    S.load(&Tile[31 - self().Lane]);
                  }
                },
                2, 96),
            "");
  Sites Other;
  EXPECT_THAT(racesOf(
                  [=](uint32_t *Tile) {
                    if (self().Warp == 0) {
                      Other.store(&Tile[self().Lane], self().Lane + 1);
                      cudal1_nvvm_barrier_cta_arrive_count(1, 64);
                    } else if (self().Warp == 1) {
                      cudal1_nvvm_barrier_cta_sync_count(1, 64);
                    } else {
                      Other.load(&Tile[31 - self().Lane]);
                    }
                  },
                  2, 96),
              HasSubstr("races"));
}

TEST(Race, AtomicsDoNotRaceWithEachOtherButWithPlainAccesses) {
  Sites S;
  EXPECT_EQ(racesOf([=](uint32_t *Tile) {
              if (threadX() < 4)
                S.store(&Tile[threadX()], 0);
              barrier();
              S.add(&Tile[threadX() % 4]);
              barrier();
              S.load(&Tile[threadX() % 4]);
            }),
            "");
  // No barrier between clearing and counting.
  Sites First;
  EXPECT_THAT(racesOf([=](uint32_t *Tile) {
                if (threadX() < 4)
                  First.store(&Tile[threadX()], 0);
                First.add(&Tile[threadX() % 4]);
              }),
              HasSubstr("atomic update"));
  // None between counting and reading.
  Sites Second;
  EXPECT_THAT(racesOf([=](uint32_t *Tile) {
                Second.add(&Tile[threadX() % 4]);
                Second.load(&Tile[threadX() % 4]);
              }),
              HasSubstr("atomic update"));
}

TEST(Race, WritersOfTheSameValueDoNotRace) {
  Sites S;
  EXPECT_EQ(racesOf([=](uint32_t *Tile) {
              S.store(&Tile[3], 77);
              S.load(&Tile[3]);
              barrier();
              S.load(&Tile[3]);
            }),
            "");
  Sites Other;
  EXPECT_THAT(
      racesOf([=](uint32_t *Tile) { Other.store(&Tile[3], threadX()); }),
      HasSubstr(
          "write of 4 bytes to shared array 'tile' races with the write"));
}

TEST(Race, BytesOfOneWordAreToldApart) {
  Sites S;
  EXPECT_EQ(racesOf([=](uint32_t *Tile) {
              auto *Bytes = reinterpret_cast<uint8_t *>(Tile);
              cudal1_emu_race_store(&Bytes[threadX()], 1, threadX() + 1,
                                    S.Store);
              Bytes[threadX()] = static_cast<uint8_t>(threadX() + 1);
              cudal1_emu_race_load(&Bytes[threadX()], 1, S.Load);
            }),
            "");
}

TEST(Race, BlocksRaceInGlobalMemory) {
  auto *Global =
      static_cast<uint32_t *>(memory::allocate(4096, MemoryKind::Device));
  Sites S;
  // Own elements: no race, and none with the launch before.
  EXPECT_EQ(racesOf([=](uint32_t *) {
              S.store(&Global[blockX() * 64 + threadX()], threadX() + 1);
              barrier();
              S.load(&Global[blockX() * 64 + 63 - threadX()]);
            }),
            "");
  Sites Other;
  std::string Findings = racesOf([=](uint32_t *) {
    Other.store(&Global[threadX()], blockX() * 64 + threadX());
  });
  EXPECT_THAT(Findings,
              HasSubstr("write of 4 bytes to a 4096-byte allocation"));
  EXPECT_THAT(Findings, HasSubstr("nothing orders them"));
}

TEST(Race, KernelsWithoutBarriersAreWatchedToo) {
  auto *Global =
      static_cast<uint32_t *>(memory::allocate(4096, MemoryKind::Device));
  Sites S;
  EXPECT_EQ(racesOf(
                [=](uint32_t *) {
                  S.store(&Global[blockX() * 64 + threadX()], threadX());
                  S.load(&Global[blockX() * 64 + threadX()]);
                },
                4, 64, 0),
            "");
  Sites Other;
  EXPECT_THAT(racesOf(
                  [=](uint32_t *) {
                    Other.store(&Global[threadX()], threadX());
                    Other.load(&Global[threadX() + 1]);
                  },
                  1, 64, 0),
              HasSubstr("races"));
}

TEST(Race, AFlagWithAFenceOrdersBlocks) {
  auto *Global =
      static_cast<uint32_t *>(memory::allocate(4096, MemoryKind::Device));
  for (bool Fence : {true, false}) {
    Sites S;
    uint32_t Epoch = 0;
    std::string Findings;
    WithSettings Settings;
    settings().Races = true;
    for (const char *Order : {"forward", "reverse"}) {
      WithSettings::order(Order);
      ++Epoch;
      TestKernel Kernel(
          [=] {
            if (blockX() == 0) {
              S.store(&Global[threadX()], Epoch * 100 + threadX());
              barrier();
              if (threadX() == 0) {
                if (Fence)
                  cudal1_nvvm_membar_gl();
                S.publish(&Global[100], Epoch);
              }
            } else {
              if (threadX() == 0)
                while (S.poll(&Global[100]) != Epoch)
                  ;
              barrier();
              S.load(&Global[63 - threadX()]);
            }
          },
          KernelWaits | KernelSpins);
      Findings +=
          findingsOf([&] { EXPECT_EQ(Kernel.run(2, 64), LaunchResult::Done); });
    }
    if (Fence)
      EXPECT_EQ(Findings, "");
    else
      EXPECT_THAT(Findings, HasSubstr("races"));
  }
}

TEST(Race, TheLastBlockMayReadWhatAllWrote) {
  auto *Global =
      static_cast<uint32_t *>(memory::allocate(4096, MemoryKind::Device));
  Global[1000] = 0;
  Sites S;
  EXPECT_EQ(racesOf(
                [=](uint32_t *Tile) {
                  S.store(&Global[blockX() * 64 + threadX()], threadX() + 1);
                  cudal1_nvvm_membar_gl();
                  barrier();
                  if (threadX() == 0) {
                    uint32_t Before = Global[1000] % 8;
                    S.add(&Global[1000]);
                    S.store(&Tile[0], Before);
                  }
                  barrier();
                  if (S.load(&Tile[0]) == 7)
                    for (uint32_t Block = 0; Block < 8; ++Block)
                      S.load(&Global[Block * 64 + threadX()]);
                },
                8, 64),
            "");
}

} // namespace
