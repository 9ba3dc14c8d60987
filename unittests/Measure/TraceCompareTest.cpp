//===- TraceCompareTest.cpp - Compare what two runs did on the GPU --------===//

#include "cudal1/Measure/TraceCompare.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <deque>

using namespace cudal1;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::CopyOrigin;

namespace {

/// Builds a trace event by event; keeps the bytes of its copies.
class TraceBuilder {
public:
  TraceBuilder() { T.Complete = true; }

  TraceBuilder &alloc(uint64_t Address, uint64_t Bytes) {
    T.Events.push_back(
        TraceAllocation{trace::AllocationKind::Device, Address, Bytes});
    return *this;
  }
  TraceBuilder &free(uint64_t Address) {
    T.Events.push_back(TraceFree{Address});
    return *this;
  }
  TraceBuilder &launch(std::string Name, std::vector<uint64_t> Values) {
    trace::Launch L;
    L.Name = std::move(Name);
    for (uint64_t Value : Values)
      L.Parameters.push_back({0, 8, Value});
    T.Events.push_back(std::move(L));
    return *this;
  }
  TraceBuilder &copy(uint64_t Source, std::vector<float> Values,
                     CopyOrigin Origin = CopyOrigin::Copy, bool Keep = true) {
    Bytes.emplace_back(reinterpret_cast<const char *>(Values.data()),
                       Values.size() * sizeof(float));
    TraceCopy C{Origin, Source, Bytes.back().size(), {}, 1 << 20, {}};
    C.Digest.add(Bytes.back().data(), Bytes.back().size());
    C.Digest.finish();
    if (Keep)
      C.Kept = Bytes.back();
    T.Events.push_back(C);
    return *this;
  }

  RunRecord record() const { return recordRun(T, Table); }

