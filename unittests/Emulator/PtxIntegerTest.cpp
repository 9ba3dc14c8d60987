//===- PtxIntegerTest.cpp - Integers and bits of inline PTX ---------------===//
//
// References are written bit by bit, after the pseudocode in NVIDIA's PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "PtxJit.h"
#include "gtest/gtest.h"
#include <random>

using namespace cudal1::test;

namespace {

constexpr unsigned Rounds = 2000;

/// Numbers at the edges, and others.
class Numbers {
public:
  uint64_t next() {
    uint64_t V = Random();
    switch (Random() % 4) {
    case 0:
      return V;
    case 1:
      return V >> (Random() % 64);
    case 2:
      return ~(V >> (Random() % 64));
    default:
      return uint64_t(1) << (Random() % 64);
    }
  }

private:
  std::mt19937_64 Random{20260101};
};

} // namespace

TEST(PtxInteger, CarriesRunThroughAChain) {
  // As the compiler's headers multiply 64 by 64 bits.
  const char *Text =
      "{.reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi;"
      "mov.b64 {alo,ahi}, $2; mov.b64 {blo,bhi}, $3;"
      "mul.lo.u32 r0, alo, blo; mul.hi.u32 r1, alo, blo;"
      "mad.lo.cc.u32 r1, alo, bhi, r1; madc.hi.u32 r2, alo, bhi, 0;"
      "mad.lo.cc.u32 r1, ahi, blo, r1; madc.hi.cc.u32 r2, ahi, blo, r2;"
      "madc.hi.u32 r3, ahi, bhi, 0; mad.lo.cc.u32 r2, ahi, bhi, r2;"
      "addc.u32 r3, r3, 0; mov.b64 $0, {r0,r1}; mov.b64 $1, {r2,r3};}";
  PtxModule M(std::string("define void @f(i64 %a, i64 %b, ptr %o) {\n"
                          "%r = call { i64, i64 } asm \"") +
              Text +
              "\", \"=l,=l,l,l\"(i64 %a, i64 %b)\n"
              "store { i64, i64 } %r, ptr %o\nret void\n}");
  auto *F = reinterpret_cast<void (*)(uint64_t, uint64_t, uint64_t *)>(
      M.address("f"));
  Numbers N;
  for (unsigned I = 0; I < Rounds; ++I) {
    uint64_t A = N.next(), B = N.next(), Out[2];
    F(A, B, Out);
    unsigned __int128 Product = static_cast<unsigned __int128>(A) * B;
    ASSERT_EQ(Out[0], uint64_t(Product)) << A << " " << B;
    ASSERT_EQ(Out[1], uint64_t(Product >> 64)) << A << " " << B;
  }
}

TEST(PtxInteger, BorrowsRunThroughAChain) {
  PtxFunction<uint64_t, uint64_t, uint64_t> F(
      "{.reg .u32 a,b,c,d; mov.b64 {a,b}, $1; mov.b64 {c,d}, $2;"
      "sub.cc.u32 a, a, c; subc.u32 b, b, d; mov.b64 $0, {a,b};}",
      "=l,l,l");
  Numbers N;
  for (unsigned I = 0; I < Rounds; ++I) {
    uint64_t A = N.next(), B = N.next();
    ASSERT_EQ(F(A, B), A - B);
  }
}

