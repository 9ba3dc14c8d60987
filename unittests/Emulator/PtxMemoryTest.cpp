//===- PtxMemoryTest.cpp - Loads, stores and atomics of inline PTX --------===//

#include "PtxJit.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace cudal1::test;

namespace {

alignas(64) char SharedMemory[256];

struct SharedThread {
  SharedThread() {
    std::memset(SharedMemory, 0, sizeof(SharedMemory));
    Thread.Shared = SharedMemory;
  }
};

/// What a program that keeps shared addresses in 32 bits has.
uint32_t window(unsigned Offset) {
  return uint32_t(reinterpret_cast<uintptr_t>(SharedMemory + Offset));
}

template <typename T> T &shared(unsigned Offset) {
  return *reinterpret_cast<T *>(SharedMemory + Offset);
}

} // namespace

TEST(PtxMemory, LoadsExtendToTheirRegister) {
  int8_t Byte = -2;
  PtxFunction<uint32_t, int8_t *> Signed("ld.global.s8 $0, [$1];", "=r,l");
  EXPECT_EQ(Signed(&Byte), 0xfffffffeu);
  PtxFunction<uint32_t, int8_t *> Unsigned("ld.u8 $0, [$1];", "=r,l");
  EXPECT_EQ(Unsigned(&Byte), 0xfeu);
  PtxFunction<uint16_t, int8_t *> Cub(
      "{ .reg .u8 datum; ld.relaxed.gpu.u8 datum, [$1]; cvt.u16.u8 $0, datum;}",
      "=h,l,~{memory}");
  EXPECT_EQ(Cub(&Byte), 0xfeu);
}

TEST(PtxMemory, VectorsKeepTheirOrder) {
  alignas(16) uint32_t From[] = {1, 2, 3, 4}, To[4];
  PtxFunction<void, uint32_t *, uint32_t *> Copy(
      "{.reg .u32 r<4>; ld.global.nc.L1::no_allocate.L2::128B.v4.u32 "
      "{r0,r1,r2,r3}, [$1]; st.global.cs.v4.u32 [$0], {r3,r2,r1,r0};}",
      "l,l,~{memory}");
  Copy(To, From);
  EXPECT_EQ(To[0], 4u);
  EXPECT_EQ(To[3], 1u);
  PtxFunction<void, uint32_t *, uint32_t *> Strong(
      "{.reg .b32 r<4>; ld.acquire.global.sys.v4.b32 {r0,r1,r2,r3}, [$1];"
      "st.release.global.sys.v4.b32 [$0], {r0,r1,r2,r3};}",
      "l,l,~{memory}");
  Strong(To, From);
  EXPECT_EQ(0, std::memcmp(To, From, sizeof(To)));
}

TEST(PtxMemory, OffsetsMayBeNegativeOrOperands) {
  uint64_t Values[] = {10, 20, 30};
  PtxFunction<uint64_t, uint64_t *> F("ld.u64 $0, [$1+-8];", "=l,l");
  EXPECT_EQ(F(Values + 1), 10u);
  PtxFunction<uint64_t, uint64_t *> G("ld.u64 $0, [$1 + 8];", "=l,l");
  EXPECT_EQ(G(Values + 1), 30u);
}

TEST(PtxMemory, SharedAddressesMayLoseTheirUpperHalf) {
  SharedThread Use;
  PtxFunction<uint32_t, char *> Window(
      "{.reg .u64 a; cvta.to.shared.u64 a, $1; cvt.u32.u64 $0, a;}", "=r,l");
  EXPECT_EQ(Window(SharedMemory + 40), window(40));
  PtxFunction<char *, uint64_t> Generic("cvta.shared.u64 $0, $1;", "=l,l");
  EXPECT_EQ(Generic(window(24)), SharedMemory + 24);
  PtxFunction<void, uint32_t, uint32_t> Store("st.shared.u32 [$0+-4], $1;",
                                              "r,r,~{memory}");
  Store(window(16), 77);
  EXPECT_EQ(shared<uint32_t>(12), 77u);
  PtxFunction<uint32_t, char *> Load(
      "{.reg .u64 a; cvta.to.shared.u64 a, $1; ld.shared::cta.u32 $0, [a];}",
      "=r,l");
  EXPECT_EQ(Load(SharedMemory + 12), 77u);
}

