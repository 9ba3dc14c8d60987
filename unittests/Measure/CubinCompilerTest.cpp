//===- CubinCompilerTest.cpp - Compile variants to cubins, ahead ----------===//
//
// The "compiler" is a shell script that copies its source, after as many
// seconds as the source says. Nothing here needs CUDA, but for one test.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Measure/CubinCompiler.h"
#include "TestFolder.h"
#include "cudal1/Measure/Cubin.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <thread>

using namespace cudal1;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

constexpr char FakeCompiler[] = R"sh(#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/compiler.log"
while [ $# -gt 0 ]; do
  case "$1" in
    -o) output=$2; shift ;;
    -I) include=$2; shift ;;
    -dlink) link=1 ;;
    -*) ;;
    *) source=$1 ;;
  esac
  shift
done
touch "$TMPDIR/scratch"
if grep -q SYNTAX "$source"; then
  echo "file.cu(3): error: expected a ';'" >&2
  exit 2
fi
if [ -n "$link" ] && grep -q EXTERN "$source"; then
  echo "nvlink error   : Undefined reference to 'f'" >&2
  exit 255
fi
head -1 "$source" >> "$here/order.log"
touch "$here/running.$$"
ls "$here" | grep -c running >> "$here/parallel.log"
# Together with another one, or after so long that there is none.
if grep -q MEET "$source"; then
  for i in $(seq 600); do
    [ "$(ls "$here" | grep -c running)" -ge 2 ] && touch "$here/met"
    [ -e "$here/met" ] && break
    sleep 0.05
  done
fi
sleep "$(sed -n 's/sleep //p' "$source" | head -1 | grep . || echo 0)"
rm "$here/running.$$"
if grep -q NOTHING "$source"; then exit 0; fi
cat "$source" > "$output"
if [ -n "$include" ]; then cat "$include/header.h" >> "$output"; fi
)sh";

class CubinCompilerTest : public testing::Test {
protected:
  CubinCompilerTest() {
    Spec.MainFile = Folder.write("user/file.cu", "original\n");
    Folder.write("user/include/header.h", "the header\n");
    Spec.Compiler = Folder.write("compiler", FakeCompiler, /*Executable=*/true);
    Spec.Directory = Folder / "user";
    Spec.WorkFolder = Folder / "work";
    Spec.Arch = "sm_90";
    Spec.Jobs = 2;
  }

  CubinCompiler &compiler() {
    if (!Compiler)
      Compiler.emplace(Spec);
    return *Compiler;
  }

  Candidate candidate(std::string Text) {
    Candidate C;
    C.Id = "v" + std::to_string(++Count);
    C.Sources = {{Spec.MainFile, std::move(Text)}};
    return C;
  }

  CubinOutcome take(const std::string &Text) {
    return compiler().take(candidate(Text));
  }

  /// Requests it and waits until a compiler works on it.
  void begin(const std::string &Text) {
    compiler().request(candidate(Text));
    while (Folder.read("order.log").empty())
      std::this_thread::sleep_for(10ms);
  }

  TestFolder Folder;
  CubinSpec Spec;
  std::atomic<bool> Stop = false; ///< outlives the compiler, which reads it
  std::optional<CubinCompiler> Compiler;
  int Count = 0;
};

TEST_F(CubinCompilerTest, AVariantIsCompiledInThePlaceOfTheOriginal) {
  CubinOutcome Outcome = take("variant\n");
  EXPECT_EQ(Outcome.Image, "variant\n") << Outcome.Problem;
  EXPECT_GT(Outcome.Milliseconds, 0);
  EXPECT_EQ(compiler().take(Candidate()).Image, "original\n");
  EXPECT_EQ(Folder.read("user/file.cu"), "original\n");
}

TEST_F(CubinCompilerTest, AChangedHeaderIsTakenFromAnIncludeFolder) {
  Spec.Flags = {"-I", "include"};
  Candidate C = candidate("variant\n");
  EXPECT_EQ(compiler().take(C).Image, "variant\nthe header\n");
  C.Sources.push_back({Folder / "user/include/header.h", "another\n"});
  EXPECT_EQ(compiler().take(C).Image, "variant\nanother\n");
}

TEST_F(CubinCompilerTest, OnlyTheGivenArchitectureIsCompiledFor) {
  EXPECT_THAT(
      flagsWithoutArch({"-O3", "-arch=sm_70", "-arch", "native", "-gencode",
                        "arch=compute_80,code=sm_80", "--generate-code=x",
                        "-code=sm_75", "--gpu-architecture=sm_60", "-c", "-o",
                        "x.o", "-MD", "-MF", "x.d", "-cubin", "-DA=-arch",
                        "--use_fast_math", "-dc"}),
      ElementsAre("-O3", "-DA=-arch", "--use_fast_math", "-rdc=true"));
  Spec.Flags = {"-arch=sm_70", "-O3"};
  take("variant\n");
  EXPECT_THAT(Folder.read("compiler.log"),
              testing::StartsWith("-O3 -cubin -arch=sm_90 "));
}

TEST_F(CubinCompilerTest, TheSameTextIsCompiledOnce) {
  for (int I = 0; I < 3; ++I) {
    compiler().request(candidate("variant\n"));
    EXPECT_EQ(take("variant\n").Image, "variant\n");
  }
  EXPECT_EQ(Folder.read("order.log"), "variant\n");
  compiler().release(candidate("variant\n"));
  EXPECT_EQ(take("variant\n").Image, "variant\n");
  EXPECT_EQ(Folder.read("order.log"), "variant\nvariant\n");
}

