//===- Report.cpp - What one run of the optimiser found -------------------===//

#include "cudal1/Report/Report.h"
#include "cudal1/Report/TerminalReport.h"
#include "cudal1/Search/Comparison.h"
#include "cudal1/Support/KernelNames.h"
#include "llvm/Support/ErrorHandling.h"

using namespace cudal1;
namespace json = llvm::json;

llvm::StringRef cudal1::toString(UnitResult R) {
  switch (R) {
  case UnitResult::Faster:
    return "faster";
  case UnitResult::NothingBetter:
    return "nothing-better";
  case UnitResult::Judged:
    return "judged";
  case UnitResult::Verified:
    return "verified";
  case UnitResult::NotTimed:
    return "not-timed";
  case UnitResult::NotRun:
    return "not-run";
  case UnitResult::NotParsed:
    return "not-parsed";
  case UnitResult::Failed:
    return "failed";
  }
  llvm_unreachable("unknown UnitResult");
}

static void putIf(json::Object &O, llvm::StringRef Key,
                  const std::optional<double> &Value) {
  if (Value)
    O[Key] = *Value;
}

static json::Array strings(llvm::ArrayRef<std::string> Texts) {
  json::Array Result;
  for (const std::string &Text : Texts)
    Result.push_back(json::fixUTF8(Text));
  return Result;
}

static json::Object timesToJson(const RunTimes &T) {
  return json::Object{{"gpu_ms", T.KernelMs},
                      {"gpu_busy_ms", T.GpuBusyMs},
                      {"gpu_span_ms", T.GpuSpanMs},
                      {"copy_ms", T.CopyMs},
                      {"wall_ms", T.WallMs}};
}

static json::Object rewriteToJson(const Rewrite &R) {
  json::Object Params;
  for (const auto &[Name, Value] : R.Params)
    Params[Name] = Value;
  json::Object O{{"rule", R.Rule},
                 {"kernel", json::fixUTF8(R.Kernel)},
                 {"file", json::fixUTF8(R.File)},
                 {"line", R.Line},
                 {"params", std::move(Params)},
                 {"description", json::fixUTF8(R.Description)},
                 {"fp_class", toString(R.Class)},
                 {"evidence", strings(R.Evidence)}};
  if (!R.Condition.empty())
    O["condition"] = json::fixUTF8(R.Condition);
  if (!R.Libraries.empty())
    O["libraries"] = strings(R.Libraries);
  if (R.Launch)
    O["launch"] = R.Launch->str();
  return O;
}

static json::Object kernelToJson(const KernelReport &K) {
  json::Object O{{"name", json::fixUTF8(K.Name)}};
  if (K.Launches)
    O["launches"] = K.Launches;
  putIf(O, "original_ms", K.OriginalMs);
  putIf(O, "best_ms", K.BestMs);
  putIf(O, "share", K.Share);
  return O;
}

static json::Object variantToJson(const VariantReport &V) {
  json::Object O{{"rewrites", strings(V.Rewrites)},
                 {"verdict", toString(V.Outcome)}};
  putIf(O, "speedup", V.Speedup);
  putIf(O, "ci_low", V.SpeedupLow);
  putIf(O, "ci_high", V.SpeedupHigh);
  if (!V.Engine.empty())
    O["engine"] = V.Engine;
  if (V.Pairs)
    O["pairs"] = V.Pairs;
  O["reason"] = json::fixUTF8(V.Reason);
  O["evidence"] = strings(V.Evidence);
  return O;
}

static json::Object unitToJson(const UnitReport &U) {
  json::Array Rewrites, Kernels, Variants;
  for (const Rewrite &R : U.Rewrites)
    Rewrites.push_back(rewriteToJson(R));
  for (const KernelReport &K : U.Kernels)
    Kernels.push_back(kernelToJson(K));
  for (const VariantReport &V : U.Variants)
    Variants.push_back(variantToJson(V));
  json::Object O{
      {"file", json::fixUTF8(U.File)},     {"verdict", toString(U.Result)},
      {"written", strings(U.Written)},     {"rewrites", std::move(Rewrites)},
      {"kernels", std::move(Kernels)},     {"variants", std::move(Variants)},
      {"variants_tried", U.VariantsTried}, {"messages", strings(U.Messages)}};
  if (!U.Engine.empty())
    O["engine"] = U.Engine;
  if (U.Original)
    O["original"] = timesToJson(*U.Original);
  if (U.Best)
    O["best"] = timesToJson(*U.Best);
  putIf(O, "speedup", U.Speedup);
  if (U.Speedup && U.SpeedupOf == TimedPart::GpuSpan)
    O["speedup_of"] = "gpu-span";
  putIf(O, "ci_low", U.SpeedupLow);
  putIf(O, "ci_high", U.SpeedupHigh);
  putIf(O, "predicted_gpu_speedup", U.PredictedGpuSpeedup);
  putIf(O, "measured_gpu_speedup", U.MeasuredGpuSpeedup);
  if (U.Result == UnitResult::Judged && U.SearchSeconds > 0) {
    constexpr double SecondsPerMinute = 60;
    O["search_seconds"] = U.SearchSeconds;
    O["variants_per_minute"] =
        SecondsPerMinute * U.VariantsTried / U.SearchSeconds;
  }
  if (!U.SearchEnd.empty()) {
    O["search_seconds"] = U.SearchSeconds;
    O["search_end"] = U.SearchEnd;
  }
  return O;
}

