//===- ReplayEngineTest.cpp - All of live replay, on a fake GPU -----------===//
//
// The compiler is fake-nvcc, the driver the fake one of unittests/FakeGpu: the
// program, its variants and the state kernels run on the CPU, in processes that
// are held as on a GPU.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Measure/ReplayEngine.h"
#include "../../lib/Measure/GpuLock.h"
#include "../FakeGpu/FakeCubin.h"
#include "TestFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>

using namespace cudal1;
using testing::HasSubstr;

namespace {

constexpr char Scale[] = "_Z5scalePfPKffi";
constexpr char Shift[] = "_Z5shiftPfi";

/// fakeWork is where the time goes; it leaves no trace in the results.
constexpr char Program[] = R"cuda(
#include <cstdio>
#include <unistd.h>

__device__ float offsets[4] = {1, 2, 3, 4};
__device__ int launches;

__global__ void scale(float *out, const float *in, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  fakeWork(60);
  if (i == 0)
    launches += 1;
  out[i] = in[i] * a + offsets[i % 4];
}

__global__ void shift(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = data[i] + 1;
}

int main() {
  if (const char *path = getenv("PID_FILE")) {
    FILE *file = fopen(path, "a");
    fprintf(file, "%d\n", int(getpid()));
    fclose(file);
  }
  const int n = 1001; // ends between two words of eight bytes
  float host[n];
  for (int i = 0; i < n; ++i)
    host[i] = 0.5f * float(i % 37) + 1;
  float *in, *out, *bystander;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&bystander, sizeof(host));
  for (float *to : {in, out, bystander})
    cudaMemcpy(to, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i) {
    scale<<<(n + 127) / 128, 128>>>(out, in, 2.0f, n);
    scale<<<4, 64>>>(out, in, 3.0f, 256);
    shift<<<(n + 127) / 128, 128>>>(in, n);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float value : host)
    sum += value;
  printf("sum %.2f\n", sum);
}
)cuda";

std::string with(llvm::StringRef From, llvm::StringRef To,
                 std::string Text = Program) {
  size_t At = Text.find(From);
  EXPECT_NE(At, std::string::npos) << From.str();
  return Text.replace(At, From.size(), To);
}

std::string evidence(const Measurement &M) {
  return llvm::join(M.Evidence, "\n");
}

#define EXPECT_VERDICT(M, Expected)                                            \
  EXPECT_EQ(toString((M).Outcome).str(), toString(Expected).str())             \
      << evidence(M)

/// An engine for the program, in a folder of its own.
struct Bench {
  Bench() {
    ProgramEngineOptions &P = ForProgram;
    P.Build.MainFile = Folder.write("user/file.cu", Program);
    P.Build.Compiler = CUDAL1_FAKE_GPU "/fake-nvcc";
    P.Run.WorkingDirectory = Folder / "user";
    P.Injection = {CUDAL1_INJECTION_LIBRARY, CUDAL1_FAKE_GPU "/libcupti.so"};
    P.WorkFolder = Folder / "work";
    P.BaselineRuns = 1;
    P.Rechecks = 0;
    P.TimingBudget = std::chrono::seconds(2);
    P.Parameters[Scale] = {{ElementType::Float}, {ElementType::Float}, {}, {}};
    P.Parameters[Shift] = {{ElementType::Float}, {}};
    ReplayEngineOptions &R = ForReplay;
    R.Cubins.MainFile = P.Build.MainFile;
    R.Cubins.Compiler = P.Build.Compiler;
    R.Cubins.Arch = "sm_90";
    R.Cubins.Directory = Folder / "user";
    R.Injection = P.Injection;
    R.Parameters = P.Parameters;
    R.WriteOnly[Scale] = {true, false, false, false};
    R.ReadImage = readFakeCubin;
    R.WorkFolder = P.WorkFolder;
    R.TimingBudget = std::chrono::seconds(2);
    R.LaunchTimeConstant = std::chrono::milliseconds(500);
    std::error_code Code = llvm::sys::fs::create_directories(P.WorkFolder);
    EXPECT_FALSE(Code);
  }

