//===- ParseSetupTest.cpp - Flags that really parse -----------------------===//

#include "cudal1/Frontend/ParseSetup.h"
#include "TestFolder.h"
#include "cudal1/Frontend/BuiltinFiles.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;

namespace {

std::string resourceDir() {
  auto Found = findResourceDir(ResourceDirSearch::forExecutable("", ""));
  return Found ? *Found : llvm::toString(Found.takeError());
}

/// Parses both sides; an empty result is success.
std::string parseProblem(const CompileUnit &Unit, const CudaToolkit *Toolkit) {
  auto Parsed = Program::parse(parseInputFor(Unit, Toolkit, resourceDir()));
  if (Parsed)
    return "";
  std::string Problem;
  llvm::handleAllErrors(
      Parsed.takeError(),
      [&](const ParseError &E) {
        Problem = E.message() + "\n" + E.Diagnostics;
      },
      [&](const llvm::ErrorInfoBase &E) { Problem = E.message(); });
  return Problem;
}

CompileUnit unitOf(const std::string &File, std::vector<std::string> Flags) {
  UnitOptions Options;
  Options.Flags = std::move(Flags);
  auto Units = resolveUnits({File}, Options);
  if (Units)
    return Units->front();
  ADD_FAILURE() << llvm::toString(Units.takeError());
  return {};
}

const std::vector<std::string> FakeCuda = {"-nocudainc", "-nocudalib",
                                           "-isystem",   CUDAL1_FAKE_CUDA_DIR,
                                           "-include",   "cuda.h"};

std::vector<std::string> withFakeCuda(std::vector<std::string> Flags) {
  Flags.insert(Flags.end(), FakeCuda.begin(), FakeCuda.end());
  return Flags;
}

TEST(ParseSetup, TheFakeHeaderParsesOnBothSides) {
  TestFolder Folder;
  std::string File = Folder.write(
      "a.cu", "template <class T> __global__ void k(const T *a, T *b) {\n"
              "  __shared__ T s[32]; extern __shared__ float d[];\n"
              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "  s[threadIdx.x] = expf(a[i]) + pow(a[i], 2) + sqrt(2.0);\n"
              "  __syncthreads(); atomicAdd(&b[0], s[0]);\n"
              "  b[i] = __shfl_down_sync(~0u, s[i], 1); d[0] = min(1, 2);\n"
              "  float4 v = *(const float4 *)a; b[1] = v.w; }\n"
              "int main() { float *p; cudaMalloc(&p, 4);\n"
              "  dim3 g(2, 2); k<float><<<g, 32, 128>>>(p, p);\n"
              "  cudaDeviceSynchronize(); printf(\"%f\", exp(1.0)); }\n");
  EXPECT_EQ(parseProblem(unitOf(File, FakeCuda), nullptr), "");
}

TEST(ParseSetup, TranslatedFlagsAreAcceptedByClang) {
  TestFolder Folder;
  std::string File =
      Folder.write("a.cu", "#include \"sub.h\"\n"
                           "#if A != 1 || SUB != 3 || !defined(__OPTIMIZE__)\n"
                           "#error a macro is lost\n#endif\n"
                           "__global__ void k() {}\n");
  Folder.write("inc/sub.h", "#define SUB 3\n");
  UnitOptions Options;
  Options.WorkingDirectory = Folder.path();
  Options.Flags =
      withFakeCuda({"-arch=sm_80",
                    "--use_fast_math",
                    "-rdc=true",
                    "--fmad=false",
                    "--extended-lambda",
                    "--expt-relaxed-constexpr",
                    "-DA=1",
                    "-Iinc",
                    "-O3",
                    "-Xcompiler=-fopenmp,-march=native,-ffast-math,-Wall,-fPIC",
                    "-lineinfo",
                    "-std=c++17",
                    "-Xptxas",
                    "-v",
                    "-maxrregcount=64",
                    "--threads=4",
                    "-G",
                    "--default-stream=per-thread",
                    "-ccbin",
                    "g++"});
  auto Units = resolveUnits({File}, Options);
  ASSERT_TRUE(bool(Units)) << llvm::toString(Units.takeError());
  EXPECT_EQ(parseProblem(Units->front(), nullptr), "");
}

TEST(ParseSetup, AParseLeavesTheWorkingDirectoryOfTheProcessAlone) {
  TestFolder Folder;
  llvm::SmallString<128> Before, After;
  llvm::sys::fs::current_path(Before);
  UnitOptions Options;
  Options.WorkingDirectory = Folder.path();
  Options.Flags = FakeCuda;
  Folder.write("a.cu", "__global__ void k() {}\n");
  auto Units = resolveUnits({"a.cu"}, Options);
  ASSERT_TRUE(bool(Units)) << llvm::toString(Units.takeError());
  EXPECT_EQ(parseProblem(Units->front(), nullptr), "");
  llvm::sys::fs::current_path(After);
  EXPECT_EQ(Before, After);
}

TEST(ParseSetup, PlainCxxParses) {
  TestFolder Folder;
  std::string File =
      Folder.write("a.cpp", "#include <vector>\nstd::vector<int> V;\n");
  EXPECT_EQ(parseProblem(unitOf(File, {}), nullptr), "");
}

TEST(ParseSetup, AHeaderParsesAsAMainFile) {
  TestFolder Folder;
  std::string File =
      Folder.write("k.h", "#pragma once\n__global__ void k(int *p) {}\n");
  EXPECT_EQ(parseProblem(unitOf(File, FakeCuda), nullptr), "");
}

TEST(ParseSetup, FallbackHeadersServeWhereTheSystemHasNone) {
  TestFolder Folder;
  std::string File = Folder.write(
      "a.cu", "#include <omp.h>\nint f() { return omp_get_max_threads(); }\n");
  EXPECT_EQ(parseProblem(unitOf(File, FakeCuda), nullptr), "");
}

/// Tests with CUDA's own headers: only where there is a toolkit.
class RealCuda : public testing::Test {
protected:
  void SetUp() override {
    auto Found = findCudaToolkit(ToolkitSearch::fromEnvironment(""));
    if (!Found)
      GTEST_SKIP() << llvm::toString(Found.takeError());
    Toolkit = *Found;
  }

