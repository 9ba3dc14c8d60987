//===- ConstantMemory.cpp - constant-memory -------------------------------===//
//
// The weights of a filter are the same for all threads, and all of a warp read
// the same one at a time. From constant memory such a read needs no address
// and no load instruction of its own: arithmetic takes its operand from there.
//
// The site is one of host code: what fills the array changes, so that whole
// programs are measured.
//
//===----------------------------------------------------------------------===//

#include "../ConstantArray.h"
#include "../HostUnit.h"
#include "cudal1/Rewrite/Rule.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Moves a small array that all threads read at the same places to constant
/// memory.
class ConstantMemory : public Rule {
public:
  llvm::StringRef name() const override { return "constant-memory"; }
  llvm::StringRef summary() const override {
    return "Moves a small array that all threads read at the same places to "
           "constant memory.";
  }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

} // namespace

static Site siteOf(const Rule &R, const ProgramAnalysis &A,
                   const ConstantArray &Array) {
  Site S = hostSiteAt(R, A, Array.Copies.front().Call->getBeginLoc());
  S.Subject = Array.Parameter->Decl->getNameAsString();
  S.Description = "keep `" + S.Subject + "` of " + Array.K->Name +
                  " in constant memory, " + std::to_string(Array.bytes()) +
                  " bytes";
  S.HostLaunches = Array.K->Launches.size();
  S.Evidence = {
      "the threads of a warp read the same element of `" + S.Subject +
          "`, and none writes it",
      "`" + Array.Buffer->getNameAsString() +
          "` is used for nothing but copies from the host and launches of " +
          Array.K->Name,
      Array.IsWholeBuffer
          ? "the buffer holds " + std::to_string(Array.Elements) + " elements"
          : "the kernel reads none beyond element " +
                std::to_string(Array.Elements - 1),
      "each copy to the buffer is followed by one to the array"};
  S.Apply = [&A, Array](const RewriteParams &) {
    EditBuilder Builder(A.program(), Side::Device);
    writeConstantArray(Array, A, Builder);
    return Builder.finish();
  };
  return S;
}

void ConstantMemory::findHostSites(const ProgramAnalysis &A,
                                   std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  for (const std::unique_ptr<Kernel> &K : A.kernels())
    for (const KernelParameter &P : K->Parameters) {
      std::string Obstacle;
      auto Array = findConstantArray(*K, P, A, Obstacle);
      if (!Array)
        continue;
      Site S = siteOf(*this, A, *Array);
      if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
        Out.push_back(std::move(S));
      else
        llvm::consumeError(Trial.takeError());
    }
}

std::unique_ptr<Rule> createConstantMemoryRule() {
  return std::make_unique<ConstantMemory>();
}

} // namespace cudal1
