//===- PoolAllocation.cpp - pool-allocation -------------------------------===//
//
// cudaMalloc and cudaFree go to the driver each time, which takes 10 to 100 us,
// and cudaFree waits for all work. cudaMallocAsync takes memory from a pool, in
// the order of the stream, in about a microsecond, as long as the pool keeps
// what is given back: its release threshold must be raised. Buffers whose size
// changes from iteration to iteration cannot be made once (hoist-allocation);
// they are for the pool.
//
// cudaFree is a wait. It may go where nothing is under way by then, the host
// having waited since the last launch, or where the host waits again before it
// does anything that shows.
//
//===----------------------------------------------------------------------===//

#include "../HostPaths.h"
#include "../HostUnit.h"
#include "../LaunchMemory.h"
#include "../LoopBuffers.h"
#include "../RepeatLoop.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Takes device buffers that a host loop makes and frees with changing sizes
/// from a memory pool, in the order of the stream.
class PoolAllocation : public Rule {
public:
  llvm::StringRef name() const override { return "pool-allocation"; }
  llvm::StringRef summary() const override {
    return "Takes device buffers that a host loop makes and frees with "
           "changing sizes from a memory pool, in the order of the stream.";
  }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

/// The calls of one loop that go to the pool.
struct PooledLoop {
  const Stmt *Loop = nullptr;
  std::vector<const CallExpr *> Allocations;
  std::vector<const CallExpr *> Frees;
  std::vector<const VarDecl *> Pointers;
};

class PoolFinder {
public:
  PoolFinder(const FunctionDecl &F, ASTContext &Context)
      : Context(Context), Buffers(F, Context), Paths(F, Context) {}

  std::optional<PooledLoop> read(const Stmt *Loop) const;
  bool isKnown() const { return Paths.isKnown(); }
  CheckStyle style() const { return checkStyleOf(Paths.calls(), Context); }

private:
  bool isIdleAt(const Stmt *Free, const CompoundStmt *Body) const;
  bool startsWork(const Stmt *S) const;

  ASTContext &Context;
  BufferFinder Buffers;
  HostPaths Paths;
};

} // namespace

/// Something in \p S may give the GPU work.
bool PoolFinder::startsWork(const Stmt *S) const {
  return findIn(S, [&](const Stmt *Child) {
    const auto *C = dyn_cast<CallExpr>(Child);
    if (Paths.calls().isAfterFailure(Child))
      return false;
    if (!C)
      return mayUseCuda(Child, Context);
    switch (classifyCudaCall(C, Context)) {
    case CudaCall::ErrorQuery:
    case CudaCall::Query:
    case CudaCall::Free:
    case CudaCall::Allocate:
      return false;
    case CudaCall::None:
      return mayUseCuda(C, Context);
    default:
      return true;
    }
  });
}

/// Between the last wait of the body before \p Free and that, nothing starts.
bool PoolFinder::isIdleAt(const Stmt *Free, const CompoundStmt *Body) const {
  bool Idle = false;
  for (const Stmt *S : Body->body()) {
    if (S == Free)
      return Idle;
    if (Buffers.callAt(S, CudaCall::CopyToHost) ||
        Buffers.callAt(S, CudaCall::Wait))
      Idle = true;
    else if (!Buffers.callAt(S, CudaCall::Free) && startsWork(S))
      Idle = false;
  }
  return false;
}

std::optional<PooledLoop> PoolFinder::read(const Stmt *Loop) const {
  const CompoundStmt *Body = bodyOfLoop(Loop);
  if (!Body)
    return std::nullopt;
  PooledLoop P;
  P.Loop = Loop;
  VariableSet Changed = hostVariablesChangedIn(Loop);
  for (const Stmt *S : Body->body())
    if (const CheckedCall *C = Buffers.callAt(S, CudaCall::Allocate)) {
      const VarDecl *V = Buffers.pointerOf(*C);
      if (!V || C->Call->getNumArgs() != 2 || !Buffers.isPlainUse(V, Body) ||
          Buffers.isFixedSize(C->Call->getArg(1), Changed))
        continue;
      P.Pointers.push_back(V);
      P.Allocations.push_back(C->Call);
    }
  std::vector<const CheckedCall *> Frees;
  CallSet Removed;
  for (const Stmt *S : Body->body())
    if (const CheckedCall *C = Buffers.callAt(S, CudaCall::Free))
      if (llvm::is_contained(P.Pointers, Buffers.pointerOf(*C))) {
        Frees.push_back(C);
        Removed.insert(C->Call);
      }
  // Each buffer is given back by one statement of the body.
  if (P.Pointers.empty() || Frees.size() != P.Pointers.size())
    return std::nullopt;
  for (const CheckedCall *C : Frees) {
    if (!isIdleAt(C->Statement, Body) &&
        !Paths.whyMissed(*C, Removed, nullptr).empty())
      return std::nullopt;
    P.Frees.push_back(C->Call);
  }
  return P;
}

