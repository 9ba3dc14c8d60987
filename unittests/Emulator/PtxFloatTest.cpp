//===- PtxFloatTest.cpp - Floating point of inline PTX --------------------===//
//
// The reference is LLVM's APFloat, which computes with as many bits as needed.
//
//===----------------------------------------------------------------------===//

#include "PtxJit.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace cudal1::test;
using llvm::APFloat;
using llvm::APInt;
using RoundingMode = llvm::RoundingMode;

namespace {

constexpr unsigned Rounds = 20000;
constexpr auto Nearest = RoundingMode::NearestTiesToEven;

struct Mode {
  const char *Name;
  RoundingMode Rounding;
};

constexpr Mode Modes[] = {{"rn", Nearest},
                          {"rz", RoundingMode::TowardZero},
                          {"rm", RoundingMode::TowardNegative},
                          {"rp", RoundingMode::TowardPositive}};

struct Format {
  const char *Name;
  const llvm::fltSemantics &Semantics;
};

const Format Formats[] = {{"f16", APFloat::IEEEhalf()},
                          {"bf16", APFloat::BFloat()}};

APFloat number(const llvm::fltSemantics &S, uint64_t Bits) {
  return APFloat(S, APInt(APFloat::getSizeInBits(S), Bits));
}

/// Bits of \p V with the one NaN that the GPU gives.
uint64_t bitsOf(const APFloat &V) {
  if (V.isNaN() && APFloat::getSizeInBits(V.getSemantics()) == 16)
    return 0x7fff;
  return V.bitcastToAPInt().getZExtValue();
}

/// 16-bit numbers, among them many close to each other's rounding errors.
class Halves {
public:
  uint16_t next() {
    uint32_t V = Random();
    static constexpr uint16_t Edges[] = {
        0,      0x8000, 1,      0x8001, 0x3c00, 0x7bff, 0x7c00, 0xfc00,
        0x7e00, 0x03ff, 0x0400, 0x3f80, 0x7f7f, 0x7f80, 0x0080};
    if (V % 8 == 0)
      return Edges[(V >> 8) % std::size(Edges)];
    // Few mantissa bits, to hit ties.
    if (V % 8 < 4)
      return (V >> 16) & 0xffe0;
    return V >> 16;
  }

private:
  std::mt19937 Random{7};
};

float floatOf(uint32_t Bits) {
  float F;
  memcpy(&F, &Bits, 4);
  return F;
}

} // namespace

TEST(PtxFloat, SumsAndProductsOfHalves) {
  for (const Format &F : Formats)
    for (const char *Op : {"add", "sub", "mul"}) {
      PtxFunction<uint16_t, uint16_t, uint16_t> G(
          std::string(Op) + "." + F.Name + " $0, $1, $2;", "=h,h,h");
      Halves N;
      for (unsigned I = 0; I < Rounds; ++I) {
        uint16_t A = N.next(), B = N.next();
        APFloat X = number(F.Semantics, A), Y = number(F.Semantics, B);
        if (*Op == 'a')
          X.add(Y, Nearest);
        else if (*Op == 's')
          X.subtract(Y, Nearest);
        else
          X.multiply(Y, Nearest);
        ASSERT_EQ(G(A, B), bitsOf(X)) << F.Name << Op << A << " " << B;
      }
    }
}

TEST(PtxFloat, FusedMultiplyAddOfHalves) {
  for (const Format &F : Formats) {
    PtxFunction<uint16_t, uint16_t, uint16_t, uint16_t> G(
        std::string("fma.rn.") + F.Name + " $0, $1, $2, $3;", "=h,h,h,h");
    Halves N;
    for (unsigned I = 0; I < 20 * Rounds; ++I) {
      uint16_t A = N.next(), B = N.next(), C = N.next();
      APFloat X = number(F.Semantics, A);
      X.fusedMultiplyAdd(number(F.Semantics, B), number(F.Semantics, C),
                         Nearest);
      ASSERT_EQ(G(A, B, C), bitsOf(X))
          << F.Name << " " << A << " " << B << " " << C;
    }
  }
}

TEST(PtxFloat, FusedMultiplyAddRoundsOnce) {
  // 1.5 * 1.0078125 lies between two bf16 numbers; what is added is too small
  // for a float or a double, but it decides.
  PtxFunction<uint16_t, uint16_t, uint16_t, uint16_t> F(
      "fma.rn.bf16 $0, $1, $2, $3;", "=h,h,h,h");
  for (uint16_t Tiny : {0x0001, 0x8001, 0x0100, 0x8100}) {
    APFloat X = number(APFloat::BFloat(), 0x3fc0);
    X.fusedMultiplyAdd(number(APFloat::BFloat(), 0x3f81),
                       number(APFloat::BFloat(), Tiny), Nearest);
    EXPECT_EQ(F(0x3fc0, 0x3f81, Tiny), bitsOf(X)) << Tiny;
  }
}

