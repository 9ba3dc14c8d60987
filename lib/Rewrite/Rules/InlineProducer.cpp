//===- InlineProducer.cpp - inline-producer -------------------------------===//
//
// A sum of squares is often two kernels: one squares each element into a
// buffer, one sums the buffer up. The kernels cannot be joined thread by
// thread, since the second lets threads work together; but each read of the
// buffer can be replaced by what was stored there.
//
//===----------------------------------------------------------------------===//

#include "../HostUnit.h"
#include "../InlinedProducer.h"
#include "cudal1/Rewrite/Rule.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Computes in a kernel the element that it reads of a buffer which an
/// element-wise kernel fills just before, and drops that kernel and the buffer.
class InlineProducer : public Rule {
public:
  llvm::StringRef name() const override { return "inline-producer"; }
  llvm::StringRef summary() const override {
    return "Computes in a kernel the element that it reads of a buffer which "
           "an element-wise kernel fills just before, and drops that kernel "
           "and the buffer.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

} // namespace

static std::optional<Site> siteOf(const Rule &R, const LaunchPair &Pair,
                                  const ProgramAnalysis &A) {
  std::string Obstacle;
  auto Inlined = InlinedProducer::of(Pair, A, Obstacle);
  if (!Inlined)
    return std::nullopt;
  // What cannot be written is no site.
  if (auto Trial = Inlined->write(); !Trial) {
    llvm::consumeError(Trial.takeError());
    return std::nullopt;
  }
  const std::string &From = Pair.First.Of->Name, &Into = Pair.Second.Of->Name;
  std::string Buffer = Inlined->buffer().pointer()->getName().str();
  Site S = hostSiteAt(R, A, Pair.First.Statement->getBeginLoc());
  S.Subject = From + "+" + Into;
  S.Description = "compute in " + Into + " what " + From + " stores in " +
                  Buffer + " for it";
  S.LoopDepth = Pair.LoopDepth;
  S.HostLaunches = 2;
  S.Class = Inlined->fpClass();
  S.Merges = {{From, Into, 1}};
  S.Evidence = {
      "the host does no more with " + Buffer +
          " than make it, pass it to these two launches and release it",
      "each element that " + Into + " reads is one that " + From + " writes",
      Into + " writes nothing that the elements are made of"};
  S.Apply = [Inlined = *Inlined](const RewriteParams &) {
    return Inlined.write();
  };
  return S;
}

void InlineProducer::findHostSites(const ProgramAnalysis &A,
                                   std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  for (const FunctionDecl *F : hostFunctions(A.program()))
    for (const LaunchPair &Pair : launchPairsIn(*F, A, PairShapes::Any))
      if (std::optional<Site> S = siteOf(*this, Pair, A))
        Out.push_back(std::move(*S));
}

std::unique_ptr<Rule> createInlineProducerRule() {
  return std::make_unique<InlineProducer>();
}

} // namespace cudal1
