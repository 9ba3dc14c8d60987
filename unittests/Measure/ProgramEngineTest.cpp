//===- ProgramEngineTest.cpp - Measure by running the whole program -------===//
//
// The "compiler" is a shell script that turns its source, itself a shell
// script, into the program; the programs write traces by emit-trace. Nothing
// here needs a GPU.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Measure/ProgramEngine.h"
#include "TestFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <thread>

using namespace cudal1;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr char FakeCompiler[] = R"(#!/bin/sh
echo "$@" >> "$(dirname "$0")/compiler.log"
while [ $# -gt 0 ]; do
  case "$1" in
    -o) output=$2; shift ;;
    -*) ;;
    *) source=$1 ;;
  esac
  shift
done
if grep -q SYNTAX "$source"; then
  echo "file.cu" >&2
  echo "file.cu(3): error: expected a ';'" >&2
  exit 2
fi
cp "$source" "$output" && chmod +x "$output"
)";

/// A program that runs `scale` once for 1 ms and copies three floats back.
constexpr char Original[] = R"(#!/bin/sh
"$EMIT" alloc 4096 64 launch _Z5scalePf 4096 run _Z5scalePf 1 1000000 \
  copy 4096 1.0,2.0,3.0
echo "sum 6.0"
echo "time 1.25 ms"
)";

std::string with(llvm::StringRef From, llvm::StringRef To,
                 std::string Text = Original) {
  size_t At = Text.find(From);
  EXPECT_NE(At, std::string::npos) << From.str();
  return Text.replace(At, From.size(), To);
}

class ProgramEngineTest : public testing::Test {
protected:
  ProgramEngineTest() {
    Options.Build.MainFile = Folder.write("user/file.cu", Original);
    Options.Build.Compiler =
        Folder.write("compiler", FakeCompiler, /*Executable=*/true);
    Options.Run.WorkingDirectory = Folder / "user";
    Options.Run.Environment = {"EMIT=" CUDAL1_EMIT_TRACE};
    Options.Injection.Library = Options.Build.Compiler; // any file will do
    Options.WorkFolder = Folder / "work";
    Options.WallMs = printedMs;
    Options.BaselineRuns = 1;
    Options.Rechecks = 1;
    Options.TimingBudget = std::chrono::seconds(2);
    Options.VariantTimeFactor = 2;
    Options.VariantTimeConstant = std::chrono::milliseconds(1000);
    Options.Parameters["_Z5scalePf"] = {{ElementType::Float}};
  }

  /// The wall clock is what the program prints as its time: what else runs on
  /// this machine says nothing about a program.
  static double printedMs(const ProcessResult &Run) {
    double Ms = 1.25;
    llvm::StringRef Text = llvm::StringRef(Run.Stdout).split("time ").second;
    (void)Text.split(' ').first.getAsDouble(Ms);
    return Ms;
  }

  void setOriginal(llvm::StringRef Text) { Folder.write("user/file.cu", Text); }

  Baseline prepare() {
    Engine = makeProgramEngine(Options);
    llvm::Expected<Baseline> Result = Engine->prepare();
    if (!Result) {
      ADD_FAILURE() << llvm::toString(Result.takeError());
      return Baseline();
    }
    return *Result;
  }

  std::string prepareError() {
    Engine = makeProgramEngine(Options);
    llvm::Expected<Baseline> Result = Engine->prepare();
    return Result ? "" : llvm::toString(Result.takeError());
  }

  Candidate candidate(std::string Text, FpClass Class = FpClass::Exact) {
    Candidate C;
    C.Id = "v" + std::to_string(++Count);
    C.Sources = {{Options.Build.MainFile, std::move(Text)}};
    C.Class = Class;
    return C;
  }

  Measurement measure(std::string Text, FpClass Class = FpClass::Exact) {
    if (!Engine)
      prepare();
    return Engine->measure(candidate(std::move(Text), Class));
  }

  static std::string evidence(const Measurement &M) {
    return llvm::join(M.Evidence, "\n");
  }

  TestFolder Folder;
  ProgramEngineOptions Options;
  std::unique_ptr<MeasureEngine> Engine;
  int Count = 0;
};

#define EXPECT_VERDICT(M, Expected)                                            \
  EXPECT_EQ(toString((M).Outcome).str(), toString(Expected).str())             \
      << evidence(M)

