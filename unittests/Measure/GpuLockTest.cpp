//===- GpuLockTest.cpp - One process times on a GPU at a time -------------===//

#include "../../lib/Measure/GpuLock.h"
#include "TestFolder.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace cudal1;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds Soon(50), Late(10000);

class GpuLockTest : public testing::Test {
protected:
  GpuLockTest() { ::setenv("XDG_RUNTIME_DIR", (Folder / "").c_str(), 1); }
  ~GpuLockTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }
  TestFolder Folder;
};

TEST_F(GpuLockTest, OneHoldsItAtATime) {
  {
    GpuLock First = GpuLock::take("ab", Soon);
    EXPECT_TRUE(First.isHeld());
    EXPECT_FALSE(GpuLock::take("ab", Soon).isHeld());
    EXPECT_TRUE(GpuLock::take("cd", Soon).isHeld());
  }
  EXPECT_TRUE(GpuLock::take("ab", Soon).isHeld());
}

TEST_F(GpuLockTest, AStopEndsTheWait) {
  GpuLock First = GpuLock::take("ab", Soon);
  std::atomic<bool> Stop = true;
  EXPECT_FALSE(GpuLock::take("ab", Late, &Stop).isHeld());
}

TEST_F(GpuLockTest, WithoutANameOrAFolderThereIsNone) {
  EXPECT_FALSE(GpuLock::take("", Soon).isHeld());
  ::setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
  EXPECT_FALSE(GpuLock::take("ab", Soon).isHeld());
}

TEST_F(GpuLockTest, AKilledProcessHoldsNone) {
  pid_t Other = ::fork();
  if (Other == 0) {
    GpuLock Held = GpuLock::take("ab", Soon);
    for (;;)
      ::pause();
  }
  while (GpuLock::take("ab", milliseconds(0)).isHeld())
    ::usleep(1000);
  ::kill(Other, SIGKILL);
  ::waitpid(Other, nullptr, 0);
  EXPECT_TRUE(GpuLock::take("ab", Late).isHeld());
}

} // namespace