TEST(PtxInteger, Products) {
  PtxFunction<int64_t, int32_t, int32_t> Wide("mul.wide.s32 $0, $1, $2;",
                                              "=l,r,r");
  EXPECT_EQ(Wide(INT32_MIN, 2), int64_t(INT32_MIN) * 2);
  PtxFunction<int32_t, int32_t, int32_t, int32_t> High(
      "mad.hi.sat.s32 $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(High(INT32_MIN, INT32_MIN, INT32_MAX), INT32_MAX);
  PtxFunction<int32_t, int32_t, int32_t> Low24("mul24.lo.s32 $0, $1, $2;",
                                               "=r,r,r");
  EXPECT_EQ(Low24(0x00ffffff, 3), -3);
  PtxFunction<uint64_t, uint64_t, uint64_t> High64("mul.hi.u64 $0, $1, $2;",
                                                   "=l,l,l");
  EXPECT_EQ(High64(~0ull, ~0ull), ~0ull - 1);
}

TEST(PtxInteger, DivisionByZeroDoesNotStop) {
  PtxFunction<uint32_t, uint32_t, uint32_t> Unsigned("div.u32 $0, $1, $2;",
                                                     "=r,r,r");
  EXPECT_EQ(Unsigned(7, 2), 3u);
  EXPECT_EQ(Unsigned(7, 0), ~0u);
  PtxFunction<int32_t, int32_t, int32_t> Signed("div.s32 $0, $1, $2;",
                                                "=r,r,r");
  EXPECT_EQ(Signed(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(Signed(-7, 2), -3);
  PtxFunction<int32_t, int32_t, int32_t> Remainder("rem.s32 $0, $1, $2;",
                                                   "=r,r,r");
  EXPECT_EQ(Remainder(INT32_MIN, -1), 0);
  EXPECT_EQ(Remainder(-7, 2), -1);
}

TEST(PtxInteger, ShiftsClamp) {
  PtxFunction<uint32_t, uint32_t, uint32_t> Left("shl.b32 $0, $1, $2;",
                                                 "=r,r,r");
  EXPECT_EQ(Left(1, 31), 0x80000000u);
  EXPECT_EQ(Left(1, 32), 0u);
  EXPECT_EQ(Left(1, 0x80000001), 0u);
  PtxFunction<int64_t, int64_t, uint32_t> Right("shr.s64 $0, $1, $2;",
                                                "=l,l,r");
  EXPECT_EQ(Right(-8, 2), -2);
  EXPECT_EQ(Right(-8, 200), -1);
}

TEST(PtxInteger, FunnelShifts) {
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> LeftWrap(
      "shf.l.wrap.b32 $0, $1, $2, $3;", "=r,r,r,r");
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> RightClamp(
      "shf.r.clamp.b32 $0, $1, $2, $3;", "=r,r,r,r");
  Numbers N;
  for (unsigned I = 0; I < Rounds; ++I) {
    uint32_t Low = N.next(), High = N.next(), Amount = N.next() % 70;
    uint64_t Both = uint64_t(High) << 32 | Low;
    ASSERT_EQ(LeftWrap(Low, High, Amount),
              uint32_t(Both << (Amount & 31) >> 32));
    ASSERT_EQ(RightClamp(Low, High, Amount),
              uint32_t(Both >> (Amount > 32 ? 32 : Amount)));
  }
}

TEST(PtxInteger, BytePermutation) {
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> F(
      "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r");
  Numbers N;
  for (unsigned I = 0; I < Rounds; ++I) {
    uint32_t A = N.next(), B = N.next(), Selectors = N.next(), Want = 0;
    uint64_t Both = uint64_t(B) << 32 | A;
    for (unsigned K = 0; K < 4; ++K) {
      unsigned S = Selectors >> (4 * K) & 15;
      uint8_t Byte = Both >> (8 * (S & 7));
      if (S & 8)
        Byte = Byte & 0x80 ? 0xff : 0;
      Want |= uint32_t(Byte) << (8 * K);
    }
    ASSERT_EQ(F(A, B, Selectors), Want);
  }
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> Forward(
      "prmt.b32.f4e $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Forward(0x33221100, 0x77665544, 1), 0x44332211u);
}

TEST(PtxInteger, BitFields) {
  PtxFunction<int32_t, int32_t, uint32_t, uint32_t> Signed(
      "bfe.s32 $0, $1, $2, $3;", "=r,r,r,r");
  PtxFunction<uint64_t, uint64_t, uint32_t, uint32_t> Unsigned(
      "bfe.u64 $0, $1, $2, $3;", "=l,l,r,r");
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t> Insert(
      "bfi.b32 $0, $1, $2, $3, $4;", "=r,r,r,r,r");
  Numbers N;
  for (unsigned I = 0; I < Rounds; ++I) {
    uint64_t A = N.next();
    uint32_t B = N.next(), Position = N.next() % 80, Length = N.next() % 80;
    if (I % 16 == 0)
      Position |= 0x100; // only eight bits count
    unsigned P = Position & 255;
    auto Bit = [](uint64_t V, unsigned K) { return V >> K & 1; };
    uint32_t Small = A;
    bool Sign = Length && Bit(Small, std::min(P + Length - 1, 31u));
    uint32_t WantSigned = 0, WantInsert = B;
    uint64_t WantUnsigned = 0;
    for (unsigned K = 0; K < 32; ++K)
      WantSigned |=
          uint32_t(K < Length && P + K <= 31 ? Bit(Small, P + K) : Sign) << K;
    for (unsigned K = 0; K < 64; ++K)
      if (K < Length && P + K <= 63)
        WantUnsigned |= Bit(A, P + K) << K;
    for (unsigned K = 0; K < Length && P + K <= 31; ++K)
      WantInsert = (WantInsert & ~(1u << (P + K))) |
                   uint32_t(K < 32 ? Bit(Small, K) : 0) << (P + K);
    ASSERT_EQ(uint32_t(Signed(Small, Position, Length)), WantSigned)
        << Small << " " << P << " " << Length;
    ASSERT_EQ(Unsigned(A, Position, Length), WantUnsigned);
    ASSERT_EQ(Insert(Small, B, Position, Length), WantInsert);
  }
}

TEST(PtxInteger, Counts) {
  PtxFunction<uint32_t, uint64_t> Zeros("clz.b64 $0, $1;", "=r,l");
  EXPECT_EQ(Zeros(0), 64u);
  EXPECT_EQ(Zeros(1), 63u);
  PtxFunction<uint32_t, uint32_t> Ones("popc.b32 $0, $1;", "=r,r");
  EXPECT_EQ(Ones(0xf0f), 8u);
  PtxFunction<uint32_t, uint32_t> Find("bfind.u32 $0, $1;", "=r,r");
  EXPECT_EQ(Find(0), ~0u);
  EXPECT_EQ(Find(0x8000), 15u);
  PtxFunction<uint32_t, int32_t> FindSigned("bfind.s32 $0, $1;", "=r,r");
  EXPECT_EQ(FindSigned(-1), ~0u);
  EXPECT_EQ(FindSigned(-2), 0u);
  PtxFunction<uint32_t, uint32_t> Shift("bfind.shiftamt.u32 $0, $1;", "=r,r");
  EXPECT_EQ(Shift(0x8000), 16u);
  PtxFunction<uint32_t, uint32_t> Reverse("brev.b32 $0, $1;", "=r,r");
  EXPECT_EQ(Reverse(1), 0x80000000u);
}

TEST(PtxInteger, AnyLogicOfThree) {
  for (unsigned Table : {0x00u, 0x96u, 0xe8u, 0xb8u, 0xffu, 0x1u, 0x80u}) {
    PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> F(
        "lop3.b32 $0, $1, $2, $3, " + std::to_string(Table) + ";", "=r,r,r,r");
    uint32_t A = 0xf0f0f0f0, B = 0xcccccccc, C = 0xaaaaaaaa;
    EXPECT_EQ(F(A, B, C), Table * 0x01010101u);
  }
}

TEST(PtxInteger, DotProducts) {
  PtxFunction<int32_t, uint32_t, uint32_t, int32_t> Signed(
      "dp4a.s32.s32 $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Signed(0xff02ff01, 0x7f03ff02, 100), 100 + 2 + 1 + 6 - 127);
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> High(
      "dp2a.hi.u32.u32 $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(High(0x00020003, 0x0504ffff, 1), 1u + 3 * 4 + 2 * 5);
}

TEST(PtxInteger, PackedAndClamped) {
  PtxFunction<uint32_t, uint32_t, uint32_t> Minimum(
      "min.s16x2.relu $0, $1, $2;", "=r,r,r");
  EXPECT_EQ(Minimum(0xffff0005, 0x00030007), 0x00000005u);
  PtxFunction<uint32_t, uint32_t, uint32_t> Sum("add.u16x2 $0, $1, $2;",
                                                "=r,r,r");
  EXPECT_EQ(Sum(0x0001ffff, 0x00010001), 0x00020000u);
}

TEST(PtxInteger, ComparisonsCombine) {
  PtxFunction<uint32_t, int32_t, int32_t, uint32_t> F(
      "{.reg .pred p,q,r; setp.ne.u32 r, $3, 0; setp.lt.and.s32 p|q, $1, $2, "
      "!r; .reg .u32 a; selp.u32 a, 1, 0, p; selp.u32 $0, 2, 0, q; or.b32 $0, "
      "$0, a;}",
      "=&r,r,r,r");
  EXPECT_EQ(F(-1, 0, 0), 1u);
  EXPECT_EQ(F(0, 0, 0), 2u);
  EXPECT_EQ(F(0, 0, 1), 0u);
  PtxFunction<uint32_t, uint32_t, uint32_t> Set("set.hi.u32.u32 $0, $1, $2;",
                                                "=r,r,r");
  EXPECT_EQ(Set(~0u, 1), ~0u);
  EXPECT_EQ(Set(1, 1), 0u);
  PtxFunction<uint32_t, uint32_t, uint32_t, int32_t> Select(
      "slct.b32.s32 $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Select(1, 2, 0), 1u);
  EXPECT_EQ(Select(1, 2, -1), 2u);
}

TEST(PtxInteger, VideoInstructions) {
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> Distance(
      "vabsdiff4.u32.u32.u32.add $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Distance(0x00ff0510, 0xff000712, 7), 7u + 255 + 255 + 2 + 2);
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> Add(
      "vadd2.s32.s32.s32.sat $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Add(0x7fff8000, 0x0001ffff, 0), 0x7fff8000u);
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> Set(
      "vset4.s32.s32.lt $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Set(0xff010200, 0x00010300, 0), 0x01000100u);
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> Shift(
      "vshr.u32.u32.u32.clamp.add $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Shift(0x80000000, 31, 5), 6u);
  EXPECT_EQ(Shift(0x80000000, 99, 5), 5u);
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> Average(
      "vavrg4.u32.u32.u32 $0, $1, $2, $3;", "=r,r,r,r");
  EXPECT_EQ(Average(0xff000203, 0xff010304, 0), 0xff010304u);
}
