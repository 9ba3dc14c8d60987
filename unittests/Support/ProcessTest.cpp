//===- ProcessTest.cpp - Run a command under limits -----------------------===//

#include "cudal1/Support/Process.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cudal1;
using testing::HasSubstr;

namespace {

Command shell(std::string Script) {
  Command Cmd;
  Cmd.Argv = {"/bin/sh", "-c", std::move(Script)};
  return Cmd;
}

std::string messageOf(llvm::Expected<ProcessResult> Result) {
  return Result ? "" : llvm::toString(Result.takeError());
}

ProcessResult run(const Command &Cmd) {
  llvm::Expected<ProcessResult> Result = runCommand(Cmd);
  if (!Result) {
    ADD_FAILURE() << llvm::toString(Result.takeError());
    return ProcessResult();
  }
  return *Result;
}

TEST(ProcessTest, OutputAndExitCodeAreCaptured) {
  ProcessResult Result = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(Result.End, ProcessEnd::Exited);
  EXPECT_EQ(Result.ExitCode, 3);
  EXPECT_EQ(Result.Stdout, "out\n");
  EXPECT_EQ(Result.Stderr, "err\n");
  EXPECT_EQ(Result.describeEnd(), "exited with code 3");
  EXPECT_GT(Result.PeakMemoryBytes, 0u);
}

TEST(ProcessTest, DeathBySignalIsToldApartFromExit) {
  ProcessResult Result = run(shell("kill -SEGV $$"));
  EXPECT_EQ(Result.End, ProcessEnd::Signaled);
  EXPECT_EQ(Result.Signal, SIGSEGV);
  EXPECT_THAT(Result.describeEnd(), HasSubstr("signal 11"));
}

TEST(ProcessTest, HangEndsAtTheTimeLimitWithItsWholeGroup) {
  Command Cmd = shell("(sleep 30; echo late) & echo $!; sleep 30");
  Cmd.TimeLimit = std::chrono::milliseconds(200);
  ProcessResult Result = run(Cmd);
  EXPECT_EQ(Result.End, ProcessEnd::TimedOut);
  EXPECT_LT(Result.WallMs, 5000);
  pid_t Grandchild = std::stoi(Result.Stdout);
  // It may stay a zombie until init reaps it, but it runs no more.
  bool Gone = false;
  for (int Try = 0; Try < 100 && !Gone; ++Try) {
    std::string Path = "/proc/" + std::to_string(Grandchild) + "/stat";
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> Stat =
        llvm::MemoryBuffer::getFileAsStream(Path);
    Gone = !Stat || (*Stat)->getBuffer().contains(") Z");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(Gone);
}

TEST(ProcessTest, ChildLeftBehindDoesNotDelayTheResult) {
  ProcessResult Result = run(shell("sleep 30 & echo done"));
  EXPECT_TRUE(Result.succeeded());
  EXPECT_EQ(Result.Stdout, "done\n");
  EXPECT_LT(Result.WallMs, 5000);
}

TEST(ProcessTest, IgnoredTerminationSignalsDoNotSaveAHangingProgram) {
  Command Cmd = shell("trap '' TERM INT HUP; while :; do :; done");
  Cmd.TimeLimit = std::chrono::milliseconds(100);
  EXPECT_EQ(run(Cmd).End, ProcessEnd::TimedOut);
}

TEST(ProcessTest, StopFlagEndsTheRun) {
  std::atomic<bool> Stop = false;
  Command Cmd = shell("sleep 30");
  Cmd.StopFlag = &Stop;
  std::thread Setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Stop = true;
  });
  ProcessResult Result = run(Cmd);
  Setter.join();
  EXPECT_EQ(Result.End, ProcessEnd::Stopped);
}

/// True once no process of the group lives.
bool isGone(pid_t Group) {
  for (int Tries = 0; Tries < 500; ++Tries) {
    if (::kill(-Group, 0) != 0)
      return true;
    ::usleep(10000);
  }
  return false;
}

/// The number that a command writes to a file; 0 if it does not come.
pid_t numberIn(const std::string &Path) {
  for (int Tries = 0; Tries < 500; ++Tries) {
    int Number = 0;
    if (auto Text = llvm::MemoryBuffer::getFile(Path))
      if (!(*Text)->getBuffer().trim().getAsInteger(10, Number))
        return Number;
    ::usleep(10000);
  }
  return 0;
}

