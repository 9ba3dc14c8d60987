//===- SteppingTest.cpp - Rewriting without measuring, on parsed source ---===//

#include "cudal1/Search/Stepping.h"
#include "../Rewrite/TestProgram.h"
#include "cudal1/Search/ElementLayouts.h"
#include "cudal1/Search/ProgramProblem.h"
#include "gmock/gmock.h"

using namespace cudal1;
using cudal1::testing::MainFile;
using cudal1::testing::parseCuda;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

constexpr char TwoKernels[] = R"(
__global__ void first(float *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
__global__ void second(float *b, int n) {
  for (int j = 0; j < n; ++j)
    b[j] += 1;
  for (int k = 0; k < n; ++k)
    b[k] *= 2;
}
)";

class Stepping : public ::testing::Test {
protected:
  Stepping() { llvm::cantFail(Rules.select("-*,unroll-loop")); }
  std::unique_ptr<RewriteSession> session(llvm::StringRef Text) {
    return std::make_unique<RewriteSession>(
        parseCuda(Text), Rules, SiteFilter{FpClass::ReducedPrecision, false});
  }
  static std::string text(const RewriteSession &S) {
    return S.current().Texts.at(MainFile);
  }
  static size_t pragmas(const RewriteSession &S) {
    return llvm::StringRef(text(S)).count("#pragma unroll");
  }

  RuleList Rules = RuleList::all();
};

/// Every step is worth the same, the first of a kernel is the best.
class FirstIsBest : public Policy {
public:
  llvm::StringRef name() const override { return "first"; }
  PolicyScores score(const PolicyState &State) const override {
    PolicyScores Result;
    for (size_t I = 0; I < State.Actions.size(); ++I)
      Result.Actions.push_back(1.0 - 0.001 * double(I));
    return Result;
  }
};

TEST_F(Stepping, ASessionGoesBackToTheOriginal) {
  auto S = session(TwoKernels);
  Variant Original = S->current();
  size_t Sites = S->sites().size();
  llvm::cantFail(
      applyNamedSteps(*S, llvm::cantFail(StepSpec::parse("unroll-loop:i"))));
  EXPECT_EQ(pragmas(*S), 1u);
  EXPECT_LT(S->sites().size(), Sites);
  llvm::cantFail(S->advance(Original));
  EXPECT_EQ(text(*S), TwoKernels);
  EXPECT_EQ(S->sites().size(), Sites);
}

TEST_F(Stepping, ASessionSurvivesTextThatDoesNotParse) {
  auto S = session(TwoKernels);
  Variant Broken = S->current();
  Broken.Texts[MainFile] = "__global__ void first(";
  size_t Sites = S->sites().size();
  llvm::Error E = S->advance(Broken);
  EXPECT_TRUE(bool(E));
  llvm::consumeError(std::move(E));
  EXPECT_EQ(text(*S), TwoKernels);
  EXPECT_EQ(S->sites().size(), Sites);
}

TEST_F(Stepping, EverythingEndsWhenNoSiteIsLeft) {
  auto S = session(TwoKernels);
  auto Rejected = applyEverything(*S, 100);
  ASSERT_TRUE(bool(Rejected));
  EXPECT_THAT(*Rejected, IsEmpty());
  EXPECT_EQ(pragmas(*S), 3u);
  EXPECT_THAT(S->sites(), IsEmpty());
}

TEST_F(Stepping, EverythingGivesUpAtItsLimit) {
  auto S = session(TwoKernels);
  auto Rejected = applyEverything(*S, 2);
  ASSERT_FALSE(bool(Rejected));
  EXPECT_THAT(llvm::toString(Rejected.takeError()),
              HasSubstr("stopped after 2 rewrites"));
}

TEST_F(Stepping, ThePolicyTakesOneStepOfEachKernelPerParse) {
  auto S = session(TwoKernels);
  auto Rejected = applyByPolicy(*S, FirstIsBest(), 1.0, nullptr);
  ASSERT_TRUE(bool(Rejected));
  EXPECT_EQ(pragmas(*S), 3u);
  std::vector<std::string> Subjects;
  for (const Rewrite &R : S->current().Rewrites)
    Subjects.push_back(R.Subject);
  EXPECT_THAT(Subjects, ElementsAre("i", "j", "k"));
}

