//===- ReplayHoldTest.cpp - Until the launch, and the ends ----------------===//

#include "ReplayFixture.h"
#include "gmock/gmock.h"
#include <cuda.h>

using namespace cudal1;
using namespace cudal1::replay;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

//===----------------------------------------------------------------------===//
// Until the launch
//===----------------------------------------------------------------------===//

TEST_F(ReplayTest, HeldProgramSaysWhatItStandsAt) {
  Held State = hold("plain", Saxpy, /*Ordinal=*/2);
  EXPECT_THAT(State.Launch.Grid, ElementsAre(8, 1, 1));
  EXPECT_THAT(State.Launch.Block, ElementsAre(128, 1, 1));
  EXPECT_EQ(State.Launch.Cluster[0], 0u);
  EXPECT_EQ(State.EarlierLaunches, 3u);
  EXPECT_FALSE(State.Captured);
  EXPECT_EQ(State.UnsupportedAttribute, "");
  ASSERT_THAT(State.Function.Parameters, SizeIs(4));
  EXPECT_EQ(State.Function.Parameters[3].Offset, 20u);
  EXPECT_EQ(State.Function.Registers, 32);
  EXPECT_EQ(State.Function.SharedCarveout, -1);
  // x, y, a, b and c; what was freed is not there.
  ASSERT_THAT(State.Allocations, SizeIs(5));
  ASSERT_THAT(State.Arguments, SizeIs(24));
  Decoder In(State.Arguments);
  EXPECT_EQ(In.number<uint64_t>(), State.Allocations[1].Address);
  EXPECT_EQ(In.number<uint64_t>(), State.Allocations[0].Address);
  EXPECT_EQ(In.number<float>(), 2.0f);
  EXPECT_EQ(In.number<int>(), int(SaxpyElements));
  EXPECT_EQ(State.Allocations[0].Bytes, SaxpyElements * 4);
  EXPECT_EQ(State.Allocations[0].Kind, MemoryKind::Device);
  EXPECT_EQ(State.DeviceName, "Fake GPU");
  EXPECT_EQ(State.DeviceUuid, "fafafafafafafafafafafafafafafafa");
  EXPECT_EQ(State.Multiprocessors, 4u);
  EXPECT_EQ(State.MaxSharedPerBlock, 227u << 10);
  EXPECT_GT(State.FreeBytes, 0u);
  EXPECT_GT(State.TotalBytes, State.FreeBytes);
}

TEST_F(ReplayTest, ProgramGoesOnWithItsOwnResult) {
  hold("plain", Saxpy, 1);
  Batch B;
  B.resume();
  Tool->send(B.payload());
  EXPECT_EQ(endOf(EndMs), 0);
  EXPECT_EQ(contentsOf(Folder / "out"), "sum 169321.750 2376426.062\n");
  EXPECT_EQ(contentsOf(Folder / "err"), "");
}

TEST_F(ReplayTest, MemoryWhoseMakingWasNotSeenIsFoundByTheArguments) {
  Held State = hold("unseen", "_Z5touchPf");
  ASSERT_THAT(State.Allocations, SizeIs(1));
  EXPECT_EQ(State.Allocations[0].Kind, MemoryKind::Mapped);
  EXPECT_EQ(State.Allocations[0].Bytes, 256u);
}

TEST_F(ReplayTest, ClusterAndCooperativeLaunchesAreRepeatedAsSuch) {
  Held State = hold("cluster");
  EXPECT_THAT(State.Launch.Cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(State.UnsupportedAttribute, "");
  Batch B;
  LaunchConfig Config = State.Launch;
  B.launch(State.Function.Handle, Config, State.Arguments, false);
  Config.Cooperative = 1;
  B.launch(State.Function.Handle, Config, State.Arguments, false);
  Config.Cluster[0] = 3; // no divisor of the grid: it gets to the driver
  B.launch(State.Function.Handle, Config, State.Arguments, false);
  auto Answer = Tool->run(B);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->FailedOperation, 2u);
}

TEST_F(ReplayTest, CooperativeLaunchIsKnown) {
  Held State = hold("cooperative");
  EXPECT_TRUE(State.Launch.Cooperative);
  EXPECT_EQ(State.UnsupportedAttribute, "");
}

TEST_F(ReplayTest, AttributeThatIsNotRepeatedIsNamed) {
  Held State = hold("serialized");
  EXPECT_EQ(State.UnsupportedAttribute, "programmatic stream serialization");
}

TEST_F(ReplayTest, LaunchIntoAGraphIsHeldButNotReplayed) {
  Held State = hold("captured");
  EXPECT_TRUE(State.Captured);
  Batch B;
  B.memoryInfo();
  auto Answer = Tool->run(B);
  ASSERT_TRUE(Answer);
  EXPECT_NE(Answer->Code, 0);
  EXPECT_THAT(Answer->Problem, HasSubstr("cannot be replayed"));
}

