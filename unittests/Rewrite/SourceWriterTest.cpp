//===- SourceWriterTest.cpp -----------------------------------------------===//

#include "cudal1/Rewrite/SourceWriter.h"
#include "TestProgram.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include <unistd.h>

using namespace cudal1;
using namespace cudal1::testing;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = llvm::sys::fs;

namespace {

/// A folder that goes away with the test.
class SourceWriterTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> Path;
    ASSERT_FALSE(fs::createUniqueDirectory("source-writer", Path));
    llvm::SmallString<128> Real;
    ASSERT_FALSE(fs::real_path(Path, Real));
    Root = Real.str().str();
  }
  void TearDown() override { fs::remove_directories(Root); }

  std::string at(llvm::StringRef Name) { return Root + "/" + Name.str(); }
  void put(llvm::StringRef Name, llvm::StringRef Text) {
    fs::create_directories(llvm::sys::path::parent_path(at(Name)));
    std::error_code E;
    llvm::raw_fd_ostream OS(at(Name), E);
    ASSERT_FALSE(E);
    OS << Text;
  }
  std::string get(llvm::StringRef Name) {
    auto Buffer = llvm::MemoryBuffer::getFile(at(Name));
    return Buffer ? (*Buffer)->getBuffer().str() : "(missing)";
  }
  std::vector<std::string> names(llvm::StringRef Folder = "") {
    std::vector<std::string> Result;
    std::error_code E;
    for (fs::directory_iterator It(at(Folder), E), End; It != End && !E;
         It.increment(E))
      Result.push_back(llvm::sys::path::filename(It->path()).str());
    llvm::sort(Result);
    return Result;
  }
  void write(llvm::Expected<SourceOutput> Output) {
    ASSERT_TRUE(static_cast<bool>(Output))
        << llvm::toString(Output.takeError());
    llvm::Error E = writeOutput(*Output);
    ASSERT_FALSE(static_cast<bool>(E)) << llvm::toString(std::move(E));
  }

  std::string Root;
};

std::string errorOf(llvm::Expected<SourceOutput> Output) {
  return Output ? "no error" : llvm::toString(Output.takeError());
}

TEST_F(SourceWriterTest, AnEditedHeaderBecomesACopyThatTheOutputIncludes) {
  put("main.cu", "#include \"kernels.h\" // ours\nint main() {}\n");
  put("kernels.h", "__global__ void k(int *a) { a[0] = 1; }\n");
  auto P = parseFile(at("main.cu"));
  write(SourceWriter(*P).asCopies(
      {{at("kernels.h"), "__global__ void k(int *a) { a[0] = 2; }\n"}},
      at("out.cu")));
  EXPECT_EQ(get("out.cu"),
            "#include \"kernels.opt.h\" // ours\nint main() {}\n");
  EXPECT_EQ(get("kernels.opt.h"), "__global__ void k(int *a) { a[0] = 2; }\n");
  EXPECT_EQ(get("kernels.h"), "__global__ void k(int *a) { a[0] = 1; }\n");
  EXPECT_THAT(names(),
              ElementsAre("kernels.h", "kernels.opt.h", "main.cu", "out.cu"));
}

TEST_F(SourceWriterTest, TheWholeChainOfIncludesIsCopiedAndNothingElse) {
  put("main.cu", "#include \"sub/all.h\"\n#include \"other.h\"\n"
                 "int main() {}\n");
  put("sub/all.h",
      "#pragma once\n#include \"kernels.h\"\n#include \"util.h\"\n");
  put("sub/kernels.h",
      "#pragma once\n__global__ void k(int *a) { a[0] = 1; }\n");
  put("sub/util.h", "#pragma once\n");
  // Skipped by the guard, yet it must not bring the original back.
  put("other.h", "#include \"sub/kernels.h\"\n");
  auto P = parseFile(at("main.cu"));
  write(SourceWriter(*P).asCopies(
      {{at("sub/kernels.h"), "#pragma once\n// new\n"}}, at("main.opt.cu")));
  EXPECT_EQ(get("main.opt.cu"), "#include \"all.opt.h\"\n"
                                "#include \"other.opt.h\"\nint main() {}\n");
  EXPECT_EQ(get("all.opt.h"), "#pragma once\n#include \"kernels.opt.h\"\n"
                              "#include \"sub/util.h\"\n");
  EXPECT_EQ(get("other.opt.h"), "#include \"kernels.opt.h\"\n");
  EXPECT_EQ(get("kernels.opt.h"), "#pragma once\n// new\n");
  EXPECT_THAT(names("sub"), ElementsAre("all.h", "kernels.h", "util.h"));
}