TEST_F(ProgramEngineTest, BaselineHoldsTheProfile) {
  Baseline B = prepare();
  EXPECT_EQ(B.Engine, "program");
  ASSERT_TRUE(B.Times);
  ASSERT_EQ(B.Times->Kernels.size(), 1u);
  EXPECT_EQ(B.Times->Kernels[0].DisplayName, "scale(float*)");
  EXPECT_EQ(B.Times->Kernels[0].Launches, 1u);
  EXPECT_DOUBLE_EQ(B.Times->KernelMs, 1.0);
  EXPECT_GT(B.Times->WallMs, 0);
  EXPECT_THAT(B.NonDeterminism, IsEmpty());
  EXPECT_THAT(B.Notes, IsEmpty());
}

TEST_F(ProgramEngineTest, AGivenToleranceHoldsForCopiesAndPrintedNumbers) {
  std::string Copied = with("2.0,", "2.001,", with("1000000", "500000"));
  std::string Printed = with("sum 6.0", "sum 6.005", with("1000000", "500000"));
  for (const std::string &Text : {Copied, Printed})
    EXPECT_VERDICT(measure(Text, FpClass::Reassociate), Verdict::WrongResult);
  Options.RelativeTolerance = 1e-3;
  EXPECT_THAT(prepare().Notes, Contains(HasSubstr("tolerance of 0.001")));
  for (const std::string &Text : {Copied, Printed}) {
    EXPECT_VERDICT(measure(Text, FpClass::Reassociate), Verdict::Faster);
    EXPECT_VERDICT(measure(Text, FpClass::Exact), Verdict::WrongResult);
  }
  EXPECT_THAT(evidence(measure(with("2.0,", "2.1,"), FpClass::Reassociate)),
              HasSubstr("outside the given tolerance"));
}

TEST_F(ProgramEngineTest, RightAndFasterIsFaster) {
  Measurement M = measure(with("1 1000000", "1 500000"));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_NEAR(M.Speedup.value_or(0), 2.0, 1e-6);
  ASSERT_TRUE(M.SpeedupLow && M.SpeedupHigh);
  EXPECT_LT(*M.SpeedupLow, 2.0);
  EXPECT_GT(*M.SpeedupHigh, 2.0);
  ASSERT_TRUE(M.Original && M.Variant);
  EXPECT_DOUBLE_EQ(M.Original->KernelMs, 1.0);
  EXPECT_DOUBLE_EQ(M.Variant->KernelMs, 0.5);
  EXPECT_EQ(M.Errors.Mismatches, 0u);
  EXPECT_GT(M.Errors.ValuesCompared, 0u);
  EXPECT_EQ(M.Engine, "program");
}

TEST_F(ProgramEngineTest, EqualIsTheSameAndSlowIsSlower) {
  EXPECT_VERDICT(measure(Original), Verdict::Same);
  EXPECT_VERDICT(measure(with("1 1000000", "1 1200000")), Verdict::Slower);
  Measurement M = measure(with("1 1000000", "1 9000000"));
  EXPECT_VERDICT(M, Verdict::Slower);
  EXPECT_EQ(M.Pairs, 1u);
}

TEST_F(ProgramEngineTest, AChangeOfHostCodeIsJudgedByTheSpanOfTheGpusWork) {
  setOriginal(with("run _Z5scalePf 1 1000000",
                   "run _Z5scalePf 1 1000 idle 1000000 run _Z5scalePf 1 1000"));
  prepare();
  // The kernels take a little longer when one follows the other at once.
  Candidate C = candidate(with("run _Z5scalePf 1 1000000",
                               "run _Z5scalePf 1 1100 idle 200000 run "
                               "_Z5scalePf 1 1100"));
  EXPECT_VERDICT(Engine->measure(C), Verdict::Slower);
  C.Id = "by-span";
  C.Part = TimedPart::GpuSpan;
  Measurement M = Engine->measure(C);
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Part, TimedPart::GpuSpan);
  EXPECT_NEAR(M.Speedup.value_or(0), 1002100.0 / 202300, 1e-3);
  EXPECT_THAT(evidence(M), HasSubstr("first to its last work on the GPU"));
}

