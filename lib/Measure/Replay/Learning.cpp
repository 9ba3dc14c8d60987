//===- Learning.cpp - What the original writes, and how it varies ---------===//

#include "../Magnitudes.h"
#include "Plan.h"
#include "Refusal.h"
#include "llvm/ADT/STLExtras.h"

using namespace cudal1;
using cudal1_state::CompareResult;
using cudal1_state::Field;
using cudal1_state::MagnitudeBin;
using cudal1_state::PoisonJob;
using cudal1_state::PoisonResult;

namespace {

/// Results of the original that differ by more from run to run say nothing
/// about a variant.
constexpr double MaxNoise = 1e-3;

/// \p Bytes holds a MagnitudeBin for each exponent.
double scaleOf(llvm::StringRef Bytes) {
  Magnitudes Seen;
  for (size_t I = 0; (I + 1) * sizeof(MagnitudeBin) <= Bytes.size(); ++I) {
    MagnitudeBin Bin;
    std::memcpy(&Bin, Bytes.data() + I * sizeof(Bin), sizeof(Bin));
    if (Bin.Count)
      Seen.add(I, Bin.Count, ~Bin.SmallestInverted, Bin.Largest);
  }
  return Seen.scale();
}

} // namespace

/// Launches the original and compares all memory with what was saved of it.
llvm::Error ReplayState::findWrites() {
  if (llvm::Error E = runOriginal(0))
    return E;
  PlannedComparison Plan;
  for (size_t I = 0; I < Regions.size(); ++I) {
    const Region &R = Regions[I];
    if (R.Constant || R.Poisoned || R.Guard)
      continue;
    Region AsBytes;
    AsBytes.Address = R.Address;
    addBytes(AsBytes, 0, R.Bytes);
    for (const TypedField &F : AsBytes.Fields) {
      Plan.Jobs.push_back({{R.Pristine + F.Offset, F.Count,
                            uint32_t(formatOf(F.Type)), F.Stride},
                           R.Address + F.Offset,
                           0,
                           0});
      Plan.Origins.push_back({I, F.Offset, F.Stride, F.Type, 0});
    }
  }
  llvm::Expected<std::vector<CompareResult>> Results =
      runPlan(Plan, Original, Options.LaunchLimit, /*Launching=*/false);
  if (!Results)
    return Results.takeError();
  for (auto [Result, Origin] : llvm::zip(*Results, Plan.Origins)) {
    if (!Result.Differing)
      continue;
    BytesWritten += Result.Differing * sizeOf(Origin.Type);
    Region &R = Regions[Origin.Region];
    uint64_t Low = Origin.Offset + Result.FirstDiffering * Origin.Stride;
    uint64_t High = Origin.Offset + Result.LastDiffering * Origin.Stride;
    R.Low = R.written() ? std::min(R.Low, Low) : Low;
    R.High = std::max(R.High, High);
  }
  for (Region &R : Regions)
    coverElements(R);
  return llvm::Error::success();
}

/// Widens what is written to whole scalars.
void ReplayState::coverElements(Region &R) {
  if (!R.written())
    return;
  uint64_t Low = R.Low, High = R.High;
  for (const TypedField &F : R.Fields) {
    uint64_t End = F.Offset + F.Count * F.Stride;
    if (R.Low > F.Offset && R.Low < End)
      Low = std::min(Low, F.Offset + (R.Low - F.Offset) / F.Stride * F.Stride);
    if (R.High > F.Offset && R.High < End)
      High = std::max(High, F.Offset + (R.High - F.Offset + F.Stride - 1) /
                                           F.Stride * F.Stride);
  }
  R.Low = Low;
  R.High = std::min(High, R.Bytes);
}

