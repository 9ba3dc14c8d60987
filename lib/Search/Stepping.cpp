//===- Stepping.cpp - Rewriting without measuring -------------------------===//

#include "cudal1/Search/Stepping.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <set>

using namespace cudal1;

static bool isSet(const std::atomic<bool> *Stop) {
  return Stop && Stop->load();
}

/// Names a step over several parses, without its line, which moves.
static std::string keyOf(const Rewrite &R) {
  return R.Rule + "\n" + R.Kernel + "\n" + R.File + "\n" + R.Subject + "\n" +
         toString(R.Params);
}

llvm::Error cudal1::applyNamedSteps(RewriteSession &S,
                                    llvm::ArrayRef<StepSpec> Steps) {
  for (const StepSpec &Spec : Steps) {
    llvm::Expected<Action> A = findStep(S.sites(), Spec);
    if (!A)
      return A.takeError();
    llvm::Expected<Variant> V = S.apply(*A->Where, *A->Params);
    if (!V)
      return llvm::createStringError("could not apply '" + Spec.str() +
                                     "': " + llvm::toString(V.takeError()));
    if (llvm::Error E = S.advance(*V))
      return llvm::createStringError(
          "the source no longer parses after '" + Spec.str() +
          "' (a fault of this rule, please report it):\n" +
          llvm::toString(std::move(E)));
  }
  return llvm::Error::success();
}

/// Makes one step and parses; nothing when that worked, else the reason.
static std::optional<std::string> tryStep(RewriteSession &S,
                                          const Action &Step) {
  llvm::Expected<Variant> V = S.apply(*Step.Where, *Step.Params);
  if (!V)
    return llvm::toString(V.takeError());
  if (V->Texts == S.current().Texts)
    return "it changes nothing";
  if (llvm::Error E = S.advance(*V))
    return "the source no longer parses:\n" + llvm::toString(std::move(E));
  return std::nullopt;
}

llvm::Expected<std::vector<RejectedStep>>
cudal1::applyEverything(RewriteSession &S, unsigned MaxSteps,
                        const std::atomic<bool> *Stop) {
  std::vector<RejectedStep> Rejected;
  std::set<std::pair<std::string, unsigned>> Failed;
  while (!isSet(Stop)) {
    const auto *Next = llvm::find_if(S.sites(), [&](const Site &Candidate) {
      return !Failed.count(
          {keyOf(describe(Candidate, Candidate.Choices[0])), Candidate.Line});
    });
    if (Next == S.sites().end())
      break;
    if (S.current().Rewrites.size() >= MaxSteps)
      return llvm::createStringError(
          "stopped after " + llvm::Twine(MaxSteps) +
          " rewrites without coming to an end; the next would be " +
          Next->TheRule->name() + " at line " + llvm::Twine(Next->Line));
    Rewrite What = describe(*Next, Next->Choices[0]);
    if (auto Why = tryStep(S, {&*Next, &Next->Choices[0]})) {
      Failed.insert({keyOf(What), What.Line});
      Rejected.push_back({std::move(What), *Why});
    }
  }
  return Rejected;
}

namespace {

/// The walk of applyByPolicy.
class PolicyWalk {
public:
  PolicyWalk(RewriteSession &S, const Policy &P, double SmallestGain)
      : S(S), P(P), SmallestScore(std::log(SmallestGain)) {
    for (const Site &Candidate : S.sites())
      for (const RewriteParams &Params : Candidate.Choices)
        ++Allowed[keyOf(describe(Candidate, Params))];
  }

  /// One step of each kernel; false when nothing is left to do.
  bool pass();
  /// Goes back to the last Variant that \p Check takes; false when the last
  /// one passes as it is. Fails when not even the first one does.
  llvm::Expected<bool> takeBack(const CompileCheck &Check);

  std::vector<RejectedStep> Rejected;

private:
  std::vector<Action> choose() const;
  bool isAllowed(const std::string &Key) const;
  void reject(llvm::ArrayRef<Rewrite> Steps, llvm::StringRef Why);

  RewriteSession &S;
  const Policy &P;
  double SmallestScore;
  /// The Variant before each pass.
  std::vector<Variant> History;
  /// How often a step may be made: as often as the original has it, or once
  /// where it appears later. A step that stays possible after it was made
  /// would otherwise be made for ever.
  llvm::StringMap<unsigned> Allowed;
  llvm::StringMap<unsigned> Made;
};

} // namespace