TEST(PtxFloat, SmallestAndLargestOfHalves) {
  for (const Format &F : Formats)
    for (const char *Op : {"min", "max", "min.NaN", "max.NaN"}) {
      PtxFunction<uint16_t, uint16_t, uint16_t> G(
          std::string(Op) + "." + F.Name + " $0, $1, $2;", "=h,h,h");
      bool IsMax = Op[1] == 'a', Propagates = strlen(Op) > 3;
      Halves N;
      for (unsigned I = 0; I < Rounds; ++I) {
        uint16_t A = N.next(), B = N.next();
        APFloat X = number(F.Semantics, A), Y = number(F.Semantics, B);
        APFloat Want = Propagates
                           ? (IsMax ? maximum(X, Y) : minimum(X, Y))
                           : (IsMax ? maximumnum(X, Y) : minimumnum(X, Y));
        ASSERT_EQ(G(A, B), bitsOf(Want)) << F.Name << Op << A << " " << B;
      }
    }
}

TEST(PtxFloat, PackedHalves) {
  PtxFunction<uint32_t, uint32_t, uint32_t, uint32_t> F(
      "fma.rn.relu.f16x2 $0, $1, $2, $3;", "=r,r,r,r");
  // {1, -2} * {2, 3} + {1, 1}
  EXPECT_EQ(F(0xc0003c00, 0x42004000, 0x3c003c00), 0x00004200u);
  PtxFunction<uint32_t, uint32_t, uint32_t> Saturated(
      "add.sat.f16x2 $0, $1, $2;", "=r,r,r");
  EXPECT_EQ(Saturated(0x3c007e00, 0x3c000000), 0x3c000000u);
  PtxFunction<uint32_t, uint32_t> Negated("neg.bf16x2 $0, $1;", "=r,r");
  EXPECT_EQ(Negated(0x3f80bf80), 0xbf803f80u);
  PtxFunction<uint32_t, uint32_t, uint32_t> Set(
      "set.ltu.f16x2.f16x2 $0, $1, $2;", "=r,r,r");
  EXPECT_EQ(Set(0x3c007e00, 0x3c003c00), 0x00003c00u);
  PtxFunction<uint32_t, uint32_t, uint32_t> Mask(
      "set.eq.u32.bf16x2 $0, $1, $2;", "=r,r,r");
  EXPECT_EQ(Mask(0x3f808000, 0x3f800000), 0xffffffffu);
}

TEST(PtxFloat, HalvesToIntegersExhaustively) {
  struct Integral {
    const char *Name;
    RoundingMode Rounding;
  };
  const Integral Integrals[] = {{"rni", Nearest},
                                {"rzi", RoundingMode::TowardZero},
                                {"rmi", RoundingMode::TowardNegative},
                                {"rpi", RoundingMode::TowardPositive}};
  for (const Format &F : Formats)
    for (const Integral &R : Integrals)
      for (const char *Type : {"s8", "u16", "s32", "u32", "s64"}) {
        unsigned Bits = std::stoi(Type + 1);
        PtxFunction<uint64_t, uint16_t> G(std::string("cvt.") + R.Name + "." +
                                              Type + "." + F.Name + " $0, $1;",
                                          "=l,h");
        for (unsigned A = 0; A < 65536; ++A) {
          APFloat X = number(F.Semantics, A);
          llvm::APSInt Want(Bits, *Type == 'u');
          bool IsExact;
          X.convertToInteger(Want, R.Rounding, &IsExact); // clamps
          uint64_t Expected = Want.isSigned() ? uint64_t(Want.getSExtValue())
                                              : Want.getZExtValue();
          if (X.isNaN())
            Expected = Bits == 64 ? uint64_t(1) << 63 : 0;
          ASSERT_EQ(G(A), Expected) << F.Name << R.Name << Type << " " << A;
        }
      }
}

TEST(PtxFloat, HalvesToIntegralValuesAndWiderExhaustively) {
  PtxFunction<uint16_t, uint16_t> Round("cvt.rni.f16.f16 $0, $1;", "=h,h");
  PtxFunction<float, uint16_t> Half("cvt.f32.f16 $0, $1;", "=f,h");
  PtxFunction<float, uint16_t> Bfloat("cvt.f32.bf16 $0, $1;", "=f,h");
  for (unsigned A = 0; A < 65536; ++A) {
    APFloat X = number(APFloat::IEEEhalf(), A);
    float Wide = X.convertToFloat();
    if (X.isNaN())
      ASSERT_TRUE(std::isnan(Half(A)));
    else
      ASSERT_EQ(Half(A), Wide);
    if (!number(APFloat::BFloat(), A).isNaN())
      ASSERT_EQ(Bfloat(A), floatOf(A << 16)) << A;
    X.roundToIntegral(Nearest);
    ASSERT_EQ(Round(A), bitsOf(X));
  }
}

