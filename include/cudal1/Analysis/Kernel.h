//===- Kernel.h - What is known of one __global__ function ------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_KERNEL_H
#define CUDAL1_ANALYSIS_KERNEL_H

#include "cudal1/Analysis/Launch.h"
#include "cudal1/Analysis/Loop.h"
#include "cudal1/Analysis/MemoryAccess.h"
#include "cudal1/Analysis/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace cudal1 {

/// How a kernel uses the memory behind a pointer parameter.
struct ParameterUse {
  bool Read = false;
  bool Written = false;
  bool Atomic = false;
  /// Passed where we cannot follow (unknown function, stored, compared as an
  /// integer, cast to another pointer type): anything may happen to it.
  bool Escapes = false;
};

struct KernelParameter {
  const clang::ParmVarDecl *Decl = nullptr;
  unsigned Index = 0;
  bool IsPointer = false;
  /// Type behind the pointer, without qualifiers.
  clang::QualType Pointee;
  bool PointeeConst = false;
  bool Restrict = false;
  /// The parameter variable itself is assigned in the kernel.
  bool Reassigned = false;
  ParameterUse Use;
};

enum class BarrierKind {
  Block,     ///< __syncthreads and its count/and/or forms, block.sync()
  Warp,      ///< __syncwarp, tile.sync()
  Grid,      ///< grid.sync()
  NamedOrAsm ///< bar.sync n through inline asm, cuda::barrier
};

struct Barrier {
  BarrierKind Kind = BarrierKind::Block;
  const clang::Expr *Call = nullptr;
  const Loop *InLoop = nullptr;
  bool Conditional = false;
};

/// __shfl_*, __ballot_sync, __match_*, __reduce_*_sync, __activemask ...
struct WarpOperation {
  std::string Name;
  const clang::Expr *Call = nullptr;
};

/// Maths function of float or double, as called.
struct MathCall {
  std::string Name;
  const clang::CallExpr *Call = nullptr;
  const Loop *InLoop = nullptr;
};

struct AtomicOperation {
  std::string Name;
  const clang::CallExpr *Call = nullptr;
  const Loop *InLoop = nullptr;
  MemorySpace Space = MemorySpace::Unknown;
};

struct ArrayVariable {
  const clang::VarDecl *Decl = nullptr;
  /// Extents, outermost first; empty for `extern __shared__ T x[]`.
  std::vector<int64_t> Extents;
  clang::QualType ElementType;
  /// `extern __shared__`: sized at the launch.
  bool Dynamic = false;
};

/// One `__global__` function. For a template, one of its instantiations; all
/// share the source text of the pattern.
struct Kernel {
  /// Definition in the device AST (the instantiation, for a template).
  const clang::FunctionDecl *Function = nullptr;
  /// The definition as written: Function itself, or the template's pattern.
  const clang::FunctionDecl *Pattern = nullptr;
  clang::ASTContext *Context = nullptr;

  /// Qualified name without template arguments: `ns::kernel`.
  std::string Name;
  /// `ns::kernel<float, 4>` for an instantiation, else Name.
  std::string DisplayName;
  /// The linker's name of this instantiation.
  std::string MangledName;
  std::string File;
  unsigned Line = 0;
  bool IsTemplate = false;
  /// Stands in a file that may be edited and is not made by a macro.
  bool Editable = false;
  /// The first of the instantiations of one pattern. Reports show this one.
  bool IsPrimary = true;

  SymbolTable Symbols;
  std::vector<KernelParameter> Parameters;
  std::vector<std::unique_ptr<Loop>> Loops;
  std::vector<MemoryAccess> Accesses;
  std::vector<Barrier> Barriers;
  std::vector<WarpOperation> WarpOperations;
  std::vector<ArrayVariable> SharedArrays;
  std::vector<ArrayVariable> LocalArrays;
  std::vector<MathCall> MathCalls;
  std::vector<AtomicOperation> Atomics;
  /// Functions called whose body cannot be seen and that are not known to be
  /// free of side effects, by name. Empty for most kernels.
  std::vector<std::string> UnknownCalls;
  /// Inline assembly occurs.
  bool HasAsm = false;
  /// `return` before the end (a guard such as `if (i >= n) return;`).
  bool HasEarlyReturn = false;
  /// Which axes of the built-in variables the kernel (or what it calls) reads.
  std::array<bool, 3> UsesThreadIdx{}, UsesBlockIdx{}, UsesBlockDim{},
      UsesGridDim{};
  /// __launch_bounds__ of the definition.
  bool HasLaunchBounds = false;
  std::vector<const Launch *> Launches;
  /// Values of subscripts, of initialisers of integer variables and of the
  /// operands of integer comparisons, as they read where they stand. See
  /// formOf.
  llvm::DenseMap<const clang::Expr *, Polynomial> Forms;

  const KernelParameter *parameter(const clang::ValueDecl *D) const {
    for (const KernelParameter &P : Parameters)
      if (P.Decl == D)
        return &P;
    return nullptr;
  }
  /// The value of a subscript, of the initialiser of an integer variable, or of
  /// an operand of an integer comparison; null for other expressions.
  const Polynomial *formOf(const clang::Expr *E) const {
    auto It = Forms.find(E);
    return It == Forms.end() ? nullptr : &It->second;
  }
  /// True when no symbol of \p P changes its value in \p L.
  bool isInvariantIn(const Polynomial &P, const Loop &L) const;
  /// True when evaluating \p P twice in one iteration of every loop around
  /// gives one value: no Variable and no volatile symbol in it.
  bool isStable(const Polynomial &P) const;
};

llvm::StringRef toString(BarrierKind Kind);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_KERNEL_H
