//===- ReplayOperationsTest.cpp - What a batch does -----------------------===//

#include "ReplayFixture.h"
#include "gmock/gmock.h"
#include <cuda.h>

using namespace cudal1;
using namespace cudal1::replay;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

TEST_F(ReplayTest, MemoryIsWrittenCopiedFilledAndRead) {
  hold();
  uint64_t A = allocate(8), B = allocate(8), Host = allocate(8, true);
  Batch Work;
  Work.write(A, "abcdefgh", 8);
  Work.copy(B, A, 8);
  Work.fill(B + 2, 3, 'x');
  Work.copy(Host, B, 8);
  Work.read(Host, 8);
  Work.read(A, 3);
  Work.free(A, false);
  Work.free(Host, true);
  std::string Results = run(Work);
  Decoder In(Results);
  EXPECT_EQ(In.string(), "abxxxfgh");
  EXPECT_EQ(In.string(), "abc");
  EXPECT_TRUE(In.atEnd());
}

TEST_F(ReplayTest, PersistingL2IsResetButNotBehindADam) {
  hold();
  Batch B;
  B.resetPersistingL2();
  run(B);
  B.dam();
  B.resetPersistingL2();
  auto Answer = Tool->run(B);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->FailedOperation, 2u);
}

TEST_F(ReplayTest, MemoryInfoFollowsAllocations) {
  hold();
  Batch B;
  B.memoryInfo();
  auto Before = resultOf<uint64_t>(B);
  allocate(1 << 20);
  EXPECT_EQ(resultOf<uint64_t>(B), Before - (1 << 20));
}

TEST_F(ReplayTest, MemoryThatIsNotThereIsAddressZero) {
  Held State = hold("full");
  EXPECT_LT(State.FreeBytes, 512u);
  EXPECT_EQ(allocate(1 << 20), 0u);
  EXPECT_NE(allocate(1 << 20, /*Host=*/true), 0u);
}

TEST_F(ReplayTest, VariantRunsOnTheProgramsBuffers) {
  Held State = hold();
  uint64_t Y = State.Allocations[1].Address;
  uint64_t Saved = allocate(SaxpyElements * 4);
  FunctionInfo Variant = function(loadVariants(), Saxpy);
  EXPECT_THAT(Variant.Parameters, SizeIs(4));
  auto RunBy = [&](uint64_t Function) {
    Batch B;
    B.copy(Saved, Y, SaxpyElements * 4);
    B.launch(Function, State.Launch, State.Arguments, /*Timed=*/false);
    B.read(Y, SaxpyElements * 4);
    B.copy(Y, Saved, SaxpyElements * 4);
    std::string Results = run(B);
    return Decoder(Results).string();
  };
  std::string Before = read(Y, SaxpyElements * 4);
  std::string Original = RunBy(State.Function.Handle);
  EXPECT_NE(Original, Before);
  EXPECT_EQ(RunBy(Variant.Handle), Original);
  EXPECT_EQ(read(Y, SaxpyElements * 4), Before);
}

TEST_F(ReplayTest, FloatingPointArgumentsArrive) {
  hold();
  uint64_t Out = allocate(4);
  FunctionInfo Fill = function(loadVariants(), "_Z4fillPffdi");
  std::string Arguments(28, '\0');
  float Value = 1.5;
  double Other = 2.25;
  int Count = 1;
  std::memcpy(&Arguments[Fill.Parameters[0].Offset], &Out, 8);
  std::memcpy(&Arguments[Fill.Parameters[1].Offset], &Value, 4);
  std::memcpy(&Arguments[Fill.Parameters[2].Offset], &Other, 8);
  std::memcpy(&Arguments[Fill.Parameters[3].Offset], &Count, 4);
  Batch B;
  B.launch(Fill.Handle, LaunchConfig(), Arguments, false);
  run(B);
  std::string Read = read(Out, 4);
  float Result;
  std::memcpy(&Result, Read.data(), 4);
  EXPECT_EQ(Result, 3.75f);
}

TEST_F(ReplayTest, VariablesOfBothModulesAreFound) {
  hold();
  uint64_t Module = loadVariants();
  auto [Original, Bytes] = global(0, "bias");
  auto [Variant, VariantBytes] = global(Module, "bias");
  EXPECT_EQ(Bytes, 16u);
  EXPECT_EQ(VariantBytes, 16u);
  EXPECT_NE(Original, Variant);
  EXPECT_EQ(read(Original, 16), read(Variant, 16));
  EXPECT_EQ(global(0, "missing").first, 0u);
  EXPECT_EQ(global(Module, "missing").first, 0u);
}

TEST_F(ReplayTest, HeldFunctionIsDescribedAnew) {
  Held State = hold();
  Batch B;
  B.setFunctionAttribute(State.Function.Handle,
                         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         64 << 10);
  run(B);
  FunctionInfo Info = function(0, "");
  EXPECT_EQ(Info.Handle, State.Function.Handle);
  EXPECT_EQ(Info.MaxDynamicShared, 64 << 10);
}

TEST_F(ReplayTest, UnloadedModuleIsGone) {
  hold();
  uint64_t Module = loadVariants();
  Batch B;
  B.unloadModule(Module);
  B.getFunction(Module, Saxpy);
  auto Answer = Tool->run(B);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->FailedOperation, 1u);
  EXPECT_EQ(Answer->Problem, "cuModuleGetFunction: CUDA_ERROR_INVALID_HANDLE");
}

