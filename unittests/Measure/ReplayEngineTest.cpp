//===- ReplayEngineTest.cpp - All of live replay, on a fake GPU -----------===//

#include "../../lib/Measure/GpuLock.h"
#include "ReplayBench.h"
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>

using namespace cudal1;
using testing::HasSubstr;

namespace {

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

TEST(ReplayEngine, WorkersOfSeveralGpusJudgeAtTheSameTime) {
  Bench S;
  S.ForReplay.Gpus = {"0", "1"};
  S.prepare();
  std::vector<Candidate> All;
  for (const char *Text : {"fakeWork(10);", "*(volatile int *)16 = 1;",
                           "fakeWork(90);", "in += 1;"})
    All.push_back(S.candidate(with("fakeWork(60);", Text)));
  // One for runs of the program, beside which nobody times.
  All.insert(All.begin() + 1,
             S.candidate(with("fakeWork(60);", "fakeWork(11);")));
  All[1].ChangesHostCode = true;
  S.Engine->compileAhead(All);
  std::vector<Measurement> Results = S.Engine->measureAll(All);
  ASSERT_EQ(Results.size(), 5u);
  EXPECT_EQ(Results[1].Engine, "program");
  EXPECT_VERDICT(Results[1], Verdict::Faster);
  Results.erase(Results.begin() + 1);
  EXPECT_VERDICT(Results[0], Verdict::Faster);
  EXPECT_VERDICT(Results[1], Verdict::RunError);
  EXPECT_VERDICT(Results[2], Verdict::Slower);
  EXPECT_VERDICT(Results[3], Verdict::WrongResult);
}

TEST(ReplayEngine, OfMoreThanAreKeptAheadEachCanBeMeasured) {
  Bench S;
  S.prepare();
  std::vector<Candidate> All;
  for (int I = 0; I < 600; ++I)
    All.push_back(S.candidate(
        with("fakeWork(60);", "fakeWork(10); // " + std::to_string(I))));
  S.Engine->compileAhead(All);
  for (size_t I : {size_t(0), size_t(5), All.size() - 1})
    EXPECT_VERDICT(S.Engine->measure(All[I]), Verdict::Faster);
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
