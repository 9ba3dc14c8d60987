//===- IndexForms.h - From expressions to index polynomials -----*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_INDEXFORMS_H
#define CUDAL1_ANALYSIS_INDEXFORMS_H

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/Kernel.h"

namespace cudal1 {

/// Where an address points: Base plus Index elements.
struct ResolvedPointer {
  /// Null when unknown.
  const clang::ValueDecl *Base = nullptr;
  MemorySpace Space = MemorySpace::Unknown;
  Polynomial Index;
  /// Scalar type that Index counts in.
  clang::QualType Element;
};

/// Translates integer expressions and addresses of one kernel into
/// polynomials over its symbols.
///
/// Index arithmetic is taken not to wrap around: an index that wraps would
/// leave any allocation. Conversions to a narrower type are opaque.
class IndexForms {
public:
  IndexForms(Kernel &K, const Assignments &Changes) : K(K), Changes(Changes) {}

  /// The value of an integer expression. Never fails: what is not understood
  /// becomes an opaque symbol.
  Polynomial valueOf(const clang::Expr *E);
  /// The address held by a pointer expression (an rvalue of pointer type, or
  /// an array lvalue).
  ResolvedPointer pointerOf(const clang::Expr *E);
  /// The address of an lvalue that designates memory: `a[i]`, `*p`, `t[r][c]`.
  ResolvedPointer addressOf(const clang::Expr *LValue);

  /// Variables of the loops that are being walked: they read as
  /// LoopVariable symbols.
  void enterLoop(Loop &L);
  void leaveLoop() { Active.pop_back(); }

  /// Memory that the kernel may write, so that a value loaded from it may
  /// change: bases, or everything global when AnythingWritten.
  llvm::SmallPtrSet<const clang::ValueDecl *, 8> WrittenBases;
  bool AnythingWritten = false;

private:
  SymbolId loopSymbol(const Loop &L);
  Polynomial variableValue(const clang::VarDecl *V);
  Polynomial binaryValue(const clang::BinaryOperator *Op);
  Polynomial castValue(const clang::CastExpr *Cast);
  Polynomial opaque(const clang::Expr *E, SymbolKind Kind);
  bool isVolatileLoad(const clang::Expr *LValue);
  /// The loop variables in \p Init, the form of what \p V was set to, have the
  /// values now that they had then: V is declared in their loops. A variable
  /// set to `i` before a loop over i keeps the former i.
  bool isSetInItsLoops(const clang::VarDecl *V, const Polynomial &Init) const;
  ResolvedPointer variablePointer(const clang::ValueDecl *V);
  ResolvedPointer castPointer(const clang::CastExpr *Cast);

  Kernel &K;
  const Assignments &Changes;
  std::vector<const Loop *> Active;
  unsigned Depth = 0;
};

/// The scalar type inside arrays of arrays, and how many of it a value of
/// \p Type holds (1 for a scalar; nothing when not constant).
clang::QualType scalarOf(clang::QualType Type);
std::optional<int64_t> scalarCount(clang::QualType Type,
                                   const clang::ASTContext &Context);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_INDEXFORMS_H