  Baseline prepare() {
    ForReplay.Run = ForProgram.Run;
    Engine = makeReplayEngine(ForReplay, makeProgramEngine(ForProgram));
    llvm::Expected<Baseline> Result = Engine->prepare();
    if (Result)
      return *Result;
    ADD_FAILURE() << llvm::toString(Result.takeError());
    return Baseline();
  }

  Candidate candidate(std::string Text, FpClass Class = FpClass::Exact) {
    Candidate C;
    C.Id = "v" + std::to_string(++Count);
    C.Sources = {{ForProgram.Build.MainFile, std::move(Text)}};
    C.Class = Class;
    return C;
  }

  Measurement measure(std::string Text, FpClass Class = FpClass::Exact) {
    return Engine->measure(candidate(std::move(Text), Class));
  }

  TestFolder Folder;
  ProgramEngineOptions ForProgram;
  ReplayEngineOptions ForReplay;
  std::unique_ptr<MeasureEngine> Engine;
  int Count = 0;
};

/// One engine for all of these: what one variant does must not reach the next.
class ReplayEngineTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    Shared = new Bench;
    Learnt = new Baseline(Shared->prepare());
  }
  static void TearDownTestSuite() {
    delete Learnt;
    delete Shared;
  }

  static Measurement measure(std::string Text, FpClass Class = FpClass::Exact) {
    return Shared->measure(std::move(Text), Class);
  }

  static Bench *Shared;
  static Baseline *Learnt;
};

Bench *ReplayEngineTest::Shared;
Baseline *ReplayEngineTest::Learnt;

TEST_F(ReplayEngineTest, ProgramIsReplayed) {
  EXPECT_EQ(Learnt->Engine, "replay");
  EXPECT_EQ(llvm::join(Learnt->Notes, "\n"), "");
  ASSERT_TRUE(Learnt->Times);
  EXPECT_EQ(Learnt->Times->Kernels.size(), 2u);
}

TEST_F(ReplayEngineTest, LessWorkIsFaster) {
  Measurement M = measure(with("fakeWork(60);", "fakeWork(10);"));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay");
  EXPECT_GT(M.Speedup.value_or(0), 1.5);
  EXPECT_EQ(M.Errors.Differing, 0u);
  EXPECT_THAT(evidence(M), HasSubstr("right on"));
}

TEST_F(ReplayEngineTest, MoreWorkIsSlower) {
  Measurement M = measure(with("fakeWork(60);", "fakeWork(150);"));
  EXPECT_VERDICT(M, Verdict::Slower);
  EXPECT_LT(M.Speedup.value_or(1), 0.8);
}

TEST_F(ReplayEngineTest, SameWorkIsTheSame) {
  Measurement M =
      measure(with("fakeWork(60);", "if (n < 0) out[0] = 0; fakeWork(60);"));
  EXPECT_VERDICT(M, Verdict::Same);
}

TEST_F(ReplayEngineTest, SameCodeIsNotRun) {
  Measurement M = measure(with("return;", "return; // nothing to do"));
  EXPECT_VERDICT(M, Verdict::Same);
  EXPECT_THAT(evidence(M), HasSubstr("the same kernels"));
}

