//===- RuntimeCompilerTest.cpp - Compile device code by NVRTC -------------===//

#include "../../lib/Measure/RuntimeCompiler.h"
#include "TestFolder.h"
#include "cudal1/Measure/Cubin.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

constexpr char Toolkit[] = "/usr/local/cuda";

class RuntimeCompilerTest : public testing::Test {
protected:
  RuntimeCompilerTest() {
    Spec.Executable = CUDAL1_NVRTC;
    Spec.Library = std::string(Toolkit) + "/lib64/libnvrtc.so";
    Spec.Arguments = {"-I" + std::string(Toolkit) + "/include"};
  }

  void SetUp() override {
    if (!llvm::sys::fs::exists(Spec.Library))
      GTEST_SKIP() << "no NVRTC in " << Toolkit;
  }

  llvm::Expected<std::string> compile(llvm::StringRef Text,
                                      std::vector<std::string> Kernels = {},
                                      std::chrono::milliseconds Limit = 60s) {
    if (!Process)
      Process.emplace(Spec, Folder / "unit.cu", "sm_90",
                      std::vector<const std::atomic<bool> *>{nullptr, &Stop});
    return Process->compile(Text, Kernels, Limit);
  }

  TestFolder Folder;
  RuntimeCompilerSpec Spec;
  std::atomic<bool> Stop = false;
  std::optional<RuntimeCompiler> Process;
};

std::string textOf(llvm::Expected<std::string> Result) {
  return Result ? "no error" : llvm::toString(Result.takeError());
}

TEST(NameExpression, NamesInstancesOfTemplatesOnly) {
  EXPECT_EQ(nameExpression("_Z5scaleIfLi4EEvPT_i"), "scale<float, 4>");
  EXPECT_EQ(nameExpression("_ZN5outer5scaleIPFviEEEvT_"),
            "outer::scale<void (*)(int)>");
  EXPECT_EQ(nameExpression("_Z5scalePfi"), "");
  EXPECT_EQ(nameExpression("_ZN12_GLOBAL__N_15scaleIfEEvPT_"), "");
  EXPECT_EQ(nameExpression("notMangled"), "");
}

TEST_F(RuntimeCompilerTest, CompilesTextsOneAfterTheOther) {
  for (const char *Body : {"p[0] = 1;", "p[0] = 2;"}) {
    llvm::Expected<std::string> Image = compile(
        "__global__ void set(float *p) { " + std::string(Body) + " }\n");
    ASSERT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
    llvm::Expected<Cubin> Contents = readCubin(*Image);
    ASSERT_TRUE(bool(Contents)) << llvm::toString(Contents.takeError());
    EXPECT_TRUE(findKernel(*Contents, "_Z3setPf"));
  }
}

TEST_F(RuntimeCompilerTest, MakesTheKernelsOfTemplatesThatAreNamed) {
  llvm::Expected<std::string> Image =
      compile("template <int N> __global__ void set(float *p) { p[0] = N; }\n",
              {nameExpression("_Z3setILi7EEvPf")});
  ASSERT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
  llvm::Expected<Cubin> Contents = readCubin(*Image);
  ASSERT_TRUE(bool(Contents)) << llvm::toString(Contents.takeError());
  EXPECT_TRUE(findKernel(*Contents, "_Z3setILi7EEvPf"));
}

TEST_F(RuntimeCompilerTest, TellsErrorsAndGoesOn) {
  EXPECT_THAT(textOf(compile("__global__ void set(float *p) { p[0] = q; }\n")),
              HasSubstr("\"q\" is undefined"));
  EXPECT_EQ(textOf(compile("__global__ void set(float *p) { p[0] = 1; }\n")),
            "no error");
}

TEST_F(RuntimeCompilerTest, StartsAgainAfterATimeLimit) {
  // Constant evaluation that takes seconds.
  std::string Slow = "constexpr int f(int n) { int s = 0; for (int i = 0; i < "
                     "n; i++) s ^= i; return s; }\n"
                     "__device__ int x[f(900000) + 1];\n";
  EXPECT_THAT(textOf(compile(Slow, {}, 1ms)), HasSubstr("took too long"));
  EXPECT_EQ(textOf(compile("__global__ void set(float *p) { p[0] = 1; }\n")),
            "no error");
}

TEST_F(RuntimeCompilerTest, IsStoppedByAFlag) {
  Stop = true;
  EXPECT_NE(textOf(compile("__global__ void set(float *p) { p[0] = 1; }\n")),
            "no error");
}

TEST_F(RuntimeCompilerTest, IsNoneWithoutTheLibrary) {
  Spec.Library = Folder / "libnvrtc.so";
  EXPECT_THAT(textOf(compile("")), HasSubstr("did not start"));
}

} // namespace