  Trace T;
  KernelParameterTable Table;

private:
  std::deque<std::string> Bytes;
};

TEST(TraceCompareTest, LayoutComesFromTheLastTypedLaunch) {
  TraceBuilder B;
  B.Table["k"] = {{ElementType::Float}, {}};
  B.Table["n"] = {{}, {ElementType::Integer32}};
  B.alloc(1000, 100).alloc(2000, 100);
  B.launch("k", {1000, 2000}).launch("unknown", {1000});
  B.copy(1000, {1}).copy(2000, {1}).copy(5000, {1});
  B.launch("n", {7, 1000}).copy(1040, {1});
  B.free(1000).alloc(1000, 100).copy(1000, {1});
  RunRecord R = B.record();
  const std::vector<TypedCopy> &Copies = R.Copies.at(CopyOrigin::Copy);
  ASSERT_EQ(Copies.size(), 5u);
  EXPECT_THAT(Copies[0].Layout, ElementsAre(ElementType::Float));
  EXPECT_THAT(Copies[1].Layout, IsEmpty());
  EXPECT_THAT(Copies[2].Layout, IsEmpty());
  EXPECT_THAT(Copies[3].Layout, ElementsAre(ElementType::Integer32));
  EXPECT_THAT(Copies[4].Layout, IsEmpty()); // memory used anew
}

TEST(TraceCompareTest, PhaseCountsFromTheKernelsPointer) {
  TraceBuilder B;
  B.Table["k"] = {{ElementType::Float, ElementType::Integer32}};
  // The kernel's elements of 8 bytes start at 1004; a copy starts at 1000,
  // four bytes into the element before, another at 1012, at an element.
  B.alloc(1000, 100).launch("k", {1004}).copy(1000, {1}).copy(1012, {1});
  RunRecord R = B.record();
  EXPECT_EQ(R.Copies.at(CopyOrigin::Copy)[0].Phase, 4u);
  EXPECT_EQ(R.Copies.at(CopyOrigin::Copy)[1].Phase, 0u);
}

TEST(TraceCompareTest, StaticKernelsAreFoundUnderTheOtherCompilersName) {
  TraceBuilder B;
  B.Table["_ZL1kPf"] = {{ElementType::Float}};
  B.Table["_ZN12_GLOBAL__N_11mEPd"] = {{ElementType::Double}};
  B.Table["_Z1oPf"] = {{ElementType::Float}};
  B.Table["_Z1oPi"] = {{ElementType::Integer32}};
  B.alloc(1000, 100).alloc(2000, 100).alloc(3000, 100).alloc(4000, 100);
  B.launch("_Z1kPf", {1000});
  B.launch("_ZN32_GLOBAL__N__fb23fdff_4_s_cu_main1mEPd", {2000});
  B.launch("_Z1oPKf", {3000}).launch("_Z1oPi", {4000});
  B.copy(1000, {1}).copy(2000, {1}).copy(3000, {1}).copy(4000, {1});
  RunRecord R = B.record();
  const std::vector<TypedCopy> &Copies = R.Copies.at(CopyOrigin::Copy);
  EXPECT_THAT(Copies[0].Layout, ElementsAre(ElementType::Float));
  EXPECT_THAT(Copies[1].Layout, ElementsAre(ElementType::Double));
  EXPECT_THAT(Copies[2].Layout, IsEmpty()); // which overload?
  EXPECT_THAT(Copies[3].Layout, ElementsAre(ElementType::Integer32));
}

TEST(TraceCompareTest, CapturedAndFailedLaunchesRanNothing) {
  TraceBuilder B;
  B.launch("k", {}).launch("k", {}).launch("k", {});
  std::get<trace::Launch>(B.T.Events[1]).Captured = 1;
  std::get<trace::Launch>(B.T.Events[2]).Result = 1;
  EXPECT_EQ(B.record().totalKernelRuns(), 1u);
}

TEST(TraceCompareTest, NoiseOfTheOriginalIsLearntPerCopy) {
  TraceBuilder A, B;
  for (TraceBuilder *T : {&A, &B}) {
    T->Table["k"] = {{ElementType::Float}};
    T->alloc(1000, 100).launch("k", {1000});
  }
  A.copy(1000, {1, 1}).copy(1000, {1, 1}).copy(1000, {1, 1});
  B.copy(1000, {1, 1}).copy(1000, {1, 1.000001f}).copy(1000, {1, 5});
  RunVariation V = learnVariation(A.record(), B.record());
  EXPECT_EQ(V.CopyNoise.size(), 2u);
  EXPECT_NEAR(V.CopyNoise.at({CopyOrigin::Copy, 1}), 1e-6, 1e-7);
  EXPECT_TRUE(std::isinf(V.CopyNoise.at({CopyOrigin::Copy, 2})));
  EXPECT_THAT(V.Sentences, ElementsAre(HasSubstr("2 of 3 × device-to-host")));

  TraceBuilder C;
  C.Table["k"] = {{ElementType::Float}};
  C.alloc(1000, 100).launch("k", {1000});
  C.copy(1000, {1, 1}).copy(1000, {1, 1.00001f}).copy(1000, {1, 99});
  EXPECT_THAT(compareRuns(A.record(), C.record(), V, FpClass::Exact).Problems,
              IsEmpty());
  EXPECT_FALSE(
      compareRuns(A.record(), C.record(), RunVariation(), FpClass::Exact)
          .equal());
}

TEST(TraceCompareTest, AKernelThatALibraryReplacesNeedNotRun) {
  TraceBuilder A, B;
  A.launch("_Z6matmulPf", {}).launch("_Z4copyPf", {});
  B.launch("_Z4copyPf", {});
  EXPECT_THAT(
      compareRuns(A.record(), B.record(), RunVariation(), FpClass::Exact)
          .Problems,
      ElementsAre(HasSubstr("kernel matmul ran 0 times, 1 in the original")));
  EXPECT_TRUE(compareRuns(A.record(), B.record(), RunVariation(),
                          FpClass::Exact, CopyCount::All, {"_Z6matmulPf"})
                  .equal());
  EXPECT_FALSE(compareRuns(A.record(), B.record(), RunVariation(),
                           FpClass::Exact, CopyCount::All, {"_Z4copyPf"})
                   .equal());
}

TEST(TraceCompareTest, ValuesOutsideOfTheSampleMustBeExactInClassExact) {
  TraceBuilder A, B;
  A.copy(0, {1, 2}, CopyOrigin::Copy, /*Keep=*/false);
  B.copy(0, {1, 3}, CopyOrigin::Copy, /*Keep=*/false);
  RunComparison R =
      compareRuns(A.record(), B.record(), RunVariation(), FpClass::Approximate);
  EXPECT_THAT(R.Problems, ElementsAre(HasSubstr("bytes were not kept")));
}

TEST(TraceCompareTest, OnlyTheFirstProblemsAreListed) {
  TraceBuilder A, B;
  for (int I = 0; I < 10; ++I) {
    A.copy(0, {1});
    B.copy(0, {2});
  }
  RunComparison R =
      compareRuns(A.record(), B.record(), RunVariation(), FpClass::Exact);
  ASSERT_EQ(R.Problems.size(), 4u);
  EXPECT_THAT(R.Problems.back(), HasSubstr("7 more"));
}

TEST(TraceCompareTest, BuffersAtTheirReleaseAreEvidenceButNotRequired) {
  TraceBuilder A, B, C;
  A.copy(0, {1}, CopyOrigin::FreedBuffer);
  C.copy(0, {2}, CopyOrigin::FreedBuffer);
  EXPECT_TRUE(
      compareRuns(A.record(), B.record(), RunVariation(), FpClass::Exact)
          .equal());
  EXPECT_FALSE(
      compareRuns(A.record(), C.record(), RunVariation(), FpClass::Exact)
          .equal());
}

TEST(TraceCompareTest, RewrittenHostCodeMayLeaveOutAllButTheLastCopies) {
  auto Start = [](TraceBuilder &B) -> TraceBuilder & {
    B.Table["k"] = {{ElementType::Float}, {ElementType::Float}};
    return B.alloc(1000, 100).alloc(2000, 100).launch("k", {1000, 2000});
  };
  auto Problems = [](const TraceBuilder &A, const TraceBuilder &B) {
    return compareRuns(A.record(), B.record(), RunVariation(), FpClass::Exact,
                       CopyCount::LastOfEachPlace)
        .Problems;
  };
  TraceBuilder A, Last, Swapped, Older, Missing, More;
  Start(A).copy(1000, {1}).copy(2000, {7}).copy(1000, {2}).copy(2000, {8});
  Start(Last).copy(2000, {8}).copy(1000, {2});
  Start(Swapped).copy(2000, {7}).copy(1000, {1}).copy(2000, {8}).copy(1000,
                                                                      {2});
  Start(Older).copy(1000, {1}).copy(2000, {8});
  Start(Missing).copy(1000, {2});
  Start(More).copy(1000, {2}).copy(1000, {2}).copy(1000, {2}).copy(2000, {8});
  EXPECT_THAT(Problems(A, A), IsEmpty());
  EXPECT_THAT(Problems(A, Last), IsEmpty());
  EXPECT_THAT(Problems(A, Swapped), IsEmpty());
  EXPECT_THAT(Problems(A, Older), ElementsAre(HasSubstr("2 became 1")));
  EXPECT_THAT(Problems(A, Missing), ElementsAre(HasSubstr("has 1 ×")));
  EXPECT_FALSE(Problems(A, More).empty());
}

TEST(TraceCompareTest, RunsOfAKernelThatTookOverCountForTheOldOnes) {
  TraceBuilder A, B, C;
  A.launch("first", {}).launch("second", {}).launch("first", {});
  B.launch("both", {}).launch("first", {});
  C.launch("both", {});
  std::vector<KernelMerge> Merges{{"first", "both", 1}, {"second", "both", 1}};
  auto Problems = [&](const TraceBuilder &Variant,
                      llvm::ArrayRef<KernelMerge> Merges) {
    return compareRuns(A.record(), Variant.record(), RunVariation(),
                       FpClass::Exact, CopyCount::All, {}, Merges)
        .Problems;
  };
  EXPECT_THAT(Problems(B, Merges), IsEmpty());
  EXPECT_THAT(Problems(B, {}), ElementsAre(HasSubstr("first ran 1 times"),
                                           HasSubstr("second ran 0 times")));
  // A launch was dropped.
  EXPECT_THAT(Problems(C, Merges), ElementsAre(HasSubstr("first ran 0 times")));
}

TEST(TraceCompareTest, KernelsThatTookOverInTurnCountTogether) {
  TraceBuilder A, B, C;
  A.launch("k", {}).launch("k", {}).launch("k", {}).launch("k", {});
  B.launch("kkkk", {});
  std::vector<KernelMerge> Merges{{"k", "kk", 2}, {"kk", "kkkk", 2}};
  EXPECT_TRUE(compareRuns(A.record(), B.record(), RunVariation(),
                          FpClass::Exact, CopyCount::All, {}, Merges)
                  .equal());
  C.launch("kk", {});
  EXPECT_FALSE(compareRuns(A.record(), C.record(), RunVariation(),
                           FpClass::Exact, CopyCount::All, {}, Merges)
                   .equal());
}

} // namespace