TEST_F(ReplayEngineTest, WrongValueIsFound) {
  Measurement M = measure(with("in[i] * a", "in[i] * a * 1.001f"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
}

TEST_F(ReplayEngineTest, OtherBitsAreWrongUnlessTheClassAllowsThem) {
  std::string Text = with("in[i] * a + offsets[i % 4]",
                          "in[i] * a * 1.0000001f + offsets[i % 4]");
  EXPECT_VERDICT(measure(Text), Verdict::WrongResult);
  Measurement M = measure(Text, FpClass::Reassociate);
  EXPECT_TRUE(isRight(M.Outcome)) << evidence(M);
  EXPECT_GT(M.Errors.Differing, 0u);
}

TEST_F(ReplayEngineTest, RightOnTheProgramsDataAloneIsWrong) {
  Measurement M =
      measure(with("in[i] * a", "(0.5f * float(i % 37) + 1 + floorf(in[i] - "
                                "(0.5f * float(i % 37) + 1) + 0.5f)) * a"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
}

TEST_F(ReplayEngineTest, ValueThatIsNotWrittenIsFound) {
  Measurement M = measure(with("out[i] =", "if (i != 500) out[i] ="));
  EXPECT_VERDICT(M, Verdict::WrongResult);
}

TEST_F(ReplayEngineTest, StrayWriteIsFound) {
  Measurement M = measure(
      with("fakeWork(60);", "if (i == 7) out[n + 1000] = 0; fakeWork(10);"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
}

TEST_F(ReplayEngineTest, WrongDeviceVariableIsFound) {
  Measurement M = measure(with("launches += 1", "launches += 2"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("launches"));
}

TEST_F(ReplayEngineTest, CrashEndsTheVariantOnly) {
  Measurement M =
      measure(with("fakeWork(60);", "if (i == 9) *(volatile int *)16 = 1;"));
  EXPECT_VERDICT(M, Verdict::RunError);
  EXPECT_VERDICT(measure(with("fakeWork(60);", "fakeWork(11);")),
                 Verdict::Faster);
}

TEST_F(ReplayEngineTest, IllegalAccessEndsTheVariantOnly) {
  Measurement M =
      measure(with("fakeWork(60);", "if (i == 9) fakeIllegalAddress();"));
  EXPECT_VERDICT(M, Verdict::RunError);
  EXPECT_THAT(evidence(M), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_VERDICT(measure(with("fakeWork(60);", "fakeWork(12);")),
                 Verdict::Faster);
}

TEST_F(ReplayEngineTest, HangEndsTheVariantOnly) {
  Measurement M =
      measure(with("fakeWork(60);", "for (volatile int w = 0; w < 1;);"));
  EXPECT_VERDICT(M, Verdict::Timeout);
  EXPECT_VERDICT(measure(with("fakeWork(60);", "fakeWork(13);")),
                 Verdict::Faster);
}

TEST_F(ReplayEngineTest, WhatDoesNotCompileIsACompileError) {
  Measurement M = measure(with("fakeWork(60);", "int 5;"));
  EXPECT_VERDICT(M, Verdict::CompileError);
  EXPECT_THAT(evidence(M), HasSubstr("error:"));
}

TEST_F(ReplayEngineTest, MissingKernelGoesToTheProgram) {
  std::string Text = with("void scale(", "void other(");
  for (int I = 0; I < 2; ++I)
    Text = with(" scale<<<", " other<<<", Text);
  Measurement M = measure(Text);
  EXPECT_NE(M.Engine, "replay");
  EXPECT_THAT(evidence(M), HasSubstr("no kernel _Z5scale"));
}

TEST_F(ReplayEngineTest, TooMuchSharedMemoryIsSaidInWords) {
  Candidate C = Shared->candidate(with("fakeWork(60);", "fakeWork(14);"));
  LaunchTransform T = LaunchTransform::identity();
  T.SharedBytes = ExtentExpr::constant(300 << 10);
  C.Launches = {{Scale, T}};
  Measurement M = Shared->Engine->measure(C);
  EXPECT_VERDICT(M, Verdict::RunError);
  EXPECT_THAT(evidence(M), HasSubstr("bytes of shared memory"));
}

TEST_F(ReplayEngineTest, OtherShapesAreLaunchedAsTheVariantSays) {
  std::string Text =
      with("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i >= n)\n    return;\n  fakeWork(60);",
           "for (int i = blockIdx.x * blockDim.x + threadIdx.x; "
           "i < n; i += gridDim.x * blockDim.x) {\n fakeWork(15);");
  Text = with("offsets[i % 4];", "offsets[i % 4]; }", Text);
  Text = with("if (i == 0)\n", "if (i == 0) \n", Text);
  Candidate C = Shared->candidate(Text);
  LaunchTransform T = LaunchTransform::identity();
  T.Grid[0] = ExtentExpr::constant(2);
  C.Launches = {{Scale, T}};
  EXPECT_VERDICT(Shared->Engine->measure(C), Verdict::Faster);
  // Without the loop the smaller grid leaves most of it undone.
  C = Shared->candidate(with("fakeWork(60);", "fakeWork(16);"));
  C.Launches = {{Scale, T}};
  EXPECT_VERDICT(Shared->Engine->measure(C), Verdict::WrongResult);
}

TEST_F(ReplayEngineTest, EveryKernelIsJudged) {
  EXPECT_VERDICT(measure(with("data[i] + 1", "data[i] + 2")),
                 Verdict::WrongResult);
  EXPECT_VERDICT(measure(with("fakeWork(60);", "fakeWork(17);")),
                 Verdict::Faster);
}

//===----------------------------------------------------------------------===//
// Engines of their own
//===----------------------------------------------------------------------===//

/// The verdict of a variant that does less work, where replay is refused.
std::string whyNotReplayed(Bench &S, const std::string &Text) {
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_NE(M.Engine, "replay");
  return evidence(M);
}

TEST(ReplayEngine, StateThatDoesNotFitBesideTheProgramIsKeptElsewhere) {
  Bench S;
  // The program takes nearly all of it: nothing is left for copies.
  S.ForProgram.Run.Environment = {"FAKE_GPU_MEMORY=16777216"};
  std::string Text = with("cudaMalloc(&bystander, sizeof(host));",
                          "cudaMalloc(&bystander, (16 << 20) - (3 << 20));");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayEngine, StateThatFitsNowhereIsNotReplayed) {
  Bench S;
  S.ForProgram.Run.Environment = {"FAKE_GPU_MEMORY=16777216",
                                  "FAKE_GPU_HOST_MEMORY=1048576"};
  std::string Text = with("cudaMalloc(&bystander, sizeof(host));",
                          "cudaMalloc(&bystander, (16 << 20) - (3 << 20));");
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("memory cannot be saved: neither the GPU nor"));
}

TEST(ReplayEngine, AProgramThatForksIsReplayed) {
  Bench S;
  std::string Text =
      with("  float *in, *out, *bystander;",
           "  float *in, *out, *bystander;\n  cudaDeviceSynchronize();\n"
           "  if (fork() == 0)\n    _exit(0);\n  wait(nullptr);",
           with("#include <unistd.h>",
                "#include <sys/wait.h>\n#include <unistd.h>"));
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayEngine, AProgramThatIsKilledBeforeTheLaunchIsNotReplayed) {
  Bench S;
  std::string Text =
      with("  for (int i = 0; i < 3; ++i) {",
           "  const char *mode = getenv(\"CUDAL1_MODE\");\n"
           "  if (mode && !strcmp(mode, \"replay\"))\n"
           "    kill(getpid(), SIGKILL);\n  for (int i = 0; i < 3; ++i) {",
           with("#include <cstdio>", "#include <csignal>\n#include <cstdio>"));
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("was killed by signal 9 (Killed) before launch 1"));
}

TEST(ReplayEngine, TimesThatAnotherProcessDisturbsAreSaidToBe) {
  Bench S;
  // A seventh more on some launches than on others.
  std::string Text =
      with("  fakeWork(60);\n",
           "  fakeWork(60);\n  if (i == 0) {\n    static unsigned turn = 1;\n"
           "    turn = turn * 1664525 + 1013904223;\n"
           "    fakeWork((turn >> 24) * 40);\n  }\n");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(59);", Text));
  EXPECT_TRUE(isRight(M.Outcome)) << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("is another process using the GPU?"));
}

TEST(ReplayEngine, SentinelsDoNotHideFaultsElsewhere) {
  Bench S;
  std::string Text = with("out[i] = in[i] * a + offsets[i % 4];",
                          "out[i] = i % 2 ? 1e30f : in[i] * a;");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("in[i] * a;", "in[i] * a * 1.001f;", Text),
                            FpClass::Reassociate);
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayEngine, PointersToVariablesAreNotReplayed) {
  Bench S;
  std::string Text =
      with("__device__ int launches;",
           "__device__ int launches;\n__device__ float *there = offsets + 1;");
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("holds a pointer to the variable offsets"));
}

TEST(ReplayEngine, PointersToVariablesInBuffersAreNotReplayed) {
  Bench S;
  std::string Text = with("  for (int i = 0; i < 3; ++i) {",
                          "  int *there = &launches;\n"
                          "  cudaMemcpy(bystander + 2, &there, 8, "
                          "cudaMemcpyHostToDevice);\n"
                          "  for (int i = 0; i < 3; ++i) {");
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("holds a pointer to the variable launches"));
}

TEST(ReplayEngine, MemoryThatCannotBeSavedIsNamed) {
  auto WithMemory = [](const std::string &Call) {
    return with("  cudaMalloc(&bystander, sizeof(host));",
                "  " + Call + "((void **)&bystander, sizeof(host));");
  };
  Bench Gpus, Processes, Plain;
  EXPECT_THAT(whyNotReplayed(Gpus, WithMemory("fakeMemoryOfOtherGpu")),
              HasSubstr("has memory on several GPUs"));
  EXPECT_THAT(whyNotReplayed(Processes, WithMemory("fakeMemoryOfOtherProcess")),
              HasSubstr("memory of another process"));
  Plain.ForProgram.Run.Environment = {"FAKE_GPU_PAGEABLE=1"};
  EXPECT_THAT(whyNotReplayed(Plain, with("  float *in, *out, *bystander;",
                                         "  float *in, *out, *bystander;",
                                         with("cudaMalloc(&in, sizeof(host));",
                                              "in = (float *)malloc(sizeof("
                                              "host));"))),
              HasSubstr("plain memory of the host"));
}

TEST(ReplayEngine, MappedMemoryThatNoArgumentShowsIsPutBack) {
  Bench S;
  // Each launch adds to it, by a pointer in a device variable.
  std::string Text =
      with("__device__ int launches;",
           "__device__ int launches;\n__device__ float *hidden;");
  Text = with("cudaMalloc(&out, sizeof(host));",
              "cudaMalloc(&out, sizeof(host));\n"
              "  fakeMappedMemory((void **)&hidden, sizeof(host));\n"
              "  cudaMemcpy(hidden, host, sizeof(host), "
              "cudaMemcpyHostToDevice);",
              Text);
  Text = with("in[i] * a +", "(hidden[i] += 1) + in[i] * a +", Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
  EXPECT_VERDICT(S.measure(with("hidden[i] += 1", "1", Text)),
                 Verdict::WrongResult);
}

TEST(ReplayEngine, WhatTheProgramSetsForAFunctionItsVariantsGet) {
  Bench S;
  // A cluster of sixteen blocks: cluster dimension and function attribute.
  std::string Text = with("    scale<<<(n + 127) / 128, 128>>>(",
                          "    fakeFunctionAttribute((void *)scale, 14, 1);\n"
                          "    fakeAttribute(4, 16, 1, 1);\n"
                          "    scale<<<16, 64>>>(");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayEngine, MemoryThatIsReadByAHiddenPointerIsNotPoisoned) {
  Bench S;
  // The second half of the output is an input, which no parameter shows.
  std::string Text =
      with("__device__ int launches;",
           "__device__ int launches;\n__device__ float *hidden;");
  Text = with("cudaMalloc(&out, sizeof(host));",
              "cudaMalloc(&out, 2 * sizeof(host));\n  hidden = out + n;\n"
              "  cudaMemcpy(hidden, host, sizeof(host), "
              "cudaMemcpyHostToDevice);",
              Text);
  Text = with("in[i] * a +", "in[i] * a + hidden[i] +", Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("a poisoned output"));
  EXPECT_THAT(evidence(M), HasSubstr("on 4 data sets"));
  EXPECT_VERDICT(S.measure(with("hidden[i]", "hidden[i] * 1.01f", Text),
                           FpClass::Reassociate),
                 Verdict::WrongResult);
}

TEST(ReplayEngine, OfAKernelThatIsNotLaunchedNothingIsSaid) {
  Bench S;
  std::string Text = with("int main() {", "__global__ void idle(float *data) "
                                          "{ data[0] = 1; }\n\nint main() {");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("data[0] = 1", "data[0] = 2", Text));
  EXPECT_VERDICT(M, Verdict::Unsupported);
  EXPECT_EQ(M.Engine, "replay");
  EXPECT_THAT(evidence(M), HasSubstr("the program does not launch it"));
  M = S.measure(with("data[0] = 1", "data[0] = 2",
                     with("fakeWork(60);", "fakeWork(10);", Text)));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_THAT(evidence(M), HasSubstr("the program does not launch it"));
}

TEST(ReplayEngine, ALaunchInAnotherShapeIsTriedAgain) {
  Bench S;
  std::string Count = S.Folder / "count";
  S.ForProgram.Run.Environment = {"COUNT=" + Count};
  // The first process that is held launches with shared memory.
  std::string Text = with(
      "  for (int i = 0; i < 3; ++i) {\n    scale<<<(n + 127) / 128, 128>>>(",
      "  const char *mode = getenv(\"CUDAL1_MODE\");\n"
      "  bool first = mode && !strcmp(mode, \"replay\") && "
      "access(getenv(\"COUNT\"), F_OK) != 0;\n"
      "  if (first)\n    fclose(fopen(getenv(\"COUNT\"), \"w\"));\n"
      "  for (int i = 0; i < 3; ++i) {\n"
      "    scale<<<(n + 127) / 128, 128, first ? 64 : 0>>>(");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("on 4 data sets"));
  EXPECT_TRUE(llvm::sys::fs::exists(Count));
}

TEST(ReplayEngine, KernelsOfGraphsGoToTheProgram) {
  Bench S;
  std::string Text = with("for (int i = 0; i < 3; ++i) {",
                          "fakeBeginCapture(); shift<<<1, 1>>>(in, 1); "
                          "fakeEndCapture(); fakeLaunchGraph();\n"
                          "  for (int i = 0; i < 3; ++i) {");
  Text = with("    shift<<<(n + 127) / 128, 128>>>(in, n);\n", "", Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("data[i] + 1", "data[i] + 2", Text));
  EXPECT_NE(M.Engine, "replay") << evidence(M);
}

TEST(ReplayEngine, WhereNothingCanBeComparedNothingIsProved) {
  Bench S;
  // A bystander of which nobody says what it is, and that holds the result
  // already.
  std::string Text = with("data[i] = data[i] + 1", "data[i] = 7");
  Text = with("shift<<<(n + 127) / 128, 128>>>(in, n)",
              "shift<<<1, 1>>>(bystander, 1)", Text);
  Text = with("  for (int i = 0; i < 3; ++i) {",
              "  host[0] = 7;\n  cudaMemcpy(bystander, host, 4, "
              "cudaMemcpyHostToDevice);\n  for (int i = 0; i < 3; ++i) {",
              Text);
  S.ForReplay.Parameters.erase(Shift);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("data[i] = 7", "(void)data[i]", Text));
  EXPECT_NE(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M),
              HasSubstr("nothing is known that the kernel writes"));
}