  CudaToolkit Toolkit;
  TestFolder Folder;
};

TEST_F(RealCuda, OrdinaryProgramsParse) {
  std::string File = Folder.write(
      "a.cu", "#include <cuda/std/type_traits>\n#include <new>\n"
              "#include <algorithm>\n"
              "__global__ void k(float *p) { p[threadIdx.x] *= 2.f;\n"
              "  new (p) float(1); }\n"
              "int main() { float *p; cudaMalloc(&p, 4); k<<<1, 32>>>(p);\n"
              "  return max(1, 2); }\n");
  EXPECT_EQ(parseProblem(unitOf(File, {"-arch=sm_80"}), &Toolkit), "");
}

TEST_F(RealCuda, AProgramMayNameItsMacrosAsItLikes) {
  std::string File = Folder.write(
      "a.cu", "#ifndef TBL_SIZE\n#define TBL_SIZE 5\n#endif\n"
              "static_assert(N + V + X + l + pos + THREAD_NUM == 6);\n"
              "static_assert(TBL_SIZE == 5 && SUM(1, 2) == 3);\n"
              "#ifdef GONE\n#error it was taken back\n#endif\n"
              "#if !defined(_MINE) || !defined(CUDA_MINE)\n#error\n#endif\n"
              "const char *Name = TEXT;\n__global__ void k() {}\n");
  EXPECT_EQ(
      parseProblem(
          unitOf(File, {"-arch=sm_80", "-DN=1", "-DV", "-DX", "-Dl", "-Dpos",
                        "-DTHREAD_NUM=1", "-DGONE", "-UGONE", "-D_MINE",
                        "-DCUDA_MINE", "-DTEXT=\"a b\"", "-DSUM(a\\,b)=a+b"}),
          &Toolkit),
      "");
}

} // namespace
