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

TEST(ApplyEdit, FormatsTouchedLinesWhereTheProjectHasAFormatFile) {
  llvm::SmallString<128> Folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("apply-edit", Folder));
  const std::string Root = Folder.str().str(), File = Root + "/main.cu";
  {
    std::error_code Why;
    llvm::raw_fd_ostream Style(Root + "/.clang-format", Why);
    ASSERT_FALSE(Why);
    Style << "BasedOnStyle: LLVM\n";
  }
  auto P = parseFile(File, {{File, "__global__ void k( int*a, int n ) {\n"
                                   "    a[ 0 ]=1 ;\n"
                                   "    a[ 1 ]=1+2 ;\n"
                                   "}\n"
                                   "void launch(int *a) {\n"
                                   "    k <<< 1,2 >>>( a,3 );\n"
                                   "}\n"}});
  ASSERT_TRUE(P);
  EditBuilder B(*P, Side::Device);
  B.replace(findStmt<BinaryOperator>(*P, "1+2")->getSourceRange(), "3+n");
  B.setSide(Side::Host);
  B.replace(findStmt<IntegerLiteral>(*P, "3", Side::Host)->getSourceRange(),
            "4");
  EXPECT_EQ(applied(*P, B, File), "__global__ void k( int*a, int n ) {\n"
                                  "    a[ 0 ]=1 ;\n"
                                  "    a[1] = 3 + n;\n"
                                  "}\n"
                                  "void launch(int *a) {\n"
                                  "    k <<< 1,2 >>>( a,4 );\n"
                                  "}\n");
  llvm::sys::fs::remove_directories(Root);
}

} // namespace
