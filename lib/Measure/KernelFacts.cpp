//===- KernelFacts.cpp - How a kernel is launched and compiled ------------===//

#include "cudal1/Measure/KernelFacts.h"
#include "cudal1/Measure/Gpu.h"
#include "cudal1/Measure/Trace.h"
#include <set>

using namespace cudal1;

/// Of every multiprocessor since compute capability 3.5.
static constexpr uint64_t RegistersPerMultiprocessor = 65536;
static constexpr uint64_t RegisterUnit = 8; ///< allocated by so many a thread
static constexpr uint64_t WarpThreads = 32;

namespace {

/// The allocations alive at one point of a trace, by their first address.
using LiveMemory = std::map<uint64_t, uint64_t>;

} // namespace

static uint64_t footprint(const trace::Launch &L, const LiveMemory &Live) {
  std::set<uint64_t> Seen;
  uint64_t Sum = 0;
  for (const trace::Parameter &P : L.Parameters) {
    if (P.Size != sizeof(uint64_t))
      continue;
    auto It = Live.upper_bound(P.Value);
    if (It == Live.begin())
      continue;
    --It;
    if (P.Value - It->first < It->second && Seen.insert(It->first).second)
      Sum += It->second;
  }
  return Sum;
}

static void addLaunch(const trace::Launch &L, const LiveMemory &Live,
                      std::map<std::string, KernelFacts> &Facts) {
  KernelFacts K;
  K.Name = L.Name;
  K.GridBlocks = uint64_t(L.Grid[0]) * L.Grid[1] * L.Grid[2];
  K.BlockThreads = uint64_t(L.Block[0]) * L.Block[1] * L.Block[2];
  KernelFacts &Largest = Facts[L.Name];
  if (K.threads() <= Largest.threads())
    return;
  K.DynamicSharedBytes = L.SharedBytes;
  K.FootprintBytes = footprint(L, Live);
  Largest = std::move(K);
}

std::vector<KernelFacts> cudal1::kernelFacts(llvm::ArrayRef<Trace> Traces) {
  std::map<std::string, KernelFacts> Facts;
  for (const Trace &T : Traces) {
    LiveMemory Live;
    for (const TraceEvent &E : T.Events) {
      if (const auto *A = std::get_if<TraceAllocation>(&E))
        Live[A->Address] = A->Bytes;
      else if (const auto *F = std::get_if<TraceFree>(&E))
        Live.erase(F->Address);
      else if (const auto *L = std::get_if<trace::Launch>(&E))
        addLaunch(*L, Live, Facts);
    }
  }
  std::vector<KernelFacts> Result;
  Result.reserve(Facts.size());
  for (auto &[Name, K] : Facts)
    Result.push_back(std::move(K));
  return Result;
}

static uint64_t threadsPerMultiprocessor(const GpuInfo &Gpu) {
  switch (Gpu.ComputeMajor * 10 + Gpu.ComputeMinor) {
  case 75:
    return 1024;
  case 86:
  case 87:
  case 89:
  case 120:
  case 121:
    return 1536;
  default:
    return 2048;
  }
}

double cudal1::occupancyOf(const KernelFacts &K, const GpuInfo &Gpu) {
  if (!K.Registers || !K.BlockThreads)
    return 0;
  auto RoundUp = [](uint64_t N, uint64_t Unit) {
    return (N + Unit - 1) / Unit * Unit;
  };
  uint64_t Threads = RoundUp(K.BlockThreads, WarpThreads);
  uint64_t Most = threadsPerMultiprocessor(Gpu);
  uint64_t Blocks = std::min(
      Most / Threads, RegistersPerMultiprocessor /
                          (RoundUp(K.Registers, RegisterUnit) * Threads));
  return double(Blocks * Threads) / double(Most);
}