/// A buffer may hold the result already, from an earlier launch: then only
/// other data show that it is written.
llvm::Error ReplayState::findWritesOnVariedData(bool &Found) {
  Found = false;
  for (unsigned Set = 1; Set < DataSets; ++Set) {
    replay::Batch Work;
    prepare(Work, Original, Set);
    Work.synchronize();
    if (llvm::Error E = Device.run(Work, Options.LaunchLimit).takeError())
      return E;
    std::vector<Untouched> Parts = untouched();
    llvm::Expected<std::vector<uint64_t>> Before = sumsOfUntouched();
    if (!Before)
      return Before.takeError();
    if (llvm::Error E = runOriginal(Set))
      return E;
    llvm::Expected<std::vector<uint64_t>> After = sumsOfUntouched();
    if (!After)
      return After.takeError();
    for (size_t I = 0; I < Parts.size(); ++I) {
      if ((*Before)[I] == (*After)[I])
        continue;
      Region &R = Regions[Parts[I].Region];
      R.Low = 0;
      R.High = R.Bytes;
      Found = true;
    }
    if (Found)
      return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Error ReplayState::keepReferences() {
  for (Region &R : Regions) {
    R.References.assign(DataSets, 0);
    for (unsigned Set = 0; R.written() && Set < DataSets; ++Set) {
      bool OnHost = false;
      llvm::Expected<uint64_t> Copy = allocateSomewhere(R.High - R.Low, OnHost);
      if (!Copy)
        return Copy.takeError();
      R.References[Set] = *Copy;
    }
  }
  for (unsigned Set = 0; Set < DataSets; ++Set) {
    if (llvm::Error E = runOriginal(Set))
      return E;
    replay::Batch Work;
    for (const Region &R : Regions)
      if (R.written())
        Work.copy(R.References[Set], R.Address + R.Low, R.High - R.Low);
    Work.synchronize();
    if (llvm::Error E = Device.run(Work, Options.LaunchLimit).takeError())
      return E;
    llvm::Expected<std::vector<uint64_t>> Sum = sumsOfUntouched();
    if (!Sum)
      return Sum.takeError();
    Sums.push_back(std::move(*Sum));
  }
  return llvm::Error::success();
}

/// What the values are like that the original made of the program's own data.
llvm::Error ReplayState::learnScales() {
  constexpr uint64_t BinBytes = Magnitudes::Bins * sizeof(MagnitudeBin);
  llvm::Expected<uint64_t> Scratch = Device.scratch(sizeof(Field) + BinBytes);
  if (!Scratch)
    return Scratch.takeError();
  uint64_t BinsAt = *Scratch + sizeof(Field);
  for (Region &R : Regions)
    for (TypedField &F : R.Fields) {
      FieldPart Part = partOf(F.Offset, F.Count, F.Stride, R.Low, R.High);
      if (!isFloatingPoint(F.Type) || Part.Count == 0)
        continue;
      Field Asked = {R.References[0] + Part.Offset - R.Low, Part.Count,
                     uint32_t(formatOf(F.Type)), F.Stride};
      replay::Batch Work;
      Work.write(*Scratch, &Asked, sizeof(Asked));
      Work.fill(BinsAt, BinBytes, 0);
      Device.launchState(
          Work, "cudal1_magnitudes",
          std::min<uint64_t>(Part.Count, cudal1_state::MaxMagnitudes),
          {*Scratch, BinsAt});
      Work.read(BinsAt, BinBytes);
      llvm::Expected<BatchReply> Reply = Device.run(Work, Options.LaunchLimit);
      if (!Reply)
        return Reply.takeError();
      std::string Bytes = Reply->results().string();
      F.Scale = scaleOf(Bytes);
    }
  return llvm::Error::success();
}

/// Launches the original once more on each data set.
llvm::Error ReplayState::learnNoise() {
  std::vector<unsigned> Sets = allSets();
  PlannedComparison Plan = plan(Original, Sets, FpClass::Exact);
  llvm::Expected<std::vector<CompareResult>> Results =
      runPlan(Plan, Original, Options.LaunchLimit, /*Launching=*/true);
  if (!Results)
    return Results.takeError();
  bool HasNan = false;
  for (auto [Result, Origin] : llvm::zip(*Results, Plan.Origins)) {
    Region &R = Regions[Origin.Region];
    HasNan |= Result.OriginalNan && !R.Poisoned;
    if (Result.Differing)
      R.Noise = std::max(R.Noise, fromBits(Result.MaxScaled));
  }
  for (const Region &R : Regions) {
    // What is not compared proves nothing.
    if (R.Noise > MaxNoise)
      return llvm::createStringError(
          "the original gives different results in " + R.Name +
          " from launch to launch");
    if (R.Noise > 0)
      Notes.push_back("the original's results in " + R.Name +
                      " vary slightly from launch to launch; allowed for");
  }
  if (HasNan)
    Notes.push_back("the original's results hold NaN");
  for (unsigned Set : Sets)
    for (size_t I = 0; I < Plan.Parts.size(); ++I)
      if (Plan.SumResults[Set * Plan.Parts.size() + I] != Sums[Set][I])
        return llvm::createStringError("the original writes to " +
                                       Regions[Plan.Parts[I].Region].Name +
                                       " in some launches only");
  return llvm::Error::success();
}

/// Scalars of poisoned memory of which the launch without poison, which has
/// just run, made something else. Adds to BytesWritten what that one changed.
llvm::Expected<uint64_t> ReplayState::countPoisonRead() {
  std::vector<PoisonJob> Jobs;
  for (const Region &R : Regions)
    for (const TypedField &F : R.Fields)
      if (R.Poisoned)
        Jobs.push_back({{R.References[0] + F.Offset, F.Count,
                         uint32_t(formatOf(F.Type)), F.Stride},
                        R.Address + F.Offset,
                        R.Pristine + F.Offset,
                        R.Noise > 0});
  uint64_t JobBytes = Jobs.size() * sizeof(PoisonJob);
  PoisonResult Found = {};
  llvm::Expected<uint64_t> Scratch = Device.scratch(JobBytes + sizeof(Found));
  if (!Scratch)
    return Scratch.takeError();
  uint64_t CountAt = *Scratch + JobBytes;
  replay::Batch Work;
  Work.write(*Scratch, Jobs.data(), JobBytes);
  Work.fill(CountAt, sizeof(Found), 0);
  for (size_t I = 0; I < Jobs.size(); ++I)
    Device.launchState(Work, "cudal1_poison_read", Jobs[I].Poisoned.Count,
                       {*Scratch + I * sizeof(PoisonJob), CountAt});
  Work.read(CountAt, sizeof(Found));
  llvm::Expected<BatchReply> Reply = Device.run(Work, Options.LaunchLimit);
  if (!Reply)
    return Reply.takeError();
  std::string Bytes = Reply->results().string();
  std::memcpy(&Found, Bytes.data(), std::min(Bytes.size(), sizeof(Found)));
  BytesWritten += Found.BytesChanged;
  return Found.Read;
}

/// The launch may read what it seems only to write, by a pointer that lies in
/// memory. Then its results come from the poison, and say nothing.
llvm::Error ReplayState::checkPoison() {
  if (llvm::none_of(Regions, [](const Region &R) { return R.Poisoned; }))
    return llvm::Error::success();
  replay::Batch Work;
  prepare(Work, Original, 0, /*Poisoning=*/false);
  launch(Work, Original, /*Timed=*/false);
  Work.synchronize();
  if (llvm::Error E = Device.run(Work, Options.LaunchLimit).takeError())
    return E;
  PlannedComparison Plan = plan(Original, {0}, FpClass::Exact);
  llvm::Expected<std::vector<CompareResult>> Results =
      runPlan(Plan, Original, Options.LaunchLimit, /*Launching=*/false);
  if (!Results)
    return Results.takeError();
  llvm::Expected<uint64_t> Read = countPoisonRead();
  if (!Read)
    return Read.takeError();
  bool Differs = *Read > 0 || Plan.SumResults != Sums[0];
  for (auto [Result, Origin] : llvm::zip(*Results, Plan.Origins))
    Differs |= Result.Mismatches && !Regions[Origin.Region].Poisoned;
  if (!Differs)
    return llvm::Error::success();
  return llvm::make_error<ReplayRefusal>(
      ReplayRefusal::Cure::LessPoison,
      "the original reads memory that it seems only to write");
}