TEST_F(SourceWriterTest, HeadersOfOneNameGetDifferentCopies) {
  put("main.cu", "#include \"a/k.h\"\n#include \"b/k.h\"\nint main() {}\n");
  put("a/k.h", "__global__ void ka(int *a) { a[0] = 1; }\n");
  put("b/k.h", "__global__ void kb(int *a) { a[0] = 1; }\n");
  auto P = parseFile(at("main.cu"));
  write(SourceWriter(*P).asCopies(
      {{at("a/k.h"), "// a\n"}, {at("b/k.h"), "// b\n"}}, at("out.cu")));
  EXPECT_EQ(get("out.cu"),
            "#include \"k.opt.h\"\n#include \"k.opt2.h\"\nint main() {}\n");
  EXPECT_EQ(get("k.opt.h"), "// a\n");
  EXPECT_EQ(get("k.opt2.h"), "// b\n");
}

TEST_F(SourceWriterTest, UnitsShareCopiesThatAreAlikeAndNoOthers) {
  put("main.cu", "#include \"k.h\"\nint main() {}\n");
  put("k.h", "__global__ void k(int *a) { a[0] = 1; }\n");
  auto P = parseFile(at("main.cu"));
  for (auto [Earlier, Name] :
       {std::pair("// new\n", "k.opt.h"), std::pair("// old\n", "k.opt2.h")}) {
    auto Output = SourceWriter(*P).asCopies(
        {{at("k.h"), "// new\n"}}, at("out.cu"), {{at("k.opt.h"), Earlier}});
    ASSERT_TRUE(static_cast<bool>(Output));
    EXPECT_EQ(Output->Files[1].Path, at(Name));
    EXPECT_EQ(Output->Files[0].Text,
              std::string("#include \"") + Name + "\"\nint main() {}\n");
  }
}

TEST_F(SourceWriterTest, ACopyOfACopyTakesTheNextNumber) {
  put("main.cu", "#include \"k.opt.h\"\nint main() {}\n");
  put("k.opt.h", "__global__ void k(int *a) { a[0] = 1; }\n");
  auto P = parseFile(at("main.cu"));
  write(SourceWriter(*P).asCopies({{at("k.opt.h"), "// new\n"}}, at("out.cu")));
  EXPECT_EQ(get("out.cu"), "#include \"k.opt2.h\"\nint main() {}\n");
}

TEST_F(SourceWriterTest, AnotherFolderGetsANoteInsteadOfChangedIncludes) {
  put("src/main.cu", "#include \"util.h\"\nint main() {}\n");
  put("src/util.h", "#pragma once\n");
  put("out/keep", "");
  auto P = parseFile(at("src/main.cu"));
  auto Output = SourceWriter(*P).asCopies({}, at("out/main.cu"));
  ASSERT_TRUE(static_cast<bool>(Output));
  EXPECT_THAT(Output->IncludeDirectories, ElementsAre(at("src")));
  EXPECT_THAT(Output->Notes,
              ElementsAre("compile with -I " + at("src") +
                          ": the output includes files from there"));
  EXPECT_EQ(Output->Files[0].Text, "#include \"util.h\"\nint main() {}\n");
}

TEST_F(SourceWriterTest, AnUnchangedProgramComesOutByteForByte) {
  std::string Text = "#include \"util.h\"\r\n\tint main ( ) { }";
  put("main.cu", Text);
  put("util.h", "#pragma once\n");
  auto P = parseFile(at("main.cu"));
  write(SourceWriter(*P).asCopies({}, at("out.cu")));
  EXPECT_EQ(get("out.cu"), Text);
  EXPECT_THAT(names(), ElementsAre("main.cu", "out.cu", "util.h"));
}

TEST_F(SourceWriterTest, RefusesToOverwriteTheInput) {
  put("main.cu", "int main() {}\n");
  ASSERT_FALSE(fs::create_link(at("main.cu"), at("link.cu")));
  auto P = parseFile(at("main.cu"));
  SourceWriter Writer(*P);
  EXPECT_THAT(errorOf(Writer.asCopies({}, at("main.cu"))),
              EndsWith("is the input itself; use --in-place to replace it"));
  EXPECT_THAT(errorOf(Writer.asCopies({}, at("link.cu"))),
              HasSubstr("is the input itself"));
}

TEST_F(SourceWriterTest, RefusesAHeaderThatCannotBeRedirected) {
  put("main.cu", "#define KERNELS \"k.h\"\n#include KERNELS\nint main() {}\n");
  put("k.h", "__global__ void k(int *a) { a[0] = 1; }\n");
  auto P = parseFile(at("main.cu"));
  EXPECT_EQ(
      errorOf(SourceWriter(*P).asCopies({{at("k.h"), "// new\n"}}, at("o.cu"))),
      "cannot write a copy of " + at("k.h") + ": " + at("main.cu") +
          " includes it through the macro KERNELS; use --in-place");
}

