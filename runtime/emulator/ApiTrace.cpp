//===- ApiTrace.cpp - Writes what an emulated program does ----------------===//

#include "ApiTrace.h"
#include "ApiState.h"
#include <cstdlib>
#include <pthread.h>

using namespace cudal1;
using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// Buffers larger than this are not looked at when they are freed.
constexpr uint64_t MaxSnapshotBytes = uint64_t(256) << 20;
/// All that such looks may read in one process, about 2 s of hashing.
constexpr uint64_t SnapshotBudgetBytes = uint64_t(8) << 30;

uint64_t address(const void *Pointer) {
  return reinterpret_cast<uint64_t>(Pointer);
}

uint64_t numberFrom(const char *Variable, uint64_t Default) {
  const char *Text = std::getenv(Variable);
  return Text && *Text ? std::strtoull(Text, nullptr, 10) : Default;
}

/// Where each parameter lies in the buffer of all: after the one before it, at
/// a multiple of its size (of 8 and more: of 8, which is as far as what was
/// recorded of a kernel tells).
uint32_t alignedOffset(uint32_t Offset, uint32_t Bytes) {
  uint32_t Alignment = 1;
  while (Alignment < 8 && Bytes % (Alignment * 2) == 0)
    Alignment *= 2;
  return (Offset + Alignment - 1) / Alignment * Alignment;
}

std::vector<trace::Parameter> readParameters(const KernelInfo &Info,
                                             void **Arguments) {
  std::vector<trace::Parameter> Result(Info.ParameterCount);
  uint32_t Offset = 0;
  for (uint32_t I = 0; I < Info.ParameterCount; ++I) {
    trace::Parameter &P = Result[I];
    P.Size = Info.ParameterBytes[I];
    P.Offset = alignedOffset(Offset, P.Size);
    Offset = P.Offset + P.Size;
    if (Arguments && P.Size <= sizeof(P.Value))
      std::memcpy(&P.Value, Arguments[I], P.Size);
  }
  return Result;
}

} // namespace

ApiTracer *api::tracer() { return runtime().Tracer.get(); }

std::unique_ptr<ApiTracer> ApiTracer::fromEnvironment() {
  const char *Directory = std::getenv(trace::DirectoryVariable);
  const char *ModeName = std::getenv(trace::ModeVariable);
  // Nothing is timed here: a run in mode `time` has nothing to write.
  if (!Directory || (ModeName && std::string(ModeName) != "trace"))
    return nullptr;
  auto Result = std::make_unique<ApiTracer>();
  Result->Out.setCaps(numberFrom(trace::CopyCapVariable, uint64_t(16) << 20),
                      numberFrom(trace::TotalCapVariable, uint64_t(256) << 20));
  if (!Result->Out.open(Directory, trace::Mode::Trace)) {
    std::fprintf(stderr, "cudal1: cannot write a trace in '%s': %s\n",
                 Directory, std::strerror(errno));
    return nullptr;
  }
  pthread_atfork(nullptr, nullptr, [] {
    if (ApiTracer *T = tracer())
      T->Enabled = false;
  });
  return Result;
}

void ApiTracer::launch(const KernelInfo &Info, const LaunchShape &Shape,
                       void **Arguments, uint64_t Stream, bool Captured) {
  if (!Enabled)
    return;
  trace::Launch L;
  L.Name = Info.Name;
  std::copy(Shape.Grid, Shape.Grid + 3, L.Grid);
  std::copy(Shape.Block, Shape.Block + 3, L.Block);
  L.SharedBytes = Shape.DynamicSharedBytes;
  L.Captured = Captured;
  L.Parameters = readParameters(Info, Arguments);
  L.Stream = streamNumber(Stream);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Count.Launches;
    LaunchedSinceSnapshot = true;
    // A kernel that gets a pointer to pinned memory may write there.
    for (const trace::Parameter &P : L.Parameters) {
      auto Above = Blocks.upper_bound(P.Value);
      if (Above == Blocks.begin())
        continue;
      auto &[Address, Memory] = *std::prev(Above);
      if (P.Value - Address < Memory.Bytes &&
          Memory.Kind == trace::AllocationKind::Host)
        Memory.Shared = true;
    }
  }
  Out.launch(L);
}

