//===- InlinePtxTest.cpp - Form, moves and guards of inline PTX -----------===//

#include "PtxJit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1::test;
using testing::HasSubstr;

TEST(InlinePtx, ReadsEscapesCommentsAndBlanks) {
  PtxFunction<uint32_t, uint32_t, uint32_t> F(
      "{ // a comment\\0A\\09 .reg .u32 __$$t; /* and\\0A another */ add.u32 "
      "__$$t, $1, ${2};\\0A mov .u32 $0, __$$t; }",
      "=r,r,r");
  EXPECT_EQ(F(40, 2), 42u);
}

TEST(InlinePtx, ScopesHideOuterRegisters) {
  PtxFunction<uint32_t, uint32_t> F(
      "{ .reg .u32 a; mov.u32 a, $1; { .reg.u32 a, b<2>; mov.u32 a, 7; mov.u32 "
      "b1, a; } mov.u32 $0, a; }",
      "=r,r");
  EXPECT_EQ(F(5), 5u);
}

TEST(InlinePtx, TiedOperandsShareARegister) {
  PtxFunction<uint32_t, uint32_t, uint32_t> F("add.u32 $0, $0, $1;", "=r,r,0");
  EXPECT_EQ(F(3, 4), 7u);
}

TEST(InlinePtx, ImmediateOperandsAreConstants) {
  PtxModule M("define i32 @f(i32 %a) {\n"
              "%r = call i32 asm \"add.s32 $0, $1, $2;\", \"=r,r,n\"(i32 %a, "
              "i32 -3)\nret i32 %r\n}");
  auto *F = reinterpret_cast<uint32_t (*)(uint32_t)>(M.address("f"));
  EXPECT_EQ(F(10), 7u);
}

TEST(InlinePtx, SeveralResultsBecomeAStruct) {
  PtxModule M("define i64 @f(i64 %a) {\n"
              "%r = call { i32, i32 } asm \"mov.b64 {$0,$1}, $2;\", "
              "\"=r,=r,l\"(i64 %a)\n"
              "%x = extractvalue { i32, i32 } %r, 0\n"
              "%y = extractvalue { i32, i32 } %r, 1\n"
              "%s = call i64 asm \"mov.b64 $0, {$1,$2};\", \"=l,r,r\"(i32 %y, "
              "i32 %x)\nret i64 %s\n}");
  auto *F = reinterpret_cast<uint64_t (*)(uint64_t)>(M.address("f"));
  EXPECT_EQ(F(0x1111111122222222), 0x2222222211111111u);
}

TEST(InlinePtx, MovesPackAndUnpack) {
  PtxFunction<uint32_t, uint32_t> Swap(
      "{.reg .b16 l,h; mov.b32 {l,h}, $1; mov.b32 $0, {h,l};}", "=r,r");
  EXPECT_EQ(Swap(0x12345678), 0x56781234u);
  PtxFunction<uint32_t, uint16_t> High("mov.b32 $0, {0,$1};", "=r,h");
  EXPECT_EQ(High(0xabcd), 0xabcd0000u);
  PtxFunction<uint32_t, uint32_t> Bytes(
      "{.reg .b8 a,b,c,d; mov.b32 {a,b,c,d}, $1; mov.b32 $0, {d,c,b,a};}",
      "=r,r");
  EXPECT_EQ(Bytes(0x12345678), 0x78563412u);
  PtxFunction<uint32_t, uint64_t> Upper(
      "{.reg .b32 x; mov.b64 {_, x}, $1; mov.b32 $0, x;}", "=r,l");
  EXPECT_EQ(Upper(0x0123456789abcdef), 0x01234567u);
}

TEST(InlinePtx, FloatLiterals) {
  PtxFunction<float, float> Hex("add.f32 $0, $1, 0f3FC00000;", "=f,f");
  EXPECT_EQ(Hex(1.0f), 2.5f);
  PtxFunction<float, float> Decimal("mul.f32 $0, $1, -0.5;", "=f,f");
  EXPECT_EQ(Decimal(3.0f), -1.5f);
  PtxFunction<double, double> Double("add.f64 $0, $1, 0d3FF8000000000000;",
                                     "=d,d");
  EXPECT_EQ(Double(1.0), 2.5);
  PtxFunction<float, float> Bits(
      "{.reg .b32 c; mov.b32 c, 0x40000000U; mul.f32 $0, $1, c;}", "=f,f");
  EXPECT_EQ(Bits(3.0f), 6.0f);
}

TEST(InlinePtx, GuardsKeepTheOldValue) {
  PtxFunction<uint32_t, uint32_t, uint32_t> F(
      "{.reg .pred p; .reg .u32 r; setp.lt.u32 p, $1, $2; mov.u32 r, 10;"
      "@p mov.u32 r, 20; @!p add.u32 r, r, 1; mov.u32 $0, r;}",
      "=r,r,r");
  EXPECT_EQ(F(1, 2), 20u);
  EXPECT_EQ(F(2, 1), 11u);
}

