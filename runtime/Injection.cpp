//===- Injection.cpp - The library that the CUDA driver loads -------------===//
//
// The driver loads this library into the user's process when the environment
// names it in CUDA_INJECTION64_PATH, and calls InitializeInjection. See
// README.md beside this file. Whatever fails in here, the program must run on
// as if the library were not there.
//
//===----------------------------------------------------------------------===//

#include "ActivityRecorder.h"
#include "CallTracer.h"
#include "OwnCalls.h"
#include "ReplayHost.h"
#include "ResourceCalls.h"
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <pthread.h>

using namespace cudal1;
using namespace cudal1::runtime;

namespace {

/// Everything of one traced process. Never destroyed: callbacks may come until
/// the very end of the process.
struct TracedProcess {
  Cupti C;
  Driver D;
  trace::Writer Out;
  std::unique_ptr<ActivityRecorder> Activities;
  std::unique_ptr<CallTracer> Calls;        ///< null in time mode
  std::unique_ptr<ResourceCalls> Resources; ///< null in trace mode
  /// False in a child made by fork, which must not write the parent's file.
  std::atomic<bool> Enabled{true};
};

/// The driver's interface has no place for a pointer of ours.
TracedProcess *TheProcess = nullptr;
ReplayHost *TheReplay = nullptr;

void finish() {
  TracedProcess &S = *TheProcess;
  if (!S.Enabled)
    return;
  S.Activities->flush();
  if (S.Resources)
    S.Resources->write(S.Out);
  trace::Counters Count = S.Calls ? S.Calls->counters() : trace::Counters();
  Count.DroppedRecords = S.Activities->droppedRecords();
  S.Out.end(Count);
}

/// True if this call destroys a context, whose activity records would be lost.
bool endsContext(CUpti_CallbackDomain Domain, CUpti_CallbackId Id) {
  if (Domain == CUPTI_CB_DOMAIN_RUNTIME_API)
    return Id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020;
  return Id == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2 ||
         Id == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2;
}

void CUPTIAPI onCall(void *, CUpti_CallbackDomain Domain, CUpti_CallbackId Id,
                     const void *Data) {
  TracedProcess &S = *TheProcess;
  if (!S.Enabled)
    return;
  const auto &Call = *static_cast<const CUpti_CallbackData *>(Data);
  if (Call.callbackSite == CUPTI_API_ENTER && endsContext(Domain, Id)) {
    OwnCalls Own(S.D);
    S.D.CtxSynchronize();
    S.Activities->flush();
  }
  if (S.Resources && Domain == CUPTI_CB_DOMAIN_DRIVER_API)
    S.Resources->onDriverCall(Id, Call);
  if (!S.Calls)
    return;
  if (Domain == CUPTI_CB_DOMAIN_DRIVER_API)
    S.Calls->onDriverCall(Id, Call);
  else if (Domain == CUPTI_CB_DOMAIN_RUNTIME_API)
    S.Calls->onRuntimeCall(Id, Call);
}

/// Subscribes to all calls for a trace, else only to those that end a context
/// and to those of ResourceCalls.
CUptiResult subscribe(TracedProcess &S) {
  CUpti_SubscriberHandle Handle;
  if (CUptiResult Result = S.C.Subscribe(&Handle, onCall, nullptr))
    return Result;
  if (S.Calls) {
    if (CUptiResult Result =
            S.C.EnableDomain(1, Handle, CUPTI_CB_DOMAIN_DRIVER_API))
      return Result;
    return S.C.EnableDomain(1, Handle, CUPTI_CB_DOMAIN_RUNTIME_API);
  }
  const std::pair<CUpti_CallbackDomain, CUpti_CallbackId> Needed[] = {
      {CUPTI_CB_DOMAIN_RUNTIME_API,
       CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2},
      {CUPTI_CB_DOMAIN_DRIVER_API,
       CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2}};
  for (auto [Domain, Id] : Needed)
    if (CUptiResult Result = S.C.EnableCallback(1, Handle, Domain, Id))
      return Result;
  for (CUpti_CallbackId Id : ResourceCalls::ids())
    if (CUptiResult Result =
            S.C.EnableCallback(1, Handle, CUPTI_CB_DOMAIN_DRIVER_API, Id))
      return Result;
  return CUPTI_SUCCESS;
}

uint64_t numberFrom(const char *Variable, uint64_t Default) {
  const char *Text = std::getenv(Variable);
  return Text && *Text ? std::strtoull(Text, nullptr, 10) : Default;
}

void start(TracedProcess &S, trace::Mode Mode) {
  std::string Problem;
  if (!S.D.load()) {
    S.Out.note("the CUDA driver's entry points were not found");
    return;
  }
  if (!S.C.load(Problem)) {
    S.Out.note(Problem);
    return;
  }
  if (Mode == trace::Mode::Trace)
    S.Calls = std::make_unique<CallTracer>(S.D, S.Out);
  else
    S.Resources = std::make_unique<ResourceCalls>(S.C);
  S.Activities = std::make_unique<ActivityRecorder>(S.C, S.Out);
  TheProcess = &S;
  if (CUptiResult Result = subscribe(S)) {
    const char *Message = "unknown error";
    S.C.GetResultString(Result, &Message);
    S.Out.note(std::string("calls are not seen: CUPTI's callback interface "
                           "cannot be used here (is another profiler "
                           "active?): ") +
               Message);
  }
  S.Activities->start();
  std::atexit(finish);
  pthread_atfork(nullptr, nullptr, [] { TheProcess->Enabled = false; });
}

void startReplay(const char *Socket) {
  TheReplay = new ReplayHost; // never destroyed, as above
  pthread_atfork(nullptr, nullptr, [] { TheReplay->abandon(); });
  std::string Problem;
  TheReplay->start(Socket, Problem);
  if (!Problem.empty())
    std::fprintf(stderr, "cudal1: %s\n", Problem.c_str());
}

/// Calls made after atexit's handlers (by destructors of static objects) are
/// ended once more.
__attribute__((destructor)) void atUnload() {
  if (TheProcess)
    finish();
}

} // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name for it
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char *Directory = std::getenv(trace::DirectoryVariable);
  const char *ModeName = std::getenv(trace::ModeVariable);
  if (!ModeName || TheProcess || TheReplay)
    return 1;
  if (std::string(ModeName) == "replay") {
    if (const char *Socket = std::getenv(replay::SocketVariable))
      startReplay(Socket);
    return 1;
  }
  if (!Directory)
    return 1;
  trace::Mode Mode =
      std::string(ModeName) == "time" ? trace::Mode::Time : trace::Mode::Trace;
  auto *S = new TracedProcess;
  S->Out.setCaps(numberFrom(trace::CopyCapVariable, uint64_t(16) << 20),
                 numberFrom(trace::TotalCapVariable, uint64_t(256) << 20));
  if (!S->Out.open(Directory, Mode)) {
    std::fprintf(stderr, "cudal1: cannot write a trace in '%s': %s\n",
                 Directory, std::strerror(errno));
    return 1;
  }
  start(*S, Mode);
  return 1;
}
