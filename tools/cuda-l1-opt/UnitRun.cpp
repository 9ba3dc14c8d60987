//===- UnitRun.cpp - One input from parse to result -----------------------===//

#include "UnitRun.h"
#include "Judge.h"
#include "Listing.h"
#include "MeasuredSearch.h"
#include "NvccCheck.h"
#include "cudal1/Analysis/DumpKernels.h"
#include "cudal1/Frontend/DeviceSlice.h"
#include "cudal1/Policy/AdvisorPolicy.h"
#include "cudal1/Search/Stepping.h"

using namespace cudal1;

/// --apply-all gives up here: some rule finds new sites in its own output.
static constexpr unsigned MaxEverything = 500;
/// Rewrites that usually gain less are not made unless they are measured: each
/// of them has a known case where it hurts.
static constexpr double SmallestUntimedGain = 1.2;

SiteFilter UnitRun::filter() const {
  SiteFilter F;
  F.NeedsCheck = S.Line.NeedsCheck || S.Line.What == Task::ListSites;
  switch (S.Line.What) {
  case Task::ListSites:
  case Task::ApplySteps:
  case Task::ApplyAll:
    // The user chooses; nothing is hidden.
    F.Weakest = Chosen.Weakest.value_or(FpClass::ReducedPrecision);
    break;
  case Task::Optimise:
    F.Weakest =
        Chosen.Weakest.value_or(S.Gpu ? FpClass::Reassociate : FpClass::Exact);
    break;
  default:
    F.Weakest = Chosen.Weakest.value_or(FpClass::Exact);
  }
  return F;
}

ExitCode UnitRun::fail(llvm::Error E) {
  std::string Why = llvm::toString(std::move(E));
  S.Out.error(Why);
  Report.Messages.push_back(Why);
  Report.Result = UnitResult::Failed;
  return ExitCode::Failure;
}

/// What the user should read: in the report, where there is one.
void UnitRun::say(const std::string &Sentence) {
  Report.Messages.push_back(Sentence);
  if (!isReported(S.Line.What))
    S.Out.note(Sentence);
}

/// Clang has refused the unit. Where the user's compiler takes it, a build must
/// go on: the original is the result.
ExitCode UnitRun::parseFailed(llvm::Error E) {
  bool IsParseError = E.isA<ParseError>();
  if (!IsParseError)
    return fail(std::move(E));
  llvm::handleAllErrors(std::move(E), [&](const ParseError &P) {
    S.Out.messages() << P.Diagnostics;
  });
  Report.Result = UnitResult::NotParsed;
  llvm::Error Refused = compileOriginal(S, Unit);
  if (Refused)
    return fail(llvm::createStringError(
        "cannot parse '" + Unit.File + "', and " +
        llvm::toString(std::move(Refused)) +
        "; check the flags (-p FOLDER of compile_commands.json, or -- FLAGS)"));
  say("Clang cannot parse '" + Unit.File +
      "', though nvcc compiles it; the source stays as it is. Guard the "
      "construct named above with #ifndef __clang__, or leave the file out");
  if (llvm::Error Failure = Target.deliverUnchanged(Unit.File, Report))
    return fail(std::move(Failure));
  return ExitCode::NotParsed;
}

ExitCode UnitRun::run() {
  if (llvm::Error E = Input.resolve(Report.File))
    return fail(std::move(E));
  Report.File = Unit.File;
  if (llvm::Error E = Target.checkWritable(Unit.File))
    return fail(std::move(E));
  auto P = Input.parse();
  if (!P)
    return parseFailed(P.takeError());
  Writer = std::make_unique<SourceWriter>(**P);
  RewriteSession Session(std::move(*P), Rules, filter());
  Original = Session.current().Texts;
  return perform(Session);
}

ExitCode UnitRun::dumpDeviceText(const Program &P) {
  std::optional<std::string> Text;
  if (P.hasSide(Side::Device))
    Text = DeviceSlice::of(P).cut(P.text());
  if (!Text)
    return fail(llvm::createStringError("the host code of '" + Unit.File +
                                        "' cannot be left out"));
  S.Out.results() << *Text;
  return ExitCode::Success;
}

ExitCode UnitRun::perform(RewriteSession &Session) {
  Report.Result = UnitResult::NotTimed;
  if (S.Line.What == Task::DumpKernels) {
    if (S.Line.DumpJson)
      S.Out.results() << llvm::formatv("{0:2}\n",
                                       kernelsToJson(Session.analysis()));
    else
      printKernels(Session.analysis(), S.Out.results());
    return ExitCode::Success;
  }
  if (S.Line.What == Task::DumpDeviceText)
    return dumpDeviceText(Session.analysis().program());
  if (Session.analysis().kernels().empty()) {
    say("no kernel is defined in '" + Unit.File +
        "' or its own headers; nothing to rewrite");
    return S.Line.What == Task::ListSites ? ExitCode::Success
                                          : deliver(Session.current());
  }
  switch (S.Line.What) {
  case Task::ListSites:
    listSites(Session.sites(), S.Out.results());
    return ExitCode::Success;
  case Task::ApplySteps:
    return applySteps(Session);
  case Task::ApplyAll:
    return applyAll(Session);
  case Task::Judge:
    return judge(Session);
  case Task::Optimise:
    return Input.canMeasure() && S.Line.Verify != VerifyBy::Emulator
               ? optimise(Session)
               : rewriteUntimed(Session);
  default:
    return rewriteUntimed(Session);
  }
}

/// Emulation where it was asked for, or where nothing else can prove anything.
bool UnitRun::wantsEmulation() const {
  if (S.Line.Verify != VerifyBy::Auto)
    return S.Line.Verify == VerifyBy::Emulator;
  return S.Line.What == Task::Optimise && !Input.canMeasure();
}

