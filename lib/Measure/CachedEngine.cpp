//===- CachedEngine.cpp - An engine that remembers from call to call ------===//

#include "cudal1/Measure/ResultCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cudal1;

namespace {

/// The time of a kept result as its day, by the local clock.
std::string dayOf(int64_t Seconds) {
  llvm::sys::TimePoint<> Time{std::chrono::seconds(Seconds)};
  return llvm::formatv("{0:%Y-%m-%d}", Time).str();
}

/// Ended by Ctrl-C: what it says is of no worth another time.
bool isInterrupted(const Measurement &M) {
  return M.Outcome == Verdict::Unsupported &&
         llvm::any_of(M.Evidence, [](llvm::StringRef Sentence) {
           return Sentence.contains("stopped");
         });
}

class CachedEngine final : public MeasureEngine {
public:
  CachedEngine(std::unique_ptr<MeasureEngine> Inner,
               std::unique_ptr<ResultCache> Cache, std::string KeyPrefix,
               const std::atomic<bool> *StopFlag)
      : Inner(std::move(Inner)), Cache(std::move(Cache)),
        KeyPrefix(std::move(KeyPrefix)), StopFlag(StopFlag) {}

  llvm::StringRef name() const override { return Inner->name(); }
  size_t atOnce() const override { return Inner->atOnce(); }

  llvm::Expected<Baseline> prepare() override {
    llvm::Expected<Baseline> B = Inner->prepare();
    if (!B)
      return B;
    Digest = B->ProgramDigest;
    Engine = B->Engine;
    llvm::append_range(B->Notes, Cache->notes());
    return B;
  }

  Measurement measure(const Candidate &C) override {
    if (std::optional<Measurement> Known = find(C))
      return *Known;
    return keep(C, Inner->measure(C));
  }

  std::vector<Measurement>
  measureAll(llvm::ArrayRef<Candidate> Candidates) override {
    std::vector<Measurement> Results(Candidates.size());
    std::vector<Candidate> New;
    std::vector<size_t> Places;
    for (size_t I = 0; I < Candidates.size(); ++I) {
      if (std::optional<Measurement> Known = find(Candidates[I])) {
        Results[I] = std::move(*Known);
        continue;
      }
      New.push_back(Candidates[I]);
      Places.push_back(I);
    }
    if (New.empty())
      return Results;
    std::vector<Measurement> Measured = Inner->measureAll(New);
    for (size_t I = 0; I < New.size(); ++I)
      Results[Places[I]] = keep(New[I], std::move(Measured[I]));
    return Results;
  }

  Measurement confirm(const Candidate &C) override {
    return keep(C, Inner->confirm(C));
  }

  void compileAhead(llvm::ArrayRef<Candidate> Candidates) override {
    std::vector<Candidate> New;
    for (const Candidate &C : Candidates)
      if (!find(C))
        New.push_back(C);
    if (!New.empty())
      Inner->compileAhead(New);
  }

private:
  /// The original is measured against itself to learn of noise, anew.
  bool isKept(const Candidate &C) const {
    return !Digest.empty() && !C.Sources.empty();
  }

  std::optional<Measurement> find(const Candidate &C) {
    if (!isKept(C))
      return std::nullopt;
    std::optional<KeptResult> Kept = Cache->find(keyOf(C));
    if (!Kept)
      return std::nullopt;
    Measurement &M = Kept->Result;
    // Last: the first sentence is the one that reports show.
    M.Evidence.push_back("measured before, on " + dayOf(Kept->Time));
    return std::move(M);
  }

  std::string keyOf(const Candidate &C) const {
    ResultKey Key;
    Key.add("prefix", KeyPrefix).add("program", Digest);
    Key.add("engine", Engine).add("class", toString(C.Class));
    for (const SourceReplacement &Source : C.Sources)
      Key.add("path", Source.OriginalPath).add("text", Source.Text);
    if (C.Part == TimedPart::GpuSpan)
      Key.add("part", "span");
    for (const std::string &Kernel : C.Kernels)
      Key.add("kernel", Kernel);
    return Key.text();
  }

  /// What cannot be kept is measured another time.
  Measurement keep(const Candidate &C, Measurement M) {
    bool Stopped = StopFlag && *StopFlag;
    if (isKept(C) && !Stopped && !isInterrupted(M))
      llvm::consumeError(Cache->store(keyOf(C), M));
    return M;
  }

  std::unique_ptr<MeasureEngine> Inner;
  std::unique_ptr<ResultCache> Cache;
  std::string KeyPrefix;
  const std::atomic<bool> *StopFlag;
  std::string Digest; ///< of the original, once prepared
  std::string Engine; ///< that measures it
};

} // namespace

std::unique_ptr<MeasureEngine> cudal1::makeCachedEngine(
    std::unique_ptr<MeasureEngine> Inner, std::unique_ptr<ResultCache> Cache,
    std::string KeyPrefix, const std::atomic<bool> *StopFlag) {
  return std::make_unique<CachedEngine>(std::move(Inner), std::move(Cache),
                                        std::move(KeyPrefix), StopFlag);
}
