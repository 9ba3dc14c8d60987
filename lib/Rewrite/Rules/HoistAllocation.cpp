//===- HoistAllocation.cpp - hoist-allocation -----------------------------===//
//
// cudaMalloc and cudaFree take 10 to 100 us each, and cudaFree waits for all
// work. A buffer of one size that each iteration of a loop makes and frees can
// be made once. What fresh memory holds is indeterminate, so no program may
// tell what an earlier iteration left in it.
//
// The buffer must live for the rest of the body as it is: then no more memory
// is in use at any time than before.
//
//===----------------------------------------------------------------------===//

#include "../HostUnit.h"
#include "../LoopBuffers.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "cudal1/Rewrite/StatementTree.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Allocates a device buffer once before a host loop and frees it behind it,
/// instead of in each iteration, where its size does not change.
class HoistAllocation : public Rule {
public:
  llvm::StringRef name() const override { return "hoist-allocation"; }
  llvm::StringRef summary() const override {
    return "Allocates a device buffer once before a host loop and frees it "
           "behind it, instead of in each iteration, where its size does not "
           "change.";
  }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

} // namespace

/// The text of \p S with its semicolon.
static std::string statementText(EditBuilder &B, const Stmt *S) {
  std::string Text = B.text(S->getSourceRange()).str();
  if (Text.empty())
    B.fail("a statement is made by a macro");
  if (!llvm::StringRef(Text).ends_with(";"))
    Text += ";";
  return Text;
}

static llvm::Expected<Edit> hoist(const ProgramAnalysis &A, const Stmt *Loop,
                                  const LoopBuffer &Buffer) {
  EditBuilder B(A.program(), Side::Host);
  std::string Before;
  if (Buffer.Declaration) {
    Before = statementText(B, Buffer.Declaration) + "\n";
    B.removeStatement(Buffer.Declaration);
  }
  Before += statementText(B, Buffer.Allocate);
  std::string After = statementText(B, Buffer.Free);
  if (Before.find('\n') != std::string::npos && !Buffer.Declaration)
    B.fail("the allocation is written on several lines");
  B.removeStatement(Buffer.Allocate);
  B.removeStatement(Buffer.Free);
  B.insertLinesBefore(Loop, Before);
  B.insertLinesAfter(Loop, After);
  return B.finish();
}

void HoistAllocation::findHostSites(const ProgramAnalysis &A,
                                    std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  ASTContext &Context = A.program().context(Side::Host);
  EditBuilder B(A.program(), Side::Host);
  for (const FunctionDecl *F : hostFunctions(A.program())) {
    std::vector<const Stmt *> Loops;
    collectOuterLoops(F->getBody(), Loops);
    for (const Stmt *Loop : Loops) {
      const CompoundStmt *Body = bodyOfLoop(Loop);
      if (!Body || !B.canInsertAround(Loop))
        continue;
      for (const LoopBuffer &Buffer :
           BufferFinder(*F, Context).find(Loop, Body)) {
        Site S = hostSiteAt(*this, A, Buffer.Allocate->getBeginLoc());
        S.Subject = Buffer.Pointer->getNameAsString();
        S.Description = "allocate " + S.Subject + " once for all iterations";
        S.LoopDepth = 1;
        S.Evidence = {
            "its size does not change in the loop",
            "it is used for nothing but launches and calls of CUDA in the loop",
            "it lives to the end of each iteration, so no more memory is in "
            "use than before"};
        S.Apply = [&A, Loop, Buffer](const RewriteParams &) {
          return hoist(A, Loop, Buffer);
        };
        Out.push_back(std::move(S));
      }
    }
  }
}

std::unique_ptr<Rule> createHoistAllocationRule() {
  return std::make_unique<HoistAllocation>();
}

} // namespace cudal1
