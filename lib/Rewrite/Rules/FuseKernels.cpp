//===- FuseKernels.cpp - fuse-kernels -------------------------------------===//
//
// Element-wise kernels that follow each other are bound by memory: each reads
// what the one before has just written. In one kernel the value stays in a
// register, and a launch is saved.
//
// Legal where no thread of one kernel touches what another thread of the other
// kernel writes: then each thread may do its part of the second as soon as it
// has done its part of the first. Chains become one kernel step by step.
//
//===----------------------------------------------------------------------===//

#include "../FusedKernel.h"
#include "../HostUnit.h"
#include "cudal1/Rewrite/Rule.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Makes one kernel of two that are launched one after the other over the same
/// threads, where each thread reads of the first only what it wrote itself.
class FuseKernels : public Rule {
public:
  llvm::StringRef name() const override { return "fuse-kernels"; }
  llvm::StringRef summary() const override {
    return "Makes one kernel of two that are launched one after the other over "
           "the same threads, where each thread reads of the first only what "
           "it wrote itself.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

/// A pair with all that its rewrite needs.
struct Fusion {
  Fusion(const LaunchPair &Pair, ThreadsOf First, ThreadsOf Second,
         const ProgramAnalysis &A)
      : Pair(Pair), First(std::move(First)), Second(std::move(Second)),
        Kernel(this->Pair, this->First, this->Second, A) {}

  LaunchPair Pair;
  ThreadsOf First, Second;
  FusedKernel Kernel;
};

} // namespace

static llvm::Expected<Edit> fuse(const ProgramAnalysis &A, Fusion &F) {
  EditBuilder B(A.program(), Side::Host);
  F.Kernel.write(B);
  return B.finish();
}

static std::optional<Site> siteOf(const Rule &R, const LaunchPair &Pair,
                                  const ProgramAnalysis &A) {
  std::string Obstacle;
  auto First = ThreadsOf::of(Pair.First, Obstacle);
  auto Second = ThreadsOf::of(Pair.Second, Obstacle);
  if (!First || !Second)
    return std::nullopt;
  std::vector<std::string> Evidence{
      "grid and block are the same, and nothing happens in between"};
  if (!whyThreadsMeet(*First, *Second, A, Evidence).empty())
    return std::nullopt;
  auto F = std::make_shared<Fusion>(Pair, *First, *Second, A);
  if (!F->Kernel.obstacle().empty())
    return std::nullopt;
  // What cannot be written is no site.
  if (auto Trial = fuse(A, *F); !Trial) {
    llvm::consumeError(Trial.takeError());
    return std::nullopt;
  }
  Site S = hostSiteAt(R, A, Pair.First.Statement->getBeginLoc());
  S.Subject = Pair.First.Of->Name + "+" + Pair.Second.Of->Name;
  S.Description = "make one kernel of " + Pair.First.Of->Name + " and " +
                  Pair.Second.Of->Name;
  S.LoopDepth = Pair.LoopDepth;
  S.HostLaunches = 2;
  S.Class = F->Kernel.fpClass();
  S.Merges = F->Kernel.merges();
  S.Evidence = std::move(Evidence);
  S.Apply = [&A, F](const RewriteParams &) { return fuse(A, *F); };
  return S;
}

void FuseKernels::findHostSites(const ProgramAnalysis &A,
                                std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  for (const FunctionDecl *F : hostFunctions(A.program()))
    for (const LaunchPair &Pair : launchPairsIn(*F, A))
      if (std::optional<Site> S = siteOf(*this, Pair, A))
        Out.push_back(std::move(*S));
}

std::unique_ptr<Rule> createFuseKernelsRule() {
  return std::make_unique<FuseKernels>();
}

} // namespace cudal1