TEST(PtxMemory, AtomicsGiveTheOldValue) {
  uint32_t Word = 5;
  PtxFunction<uint32_t, uint32_t *, uint32_t> Add(
      "atom.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}");
  EXPECT_EQ(Add(&Word, 3), 5u);
  EXPECT_EQ(Word, 8u);
  PtxFunction<uint32_t, uint32_t *, uint32_t> Increment(
      "atom.relaxed.gpu.inc.u32 $0, [$1], $2;", "=r,l,r,~{memory}");
  EXPECT_EQ(Increment(&Word, 8), 8u);
  EXPECT_EQ(Word, 0u);
  PtxFunction<uint32_t, uint32_t *, uint32_t, uint32_t> Swap(
      "atom.acq_rel.sys.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r,~{memory}");
  EXPECT_EQ(Swap(&Word, 1, 2), 0u);
  EXPECT_EQ(Word, 0u);
  EXPECT_EQ(Swap(&Word, 0, 2), 0u);
  EXPECT_EQ(Word, 2u);
  float Number = 1.5f;
  PtxFunction<void, float *, float> Reduce("red.global.add.f32 [$0], $1;",
                                           "l,f,~{memory}");
  Reduce(&Number, 2.0f);
  EXPECT_EQ(Number, 3.5f);
  int64_t Signed = -4;
  PtxFunction<int64_t, int64_t *, int64_t> Maximum("atom.max.s64 $0, [$1], $2;",
                                                   "=l,l,l,~{memory}");
  EXPECT_EQ(Maximum(&Signed, 3), -4);
  EXPECT_EQ(Signed, 3);
}

TEST(PtxMemory, AtomicsOnHalves) {
  uint32_t Pair = 0x3c004000; // {2, 1}
  PtxFunction<uint32_t, uint32_t *, uint32_t> Add(
      "{ atom.add.noftz.f16x2 $0,[$1],$2; }", "=r,l,r,~{memory}");
  EXPECT_EQ(Add(&Pair, 0x3c003c00), 0x3c004000u);
  EXPECT_EQ(Pair, 0x40004200u);
  uint16_t Number = 0x3f80;
  PtxFunction<uint16_t, uint16_t *, uint16_t> AddBfloat(
      "{ atom.add.noftz.bf16 $0,[$1],$2; }", "=h,l,h,~{memory}");
  EXPECT_EQ(AddBfloat(&Number, 0x3f80), 0x3f80u);
  EXPECT_EQ(Number, 0x4000u);
}

TEST(PtxMemory, VectorAtomics) {
  alignas(8) float Numbers[] = {1, 2};
  PtxFunction<float, float *, float> Add(
      "{.reg .f32 d; atom.add.v2.f32 {$0, d}, [$1], {$2, $2};}",
      "=f,l,f,~{memory}");
  EXPECT_EQ(Add(Numbers, 10), 1);
  EXPECT_EQ(Numbers[0], 11);
  EXPECT_EQ(Numbers[1], 12);
}

TEST(PtxMemory, GuardedAtomicLoop) {
  uint16_t Number = 0x3c00;
  PtxFunction<uint16_t, uint16_t *, uint32_t> F(
      "{.reg .pred p; .reg .b16 x; setp.ne.u32 p, $2, 0; mov.b16 x, 0x3c00;"
      "mov.b16 $0, 0; @p atom.add.noftz.f16 $0, [$1], x;}",
      "=&h,l,r,~{memory}");
  EXPECT_EQ(F(&Number, 0), 0u);
  EXPECT_EQ(Number, 0x3c00u);
  EXPECT_EQ(F(&Number, 1), 0x3c00u);
  EXPECT_EQ(Number, 0x4000u);
}

TEST(PtxMemory, AsynchronousCopiesAreDoneAtOnce) {
  SharedThread Use;
  alignas(16) char From[16];
  for (int I = 0; I < 16; ++I)
    From[I] = char(I + 1);
  PtxFunction<void, uint32_t, char *> Copy(
      "cp.async.cg.shared.global.L2::128B [$0], [$1], 16; "
      "cp.async.commit_group; cp.async.wait_group 0;",
      "r,l,~{memory}");
  Copy(window(32), From);
  EXPECT_EQ(0, std::memcmp(SharedMemory + 32, From, 16));
  std::memset(SharedMemory, 9, sizeof(SharedMemory));
  PtxFunction<void, uint32_t, char *, uint32_t> Part(
      "cp.async.ca.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}");
  Part(window(0), From, 5);
  EXPECT_EQ(0, std::memcmp(SharedMemory, From, 5));
  for (int I = 5; I < 16; ++I)
    EXPECT_EQ(SharedMemory[I], 0);
  EXPECT_EQ(SharedMemory[16], 9);
}