TEST_F(ProgramEngineTest, LoadingALibraryDoesNotHideWhatItsKernelsGain) {
  std::string Copy = "run _Z4copyPf 1 1000 ";
  setOriginal(
      with("run _Z5scalePf 1 1000000", Copy + "run _Z5scalePf 1 99000"));
  prepare();
  Candidate C = candidate(with("run _Z5scalePf 1 1000000",
                               Copy + "idle 5000000 run _Z6vendorPf 1 9000"));
  EXPECT_VERDICT(Engine->measure(C), Verdict::WrongResult);
  C.Id = "replaced";
  C.ReplacedKernels = {"_Z5scalePf"};
  Measurement M = Engine->measure(C);
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Part, TimedPart::Kernels);
  EXPECT_NEAR(M.Speedup.value_or(0), 10, 1e-2);
  EXPECT_THAT(evidence(M), HasSubstr("The library is loaded once a run"));
}

TEST_F(ProgramEngineTest, WhatIsMadeBeforeTheSpanInsteadOfInItIsNoGain) {
  std::string Run = "run _Z5scalePf 1 1000";
  setOriginal(with("run _Z5scalePf 1 1000000",
                   Run + " make 500000 " + Run + " make 500000 " + Run));
  prepare();
  Candidate C = candidate(with("run _Z5scalePf 1 1000000",
                               "make 1000000 " + Run + " " + Run + " " + Run));
  C.Part = TimedPart::GpuSpan;
  EXPECT_VERDICT(Engine->measure(C), Verdict::Same);
  C = candidate(with("run _Z5scalePf 1 1000000",
                     Run + " " + Run + " " + Run + " make 1000000"));
  C.Part = TimedPart::GpuSpan;
  EXPECT_VERDICT(Engine->measure(C), Verdict::Same);
  // Made once instead of twice.
  C = candidate(with("run _Z5scalePf 1 1000000",
                     "make 500000 " + Run + " " + Run + " " + Run));
  C.Part = TimedPart::GpuSpan;
  Measurement M = Engine->measure(C);
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_NEAR(M.Speedup.value_or(0), 1003200.0 / 503200, 1e-2);
}

TEST_F(ProgramEngineTest, TimingEndsOnceTheBestIsOutOfReach) {
  // 1 % more: alone it would take many pairs to tell from the original.
  Candidate C = candidate(with("1 1000000", "1 1010000"));
  prepare();
  C.SpeedupToBeat = 2;
  EXPECT_EQ(Engine->measure(C).Pairs, 2u);
}

TEST_F(ProgramEngineTest, ASlowProgramIsJudgedByAtLeastTwoPairs) {
  Options.TimingBudget = std::chrono::milliseconds(0);
  Measurement M = measure(with("1 1000000", "1 500000"));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Pairs, 2u);
}

TEST_F(ProgramEngineTest, CopiedValuesAreComparedByTheFpClass) {
  std::string Rounded =
      with("1.0,2.0,3.0", "1.0,2.00001,3.0", with("1 1000000", "1 500000"));
  Measurement M = measure(Rounded, FpClass::Exact);
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("device-to-host copy 1 (12 bytes): "
                                     "element 1 (float): 2 became 2.00001"));
  M = measure(Rounded, FpClass::Reassociate);
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_NEAR(M.Errors.MaxAbsolute, 1e-5, 1e-6);
  EXPECT_VERDICT(
      measure(with("1.0,2.0,3.0", "1.0,2.5,3.0"), FpClass::ReducedPrecision),
      Verdict::WrongResult);
}

TEST_F(ProgramEngineTest, CopiesOfUnknownTypeAreComparedAsBytes) {
  Options.Parameters.clear();
  EXPECT_VERDICT(
      measure(with("1.0,2.0,3.0", "1.0,2.00001,3.0"), FpClass::Reassociate),
      Verdict::WrongResult);
}

TEST_F(ProgramEngineTest, WrongOutputIsCaughtThoughItsCopiesAreRight) {
  Measurement M = measure(with("sum 6.0", "sum 7.0"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("stdout, line 1: '6.0' became '7.0'"));
  EXPECT_VERDICT(measure(with("time 1.25", "time 9.75")), Verdict::Same);
}

TEST_F(ProgramEngineTest, MissingCopyIsWrong) {
  Measurement M = measure(with("copy 4096 1.0,2.0,3.0", ""));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("the variant has 0 × device-to-host"));
}

TEST_F(ProgramEngineTest, NanForANumberIsWrongInEveryClass) {
  for (FpClass Class : {FpClass::Exact, FpClass::ReducedPrecision}) {
    EXPECT_VERDICT(measure(with("2.0", "nan"), Class), Verdict::WrongResult);
    EXPECT_VERDICT(measure(with("sum 6.0", "sum nan"), Class),
                   Verdict::WrongResult);
  }
}