llvm::Error UnitRun::prepareEmulation(RewriteSession &Session) {
  if (!wantsEmulation())
    return llvm::Error::success();
  llvm::Expected<std::unique_ptr<EmulatedCheck>> Check =
      EmulatedCheck::prepare(S, Chosen, Unit, Session);
  if (!Check)
    return Check.takeError();
  Emulated = std::move(*Check);
  const Baseline &B = Emulated->baseline();
  for (const auto *Sentences : {&B.NonDeterminism, &B.Notes})
    Report.Messages.insert(Report.Messages.end(), Sentences->begin(),
                           Sentences->end());
  return llvm::Error::success();
}

/// Checks what the user's own choice of steps gave, where that is wanted.
llvm::Error UnitRun::checkResult(RewriteSession &Session) {
  if (!Emulated)
    return llvm::Error::success();
  if (llvm::Error E = Emulated->check(Session.current()))
    return E;
  S.Out.note("verified by emulation, not timed");
  return llvm::Error::success();
}

ExitCode UnitRun::applySteps(RewriteSession &Session) {
  if (llvm::Error E = prepareEmulation(Session))
    return fail(std::move(E));
  if (llvm::Error E = applyNamedSteps(Session, S.Line.Steps))
    return fail(std::move(E));
  if (llvm::Error E = checkResult(Session))
    return fail(std::move(E));
  return deliver(Session.current());
}

ExitCode UnitRun::applyAll(RewriteSession &Session) {
  if (llvm::Error E = prepareEmulation(Session))
    return fail(std::move(E));
  auto Rejected = applyEverything(Session, MaxEverything, &S.Stop);
  if (!Rejected)
    return fail(Rejected.takeError());
  for (const RejectedStep &R : *Rejected)
    S.Out.warning(R.What.Rule + " at line " + llvm::Twine(R.What.Line) +
                  " was left out: " + R.Why);
  if (llvm::Error E = checkResult(Session))
    return fail(std::move(E));
  return deliver(Session.current());
}

ExitCode UnitRun::optimise(RewriteSession &Session) {
  Variant Unchanged = Session.current();
  llvm::Expected<Variant> Best =
      searchMeasured(S, Chosen, Unit, Session, Report);
  if (Best)
    return deliver(*Best);
  return keepOriginal(Unchanged, llvm::toString(Best.takeError()));
}

ExitCode UnitRun::judge(RewriteSession &Session) {
  if (!Input.canMeasure())
    return fail(llvm::createStringError("--judge needs a GPU and nvcc: " +
                                        Input.whyNotMeasured()));
  if (llvm::Error E = judgeVersions(S, Chosen, Unit, Session, Report))
    return fail(std::move(E));
  return S.interrupted() ? ExitCode::Interrupted : ExitCode::Success;
}

/// The program does not build or run here, for the reason \p Why.
ExitCode UnitRun::keepOriginal(const Variant &Unchanged,
                               const std::string &Why) {
  Report.Result = UnitResult::NotRun;
  say(S.interrupted() ? "interrupted before any rewrite was proved" : Why);
  return worse(deliver(Unchanged), ExitCode::NotRun);
}

/// No GPU, or none wanted: what usually helps, without any figure.
ExitCode UnitRun::rewriteUntimed(RewriteSession &Session) {
  Variant Unchanged = Session.current();
  if (llvm::Error E = prepareEmulation(Session)) {
    std::string Why = llvm::toString(std::move(E));
    if (S.Line.Verify == VerifyBy::Emulator || S.interrupted())
      return keepOriginal(Unchanged, Why);
    Report.Messages.push_back("not verified: " + Why);
  }
  bool HasNvcc = S.Toolkit && !S.Toolkit->NvccPath.empty();
  if (!HasNvcc)
    Report.Messages.push_back("nvcc was not found: the result was parsed by "
                              "Clang but not compiled");
  return rewriteChecked(Session, [&](const Variant &V) -> llvm::Error {
    if (HasNvcc)
      if (llvm::Error E = compileVariant(S, Unit, *Writer, V.Texts))
        return E;
    return Emulated ? Emulated->check(V) : llvm::Error::success();
  });
}

ExitCode UnitRun::rewriteChecked(RewriteSession &Session,
                                 const CompileCheck &Check) {
  Variant Unchanged = Session.current();
  auto Rejected = applyByPolicy(Session, AdvisorPolicy(), SmallestUntimedGain,
                                Check, &S.Stop);
  if (!Rejected)
    return keepOriginal(Unchanged, "nothing was rewritten: the original does "
                                   "not compile either: " +
                                       llvm::toString(Rejected.takeError()));
  for (const RejectedStep &R : *Rejected)
    Report.Messages.push_back(R.What.Rule + " at line " +
                              std::to_string(R.What.Line) +
                              " was taken back: " + R.Why);
  if (Emulated) {
    Report.Result = UnitResult::Verified;
    Report.Engine = Emulated->baseline().Engine;
  }
  if (S.Line.What == Task::Optimise && !Input.canMeasure())
    Report.Messages.push_back("not timed: " + Input.whyNotMeasured());
  return deliver(Session.current());
}

ExitCode UnitRun::deliver(const Variant &Result) {
  Report.Rewrites = Result.Rewrites;
  std::set<std::string> Libraries;
  for (const Rewrite &R : Result.Rewrites)
    Libraries.insert(R.Libraries.begin(), R.Libraries.end());
  for (const std::string &Library : Libraries)
    say("the result has to be linked with -l" + Library);
  if (llvm::Error E =
          Target.deliver(*Writer, Unit.File, Original, Result.Texts, Report))
    return fail(std::move(E));
  return S.interrupted() ? ExitCode::Interrupted : ExitCode::Success;
}