TEST_F(CubinCompilerTest, AnErrorIsToldByItsFirstLine) {
  CubinOutcome Outcome = take("SYNTAX\n");
  EXPECT_FALSE(Outcome.ok());
  EXPECT_FALSE(Outcome.Unsupported);
  EXPECT_THAT(Outcome.Problem, HasSubstr("exited with code 2: file.cu(3): "
                                         "error: expected a ';'"));
  EXPECT_THAT(take("NOTHING\n").Problem, HasSubstr("made no cubin"));
  Spec.Compiler = Folder / "missing";
  Compiler.reset();
  EXPECT_THAT(take("variant\n").Problem, HasSubstr("missing"));
}

TEST_F(CubinCompilerTest, NoMoreCompilersRunThanJobs) {
  for (int I = 0; I < 4; ++I)
    compiler().request(candidate(std::to_string(I) + "\nMEET\n"));
  for (int I = 0; I < 4; ++I)
    EXPECT_TRUE(take(std::to_string(I) + "\nMEET\n").ok());
  std::string Parallel = Folder.read("parallel.log");
  EXPECT_TRUE(llvm::sys::fs::exists(Folder / "met"));
  EXPECT_THAT(Parallel, Not(HasSubstr("3")));
}

TEST_F(CubinCompilerTest, WhatIsWaitedForIsNext) {
  Spec.Jobs = 1;
  begin("first\nsleep 1\n");
  for (const char *Text : {"second\n", "third\n"})
    compiler().request(candidate(Text));
  take("third\n");
  take("second\n");
  EXPECT_EQ(Folder.read("order.log"), "first\nthird\nsecond\n");
}

TEST_F(CubinCompilerTest, WhatIsReleasedBeforeItsTurnIsNotCompiled) {
  Spec.Jobs = 1;
  begin("first\nsleep 1\n");
  for (const char *Text : {"second\n", "third\n"})
    compiler().request(candidate(Text));
  compiler().release(candidate("second\n"));
  take("third\n");
  EXPECT_EQ(Folder.read("order.log"), "first\nthird\n");
}

TEST_F(CubinCompilerTest, RequestsReturnAtOnceAndTheEndIsPrompt) {
  auto Start = std::chrono::steady_clock::now();
  for (int I = 0; I < 4; ++I)
    compiler().request(candidate(std::to_string(I) + "\nsleep 30\n"));
  std::this_thread::sleep_for(200ms);
  Compiler.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - Start, 25s);
}

TEST_F(CubinCompilerTest, TheStopFlagEndsWhatRunsAndWhatWaits) {
  Spec.StopFlag = &Stop;
  Spec.Jobs = 1;
  begin("first\nsleep 30\n");
  std::thread Setter([&] {
    std::this_thread::sleep_for(100ms);
    Stop = true;
  });
  auto Start = std::chrono::steady_clock::now();
  CubinOutcome Outcome = take("second\n");
  Setter.join();
  EXPECT_TRUE(Outcome.Stopped);
  EXPECT_FALSE(Outcome.ok());
  EXPECT_TRUE(take("first\nsleep 30\n").Stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - Start, 25s);
}

TEST_F(CubinCompilerTest, ACompilerThatHangsIsTimedOut) {
  Spec.TimeLimit = 100ms;
  CubinOutcome Outcome = take("hangs\nsleep 30\n");
  EXPECT_TRUE(Outcome.TimedOut);
  EXPECT_THAT(Outcome.Problem, HasSubstr("ran past its time limit"));
}

TEST_F(CubinCompilerTest, NothingIsLeftBehind) {
  take("variant\n");
  take("SYNTAX\n");
  Compiler.reset();
  std::error_code Code;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(Spec.WorkFolder, Code),
            llvm::sys::fs::directory_iterator());
}

TEST_F(CubinCompilerTest, RelocatableCodeIsLinkedAloneOrNotSupported) {
  Spec.Flags = {"-dc"};
  EXPECT_EQ(take("variant\n").Image, "variant\n");
  EXPECT_THAT(Folder.read("compiler.log"),
              HasSubstr("\n-dlink -cubin -arch=sm_90 "));
  CubinOutcome Outcome = take("EXTERN\n");
  EXPECT_TRUE(Outcome.Unsupported);
  EXPECT_FALSE(Outcome.ok());
  EXPECT_THAT(Outcome.Problem, HasSubstr("Undefined reference"));
}

TEST_F(CubinCompilerTest, NvccMakesCubins) {
  Spec.Compiler = "/usr/local/cuda/bin/nvcc";
  if (!llvm::sys::fs::can_execute(Spec.Compiler))
    GTEST_SKIP() << "no nvcc in /usr/local/cuda";
  Spec.Flags = {"-O3", "-lcudart", "-gencode", "arch=compute_80,code=sm_80",
                "-c"};
  Candidate C = candidate("__global__ void k(int *P) { P[0] = 1; }");
  std::optional<std::string> Hash;
  for (const char *Linkage : {"-rdc=false", "-rdc=true"}) {
    Spec.Flags.push_back(Linkage);
    Compiler.emplace(Spec);
    CubinOutcome Outcome = compiler().take(C);
    llvm::Expected<Cubin> Image = readCubin(Outcome.Image);
    ASSERT_TRUE(bool(Image))
        << llvm::toString(Image.takeError()) << Outcome.Problem;
    EXPECT_EQ(findKernel(*Image, "_Z1kPi"), 0u);
  }
}

} // namespace