json::Value cudal1::toJSON(const Report &R) {
  json::Array Units;
  std::string Engine;
  for (const UnitReport &U : R.Units) {
    Units.push_back(unitToJson(U));
    if (Engine.empty())
      Engine = U.Engine;
  }
  // Absent knowledge is null, so that the keys are always there.
  return json::Object{
      {"tool_version", R.ToolVersion},
      {"gpu", R.Gpu.empty() ? json::Value(nullptr) : json::Value(R.Gpu)},
      {"engine", Engine.empty() ? json::Value(nullptr) : json::Value(Engine)},
      {"units", std::move(Units)}};
}

static const KernelTime *findKernel(const RunTimes &Times,
                                    llvm::StringRef Mangled) {
  for (const KernelTime &K : Times.Kernels)
    if (isSameKernel(K.Name, Mangled))
      return &K;
  return nullptr;
}

std::vector<KernelReport>
cudal1::compareKernels(const std::optional<RunTimes> &Before,
                       const std::optional<RunTimes> &After) {
  std::vector<KernelReport> Result;
  if (!Before)
    return Result;
  double Total = 0;
  for (const KernelTime &K : Before->Kernels)
    Total += K.TotalMs;
  for (const KernelTime &K : Before->Kernels) {
    KernelReport R;
    R.Name = displayKernelName(K.Name);
    R.Launches = K.Launches;
    R.OriginalMs = K.TotalMs;
    if (Total > 0)
      R.Share = K.TotalMs / Total;
    if (const KernelTime *Now = After ? findKernel(*After, K.Name) : nullptr)
      R.BestMs = Now->TotalMs;
    Result.push_back(std::move(R));
  }
  llvm::sort(Result, [](const KernelReport &A, const KernelReport &B) {
    return std::make_pair(-*A.OriginalMs, A.Name) <
           std::make_pair(-*B.OriginalMs, B.Name);
  });
  return Result;
}

std::optional<double> cudal1::predictGpuSpeedup(const RunTimes &Program,
                                                const RunTimes &Before,
                                                const RunTimes &After) {
  double Saved = 0;
  for (const KernelTime &K : Before.Kernels) {
    const KernelTime *Now = findKernel(After, K.Name);
    const KernelTime *Whole = findKernel(Program, K.Name);
    // A kernel measured alone stands for its share of the program's own time.
    if (Now && Whole && K.TotalMs > 0)
      Saved += Whole->TotalMs * (1 - Now->TotalMs / K.TotalMs);
  }
  if (Program.GpuBusyMs <= 0 || Saved >= Program.GpuBusyMs || Saved == 0)
    return std::nullopt;
  return Program.GpuBusyMs / (Program.GpuBusyMs - Saved);
}

llvm::StringRef cudal1::mainFinding(const Measurement &M) {
  // "run before timing:" is a heading.
  for (llvm::StringRef Sentence : M.Evidence)
    if (!Sentence.trim().ends_with(":"))
      return Sentence;
  return M.Evidence.empty() ? "" : llvm::StringRef(M.Evidence.front());
}

/// Why \p A is not the result, as one clause.
static std::string reasonAgainst(const Attempt &A, const Attempt *Taken) {
  const Measurement &M = A.Result;
  if (!isRight(M.Outcome)) {
    llvm::StringRef Finding = mainFinding(M);
    return (Finding.empty() ? toString(M.Outcome) : Finding).str();
  }
  switch (M.Outcome) {
  case Verdict::Same:
    return "no faster than the original";
  case Verdict::Slower:
    return "slower than the original";
  case Verdict::Ambiguous:
    return "too noisy to tell from the original";
  default:
    break;
  }
  if (!Taken)
    return "faster at first, but not when measured again";
  // The result may contain it.
  LogSpeedup Behind = logGain(*Taken, &A);
  if (Taken->What.Rewrites.size() > A.What.Rewrites.size() && Behind.Mean > 0)
    return "a step on the way to the result, or beaten by it";
  return "faster, but less so than the result";
}

static bool isSameVariant(const Variant &A, const Variant &B) {
  if (A.Rewrites.size() != B.Rewrites.size())
    return false;
  for (size_t I = 0; I < A.Rewrites.size(); ++I) {
    const Rewrite &X = A.Rewrites[I], &Y = B.Rewrites[I];
    if (X.Rule != Y.Rule || X.Kernel != Y.Kernel || X.Line != Y.Line ||
        X.Subject != Y.Subject || X.Params != Y.Params)
      return false;
  }
  return true;
}

/// "scalar-replacement:C@12", "unroll-loop@14{factor=4}".
static std::string shortName(const Rewrite &R) {
  std::string Text = R.Rule + "@" + std::to_string(R.Line);
  if (!R.Subject.empty())
    Text += ":" + R.Subject;
  if (!R.Params.empty())
    Text += "{" + toString(R.Params) + "}";
  return Text;
}

std::vector<VariantReport>
cudal1::explainAttempts(llvm::ArrayRef<Attempt> Attempts,
                        const Attempt *Taken) {
  std::vector<VariantReport> Result;
  for (const Attempt &A : Attempts) {
    VariantReport V;
    for (const Rewrite &R : A.What.Rewrites)
      V.Rewrites.push_back(shortName(R));
    V.Engine = A.Result.Engine;
    V.Outcome = A.Result.Outcome;
    V.Evidence = A.Result.Evidence;
    V.Speedup = A.Result.Speedup;
    V.SpeedupLow = A.Result.SpeedupLow;
    V.SpeedupHigh = A.Result.SpeedupHigh;
    V.Pairs = A.Result.Pairs;
    if (!Taken || !isSameVariant(A.What, Taken->What))
      V.Reason = reasonAgainst(A, Taken);
    Result.push_back(std::move(V));
  }
  return Result;
}
