//===- ReplayHost.cpp - Holds the program at one launch -------------------===//

#include "ReplayHost.h"
#include "OwnCalls.h"
#include <cerrno>
#include <chrono>
#include <unistd.h>

using namespace cudal1;
using namespace cudal1::runtime;

namespace {
/// Longer than any call of the driver that does not itself wait.
constexpr std::chrono::seconds GatePatience(1);
} // namespace

void CallGate::close() {
  std::unique_lock<std::mutex> Lock(Mutex);
  Closed = true;
  Changed.wait_for(Lock, GatePatience, [&] { return Inside <= 1; });
}

bool ReplayHost::start(const char *Socket, std::string &Problem) {
  if (!Tool.connect(Socket)) {
    Problem = std::string("cannot reach the tool at '") + Socket +
              "': " + std::strerror(errno);
    return false;
  }
  replay::Hello Greeting;
  Greeting.Pid = ::getpid();
  if (D.load(Greeting.Problem) && C.load(Greeting.Problem))
    Greeting.Problem = subscribe();
  replay::Encoder Message;
  Greeting.encode(Message);
  Tool.send(Message.Bytes);
  if (!Greeting.Problem.empty())
    return false;

  std::string Answer = Tool.receive();
  replay::Decoder In(Answer);
  Wanted.decode(In);
  if (In.failed() || !In.atEnd()) {
    Problem = "the tool is of another build than this library";
    return false;
  }
  Enabled = true;
  return true;
}

std::string ReplayHost::subscribe() {
  CUptiResult Result = C.Subscribe(&Subscriber, onCallback, this);
  if (Result == CUPTI_SUCCESS)
    Result = C.EnableDomain(1, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  if (Result == CUPTI_SUCCESS)
    return "";
  const char *Message = "unknown error";
  C.GetResultString(Result, &Message);
  return std::string("CUPTI's callback interface cannot be used here (is "
                     "another profiler active?): ") +
         Message;
}

void CUPTIAPI ReplayHost::onCallback(void *Self, CUpti_CallbackDomain,
                                     CUpti_CallbackId Id, const void *Data) {
  auto &Host = *static_cast<ReplayHost *>(Self);
  if (Host.Enabled && !OwnCalls::active())
    Host.onCall(Id, *static_cast<const CUpti_CallbackData *>(Data));
}

void ReplayHost::onCall(CUpti_CallbackId Id, const CUpti_CallbackData &Call) {
  if (Call.callbackSite == CUPTI_API_ENTER) {
    Gate.enter();
    Memory.onEnter(Id, Call.functionParams);
    if (auto Launch = launchOf(Id, Call.functionParams))
      onLaunch(*Launch, Call.symbolName);
    return;
  }
  const void *Result = Call.functionReturnValue;
  if (!Result || *static_cast<const CUresult *>(Result) == CUDA_SUCCESS)
    Memory.onSuccess(Id, Call.functionParams);
  Gate.leave();
}

void ReplayHost::onLaunch(const LaunchCall &Launch, const char *Name) {
  uint64_t Earlier;
  bool IsWanted;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Earlier = Launches++;
    IsWanted =
        Name && Wanted.Kernel == Name && LaunchesOfWanted++ == Wanted.Ordinal;
  }
  if (IsWanted)
    hold(Launch, Earlier);
}

void ReplayHost::hold(const LaunchCall &Launch, uint64_t EarlierLaunches) {
  OwnCalls Own(D);
  Gate.close();
  replay::Held State = describe(Launch, EarlierLaunches);
  // Never destroyed: CUPTI may hand over records until the end.
  auto *Timer = new ReplayTimer(D, C);
  if (!State.Captured && State.UnsupportedAttribute.empty())
    if (CallResult Result = Timer->start(); Result.failed())
      State.UnsupportedAttribute = D.describe(Result);
  bool Usable = !State.Captured && State.UnsupportedAttribute.empty();

  ReplayInterpreter Interpreter(D, *Timer, {moduleOf(Launch), State.Function});
  replay::Encoder Message;
  State.encode(Message);
  Tool.send(Message.Bytes);
  while (auto Answer = Interpreter.run(Tool.receive(), Usable)) {
    Message.Bytes.clear();
    Answer->encode(Message);
    Tool.send(Message.Bytes);
  }
  Timer->stop();
  Enabled = false;
  C.EnableDomain(0, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  Gate.open();
}
