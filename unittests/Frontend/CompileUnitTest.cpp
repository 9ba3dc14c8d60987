//===- CompileUnitTest.cpp - How a file is compiled -----------------------===//

#include "cudal1/Frontend/CompileUnit.h"
#include "TestFolder.h"
#include "cudal1/Frontend/BuiltinFiles.h"
#include "cudal1/Frontend/CompileDatabase.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

constexpr llvm::StringLiteral Kernel = "__global__ void k(float *p) {}\n";

/// One entry of a database, as CMake writes it.
std::string entry(const std::string &Directory, const std::string &File,
                  const std::string &Command) {
  return "{\n  \"directory\": \"" + Directory + "\",\n  \"command\": \"" +
         Command + "\",\n  \"file\": \"" + File + "\"\n}";
}

CompileUnit resolve(const std::string &File, const UnitOptions &Options) {
  auto Units = resolveUnits({File}, Options);
  if (Units && Units->size() == 1)
    return Units->front();
  ADD_FAILURE() << (Units ? "no unit" : llvm::toString(Units.takeError()));
  return {};
}

std::string failure(const std::string &File, const UnitOptions &Options = {}) {
  return messageOf(resolveUnits({File}, Options));
}

// --- Input files ------------------------------------------------------------

TEST(SourceFiles, WhatIsNoSourceTextIsRefused) {
  TestFolder Folder;
  EXPECT_THAT(failure(Folder.path("gone.cu")), HasSubstr("does not exist"));
  EXPECT_THAT(failure(Folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(failure(Folder.write("empty.cu", " \n")), HasSubstr("is empty"));
  EXPECT_THAT(failure(Folder.write("bin.cu", llvm::StringRef("\x7f"
                                                             "ELF\0\1",
                                                             6))),
              HasSubstr("binary"));
  EXPECT_THAT(
      failure(Folder.write("wide.cu", llvm::StringRef("\xFF\xFEi\0n\0", 6))),
      HasSubstr("UTF-16"));
  EXPECT_THAT(failure(Folder.write("a.txt", "text")),
              HasSubstr("no extension of a CUDA"));
  EXPECT_THAT(failure(Folder.write("a.c", "int x;")),
              HasSubstr("neither CUDA nor C++"));
}

TEST(SourceFiles, OneBadFileDoesNotEndTheOthers) {
  TestFolder Folder;
  auto Resolver = UnitResolver::create({});
  ASSERT_TRUE(bool(Resolver)) << llvm::toString(Resolver.takeError());
  EXPECT_THAT(messageOf(Resolver->resolve(Folder.path("gone.cu"))),
              HasSubstr("does not exist"));
  auto Unit = Resolver->resolve(Folder.write("a.cu", Kernel));
  EXPECT_TRUE(bool(Unit)) << llvm::toString(Unit.takeError());
}

// --- Without a database -----------------------------------------------------

TEST(Units, WithoutAnythingTheDefaultsHold) {
  TestFolder Folder;
  UnitOptions Options;
  Options.DefaultArch = "sm_86";
  CompileUnit Unit = resolve(Folder.write("a.cu", Kernel), Options);
  EXPECT_EQ(Unit.Language, UnitLanguage::Cuda);
  EXPECT_EQ(Unit.Flags.Arch, "sm_86");
  EXPECT_FALSE(Unit.Flags.ArchGiven);
  EXPECT_THAT(Unit.Flags.ClangArgs, IsEmpty());
  EXPECT_THAT(Unit.Flags.NvccArgs, IsEmpty());
  EXPECT_EQ(resolve(Folder.write("b.cpp", "int x;"), Options).Language,
            UnitLanguage::Cxx);
  EXPECT_EQ(resolve(Folder.write("c.cuh", Kernel), Options).Language,
            UnitLanguage::Cuda);
  EXPECT_EQ(resolve(Folder.write("d.h", Kernel), Options).Language,
            UnitLanguage::Cuda);
}

TEST(Units, FlagsAfterTheDashesMayBeNvccsOrClangs) {
  TestFolder Folder;
  std::string File = Folder.write("a.cu", Kernel);
  UnitOptions Options;
  Options.WorkingDirectory = Folder.path();
  Options.Flags = {{"-arch=sm_80", "-Iinc", "helper.o", "a.cu"}};
  EXPECT_THAT(failure("a.cu", Options), HasSubstr("'helper.o'"));
  Folder.write("helper.o", "");
  CompileUnit Unit = resolve("a.cu", Options);
  EXPECT_EQ(Unit.File, File);
  EXPECT_EQ(Unit.Directory, Folder.path());
  EXPECT_TRUE(Unit.FromNvcc);
  EXPECT_EQ(Unit.Flags.Arch, "sm_80");
  EXPECT_THAT(Unit.Flags.Inputs, ElementsAre("helper.o"));
  Options.Flags = {{"--cuda-gpu-arch=sm_75", "-Iinc"}};
  Unit = resolve("a.cu", Options);
  EXPECT_FALSE(Unit.FromNvcc);
  EXPECT_EQ(Unit.Flags.Arch, "sm_75");
}

TEST(Units, ALanguageFlagPrevailsOverTheExtension) {
  TestFolder Folder;
  UnitOptions Options;
  Options.Flags = {{"-x", "cu", "-arch=sm_80"}};
  EXPECT_EQ(resolve(Folder.write("a.cpp", Kernel), Options).Language,
            UnitLanguage::Cuda);
  Options.Flags = {{"-x", "cuda"}};
  EXPECT_EQ(resolve(Folder.write("b.txt", Kernel), Options).Language,
            UnitLanguage::Cuda);
}

TEST(Units, ExtraFlagsAndTheArchitectureOptionAreAddedLast) {
  TestFolder Folder;
  UnitOptions Options;
  Options.Flags = {{"-arch=sm_70", "-DA"}};
  Options.ExtraArgs = {"-DB", "--use_fast_math"};
  Options.ArchOverride = "sm_90";
  CompileUnit Unit = resolve(Folder.write("a.cu", Kernel), Options);
  EXPECT_EQ(Unit.Flags.Arch, "sm_90");
  EXPECT_TRUE(Unit.Flags.FastMath);
  EXPECT_THAT(Unit.Flags.NvccArgs, Contains("-arch=sm_90"));
  EXPECT_THAT(Unit.Flags.NvccArgs, Not(Contains("-arch=sm_70")));
  Options.ArchOverride = "hopper";
  EXPECT_THAT(failure(Folder.path("a.cu"), Options), HasSubstr("hopper"));
}

TEST(Units, ADatabaseAndFlagsTogetherAreRefused) {
  TestFolder Folder;
  UnitOptions Options;
  Options.BuildDir = Folder.path();
  Options.Flags.emplace();
  EXPECT_THAT(failure(Folder.write("a.cu", Kernel), Options),
              HasSubstr("exclude each other"));
}

// --- With a database --------------------------------------------------------

TEST(Units, NinjasNvccEntriesAreRead) {
  TestFolder Folder;
  std::string File = Folder.write("src/a.cu", Kernel);
  Folder.write(
      "build/compile_commands.json",
      "[" +
          entry(Folder.path("build"), File,
                "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler "
                "-DNAME=\\\"\\\\\\\"q r\\\\\\\"\\\" -I\\\"" +
                    Folder.path("inc dir") +
                    "\\\" --generate-code=arch=compute_80,code=[compute_80,"
                    "sm_80] --generate-code=arch=compute_90,code=[compute_90] "
                    "--use_fast_math -Xcompiler=-fopenmp --extended-lambda "
                    "-Wall -x cu -rdc=true -c " +
                    File + " -o CMakeFiles/x.dir/a.cu.o") +
          "]");
  UnitOptions Options;
  Options.BuildDir = Folder.path("build");
  CompileUnit Unit = resolve(File, Options);
  EXPECT_TRUE(Unit.FromNvcc);
  EXPECT_EQ(Unit.Directory, Folder.path("build"));
  EXPECT_EQ(Unit.Flags.Arch, "sm_90");
  EXPECT_TRUE(Unit.Flags.FastMath);
  EXPECT_TRUE(Unit.Flags.RelocatableDeviceCode);
  EXPECT_THAT(Unit.Flags.Inputs, IsEmpty());
  EXPECT_THAT(Unit.Flags.Notes, IsEmpty());
  EXPECT_THAT(Unit.Flags.ClangArgs,
              ElementsAre("-DNAME=\"q r\"", "-I" + Folder.path("inc dir"),
                          "-fopenmp", "-fgpu-approx-transcendentals",
                          "-fgpu-flush-denormals-to-zero", "-fgpu-rdc"));
  EXPECT_THAT(Unit.Flags.NvccArgs, Not(Contains("-c")));
  EXPECT_EQ(Unit.OriginalCommand.front(), "/usr/local/cuda/bin/nvcc");
}

TEST(Units, MakefilesOptionsFilesAreReadFromTheEntrysDirectory) {
  TestFolder Folder;
  std::string File = Folder.write("a.cu", Kernel);
  Folder.write("build/CMakeFiles/x.dir/includes_CUDA.rsp",
               "-I\"/inc dir\" -I/inc");
  Folder.write("build/compile_commands.json",
               "[" +
                   entry(Folder.path("build"), File,
                         "nvcc --options-file "
                         "CMakeFiles/x.dir/includes_CUDA.rsp -x cu -c " +
                             File + " -o a.o") +
                   "]");
  UnitOptions Options;
  Options.BuildDir = Folder.path("build");
  CompileUnit Unit = resolve(File, Options);
  EXPECT_THAT(Unit.Flags.ClangArgs, ElementsAre("-I/inc dir", "-I/inc"));
  EXPECT_THAT(Unit.Flags.NvccArgs, Contains("-I/inc dir"));
  llvm::sys::fs::remove(
      Folder.path("build/CMakeFiles/x.dir/includes_CUDA.rsp"));
  EXPECT_THAT(failure(File, Options), HasSubstr("includes_CUDA.rsp"));
}

TEST(Units, ClangsAndTheHostCompilersEntriesAreRead) {
  TestFolder Folder;
  std::string Cuda = Folder.write("a.cu", Kernel);
  std::string Cxx = Folder.write("b.cpp", "int x;");
  Folder.write(
      "compile_commands.json",
      "[{\"directory\": \"" + Folder.path() +
          "\", \"file\": \"a.cu\", \"arguments\": [\"ccache\", \"clang++-22\", "
          "\"--cuda-gpu-arch=sm_75\", \"-x\", \"cuda\", \"-DX=a b\", \"-c\", "
          "\"a.cu\"]}," +
          entry(Folder.path(), "b.cpp",
                "/usr/bin/c++ -DV=1 -fno-gcc-only-flag -o b.o -c b.cpp") +
          "]");
  UnitOptions Options;
  Options.BuildDir = Folder.path("compile_commands.json");
  CompileUnit Unit = resolve(Cuda, Options);
  EXPECT_EQ(Unit.Flags.Arch, "sm_75");
  EXPECT_FALSE(Unit.FromNvcc);
  EXPECT_THAT(Unit.Flags.ClangArgs, ElementsAre("-D", "X=a b"));
  EXPECT_THAT(Unit.Flags.Inputs, IsEmpty());
  Unit = resolve(Cxx, Options);
  EXPECT_EQ(Unit.Language, UnitLanguage::Cxx);
  EXPECT_THAT(Unit.Flags.ClangArgs, ElementsAre("-D", "V=1"));
}

TEST(Units, AHeaderTakesTheFlagsOfTheUnitThatIncludesIt) {
  TestFolder Folder;
  std::string Header = Folder.write("lib/deep/k.cuh", Kernel);
  Folder.write("lib/mid.h", "#pragma once\n  # include <deep/k.cuh>\n");
  std::string Near = Folder.write("lib/deep/other.cu", Kernel);
  std::string User = Folder.write("app/a.cu", "#include \"mid.h\"\n");
  std::string Dir = Folder.path();
  Folder.write("compile_commands.json",
               "[" + entry(Dir, Near, "nvcc -DNEAR -c " + Near) + "," +
                   entry(Dir, User, "nvcc -DUSER -Ilib -c " + User) + "]");
  UnitOptions Options;
  Options.BuildDir = Dir;
  CompileUnit Unit = resolve(Header, Options);
  EXPECT_EQ(Unit.File, Header);
  EXPECT_EQ(Unit.Language, UnitLanguage::Cuda);
  EXPECT_THAT(Unit.Flags.ClangArgs, Contains("-DUSER"));
  EXPECT_THAT(Unit.Flags.Notes, Contains(HasSubstr(User)));
}

TEST(Units, AHeaderThatNobodyIncludesTakesANeighboursFlags) {
  TestFolder Folder;
  std::string Header = Folder.write("lib/k.h", Kernel);
  std::string Near = Folder.write("lib/a.cu", Kernel);
  std::string Far = Folder.write("app/b.cu", Kernel);
  std::string Dir = Folder.path();
  Folder.write("compile_commands.json",
               "[" + entry(Dir, Far, "nvcc -DFAR -c " + Far) + "," +
                   entry(Dir, Near, "nvcc -DNEAR -c " + Near) + "]");
  UnitOptions Options;
  Options.BuildDir = Dir;
  EXPECT_THAT(resolve(Header, Options).Flags.ClangArgs, Contains("-DNEAR"));
}

TEST(Units, AHeaderOfPlainCxxIsReadAsCxx) {
  TestFolder Folder;
  std::string Header = Folder.write("a.h", "int f();");
  std::string User = Folder.write("a.cpp", "#include \"a.h\"\n");
  Folder.write("compile_commands.json",
               "[" + entry(Folder.path(), User, "c++ -c " + User) + "]");
  UnitOptions Options;
  Options.BuildDir = Folder.path();
  EXPECT_EQ(resolve(Header, Options).Language, UnitLanguage::Cxx);
}

TEST(Units, AFileOutsideTheDatabaseIsAnErrorWithDashP) {
  TestFolder Folder;
  std::string File = Folder.write("new.cu", Kernel);
  Folder.write("compile_commands.json", "[]");
  UnitOptions Options;
  Options.BuildDir = Folder.path();
  EXPECT_THAT(failure(File, Options), HasSubstr("which is empty"));
  std::string Other = Folder.write("a.cu", Kernel);
  Folder.write("compile_commands.json",
               "[" + entry(Folder.path(), Other, "nvcc -c a.cu") + "]");
  EXPECT_THAT(failure(File, Options), HasSubstr("is not in the compile"));
}

TEST(Units, ADatabaseAboveTheFileIsFound) {
  TestFolder Folder;
  std::string Listed = Folder.write("p/src/deep/a.cu", Kernel);
  std::string Unlisted = Folder.write("p/src/deep/b.cu", Kernel);
  Folder.write(
      "p/build/compile_commands.json",
      "[" + entry(Folder.path("p"), Listed, "nvcc -DFOUND -c " + Listed) + "]");
  CompileUnit Unit = resolve(Listed, {});
  EXPECT_THAT(Unit.Flags.ClangArgs, Contains("-DFOUND"));
  EXPECT_THAT(Unit.Origin, HasSubstr("p/build/compile_commands.json"));
  Unit = resolve(Unlisted, {});
  EXPECT_THAT(Unit.Flags.ClangArgs, IsEmpty());
  EXPECT_THAT(Unit.Flags.Notes, ElementsAre(HasSubstr("does not list")));
  UnitOptions Options;
  Options.Flags.emplace();
  EXPECT_THAT(resolve(Listed, Options).Flags.ClangArgs, IsEmpty());
}

TEST(Units, ABrokenDatabaseAboveTheFileIsNotedOnly) {
  TestFolder Folder;
  std::string File = Folder.write("a.cu", Kernel);
  Folder.write("compile_commands.json", "[{");
  EXPECT_THAT(resolve(File, {}).Flags.Notes,
              ElementsAre(HasSubstr("not JSON")));
  UnitOptions Options;
  Options.BuildDir = Folder.path();
  EXPECT_THAT(failure(File, Options), HasSubstr("not JSON"));
}

TEST(Units, EntriesOfDeletedFilesDoNoHarm) {
  TestFolder Folder;
  std::string File = Folder.write("a.cu", Kernel);
  std::string Header = Folder.write("k.cuh", Kernel);
  Folder.write("compile_commands.json",
               "\xEF\xBB\xBF[" +
                   entry(Folder.path(), Folder.path("gone.cu"),
                         "nvcc --options-file gone.rsp -c gone.cu") +
                   "," + entry("/no/such/folder", File, "nvcc -DA -c a.cu") +
                   "]");
  UnitOptions Options;
  Options.BuildDir = Folder.path();
  EXPECT_THAT(resolve(File, Options).Flags.ClangArgs, ElementsAre("-DA"));
  EXPECT_THAT(resolve(Header, Options).Flags.ClangArgs, ElementsAre("-DA"));
}

TEST(Units, AFileBuiltTwiceTakesTheFirstCommandAndSaysSo) {
  TestFolder Folder;
  std::string File = Folder.write("a.cu", Kernel);
  std::string Dir = Folder.path();
  Folder.write("compile_commands.json",
               "[" + entry(Dir, File, "nvcc -DONE -c a.cu") + "," +
                   entry(Dir, File, "nvcc -DTWO -c a.cu") + "]");
  CompileUnit Unit = resolve(File, {});
  EXPECT_THAT(Unit.Flags.ClangArgs, ElementsAre("-DONE"));
  EXPECT_THAT(Unit.Flags.Notes, ElementsAre(HasSubstr("2 times")));
}

TEST(Units, ALinkToAFileIsFoundInTheDatabase) {
  TestFolder Folder;
  std::string File = Folder.write("real/a.cu", Kernel);
  llvm::sys::fs::create_link(Folder.path("real"), Folder.path("link"));
  Folder.write("compile_commands.json",
               "[" + entry(Folder.path(), File, "nvcc -DA -c real/a.cu") + "]");
  CompileUnit Unit = resolve(Folder.path("link/a.cu"), {});
  EXPECT_THAT(Unit.Flags.ClangArgs, ElementsAre("-DA"));
  EXPECT_THAT(Unit.Flags.Inputs, IsEmpty());
}

TEST(CompileDatabases, WhatIsMissingInAnEntryIsSaid) {
  TestFolder Folder;
  auto Load = [&](llvm::StringRef Text) {
    return messageOf(CompileDatabase::load(Folder.write("db.json", Text)));
  };
  EXPECT_THAT(Load("{}"), HasSubstr("not a list"));
  EXPECT_THAT(Load("[1]"), HasSubstr("entry 1"));
  EXPECT_THAT(Load("[{\"file\": \"a.cu\"}]"), HasSubstr("\"command\""));
  EXPECT_THAT(Load("[{\"command\": \"nvcc\"}]"), HasSubstr("\"file\""));
  EXPECT_THAT(Load("[{\"file\": \"a\", \"arguments\": [1]}]"),
              HasSubstr("\"arguments\""));
  EXPECT_THAT(messageOf(CompileDatabase::load(Folder.path("none"))),
              HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
}

TEST(CompileDatabases, TheCompilerIsFoundBehindItsLaunchers) {
  auto Index = [](std::vector<std::string> Words) {
    return compilerIndex(Words);
  };
  EXPECT_EQ(Index({"nvcc", "-ccbin", "g++"}), 0u);
  EXPECT_EQ(Index({"/usr/bin/ccache", "/cuda/bin/nvcc"}), 1u);
  EXPECT_EQ(Index({"cmake", "-E", "env", "A=B", "clang++-22"}), 4u);
  EXPECT_EQ(Index({"x86_64-linux-gnu-g++-12"}), 0u);
  EXPECT_EQ(Index({"mystery", "-c"}), 0u);
}

// --- The command for Clang --------------------------------------------------

TEST(ClangArgs, NameTheSideTheArchitectureAndTheToolkit) {
  CompileUnit Unit;
  Unit.File = "/p/a.cu";
  Unit.Directory = "/p";
  Unit.Flags.Arch = "sm_80";
  Unit.Flags.ClangArgs = {"-D_X"};
  CudaToolkit Toolkit;
  Toolkit.Path = "/cuda";
  std::vector<std::string> Args =
      clangArgsFor(Unit, Side::Device, &Toolkit, "/res");
  EXPECT_EQ(Args.front(), "clang++");
  EXPECT_EQ(Args.back(), "/p/a.cu");
  for (const char *Flag :
       {"--cuda-gpu-arch=sm_80", "--cuda-device-only", "--cuda-path=/cuda",
        "-D_X", "-std=gnu++17", "/res", "-working-directory=/p"})
    EXPECT_THAT(Args, Contains(Flag));
  EXPECT_THAT(clangArgsFor(Unit, Side::Host, &Toolkit, "/res"),
              Contains("--cuda-host-only"));
}

TEST(ClangArgs, WithoutCudasHeadersNoToolkitShinesThrough) {
  CompileUnit Unit;
  Unit.File = "/p/a.cu";
  Unit.Flags.ClangArgs = {"--no-offload-inc", "-std=c++20"};
  EXPECT_FALSE(Unit.needsToolkit());
  CudaToolkit Toolkit;
  Toolkit.Path = "/cuda";
  std::vector<std::string> Args =
      clangArgsFor(Unit, Side::Host, &Toolkit, "/res");
  EXPECT_THAT(Args, Not(Contains("--cuda-path=/cuda")));
  EXPECT_THAT(Args, Not(Contains(CompatHeaderPath.str())));
  EXPECT_THAT(Args, Not(Contains("-std=gnu++17")));
}

TEST(ClangArgs, TheDeviceLibraryIsNoMatterOfTheParse) {
  CompileUnit Unit;
  Unit.File = "/p/a.cu";
  // Without it, Clang does not learn the toolkit's version either.
  Unit.Flags.ClangArgs = {"--no-offloadlib"};
  CudaToolkit Toolkit;
  Toolkit.Path = "/cuda";
  EXPECT_THAT(clangArgsFor(Unit, Side::Device, &Toolkit, "/res"),
              Not(Contains("--no-offloadlib")));
}

TEST(ClangArgs, PlainCxxHasNoCudaFlags) {
  CompileUnit Unit;
  Unit.File = "/p/a.cpp";
  Unit.Language = UnitLanguage::Cxx;
  EXPECT_FALSE(Unit.needsToolkit());
  std::vector<std::string> Args =
      clangArgsFor(Unit, Side::Host, nullptr, "/res");
  EXPECT_THAT(Args, Contains("c++"));
  EXPECT_THAT(Args, Not(Contains(HasSubstr("cuda-"))));
}

} // namespace
