//===- LaunchBounds.cpp - __launch_bounds__ from the launches -------------===//
//
// Without a bound the compiler must leave room for blocks of 1024 threads: at
// most 64 registers each. A bound gives it the registers that the real block
// size allows; a minimum of blocks per multiprocessor makes it use fewer, for
// occupancy. A launch that exceeds the bound fails, so all must be known.
//
//===----------------------------------------------------------------------===//

#include "../KernelReferences.h"
#include "../LaunchEdits.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Threads of one block that any GPU accepts.
static constexpr int64_t MostBlockThreads = 1024;
/// Threads of one multiprocessor, where the architecture is not known to hold
/// fewer.
static constexpr int64_t MostResidentThreads = 2048;
/// Blocks per multiprocessor that are offered; 0 leaves the number out. The
/// first is the one to try first.
static constexpr int64_t MinimumBlocks[] = {0, 1, 2, 4, 8};

namespace {

/// States the block size of the launches as `__launch_bounds__`.
class LaunchBounds : public Rule {
public:
  llvm::StringRef name() const override { return "launch-bounds"; }
  llvm::StringRef summary() const override {
    return "States the block size of a kernel's launches as "
           "`__launch_bounds__`.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// The largest block that the launches of a text ask for.
struct LargestBlock {
  int64_t Threads = 0;
  std::vector<std::string> Positions;
};

} // namespace

/// Threads that one multiprocessor of the unit's architecture holds (CUDA C++
/// Programming Guide, table of compute capabilities).
static int64_t residentThreads(const Program &P) {
  for (llvm::StringRef Arg : P.input().DeviceArgs) {
    if (!Arg.consume_front("--cuda-gpu-arch=sm_") &&
        !Arg.consume_front("--offload-arch=sm_"))
      continue;
    unsigned Arch = 0;
    Arg.consumeInteger(10, Arch);
    if (Arch == 75)
      return 1024;
    if (Arch == 86 || Arch == 87 || Arch == 89 || Arch >= 120)
      return 1536;
  }
  return MostResidentThreads;
}

/// Nothing when some launch's block is not a constant, or there is no launch.
static std::optional<LargestBlock> largestBlock(const Kernel &K,
                                                const ProgramAnalysis &A) {
  LargestBlock Result;
  for (const Kernel *Instance : A.instancesOf(K)) {
    // An instantiation without a launch is launched where we do not look.
    if (Instance->Launches.empty())
      return std::nullopt;
    for (const Launch *L : Instance->Launches) {
      int64_t Threads = 1;
      for (const LaunchExtent &Extent : L->BlockExtent) {
        if (!Extent.Known || !Extent.Value || *Extent.Value < 1 ||
            *Extent.Value > MostBlockThreads)
          return std::nullopt;
        Threads *= *Extent.Value;
      }
      Result.Threads = std::max(Result.Threads, Threads);
      std::string Position = "line " + std::to_string(L->Line);
      if (!llvm::is_contained(Result.Positions, Position))
        Result.Positions.push_back(Position);
    }
  }
  if (Result.Threads < 1 || Result.Threads > MostBlockThreads)
    return std::nullopt;
  return Result;
}

/// The author has limited the kernel, in this configuration or in another.
static bool isLimited(const Kernel &K, const Program &P) {
  if (K.HasLaunchBounds)
    return true;
  const SourceManager &SM = P.sources(Side::Device);
  for (const FunctionDecl *D : declarationsOf(K)) {
    if (D->hasAttr<CUDALaunchBoundsAttr>())
      return true;
    llvm::StringRef Head =
        Lexer::getSourceText(CharSourceRange::getCharRange(
                                 SM.getFileLoc(D->getBeginLoc()),
                                 SM.getFileLoc(D->doesThisDeclarationHaveABody()
                                                   ? D->getBody()->getBeginLoc()
                                                   : D->getEndLoc())),
                             SM, P.context(Side::Device).getLangOpts());
    for (llvm::StringRef Word :
         {"launch_bounds", "maxnreg", "block_size", "LAUNCH_BOUNDS"})
      if (Head.contains(Word))
        return true;
  }
  return false;
}

static std::string attributeText(int64_t Threads, int64_t Blocks) {
  std::string Text = "__launch_bounds__(" + std::to_string(Threads);
  if (Blocks)
    Text += ", " + std::to_string(Blocks);
  return Text + ") ";
}

void LaunchBounds::findSites(const Kernel &K, const ProgramAnalysis &A,
                             std::vector<Site> &Out) const {
  const Program &P = A.program();
  if (isLimited(K, P) || K.Pattern->getLocation().isMacroID())
    return;
  std::optional<LargestBlock> Block = largestBlock(K, A);
  KernelReferences References = findReferences(P, K);
  if (!Block || References.escapes() || !References.ErasedType.empty())
    return;
  SourceLocation Place = attributePlace(*K.Pattern);
  if (!EditBuilder(P, Side::Device).canEdit(Place))
    return;

  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Description = "tell the compiler that blocks of " + K.Name +
                  " have at most " + std::to_string(Block->Threads) +
                  " threads";
  S.Choices.clear();
  for (int64_t Blocks : MinimumBlocks)
    if (Block->Threads * Blocks <= residentThreads(P))
      S.Choices.push_back({{"minBlocks", Blocks}});
  S.Evidence = {"every launch has a constant block size of at most " +
                std::to_string(Block->Threads) + " threads (" +
                llvm::join(Block->Positions, ", ") + ")"};
  std::string OnlyHere = whyOnlyLaunchedHere(P, K);
  if (OnlyHere.empty())
    S.Condition = "no other unit launches " + K.Name + " with more than " +
                  std::to_string(Block->Threads) + " threads per block";
  else
    S.Evidence.push_back(OnlyHere);
  S.Apply = [&P, Place, Threads = Block->Threads](
                const RewriteParams &Params) -> llvm::Expected<Edit> {
    EditBuilder Builder(P, Side::Device);
    Builder.insertBefore(Place, attributeText(Threads, Params.at("minBlocks")));
    return Builder.finish();
  };
  Out.push_back(std::move(S));
}

std::unique_ptr<Rule> createLaunchBoundsRule() {
  return std::make_unique<LaunchBounds>();
}

} // namespace cudal1
