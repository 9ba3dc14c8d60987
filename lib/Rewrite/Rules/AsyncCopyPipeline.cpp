//===- AsyncCopyPipeline.cpp - async-copy-pipeline ------------------------===//
//
// A block that copies a tile to shared memory waits for memory before it can
// compute. Asynchronous copies write shared memory by themselves: with more
// than one stage of the tile, those of the next turn run while this one
// computes, without registers in between.
//
//===----------------------------------------------------------------------===//

#include "../AsyncTiles.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"

using namespace clang;

namespace cudal1 {

/// Compute capability with asynchronous copies, as 80 for 8.0.
static constexpr unsigned LeastArch = 80;
/// Stages offered, the one to try first in front.
static constexpr int64_t StageCounts[] = {2, 3, 4};

namespace {

/// Makes the copies of a loop's tiles asynchronous.
class AsyncCopyPipeline : public Rule {
public:
  llvm::StringRef name() const override { return "async-copy-pipeline"; }
  llvm::StringRef summary() const override {
    return "Copies the tiles of later turns of a loop to shared memory while "
           "the present turn computes.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  StatementTree Tree;
  std::optional<AsyncTiles> Tiles;

  explicit Plan(const Kernel &K) : Tree(K) {}
};

} // namespace

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P, int64_t Stages) {
  EditBuilder Builder(A.program(), Side::Device);
  Builder.include("cuda_pipeline.h", K.Pattern->getLocation());
  P.Tiles->write(Builder, Stages);
  return Builder.finish();
}

void AsyncCopyPipeline::findSites(const Kernel &K, const ProgramAnalysis &A,
                                  std::vector<Site> &Out) const {
  if (!K.Editable || A.program().input().LeastArch < LeastArch ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()))
    return;
  for (const auto &L : K.Loops) {
    auto P = std::make_shared<Plan>(K);
    std::string Obstacle;
    P->Tiles = AsyncTiles::of(K, A, P->Tree, *L, Obstacle);
    if (!P->Tiles)
      continue;
    Site S = siteAt(*this, K, A, L->Statement->getBeginLoc());
    for (const ArrayVariable *Array : P->Tiles->arrays())
      S.Subject +=
          (S.Subject.empty() ? "" : ",") + Array->Decl->getNameAsString();
    S.Description = "copy " + S.Subject + " ahead of the loop at line " +
                    std::to_string(S.Line);
    S.Choices.clear();
    for (int64_t Stages : StageCounts)
      if (P->Tiles->sharedBytes(Stages) <= MostStaticShared)
        S.Choices.push_back({{"stages", Stages}});
    S.Evidence = {
        "each turn copies, waits, computes and waits again",
        "what is copied is written by nobody while the kernel runs",
        "each turn writes the same elements, which are used nowhere else",
        P->Tiles->keepsLastBarrier()
            ? "the barrier at the end of a turn stays"
            : "the barrier at the end of a turn orders nothing but the tiles",
        "every target has compute capability 8.0 or more"};
    S.Apply = [&K, &A, P](const RewriteParams &Params) {
      return apply(K, A, *P, Params.at("stages"));
    };
    if (S.Choices.empty())
      continue;
    if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
      Out.push_back(std::move(S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createAsyncCopyPipelineRule() {
  return std::make_unique<AsyncCopyPipeline>();
}

} // namespace cudal1