TEST(ReplayEngine, ResultsThatChangeByThemselvesAreNotJudgedByReplay) {
  Bench S;
  std::string Text =
      with("data[i] = data[i] + 1;",
           "{ static float turn; data[i] = data[i] + (turn += 1); }");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("(turn += 1)", "(turn += 2)", Text));
  EXPECT_NE(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("different results"));
}

TEST(ReplayEngine, WorkersOfSeveralGpusJudgeAtTheSameTime) {
  Bench S;
  S.ForReplay.Gpus = {"0", "1"};
  S.prepare();
  std::vector<Candidate> All;
  for (const char *Text : {"fakeWork(10);", "*(volatile int *)16 = 1;",
                           "fakeWork(90);", "in += 1;"})
    All.push_back(S.candidate(with("fakeWork(60);", Text)));
  std::vector<Measurement> Results = S.Engine->measureAll(All);
  ASSERT_EQ(Results.size(), 4u);
  EXPECT_VERDICT(Results[0], Verdict::Faster);
  EXPECT_VERDICT(Results[1], Verdict::RunError);
  EXPECT_VERDICT(Results[2], Verdict::Slower);
  EXPECT_VERDICT(Results[3], Verdict::WrongResult);
}

TEST(ReplayEngine, AnotherToolThatTimesOnTheGpuIsWaitedFor) {
  Bench S;
  S.prepare();
  EXPECT_VERDICT(S.measure(with("fakeWork(60);", "fakeWork(10);")),
                 Verdict::Faster); // holds processes
  std::optional<GpuLock> Other(
      GpuLock::take("fafafafafafafafafafafafafafafafa", nullptr));
  ASSERT_TRUE(Other->isHeld());
  std::atomic<bool> Released = false;
  std::thread Later([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    Released = true;
    Other.reset();
  });
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(20);"));
  EXPECT_TRUE(Released);
  Later.join();
  EXPECT_VERDICT(M, Verdict::Faster);
}