TEST_F(Stepping, WhatTheCompilerRefusesIsTakenBackAndNamed) {
  auto S = session(TwoKernels);
  // The compiler of this test takes two pragmas, not three.
  CompileCheck Check = [](const Variant &V) -> llvm::Error {
    if (llvm::StringRef(V.Texts.at(MainFile)).count("#pragma") < 3)
      return llvm::Error::success();
    return llvm::createStringError("too many pragmas");
  };
  auto Rejected = applyByPolicy(*S, FirstIsBest(), 1.0, Check);
  ASSERT_TRUE(bool(Rejected));
  EXPECT_EQ(pragmas(*S), 2u);
  ASSERT_FALSE(Rejected->empty());
  EXPECT_EQ(Rejected->front().What.Subject, "k");
  EXPECT_EQ(Rejected->front().Why, "too many pragmas");
}

TEST_F(Stepping, NothingIsLeftOfWhatTheCompilerNeverTakes) {
  auto S = session(TwoKernels);
  CompileCheck Check = [](const Variant &V) -> llvm::Error {
    if (!llvm::StringRef(V.Texts.at(MainFile)).contains("#pragma"))
      return llvm::Error::success();
    return llvm::createStringError("no pragmas");
  };
  auto Rejected = applyByPolicy(*S, FirstIsBest(), 1.0, Check);
  ASSERT_TRUE(bool(Rejected));
  EXPECT_EQ(text(*S), TwoKernels);
}

TEST_F(Stepping, ACompilerThatRefusesTheOriginalIsAnErrorOfItsOwn) {
  auto S = session(TwoKernels);
  CompileCheck Check = [](const Variant &) {
    return llvm::createStringError("no disk space");
  };
  auto Rejected = applyByPolicy(*S, FirstIsBest(), 1.0, Check);
  ASSERT_FALSE(bool(Rejected));
  EXPECT_EQ(llvm::toString(Rejected.takeError()), "no disk space");
}

TEST_F(Stepping, SmallGainsAreNotWorthARewriteThatNobodyMeasures) {
  auto S = session(TwoKernels);
  auto Rejected = applyByPolicy(*S, FirstIsBest(), 3.0, nullptr);
  ASSERT_TRUE(bool(Rejected));
  EXPECT_EQ(text(*S), TwoKernels);
}

TEST_F(Stepping, AProfileNamesKernelsAsTheUsersCompilerDoes) {
  auto S = session("namespace { __global__ void hidden(float *a) { *a = 1; } }"
                   "template <class T> __global__ void t(T *a) { *a = 1; }"
                   "void run(float *f, double *d) {"
                   "  hidden<<<1, 1>>>(f); t<<<1, 1>>>(f); t<<<1, 1>>>(d); }");
  RunTimes Times;
  for (auto [Name, Ms] :
       {std::pair("_ZN32_GLOBAL__N__4a7812cb_4_k_cu_main6hiddenEPf", 5.0),
        std::pair("_Z1tIfEvPT_", 3.0), std::pair("_Z1tIdEvPT_", 1.0),
        std::pair("_Z7libraryv", 1.0)}) {
    KernelTime T;
    T.Name = Name;
    T.TotalMs = Ms;
    Times.Kernels.push_back(T);
  }
  KernelProfile Profile(S->analysis(), Times);
  std::map<std::string, double> Shares;
  for (const auto &K : S->analysis().kernels())
    if (K->IsPrimary)
      Shares[K->Name] = Profile.share(K->DisplayName).value_or(-1);
  EXPECT_EQ(Shares.size(), 2u);
  for (const auto &[Name, Share] : Shares)
    EXPECT_NEAR(Share, llvm::StringRef(Name).ends_with("hidden") ? 0.5 : 0.4,
                1e-9)
        << Name;
}

TEST(KernelProfileTest, KnowsNothingWithoutTimes) {
  EXPECT_EQ(KernelProfile().share("k"), std::nullopt);
}

