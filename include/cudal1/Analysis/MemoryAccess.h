//===- MemoryAccess.h - One access to an array in a kernel ------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_MEMORYACCESS_H
#define CUDAL1_ANALYSIS_MEMORYACCESS_H

#include "cudal1/Analysis/Loop.h"
#include "cudal1/Analysis/Polynomial.h"
#include "clang/AST/Expr.h"

namespace cudal1 {

enum class AccessKind { Read, Write, ReadWrite, Atomic };

enum class MemorySpace { Global, Shared, Local, Constant, Unknown };

/// How the threads of a warp (consecutive threadIdx.x) address memory.
enum class AccessClass {
  Coalesced, ///< Stride of one element.
  Strided,   ///< Stride other than 0 and 1 element.
  Broadcast, ///< Stride 0: one address for the warp.
  Gather,    ///< The index is read from memory.
  Unknown    ///< Not affine in threadIdx.x.
};

struct MemoryAccess {
  /// The whole lvalue: `a[i]`, `*p`, `p[i].x`, `tile[r][c]`.
  const clang::Expr *Expression = nullptr;
  /// The statement that it belongs to (child of a compound statement, loop or
  /// if).
  const clang::Stmt *Statement = nullptr;
  AccessKind Kind = AccessKind::Read;
  /// The pointer parameter or array that the address is derived from; null
  /// when it cannot be told (such an access may touch anything).
  const clang::ValueDecl *Base = nullptr;
  MemorySpace Space = MemorySpace::Unknown;
  /// Type of one element of Base (the scalar, for arrays of arrays).
  clang::QualType ElementType;
  /// In bytes; 0 when the type is dependent.
  uint64_t ElementSize = 0;
  /// Member path below the element, e.g. ".x"; empty for the element itself.
  std::string Member;

  /// Index in elements from the start of Base, arrays of arrays flattened.
  Polynomial Index;
  /// False when the index holds anything but thread, block and loop indices,
  /// parameters and constants, or is of higher degree in them. NonAffineReason
  /// then says what.
  bool Affine = false;
  std::string NonAffineReason;
  /// Stride in threadIdx.x in elements, where it is defined.
  std::optional<Polynomial> ThreadStride;
  AccessClass Class = AccessClass::Unknown;

  /// Innermost loop around it, null outside of loops.
  const Loop *InLoop = nullptr;
  /// Under an `if`, `?:`, `&&`, `||` or `switch` inside InLoop (or inside the
  /// kernel when it is in no loop).
  bool Conditional = false;
  /// The access stands in a lambda or in a function called by the kernel;
  /// Index is not meaningful then.
  bool InCallee = false;

  bool writes() const { return Kind != AccessKind::Read; }
  bool reads() const { return Kind != AccessKind::Write; }
};

llvm::StringRef toString(AccessKind Kind);
llvm::StringRef toString(MemorySpace Space);
llvm::StringRef toString(AccessClass Class);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_MEMORYACCESS_H
