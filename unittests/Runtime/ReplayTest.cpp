//===- ReplayTest.cpp - The library's replay mode on a fake GPU -----------===//

#include "../../runtime/test/ReplayClient.h"
#include "../Measure/TemporaryFolder.h"
#include "cudal1/Measure/TraceFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cuda.h>
#include <sys/wait.h>

using namespace cudal1;
using namespace cudal1::replay;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

namespace {

constexpr char Saxpy[] = "_Z5saxpyPfPKffi";
/// Long enough for what does happen, short for what does not.
constexpr int SoonMs = 300;
constexpr int EndMs = 10000;
constexpr unsigned SaxpyElements = 1000;

std::string contentsOf(const std::string &Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

class ReplayTest : public testing::Test {
protected:
  ReplayTest() : Listener(Folder / "socket") {}
  ~ReplayTest() override {
    Tool.reset();
    if (Child > 0)
      EXPECT_NE(endOf(EndMs), -1) << "the program outlives the tool";
  }

  /// Starts the program under the library.
  void start(std::string Mode, std::vector<std::string> Environment = {}) {
    Environment.push_back("CUDA_INJECTION64_PATH=" CUDAL1_INJECTION_LIBRARY);
    Environment.push_back("CUDAL1_MODE=replay");
    Environment.push_back("CUDAL1_CUPTI=" CUDAL1_FAKE_GPU "/libcupti.so");
    Environment.push_back("CUDAL1_REPLAY_SOCKET=" + (Folder / "socket"));
    Child = ::fork();
    if (Child != 0)
      return;
    for (std::string &Entry : Environment)
      ::putenv(Entry.data());
    if (!std::freopen((Folder / "out").c_str(), "w", stdout) ||
        !std::freopen((Folder / "err").c_str(), "w", stderr))
      ::_exit(126);
    const char *Program = CUDAL1_FAKE_GPU "/program";
    ::execl(Program, Program, Mode.c_str(), nullptr);
    ::_exit(127);
  }

  Hello greet() {
    Tool = Listener.accept();
    auto Greeting = Tool ? Tool->receive<Hello>() : std::nullopt;
    EXPECT_TRUE(Greeting);
    return Greeting.value_or(Hello());
  }

  /// Starts the program and waits until it stands at this launch.
  Held hold(std::string Mode = "plain", const char *Kernel = Saxpy,
            uint64_t Ordinal = 0) {
    start(Mode);
    EXPECT_EQ(greet().Problem, "");
    Tool->target(Kernel, Ordinal);
    auto State = Tool->receive<Held>();
    EXPECT_TRUE(State);
    return State.value_or(Held());
  }

  /// All operations must succeed.
  std::string run(const Batch &Operations) {
    auto Answer = Tool->run(Operations);
    if (!Answer) {
      ADD_FAILURE() << "no answer";
      return "";
    }
    EXPECT_EQ(Answer->Code, 0) << Answer->Problem;
    return Answer->Results;
  }

  /// Of a batch with one result.
  template <typename T> T resultOf(const Batch &Operations) {
    std::string Results = run(Operations);
    return Decoder(Results).number<T>();
  }

  std::string read(uint64_t From, uint64_t Bytes) {
    Batch B;
    B.read(From, Bytes);
    std::string Results = run(B);
    return Decoder(Results).string();
  }

  uint64_t loadVariants() {
    Batch B;
    B.loadModule(contentsOf(CUDAL1_FAKE_GPU "/variants.cubin"));
    return resultOf<uint64_t>(B);
  }

  FunctionInfo function(uint64_t Module, std::string Name) {
    Batch B;
    B.getFunction(Module, Name);
    std::string Results = run(B);
    Decoder In(Results);
    FunctionInfo Info;
    Info.decode(In);
    return Info;
  }

  std::pair<uint64_t, uint64_t> global(uint64_t Module, std::string Name) {
    Batch B;
    B.getGlobal(Module, Name);
    std::string Results = run(B);
    Decoder In(Results);
    auto Address = In.number<uint64_t>();
    return {Address, In.number<uint64_t>()};
  }

  uint64_t allocate(uint64_t Bytes, bool Host = false) {
    Batch B;
    B.allocate(Bytes, Host);
    return resultOf<uint64_t>(B);
  }

  /// One block of one thread, given one pointer.
  static void launchOn(Batch &To, const FunctionInfo &What, uint64_t Pointer) {
    Encoder Arguments;
    Arguments.number(Pointer);
    To.launch(What.Handle, LaunchConfig(), Arguments.Bytes, /*Timed=*/false);
  }

  /// The status of waitpid, or -1 if the program still runs.
  int endOf(int Ms) {
    for (int Waited = 0; Waited < Ms; ++Waited) {
      int Status = 0;
      if (::waitpid(Child, &Status, WNOHANG) == Child) {
        Child = 0;
        return Status;
      }
      ::usleep(1000);
    }
    return -1;
  }

  void expectKilled() {
    int Status = endOf(EndMs);
    EXPECT_TRUE(Status != -1 && WIFSIGNALED(Status) &&
                WTERMSIG(Status) == SIGKILL)
        << Status;
  }

  TemporaryFolder Folder;
  ClientListener Listener;
  std::optional<ClientConnection> Tool;
  pid_t Child = 0;
};

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
// Operations
//===----------------------------------------------------------------------===//

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
