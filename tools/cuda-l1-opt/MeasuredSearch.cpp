//===- MeasuredSearch.cpp - Search with a GPU -----------------------------===//

#include "MeasuredSearch.h"
#include "Engines.h"
#include "cudal1/Policy/AdvisorPolicy.h"
#include "cudal1/Report/ProgressLine.h"
#include "cudal1/Search/BanditSearch.h"
#include "cudal1/Search/Confirmation.h"
#include "cudal1/Search/ExhaustiveSearch.h"
#include "cudal1/Search/GreedySearch.h"
#include "cudal1/Search/ProgramProblem.h"
#include "cudal1/Search/RandomSearch.h"
#include "cudal1/Support/TemporaryFolder.h"

using namespace cudal1;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The greedy search goes by the table unless the user names weights: those
/// built in were not compared with it on whole benchmarks yet.
static std::unique_ptr<Search> makeSearch(SearchKind Kind, const Setup &S,
                                          const Policy &Table) {
  const Policy *Learned = S.Learned.get();
  switch (Kind) {
  case SearchKind::Greedy:
    return std::make_unique<GreedySearch>(
        Learned && !S.Line.PolicyFile.empty() ? *Learned : Table);
  case SearchKind::Bandit:
    return std::make_unique<BanditSearch>(Learned, Table);
  case SearchKind::Random:
    return std::make_unique<RandomSearch>();
  case SearchKind::Exhaustive:
    return std::make_unique<ExhaustiveSearch>();
  }
  llvm_unreachable("unknown SearchKind");
}

static ProgressLine::Mode progressMode(const Setup &S) {
  if (S.Line.Quiet)
    return ProgressLine::Mode::Silent;
  if (S.Line.Verbose)
    return ProgressLine::Mode::EachVariant;
  return S.Out.isTerminal() ? ProgressLine::Mode::InPlace
                            : ProgressLine::Mode::Silent;
}

/// What the search itself measured of the Variant that was confirmed.
static const Attempt *findAttempt(const SearchOutcome &O, const Attempt &Best) {
  for (const Attempt &A : llvm::reverse(O.Improvements))
    if (textKey(A.What) == textKey(Best.What))
      return &A;
  return nullptr;
}

/// Figures and reasons of a search that has ended.
static void fillReport(const Baseline &B, const SearchOutcome &O,
                       const std::optional<Attempt> &Best, UnitReport &Report) {
  Report.Engine = B.Engine;
  Report.Original = B.Times;
  for (const auto *Sentences : {&B.NonDeterminism, &B.Notes})
    Report.Messages.insert(Report.Messages.end(), Sentences->begin(),
                           Sentences->end());
  Report.SearchEnd = toString(O.End).str();
  Report.VariantsTried = O.Attempts.size();
  Report.Variants = explainAttempts(O.Attempts, Best ? &*Best : nullptr);
  Report.Result = Best ? UnitResult::Faster : UnitResult::NothingBetter;
  if (Best) {
    const Measurement &M = Best->Result;
    // The pair that was timed together, rather than the first profile.
    if (M.Original)
      Report.Original = M.Original;
    Report.Best = M.Variant;
    Report.Speedup = M.Speedup;
    Report.SpeedupOf = M.Part;
    Report.SpeedupLow = M.SpeedupLow;
    Report.SpeedupHigh = M.SpeedupHigh;
    const Attempt *Found = findAttempt(O, *Best);
    if (Found && B.Times && Found->Result.Original && Found->Result.Variant &&
        M.Part == TimedPart::Kernels)
      Report.PredictedGpuSpeedup = predictGpuSpeedup(
          *B.Times, *Found->Result.Original, *Found->Result.Variant);
    if (M.Original && M.Variant && M.Variant->GpuBusyMs > 0)
      Report.MeasuredGpuSpeedup = M.Original->GpuBusyMs / M.Variant->GpuBusyMs;
  }
  Report.Kernels = compareKernels(Report.Original, Report.Best);
}

llvm::Expected<Variant> cudal1::searchMeasured(const Setup &S,
                                               const Settings &Chosen,
                                               const CompileUnit &Unit,
                                               RewriteSession &Session,
                                               UnitReport &Report) {
  llvm::Expected<TemporaryFolder> Folder =
      TemporaryFolder::make(S.Line.WorkDir);
  if (!Folder)
    return Folder.takeError();
  ProgressLine Progress(S.Out.messages(), progressMode(S), Chosen.Budget, now);
  Progress.status("building and running the original");
  std::unique_ptr<MeasureEngine> Engine =
      makeEngine(S, Chosen, Unit, Session.analysis(), Folder->path());
  llvm::Expected<Baseline> B = Engine->prepare();
  if (!B)
    return B.takeError();

  Variant Original = Session.current();
  ProgramProblem Problem(Session, *Engine, *B, S.Gpu);
  SearchContext Context;
  Context.Budget = Chosen.Budget;
  Context.Seed = Chosen.Seed;
  Context.Stop = &S.Stop;
  Context.Now = now;
  Context.Observer = &Progress;
  AdvisorPolicy Advisor;
  double Start = now();
  SearchOutcome O =
      makeSearch(Chosen.Search, S, Advisor)->run(Problem, Context);
  std::optional<Attempt> Best = confirmBest(Problem, O, Context);
  Report.SearchSeconds = now() - Start;
  fillReport(*B, O, Best, Report);
  return Best ? Best->What : Original;
}
