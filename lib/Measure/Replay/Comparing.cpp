//===- Comparing.cpp - A variant's results against the original's ---------===//

#include "Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cudal1;
using cudal1_state::CompareJob;
using cudal1_state::CompareResult;
using cudal1_state::SumJob;

namespace {

/// Sentences about one variant; the rest only repeats them.
constexpr size_t MaxMismatches = 3;

} // namespace

FieldPart cudal1::partOf(uint64_t Offset, uint64_t Count, uint32_t Stride,
                         uint64_t Low, uint64_t High) {
  uint64_t First = Low <= Offset ? 0 : (Low - Offset + Stride - 1) / Stride;
  uint64_t Last = High <= Offset
                      ? 0
                      : std::min(Count, (High - Offset + Stride - 1) / Stride);
  if (First >= Last)
    return {};
  return {Offset + First * Stride, Last - First};
}

std::vector<ReplayState::Untouched> ReplayState::untouched() const {
  std::vector<Untouched> Parts;
  for (size_t I = 0; I < Regions.size(); ++I) {
    const Region &R = Regions[I];
    if (R.Constant)
      continue;
    if (!R.written()) {
      Parts.push_back({I, 0, R.Bytes});
      continue;
    }
    if (R.Low > 0)
      Parts.push_back({I, 0, R.Low});
    if (R.High < R.Bytes)
      Parts.push_back({I, R.High, R.Bytes - R.High});
  }
  return Parts;
}

ReplayState::PlannedComparison ReplayState::plan(const Binding &B,
                                                 llvm::ArrayRef<unsigned> Sets,
                                                 FpClass Class) const {
  PlannedComparison Plan;
  Plan.Sets = Sets;
  for (unsigned Set : Sets)
    for (size_t I = 0; I < Regions.size(); ++I) {
      const Region &R = Regions[I];
      uint64_t Variant = addressOf(R, B);
      if (!R.written() || !Variant)
        continue;
      Tolerance Limits(Class, R.Noise, Options.RelativeTolerance);
      for (const TypedField &F : R.Fields) {
        FieldPart Part = partOf(F.Offset, F.Count, F.Stride, R.Low, R.High);
        if (Part.Count == 0)
          continue;
        Plan.Jobs.push_back({{R.References[Set] + Part.Offset - R.Low,
                              Part.Count, uint32_t(formatOf(F.Type)), F.Stride},
                             Variant + Part.Offset,
                             Limits.relativeLimit(F.Type),
                             F.Scale});
        Plan.Origins.push_back({I, Part.Offset, F.Stride, F.Type, Set});
      }
    }
  Plan.Parts = untouched();
  return Plan;
}

llvm::Expected<std::vector<uint64_t>> ReplayState::sumsOfUntouched() {
  PlannedComparison Plan;
  Plan.Sets = {0};
  Plan.Parts = untouched();
  llvm::Expected<std::vector<CompareResult>> Results =
      runPlan(Plan, Original, Options.LaunchLimit, /*Launching=*/false);
  if (!Results)
    return Results.takeError();
  return std::move(Plan.SumResults);
}

/// One round trip: for each data set put memory back and launch (if
/// \p Launching), compare, sum up.
llvm::Expected<std::vector<CompareResult>>
ReplayState::runPlan(PlannedComparison &Plan, const Binding &B,
                     std::chrono::milliseconds Limit, bool Launching) {
  if (Plan.Sets.empty())
    Plan.Sets = {0};
  std::vector<CompareResult> Results(Plan.Jobs.size(),
                                     {0, 0, ~0ULL, 0, ~0ULL, 0, 0, 0, 0, 0});
  Plan.SumResults.assign(Plan.Sets.size() * Plan.Parts.size(), 0);
  std::vector<SumJob> SumJobs;
  for (Untouched &Part : Plan.Parts) {
    uint64_t Address = addressOf(Regions[Part.Region], B);
    // A variable that this module lacks cannot be changed by it.
    if (!Address)
      Part.Bytes = 0;
    SumJobs.push_back({Address + Part.Offset, Part.Bytes});
  }
  uint64_t JobBytes = Plan.Jobs.size() * sizeof(CompareJob);
  uint64_t SumJobBytes = SumJobs.size() * sizeof(SumJob);
  uint64_t ResultBytes = Results.size() * sizeof(CompareResult);
  uint64_t SumBytes = Plan.SumResults.size() * sizeof(uint64_t);
  llvm::Expected<uint64_t> Scratch =
      Device.scratch(JobBytes + SumJobBytes + ResultBytes + SumBytes);
  if (!Scratch)
    return Scratch.takeError();
  uint64_t SumJobsAt = *Scratch + JobBytes, ResultsAt = SumJobsAt + SumJobBytes,
           SumsAt = ResultsAt + ResultBytes;
  replay::Batch Work;
  std::string Initial;
  for (auto [Data, Bytes] :
       {std::pair<const void *, uint64_t>(Plan.Jobs.data(), JobBytes),
        {SumJobs.data(), SumJobBytes},
        {Results.data(), ResultBytes},
        {Plan.SumResults.data(), SumBytes}})
    Initial.append(static_cast<const char *>(Data), Bytes);
  if (Initial.empty() && !Launching)
    return Results;
  if (!Initial.empty())
    Work.write(*Scratch, Initial.data(), Initial.size());
  size_t Job = 0;
  for (size_t S = 0; S < Plan.Sets.size(); ++S) {
    if (Launching) {
      prepare(Work, B, Plan.Sets[S]);
      launch(Work, B, /*Timed=*/false);
      Work.synchronize();
    }
    for (; Job < Plan.Jobs.size() && Plan.Origins[Job].Set == Plan.Sets[S];
         ++Job)
      Device.launchState(Work, "cudal1_compare", Plan.Jobs[Job].Original.Count,
                         {*Scratch + Job * sizeof(CompareJob),
                          ResultsAt + Job * sizeof(CompareResult)});
    for (size_t I = 0; I < SumJobs.size(); ++I)
      Device.launchState(
          Work, "cudal1_sum", SumJobs[I].Bytes / sizeof(uint64_t),
          {SumJobsAt + I * sizeof(SumJob),
           SumsAt + (S * SumJobs.size() + I) * sizeof(uint64_t)});
  }
  Work.read(ResultsAt, ResultBytes + SumBytes);
  llvm::Expected<BatchReply> Reply = Device.run(Work, Limit);
  if (!Reply)
    return Reply.takeError();
  std::string Bytes = Reply->results().string();
  if (Bytes.size() != ResultBytes + SumBytes)
    return llvm::createStringError("the held process sent too little");
  // An empty vector has no address to copy to.
  if (ResultBytes)
    std::memcpy(Results.data(), Bytes.data(), ResultBytes);
  if (SumBytes)
    std::memcpy(Plan.SumResults.data(), Bytes.data() + ResultBytes, SumBytes);
  return Results;
}