TEST(ProcessTest, CommandsEndWithAToolThatIsKilled) {
  llvm::SmallString<128> File;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("group", "txt", File));
  Command Cmd = shell("sleep 100 & echo $$ > " + File.str().str() +
                      "; trap '' HUP TERM; sleep 100");
  pid_t Tool = ::fork();
  if (Tool == 0) {
    // Commands are started by threads, which end before the process does.
    std::thread([] { (void)run(shell("true")); }).join();
    std::thread([&] { (void)run(Cmd); }).join();
    ::_exit(0);
  }
  pid_t Group = numberIn(File.str().str());
  ASSERT_GT(Group, 0);
  ::kill(Tool, SIGKILL);
  ::waitpid(Tool, nullptr, 0);
  EXPECT_TRUE(isGone(Group));
  llvm::sys::fs::remove(File);
}

TEST(ProcessTest, EitherOfTwoStopFlagsEndsTheRun) {
  std::atomic<bool> Set = true, NotSet = false;
  Command Cmd = shell("sleep 30");
  Cmd.StopFlag = &NotSet;
  Cmd.OwnersStopFlag = &Set;
  EXPECT_EQ(run(Cmd).End, ProcessEnd::Stopped);
}

TEST(ProcessTest, EndlessOutputIsCutAtTheCaptureLimit) {
  Command Cmd = shell("yes | head -c 1000000");
  Cmd.CaptureLimit = 1000;
  ProcessResult Result = run(Cmd);
  EXPECT_TRUE(Result.succeeded());
  EXPECT_EQ(Result.Stdout.size(), 1000u);
  EXPECT_TRUE(Result.StdoutTruncated);
  EXPECT_FALSE(Result.StderrTruncated);
}

TEST(ProcessTest, EnvironmentIsLaidOverTheInheritedOne) {
  Command Cmd = shell("echo $CUDAL1_A-${HOME-unset}-${PATH:+path}");
  Cmd.Environment = {"CUDAL1_A=x y", "HOME"};
  EXPECT_EQ(run(Cmd).Stdout, "x y-unset-path\n");
  Cmd.Environment = {"CUDAL1_A=1", "CUDAL1_A=2", "HOME=x", "HOME"};
  EXPECT_EQ(run(Cmd).Stdout, "2-unset-path\n");
}

TEST(ProcessTest, StdinComesFromTheFileOrIsEmpty) {
  EXPECT_EQ(run(shell("cat")).Stdout, "");
  llvm::SmallString<128> Path;
  int Fd;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("process-test", "txt", Fd, Path));
  llvm::raw_fd_ostream(Fd, /*shouldClose=*/true) << "input";
  Command Cmd = shell("cat");
  Cmd.StdinFile = Path.str().str();
  EXPECT_EQ(run(Cmd).Stdout, "input");
  llvm::sys::fs::remove(Path);
}

TEST(ProcessTest, CommandRunsInTheWorkingDirectory) {
  Command Cmd = shell("pwd");
  Cmd.WorkingDirectory = "/usr";
  EXPECT_EQ(run(Cmd).Stdout, "/usr\n");
  Cmd.WorkingDirectory = "/no/such/folder";
  EXPECT_THAT(messageOf(runCommand(Cmd)),
              HasSubstr("'/no/such/folder': no such"));
}

TEST(ProcessTest, MissingProgramIsAnErrorThatNamesIt) {
  Command Cmd;
  Cmd.Argv = {"no-such-program-cudal1"};
  EXPECT_THAT(messageOf(runCommand(Cmd)),
              HasSubstr("'no-such-program-cudal1'"));
  Cmd.Argv = {};
  EXPECT_NE(messageOf(runCommand(Cmd)), "");
}

TEST(ProcessTest, ShellFormQuotesWhatASecondShellWouldSplit) {
  Command Cmd;
  Cmd.Argv = {"nvcc", "-DX=a b", "it's", ""};
  EXPECT_EQ(Cmd.toShell(), "nvcc '-DX=a b' 'it'\\''s' ''");
}

} // namespace