TEST_F(Stepping, LayoutsOfElementsListTheirScalarsAndGaps) {
  auto S = session(R"(
struct Particle { float Position[3]; char Kind; double Mass; };
struct Base { int A; };
struct Derived : Base { int B; };
union Either { int I; float F; };
__global__ void k(Particle *p, float4 *v, const unsigned short *h, Derived *d,
                  Either *e, void *u, int n) {}
void run() { k<<<1, 1>>>(0, 0, 0, 0, 0, 0, 0); }
)");
  KernelParameterTable Table = parameterTableOf(S->analysis());
  ASSERT_EQ(Table.size(), 1u);
  const std::vector<ElementLayout> &Layouts = Table.begin()->second;
  ASSERT_EQ(Layouts.size(), 7u);
  using E = ElementType;
  EXPECT_THAT(Layouts[0],
              ElementsAre(E::Float, E::Float, E::Float, E::Bytes, E::Padding,
                          E::Padding, E::Padding, E::Double));
  EXPECT_THAT(Layouts[1], ElementsAre(E::Float, E::Float, E::Float, E::Float));
  EXPECT_THAT(Layouts[2], ElementsAre(E::Integer16));
  for (size_t I : {3, 4, 5, 6})
    EXPECT_THAT(Layouts[I], IsEmpty()) << I;
}

TEST_F(Stepping, DoublesThatHoldComputedFloatsAreNoBetterThanFloats) {
  auto S = session(R"(
__global__ void k(const float *losses, double *total, double *plain) {
  total[0] += losses[0] * losses[1];
  plain[0] += losses[0];
}
)");
  KernelParameterTable Table = parameterTableOf(S->analysis());
  const std::vector<ElementLayout> &Layouts = Table.begin()->second;
  ASSERT_EQ(Layouts.size(), 3u);
  EXPECT_THAT(Layouts[1], ElementsAre(ElementType::FloatInDouble));
  EXPECT_THAT(Layouts[2], ElementsAre(ElementType::Double));
}

TEST_F(Stepping, UntypedMemoryIsWhatTheKernelTakesItFor) {
  auto S = session(R"(
struct Pair { float x; int n; };
__global__ void k(void *cast, const char *twice, void *mixed, void *used,
                  unsigned char *bytes, void *pair) {
  float *f = static_cast<float *>(cast);
  f[0] = ((const double *)twice)[0] + reinterpret_cast<const double *>(twice)[1];
  ((float *)mixed)[0] = ((int *)mixed)[1];
  ((float *)used)[0] = ((float *)((char *)used + 4))[0];
  bytes[0] += ((float *)(bytes + 4))[0];
  ((Pair *)(pair))->x = 1;
}
)");
  KernelParameterTable Table = parameterTableOf(S->analysis());
  const std::vector<ElementLayout> &Layouts = Table.begin()->second;
  ASSERT_EQ(Layouts.size(), 6u);
  using E = ElementType;
  EXPECT_THAT(Layouts[0], ElementsAre(E::Float));
  EXPECT_THAT(Layouts[1], ElementsAre(E::Double));
  EXPECT_THAT(Layouts[2], IsEmpty());
  EXPECT_THAT(Layouts[3], IsEmpty());
  EXPECT_THAT(Layouts[4], ElementsAre(E::Bytes));
  EXPECT_THAT(Layouts[5], ElementsAre(E::Float, E::Integer32));
}

TEST_F(Stepping, PointersWithinStructuresAreListed) {
  auto S = session(R"(
struct Base { const double *d; };
struct Inner { int n; float *f; };
struct Outer : Base { int n; Inner in[1]; Inner one; void *untyped; };
union Either { float *f; long n; };
__global__ void k(float *plain, Outer o, Either e) {
  plain[0] = o.one.f[0] + o.d[0];
}
)");
  PointerMemberTable Table = memberTableOf(S->analysis());
  const std::vector<PointerMember> &Members = Table.begin()->second;
  ASSERT_EQ(Members.size(), 2u);
  using E = ElementType;
  EXPECT_EQ(Members[0].Parameter, 1u);
  EXPECT_EQ(Members[0].Offset, 0u);
  EXPECT_THAT(Members[0].Layout, ElementsAre(E::Double));
  EXPECT_EQ(Members[1].Offset, 40u);
  EXPECT_THAT(Members[1].Layout, ElementsAre(E::Float));
}

} // namespace