TEST_F(ProgramEngineTest, NanOfTheOriginalIsEqualAndNoted) {
  std::string Text = with("2.0", "nan", with("sum 6.0", "sum nan"));
  setOriginal(Text);
  Baseline B = prepare();
  EXPECT_THAT(B.Notes, Contains(HasSubstr("prints NaN in stdout")));
  EXPECT_THAT(B.Notes, Contains(HasSubstr("buffer of the original")));
  EXPECT_VERDICT(measure(Text), Verdict::Same);
}

TEST_F(ProgramEngineTest, HangEndsInATimeout) {
  Measurement M = measure(std::string(Original) + "sleep 60\n");
  EXPECT_VERDICT(M, Verdict::Timeout);
  EXPECT_THAT(evidence(M), HasSubstr("the variant was killed after"));
}

TEST_F(ProgramEngineTest, CrashAndFailureAreRunErrors) {
  Measurement M = measure(std::string(Original) + "kill -SEGV $$\n");
  EXPECT_VERDICT(M, Verdict::RunError);
  EXPECT_THAT(evidence(M), HasSubstr("killed by signal 11"));
  M = measure(std::string(Original) + "echo lost >&2; exit 4\n");
  EXPECT_VERDICT(M, Verdict::RunError);
  EXPECT_THAT(evidence(M), HasSubstr("exited with code 4, stderr: lost"));
}

TEST_F(ProgramEngineTest, CompileErrorShowsItsFirstLine) {
  Measurement M = measure("SYNTAX");
  EXPECT_VERDICT(M, Verdict::CompileError);
  EXPECT_THAT(evidence(M), HasSubstr("file.cu(3): error: expected a ';'"));
}

TEST_F(ProgramEngineTest, OneBadVariantDoesNotHarmTheNext) {
  measure("SYNTAX");
  measure(std::string(Original) + "kill -SEGV $$\n");
  EXPECT_VERDICT(measure(with("1 1000000", "1 500000")), Verdict::Faster);
}

TEST_F(ProgramEngineTest, WhatChangesFromRunToRunIsSaidAndNotCompared) {
  // Two random bytes, far apart nearly always.
  std::string Random = "r=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')\n";
  setOriginal(with("#!/bin/sh\n", "#!/bin/sh\n" + Random,
                   with("sum 6.0", "sum 6.0 id $r", with("3.0", "$r"))));
  Baseline B = prepare();
  EXPECT_THAT(B.NonDeterminism,
              Contains(HasSubstr("1 numbers of stdout change")));
  EXPECT_THAT(B.NonDeterminism,
              Contains(HasSubstr("1 of 1 × device-to-host copy change")));
  EXPECT_VERDICT(measure(with("sum 6.0", "sum 6.0 id 0", with("3.0", "0"))),
                 Verdict::Same);
  // What does not change is still compared.
  EXPECT_VERDICT(measure(with("sum 6.0", "sum 7.0 id 0", with("3.0", "0"))),
                 Verdict::WrongResult);
}

TEST_F(ProgramEngineTest, WhatVariesSeldomIsLearntWhenAVariantLooksWrong) {
  // The third run of the original prints something else.
  std::string Counter = Folder / "counter";
  Options.BaselineRuns = 1;
  std::string Text = with("#!/bin/sh\n",
                          "#!/bin/sh\necho >> " + Counter + "; n=$(wc -l < " +
                              Counter + ")\n" + "[ $n = 4 ] && n=9 || n=1\n",
                          with("sum 6.0", "sum 6.0 $n"));
  setOriginal(Text);
  prepare(); // runs 1 to 3
  Measurement M = measure(with("sum 6.0", "sum 6.0 5"));
  EXPECT_VERDICT(M, Verdict::Same);
  EXPECT_VERDICT(measure(with("sum 6.0", "sum 7.0 5")), Verdict::WrongResult);
}

TEST_F(ProgramEngineTest, MainFileIsKnownByAnyOfItsPaths) {
  prepare();
  ASSERT_FALSE(llvm::sys::fs::create_link(Folder / "user", Folder / "alias"));
  Candidate C = candidate(with("sum 6.0", "sum 7.0"));
  C.Sources[0].OriginalPath = Folder / "alias/file.cu";
  EXPECT_VERDICT(Engine->measure(C), Verdict::WrongResult);
}

