//===- EditBuilderTest.cpp ------------------------------------------------===//

#include "TestProgram.h"
#include "gmock/gmock.h"

using namespace clang;
using namespace cudal1;
using namespace cudal1::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

TEST(EditBuilder, ReplacesTheTokensOfAnExpression) {
  auto P = parseCuda("__global__ void k(int *a) { a[0] = 1 + 2; }\n");
  EditBuilder B(*P, Side::Device);
  B.replace(findStmt<BinaryOperator>(*P, "1 +")->getSourceRange(), "3");
  EXPECT_EQ(applied(*P, B), "__global__ void k(int *a) { a[0] = 3; }\n");
}

TEST(EditBuilder, RefusesTheBodyOfAMacroAndSaysWhere) {
  auto P = parseCuda("#define SET(p) p[0] = 1 + 2\n"
                     "__global__ void k(int *a) { SET(a); }\n");
  EditBuilder B(*P, Side::Device);
  // The sum is found through its spelling, which the macro's body holds.
  const auto *Sum = findStmt<BinaryOperator>(*P, "SET(a)");
  EXPECT_FALSE(
      B.canEdit(cast<BinaryOperator>(Sum)->getRHS()->getSourceRange()));
  B.replace(Sum->getRHS()->getSourceRange(), "3");
  EXPECT_EQ(applied(*P, B), "error: cannot replace the code at "
                            "/virtual/main.cu:2: it is made by a macro");
}

TEST(EditBuilder, EditsTheArgumentOfAMacroWhereItIsWritten) {
  auto P = parseCuda("#define SET(p, v) p[0] = (v)\n"
                     "__global__ void k(int *a, int n) { SET(a, n + 2); }\n");
  EditBuilder B(*P, Side::Device);
  B.replace(findStmt<BinaryOperator>(*P, "n + 2")->getSourceRange(), "n");
  EXPECT_EQ(applied(*P, B),
            "#define SET(p, v) p[0] = (v)\n"
            "__global__ void k(int *a, int n) { SET(a, n); }\n");
}

TEST(EditBuilder, RefusesARangeAcrossADirective) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "  a[0] = 1 +\n"
                     "#ifdef WIDE\n"
                     "    4 +\n"
                     "#endif\n"
                     "    2;\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  B.replace(findStmt<BinaryOperator>(*P, "1 +")->getSourceRange(), "3");
  EXPECT_THAT(applied(*P, B), HasSubstr("a preprocessor directive"));
}

TEST(EditBuilder, RefusesASystemHeader) {
  auto P =
      parseCuda("#include \"lib.h\"\n"
                "__global__ void k(int *a) { a[0] = twice(1); }\n",
                {{"/virtual/lib.h",
                  "#pragma GCC system_header\n"
                  "__device__ inline int twice(int x) { return x * 2; }\n"}});
  const FunctionDecl *F = findFunction(*P, "twice");
  ASSERT_TRUE(F);
  EditBuilder B(*P, Side::Device);
  EXPECT_FALSE(B.canEdit(F->getBody()->getSourceRange()));
}

TEST(EditBuilder, EditsAHeaderOfTheProject) {
  auto P = parseCuda("#include \"lib.h\"\n"
                     "__global__ void k(int *a) { a[0] = twice(1); }\n",
                     {{"/virtual/lib.h", "__device__ inline int twice(int x) "
                                         "{ return x * 2; }\n"}});
  EditBuilder B(*P, Side::Device);
  B.replace(findStmt<BinaryOperator>(*P, "x * 2")->getSourceRange(), "x + x");
  EXPECT_EQ(applied(*P, B, "/virtual/lib.h"),
            "__device__ inline int twice(int x) { return x + x; }\n");
}

TEST(EditBuilder, InsertsLinesWithTheTabsOfTheAuthor) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "\t\tfor (int i = 0; i < 4; ++i)\n"
                     "\t\t\ta[i] = i;\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  const auto *Loop = findStmt<ForStmt>(*P, "for");
  B.insertLinesBefore(Loop, "int s = 0;\nint t = 1;");
  B.insertLinesAfter(Loop, "a[0] = s + t;");
  EXPECT_EQ(applied(*P, B), "__global__ void k(int *a) {\n"
                            "\t\tint s = 0;\n"
                            "\t\tint t = 1;\n"
                            "\t\tfor (int i = 0; i < 4; ++i)\n"
                            "\t\t\ta[i] = i;\n"
                            "\t\ta[0] = s + t;\n"
                            "}\n");
}

