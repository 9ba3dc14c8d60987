//===- RuleListTest.cpp ---------------------------------------------------===//

#include "cudal1/Rewrite/RuleList.h"
#include "cudal1/Rewrite/Variant.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;

namespace {

std::vector<std::string> names(const RuleList &List) {
  std::vector<std::string> Result;
  for (const std::unique_ptr<Rule> &R : List.rules())
    Result.push_back(R->name().str());
  return Result;
}

/// What --rules=\p Globs leaves on.
std::vector<std::string> selected(llvm::StringRef Globs) {
  RuleList List = RuleList::all();
  llvm::cantFail(List.select(Globs));
  return names(List);
}

TEST(RuleList, NamesAreSortedAndUnique) {
  std::vector<std::string> All = names(RuleList::all());
  EXPECT_TRUE(llvm::is_sorted(All));
  EXPECT_EQ(std::unique(All.begin(), All.end()), All.end());
}

/// Those that need not be named.
std::vector<std::string> usualRules() {
  std::vector<std::string> Result;
  const RuleList All = RuleList::all();
  for (const std::unique_ptr<Rule> &R : All.rules())
    if (!R->isOptIn())
      Result.push_back(R->name().str());
  return Result;
}

TEST(RuleList, ARuleThatIsOptInIsOnOnlyWhereItIsNamed) {
  const std::string Name = "raise-to-library";
  const std::vector<std::string> All = names(RuleList::all());
  EXPECT_THAT(All, ::testing::Contains(Name));
  for (llvm::StringRef Globs : {"", "*", "raise-*", "-unroll-loop"})
    EXPECT_THAT(selected(Globs), ::testing::Not(::testing::Contains(Name)));
  EXPECT_EQ(selected("*,raise-to-library"), All);
  EXPECT_THAT(selected("raise-to-library"), ::testing::ElementsAre(Name));
  EXPECT_EQ(selected("*,raise-to-library,-raise-*"), usualRules());
}

TEST(RuleList, GlobsAddAndRemoveInOrder) {
  const std::vector<std::string> All = usualRules();
  EXPECT_EQ(selected(""), All);
  EXPECT_EQ(selected("*"), All);
  EXPECT_THAT(selected("-*,unroll-loop"),
              ::testing::ElementsAre("unroll-loop"));
  EXPECT_THAT(selected("unroll-*"),
              ::testing::ElementsAre("unroll-and-jam", "unroll-loop"));
  EXPECT_THAT(selected("-*"), ::testing::IsEmpty());
  EXPECT_EQ(selected("-unroll-loop").size(), All.size() - 1);
  EXPECT_EQ(selected("-unroll-loop, *"), All);
}

TEST(RuleList, ANameThatNoRuleHasIsAnError) {
  RuleList List = RuleList::all();
  EXPECT_EQ(llvm::toString(List.select("-*,unrol-loop")),
            "no rule is called 'unrol-loop'; --list-rules prints the names of "
            "all rules");
  EXPECT_EQ(names(List), names(RuleList::all()));
}

TEST(RuleList, EveryRuleHasItsTestAndItsPageWithTheSameSummary) {
  const std::string Root = CUDAL1_SOURCE_DIR;
  const RuleList All = RuleList::all();
  for (const auto &R : All.rules()) {
    std::string Name = R->name().str();
    EXPECT_TRUE(llvm::sys::fs::exists(Root + "/test/Rewrite/" + Name + ".cu"))
        << Name;
    auto Page =
        llvm::MemoryBuffer::getFile(Root + "/docs/rules/" + Name + ".md");
    ASSERT_TRUE(static_cast<bool>(Page)) << Name;
    llvm::SmallVector<llvm::StringRef> Lines;
    (*Page)->getBuffer().split(Lines, '\n');
    ASSERT_GE(Lines.size(), 3u);
    EXPECT_EQ(Lines[0], "# " + Name);
    EXPECT_EQ(Lines[2], R->summary()) << "third line of docs/rules/" << Name;
    EXPECT_TRUE(R->summary().ends_with(".")) << Name;
  }
}

TEST(Variant, PrintsItsRulesWithTheirParameters) {
  Variant V;
  EXPECT_EQ(V.str(), "");
  Rewrite Unroll;
  Unroll.Rule = "unroll-loop";
  Unroll.Params = {{"factor", 4}};
  Rewrite Block;
  Block.Rule = "block-size";
  Block.Params = {{"x", 32}, {"y", 8}};
  Block.Class = FpClass::Reassociate;
  V.Rewrites = {Unroll, Block};
  EXPECT_EQ(V.str(), "unroll-loop[4], block-size[x=32,y=8]");
  EXPECT_EQ(V.fpClass(), FpClass::Reassociate);
  EXPECT_FALSE(V.needsCheck());
}

} // namespace