TEST_F(SourceWriterTest, StandardOutputHasNoPlaceForAHeader) {
  put("main.cu", "#include \"k.h\"\nint main() {}\n");
  put("k.h", "__global__ void k(int *a) { a[0] = 1; }\n");
  auto P = parseFile(at("main.cu"));
  EXPECT_THAT(
      errorOf(SourceWriter(*P).asCopies({{at("k.h"), "// new\n"}}, "-")),
      EndsWith("give -o FILE or --in-place"));
}

TEST_F(SourceWriterTest, InPlaceKeepsABackupAndNeverLosesAnOlderOne) {
  put("main.cu", "#include \"k.h\"\nint main() {}\n");
  put("k.h", "// first\n");
  put("k.h.orig", "// older\n");
  auto P = parseFile(at("main.cu"));
  std::set<std::string> BackedUp;
  write(SourceWriter(*P).inPlace({{at("k.h"), "// second\n"}}, BackedUp));
  EXPECT_EQ(get("k.h"), "// second\n");
  EXPECT_EQ(get("k.h.orig"), "// older\n");
  EXPECT_EQ(get("k.h.orig2"), "// first\n");
  EXPECT_THAT(BackedUp, ElementsAre(at("k.h")));
  // Another unit of the same run changes the header again: no further backup.
  P = parseFile(at("main.cu"));
  write(SourceWriter(*P).inPlace({{at("k.h"), "// third\n"}}, BackedUp));
  EXPECT_EQ(get("k.h"), "// third\n");
  EXPECT_THAT(names(), ElementsAre("k.h", "k.h.orig", "k.h.orig2", "main.cu"));
}

TEST_F(SourceWriterTest, InPlaceRefusesAFileThatChangedMeanwhile) {
  put("main.cu", "int main() {}\n");
  auto P = parseFile(at("main.cu"));
  SourceWriter Writer(*P);
  put("main.cu", "int main() { return 1; }\n");
  std::set<std::string> BackedUp;
  EXPECT_THAT(errorOf(Writer.inPlace({{at("main.cu"), "new\n"}}, BackedUp)),
              HasSubstr("changed on disk since it was read"));
  EXPECT_EQ(get("main.cu"), "int main() { return 1; }\n");
}

TEST_F(SourceWriterTest, InPlaceFollowsALinkAndKeepsTheMode) {
  put("real.cu", "int main() {}\n");
  ASSERT_FALSE(fs::create_link(at("real.cu"), at("main.cu")));
  ASSERT_FALSE(fs::setPermissions(at("real.cu"), fs::perms(0640)));
  SourceOutput Output;
  Output.Files.push_back({at("main.cu"), "new\n", at("main.cu.orig")});
  write(Output);
  EXPECT_TRUE(fs::is_symlink_file(at("main.cu")));
  EXPECT_EQ(get("real.cu"), "new\n");
  EXPECT_EQ(get("main.cu.orig"), "int main() {}\n");
  EXPECT_EQ(*fs::getPermissions(at("real.cu")), fs::perms(0640));
}

TEST_F(SourceWriterTest, AFailureLeavesEveryFileAsItWas) {
  put("a.cu", "old\n");
  SourceOutput Output;
  Output.Files.push_back({at("a.cu"), "new\n", at("a.cu.orig")});
  Output.Files.push_back({at("missing/b.cu"), "new\n", ""});
  llvm::Error E = writeOutput(Output);
  EXPECT_THAT(llvm::toString(std::move(E)),
              ::testing::AllOf(HasSubstr("cannot write " + at("missing/b.cu")),
                               HasSubstr("No such file"),
                               EndsWith("no file was changed")));
  EXPECT_EQ(get("a.cu"), "old\n");
  EXPECT_THAT(names(), ElementsAre("a.cu"));
}

TEST_F(SourceWriterTest, AFullDiskIsSaid) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  SourceOutput Output;
  Output.Files.push_back({"/dev/full", "new\n", ""});
  EXPECT_EQ(llvm::toString(writeOutput(Output)),
            "cannot write /dev/full: No space left on device; no file was "
            "changed");
}

TEST_F(SourceWriterTest, AFolderIsNoOutput) {
  SourceOutput Output;
  Output.Files.push_back({Root, "new\n", ""});
  EXPECT_THAT(llvm::toString(writeOutput(Output)), HasSubstr("directory"));
  EXPECT_THAT(names(), IsEmpty());
}

} // namespace