bool PolicyWalk::isAllowed(const std::string &Key) const {
  auto It = Allowed.find(Key);
  return Made.lookup(Key) < (It == Allowed.end() ? 1 : It->second);
}

/// The best step of every kernel.
std::vector<Action> PolicyWalk::choose() const {
  std::map<const Kernel *, std::vector<Action>> ByKernel;
  for (const Site &Candidate : S.sites())
    for (const RewriteParams &Params : Candidate.Choices)
      if (isAllowed(keyOf(describe(Candidate, Params))))
        ByKernel[Candidate.TheKernel].push_back({&Candidate, &Params});
  std::vector<Action> Result;
  for (const auto &[K, Actions] : ByKernel) {
    std::vector<Rewrite> Applied;
    for (const Rewrite &R : S.current().Rewrites)
      if (R.Kernel == (K ? K->DisplayName : ""))
        Applied.push_back(R);
    PolicyScores Scores = P.score({K, std::nullopt, Applied, {}, Actions});
    auto Best = llvm::max_element(Scores.Actions);
    if (*Best > Scores.Stop && *Best >= SmallestScore)
      Result.push_back(Actions[Best - Scores.Actions.begin()]);
  }
  llvm::sort(Result, [](const Action &A, const Action &B) {
    return std::tie(A.Where->File, A.Where->Offset) <
           std::tie(B.Where->File, B.Where->Offset);
  });
  return Result;
}

void PolicyWalk::reject(llvm::ArrayRef<Rewrite> Steps, llvm::StringRef Why) {
  for (const Rewrite &R : Steps) {
    Allowed[keyOf(R)] = 0;
    Rejected.push_back({R, Why.str()});
  }
}

bool PolicyWalk::pass() {
  std::vector<Action> Steps = choose();
  if (Steps.empty())
    return false;
  std::vector<Rewrite> Wanted;
  Wanted.reserve(Steps.size());
  for (const Action &A : Steps)
    Wanted.push_back(describe(*A.Where, *A.Params));
  Variant Before = S.current();
  size_t Count = Before.Rewrites.size();
  llvm::Expected<Variant> V = S.applyTogether(Steps);
  if (!V) {
    reject(Wanted, llvm::toString(V.takeError()));
    return true;
  }
  llvm::ArrayRef<Rewrite> New = llvm::ArrayRef(V->Rewrites).drop_front(Count);
  if (New.empty() || V->Texts == Before.Texts) {
    reject(Wanted, "its edit could not be made");
    return true;
  }
  if (llvm::Error E = S.advance(*V)) {
    reject(New, "the source no longer parses: " + llvm::toString(std::move(E)));
    return true;
  }
  for (const Rewrite &R : New)
    ++Made[keyOf(R)];
  History.push_back(std::move(Before));
  return true;
}

llvm::Expected<bool> PolicyWalk::takeBack(const CompileCheck &Check) {
  llvm::Error Failure = Check(S.current());
  if (!Failure)
    return false;
  Variant Bad = S.current();
  while (!History.empty()) {
    std::string Why = llvm::toString(std::move(Failure));
    Variant Before = std::move(History.back());
    History.pop_back();
    Failure = Check(Before);
    if (!Failure) {
      reject(llvm::ArrayRef(Bad.Rewrites).drop_front(Before.Rewrites.size()),
             Why);
      if (llvm::Error E = S.advance(Before))
        return std::move(E);
      return true;
    }
    Bad = std::move(Before);
  }
  return std::move(Failure);
}

llvm::Expected<std::vector<RejectedStep>>
cudal1::applyByPolicy(RewriteSession &S, const Policy &P, double SmallestGain,
                      const CompileCheck &Check,
                      const std::atomic<bool> *Stop) {
  PolicyWalk Walk(S, P, SmallestGain);
  while (true) {
    while (!isSet(Stop) && Walk.pass())
      ;
    if (!Check || S.current().Rewrites.empty())
      break;
    llvm::Expected<bool> Again = Walk.takeBack(Check);
    if (!Again)
      return Again.takeError();
    if (!*Again)
      break;
  }
  return std::move(Walk.Rejected);
}
