// Streams and events. What is launched runs at once, on the thread that
// launches it, unless its stream waits for a word of memory.

#include "Gpu.h"
#include <ctime>
#include <unistd.h>

using namespace fake;

namespace {

/// Between two operations of the device.
constexpr uint64_t GapNs = 1000;
constexpr unsigned PollMicroseconds = 20;
constexpr double NsPerMs = 1e6;

using Graph = std::vector<std::function<bool()>>;

/// What the running kernel's threads have said that they take, in all.
uint64_t DeclaredNs = 0;

struct Event {
  uint64_t Ns = 0;
};

std::vector<std::unique_ptr<Stream>> &streams() {
  static std::vector<std::unique_ptr<Stream>> All;
  return All;
}

Stream &defaultStream() {
  static Stream Default;
  return Default;
}

/// Runs what can run.
void drain(Stream &Of) {
  while (!Of.Queue.empty() && Of.Queue.front()())
    Of.Queue.pop_front();
}

uint64_t threadNs() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return uint64_t(Now.tv_sec) * 1000000000 + uint64_t(Now.tv_nsec);
}

} // namespace

Stream &fake::streamOf(CUstream Handle) {
  return Handle ? *reinterpret_cast<Stream *>(Handle) : defaultStream();
}

uint64_t &fake::deviceClock() {
  static uint64_t Ns = 1000000;
  return Ns;
}

extern "C" uint64_t fakeNow() { return fake::deviceClock(); }

void fake::runOnDevice(const std::function<void()> &Work) {
  uint64_t Before = threadNs();
  DeclaredNs = 0;
  Work();
  uint64_t Ns = DeclaredNs ? DeclaredNs : threadNs() - Before;
  deviceClock() += Ns + GapNs;
}

void fake::submit(CUstream Handle, std::function<bool()> Work) {
  Lock Guard(stateMutex());
  Stream &To = streamOf(Handle);
  if (To.Capturing) {
    To.Captured.push_back(std::move(Work));
    return;
  }
  To.Queue.push_back(std::move(Work));
  drain(To);
}

CUresult fake::synchronize(Stream &Of) {
  for (;;) {
    {
      Lock Guard(stateMutex());
      drain(Of);
      if (Of.Queue.empty())
        return lostContext();
    }
    usleep(PollMicroseconds);
  }
}

bool fake::anyCapture() {
  Lock Guard(stateMutex());
  for (auto &S : streams())
    if (S->Capturing)
      return true;
  return false;
}

extern "C" {

void fakeWork(unsigned Ns) { DeclaredNs += Ns; }

CUresult cuStreamCreate(CUstream *Handle, unsigned) {
  Lock Guard(stateMutex());
  streams().push_back(std::make_unique<Stream>());
  *Handle = reinterpret_cast<CUstream>(streams().back().get());
  return lostContext();
}

CUresult cuStreamSynchronize(CUstream Handle) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
                "cuStreamSynchronize", cuStreamSynchronize_params{Handle},
                [&] { return synchronize(streamOf(Handle)); });
}

CUresult cuCtxSynchronize() {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize",
                nullptr, [&] {
                  if (anyCapture())
                    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
                  CUresult Result = synchronize(defaultStream());
                  for (size_t I = 0; I < streams().size(); ++I)
                    Result = synchronize(*streams()[I]);
                  return Result;
                });
}

CUresult cuStreamWaitValue32(CUstream Handle, CUdeviceptr Address,
                             cuuint32_t Value, unsigned) {
  submit(Handle, [=] {
    auto *Word = reinterpret_cast<const uint32_t *>(Address);
    return __atomic_load_n(Word, __ATOMIC_SEQ_CST) >= Value;
  });
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream Handle, CUstreamCaptureMode) {
  Lock Guard(stateMutex());
  streamOf(Handle).Capturing = true;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream Handle, CUgraph *Made) {
  Lock Guard(stateMutex());
  Stream &Of = streamOf(Handle);
  Of.Capturing = false;
  *Made = reinterpret_cast<CUgraph>(new Graph(std::move(Of.Captured)));
  Of.Captured.clear();
  return CUDA_SUCCESS;
}

/// Graphs need no instantiation here: it is the same handle.
CUresult cuGraphLaunch(CUgraphExec Handle, CUstream Stream) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch",
                cuGraphLaunch_params{Handle, Stream}, [&] {
                  for (auto &Work : *reinterpret_cast<Graph *>(Handle))
                    submit(Stream, Work);
                  return CUDA_SUCCESS;
                });
}

CUresult cuStreamIsCapturing(CUstream Handle, CUstreamCaptureStatus *Status) {
  Lock Guard(stateMutex());
  *Status = streamOf(Handle).Capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                       : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *) {
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *Handle, unsigned) {
  *Handle = reinterpret_cast<CUevent>(new Event);
  return lostContext();
}

CUresult cuEventRecord(CUevent Handle, CUstream Stream) {
  submit(Stream, [=] {
    reinterpret_cast<Event *>(Handle)->Ns = deviceClock();
    return true;
  });
  return lostContext();
}

// By its first name, which every driver has.
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *Ms, CUevent First, CUevent Last) {
  *Ms = float((reinterpret_cast<Event *>(Last)->Ns -
               reinterpret_cast<Event *>(First)->Ns) /
              NsPerMs);
  return lostContext();
}
}
