//===- PolynomialTest.cpp -------------------------------------------------===//

#include "cudal1/Analysis/Polynomial.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;

namespace {

const Polynomial X = Polynomial::symbol(0), Y = Polynomial::symbol(1),
                 N = Polynomial::symbol(2);

std::string name(SymbolId Id) { return std::string(1, "xyn"[Id]); }

TEST(Polynomial, AnIndexIsOneFormHoweverItIsWritten) {
  EXPECT_EQ((Y * N + X) * Polynomial(2), X + X + N * Y * Polynomial(2));
  EXPECT_EQ((X + Y) * (X - Y), X * X - Y * Y);
}

TEST(Polynomial, EqualTermsCancel) {
  EXPECT_TRUE((X * N - N * X).isZero());
  EXPECT_EQ((X + Polynomial(3) - X).constant(), 3);
}

TEST(Polynomial, TheStrideIsTheCoefficient) {
  Polynomial Index = (Y + Polynomial(1)) * N + X;
  EXPECT_EQ(Index.coefficientOf(1), N);
  EXPECT_EQ(Index.coefficientOf(0), Polynomial(1));
  EXPECT_EQ(Index.without(1), N + X);
}

TEST(Polynomial, ThereIsNoStrideInASquare) {
  EXPECT_EQ((X * X + Y).coefficientOf(0), std::nullopt);
  EXPECT_EQ((X * X + Y).degreeIn(0), 2u);
}

TEST(Polynomial, SubstitutionReplacesEveryPower) {
  EXPECT_EQ((X * X + X).substitute(0, Y + Polynomial(1)),
            Y * Y + Polynomial(3) * Y + Polynomial(2));
}

TEST(Polynomial, DivisionIsExactOrNothing) {
  EXPECT_EQ((X * Polynomial(4) + Polynomial(8)).dividedBy(4),
            X + Polynomial(2));
  EXPECT_EQ((X * Polynomial(4) + Polynomial(2)).dividedBy(4), std::nullopt);
  EXPECT_EQ(X.dividedBy(0), std::nullopt);
}

TEST(Polynomial, CoefficientsWrapInsteadOfOverflowing) {
  Polynomial Big(INT64_MAX);
  EXPECT_EQ((Big + Polynomial(1)).constant(), INT64_MIN);
  EXPECT_EQ((Big * Polynomial(2)).constant(), -2);
}

TEST(Polynomial, ReadsAsAPersonWritesIt) {
  EXPECT_EQ((N * Y + X - Polynomial(1)).str(name), "x + y*n - 1");
  EXPECT_EQ(Polynomial(0).str(name), "0");
  EXPECT_EQ((Polynomial(0) - X).str(name), "-x");
  EXPECT_EQ((Polynomial(-3) * X).str(name), "-3*x");
}

} // namespace