TEST_F(ReplayTest, OperationThatFailsEndsItsBatchAndNothingElse) {
  Held State = hold();
  uint64_t A = allocate(4);
  Batch B;
  B.memoryInfo();
  LaunchConfig TooLarge = State.Launch;
  TooLarge.Block[0] = 2048;
  B.launch(State.Function.Handle, TooLarge, State.Arguments, false);
  B.fill(A, 4, 'x');
  auto Answer = Tool->run(B);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->Code, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Answer->FailedOperation, 1u);
  EXPECT_EQ(Answer->Problem, "cuLaunchKernelEx: CUDA_ERROR_INVALID_VALUE");
  EXPECT_THAT(Answer->Results, SizeIs(16));
  EXPECT_NE(read(A, 4), "xxxx");
}

TEST_F(ReplayTest, BrokenImagesAndMissingKernelsAreFailures) {
  hold();
  Batch Load;
  Load.loadModule(std::string(100, 'x'));
  auto Answer = Tool->run(Load);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->Problem, "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE");
  Batch Find;
  Find.getFunction(loadVariants(), "_Z5othervoid");
  Answer = Tool->run(Find);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->Problem, "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND");
}

TEST_F(ReplayTest, OperationsCutShortOrUnknownAreRefused) {
  hold();
  Batch Whole;
  Whole.copy(1, 2, 3);
  Tool->send(Whole.payload().substr(0, 10));
  auto Answer = Tool->receive<Reply>();
  ASSERT_TRUE(Answer);
  EXPECT_THAT(Answer->Problem, HasSubstr("malformed"));
  Tool->send("\xff");
  Answer = Tool->receive<Reply>();
  ASSERT_TRUE(Answer);
  EXPECT_THAT(Answer->Problem, HasSubstr("unknown operation"));
  EXPECT_NE(allocate(4), 0u);
}

TEST_F(ReplayTest, OtherThreadsWaitWhileTheProgramIsHeld) {
  hold("thread");
  uint64_t Calls = global(0, "Calls").first;
  ASSERT_NE(Calls, 0u);
  // The thread may be on its way from one call to the next.
  ::usleep(50000);
  std::string Before = read(Calls, 4);
  ::usleep(50000);
  EXPECT_EQ(read(Calls, 4), Before);
  Batch B;
  B.resume();
  Tool->send(B.payload());
  EXPECT_EQ(endOf(EndMs), 0);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

TEST_F(ReplayTest, EachTimedLaunchBehindTheDamHasTwoTimes) {
  Held State = hold();
  uint64_t Small = function(loadVariants(), "_Z7nothingv").Handle;
  auto Launch = [&](Batch &To, bool Timed) {
    To.launch(State.Function.Handle, State.Launch, State.Arguments, Timed);
  };
  Batch B;
  Launch(B, false); // before the dam: not reported
  B.dam();
  Launch(B, true);
  B.launch(Small, LaunchConfig(), "", true);
  B.launch(Small, LaunchConfig(), "", false);
  B.fill(State.Allocations[0].Address, 4, 0);
  Launch(B, true);
  B.flow();
  std::string Results = run(B);
  Decoder In(Results);
  ASSERT_EQ(In.number<uint64_t>(), 3u);
  std::vector<double> ByCupti, ByEvents;
  for (int I = 0; I < 3; ++I) {
    ByCupti.push_back(In.number<double>());
    ByEvents.push_back(In.number<double>());
  }
  EXPECT_TRUE(In.atEnd());
  for (int I = 0; I < 3; ++I) {
    EXPECT_GT(ByCupti[I], 0);
    EXPECT_NEAR(ByEvents[I], ByCupti[I], 0.5);
  }
  // The second did nothing: the records are matched to their launches.
  EXPECT_LT(ByCupti[1], ByCupti[0]);
  EXPECT_LT(ByCupti[1], ByCupti[2]);
}

TEST_F(ReplayTest, NothingRunsBeforeTheDamIsOpen) {
  hold();
  uint64_t A = allocate(4, /*Host=*/true);
  Batch B;
  B.fill(A, 4, 'a');
  B.dam();
  B.fill(A, 4, 'b');
  run(B);
  // What waits would wait for itself; the refusal opens the dam.
  Batch Read;
  Read.read(A, 4);
  auto Answer = Tool->run(Read);
  ASSERT_TRUE(Answer);
  EXPECT_THAT(Answer->Problem, HasSubstr("before the dam is open"));
  EXPECT_EQ(read(A, 4), "bbbb");
}

TEST_F(ReplayTest, MoreThanTheQueueHoldsIsRefused) {
  hold();
  uint64_t A = allocate(4);
  Batch B;
  B.dam();
  for (unsigned I = 0; I <= MaxDammed; ++I)
    B.fill(A, 4, 0);
  B.flow();
  auto Answer = Tool->run(B);
  ASSERT_TRUE(Answer);
  EXPECT_EQ(Answer->FailedOperation, MaxDammed + 1);
  Batch Again;
  Again.dam();
  Again.flow();
  EXPECT_EQ(resultOf<uint64_t>(Again), 0u);
}

TEST_F(ReplayTest, TimesAreKnownAfterManyLaunchesWithoutOne) {
  Held State = hold();
  uint64_t Small = function(loadVariants(), "_Z7nothingv").Handle;
  Batch Many;
  for (unsigned I = 0; I < 5000; ++I)
    Many.launch(Small, LaunchConfig(), "", false);
  Many.synchronize();
  run(Many);
  Batch B;
  B.dam();
  B.launch(State.Function.Handle, State.Launch, State.Arguments, true);
  B.flow();
  std::string Results = run(B);
  Decoder In(Results);
  EXPECT_EQ(In.number<uint64_t>(), 1u);
  EXPECT_GT(In.number<double>(), 0);
}

} // namespace