TEST(ReplayEngine, FasterThanTheMemoryIsRejected) {
  Bench S;
  S.ForProgram.Run.Environment = {"FAKE_GPU_L2=1004"};
  // The larger launch writes 3000 bytes more than the cache holds: 30 us.
  S.ForReplay.MemoryBandwidthGBs = 0.1;
  S.prepare();
  EXPECT_VERDICT(S.measure(with("fakeWork(60);", "fakeWork(40);")),
                 Verdict::Faster);
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);"));
  EXPECT_VERDICT(M, Verdict::Ambiguous);
  EXPECT_THAT(evidence(M), HasSubstr("the measurement is wrong"));
}

TEST(ReplayEngine, StopFlagEndsWhatHangs) {
  Bench S;
  std::atomic<bool> Stop = false;
  S.ForProgram.StopFlag = S.ForReplay.StopFlag = &Stop;
  S.ForReplay.LaunchTimeConstant = std::chrono::minutes(5);
  S.prepare();
  std::thread Later([&] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    Stop = true;
  });
  Measurement M =
      S.measure(with("fakeWork(60);", "for (volatile int w = 0; w < 1;);"));
  Later.join();
  EXPECT_VERDICT(M, Verdict::Unsupported);
}

/// True once none of the processes in the file lives.
bool allEnded(const std::string &PidFile) {
  for (int Tries = 0; Tries < 500; ++Tries) {
    auto Text = llvm::MemoryBuffer::getFile(PidFile);
    llvm::SmallVector<llvm::StringRef> Lines;
    if (Text)
      (*Text)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
    bool Alive = Lines.empty();
    for (llvm::StringRef Line : Lines) {
      pid_t Pid = 0;
      Alive |= !Line.getAsInteger(10, Pid) && ::kill(Pid, 0) == 0;
    }
    if (!Alive)
      return true;
    ::usleep(10000);
  }
  return false;
}

TEST(ReplayEngine, NothingOutlivesAToolThatIsKilled) {
  Bench S;
  std::string PidFile = S.Folder / "pids", Ready = S.Folder / "ready";
  S.ForProgram.Run.Environment = {"PID_FILE=" + PidFile};
  S.ForReplay.LaunchTimeConstant = std::chrono::minutes(5);
  pid_t Tool = ::fork();
  if (Tool == 0) {
    S.prepare();
    S.measure(with("fakeWork(60);", "fakeWork(10);")); // holds processes
    std::error_code Code;
    llvm::raw_fd_ostream(Ready, Code) << "ready";
    S.measure(with("fakeWork(60);", "for (volatile int w = 0; w < 1;);"));
    ::_exit(1);
  }
  for (int Tries = 0; Tries < 3000 && !llvm::sys::fs::exists(Ready); ++Tries)
    ::usleep(10000);
  EXPECT_TRUE(llvm::sys::fs::exists(Ready));
  ::usleep(1000000); // until the kernel hangs
  ::kill(Tool, SIGKILL);
  ::waitpid(Tool, nullptr, 0);
  EXPECT_TRUE(allEnded(PidFile));
}

} // namespace
