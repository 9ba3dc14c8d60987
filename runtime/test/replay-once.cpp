// Holds a program at one launch of a kernel and runs that launch again a few
// times: prints what the injection library says of it, and the times. To see
// whether live replay works on a machine.
//
//   replay-once LIBRARY KERNEL ORDINAL PROGRAM [ARGUMENT...]

#include "ReplayClient.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>

using namespace cudal1::replay;

namespace {

constexpr int Repetitions = 20;
/// Until a program reaches its launch.
constexpr int PatienceMs = 120000;

void print(const Held &State) {
  const LaunchConfig &L = State.Launch;
  const FunctionInfo &F = State.Function;
  std::printf("launch: grid %u %u %u, block %u %u %u, shared %u, cluster %u %u "
              "%u, cooperative %u; launches before it: %" PRIu64 "\n",
              L.Grid[0], L.Grid[1], L.Grid[2], L.Block[0], L.Block[1],
              L.Block[2], L.SharedBytes, L.Cluster[0], L.Cluster[1],
              L.Cluster[2], L.Cooperative, State.EarlierLaunches);
  std::printf(
      "function: %d registers, shared %d + up to %d, local %d, carveout "
      "%d; parameters:",
      F.Registers, F.StaticSharedBytes, F.MaxDynamicShared, F.LocalBytes,
      F.SharedCarveout);
  for (const ParameterLayout &P : F.Parameters)
    std::printf(" %u+%u", P.Offset, P.Size);
  std::printf("\ncaptured %u, surfaces %" PRIu64 ", attribute '%s'\n",
              State.Captured, State.SurfaceArrays,
              State.UnsupportedAttribute.c_str());
  for (const Allocation &A : State.Allocations)
    std::printf("memory: %#" PRIx64 " %" PRIu64 " bytes, kind %d\n", A.Address,
                A.Bytes, int(A.Kind));
  std::printf("device: %s, %u SMs, L2 %" PRIu64 ", %u kHz, shared %u, free "
              "%" PRIu64 " of %" PRIu64 "\n",
              State.DeviceName.c_str(), State.Multiprocessors, State.L2Bytes,
              State.ClockKHz, State.MaxSharedPerBlock, State.FreeBytes,
              State.TotalBytes);
}

bool replay(ClientConnection &Process, const Held &State) {
  Batch Operations;
  Operations.synchronize();
  Operations.dam();
  for (int I = 0; I < Repetitions; ++I)
    Operations.launch(State.Function.Handle, State.Launch, State.Arguments,
                      /*Timed=*/true);
  Operations.flow();
  std::optional<Reply> Answer = Process.run(Operations, PatienceMs);
  if (!Answer || Answer->Code != 0) {
    std::printf("FAIL: %s\n", Answer ? Answer->Problem.c_str() : "no answer");
    return false;
  }
  Decoder In(Answer->Results);
  auto Count = In.number<uint64_t>();
  for (uint64_t I = 0; I < Count; ++I) {
    auto ByCupti = In.number<double>();
    auto ByEvents = In.number<double>();
    std::printf("%8.2f us by CUPTI, %8.2f us by events\n", ByCupti, ByEvents);
  }
  return Count == Repetitions;
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count < 5)
    return 2;
  std::string Path = "/tmp/replay-once." + std::to_string(::getpid());
  ClientListener Listener(Path);
  pid_t Child = ::fork();
  if (Child == 0) {
    ::setenv("CUDA_INJECTION64_PATH", Arguments[1], 1);
    ::setenv("CUDAL1_MODE", "replay", 1);
    ::setenv(SocketVariable, Path.c_str(), 1);
    ::execvp(Arguments[4], Arguments + 4);
    ::_exit(127);
  }
  // A program may be started by another one: each of them says hello.
  std::optional<ClientConnection> Process;
  std::optional<Held> State;
  while (!State && (Process = Listener.accept(PatienceMs))) {
    auto Greeting = Process->receive<Hello>();
    if (!Greeting || !Greeting->Problem.empty()) {
      std::printf("FAIL: %s\n",
                  Greeting ? Greeting->Problem.c_str() : "no hello");
      return 1;
    }
    Process->target(Arguments[2], std::strtoull(Arguments[3], nullptr, 10));
    State = Process->receive<Held>(PatienceMs);
    if (!State && ::waitpid(Child, nullptr, WNOHANG) != 0)
      break;
  }
  ::unlink(Path.c_str());
  if (!State) {
    std::printf("FAIL: the launch was not reached\n");
    return 1;
  }
  print(*State);
  bool Success = replay(*Process, *State);
  Batch Last;
  Last.resume();
  Process->send(Last.payload());
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  std::printf("the program ended with status %d\n", Status);
  return Success && Status == 0 ? 0 : 1;
}
