//===- ReplaySessionTest.cpp - One process held at one launch -------------===//

#include "../../lib/Measure/Replay/Session.h"
#include "TestFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <csignal>
#include <thread>

using namespace cudal1;
using std::chrono::milliseconds;
using testing::HasSubstr;

namespace {

constexpr char Saxpy[] = "_Z5saxpyPfPKffi";

class ReplaySessionTest : public testing::Test {
protected:
  ReplaySessionTest() {
    Program.Executable = CUDAL1_FAKE_GPU "/program";
    Options.Program = &Program;
    Options.Run.WorkingDirectory = Folder / "";
    Options.Injection = {CUDAL1_INJECTION_LIBRARY,
                         CUDAL1_FAKE_GPU "/libcupti.so"};
    Options.WorkFolder = Folder / "work";
  }

  llvm::Expected<std::unique_ptr<ReplaySession>>
  start(const char *Mode, const char *Kernel = Saxpy, uint64_t Ordinal = 0) {
    Options.Run.Arguments = {Mode};
    return ReplaySession::start(Options, {Kernel, Ordinal});
  }

  TestFolder Folder;
  BuiltProgram Program;
  SessionOptions Options;
};

TEST_F(ReplaySessionTest, AStoppedProgramDoesNotBlockATool) {
  auto Session = start("plain");
  ASSERT_TRUE(bool(Session)) << llvm::toString(Session.takeError());
  ASSERT_EQ(::kill(pid_t((*Session)->pid()), SIGSTOP), 0);
  // More than fits between the two processes.
  std::string Data(64 << 20, 'x');
  replay::Batch Work;
  Work.write(0, Data.data(), Data.size());
  llvm::Expected<BatchReply> Reply = (*Session)->run(Work, milliseconds(200));
  ASSERT_FALSE(bool(Reply));
  EXPECT_THAT(llvm::toString(Reply.takeError()), HasSubstr("time limit"));
  EXPECT_FALSE((*Session)->isAlive());
}

TEST_F(ReplaySessionTest, AProgramThatForksIsHeldItself) {
  auto Session = start("fork");
  ASSERT_TRUE(bool(Session)) << llvm::toString(Session.takeError());
  EXPECT_EQ((*Session)->held().EarlierLaunches, 0u);
  replay::Batch Work;
  Work.memoryInfo();
  llvm::Expected<BatchReply> Reply = (*Session)->run(Work, milliseconds(5000));
  EXPECT_TRUE(bool(Reply)) << llvm::toString(Reply.takeError());
}

TEST_F(ReplaySessionTest, AProgramThatEndsBeforeTheLaunchSaysHow) {
  auto Session = start("leave");
  ASSERT_FALSE(bool(Session));
  EXPECT_THAT(llvm::toString(Session.takeError()),
              HasSubstr("exited with code 3 before launch 1"));
}

TEST_F(ReplaySessionTest, AProgramThatIsKilledBeforeTheLaunchSaysSo) {
  auto Session = start("killed");
  ASSERT_FALSE(bool(Session));
  EXPECT_THAT(llvm::toString(Session.takeError()),
              HasSubstr("was killed by signal 9"));
}

} // namespace
