//===- LoopBuffers.h - Buffers that a host loop makes and frees -*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_LOOPBUFFERS_H
#define CUDAL1_LIB_REWRITE_LOOPBUFFERS_H

#include "CudaCalls.h"
#include "cudal1/Rewrite/StatementTree.h"
#include <vector>

namespace cudal1 {

/// A buffer that a loop makes and frees in each iteration.
struct LoopBuffer {
  const clang::VarDecl *Pointer = nullptr;
  /// Where the pointer is declared, when that is in the loop's body.
  const clang::DeclStmt *Declaration = nullptr;
  const clang::Stmt *Allocate = nullptr;
  const clang::Stmt *Free = nullptr;
};

class BufferFinder {
public:
  BufferFinder(const clang::FunctionDecl &F, clang::ASTContext &Context)
      : F(F), Context(Context), Calls(F.getBody(), Context) {}

  /// The buffers of \p Loop that can be made before it, in order.
  std::vector<LoopBuffer> find(const clang::Stmt *Loop,
                               const clang::CompoundStmt *Body);

  /// The checked call \p What that \p S is, or null.
  const CheckedCall *callAt(const clang::Stmt *S, CudaCall What) const;
  /// `p` in `cudaMalloc(&p, n)` and `cudaFree(p)`: a local pointer, or null.
  const clang::VarDecl *pointerOf(const CheckedCall &C) const;
  /// Every mention is in the loop's body: an argument of a launch or of a call
  /// of the runtime. Its address goes to the one allocation alone.
  bool isPlainUse(const clang::VarDecl *V,
                  const clang::CompoundStmt *Body) const;
  /// No more than arithmetic on what the loop does not change, which cannot
  /// fail.
  bool isFixedSize(const clang::Expr *Size, const VariableSet &Changed) const;

  const CheckedCalls &calls() const { return Calls; }

private:
  bool isDeclaredForIt(LoopBuffer &B, const clang::CompoundStmt *Body) const;
  bool usesMemoryOtherwise(const clang::Stmt *S) const;

  const clang::FunctionDecl &F;
  clang::ASTContext &Context;
  CheckedCalls Calls;
};

/// The loops of \p S that no other loop holds, but for `do`.
void collectOuterLoops(const clang::Stmt *S,
                       std::vector<const clang::Stmt *> &Out);

/// The braces around the body of such a loop; null when it has none.
const clang::CompoundStmt *bodyOfLoop(const clang::Stmt *Loop);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LOOPBUFFERS_H
