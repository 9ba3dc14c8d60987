//===- FakeProblem.h - A search space without Clang or GPU ------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_SEARCH_FAKEPROBLEM_H
#define CUDAL1_UNITTESTS_SEARCH_FAKEPROBLEM_H

#include "cudal1/Search/Search.h"
#include <cmath>
#include <set>

namespace cudal1::test {

class FakeRule : public Rule {
public:
  explicit FakeRule(std::string Name) : Name(std::move(Name)) {}
  llvm::StringRef name() const override { return Name; }
  llvm::StringRef summary() const override { return "A rule of a test."; }
  void findSites(const Kernel &, const ProgramAnalysis &,
                 std::vector<Site> &) const override {}

private:
  std::string Name;
};

/// What one rewrite does to the time of its kernel.
struct FakeStep {
  std::string Rule;
  std::string Kernel;
  RewriteParams Params;
  double Speedup = 1;
  Verdict Failure = Verdict::Same; ///< Same: it does not fail.
  /// Possible only after a rewrite of this rule; empty: from the start.
  std::string After = {};
};

/// Kernels with a time each; every step divides the time of one of them, once.
class FakeProblem : public SearchProblem {
public:
  explicit FakeProblem(std::map<std::string, double> KernelMs)
      : KernelMs(std::move(KernelMs)) {
    for (const auto &[Name, Ms] : this->KernelMs) {
      Kernels[Name].Name = Kernels[Name].DisplayName = Name;
      Kernels[Name].MangledName = Name;
    }
    list();
  }

  void add(FakeStep Step) {
    if (!Rules.count(Step.Rule))
      Rules.emplace(Step.Rule, std::make_unique<FakeRule>(Step.Rule));
    Steps.push_back(std::move(Step));
    list();
  }

  const Variant &current() const override { return Current; }
  llvm::ArrayRef<Site> sites() const override { return Sites; }

  llvm::Expected<Variant> apply(const Site &S,
                                const RewriteParams &Params) override {
    Variant V = Current;
    Rewrite R = describe(S, Params);
    V.Texts["/main.cu"] +=
        R.Rule + "(" + R.Kernel + "," + toString(Params) + ")\n";
    V.Rewrites.push_back(std::move(R));
    return V;
  }

  llvm::Error advance(const Variant &V) override {
    for (const std::string &Rule : Unparsable)
      if (!V.Rewrites.empty() && V.Rewrites.back().Rule == Rule)
        return llvm::createStringError("expected expression");
    Current = V;
    list();
    return llvm::Error::success();
  }

  std::optional<double> timeShare(llvm::StringRef Kernel) const override {
    double Total = 0;
    for (const auto &[Name, Ms] : KernelMs)
      Total += Ms;
    auto It = KernelMs.find(Kernel.str());
    return It == KernelMs.end() ? 0 : It->second / Total;
  }

  double kernelShare() const override { return KernelShare; }

  std::vector<std::string> touchedKernels(const Variant &V) const override {
    std::set<std::string> Names;
    for (const Rewrite &R : V.Rewrites)
      Names.insert(R.Kernel);
    return {Names.begin(), Names.end()};
  }

  Measurement measure(const Variant &V) override {
    auto [It, New] = Known.try_emplace(textKey(V));
    if (New) {
      It->second = judge(V);
      Measured.push_back(V.str());
      if (OnMeasure)
        OnMeasure();
    }
    return It->second;
  }
  bool isMeasured(const Variant &V) const override {
    return Known.count(textKey(V));
  }
  Measurement confirm(const Variant &V) override { return judge(V); }
  void compileAhead(llvm::ArrayRef<Variant> Variants) override {
    CompiledAhead += Variants.size();
  }

  /// Variants measured, in order, as "rule, rule[4]".
  std::vector<std::string> Measured;
  size_t CompiledAhead = 0;
  double KernelShare = 1;
  std::function<void()> OnMeasure;
  /// Rules whose result does not parse.
  std::set<std::string> Unparsable;

private:
  const FakeStep *find(const Rewrite &R) const {
    for (const FakeStep &S : Steps)
      if (S.Rule == R.Rule && S.Kernel == R.Kernel && S.Params == R.Params)
        return &S;
    return nullptr;
  }

