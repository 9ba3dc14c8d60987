//===- ProgramProblem.h - A program and an engine as a problem --*- C++ -*-===//

#ifndef CUDAL1_SEARCH_PROGRAMPROBLEM_H
#define CUDAL1_SEARCH_PROGRAMPROBLEM_H

#include "cudal1/Measure/Engine.h"
#include "cudal1/Measure/Gpu.h"
#include "cudal1/Search/RewriteSession.h"
#include "cudal1/Search/SearchProblem.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace cudal1 {

/// The kernels that the profile and the source have in common.
class KernelProfile {
public:
  KernelProfile() = default;
  KernelProfile(const ProgramAnalysis &A, const std::optional<RunTimes> &Times);

  /// Share of the time of all kernels; absent without a profile.
  std::optional<double> share(llvm::StringRef DisplayName) const;
  /// The profile's names of a kernel, all instantiations of a template.
  llvm::ArrayRef<std::string> names(llvm::StringRef DisplayName) const;

private:
  struct Entry {
    double Share = 0;
    std::vector<std::string> Names;
  };
  bool HasTimes = false;
  llvm::StringMap<Entry> Entries;
};

/// The real SearchProblem: rewrites through a RewriteSession, measures through
/// an engine, and remembers every answer by the text that it was given for.
class ProgramProblem : public SearchProblem {
public:
  /// \p Engine has been prepared and gave \p B. Both must outlive the problem;
  /// the session must be at the original.
  ProgramProblem(RewriteSession &Session, MeasureEngine &Engine,
                 const Baseline &B,
                 const std::optional<GpuInfo> &Gpu = std::nullopt);

  const Variant &current() const override { return Session.current(); }
  llvm::ArrayRef<Site> sites() const override { return Session.sites(); }
  llvm::Expected<Variant> apply(const Site &S,
                                const RewriteParams &Params) override {
    return Session.apply(S, Params);
  }
  llvm::Error advance(const Variant &V) override { return Session.advance(V); }
  std::optional<double> timeShare(llvm::StringRef Kernel) const override {
    return Profile.share(Kernel);
  }
  double kernelShare() const override { return KernelShare; }
  const NamedValues &facts(llvm::StringRef Kernel) const override;
  std::vector<std::string> touchedKernels(const Variant &V) const override;
  Measurement measure(const Variant &V) override;
  void measureAhead(llvm::ArrayRef<Variant> Next) override;
  bool isMeasured(const Variant &V) const override;
  Measurement confirm(const Variant &V) override;
  void compileAhead(llvm::ArrayRef<Variant> Variants) override;

private:
  Candidate candidateOf(const Variant &V);
  void remember(const std::string &Key, const Candidate &C,
                const Measurement &M);

  RewriteSession &Session;
  MeasureEngine &Engine;
  KernelProfile Profile;
  double KernelShare = 1;
  /// By display name, "" for host code.
  llvm::StringMap<NamedValues> Facts;
  SourceOverlay OriginalTexts;
  /// By textKey. A failed Variant stays failed.
  llvm::StringMap<Measurement> Known;
  /// Judged ahead, and not asked for yet.
  llvm::StringMap<Measurement> Ahead;
  /// The best speedup so far among the Variants that touch the same kernels.
  std::map<std::vector<std::string>, double> BestSpeedups;
  /// By textKey: the same source keeps its name from compiling to measuring.
  llvm::StringMap<std::string> Ids;
};

} // namespace cudal1

#endif // CUDAL1_SEARCH_PROGRAMPROBLEM_H