TEST_F(ProgramEngineTest, FewerLaunchesAreWrongHoweverFast) {
  setOriginal(with("run _Z5scalePf 1 ", "run _Z5scalePf 10 "));
  Measurement M = measure(with("run _Z5scalePf 1 ", "run _Z5scalePf 9 "));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("kernel scale ran 9 times, 10 in the"));
}

TEST_F(ProgramEngineTest, QualifiedParametersDoNotMakeAnotherKernel) {
  std::string Text = with("_Z5scalePf", "_Z5scalePKf");
  Text = with("run _Z5scalePf", "run _Z5scalePKf", Text);
  EXPECT_VERDICT(measure(Text), Verdict::Same);
}

TEST_F(ProgramEngineTest, ErrorsThatTheProgramIgnoresAreCompared) {
  Measurement M = measure(with("copy", "error cudaLaunchKernel 1 copy"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M),
              HasSubstr("cudaLaunchKernel failed with error 1 1 times"));
  setOriginal(with("copy", "error cudaLaunchKernel 1 copy"));
  Baseline B = prepare();
  EXPECT_THAT(B.Notes, Contains(HasSubstr("cudaLaunchKernel fails")));
  EXPECT_VERDICT(measure(with("copy", "error cudaLaunchKernel 1 copy")),
                 Verdict::Same);
  EXPECT_VERDICT(measure(Original), Verdict::WrongResult);
}

TEST_F(ProgramEngineTest, ProcessThatVanishesIsWrong) {
  EXPECT_VERDICT(
      measure(with("copy 4096 1.0,2.0,3.0", "copy 4096 1.0,2.0,3.0 die")),
      Verdict::WrongResult);
}

TEST_F(ProgramEngineTest, RightOnlyInTheFirstRunIsCaught) {
  std::string Counter = Folder / "counter";
  Measurement M = measure(with("#!/bin/sh",
                               "#!/bin/sh\nn=0; [ -e " + Counter +
                                   " ] && n=1; : > " + Counter + "\n",
                               with("sum 6.0", "sum $n 6.0")));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  setOriginal(with("sum 6.0", "sum 0 6.0"));
  Engine.reset();
  llvm::sys::fs::remove(Counter);
  M = measure(with("#!/bin/sh",
                   "#!/bin/sh\nn=0; [ -e " + Counter + " ] && n=1; : > " +
                       Counter + "\n",
                   with("sum 6.0", "sum $n 6.0")));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("'0' became '1'"));
}

TEST_F(ProgramEngineTest, FasterKernelsInASlowerProgramAreNoGain) {
  Measurement M =
      measure(with("1.25 ms", "2.5 ms", with("1 1000000", "1 500000")));
  EXPECT_VERDICT(M, Verdict::Slower);
  EXPECT_THAT(evidence(M), HasSubstr("by the wall clock is slower"));
}

TEST_F(ProgramEngineTest, TouchedKernelsDecide) {
  setOriginal(with("copy", "run _Z5otherPf 1 9000000 copy"));
  prepare();
  std::string Text = with("1 1000000", "1 500000",
                          with("copy", "run _Z5otherPf 1 9000000 copy"));
  Candidate C = candidate(Text);
  C.Kernels = {"_Z5scalePf"};
  Measurement M = Engine->measure(C);
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_NEAR(M.Speedup.value_or(0), 2.0, 1e-6);
  // Work moved to a kernel that the original does not have counts as well.
  C = candidate(
      with("run _Z5other", "run _Z5addedPf 1 600000 run _Z5other", Text));
  C.Kernels = {"_Z5scalePf"};
  M = Engine->measure(C);
  EXPECT_VERDICT(M, Verdict::Slower);
  // Work moved to another kernel of the original makes the whole slower.
  C = candidate(with("1 9000000", "1 9900000", Text));
  C.Kernels = {"_Z5scalePf"};
  M = Engine->measure(C);
  EXPECT_VERDICT(M, Verdict::Slower);
  EXPECT_THAT(evidence(M), HasSubstr("GPU's time of the whole program"));
}