TEST(PtxFloat, FloatsToHalvesInAllRoundings) {
  std::mt19937_64 Random(3);
  for (const Format &F : Formats)
    for (const Mode &M : Modes) {
      std::string Name = std::string("cvt.") + M.Name + "." + F.Name;
      PtxFunction<uint16_t, float> Single(Name + ".f32 $0, $1;", "=h,f");
      PtxFunction<uint16_t, double> Double(Name + ".f64 $0, $1;", "=h,d");
      for (unsigned I = 0; I < Rounds; ++I) {
        // A half's neighbourhood, or a tie with something far below it.
        APFloat X = number(F.Semantics, Random() & 0xffff);
        bool Loses;
        X.convert(APFloat::IEEEdouble(), Nearest, &Loses);
        double D = X.convertToDouble();
        double Part = std::ldexp(1.0, -int(Random() % 14));
        D += D * Part * (Random() % 2 ? 1 : -1);
        if (Random() % 2)
          D = std::nextafter(D, Random() % 2 ? 1e300 : -1e300);
        auto Want = [&](APFloat V) {
          bool Inexact;
          V.convert(F.Semantics, M.Rounding, &Inexact);
          return bitsOf(V);
        };
        ASSERT_EQ(Double(D), Want(APFloat(D))) << Name << " " << D;
        float S = float(D);
        ASSERT_EQ(Single(S), Want(APFloat(S))) << Name << " " << S;
      }
    }
}

TEST(PtxFloat, DoublesToFloatsInAllRoundings) {
  std::mt19937_64 Random(5);
  for (const Mode &M : Modes) {
    PtxFunction<uint32_t, double> F(
        std::string("cvt.") + M.Name + ".f32.f64 $0, $1;", "=f,d");
    for (unsigned I = 0; I < Rounds; ++I) {
      double D = std::ldexp(double(Random()), int(Random() % 320) - 220);
      if (Random() % 2)
        D = -D;
      APFloat Want(D);
      bool Loses;
      Want.convert(APFloat::IEEEsingle(), M.Rounding, &Loses);
      ASSERT_EQ(F(D), bitsOf(Want)) << M.Name << " " << D;
    }
  }
}

TEST(PtxFloat, IntegersToHalvesInAllRoundings) {
  std::mt19937_64 Random(9);
  for (const Format &F : Formats)
    for (const Mode &M : Modes)
      for (bool Signed : {false, true}) {
        PtxFunction<uint16_t, uint64_t> G(
            std::string("cvt.") + M.Name + "." + F.Name +
                (Signed ? ".s64 $0, $1;" : ".u64 $0, $1;"),
            "=h,l");
        for (unsigned I = 0; I < Rounds; ++I) {
          uint64_t V = Random() >> (Random() % 64);
          // A few high bits and one far below.
          if (Random() % 2)
            V = (V & (V >> 55 ? ~uint64_t(0) << 54 : ~uint64_t(0))) |
                (Random() % 2);
          if (Signed && Random() % 2)
            V = -V;
          APFloat Want(F.Semantics);
          Want.convertFromAPInt(APInt(64, V), Signed, M.Rounding);
          ASSERT_EQ(G(V), bitsOf(Want)) << F.Name << M.Name << " " << V;
        }
      }
}

TEST(PtxFloat, NansAndRangesOfConversionsToIntegers) {
  PtxFunction<uint32_t, double> F("cvt.rzi.u32.f64 $0, $1;", "=r,d");
  EXPECT_EQ(F(NAN), 0x80000000u);
  EXPECT_EQ(F(-5.0), 0u);
  EXPECT_EQ(F(1e20), ~0u);
  PtxFunction<int32_t, float> G("cvt.rni.s32.f32 $0, $1;", "=r,f");
  EXPECT_EQ(G(NAN), 0);
  EXPECT_EQ(G(2.5f), 2);
  EXPECT_EQ(G(-1e20f), INT32_MIN);
  PtxFunction<uint32_t, int32_t> Clamped("cvt.sat.u8.s32 $0, $1;", "=r,r");
  EXPECT_EQ(Clamped(-4), 0u);
  EXPECT_EQ(Clamped(400), 255u);
  PtxFunction<uint32_t, uint32_t> Cut("cvt.s8.u32 $0, $1;", "=r,r");
  EXPECT_EQ(Cut(0x180), 0xffffff80u);
}

