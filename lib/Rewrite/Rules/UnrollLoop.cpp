//===- UnrollLoop.cpp - #pragma unroll before counted loops ---------------===//
//
// Unrolling gives the compiler independent iterations to overlap and saves the
// loop's own arithmetic. The pragma leaves the meaning of the program alone, so
// what has to be looked at is only whether one may stand there, and whether the
// author has decided already.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"

using namespace clang;

namespace cudal1 {

/// Iterations up to which a loop may be unrolled completely: the instruction
/// cache holds 64 copies of a body of a few dozen instructions.
static constexpr uint64_t MostFullIterations = 64;
/// Iterations up to which complete unrolling is the first thing to try.
static constexpr uint64_t FewIterations = 16;
/// Iterations up to which a loop around others counts as small.
static constexpr uint64_t MostOuterIterations = 16;
/// The factors offered, the one to try first in front.
static constexpr int64_t Factors[] = {4, 2, 8, 16};
/// The parameter's value for a plain `#pragma unroll`.
static constexpr int64_t Full = 0;

namespace {

/// Puts `#pragma unroll` before counted loops of a kernel.
class UnrollLoop : public Rule {
public:
  llvm::StringRef name() const override { return "unroll-loop"; }
  llvm::StringRef summary() const override {
    return "Puts `#pragma unroll` before counted loops of a kernel.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

/// The factors that make sense for \p L; empty when none does.
static std::vector<RewriteParams> choicesFor(const Loop &L) {
  std::vector<RewriteParams> Choices;
  bool MayBeFull = L.TripCount && *L.TripCount <= MostFullIterations;
  if (MayBeFull && *L.TripCount <= FewIterations)
    Choices.push_back({{"factor", Full}});
  for (int64_t Factor : Factors)
    if (!L.TripCount || uint64_t(Factor) < *L.TripCount)
      Choices.push_back({{"factor", Factor}});
  if (MayBeFull && *L.TripCount > FewIterations)
    Choices.push_back({{"factor", Full}});
  return Choices;
}

static bool isWorthUnrolling(const Loop &L) {
  if (!L.Counted || !isa<ForStmt>(L.Statement))
    return false;
  if (L.TripCount && *L.TripCount < 2)
    return false;
  return L.IsInnermost || (L.TripCount && *L.TripCount <= MostOuterIterations);
}

static std::string describeCount(const Kernel &K, const Loop &L) {
  std::string Text = "the loop is counted: " + L.Variable->getNameAsString() +
                     " from " + K.Symbols.str(L.Lower) + " to " +
                     K.Symbols.str(L.Upper) + " by " +
                     K.Symbols.str(L.StepForm);
  if (L.TripCount)
    Text += ", " + std::to_string(*L.TripCount) + " iterations";
  return Text;
}

void UnrollLoop::findSites(const Kernel &K, const ProgramAnalysis &A,
                           std::vector<Site> &Out) const {
  const Program &P = A.program();
  const EditBuilder Probe(P, Side::Device);
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    if (!isWorthUnrolling(*L) || L->HasUnrollPragma)
      continue;
    if (!Probe.canInsertAround(L->Statement) ||
        Probe.hasLoopPragma(L->Statement))
      continue;
    Site S = siteAt(*this, K, A, L->Statement->getBeginLoc());
    S.Subject = L->Variable->getNameAsString();
    S.Description = "unroll the loop over " + S.Subject;
    S.Choices = choicesFor(*L);
    S.Evidence = {describeCount(K, *L), "no pragma of the author's precedes it",
                  "unrolling keeps the order of all operations"};
    S.LoopDepth = L->Depth;
    S.Apply = [&P, Statement = L->Statement](
                  const RewriteParams &Params) -> llvm::Expected<Edit> {
      int64_t Factor = Params.at("factor");
      EditBuilder Builder(P, Side::Device);
      Builder.insertLinesBefore(Statement, Factor == Full
                                               ? std::string("#pragma unroll")
                                               : "#pragma unroll " +
                                                     std::to_string(Factor));
      return Builder.finish();
    };
    if (!S.Choices.empty())
      Out.push_back(std::move(S));
  }
}

std::unique_ptr<Rule> createUnrollLoopRule() {
  return std::make_unique<UnrollLoop>();
}

} // namespace cudal1
