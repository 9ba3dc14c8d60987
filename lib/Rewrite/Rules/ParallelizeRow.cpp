//===- ParallelizeRow.cpp - parallelize-row -------------------------------===//
//
// A thread that walks a row alone reads memory a whole row apart from its
// neighbours, and rows are often too few to fill a part. A warp or a block that
// shares a row reads it in one piece. Loops that reduce into a value are shared
// out and their results exchanged; what depends on the row alone is computed by
// all threads of the row alike. A kernel launched for one thread is one row.
//
//===----------------------------------------------------------------------===//

#include "../KernelReferences.h"
#include "../RowKernelEdits.h"
#include "../RowLaunches.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Threads for a row, the number to try first in front.
static constexpr int64_t ThreadsOfRow[] = {32, 256, 128, 64};
/// The same where there is but one.
static constexpr int64_t ThreadsOfAll[] = {512, 1024, 256, 128, 32};
/// Threads of a block whose warps do a row each: enough blocks fit a
/// multiprocessor to fill it.
static constexpr int64_t BlockOfWarps = 256;

namespace {

/// Gives each row of a kernel with one thread a row to a warp or a block.
class ParallelizeRow : public Rule {
public:
  llvm::StringRef name() const override { return "parallelize-row"; }
  llvm::StringRef summary() const override {
    return "Lets a warp or a block share each row of a kernel in which one "
           "thread walks a row, with reductions by shuffles.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, RowLaunches L) : Tree(K), Launches(std::move(L)) {}

  StatementTree Tree;
  RowKernel Rows;
  RowLaunches Launches;
};

} // namespace

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P, int64_t Threads) {
  EditBuilder Builder(A.program(), Side::Device);
  RowKernelEdits(K, P.Tree, P.Rows, Threads).write(Builder);
  if (P.Rows.Row && Threads == WarpThreads)
    P.Launches.write(Builder, BlockOfWarps / WarpThreads, BlockOfWarps);
  else
    P.Launches.write(Builder, 1, Threads);
  return Builder.finish();
}

void ParallelizeRow::findSites(const Kernel &K, const ProgramAnalysis &A,
                               std::vector<Site> &Out) const {
  // Another configuration may compute something else.
  if (!K.Editable || K.HasLaunchBounds || K.Launches.empty() ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()))
    return;
  std::string Obstacle;
  StatementTree Tree(K);
  auto Rows = findRowKernel(K, A, Tree, RowOrder::Along, Obstacle);
  if (!Rows || findReferences(A.program(), K).escapes())
    return;
  bool OneThread = !Rows->Row;
  auto Launches = OneThread ? RowLaunches::ofOneThread(K, A, Obstacle)
                            : RowLaunches::of(K, A, *Rows->Bound, Obstacle);
  if (!Launches)
    return;
  auto P = std::make_shared<Plan>(K, std::move(*Launches));
  P->Rows = std::move(*Rows);

  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Subject = K.Name;
  S.Description = (OneThread ? "share the work of " : "share the rows of ") +
                  K.DisplayName + " among threads";
  S.Class = P->Rows.isExact() ? FpClass::Exact : FpClass::Reassociate;
  S.Choices.clear();
  for (int64_t Threads :
       OneThread ? llvm::ArrayRef(ThreadsOfAll) : llvm::ArrayRef(ThreadsOfRow))
    S.Choices.push_back({{"threads", Threads}});
  S.Evidence = P->Rows.Evidence;
  S.Evidence.push_back(P->Launches.evidence());
  S.Apply = [&K, &A, P](const RewriteParams &Params) {
    return apply(K, A, *P, Params.at("threads"));
  };
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

std::unique_ptr<Rule> createParallelizeRowRule() {
  return std::make_unique<ParallelizeRow>();
}

} // namespace cudal1
