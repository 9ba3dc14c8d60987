//===- OpenMpRuntimeTest.cpp - Where LLVM's OpenMP runtime is -------------===//

#include "../../lib/Emulator/OpenMpRuntime.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include <fstream>

using namespace cudal1;
using ::testing::HasSubstr;

namespace {

class OpenMpRuntime : public ::testing::Test {
protected:
  /// A compiler that knows no libraries, or all of them in \p Answers.
  std::string compilerThat(const std::string &Says) {
    std::string Path = Folder->file("compiler");
    std::ofstream(Path) << "#!/bin/sh\n" << Says << "\n";
    EXPECT_FALSE(llvm::sys::fs::setPermissions(Path, llvm::sys::fs::all_all));
    return Path;
  }
  std::string emptyFile(const std::string &Name) {
    std::string Path = Folder->file(Name);
    std::ofstream{Path};
    return Path;
  }

  /// The path, or what the Error says.
  static std::string find(const std::string &Compiler,
                          std::vector<std::string> Args) {
    llvm::Expected<std::string> Path = findOpenMpRuntime(Compiler, Args);
    return Path ? *Path : llvm::toString(Path.takeError());
  }

  llvm::Expected<TemporaryFolder> Folder = TemporaryFolder::make();
};

TEST_F(OpenMpRuntime, IsNeededIfTheLastOptionSaysSo) {
  EXPECT_FALSE(usesOpenMp({"-O2", "-fopenmp-simd"}));
  EXPECT_TRUE(usesOpenMp({"-fopenmp"}));
  EXPECT_TRUE(usesOpenMp({"-fno-openmp", "-fopenmp=libomp"}));
  EXPECT_FALSE(usesOpenMp({"-fopenmp", "-fno-openmp"}));
}

TEST_F(OpenMpRuntime, IsWhereTheCompilerFindsIt) {
  std::string Library = emptyFile("libomp.so.5");
  std::string Compiler =
      compilerThat("echo " + Folder->path().str() + "/${1#*=}");
  EXPECT_EQ(find(Compiler, {}), Library);
}

TEST_F(OpenMpRuntime, IsElseBesideClangsHeaders) {
  // GCC answers with the bare name if it finds nothing.
  std::string Compiler = compilerThat("echo ${1#*=}");
  std::string Library = emptyFile("libomp.so");
  std::string Headers = Folder->file("clang/22");
  ASSERT_FALSE(llvm::sys::fs::create_directories(Headers));
  EXPECT_EQ(find(Compiler, {"-resource-dir", Headers}), Library);
}

TEST_F(OpenMpRuntime, WhenMissingIsNamedWithItsPackage) {
  EXPECT_THAT(find(compilerThat("exit 1"), {}),
              HasSubstr("install libomp-22-dev"));
}

} // namespace
