//===- SymbolTable.h - What an index is made of -----------------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_SYMBOLTABLE_H
#define CUDAL1_ANALYSIS_SYMBOLTABLE_H

#include "cudal1/Analysis/Polynomial.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/FoldingSet.h"

namespace cudal1 {

enum class SymbolKind {
  ThreadIdx,    ///< threadIdx.x/y/z
  BlockIdx,     ///< blockIdx.x/y/z
  BlockDim,     ///< blockDim.x/y/z
  GridDim,      ///< gridDim.x/y/z
  LoopVariable, ///< Variable of a counted loop; changes by its step only.
  Parameter,    ///< Kernel parameter that is never assigned.
  Constant,     ///< Local variable never assigned after its initialiser.
  Variable,     ///< Variable that is assigned: equal names may differ in value.
  Load,         ///< Value read from memory (`b[i]` in `a[b[i]]`).
  Opaque        ///< Any other expression (`i / n`, a call).
};

struct Symbol {
  SymbolKind Kind;
  /// 0, 1, 2 for x, y, z of the four built-in variables.
  unsigned Axis = 0;
  /// The variable, for LoopVariable, Parameter, Constant and Variable.
  const clang::VarDecl *Decl = nullptr;
  /// The expression, for Load and Opaque. Expressions that read alike share
  /// one symbol.
  const clang::Expr *Origin = nullptr;
  /// Symbols whose value this one depends on (Constant, Load, Opaque).
  std::vector<SymbolId> DependsOn;
  /// Load and Opaque: may differ between two evaluations (reads memory that
  /// the kernel writes, calls a function, uses a Variable).
  bool Volatile = false;
};

/// The symbols of one kernel, numbered in the order of first use.
class SymbolTable {
public:
  const Symbol &operator[](SymbolId Id) const { return Symbols[Id]; }
  size_t size() const { return Symbols.size(); }

  SymbolTable();

  SymbolId builtin(SymbolKind Kind, unsigned Axis) const;
  SymbolId variable(SymbolKind Kind, const clang::VarDecl *Decl,
                    std::vector<SymbolId> DependsOn = {});
  SymbolId expression(SymbolKind Kind, const clang::Expr *Origin,
                      std::vector<SymbolId> DependsOn, bool Volatile,
                      const clang::ASTContext &Context);

  /// The symbol if it was used, else nothing.
  std::optional<SymbolId> findVariable(const clang::VarDecl *Decl) const;

  /// True when the symbol is \p Id itself or its value depends on it.
  bool dependsOn(SymbolId S, SymbolId Id) const;

  /// As written in the source: `threadIdx.x`, `n`, `b[i]`.
  std::string name(SymbolId Id) const;
  std::string str(const Polynomial &P) const;

private:
  SymbolId add(Symbol S);

  std::vector<Symbol> Symbols;
  std::vector<llvm::FoldingSetNodeID> Profiles;
};

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_SYMBOLTABLE_H