TEST(PtxFloat, EightBitFloats) {
  struct Small {
    const char *Name;
    const llvm::fltSemantics &Semantics;
    double Largest;
  };
  const Small Smalls[] = {{"e4m3x2", APFloat::Float8E4M3FN(), 448},
                          {"e5m2x2", APFloat::Float8E5M2(), 57344}};
  std::mt19937 Random(11);
  for (const Small &S : Smalls) {
    PtxFunction<uint32_t, uint16_t> Widen(
        std::string("cvt.rn.f16x2.") + S.Name + " $0, $1;", "=r,h");
    for (unsigned A = 0; A < 256; ++A) {
      APFloat X = number(S.Semantics, A);
      bool Loses;
      X.convert(APFloat::IEEEhalf(), Nearest, &Loses);
      ASSERT_EQ(Widen(A << 8 | A), bitsOf(X) * 0x10001) << S.Name << A;
    }
    PtxFunction<uint16_t, float, float> Narrow(
        std::string("cvt.rn.satfinite.") + S.Name + ".f32 $0, $1, $2;",
        "=h,f,f");
    for (unsigned I = 0; I < 10 * Rounds; ++I) {
      APFloat Near = number(S.Semantics, Random() & 0xff);
      bool Loses;
      Near.convert(APFloat::IEEEsingle(), Nearest, &Loses);
      float V = Near.convertToFloat();
      V += V * std::ldexp(1.0f, -int(Random() % 8));
      if (Random() % 4 == 0)
        V = floatOf(Random());
      float Clamped = std::fmin(std::fmax(V, -S.Largest), S.Largest);
      APFloat Want(Clamped);
      Want.convert(S.Semantics, Nearest, &Loses);
      uint64_t Expected = std::isnan(V) ? 0x7f : bitsOf(Want);
      ASSERT_EQ(Narrow(0.0f, V), Expected) << S.Name << " " << V;
      ASSERT_EQ(Narrow(V, 0.0f), Expected << 8) << S.Name << " " << V;
    }
  }
}

TEST(PtxFloat, PairsOfHalvesFromFloats) {
  PtxFunction<uint32_t, float, float> F("cvt.rn.bf16x2.f32 $0, $1, $2;",
                                        "=r,f,f");
  EXPECT_EQ(F(1.0f, 2.0f), 0x3f804000u);
  PtxFunction<uint32_t, float, float> G("cvt.rn.relu.f16x2.f32 $0, $1, $2;",
                                        "=r,f,f");
  EXPECT_EQ(G(-1.0f, 2.0f), 0x00004000u);
}

TEST(PtxFloat, FlushingAndSaturating) {
  float Subnormal = floatOf(1);
  PtxFunction<float, float, float> Plain("add.f32 $0, $1, $2;", "=f,f,f");
  PtxFunction<float, float, float> Flushed("add.ftz.f32 $0, $1, $2;", "=f,f,f");
  EXPECT_EQ(Plain(Subnormal, Subnormal), floatOf(2));
  EXPECT_EQ(Flushed(Subnormal, Subnormal), 0.0f);
  EXPECT_TRUE(std::signbit(Flushed(-Subnormal, -Subnormal)));
  PtxFunction<float, float, float, float> Saturated(
      "fma.rn.sat.f32 $0, $1, $2, $3;", "=f,f,f,f");
  EXPECT_EQ(Saturated(2, 2, 1), 1.0f);
  EXPECT_EQ(Saturated(2, -2, 1), 0.0f);
  EXPECT_EQ(Saturated(NAN, 2, 1), 0.0f);
}

TEST(PtxFloat, DirectedRoundingsCallTheRuntime) {
  Calls.clear();
  PtxFunction<float, float, float> F("sub.rz.f32 $0, $1, $2;", "=f,f,f");
  EXPECT_EQ(F(5, 3), 2.0f);
  EXPECT_EQ(Calls, "add_rz");
}

TEST(PtxFloat, ExponentialAsTheHalfHeaderComputesIt) {
  // hexp2 of cuda_fp16.hpp.
  PtxFunction<uint16_t, uint16_t> F(
      "{.reg.b32 f, ULP; mov.b32 ULP, 0x33800000U; cvt.f32.f16 f, $1;"
      "ex2.approx.ftz.f32 f, f; fma.rn.f32 f, f, ULP, f; cvt.rn.f16.f32 $0, "
      "f;}",
      "=h,h");
  EXPECT_EQ(F(0x4200), 0x4800u); // 2^3
  EXPECT_EQ(F(0xbc00), 0x3800u); // 2^-1
}

TEST(PtxFloat, MinimumWithSignsOfBoth) {
  PtxFunction<float, float, float> F("min.xorsign.abs.f32 $0, $1, $2;",
                                     "=f,f,f");
  EXPECT_EQ(F(-3, 2), -2.0f);
  EXPECT_EQ(F(-3, -4), 3.0f);
  PtxFunction<float, float, float> Sign("copysign.f32 $0, $1, $2;", "=f,f,f");
  EXPECT_EQ(Sign(-1, 5), -5.0f);
}