llvm::Expected<StateComparison>
ReplayState::compare(const Binding &B, llvm::ArrayRef<unsigned> Sets,
                     FpClass Class, std::chrono::milliseconds Limit) {
  PlannedComparison Plan = plan(B, Sets, Class);
  llvm::Expected<std::vector<CompareResult>> Results =
      runPlan(Plan, B, Limit, /*Launching=*/true);
  if (!Results)
    return Results.takeError();
  StateComparison Result;
  for (const Region &R : Regions)
    if (R.written() && !addressOf(R, B))
      Result.Mismatches.push_back(R.Name + " is not written: it is not there");
  std::optional<unsigned> WrongSet;
  for (size_t I = 0; I < Plan.Jobs.size(); ++I) {
    const CompareResult &R = (*Results)[I];
    ErrorFigures Figures;
    Figures.ValuesCompared = Plan.Jobs[I].Original.Count;
    Figures.Differing = R.Differing;
    Figures.Mismatches = R.Mismatches;
    Figures.MaxAbsolute = fromBits(R.MaxAbsolute);
    Figures.MaxRelative = fromBits(R.MaxRelative);
    Figures.MaxUlp = fromBits(R.MaxUlp);
    Result.Figures.merge(Figures);
    if (R.Mismatches && !WrongSet)
      WrongSet = Plan.Origins[I].Set;
  }
  // Later launches have overwritten what the sentences are to show.
  if (WrongSet && Sets.size() > 1) {
    llvm::Expected<StateComparison> Again =
        compare(B, {*WrongSet}, Class, Limit);
    if (!Again)
      return Again.takeError();
    Result.Mismatches = std::move(Again->Mismatches);
    if (Result.Mismatches.empty())
      Result.Mismatches.push_back(
          "the results differ from launch to launch: wrong in one of two");
    return Result;
  }
  if (llvm::Error E = describeMismatches(Plan, *Results, Result))
    return std::move(E);
  return Result;
}

llvm::Error
ReplayState::describeMismatches(const PlannedComparison &Plan,
                                llvm::ArrayRef<CompareResult> Results,
                                StateComparison &Result) {
  auto Full = [&] { return Result.Mismatches.size() >= MaxMismatches; };
  for (size_t I = 0; I < Results.size() && !Full(); ++I) {
    if (!Results[I].Mismatches)
      continue;
    const PlannedComparison::Origin &Origin = Plan.Origins[I];
    const CompareJob &Job = Plan.Jobs[I];
    uint64_t At = Results[I].FirstMismatch * Origin.Stride;
    uint64_t Size = sizeOf(Origin.Type);
    llvm::Expected<std::string> Before =
        Device.read(Job.Original.Address + At, Size);
    if (!Before)
      return Before.takeError();
    llvm::Expected<std::string> After = Device.read(Job.Variant + At, Size);
    if (!After)
      return After.takeError();
    BufferComparison Shown =
        compareBuffers({{0, *Before, *After}}, {Origin.Type}, 0, Tolerance());
    std::string Text;
    llvm::raw_string_ostream(Text)
        << Regions[Origin.Region].Name << ", byte " << Origin.Offset + At
        << (Origin.Set ? ", on fresh data" : "") << ": "
        << llvm::StringRef(Shown.FirstMismatch).split(": ").second << " ("
        << Results[I].Mismatches << " of " << Job.Original.Count
        << " values are wrong)";
    Result.Mismatches.push_back(Text);
  }
  for (size_t S = 0; S < Plan.Sets.size(); ++S)
    for (size_t I = 0; I < Plan.Parts.size() && !Full(); ++I) {
      uint64_t Sum = Plan.SumResults[S * Plan.Parts.size() + I];
      const Region &R = Regions[Plan.Parts[I].Region];
      if (Sum == Sums[Plan.Sets[S]][I] || !Plan.Parts[I].Bytes)
        continue;
      Result.Mismatches.push_back(R.Name +
                                  " was written where the original does not "
                                  "write");
    }
  return llvm::Error::success();
}
