//===- SidePassTest.cpp - Parsing again and again -------------------------===//

#include "../../lib/Frontend/SidePass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using ::testing::HasSubstr;

namespace {

constexpr char MainFile[] = "/virtual/main.cpp";
constexpr char Header[] = "/virtual/kernels.h";

constexpr char Main[] = R"(// A program.
#include "system.h"
#ifdef SYSTEM
#include "outer.h"
#endif
#include "late.h"
int last;
)";

class SidePassTest : public ::testing::Test {
protected:
  SidePassTest() {
    Input.File = MainFile;
    Input.Directory = "/virtual";
    Input.HostArgs = {"clang++", "-x", "c++", "-std=c++17", MainFile};
    Input.VirtualFiles = {{"/virtual/system.h", "#define SYSTEM\n"},
                          {"/virtual/outer.h", "#include \"kernels.h\"\n"},
                          {"/virtual/late.h", "int late;\n"}};
    Texts = {{MainFile, Main}, {Header, "int one;\n"}};
    Pass = std::make_unique<SidePass>(Input, Input.HostArgs);
  }

  bool parse() { return Pass->parse(Texts); }

  bool declares(llvm::StringRef Name) {
    clang::ASTContext &Context = Pass->unit().getASTContext();
    return !Context.getTranslationUnitDecl()
                ->lookup(clang::DeclarationName(&Context.Idents.get(Name)))
                .empty();
  }

  static unsigned offsetOf(llvm::StringRef Line) {
    return llvm::StringRef(Main).find(Line);
  }

  ParseInput Input;
  SourceOverlay Texts;
  std::unique_ptr<SidePass> Pass;
};

TEST_F(SidePassTest, AnEditBehindTheIncludesKeepsThemAll) {
  ASSERT_TRUE(parse());
  EXPECT_EQ(Pass->keptBytes(), offsetOf("int last;"));
  Texts[MainFile] += "int more;\n";
  ASSERT_TRUE(parse());
  EXPECT_EQ(Pass->preamblesBuilt(), 1u);
  for (const char *Name : {"one", "late", "last", "more"})
    EXPECT_TRUE(declares(Name)) << Name;
}

TEST_F(SidePassTest, AHeaderThatChangesIsKeptOutFromThenOn) {
  ASSERT_TRUE(parse());
  for (const char *Name : {"two", "three", "four"}) {
    Texts[Header] += "int " + std::string(Name) + ";\n";
    ASSERT_TRUE(parse()) << Pass->diagnostics();
    EXPECT_EQ(Pass->keptBytes(), offsetOf("#include \"outer.h\""));
    for (const char *Other : {"one", Name, "late", "last"})
      EXPECT_TRUE(declares(Other)) << Other;
  }
  EXPECT_EQ(Pass->preamblesBuilt(), 2u);
  // An earlier text, as a search goes back to it, is one more change.
  Texts[Header] = "int one;\n";
  ASSERT_TRUE(parse());
  EXPECT_FALSE(declares("two"));
  EXPECT_EQ(Pass->preamblesBuilt(), 2u);
}

TEST_F(SidePassTest, AChangeBeforeTheKeptPartsEndMakesItAnew) {
  ASSERT_TRUE(parse());
  Texts[MainFile].insert(0, "// Moved.\n");
  ASSERT_TRUE(parse());
  EXPECT_EQ(Pass->preamblesBuilt(), 2u);
  Texts[MainFile].insert(0, "int first;\n"); // no include comes first now
  ASSERT_TRUE(parse());
  EXPECT_EQ(Pass->keptBytes(), 0u);
  EXPECT_TRUE(declares("one") && declares("first"));
}

TEST_F(SidePassTest, ErrorsInAKeptHeaderAreToldAndPassAway) {
  Texts[Header] = "int one = missing;\n";
  EXPECT_FALSE(parse());
  EXPECT_THAT(Pass->diagnostics(), HasSubstr("kernels.h:1:11: error: use of"));
  Texts[Header] = "int one;\n";
  ASSERT_TRUE(parse()) << Pass->diagnostics();
  Texts[Header] = "int one = missing;\n";
  EXPECT_FALSE(parse());
  Texts[Header] = "int one;\n";
  EXPECT_TRUE(parse()) << Pass->diagnostics();
}

} // namespace