TEST(EditBuilder, KeepsCarriageReturns) {
  auto P = parseCuda("__global__ void k(int *a) {\r\n"
                     "  a[0] = 1; // one\r\n"
                     "}\r\n");
  EditBuilder B(*P, Side::Device);
  const auto *Store = findStmt<BinaryOperator>(*P, "a[0]");
  B.insertLinesBefore(Store, "int s = 0;");
  B.insertLinesAfter(Store, "a[1] = s;");
  EXPECT_EQ(applied(*P, B), "__global__ void k(int *a) {\r\n"
                            "  int s = 0;\r\n"
                            "  a[0] = 1; // one\r\n"
                            "  a[1] = s;\r\n"
                            "}\r\n");
}

TEST(EditBuilder, BreaksALineWhereOtherCodeSharesIt) {
  auto P = parseCuda("__global__ void k(int *a) { a[0] = 1; a[1] = 2; }\n");
  EditBuilder B(*P, Side::Device);
  const auto *Store = findStmt<BinaryOperator>(*P, "a[1]");
  B.insertLinesBefore(Store, "int s = 0;");
  B.insertLinesAfter(Store, "a[2] = s;");
  EXPECT_EQ(applied(*P, B), "__global__ void k(int *a) { a[0] = 1;\n"
                            "int s = 0;\n"
                            "a[1] = 2;\n"
                            "a[2] = s;\n"
                            "}\n");
}

TEST(EditBuilder, PutsBracesAroundASoleChild) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "  for (int i = 0; i < 4; ++i) // all\n"
                     "    a[i] = i;\n"
                     "  if (a[0]) a[1] = 2; else a[2] = 3;\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  B.insertAround(findStmt<BinaryOperator>(*P, "a[i]"), "int s = 0;", "s = 1;");
  B.insertAround(findStmt<BinaryOperator>(*P, "a[1]"), "int t = 0;", "");
  EXPECT_EQ(applied(*P, B), "__global__ void k(int *a) {\n"
                            "  for (int i = 0; i < 4; ++i) { // all\n"
                            "    int s = 0;\n"
                            "    a[i] = i;\n"
                            "    s = 1;\n"
                            "  }\n"
                            "  if (a[0]) {\n"
                            "    int t = 0;\n"
                            "    a[1] = 2;\n"
                            "  } else a[2] = 3;\n"
                            "}\n");
}

TEST(EditBuilder, RefusesLinesBeforeASoleChildButNotAPragma) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "  for (int i = 0; i < 4; ++i)\n"
                     "    for (int j = 0; j < 4; ++j)\n"
                     "      a[i] += j;\n"
                     "}\n");
  const auto *Inner = findStmt<ForStmt>(*P, "for (int j");
  EditBuilder Lines(*P, Side::Device);
  Lines.insertLinesBefore(Inner, "int s = 0;");
  EXPECT_THAT(applied(*P, Lines), HasSubstr("needs braces"));
  EditBuilder Pragma(*P, Side::Device);
  Pragma.insertLinesBefore(Inner, "#pragma unroll 2");
  EXPECT_THAT(applied(*P, Pragma),
              HasSubstr("++i)\n    #pragma unroll 2\n    for (int j"));
}

TEST(EditBuilder, KeepsAPragmaWithItsLoop) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "  #pragma unroll 2\n"
                     "  for (int i = 0; i < 4; ++i)\n"
                     "    a[i] = i;\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  const auto *Loop = findStmt<ForStmt>(*P, "for");
  EXPECT_TRUE(B.hasLoopPragma(Loop));
  B.insertLinesBefore(Loop, "int s = 0;");
  EXPECT_THAT(applied(*P, B),
              HasSubstr("  int s = 0;\n  #pragma unroll 2\n  for"));
}

TEST(EditBuilder, RefusesALoopWhosePragmaDependsOnACondition) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "#ifdef WIDE\n"
                     "#pragma unroll 2\n"
                     "#endif\n"
                     "  for (int i = 0; i < 4; ++i)\n"
                     "    a[i] = i;\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  const auto *Loop = findStmt<ForStmt>(*P, "for");
  EXPECT_FALSE(B.canInsertAround(Loop));
  EXPECT_TRUE(B.hasLoopPragma(Loop));
}

