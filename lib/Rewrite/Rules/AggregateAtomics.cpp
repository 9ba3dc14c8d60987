//===- AggregateAtomics.cpp - aggregate-atomics ---------------------------===//
//
// Atomics of many threads on few addresses wait for one another, one after the
// other, in the cache that all multiprocessors share. A block that gathers them
// first, counters in registers and bins in its own shared memory, makes one for
// all of its threads. It pays the better the more elements a block handles, so
// threads take several.
//
//===----------------------------------------------------------------------===//

#include "../AggregatedAtomics.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Elements of a thread, of those that are read ahead, and copies of each bin,
/// the numbers to try first in front.
static constexpr int64_t ItemsOfThread[] = {32, 64, 16, 8, 4, 1};
static constexpr int64_t ReadAheadOfThread[] = {4, 8, 1};
static constexpr int64_t CopiesOfBin[] = {1, 4};
/// A thread with a loop of its own has enough to do.
static constexpr int64_t ItemsOfLoop[] = {1, 4, 16};
/// Static shared memory that every part grants a block, in bytes.
static constexpr int64_t MostStaticShared = int64_t(48) * 1024;

namespace {

/// Gathers atomics in the block.
class AggregateAtomics : public Rule {
public:
  llvm::StringRef name() const override { return "aggregate-atomics"; }
  llvm::StringRef summary() const override {
    return "Gathers atomics in registers and shared memory, so that a block "
           "makes one for each bin or counter.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  explicit Plan(const Kernel &K) : Tree(K) {}

  StatementTree Tree;
  std::vector<AtomicTarget> Targets;
  std::unique_ptr<AggregatedAtomics> Text;
};

} // namespace

static llvm::Expected<Edit> apply(const ProgramAnalysis &A, const Plan &P,
                                  const AggregationShape &Shape) {
  EditBuilder Builder(A.program(), Side::Device);
  P.Text->write(Builder, Shape);
  return Builder.finish();
}

static bool canApply(const ProgramAnalysis &A, const Plan &P, int64_t Items,
                     int64_t Ahead) {
  if ((Items > 1 && !P.Text->mayShareBlocks()) ||
      (Ahead > 1 && !P.Text->mayReadAhead()))
    return false;
  llvm::Expected<Edit> Trial = apply(A, P, {Items, 1, Ahead});
  if (Trial)
    return true;
  llvm::consumeError(Trial.takeError());
  return false;
}

/// All updates stand in loops of the author's.
static bool isInLoops(const Kernel &K, const Plan &P) {
  return llvm::all_of(P.Targets, [&](const AtomicTarget &T) {
    return llvm::all_of(T.Updates, [&](const AtomicUpdate &Update) {
      return llvm::any_of(K.Loops, [&](const auto &L) {
        return P.Tree.contains(L->Statement, Update.Call);
      });
    });
  });
}

static std::vector<RewriteParams>
choices(const Kernel &K, const ProgramAnalysis &A, const Plan &P) {
  std::vector<RewriteParams> Result;
  bool One = canApply(A, P, 1, 1), Several = canApply(A, P, 8, 1),
       Early = canApply(A, P, 8, 8);
  bool HasBins = P.Text->hasBins();
  llvm::ArrayRef<int64_t> AllItems = ItemsOfThread;
  if (isInLoops(K, P) && !Early)
    AllItems = ItemsOfLoop;
  for (int64_t Copies : CopiesOfBin)
    for (int64_t Ahead : ReadAheadOfThread)
      for (int64_t Items : AllItems) {
        if (!(Items > 1 ? Several : One) || (Copies > 1 && !HasBins) ||
            (Ahead > 1 && (!Early || Items % Ahead)) ||
            P.Text->bytes({Items, Copies}) > MostStaticShared)
          continue;
        Result.push_back({{"items", Items}});
        if (HasBins)
          Result.back()["copies"] = Copies;
        if (Early)
          Result.back()["ahead"] = Ahead;
      }
  return Result;
}

static AggregationShape shapeOf(const RewriteParams &Params) {
  auto Get = [&](const char *Name) {
    auto It = Params.find(Name);
    return It == Params.end() ? 1 : It->second;
  };
  return {Get("items"), Get("copies"), Get("ahead")};
}

void AggregateAtomics::findSites(const Kernel &K, const ProgramAnalysis &A,
                                 std::vector<Site> &Out) const {
  // Another configuration may compute something else.
  if (!K.Editable || K.Launches.empty() || K.Atomics.empty() ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()))
    return;
  std::string Obstacle;
  auto P = std::make_shared<Plan>(K);
  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  P->Targets = findAtomicTargets(K, A, P->Tree, S.Evidence, Obstacle);
  if (P->Targets.empty())
    return;
  P->Text = std::make_unique<AggregatedAtomics>(
      K, A, P->Tree, P->Targets, ItemLaunches::of(K, A, Obstacle));
  if (!P->Text->obstacle().empty())
    return;
  S.Choices = choices(K, A, *P);
  if (S.Choices.empty())
    return;
  S.Subject = K.Name;
  S.Description = "gather the atomics of " + K.DisplayName + " in the block";
  S.Class = llvm::all_of(P->Targets,
                         [](const AtomicTarget &T) { return T.isExact(); })
                ? FpClass::Exact
                : FpClass::Reassociate;
  for (const AtomicTarget &T : P->Targets)
    S.Evidence.push_back(
        "`" + T.Name +
        "` is only written, by atomics whose results nobody "
        "uses" +
        (T.Bins ? "; " + T.Bins->Reason : ", at one address for all threads"));
  if (P->Text->launches())
    S.Evidence.push_back(P->Text->launches()->evidence());
  S.Apply = [&A, P](const RewriteParams &Params) {
    return apply(A, *P, shapeOf(Params));
  };
  Out.push_back(std::move(S));
}

std::unique_ptr<Rule> createAggregateAtomicsRule() {
  return std::make_unique<AggregateAtomics>();
}

} // namespace cudal1