TEST_F(ProgramEngineTest, OutputFilesAreComparedAndLandElsewhere) {
  Options.Run.OutputFiles = {{"out/result.txt", {}}, {"raw.bin", {}}};
  Folder.write("user/out/result.txt", "the user's own");
  Folder.write("user/data.txt", "42");
  auto Program = [](std::string Value, std::string Byte) {
    return std::string(Original) + "echo \"x $(cat data.txt) " + Value +
           "\" > out/result.txt; printf '\\0" + Byte +
           "' > raw.bin; touch litter\n";
  };
  setOriginal(Program("1.5", "a"));
  prepare();
  EXPECT_VERDICT(measure(Program("1.5", "a")), Verdict::Same);
  Measurement M = measure(Program("1.6", "a"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("'out/result.txt' line 1"));
  EXPECT_VERDICT(measure(Program("1.5", "b")), Verdict::WrongResult);
  EXPECT_VERDICT(measure(Original), Verdict::WrongResult);
  EXPECT_EQ(Folder.read("user/out/result.txt"), "the user's own");
  EXPECT_EQ(Folder.read("user/data.txt"), "42");
  EXPECT_FALSE(llvm::sys::fs::exists(Folder / "user/litter"));
  EXPECT_FALSE(llvm::sys::fs::exists(Folder / "user/raw.bin"));
}

TEST_F(ProgramEngineTest, NothingOfTheUsersIsRemovedInTheEnd) {
  Folder.write("user/sub/data.txt", "42");
  measure(with("1 1000000", "1 500000"));
  Engine.reset();
  EXPECT_EQ(Folder.read("user/sub/data.txt"), "42");
  EXPECT_EQ(Folder.read("user/file.cu"), Original);
  std::error_code Code;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(Folder / "work", Code),
            llvm::sys::fs::directory_iterator());
}

TEST_F(ProgramEngineTest, VariantsCompiledAheadAreCompiledOnce) {
  Options.Jobs = 2;
  prepare();
  std::vector<Candidate> Candidates;
  for (int I = 0; I < 4; ++I)
    Candidates.push_back(
        candidate(with("1 1000000", "1 " + std::to_string(900000 - I))));
  Candidates.push_back(Candidates.front());
  Engine->compileAhead(Candidates);
  auto Compilations = [&] {
    return llvm::StringRef(Folder.read("compiler.log")).count('\n');
  };
  EXPECT_EQ(Compilations(), 5u); // the original too
  EXPECT_VERDICT(Engine->measure(Candidates[2]), Verdict::Faster);
  EXPECT_EQ(Compilations(), 5u);
}

TEST_F(ProgramEngineTest, SameProgramIsNotRunAgain) {
  // The "compiler" makes a real executable, the same of any source text.
  Folder.write("compiler",
               "#!/bin/sh\nfor output; do :; done\ncp " CUDAL1_EMIT_TRACE
               " $output\n",
               /*Executable=*/true);
  Options.Run.Arguments = {"launch", "_Z1kPf", "0",   "run",
                           "_Z1kPf", "1",      "1000"};
  Measurement M = measure("// another text");
  EXPECT_VERDICT(M, Verdict::Same);
  EXPECT_FALSE(M.Speedup);
  EXPECT_THAT(evidence(M), HasSubstr("same program of it as of the original"));
  // The original itself is measured for its noise.
  M = Engine->measure(Candidate());
  EXPECT_VERDICT(M, Verdict::Same);
  EXPECT_TRUE(M.Speedup);
}

TEST_F(ProgramEngineTest, ChangedHeadersAreFoundThroughIncludeFolders) {
  Options.Build.Flags = {"-c", "-I../inc", "-o", "x.o", "-dc", "file.cu"};
  Options.Build.Directory = Folder / "user";
  std::string Header = Folder.write("inc/kernel.h", "old");
  prepare();
  Candidate C = candidate(Original);
  C.Sources.push_back({Header, "new"});
  EXPECT_VERDICT(Engine->measure(C), Verdict::Same);
  llvm::SmallVector<llvm::StringRef> Lines;
  std::string Log = Folder.read("compiler.log");
  llvm::StringRef(Log).split(Lines, '\n');
  EXPECT_THAT(Lines[0].str(), HasSubstr("-I../inc -rdc=true " +
                                        Options.Build.MainFile + " -o "));
  EXPECT_THAT(Lines[1].str(), HasSubstr("/source" + (Folder / "inc")));
  EXPECT_EQ(Folder.read("inc/kernel.h"), "old");
}

TEST_F(ProgramEngineTest, BuildCommandWithPlaceholders) {
  Options.Build.Command = Options.Build.Compiler + " {source} -o {output}";
  Options.Build.Compiler.clear();
  Options.Run.Command = "{program} ignored";
  EXPECT_VERDICT(measure(with("1 1000000", "1 500000")), Verdict::Faster);
}

