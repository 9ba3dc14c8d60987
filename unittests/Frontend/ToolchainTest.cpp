//===- ToolchainTest.cpp - Finding CUDA and Clang's headers ---------------===//

#include "cudal1/Frontend/Toolchain.h"
#include "TestFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;
using testing::HasSubstr;

namespace {

std::string makeToolkit(const TestFolder &Folder, const std::string &Name,
                        const std::string &Version = "12040") {
  Folder.write(Name + "/include/cuda.h",
               "/* ... */\n#define CUDA_VERSION " + Version + "\n");
  Folder.writeProgram(Name + "/bin/nvcc");
  return Folder.path(Name);
}

ToolkitSearch nowhere(const TestFolder &Folder) {
  ToolkitSearch Search;
  Search.DefaultRoot = Folder.path("absent");
  return Search;
}

TEST(Toolchain, TheOptionPrevailsOverTheEnvironment) {
  TestFolder Folder;
  ToolkitSearch Search = nowhere(Folder);
  Search.CudaPathOption = makeToolkit(Folder, "option");
  Search.CudaPathVariable = makeToolkit(Folder, "variable");
  auto Toolkit = findCudaToolkit(Search);
  ASSERT_TRUE(bool(Toolkit)) << llvm::toString(Toolkit.takeError());
  EXPECT_EQ(Toolkit->Path, Folder.path("option"));
  EXPECT_EQ(Toolkit->version(), "12.4");
  EXPECT_EQ(Toolkit->NvccPath, Folder.path("option/bin/nvcc"));
}

TEST(Toolchain, AWrongOptionIsAnErrorEvenIfAnotherToolkitExists) {
  TestFolder Folder;
  ToolkitSearch Search = nowhere(Folder);
  Search.CudaPathOption = Folder.path("typo");
  Search.CudaPathVariable = makeToolkit(Folder, "variable");
  EXPECT_THAT(messageOf(findCudaToolkit(Search)), HasSubstr("typo"));
}

TEST(Toolchain, ThePlacesAreTriedInOrder) {
  TestFolder Folder;
  ToolkitSearch Search = nowhere(Folder);
  Search.DefaultRoot = makeToolkit(Folder, "default");
  EXPECT_EQ(findCudaToolkit(Search)->Path, Folder.path("default"));
  makeToolkit(Folder, "onpath");
  Search.Path = Folder.path("nothing") + "::" + Folder.path("onpath/bin");
  EXPECT_EQ(findCudaToolkit(Search)->Path, Folder.path("onpath"));
  Search.CudaHomeVariable = makeToolkit(Folder, "home");
  EXPECT_EQ(findCudaToolkit(Search)->Path, Folder.path("home"));
  Search.CudaPathVariable = makeToolkit(Folder, "variable");
  EXPECT_EQ(findCudaToolkit(Search)->Path, Folder.path("variable"));
}

TEST(Toolchain, AVariableThatLeadsNowhereIsPassedOver) {
  TestFolder Folder;
  ToolkitSearch Search = nowhere(Folder);
  Search.CudaPathVariable = Folder.path("gone");
  Search.DefaultRoot = makeToolkit(Folder, "default");
  EXPECT_EQ(findCudaToolkit(Search)->Path, Folder.path("default"));
}

TEST(Toolchain, ALinkToNvccLeadsToItsToolkit) {
  TestFolder Folder;
  makeToolkit(Folder, "cuda-13.0", "13000");
  llvm::sys::fs::create_directories(Folder.path("usr/bin"));
  llvm::sys::fs::create_link(Folder.path("cuda-13.0/bin/nvcc"),
                             Folder.path("usr/bin/nvcc"));
  ToolkitSearch Search = nowhere(Folder);
  Search.Path = Folder.path("usr/bin");
  auto Toolkit = findCudaToolkit(Search);
  ASSERT_TRUE(bool(Toolkit)) << llvm::toString(Toolkit.takeError());
  EXPECT_EQ(Toolkit->Path, Folder.path("cuda-13.0"));
  EXPECT_EQ(Toolkit->version(), "13.0");
}

TEST(Toolchain, APackageManagersLayoutIsUnderstood) {
  TestFolder Folder;
  Folder.write("env/targets/x86_64-linux/include/cuda.h",
               "#define CUDA_VERSION 12060\n");
  Folder.writeProgram("env/bin/nvcc");
  ToolkitSearch Search = nowhere(Folder);
  Search.CudaHomeVariable = Folder.path("env");
  auto Toolkit = findCudaToolkit(Search);
  ASSERT_TRUE(bool(Toolkit)) << llvm::toString(Toolkit.takeError());
  EXPECT_EQ(Toolkit->Path, Folder.path("env/targets/x86_64-linux"));
  EXPECT_EQ(Toolkit->NvccPath, Folder.path("env/bin/nvcc"));
}

TEST(Toolchain, AbsenceSaysWhatWasTriedAndWhatToDo) {
  TestFolder Folder;
  ToolkitSearch Search = nowhere(Folder);
  Search.CudaHomeVariable = "/gone";
  std::string Message = messageOf(findCudaToolkit(Search));
  EXPECT_THAT(Message, HasSubstr("CUDA_HOME=/gone"));
  EXPECT_THAT(Message, HasSubstr(Folder.path("absent")));
  EXPECT_THAT(Message, HasSubstr("--cuda-path"));
}

TEST(Toolchain, AHeaderWithoutAVersionIsNoToolkit) {
  TestFolder Folder;
  Folder.write("odd/include/cuda.h", "int nothing;\n");
  ToolkitSearch Search = nowhere(Folder);
  Search.CudaPathOption = Folder.path("odd");
  EXPECT_THAT(messageOf(findCudaToolkit(Search)), HasSubstr("odd"));
}

TEST(ResourceDir, BesideTheExecutableComesBeforeTheConfiguredOne) {
  TestFolder Folder;
  Folder.write("install/lib/clang/22/include/cuda_wrappers/new", "");
  Folder.write("llvm/include/cuda_wrappers/new", "");
  Folder.writeProgram("install/bin/tool");
  ResourceDirSearch Search;
  Search.ExecutablePath = Folder.path("install/bin/tool");
  Search.Configured = Folder.path("llvm");
  EXPECT_EQ(*findResourceDir(Search), Folder.path("install/lib/clang/22"));
  Search.ExecutablePath = Folder.path("elsewhere/bin/tool");
  EXPECT_EQ(*findResourceDir(Search), Folder.path("llvm"));
}

TEST(ResourceDir, AFolderWithoutTheCudaWrappersIsRefused) {
  TestFolder Folder;
  Folder.write("plain/include/stddef.h", "");
  ResourceDirSearch Search;
  Search.Option = Folder.path("plain");
  EXPECT_THAT(messageOf(findResourceDir(Search)),
              HasSubstr("cuda_wrappers/new"));
  Search.Option.clear();
  Search.Configured = Folder.path("plain");
  EXPECT_THAT(messageOf(findResourceDir(Search)), HasSubstr("--resource-dir"));
}

TEST(ResourceDir, TheConfiguredOneWorksHere) {
  auto Found = findResourceDir(ResourceDirSearch::forExecutable("", ""));
  EXPECT_TRUE(bool(Found)) << llvm::toString(Found.takeError());
}

} // namespace