TEST(InlinePtx, GuardedMemoryIsNotTouched) {
  PtxFunction<uint32_t, uint32_t *, uint32_t> F(
      "{.reg .pred p; setp.ne.b32 p, $2, 0; mov.u32 $0, 5;"
      "@p ld.global.u32 $0, [$1+4]; @p st.global.u32 [$1], $2;}",
      "=&r,l,r,~{memory}");
  EXPECT_EQ(F(nullptr, 0), 5u);
  uint32_t Memory[] = {1, 2};
  EXPECT_EQ(F(Memory, 9), 2u);
  EXPECT_EQ(Memory[0], 9u);
}

TEST(InlinePtx, SpecialRegistersComeFromTheThread) {
  Thread.ThreadIdx[1] = 17;
  Thread.Lane = 5;
  Thread.Warp = 3;
  Thread.GridDim[2] = 9;
  EXPECT_EQ((PtxFunction<uint32_t>("mov.u32 $0, %laneid;", "=r")()), 5u);
  EXPECT_EQ((PtxFunction<uint32_t>("mov.u32 $0, %%warpid;", "=r")()), 3u);
  EXPECT_EQ((PtxFunction<uint32_t>("mov.u32 $0, %tid.y;", "=r")()), 17u);
  EXPECT_EQ((PtxFunction<uint32_t>("mov.u32 $0, %nctaid.z;", "=r")()), 9u);
  EXPECT_EQ((PtxFunction<uint32_t>("mov.u32 $0, %lanemask_lt;", "=r")()), 31u);
  EXPECT_EQ((PtxFunction<uint32_t>("mov.u32 $0, %lanemask_ge;", "=r")()), ~31u);
  EXPECT_EQ((PtxFunction<uint32_t>("mov.u32 $0, WARP_SZ;", "=r")()), 32u);
}

TEST(InlinePtx, WarpOperationsCallTheRuntime) {
  Calls.clear();
  PtxFunction<uint32_t, uint32_t, uint32_t> Down(
      "shfl.sync.down.b32 $0, $1, $2, 0x1f, 0xffffffff;", "=r,r,r");
  EXPECT_EQ(Down(10, 2), 12u);
  EXPECT_EQ(Calls, "shfl_down(4294967295,10,2,31)");
  Calls.clear();
  // As cub writes a scan's step.
  PtxFunction<uint32_t, uint32_t, uint32_t> Scan(
      "{.reg .u32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, $1, $2, 0, -1;"
      "@p add.u32 r0, r0, $1; mov.u32 $0, r0;}",
      "=r,r,r");
  EXPECT_EQ(Scan(50, 1), 49u);
  EXPECT_EQ(Scan(200, 1), 399u);
  PtxFunction<uint32_t, uint32_t, uint32_t> Ballot(
      "{.reg .pred p; setp.ne.u32 p, $1, 0; vote.sync.ballot.b32 $0, !p, $2;}",
      "=r,r,r");
  EXPECT_EQ(Ballot(1, 0xf0), 0u);
  EXPECT_EQ(Ballot(0, 0xf0), 0xf0u);
  PtxFunction<uint32_t, uint32_t> Any(
      "{.reg .pred p; setp.ne.u32 p, $1, 0; vote.sync.any.pred p, p, -1;"
      "selp.u32 $0, 1, 0, p;}",
      "=r,r");
  EXPECT_EQ(Any(3), 1u);
  EXPECT_EQ(Any(0), 0u);
}

TEST(InlinePtx, BarriersAndFencesCallTheRuntime) {
  Calls.clear();
  PtxFunction<void> F("bar.sync 3; membar.gl; fence.acq_rel.gpu;", "~{memory}");
  F();
  EXPECT_EQ(Calls, "barrier(3)membarmembar");
  PtxFunction<void> Nothing("", "~{memory}");
  Nothing();
}

TEST(InlinePtx, UnknownInstructionsAreNamed) {
  EXPECT_THAT(translationError("wmma.load.a.sync.aligned.row.m16n16k16.f16 "
                               "{a,b}, [c], d;"),
              HasSubstr("'wmma.load.a.sync.aligned.row.m16n16k16.f16'"));
  EXPECT_THAT(translationError("bra L;"), HasSubstr("'bra'"));
  EXPECT_THAT(translationError("{.reg .u32 a; add.u32 a, 1, 2; foo a;}"),
              HasSubstr("'foo'"));
}

TEST(InlinePtx, UnknownModifiersAreFaults) {
  for (const char *Text :
       {"{.reg .u32 a; add.sat.u32 a, 1, 2;}",
        "{.reg .f32 a; mad.f32 a, a, a, a;}", "{.reg .u32 a; add.u32 a, 1;}",
        "{.reg .u32 a; addc.u32 a, 1, 2;}", "{.reg .u16 a; add.u32 a, 1, 2;}",
        "{.reg .f32 a; add.f32 a, a, 1;}", "{.reg .u32 a; mov.u32 a, %nosuch;}",
        "{.reg .u32 a;", "{.reg .u32 a; ld.global.u32 a, [a];}",
        "{.reg .u32 a, a; mov.u32 a, 1;}"})
    EXPECT_NE(translationError(Text), "") << Text;
}

TEST(InlinePtx, WhatFailsHalfWayLeavesTheCall) {
  EXPECT_NE(translationError("{.reg .u32 a; .reg .u64 p; mov.u64 p, 0;"
                             "atom.global.add.noftz.f16x2 a, [p], a;"
                             "nosuch.instruction a;}"),
            "");
}