  static KernelTime timeOf(const std::string &Name, double Ms) {
    KernelTime T;
    T.Name = T.DisplayName = Name;
    T.Launches = 1;
    T.TotalMs = T.MedianMs = Ms;
    return T;
  }

  Measurement judge(const Variant &V) const {
    Measurement M;
    M.Engine = "fake";
    std::map<std::string, double> After = KernelMs;
    for (const Rewrite &R : V.Rewrites) {
      const FakeStep *S = find(R);
      After[R.Kernel] /= S->Speedup;
      if (S->Failure != Verdict::Same) {
        M.Outcome = S->Failure;
        M.Evidence.push_back("value 3 of out differs");
        return M;
      }
    }
    M.Original.emplace();
    M.Variant.emplace();
    double Before = 0, Now = 0;
    std::vector<std::string> Touched = touchedKernels(V);
    for (const auto &[Name, Ms] : KernelMs) {
      M.Original->Kernels.push_back(timeOf(Name, Ms));
      M.Variant->Kernels.push_back(timeOf(Name, After[Name]));
      M.Original->KernelMs += Ms;
      M.Variant->KernelMs += After[Name];
      if (!llvm::is_contained(Touched, Name))
        continue;
      Before += Ms;
      Now += After[Name];
    }
    M.Speedup = Before / Now;
    M.SpeedupLow = *M.Speedup * 0.998;
    M.SpeedupHigh = *M.Speedup * 1.002;
    M.Outcome = *M.Speedup > 1.01   ? Verdict::Faster
                : *M.Speedup < 0.99 ? Verdict::Slower
                                    : Verdict::Same;
    return M;
  }

  bool isPossible(const FakeStep &S) const {
    bool Enabled = S.After.empty();
    for (const Rewrite &R : Current.Rewrites) {
      if (R.Rule == S.Rule && R.Kernel == S.Kernel)
        return false;
      Enabled |= R.Rule == S.After;
    }
    return Enabled;
  }

  void list() {
    Sites.clear();
    for (const FakeStep &S : Steps) {
      if (!isPossible(S))
        continue;
      auto Same = llvm::find_if(Sites, [&](const Site &Other) {
        return Other.TheRule->name() == S.Rule &&
               (Other.TheKernel ? Other.TheKernel->Name : "") == S.Kernel;
      });
      if (Same != Sites.end()) {
        Same->Choices.push_back(S.Params);
        continue;
      }
      Site New;
      New.TheRule = Rules[S.Rule].get();
      New.TheKernel = S.Kernel.empty() ? nullptr : &Kernels[S.Kernel];
      New.File = "/main.cu";
      New.Line = New.Offset = Sites.size() + 1;
      New.Choices = {S.Params};
      Sites.push_back(std::move(New));
    }
  }

  std::map<std::string, double> KernelMs;
  std::map<std::string, Kernel> Kernels;
  std::map<std::string, std::unique_ptr<FakeRule>> Rules;
  std::vector<FakeStep> Steps;
  Variant Current;
  std::vector<Site> Sites;
  std::map<std::string, Measurement> Known;
};

/// Scores every step alike.
class FlatPolicy : public Policy {
public:
  llvm::StringRef name() const override { return "flat"; }
  PolicyScores score(const PolicyState &State) const override {
    return {std::vector<double>(State.Actions.size(), 1.0), 0.0};
  }
};

/// A clock that stands still until it is moved.
struct FakeClock {
  double Seconds = 0;
  SearchContext context(double Budget = 1000, unsigned MaxVariants = 1000) {
    SearchContext C;
    C.Budget = {Budget, MaxVariants};
    C.Now = [this] { return Seconds; };
    return C;
  }
};

} // namespace cudal1::test

#endif // CUDAL1_UNITTESTS_SEARCH_FAKEPROBLEM_H