TEST(EditBuilder, RefusesALoopThatSharesItsEndWithAnInactiveBranch) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "#ifndef WIDE\n"
                     "  for (int i = 0; i < 4; ++i) {\n"
                     "#else\n"
                     "  for (int i = 0; i < 8; ++i) {\n"
                     "#endif\n"
                     "    a[i] = i;\n"
                     "  }\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  EXPECT_FALSE(B.canInsertAround(findStmt<ForStmt>(*P, "for")));
}

TEST(EditBuilder, RefusesLinesInAMacroArgumentAndInALoopHead) {
  auto P = parseCuda("#define RUN(x) x\n"
                     "__global__ void k(int *a) {\n"
                     "  RUN(a[0] = 1;)\n"
                     "  for (int i = 0; i < 4; ++i)\n"
                     "    a[i] = i;\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  EXPECT_FALSE(B.canInsertAround(findStmt<BinaryOperator>(*P, "a[0]")));
  EXPECT_FALSE(B.canInsertAround(findStmt<BinaryOperator>(*P, "i < 4")));
}

TEST(EditBuilder, RemovesAStatementWithItsLine) {
  auto P = parseCuda("__global__ void k(int *a) {\n"
                     "  a[0] = 1;\n"
                     "  a[1] = 2; a[2] = 3;\n"
                     "  if (a[0])\n"
                     "    a[3] = 4;\n"
                     "}\n");
  EditBuilder B(*P, Side::Device);
  B.removeStatement(findStmt<BinaryOperator>(*P, "a[0]"));
  B.removeStatement(findStmt<BinaryOperator>(*P, "a[2]"));
  B.removeStatement(findStmt<BinaryOperator>(*P, "a[3]"));
  EXPECT_EQ(applied(*P, B), "__global__ void k(int *a) {\n"
                            "  a[1] = 2; \n"
                            "  if (a[0])\n"
                            "    ;\n"
                            "}\n");
}

TEST(EditBuilder, InsertionsAtOnePlaceKeepTheirOrder) {
  auto P = parseCuda("__global__ void k(int *a) { a[0] = 1; }\n");
  EditBuilder B(*P, Side::Device);
  const auto *One = findStmt<IntegerLiteral>(*P, "1");
  B.insertBefore(One->getBeginLoc(), "(");
  B.insertBefore(One->getBeginLoc(), "2 + ");
  B.replace(One->getSourceRange(), "3");
  B.insertAfterToken(One->getEndLoc(), ")");
  EXPECT_EQ(applied(*P, B), "__global__ void k(int *a) { a[0] = (2 + 3); }\n");
}

TEST(EditBuilder, OverlappingChangesAreAnError) {
  auto P = parseCuda("__global__ void k(int *a) { a[0] = 1 + 2; }\n");
  EditBuilder B(*P, Side::Device);
  B.replace(findStmt<BinaryOperator>(*P, "1 +")->getSourceRange(), "3");
  B.replace(findStmt<IntegerLiteral>(*P, "1")->getSourceRange(), "4");
  EXPECT_THAT(applied(*P, B), StartsWith("error: two changes"));
}

TEST(EditBuilder, TheFirstFailureComesBack) {
  auto P = parseCuda("__global__ void k(int *a) { a[0] = 1; }\n");
  EditBuilder B(*P, Side::Device);
  B.fail("no such thing");
  B.fail("nor that");
  EXPECT_EQ(applied(*P, B), "error: no such thing");
}

TEST(FreshName, AvoidsWhatCanBeSeenOrStandsInAnInactiveBranch) {
  auto P = parseCuda("#define sum2 7\n"
                     "__device__ int sum3;\n"
                     "__global__ void k(int *sum) {\n"
                     "#ifdef NEVER\n"
                     "  int sum4;\n"
                     "#endif\n"
                     "  sum[0] = 1;\n"
                     "}\n");
  const FunctionDecl *K = findFunction(*P, "k");
  EXPECT_EQ(freshName(K, "total"), "total");
  EXPECT_EQ(freshName(K, "sum"), "sum5");
  EXPECT_EQ(freshName(K, "sum", {"sum5"}), "sum6");
  EXPECT_EQ(freshName(K, "for"), "for2");
}

} // namespace
