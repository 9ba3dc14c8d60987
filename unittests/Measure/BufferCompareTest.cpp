//===- BufferCompareTest.cpp - Compare two buffers by value ---------------===//

#include "cudal1/Measure/BufferCompare.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace cudal1;
using testing::HasSubstr;

namespace {

template <typename T> llvm::StringRef bytesOf(const std::vector<T> &Values) {
  return llvm::StringRef(reinterpret_cast<const char *>(Values.data()),
                         Values.size() * sizeof(T));
}

template <typename T>
BufferComparison compare(const std::vector<T> &A, const std::vector<T> &B,
                         const ElementLayout &Layout, FpClass Class,
                         double Noise = 0) {
  BufferPart Part{0, bytesOf(A), bytesOf(B)};
  return compareBuffers(Part, Layout, 0, Tolerance{Class, Noise});
}

constexpr float Nan = std::numeric_limits<float>::quiet_NaN();
constexpr float Inf = std::numeric_limits<float>::infinity();
const ElementLayout Floats = {ElementType::Float};

TEST(BufferCompareTest, ExactMeansTheSameBits) {
  std::vector<float> A = {1, 2, 3}, B = A;
  EXPECT_TRUE(compare(A, B, Floats, FpClass::Exact).equal());
  B[1] = std::nextafter(2.0f, 3.0f);
  BufferComparison Result = compare(A, B, Floats, FpClass::Exact);
  EXPECT_FALSE(Result.equal());
  EXPECT_EQ(Result.Figures.Mismatches, 1u);
  EXPECT_EQ(Result.Figures.ValuesCompared, 3u);
  EXPECT_DOUBLE_EQ(Result.Figures.MaxUlp, 1.0);
  EXPECT_THAT(Result.FirstMismatch, HasSubstr("element 1 (float): 2 became"));
}

TEST(BufferCompareTest, ToleranceFollowsTheClass) {
  std::vector<float> A(100, 1.0f), B(100, 1.0f);
  B[7] = 1.0f + 1e-5f;
  EXPECT_FALSE(compare(A, B, Floats, FpClass::Exact).equal());
  EXPECT_TRUE(compare(A, B, Floats, FpClass::Reassociate).equal());
  B[7] = 1.0f + 5e-4f;
  EXPECT_FALSE(compare(A, B, Floats, FpClass::Reassociate).equal());
  EXPECT_TRUE(compare(A, B, Floats, FpClass::Approximate).equal());
  B[7] = 1.0f + 5e-3f;
  EXPECT_FALSE(compare(A, B, Floats, FpClass::Approximate).equal());
  EXPECT_TRUE(compare(A, B, Floats, FpClass::ReducedPrecision).equal());
  B[7] = 1.1f;
  EXPECT_FALSE(compare(A, B, Floats, FpClass::ReducedPrecision).equal());
}

TEST(BufferCompareTest, AGivenToleranceStandsForThatOfTheClass) {
  Tolerance Exact(FpClass::Exact, 0, 1e-2);
  EXPECT_EQ(Exact.relativeLimit(ElementType::Float), 0);
  Tolerance Strict(FpClass::ReducedPrecision, 0, 1e-7);
  EXPECT_EQ(Strict.relativeLimit(ElementType::Float), 1e-7);
  EXPECT_EQ(Strict.relativeLimit(ElementType::Half), 1e-7);
  Tolerance Loose(FpClass::Reassociate, 0, 1e-2);
  EXPECT_EQ(Loose.relativeLimit(ElementType::Double), 1e-2);
  // What the original does not hold, a variant need not either.
  Tolerance Noisy(FpClass::Reassociate, 1e-4, 1e-6);
  EXPECT_GT(Noisy.relativeLimit(ElementType::Float), 1e-4);
}

TEST(BufferCompareTest, ToleranceFollowsTheElementType) {
  std::vector<double> A(10, 1.0), B(10, 1.0 + 1e-9);
  EXPECT_FALSE(
      compare(A, B, {ElementType::Double}, FpClass::Reassociate).equal());
  B.assign(10, 1.0 + 1e-14);
  EXPECT_TRUE(
      compare(A, B, {ElementType::Double}, FpClass::Reassociate).equal());
  B.assign(10, 1.0 + 1e-7);
  EXPECT_TRUE(compare(A, B, {ElementType::FloatInDouble}, FpClass::Reassociate)
                  .equal());
  EXPECT_FALSE(
      compare(A, B, {ElementType::FloatInDouble}, FpClass::Exact).equal());
  B.assign(10, 1.001);
  EXPECT_FALSE(compare(A, B, {ElementType::FloatInDouble}, FpClass::Reassociate)
                   .equal());
  // 1.0 and the next half and bfloat16.
  std::vector<uint16_t> H = {0x3c00}, H2 = {0x3c01};
  EXPECT_TRUE(
      compare(H, H2, {ElementType::Half}, FpClass::Reassociate).equal());
  std::vector<uint16_t> H3 = {0x3d00};
  EXPECT_FALSE(
      compare(H, H3, {ElementType::Half}, FpClass::Reassociate).equal());
  std::vector<uint16_t> F = {0x3f80}, F2 = {0x3f81};
  BufferComparison R =
      compare(F, F2, {ElementType::BFloat16}, FpClass::Reassociate);
  EXPECT_TRUE(R.equal());
  EXPECT_DOUBLE_EQ(R.Figures.MaxAbsolute, 0x1p-7);
}

/// Values around \p Size, no two of them alike.
std::vector<float> valuesAround(float Size) {
  std::vector<float> Values(100);
  for (size_t I = 0; I < Values.size(); ++I)
    Values[I] = Size * (1 + 0.01f * float(I));
  return Values;
}

TEST(BufferCompareTest, SmallValuesAmongLargeOnesHaveTheDatasScale) {
  std::vector<float> A = valuesAround(1000), B = A;
  A[3] = 1e-3f; // what cancellation left over
  B[3] = 2e-3f;
  EXPECT_TRUE(compare(A, B, Floats, FpClass::Reassociate).equal());
  std::vector<float> C = valuesAround(1e-3f), D = C;
  D[3] = 2e-3f;
  EXPECT_FALSE(compare(C, D, Floats, FpClass::Reassociate).equal());
}

TEST(BufferCompareTest, SentinelsDoNotHideFaultsElsewhere) {
  for (float Sentinel : {1e30f, -1e30f, std::numeric_limits<float>::max(), Inf})
    for (size_t Count : {1, 20, 95}) {
      std::vector<float> A = valuesAround(1);
      for (size_t I = 0; I < Count; ++I)
        A[I] = Sentinel;
      std::vector<float> B = A;
      B[97] *= 1.01f;
      EXPECT_FALSE(compare(A, B, Floats, FpClass::Approximate).equal())
          << Count << " of " << Sentinel;
      B[97] = A[97] * (1 + 1e-6f);
      EXPECT_TRUE(compare(A, B, Floats, FpClass::Approximate).equal())
          << Count << " of " << Sentinel;
    }
}

TEST(BufferCompareTest, LargeValuesOfManyKindsDoNotHideFaultsElsewhere) {
  std::vector<float> A = valuesAround(1);
  for (size_t I = 0; I < 60; ++I)
    A[I] = 1e20f * (1 + float(I));
  std::vector<float> B = A;
  B[97] *= 1.01f;
  EXPECT_FALSE(compare(A, B, Floats, FpClass::Approximate).equal());
}

TEST(BufferCompareTest, ConstantOrZeroOutputIsWrong) {
  std::vector<float> A(100), Zero(100, 0.0f);
  for (size_t I = 0; I < A.size(); ++I)
    A[I] = std::sin(float(I));
  EXPECT_FALSE(compare(A, Zero, Floats, FpClass::ReducedPrecision).equal());
  EXPECT_FALSE(compare(Zero, A, Floats, FpClass::ReducedPrecision).equal());
}

TEST(BufferCompareTest, NanIsNeverEqualToANumber) {
  std::vector<float> A = {1, 2}, B = {1, Nan};
  for (FpClass Class : {FpClass::Exact, FpClass::Reassociate,
                        FpClass::Approximate, FpClass::ReducedPrecision}) {
    EXPECT_FALSE(compare(A, B, Floats, Class).equal());
    EXPECT_FALSE(compare(B, A, Floats, Class).equal());
  }
}

TEST(BufferCompareTest, NanInBothIsEqualAndReported) {
  std::vector<float> A = {1, Nan}, B = {1, -Nan};
  BufferComparison Result = compare(A, B, Floats, FpClass::Reassociate);
  EXPECT_TRUE(Result.equal());
  EXPECT_TRUE(Result.OriginalHasNan);
}

TEST(BufferCompareTest, InfinitiesMustBeTheSame) {
  EXPECT_TRUE(
      compare<float>({Inf, -Inf}, {Inf, -Inf}, Floats, FpClass::Approximate)
          .equal());
  EXPECT_FALSE(
      compare<float>({Inf}, {-Inf}, Floats, FpClass::Approximate).equal());
  EXPECT_FALSE(
      compare<float>({Inf}, {3e38f}, Floats, FpClass::Approximate).equal());
  EXPECT_FALSE(
      compare<float>({1}, {Inf}, Floats, FpClass::Approximate).equal());
}

TEST(BufferCompareTest, IntegersAndUnknownBytesAreExactInEveryClass) {
  std::vector<int32_t> A = {100, 200}, B = {100, 201};
  EXPECT_FALSE(
      compare(A, B, {ElementType::Integer32}, FpClass::ReducedPrecision)
          .equal());
  EXPECT_FALSE(compare(A, B, {}, FpClass::ReducedPrecision).equal());
  EXPECT_THAT(
      compare(A, B, {ElementType::Integer32}, FpClass::Exact).FirstMismatch,
      HasSubstr("200 became 201"));
}

TEST(BufferCompareTest, StructFieldsHaveTheirOwnRules) {
  struct Particle {
    float X;
    int32_t Id;
    char Tag;
    char Gap[3];
  };
  ElementLayout Layout = {ElementType::Float,   ElementType::Integer32,
                          ElementType::Bytes,   ElementType::Padding,
                          ElementType::Padding, ElementType::Padding};
  std::vector<Particle> A = {{1, 5, 'a', {0, 0, 0}}, {2, 6, 'b', {0, 0, 0}}};
  std::vector<Particle> B = {{1, 5, 'a', {9, 9, 9}},
                             {2.00001f, 6, 'b', {9, 9, 9}}};
  EXPECT_TRUE(compare(A, B, Layout, FpClass::Reassociate).equal());
  B[1].Id = 7;
  EXPECT_FALSE(compare(A, B, Layout, FpClass::Reassociate).equal());
}

TEST(BufferCompareTest, PhaseAndPartsFindTheElements) {
  struct Pair {
    float X;
    int32_t Id;
  };
  std::vector<Pair> A(100, {1, 5}), B = A;
  for (Pair &P : B)
    P.X = 1.00001f;
  llvm::StringRef AllA = bytesOf(A), AllB = bytesOf(B);
  ElementLayout Layout = {ElementType::Float, ElementType::Integer32};
  Tolerance Limits{FpClass::Reassociate};
  // A copy that starts at an Id, and one whose kept part does.
  BufferPart Shifted{0, AllA.drop_front(4), AllB.drop_front(4)};
  EXPECT_TRUE(compareBuffers(Shifted, Layout, 4, Limits).equal());
  EXPECT_FALSE(compareBuffers(Shifted, Layout, 0, Limits).equal());
  BufferPart Part{68, AllA.substr(68, 21), AllB.substr(68, 21)};
  BufferComparison Result = compareBuffers(Part, Layout, 0, Limits);
  EXPECT_TRUE(Result.equal());
  EXPECT_EQ(Result.Figures.ValuesCompared, 5u);
}

TEST(BufferCompareTest, NoiseOfTheOriginalWidensTheTolerance) {
  std::vector<float> A(10, 1.0f), B(10, 1.00001f);
  EXPECT_FALSE(compare(A, B, Floats, FpClass::Exact).equal());
  EXPECT_TRUE(compare(A, B, Floats, FpClass::Exact, 1e-6).equal());
}

TEST(BufferCompareTest, HalfValuesAreDecoded) {
  // -2.5, the smallest subnormal, infinity, NaN
  std::vector<uint16_t> A = {0xc100, 0x0001, 0x7c00, 0x7e00};
  std::vector<uint16_t> B = {0xc100, 0x0001, 0x7c00, 0x3c00};
  BufferComparison R = compare(A, B, {ElementType::Half}, FpClass::Approximate);
  EXPECT_EQ(R.Figures.Mismatches, 1u);
  EXPECT_TRUE(R.OriginalHasNan);
  EXPECT_THAT(R.FirstMismatch, HasSubstr("nan became 1"));
  std::vector<uint16_t> C = {0xc100}, D = {0xc500};
  EXPECT_DOUBLE_EQ(
      compare(C, D, {ElementType::Half}, FpClass::Exact).Figures.MaxAbsolute,
      2.5);
}

} // namespace
