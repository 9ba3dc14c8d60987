//===- UnifiedDiffTest.cpp - What changed, as diff -u prints it -----------===//

#include "cudal1/Report/UnifiedDiff.h"
#include "gtest/gtest.h"
#include <random>
#include <sstream>

using namespace cudal1;

namespace {

std::string diff(llvm::StringRef Old, llvm::StringRef New) {
  return unifiedDiff("old", Old, "new", New);
}

TEST(UnifiedDiff, IsEmptyForEqualTexts) {
  EXPECT_EQ(diff("a\nb\n", "a\nb\n"), "");
}

TEST(UnifiedDiff, ShowsAChangedLineWithItsSurroundings) {
  EXPECT_EQ(
      diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n"),
      "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, MergesChangesThatShareTheirSurroundings) {
  std::string Old, New;
  for (int I = 0; I < 30; ++I) {
    Old += std::to_string(I) + "\n";
    New += (I == 5 || I == 12 || I == 25 ? "X" : std::to_string(I)) + "\n";
  }
  std::string Text = diff(Old, New);
  EXPECT_EQ(llvm::StringRef(Text).count("@@ -"), 2u) << Text;
}

TEST(UnifiedDiff, CountsLinesOfAnEmptyText) {
  EXPECT_EQ(diff("", "a\n"), "--- old\n+++ new\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(diff("a\n", ""), "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, SaysThatTheLastLineHasNoNewline) {
  EXPECT_EQ(diff("a\nb", "a\nb\n"),
            "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n"
            "\\ No newline at end of file\n+b\n");
}

/// Applies a diff as patch does, checking every context line.
std::string patch(const std::string &Text, const std::string &Diff) {
  std::vector<std::string> Old;
  std::istringstream In(Text);
  for (std::string Line; std::getline(In, Line);)
    Old.push_back(Line);
  std::string Result;
  size_t Next = 0;
  std::istringstream Hunks(Diff);
  std::string Line;
  std::getline(Hunks, Line);
  std::getline(Hunks, Line);
  while (std::getline(Hunks, Line)) {
    if (Line.rfind("@@ -", 0) == 0) {
      size_t First = std::stoul(Line.substr(4));
      bool Empty = Line.find(",0 +") != std::string::npos;
      for (; Next < (Empty ? First : First - 1); ++Next)
        Result += Old.at(Next) + "\n";
      continue;
    }
    if (Line[0] != '+')
      EXPECT_EQ(Line.substr(1), Old.at(Next++));
    if (Line[0] != '-')
      Result += Line.substr(1) + "\n";
  }
  for (; Next < Old.size(); ++Next)
    Result += Old[Next] + "\n";
  return Result;
}

TEST(UnifiedDiff, GivesTheNewTextBackForRandomEdits) {
  std::mt19937_64 Random(1);
  for (int Round = 0; Round < 300; ++Round) {
    std::string Old, New;
    for (size_t I = Random() % 40; I > 0; --I) {
      std::string Line = std::string(1, 'a' + Random() % 4) + "\n";
      uint64_t Fate = Random() % 6;
      Old += Fate == 0 ? "" : Line;
      New += Fate == 1 ? "" : Line;
    }
    std::string Diff = diff(Old, New);
    if (Old == New)
      EXPECT_EQ(Diff, "");
    else
      EXPECT_EQ(patch(Old, Diff), New) << "of\n" << Old << Diff;
  }
}

TEST(UnifiedDiff, StaysQuickWhenNothingIsAlike) {
  std::string Old, New;
  for (int I = 0; I < 20000; ++I) {
    Old += "o" + std::to_string(I) + "\n";
    New += "n" + std::to_string(I) + "\n";
  }
  EXPECT_EQ(patch(Old, diff(Old, New)), New);
}

} // namespace
