//===- RaiseToLibrary.cpp - raise-to-library ------------------------------===//
//
// Nobody writes a faster matrix product than the vendor's library has for the
// part at hand. A kernel that is one, in any transposition and with scales
// known at the launch, becomes a call of cuBLAS in the same stream.
//
// The result needs a library to link, which is for the user to decide: the rule
// is off unless it is named.
//
//===----------------------------------------------------------------------===//

#include "../BlasCalls.h"
#include "../KernelReferences.h"
#include "../LibraryUnit.h"
#include "../TileLaunches.h"
#include "../TiledContraction.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Gives a matrix product to cuBLAS, which the result has to be linked with.
class RaiseToLibrary : public Rule {
public:
  llvm::StringRef name() const override { return "raise-to-library"; }
  llvm::StringRef summary() const override {
    return "Gives a matrix product to cuBLAS, which the result has to be "
           "linked with.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  bool isOptIn() const override { return true; }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

} // namespace

/// The product as calls, or nothing.
static std::optional<BlasCalls> callsFor(const Kernel &K,
                                         const ProgramAnalysis &A,
                                         std::vector<std::string> &Evidence) {
  if (!K.Editable || !K.IsPrimary || K.Launches.empty() || showsOrder(K) ||
      K.Function->hasAttr<CUDAClusterDimsAttr>())
    return std::nullopt;
  std::string Obstacle;
  auto Nest = findContraction(K, TileLaunches::blockExtents(K, A), Obstacle);
  if (!Nest || findReferences(A.program(), K).escapes())
    return std::nullopt;
  // Adds guards where launches say how many threads they start.
  auto Shapes = TileLaunches::of(K, A, Nest->Rows, Nest->Columns, Obstacle);
  auto Set = editableLaunches(K, A, Obstacle);
  if (!Shapes || !Set || !outputIsDisjoint(K, A, *Nest, Evidence))
    return std::nullopt;
  auto Product = matrixProduct(K, *Nest, Obstacle);
  if (!Product)
    return std::nullopt;
  Evidence.push_back(Shapes->evidence());
  return BlasCalls::of(K, A, std::move(*Product), std::move(*Set), Obstacle);
}

void RaiseToLibrary::findHostSites(const ProgramAnalysis &A,
                                   std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNoSharedHandle(A).empty() ||
      !findsHeader(A.program(), "cublas_v2.h"))
    return;
  for (const std::unique_ptr<Kernel> &K : A.kernels()) {
    std::vector<std::string> Evidence = {
        "each thread sums up products of an element of its row and one of its "
        "column, and does nothing else",
        "rows of each matrix lie apart by no less than their length"};
    std::optional<BlasCalls> Calls = callsFor(*K, A, Evidence);
    if (!Calls)
      continue;
    const SourceManager &SM = A.program().sources(Side::Device);
    Site S =
        hostSiteAt(*this, A,
                   A.program()
                       .sources(Side::Host)
                       .getLocForStartOfFile(
                           A.program().sources(Side::Host).getMainFileID())
                       .getLocWithOffset(int(SM.getFileOffset(
                           SM.getExpansionLoc(K->Pattern->getLocation())))));
    S.Subject = K->Name;
    S.Description = "compute " + K->Name + " by " + Calls->function();
    S.Condition = Calls->condition();
    S.HostLaunches = unsigned(K->Launches.size());
    S.Libraries = {"cublas"};
    S.ReplacedKernels = {K->MangledName};
    Evidence.push_back("one thread of the host works with one device, so all "
                       "calls may share a handle");
    S.Evidence = std::move(Evidence);
    S.Apply = [Calls = *Calls](const RewriteParams &) { return Calls.apply(); };
    if (llvm::Expected<Edit> Trial = S.Apply({}))
      Out.push_back(std::move(S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createRaiseToLibraryRule() {
  return std::make_unique<RaiseToLibrary>();
}

} // namespace cudal1
