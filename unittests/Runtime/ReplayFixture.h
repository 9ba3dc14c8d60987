//===- ReplayFixture.h - A held program on the fake GPU ---------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_RUNTIME_REPLAYFIXTURE_H
#define CUDAL1_UNITTESTS_RUNTIME_REPLAYFIXTURE_H

#include "../../runtime/test/ReplayClient.h"
#include "../Measure/TestFolder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace cudal1::replay {

inline constexpr char Saxpy[] = "_Z5saxpyPfPKffi";
/// Long enough for what does happen, short for what does not.
inline constexpr int SoonMs = 300;
inline constexpr int EndMs = 10000;
inline constexpr unsigned SaxpyElements = 1000;

inline std::string contentsOf(const std::string &Path) {
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

  TestFolder Folder;
  ClientListener Listener;
  std::optional<ClientConnection> Tool;
  pid_t Child = 0;
};
} // namespace cudal1::replay

#endif // CUDAL1_UNITTESTS_RUNTIME_REPLAYFIXTURE_H
