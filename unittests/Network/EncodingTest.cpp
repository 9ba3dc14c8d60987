//===- EncodingTest.cpp - What the network is given -----------------------===//

#include "cudal1/Network/Encoding.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>

using namespace cudal1;

namespace {

CandidateStep unroll(int64_t Factor, std::string Subject = "k") {
  return {{"unroll-loop", std::move(Subject), {{"factor", Factor}}},
          {{"advice", 0.25}}};
}

size_t stateColumn(std::string_view Name) {
  const std::vector<std::string> &Names = schema().StateNames;
  return std::find(Names.begin(), Names.end(), Name) - Names.begin();
}

TEST(Encoding, ScalesByLogarithm) {
  Decision D;
  D.State["blockThreads"] = 255;
  D.State["timeShare"] = 0.5;
  EncodedDecision E = encode(D);
  ASSERT_EQ(E.State.size(), schema().StateWidth);
  EXPECT_FLOAT_EQ(E.State[stateColumn("blockThreads")], 8);
  EXPECT_FLOAT_EQ(E.State[stateColumn("timeShare")], 0.5);
}

TEST(Encoding, IgnoresWhatTheSchemaLacksAndWhatIsNotANumber) {
  Decision D;
  D.State["of a later version"] = 7;
  D.State["loops"] = std::numeric_limits<double>::quiet_NaN();
  EncodedDecision E = encode(D);
  EXPECT_EQ(std::count(E.State.begin(), E.State.end(), 0.0F),
            static_cast<long>(E.State.size()));
}

TEST(Encoding, GivesUnknownRulesTheLastSlot) {
  Decision D;
  D.Actions = {{{"of-tomorrow", "", {}}, {}}, {{"of-next-year", "", {}}, {}}};
  EncodedDecision E = encode(D);
  EXPECT_TRUE(std::ranges::equal(E.Actions.row(0), E.Actions.row(1)));
  EXPECT_EQ(std::count(E.Actions.Values.begin(), E.Actions.Values.end(), 1.0F),
            2);
}

TEST(Encoding, PutsTheAdviceWhereTheSchemaSays) {
  Decision D;
  D.Actions = {unroll(4)};
  EXPECT_FLOAT_EQ(encode(D).Actions.row(0)[schema().AdviceColumn], 0.25);
}

TEST(Encoding, ComparesEveryStepWithEveryExample) {
  Decision D;
  D.Actions = {unroll(4), unroll(8), {{"block-size", "", {{"x", 64}}}, {}}};
  MeasuredExample M;
  M.Rewrites = {unroll(4).Key};
  MeasuredExample Other;
  Other.Rewrites = {unroll(4, "j").Key};
  D.Examples = {M, Other};
  EncodedDecision E = encode(D);
  ASSERT_EQ(E.Pairs.size(), 6U);
  auto Pair = [&](size_t Action, size_t Example) {
    std::span<const float> R = E.Pairs.row(Action * 2 + Example);
    return std::vector<float>(R.begin(), R.end());
  };
  EXPECT_EQ(Pair(0, 0), (std::vector<float>{1, 1, 1, 0}));
  EXPECT_EQ(Pair(0, 1), (std::vector<float>{0, 1, 0, 0}));
  EXPECT_NEAR(Pair(1, 0)[3], std::log2(9.0) - std::log2(5.0), 1e-6);
  EXPECT_EQ(Pair(2, 0), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Encoding, ToleratesAnExampleWithoutRewrites) {
  Decision D;
  D.Actions = {unroll(2)};
  D.Examples.emplace_back();
  EXPECT_EQ(encode(D).Examples.size(), 1U);
}

TEST(Schema, HasOneHashForOneSchema) {
  EXPECT_EQ(schema().Hash.size(), 16U);
  EXPECT_EQ(schema().StateGroups.size(), schema().StateWidth);
}

} // namespace
