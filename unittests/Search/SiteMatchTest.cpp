//===- SiteMatchTest.cpp - Steps named by a user, sites found again -------===//

#include "cudal1/Search/SiteMatch.h"
#include "FakeProblem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;
using testing::HasSubstr;

namespace {

std::string errorOf(llvm::Error E) { return llvm::toString(std::move(E)); }

TEST(StepSpec, ReadsEveryPart) {
  auto Spec = StepSpec::parse("unroll-loop@12:i{factor=4,full=0}");
  ASSERT_TRUE(bool(Spec));
  EXPECT_EQ(Spec->Rule, "unroll-loop");
  EXPECT_EQ(Spec->Line, 12u);
  EXPECT_EQ(Spec->Subject, "i");
  EXPECT_EQ(Spec->Params, (RewriteParams{{"factor", 4}, {"full", 0}}));
  EXPECT_EQ(Spec->str(), "unroll-loop@12:i{factor=4,full=0}");
}

TEST(StepSpec, ASubjectMayHoldAnyCharacter) {
  auto Spec = StepSpec::parse("scalar-replacement:C[row * n + a@b::c]");
  ASSERT_TRUE(bool(Spec));
  EXPECT_EQ(Spec->Subject, "C[row * n + a@b::c]");
  EXPECT_FALSE(Spec->Line);
}

TEST(StepSpec, SaysWhatDoesNotFit) {
  EXPECT_THAT(errorOf(StepSpec::parse("unroll@x").takeError()),
              HasSubstr("'x' is not a line number"));
  EXPECT_THAT(errorOf(StepSpec::parse("unroll{factor}").takeError()),
              HasSubstr("'factor' is not name=number"));
  EXPECT_THAT(errorOf(StepSpec::parse("@12").takeError()),
              HasSubstr("no rule is named"));
  EXPECT_THAT(errorOf(StepSpec::parse("unroll4}").takeError()),
              HasSubstr("no '{' before '}'"));
}

class Sites : public testing::Test {
protected:
  Sites() {
    K.DisplayName = "k";
    add("unroll", 10, "i", {{{"factor", 2}}, {{"factor", 4}}});
    add("unroll", 30, "i", {{{"factor", 2}}, {{"factor", 4}}});
    add("hoist", 12, "n * 2", {{}});
  }
  void add(const std::string &Name, unsigned Line, const std::string &Subject,
           std::vector<RewriteParams> Choices) {
    Site S;
    S.TheRule = Name == "hoist" ? &Hoist : &Unroll;
    S.TheKernel = &K;
    S.File = "/main.cu";
    S.Line = Line;
    S.Subject = Subject;
    S.Choices = std::move(Choices);
    List.push_back(std::move(S));
  }
  StepSpec spec(llvm::StringRef Text) {
    return llvm::cantFail(StepSpec::parse(Text));
  }

  FakeRule Unroll{"unroll"}, Hoist{"hoist"};
  Kernel K;
  std::vector<Site> List;
};

TEST_F(Sites, TheFirstThatFitsIsTaken) {
  auto A = findStep(List, spec("unroll{factor=4}"));
  ASSERT_TRUE(bool(A));
  EXPECT_EQ(A->Where->Line, 10u);
  EXPECT_EQ(A->Params->at("factor"), 4);
}

TEST_F(Sites, ALineChooses) {
  auto A = findStep(List, spec("unroll@30"));
  ASSERT_TRUE(bool(A));
  EXPECT_EQ(A->Where->Line, 30u);
}

TEST_F(Sites, AMissNamesWhatThereIs) {
  EXPECT_THAT(errorOf(findStep(List, spec("unroll@11")).takeError()),
              HasSubstr("unroll@10:i {factor=2} {factor=4}; unroll@30:i"));
  EXPECT_THAT(errorOf(findStep(List, spec("unroll{factor=3}")).takeError()),
              HasSubstr("no site fits 'unroll{factor=3}'"));
  EXPECT_THAT(errorOf(findStep(List, spec("pad")).takeError()),
              HasSubstr("no legal site"));
}

TEST_F(Sites, ASiteIsFoundAgainThoughItsLineMoved) {
  Rewrite R = describe(List[1], {{"factor", 2}});
  R.Line = 27;
  auto A = findAgain(List, R);
  ASSERT_TRUE(A);
  EXPECT_EQ(A->Where->Line, 30u);
  R.Kernel = "other";
  EXPECT_FALSE(findAgain(List, R));
}

} // namespace
