//===- MeasurementJsonTest.cpp - Measurements as JSON, and back -----------===//

#include "cudal1/Measure/Measurement.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace cudal1;

namespace {

std::string textOf(const Measurement &M) {
  return llvm::formatv("{0}", toJSON(M)).str();
}

/// Through text, as it is kept.
std::optional<Measurement> read(llvm::StringRef Text) {
  llvm::Expected<llvm::json::Value> Parsed = llvm::json::parse(Text);
  if (!Parsed) {
    ADD_FAILURE() << llvm::toString(Parsed.takeError()) << "\n" << Text.str();
    return std::nullopt;
  }
  Measurement M;
  llvm::json::Path::Root Root("measurement");
  if (!fromJSON(*Parsed, M, Root))
    return std::nullopt;
  return M;
}

Measurement full() {
  Measurement M;
  M.Outcome = Verdict::Faster;
  M.Engine = "program";
  M.Original = RunTimes{{{"_Z1kPf", "k(float*)", 12345678901234567890ull, 0.1,
                          1.0 / 3, 1e-300, 2.5},
                         {"m", "m", 1, 2, 2, 2, 2}},
                        1.5,
                        0.25,
                        1.75,
                        2,
                        333.25};
  M.Variant = RunTimes{{}, 0.5, 0.25, 0.75, 1, 332};
  M.Part = TimedPart::GpuSpan;
  M.Speedup = 3;
  M.SpeedupLow = 2.9999999999999996;
  M.SpeedupHigh = 3.1;
  M.Pairs = 7;
  M.Errors = {1000, 1, 2, 1e-7, std::numeric_limits<double>::infinity(), 3};
  M.Evidence = {"a \"quoted\" sentence", "näher", ""};
  return M;
}

TEST(MeasurementJsonTest, WhatIsWrittenIsReadAgain) {
  Measurement Before = full();
  std::optional<Measurement> After = read(textOf(Before));
  ASSERT_TRUE(After);
  EXPECT_EQ(textOf(*After), textOf(Before));
  EXPECT_EQ(After->Outcome, Verdict::Faster);
  EXPECT_EQ(After->Original->Kernels[0].Launches, 12345678901234567890ull);
  EXPECT_EQ(After->Original->Kernels[0].MedianMs, 1.0 / 3);
  EXPECT_EQ(After->Original->Kernels[0].ShortestMs, 1e-300);
  EXPECT_EQ(After->SpeedupLow, 2.9999999999999996);
  EXPECT_EQ(After->SpeedupHigh, 3.1);
  EXPECT_EQ(After->Part, TimedPart::GpuSpan);
  EXPECT_TRUE(std::isinf(After->Errors.MaxRelative));
  EXPECT_EQ(After->Evidence, Before.Evidence);
}

TEST(MeasurementJsonTest, AbsentFiguresStayAbsent) {
  for (Verdict V :
       {Verdict::Faster, Verdict::Same, Verdict::Slower, Verdict::Ambiguous,
        Verdict::Verified, Verdict::WrongResult, Verdict::CompileError,
        Verdict::RunError, Verdict::Timeout, Verdict::Unsupported}) {
    Measurement Before;
    Before.Outcome = V;
    std::optional<Measurement> After = read(textOf(Before));
    ASSERT_TRUE(After);
    EXPECT_EQ(After->Outcome, V);
    EXPECT_FALSE(After->Original || After->Variant || After->Speedup ||
                 After->SpeedupLow || After->SpeedupHigh);
  }
}

TEST(MeasurementJsonTest, BytesThatAreNoTextAreReplaced) {
  Measurement M = full();
  M.Original->Kernels[0].Name = M.Original->Kernels[0].DisplayName = "k\xff";
  M.Evidence = {"printed \xe4\x80 before"};
  std::optional<Measurement> After = read(textOf(M));
  ASSERT_TRUE(After);
  EXPECT_EQ(After->Original->Kernels[0].Name, "k\xef\xbf\xbd");
  EXPECT_EQ(After->Evidence[0].substr(0, 8), "printed ");
}

TEST(MeasurementJsonTest, WhatIsNoMeasurementIsRefused) {
  std::string Text = textOf(full());
  for (const char *Other : {"null", "[]", "{}", "3", "\"faster\""})
    EXPECT_FALSE(read(Other)) << Other;
  for (auto [From, To] :
       {std::pair("\"faster\"", "\"quick\""), std::pair("\"pairs\"", "\"p\""),
        std::pair("infinity", "many"), std::pair("\"program\"", "17")}) {
    std::string Changed = Text;
    Changed.replace(Changed.find(From), strlen(From), To);
    EXPECT_FALSE(read(Changed)) << Changed;
  }
}

} // namespace
