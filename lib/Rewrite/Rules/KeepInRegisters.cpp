//===- KeepInRegisters.cpp - keep-in-registers ----------------------------===//
//
// A softmax or a normalisation walks a row several times, once for each of its
// reductions and once for the result. Each time the row comes from memory
// again, and functions of its elements are computed anew. A row that a warp or
// a block shares fits into its registers: the first loop fills them. Rows of
// any length are right, as what does not fit is handled as before.
//
//===----------------------------------------------------------------------===//

#include "../KeptValuesText.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// Elements of a thread.
static constexpr int64_t FewestElements = 4, MostElements = 32;
/// Elements that the threads of a row should keep together, where their number
/// is known: rows of a thousand elements are common.
static constexpr int64_t UsualRow = 1024;
/// The same for a thread, where it is not.
static constexpr int64_t UsualElements = 8;

namespace {

/// Keeps what several loops of a thread read or compute alike in registers.
class KeepInRegisters : public Rule {
public:
  llvm::StringRef name() const override { return "keep-in-registers"; }
  llvm::StringRef summary() const override {
    return "Keeps what several loops of a thread read or compute alike in "
           "registers, from the first of them on.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

static llvm::Expected<Edit> keep(const Kernel &K, const ProgramAnalysis &A,
                                 const KeptGroup &G, int64_t Elements) {
  EditBuilder Builder(A.program(), Side::Device);
  KeptValuesText(K, G, Elements).write(Builder);
  return Builder.finish();
}

/// The number of elements to try first in front.
static std::vector<RewriteParams> choices(const KeptGroup &G) {
  int64_t First = UsualElements;
  if (auto Step = G.Loops.front().L->Step)
    First = std::clamp(UsualRow / *Step, FewestElements, MostElements);
  std::vector<RewriteParams> Result = {{{"elements", First}}};
  for (int64_t Elements = FewestElements; Elements <= MostElements;
       Elements *= 2)
    if (Elements != First)
      Result.push_back({{"elements", Elements}});
  return Result;
}

void KeepInRegisters::findSites(const Kernel &K, const ProgramAnalysis &A,
                                std::vector<Site> &Out) const {
  if (!K.Editable)
    return;
  StatementTree Tree(K);
  for (const KeptGroup &G : findKeptGroups(K, A, Tree)) {
    Site S = siteAt(*this, K, A, G.Loops.front().For->getBeginLoc());
    std::vector<std::string> Texts;
    Texts.reserve(G.Values.size());
    for (const KeptValue &V : G.Values)
      Texts.push_back(spellOnOneLine(V.Mentions.front().E, *K.Context));
    S.Subject = llvm::join(Texts, ", ");
    S.Description = "keep " + S.Subject + " in registers for " +
                    std::to_string(G.Loops.size()) + " loops";
    S.Choices = choices(G);
    S.Evidence = G.Evidence;
    S.Evidence.insert(S.Evidence.begin(),
                      "the loops walk the same elements, one loop after the "
                      "other, and nothing writes what they share");
    S.LoopDepth = G.Loops.front().L->Depth;
    S.Apply = [&K, &A, G](const RewriteParams &Params) {
      return keep(K, A, G, Params.at("elements"));
    };
    if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
      Out.push_back(std::move(S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createKeepInRegistersRule() {
  return std::make_unique<KeepInRegisters>();
}

} // namespace cudal1