TEST_F(ProgramEngineTest, ProjectIsBuiltInACopy) {
  Options.Build.Compiler.clear();
  Options.Build.Command = "cp file.cu prog && chmod +x prog && touch built";
  Options.Build.ProjectRoot = Folder / "user";
  Options.Run.Command = "./prog";
  prepare();
  EXPECT_VERDICT(measure(with("1 1000000", "1 500000")), Verdict::Faster);
  EXPECT_VERDICT(measure(with("sum 6.0", "sum 7.0")), Verdict::WrongResult);
  // A variant without changes is the original again.
  Candidate C;
  EXPECT_VERDICT(Engine->measure(C), Verdict::Same);
  EXPECT_EQ(Folder.read("user/file.cu"), Original);
  EXPECT_FALSE(llvm::sys::fs::exists(Folder / "user/built"));
}

TEST_F(ProgramEngineTest, TestCommandMustSucceed) {
  Options.TestCommand = "{program} | grep -q 'time 1'";
  prepare();
  EXPECT_VERDICT(measure(Original), Verdict::Same);
  // The comparison leaves times out; the user's test does not.
  Measurement M = measure(with("time 1.25", "time 9.25"));
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("the test command exited with code 1"));
}

TEST_F(ProgramEngineTest, StopFlagEndsAMeasurement) {
  std::atomic<bool> Stop = false;
  Options.StopFlag = &Stop;
  Options.VariantTimeConstant = std::chrono::seconds(60);
  prepare();
  std::thread Setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Stop = true;
  });
  Measurement M = measure(std::string(Original) + "sleep 60\n");
  Setter.join();
  EXPECT_VERDICT(M, Verdict::Unsupported);
  EXPECT_THAT(evidence(M), HasSubstr("stopped"));
}

TEST_F(ProgramEngineTest, OriginalThatDoesNotWorkIsAClearError) {
  setOriginal("SYNTAX");
  EXPECT_THAT(prepareError(), HasSubstr("the original program does not build"));
  EXPECT_THAT(prepareError(), HasSubstr("expected a ';'"));
  setOriginal(std::string(Original) + "echo no input >&2; exit 3\n");
  EXPECT_THAT(prepareError(),
              HasSubstr("the original program exited with code 3, stderr: no "
                        "input; give the arguments"));
  setOriginal("#!/bin/sh\necho no device >&2; exit 1\n");
  EXPECT_THAT(prepareError(), HasSubstr("stderr: no device; it did not start "
                                        "the CUDA driver (is there a GPU?)"));
  setOriginal("#!/bin/sh\necho hello\n");
  EXPECT_THAT(prepareError(), HasSubstr("no kernel ran: the program did not "
                                        "start the CUDA driver"));
  setOriginal(
      with("run _Z5scalePf 1 1000000", "", with("launch _Z5scalePf 4096", "")));
  EXPECT_THAT(prepareError(), HasSubstr("no kernel ran in the original"));
  setOriginal(with("run _Z5scalePf 1 1000000", ""));
  EXPECT_THAT(prepareError(), HasSubstr("could not be timed"));
  setOriginal(std::string(Original) + "sleep 60\n");
  Options.OriginalTimeLimit = std::chrono::milliseconds(200);
  EXPECT_THAT(prepareError(), HasSubstr("ran past its time limit"));
}

TEST_F(ProgramEngineTest, MissingPartsAreClearErrors) {
  Options.Injection.Library = Folder / "nowhere.so";
  EXPECT_THAT(prepareError(), HasSubstr("the injection library"));
  Options.Injection.Library = Options.Build.MainFile;
  Options.Build.Compiler.clear();
  EXPECT_THAT(prepareError(), HasSubstr("install nvcc or give --build-cmd"));
  Options.Build.Command = "make";
  EXPECT_THAT(prepareError(), HasSubstr("names no {source}"));
  Options.Build.ProjectRoot = Folder / "user";
  Options.Build.Command = "true";
  EXPECT_THAT(prepareError(), HasSubstr("give --run-cmd"));
}

TEST_F(ProgramEngineTest, MeasuringBeforePreparingIsUnsupported) {
  Engine = makeProgramEngine(Options);
  EXPECT_VERDICT(Engine->measure(candidate(Original)), Verdict::Unsupported);
}

} // namespace