namespace {

/// An mbarrier object at the start of shared memory, used as by two threads.
struct Mbarrier {
  PtxFunction<void, uint32_t, uint32_t> Init{
      "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}"};
  PtxFunction<uint64_t, uint32_t> Arrive{
      "mbarrier.arrive.release.cta.shared::cta.b64 $0, [$1];",
      "=l,r,~{memory}"};
  PtxFunction<uint64_t, uint32_t> Drop{
      "mbarrier.arrive_drop.shared.b64 $0, [$1];", "=l,r,~{memory}"};
  PtxFunction<uint32_t, uint32_t, uint64_t> Test{
      "{.reg .pred %p; mbarrier.test_wait.shared.b64 %p, [$1], $2;"
      "selp.b32 $0, 1, 0, %p;}",
      "=r,r,l,~{memory}"};
  PtxFunction<uint32_t, uint32_t, uint32_t> TestParity{
      "{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [$1], $2;"
      "selp.b32 $0, 1, 0, p;}",
      "=r,r,r,~{memory}"};
  PtxFunction<uint32_t, uint64_t> Pending{"mbarrier.pending_count.b64 $0, $1;",
                                          "=r,l"};
};

} // namespace

TEST(PtxMemory, MbarriersCompleteTheirPhases) {
  SharedThread Use;
  Mbarrier M;
  M.Init(window(8), 2);
  EXPECT_FALSE(M.TestParity(window(8), 0));
  EXPECT_TRUE(M.TestParity(window(8), 1)); // the phase before the first
  uint64_t First = M.Arrive(window(8));
  EXPECT_EQ(M.Pending(First), 2u);
  Calls.clear();
  EXPECT_FALSE(M.Test(window(8), First));
  EXPECT_EQ(Calls, "nanosleep"); // others get to run
  uint64_t Second = M.Arrive(window(8));
  EXPECT_TRUE(M.Test(window(8), First));
  EXPECT_TRUE(M.Test(window(8), Second));
  EXPECT_TRUE(M.TestParity(window(8), 0));
  EXPECT_FALSE(M.TestParity(window(8), 1));
  // The second phase loses a thread: the third needs one arrival.
  M.Drop(window(8));
  uint64_t Third = M.Arrive(window(8));
  EXPECT_TRUE(M.Test(window(8), Third));
  uint64_t Alone = M.Arrive(window(8));
  EXPECT_TRUE(M.Test(window(8), Alone));
}

TEST(PtxMemory, ReleaseAndAcquireAreFencesToTheRuntime) {
  Calls.clear();
  uint32_t Word = 1;
  PtxFunction<uint32_t, uint32_t *> Load("ld.acquire.gpu.u32 $0, [$1];",
                                         "=r,l,~{memory}");
  EXPECT_EQ(Load(&Word), 1u);
  EXPECT_EQ(Calls, "membar");
  PtxFunction<uint32_t, uint32_t *, uint32_t> Or(
      "atom.or.acq_rel.gpu.b32 $0, [$1], $2;", "=r,l,r,~{memory}");
  Or(&Word, 6);
  EXPECT_EQ(Calls, "membarmembarmembar");
  EXPECT_EQ(Word, 7u);
}

TEST(PtxMemory, MbarriersWaitForBytes) {
  SharedThread Use;
  alignas(16) char From[32];
  std::memset(From, 5, sizeof(From));
  Mbarrier M;
  PtxFunction<uint64_t, uint32_t, uint32_t> Expect(
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 $0, [$1], $2;",
      "=l,r,r,~{memory}");
  PtxFunction<void, uint32_t, char *, uint32_t, uint32_t> Copy(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], "
      "[$1], $2, [$3];",
      "r,l,r,r,~{memory}");
  M.Init(window(0), 1);
  uint64_t State = Expect(window(0), 32);
  EXPECT_FALSE(M.Test(window(0), State)); // the thread came, the bytes did not
  Copy(window(16), From, 16, window(0));
  EXPECT_FALSE(M.Test(window(0), State));
  Copy(window(32), From + 16, 16, window(0));
  EXPECT_TRUE(M.Test(window(0), State));
  EXPECT_EQ(0, std::memcmp(SharedMemory + 16, From, 32));
  // Bytes may come before they are expected.
  Copy(window(16), From, 16, window(0));
  EXPECT_FALSE(M.TestParity(window(0), 1));
  Expect(window(0), 16);
  EXPECT_TRUE(M.TestParity(window(0), 1));
}