/// `cudaMalloc(&p, n)` becomes `cudaMallocAsync(&p, n, 0)`.
static void makeAsync(const CallExpr *C, EditBuilder &B) {
  SourceLocation Callee = C->getCallee()->getBeginLoc();
  B.replace(SourceRange(Callee, Callee),
            (C->getDirectCallee()->getName() + "Async").str());
  B.insertBefore(C->getRParenLoc(), ", 0");
}

static llvm::Expected<Edit> pool(const ProgramAnalysis &A,
                                 const FunctionDecl &F, const PooledLoop &P,
                                 const CheckStyle &Style) {
  EditBuilder B(A.program(), Side::Host);
  for (const CallExpr *C : P.Allocations)
    makeAsync(C, B);
  for (const CallExpr *C : P.Frees)
    makeAsync(C, B);
  std::vector<std::string> Taken;
  auto Name = [&](llvm::StringRef Wanted) {
    Taken.push_back(freshName(&F, Wanted, Taken));
    return Taken.back();
  };
  std::string Device = Name("device"), Pool = Name("pool"),
              Kept = Name("keptBytes");
  auto Call = [&](const llvm::Twine &Text) {
    return Style.Before + Text.str() + Style.After + "\n";
  };
  std::string Before =
      "int " + Device + ";\n" + Call("cudaGetDevice(&" + Device + ")") +
      "cudaMemPool_t " + Pool + ";\n" +
      Call("cudaDeviceGetDefaultMemPool(&" + Pool + ", " + Device + ")") +
      "unsigned long long " + Kept + " = ~0ull;\n" +
      Call("cudaMemPoolSetAttribute(" + Pool +
           ", cudaMemPoolAttrReleaseThreshold, &" + Kept + ")");
  B.insertLinesBefore(P.Loop, llvm::StringRef(Before).rtrim('\n'));
  B.insertLinesAfter(
      P.Loop,
      llvm::StringRef(Call("cudaMemPoolTrimTo(" + Pool + ", 0)")).rtrim('\n'));
  return B.finish();
}

/// A unit that has dealings with pools keeps its own rules.
static bool usesPools(const Program &P) {
  return llvm::any_of(hostFunctions(P), [](const FunctionDecl *F) {
    return findIn(F->getBody(), [](const Stmt *S) {
      const auto *C = dyn_cast<CallExpr>(S);
      const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
      return Callee && Callee->getIdentifier() &&
             (Callee->getName().contains("MemPool") ||
              Callee->getName() == "cudaMallocAsync");
    });
  });
}

void PoolAllocation::findHostSites(const ProgramAnalysis &A,
                                   std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty() || usesPools(A.program()))
    return;
  ASTContext &Context = A.program().context(Side::Host);
  EditBuilder B(A.program(), Side::Host);
  for (const FunctionDecl *F : hostFunctions(A.program())) {
    PoolFinder Finder(*F, Context);
    std::vector<const Stmt *> Loops;
    collectOuterLoops(F->getBody(), Loops);
    for (const Stmt *Loop : Loops) {
      if (!Finder.isKnown() || !B.canInsertAround(Loop))
        continue;
      std::optional<PooledLoop> P = Finder.read(Loop);
      if (!P)
        continue;
      Site S = hostSiteAt(*this, A, P->Allocations.front()->getBeginLoc());
      for (const VarDecl *V : P->Pointers)
        S.Subject += (S.Subject.empty() ? "" : ", ") + V->getNameAsString();
      S.Description = "take " + S.Subject + " from a memory pool";
      S.LoopDepth = 1;
      S.Evidence = {
          "all work goes to the default stream, in whose order the pool gives "
          "and takes",
          "they are used for nothing but launches and calls of CUDA in the "
          "loop",
          "the host has waited, or waits again before it does anything that "
          "shows, where they are freed"};
      S.Apply = [&A, F, Pooled = *P,
                 Style = Finder.style()](const RewriteParams &) {
        return pool(A, *F, Pooled, Style);
      };
      Out.push_back(std::move(S));
    }
  }
}

std::unique_ptr<Rule> createPoolAllocationRule() {
  return std::make_unique<PoolAllocation>();
}

} // namespace cudal1