void ApiTracer::allocated(trace::AllocationKind Kind, const void *Address,
                          uint64_t Bytes) {
  if (!Enabled)
    return;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Blocks[address(Address)] = {Bytes, Kind,
                                Kind == trace::AllocationKind::Managed};
  }
  Out.allocation(Kind, address(Address), Bytes);
}

void ApiTracer::freeing(const void *Address) {
  if (!Enabled)
    return;
  Block Freed;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto Entry = Blocks.find(address(Address));
    if (Entry == Blocks.end())
      return;
    Freed = Entry->second;
    Blocks.erase(Entry);
  }
  if (Freed.Shared)
    snapshot(trace::CopyOrigin::SharedView, address(Address), Freed.Bytes);
  else if (Freed.Kind == trace::AllocationKind::Device)
    snapshot(trace::CopyOrigin::FreedBuffer, address(Address), Freed.Bytes);
  Out.free(address(Address));
}

bool ApiTracer::takeSnapshotBudget(uint64_t Bytes) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Bytes <= MaxSnapshotBytes &&
        SnapshotBytes + Bytes <= SnapshotBudgetBytes) {
      SnapshotBytes += Bytes;
      return true;
    }
    if (NotedLargeBuffers)
      return false;
    NotedLargeBuffers = true;
  }
  Out.note("some buffers were too large to be looked at when they were freed");
  return false;
}

void ApiTracer::snapshot(trace::CopyOrigin Origin, uint64_t Address,
                         uint64_t Bytes) {
  if (takeSnapshotBudget(Bytes))
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    Out.copy(Origin, Address, reinterpret_cast<const char *>(Address), Bytes);
}

void ApiTracer::copiedToHost(const CopyWork &W, bool InGraph) {
  if (!Enabled || W.Width * W.Height * W.Depth == 0)
    return;
  trace::CopyOrigin Origin =
      InGraph ? trace::CopyOrigin::GraphCopy : trace::CopyOrigin::Copy;
  uint64_t Source = W.From.IsArray ? 0 : address(W.From.Data);
  if (W.Height == 1 && W.Depth == 1) {
    Out.copy(Origin, Source, W.To.Data, W.Width);
    return;
  }
  std::vector<char> Rows;
  Rows.reserve(W.Width * W.Height * W.Depth);
  for (uint64_t Z = 0; Z < W.Depth; ++Z)
    for (uint64_t Y = 0; Y < W.Height; ++Y) {
      const char *Row = W.To.Data + Z * W.To.Slice + Y * W.To.Pitch;
      Rows.insert(Rows.end(), Row, Row + W.Width);
    }
  Out.copy(Origin, Source, Rows.data(), Rows.size());
}

void ApiTracer::copiedToDevice() {
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Count.HostToDeviceCopies;
}

void ApiTracer::synchronized() {
  if (!Enabled)
    return;
  std::vector<std::pair<uint64_t, uint64_t>> Shared;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Count.Synchronizations;
    if (!LaunchedSinceSnapshot)
      return;
    LaunchedSinceSnapshot = false;
    for (const auto &[Address, Memory] : Blocks)
      if (Memory.Shared)
        Shared.push_back({Address, Memory.Bytes});
  }
  for (auto [Address, Bytes] : Shared)
    snapshot(trace::CopyOrigin::SharedView, Address, Bytes);
}

void ApiTracer::graphLaunched(uint64_t Stream, cudaError_t Result) {
  if (!Enabled)
    return;
  Out.graphLaunch(streamNumber(Stream), Result);
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Count.GraphLaunches;
  LaunchedSinceSnapshot = true;
}

void ApiTracer::apiError(const char *Name, cudaError_t Code) {
  if (Enabled)
    Out.apiError(Name, Code);
}

void ApiTracer::end() {
  if (!Enabled)
    return;
  trace::Counters Final;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Final = Count;
  }
  Out.end(Final);
}

uint64_t ApiTracer::streamNumber(uint64_t Id) {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Streams.try_emplace(Id, Streams.size()).first->second;
}
