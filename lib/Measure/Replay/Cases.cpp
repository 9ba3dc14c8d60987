//===- Cases.cpp - Which launches of a kernel stand for all ---------------===//

#include "Cases.h"
#include "cudal1/Measure/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace cudal1;

namespace {

/// Shapes beyond these are left out: each costs a process and its memory.
constexpr size_t MaxCases = 3;
/// A shape with a smaller share of the kernel's time decides nothing.
constexpr double LeastShare = 0.03;
/// The first launch of a shape that takes at least this share of the median is
/// no special case (an empty frontier, say).
constexpr double TypicalShare = 0.9;

using Shape = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                         uint32_t, uint32_t>;

Shape shapeOf(const trace::Launch &L) {
  return {L.Grid[0],  L.Grid[1],  L.Grid[2],    L.Block[0],
          L.Block[1], L.Block[2], L.SharedBytes};
}

struct SeenLaunch {
  uint64_t Ordinal;
  const trace::Launch *Launch;
  double Us = 0;
};

std::vector<SeenLaunch> launchesOf(const Trace &T, llvm::StringRef Kernel,
                                   bool &HaveTimes, bool &OnlyCaptured) {
  std::vector<SeenLaunch> Result;
  uint64_t Ordinal = 0;
  for (const TraceEvent &Event : T.Events) {
    const auto *Launch = std::get_if<trace::Launch>(&Event);
    if (!Launch || Launch->Name != Kernel)
      continue;
    OnlyCaptured |= Launch->Captured != 0;
    if (Launch->Result == 0 && !Launch->Captured)
      Result.push_back({Ordinal, Launch});
    ++Ordinal;
  }
  OnlyCaptured &= Result.empty();
  std::vector<KernelInterval> Intervals;
  for (const KernelInterval &I : T.Kernels)
    if (T.Names[I.Name] == Kernel)
      Intervals.push_back(I);
  HaveTimes = Intervals.size() == Result.size();
  if (!HaveTimes)
    return Result;
  llvm::sort(Intervals, [](const KernelInterval &A, const KernelInterval &B) {
    return A.StartNs < B.StartNs;
  });
  for (auto [Seen, Interval] : llvm::zip(Result, Intervals))
    Seen.Us = 1e-3 * double(Interval.EndNs - Interval.StartNs);
  return Result;
}

ReplayCase makeCase(const SeenLaunch &Where, llvm::StringRef Kernel) {
  ReplayCase C;
  C.Where.Kernel = Kernel.str();
  C.Where.Ordinal = Where.Ordinal;
  C.Launch = *Where.Launch;
  return C;
}

ReplayCase typicalOf(const std::vector<SeenLaunch> &OfShape,
                     llvm::StringRef Kernel) {
  std::vector<double> Times;
  Times.reserve(OfShape.size());
  for (const SeenLaunch &L : OfShape)
    Times.push_back(L.Us);
  double Typical = TypicalShare * median(Times);
  const SeenLaunch &Chosen = *llvm::find_if(
      OfShape, [&](const SeenLaunch &L) { return L.Us >= Typical; });
  ReplayCase C = makeCase(Chosen, Kernel);
  C.Launches = OfShape.size();
  for (double Us : Times)
    C.TotalUs += Us;
  return C;
}

} // namespace

KernelCases cudal1::chooseCases(llvm::ArrayRef<Trace> Traces,
                                llvm::StringRef Kernel,
                                const LaunchChoice &Choice) {
  KernelCases Result;
  std::vector<SeenLaunch> Launches;
  bool HaveTimes = false, OnlyCaptured = false;
  for (const Trace &T : Traces) {
    bool Timed = false, Captured = false;
    std::vector<SeenLaunch> Seen = launchesOf(T, Kernel, Timed, Captured);
    OnlyCaptured |= Captured;
    if (Seen.size() > Launches.size()) {
      Launches = std::move(Seen);
      HaveTimes = Timed;
    }
  }
  if (Launches.empty()) {
    Result.Problem = OnlyCaptured ? "it is launched by a graph only"
                                  : "no launch of it was seen";
    return Result;
  }
  if (Choice.How == LaunchChoice::Ordinal) {
    if (Choice.Which >= Launches.size()) {
      Result.Problem = "it is launched " + std::to_string(Launches.size()) +
                       " times, so there is no launch " +
                       std::to_string(Choice.Which + 1);
      return Result;
    }
    ReplayCase C = makeCase(Launches[Choice.Which], Kernel);
    C.Launches = Launches.size();
    C.TotalUs = Launches[Choice.Which].Us * double(C.Launches);
    Result.Cases.push_back(std::move(C));
    return Result;
  }
  std::map<Shape, std::vector<SeenLaunch>> ByShape;
  for (const SeenLaunch &L : Launches)
    ByShape[shapeOf(*L.Launch)].push_back(L);
  double Total = 0;
  auto Weight = [&](const ReplayCase &C) {
    return HaveTimes ? C.TotalUs : double(C.Launches);
  };
  for (const auto &[OfShape, Seen] : ByShape) {
    Result.Cases.push_back(typicalOf(Seen, Kernel));
    Total += Weight(Result.Cases.back());
  }
  llvm::sort(Result.Cases, [&](const ReplayCase &A, const ReplayCase &B) {
    return Weight(A) != Weight(B) ? Weight(A) > Weight(B)
                                  : A.Where.Ordinal < B.Where.Ordinal;
  });
  while (Result.Cases.size() > MaxCases ||
         (Result.Cases.size() > 1 &&
          Weight(Result.Cases.back()) < LeastShare * Total))
    Result.Cases.pop_back();
  double Kept = 0;
  for (const ReplayCase &C : Result.Cases)
    Kept += Weight(C);
  Result.Covered = Total > 0 ? Kept / Total : 1;
  return Result;
}
