//===- EditTest.cpp -------------------------------------------------------===//

#include "TestProgram.h"
#include "llvm/Support/FileSystem.h"

using namespace clang;
using namespace cudal1;
using namespace cudal1::testing;

namespace {

TEST(ApplyEdit, LeavesTheLayoutAloneWithoutAFormatFile) {
  auto P = parseCuda("__global__ void k( int*a ){ a[ 0 ]=1+2 ; }\n");
  EditBuilder B(*P, Side::Device);
  B.replace(findStmt<BinaryOperator>(*P, "1+2")->getSourceRange(), "3");
  EXPECT_EQ(applied(*P, B), "__global__ void k( int*a ){ a[ 0 ]=3 ; }\n");
}

TEST(ApplyEdit, AChangeBeyondTheTextIsAnErrorAndNothingChanges) {
  auto P = parseCuda("__global__ void k(int *a) { a[0] = 1; }\n");
  Edit E;
  llvm::cantFail(
      E.Files[MainFile].add(tooling::Replacement(MainFile, 0, 0, "// head\n")));
  llvm::cantFail(E.Files["/virtual/other.h"].add(
      tooling::Replacement("/virtual/other.h", 100, 1, "x")));
  llvm::Expected<SourceOverlay> Texts = applyEdit(*P, E);
  ASSERT_FALSE(static_cast<bool>(Texts));
  EXPECT_EQ(
      llvm::toString(Texts.takeError()),
      "cannot apply the rewrite to /virtual/other.h: a change lies beyond "
      "the end of its text");
  EXPECT_EQ(P->overlay().count("/virtual/other.h"), 0u);
}

} // namespace