TEST_F(ReplayTest, ForkedChildIsLeftAlone) {
  Held State = hold("fork");
  EXPECT_EQ(State.EarlierLaunches, 0u);
  EXPECT_FALSE(Listener.accept(SoonMs));
}

TEST_F(ReplayTest, ProgramThatStartsItselfAnewSaysHelloAnew) {
  start("exec");
  int64_t First = greet().Pid;
  Tool->target(Saxpy, 0);
  EXPECT_FALSE(Tool->receive<Held>());
  EXPECT_EQ(greet().Pid, First);
  Tool->target(Saxpy, 0);
  EXPECT_TRUE(Tool->receive<Held>());
}

TEST_F(ReplayTest, EndOfAProgramThatNeverGetsThereIsSeen) {
  start("leave");
  greet();
  Tool->target(Saxpy, 0);
  EXPECT_FALSE(Tool->receive<Held>());
  EXPECT_EQ(WEXITSTATUS(endOf(EndMs)), 3);
}

TEST_F(ReplayTest, LaunchBeyondTheLastIsNotReached) {
  start("plain");
  greet();
  Tool->target(Saxpy, 6);
  EXPECT_FALSE(Tool->receive<Held>());
  EXPECT_EQ(endOf(EndMs), 0);
}

TEST_F(ReplayTest, RefusedCuptiIsSaidInHelloAndTheProgramRunsOn) {
  start("plain", {"FAKE_CUPTI_REFUSES=1"});
  EXPECT_THAT(greet().Problem, HasSubstr("is another profiler active"));
  EXPECT_EQ(endOf(EndMs), 0);
  EXPECT_THAT(contentsOf(Folder / "out"), HasSubstr("sum"));
}

TEST_F(ReplayTest, MissingToolIsOneLineOnStderr) {
  ::unlink((Folder / "socket").c_str());
  start("plain");
  EXPECT_EQ(endOf(EndMs), 0);
  EXPECT_THAT(contentsOf(Folder / "out"), HasSubstr("sum"));
  EXPECT_THAT(contentsOf(Folder / "err"),
              HasSubstr("cudal1: cannot reach the tool at"));
}

TEST_F(ReplayTest, ToolOfAnotherBuildIsOneLineOnStderr) {
  start("plain");
  greet();
  Tool->send("?");
  EXPECT_EQ(endOf(EndMs), 0);
  EXPECT_THAT(contentsOf(Folder / "err"), HasSubstr("of another build"));
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

TEST_F(ReplayTest, VariantThatCrashesTakesTheProcessWithIt) {
  hold();
  FunctionInfo Crash = function(loadVariants(), "_Z5crashPi");
  Batch B;
  launchOn(B, Crash, allocate(4));
  B.synchronize();
  EXPECT_FALSE(Tool->run(B));
  EXPECT_TRUE(WIFSIGNALED(endOf(EndMs)));
}

TEST_F(ReplayTest, IllegalAccessFailsWhereItIsWaitedForAndEverAfter) {
  hold();
  FunctionInfo Fault = function(loadVariants(), "_Z5faultPi");
  Batch B;
  launchOn(B, Fault, allocate(4));
  B.synchronize();
  auto Answer = Tool->run(B);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->FailedOperation, 1u);
  EXPECT_EQ(Answer->Problem, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
  Batch Next;
  Next.memoryInfo();
  Answer = Tool->run(Next);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->Code, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(ReplayTest, ProcessEndsWithTheToolWhileAKernelHangs) {
  hold();
  FunctionInfo Hang = function(loadVariants(), "_Z4hangPVi");
  Batch B;
  launchOn(B, Hang, allocate(4));
  B.synchronize();
  EXPECT_FALSE(Tool->run(B, SoonMs));
  EXPECT_EQ(endOf(1), -1);
  Tool->close();
  expectKilled();
}

TEST_F(ReplayTest, ProcessEndsWithTheToolWhileItIsHeld) {
  hold();
  Tool->close();
  expectKilled();
}

TEST_F(ReplayTest, ProcessEndsWithTheToolBeforeItGetsAnywhere) {
  start("endless");
  greet();
  Tool->target(Saxpy, 0);
  EXPECT_EQ(endOf(SoonMs), -1);
  Tool->close();
  expectKilled();
}

TEST_F(ReplayTest, ProcessEndsWithTheToolThatNeverNamedALaunch) {
  start("plain");
  greet();
  Tool->close();
  expectKilled();
}

} // namespace
