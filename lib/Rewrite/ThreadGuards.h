//===- ThreadGuards.h - Thread numbers and their guards ---------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_THREADGUARDS_H
#define CUDAL1_LIB_REWRITE_THREADGUARDS_H

#include "BuiltinUses.h"
#include "cudal1/Analysis/Assignments.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include <map>
#include <set>

namespace cudal1 {

/// A component, by itself or through a variable that only names it.
using Component = BuiltinVariable;

/// Finds the combinations of components in a kernel.
class IdFinder : public clang::RecursiveASTVisitor<IdFinder> {
public:
  /// With \p TakeConstants, a number that is the extent of the block at every
  /// launch counts as blockDim.
  IdFinder(const Kernel &K, const Assignments &Changes,
           bool TakeConstants = false)
      : K(K), Changes(Changes), TakeConstants(TakeConstants) {}

  bool VisitVarDecl(clang::VarDecl *V) {
    if (!V->getInit() || llvm::isa<clang::ParmVarDecl>(V) ||
        Changes.isAssigned(V) || V->getType()->isReferenceType() ||
        !V->hasLocalStorage() || !isWide(V->getType().getCanonicalType()))
      return true;
    if (auto Builtin = asBuiltinVariable(plain(V->getInit()))) {
      Aliases[V] = *Builtin;
      Used.insert(memberOf(plain(V->getInit())));
    }
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *E) {
    if (const auto *V = llvm::dyn_cast<clang::VarDecl>(E->getDecl());
        V && Aliases.count(V))
      AliasMentions.insert(E);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *Op) {
    if (Op->getOpcode() == clang::BO_Mul)
      totalIn(Op);
    if (Op->getOpcode() == clang::BO_Add && !InnerSums.contains(Op))
      numberIn(Op);
    return true;
  }

  /// An integer expression without conversions that keep its value.
  static const clang::Expr *plain(const clang::Expr *E) {
    while (true) {
      E = E->IgnoreParenImpCasts();
      const auto *Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(E);
      if (!Cast || !Cast->getType()->isIntegerType() ||
          !isWide(Cast->getType()))
        return E;
      E = Cast->getSubExpr();
    }
  }
  /// Wide enough for any thread number.
  static bool isWide(clang::QualType T) {
    const auto *B = T->getAs<clang::BuiltinType>();
    return B && B->getKind() != clang::BuiltinType::Bool &&
           B->getKind() != clang::BuiltinType::Char_S &&
           B->getKind() != clang::BuiltinType::Char_U &&
           B->getKind() != clang::BuiltinType::SChar &&
           B->getKind() != clang::BuiltinType::UChar &&
           B->getKind() != clang::BuiltinType::Short &&
           B->getKind() != clang::BuiltinType::UShort;
  }

  std::optional<Component> component(const clang::Expr *E) const {
    E = plain(E);
    if (auto Builtin = asBuiltinVariable(E))
      return Builtin;
    if (const auto *Ref = llvm::dyn_cast<clang::DeclRefExpr>(E))
      if (const auto *V = llvm::dyn_cast<clang::VarDecl>(Ref->getDecl()))
        if (auto It = Aliases.find(V); It != Aliases.end())
          return It->second;
    return std::nullopt;
  }

  static clang::SourceLocation memberOf(const clang::Expr *E) {
    if (const auto *Pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(E))
      E = Pseudo->getSyntacticForm()->IgnoreParenImpCasts();
    if (const auto *Property = llvm::dyn_cast<clang::MSPropertyRefExpr>(E))
      return Property->getMemberLoc();
    if (const auto *Member = llvm::dyn_cast<clang::MemberExpr>(E))
      return Member->getMemberLoc();
    return clang::SourceLocation();
  }

  void use(const clang::Expr *E) {
    E = plain(E);
    if (const auto *Ref = llvm::dyn_cast<clang::DeclRefExpr>(E))
      UsedAliases.insert(Ref);
    else
      Used.insert(memberOf(E));
  }

  /// \p E is a constant, the extent along \p Axis of the block of every launch.
  bool isBlockExtent(const clang::Expr *E, unsigned Axis) const {
    clang::Expr::EvalResult Value;
    return TakeConstants && !K.Launches.empty() && !E->isValueDependent() &&
           E->EvaluateAsInt(Value, *K.Context) &&
           llvm::all_of(K.Launches, [&](const Launch *L) {
             return L->BlockExtent[Axis].Value &&
                    Value.Val.getInt() == *L->BlockExtent[Axis].Value;
           });
  }

  /// The axis of a product of two kinds of components.
  std::optional<unsigned> product(const clang::Expr *E, SymbolKind One,
                                  SymbolKind Other) const {
    const auto *Op = llvm::dyn_cast<clang::BinaryOperator>(plain(E));
    if (!Op || Op->getOpcode() != clang::BO_Mul)
      return std::nullopt;
    auto L = component(Op->getLHS()), R = component(Op->getRHS());
    if (L.has_value() != R.has_value() && One == SymbolKind::BlockIdx) {
      const Component &Block = L ? *L : *R;
      const clang::Expr *Extent = L ? Op->getRHS() : Op->getLHS();
      return Block.Kind == One && isBlockExtent(Extent, Block.Axis)
                 ? std::optional(Block.Axis)
                 : std::nullopt;
    }
    if (!L || !R || L->Axis != R->Axis)
      return std::nullopt;
    if ((L->Kind == One && R->Kind == Other) ||
        (L->Kind == Other && R->Kind == One))
      return L->Axis;
    return std::nullopt;
  }

  void totalIn(const clang::BinaryOperator *Op) {
    auto Axis = product(Op, SymbolKind::BlockDim, SymbolKind::GridDim);
    if (!Axis)
      return;
    use(Op->getLHS());
    use(Op->getRHS());
    Totals.emplace_back(Op, *Axis);
  }

  void terms(const clang::Expr *E, std::vector<const clang::Expr *> &Out) {
    const auto *Op = llvm::dyn_cast<clang::BinaryOperator>(plain(E));
    if (!Op || Op->getOpcode() != clang::BO_Add) {
      Out.push_back(E);
      return;
    }
    InnerSums.insert(Op);
    terms(Op->getLHS(), Out);
    terms(Op->getRHS(), Out);
  }

  /// `blockIdx.a * blockDim.a + threadIdx.a`, possibly among other terms.
  void numberIn(const clang::BinaryOperator *Sum) {
    std::vector<const clang::Expr *> Terms;
    terms(Sum, Terms);
    for (const clang::Expr *First : Terms) {
      auto Axis = product(First, SymbolKind::BlockIdx, SymbolKind::BlockDim);
      if (!Axis)
        continue;
      for (const clang::Expr *Second : Terms) {
        auto Thread = component(Second);
        if (!Thread || Thread->Kind != SymbolKind::ThreadIdx ||
            Thread->Axis != *Axis)
          continue;
        const auto *Product = llvm::cast<clang::BinaryOperator>(plain(First));
        for (const clang::Expr *Factor :
             {Product->getLHS(), Product->getRHS()}) {
          if (component(Factor))
            use(Factor);
          else
            Extents.emplace_back(Factor->IgnoreImpCasts(), *Axis);
        }
        use(Second);
        Numbers.push_back({Sum, *Axis, Terms.size() == 2});
        break;
      }
    }
  }

  struct Number {
    const clang::Expr *E;
    unsigned Axis;
    /// Nothing else is added.
    bool Alone;
  };

  const Kernel &K;
  const Assignments &Changes;
  bool TakeConstants;
  std::map<const clang::VarDecl *, Component> Aliases;
  llvm::DenseSet<const clang::DeclRefExpr *> AliasMentions, UsedAliases;
  std::set<clang::SourceLocation> Used;
  llvm::DenseSet<const clang::BinaryOperator *> InnerSums;
  std::vector<Number> Numbers;
  std::vector<std::pair<const clang::Expr *, unsigned>> Totals;
  /// Constants that stand for blockDim, and its component.
  std::vector<std::pair<const clang::Expr *, unsigned>> Extents;
};

/// Finds the guards that keep surplus threads from doing anything.
class GuardAnalysis {
public:
  GuardAnalysis(const Kernel &K, const IdFinder &Ids,
                const Assignments &Changes)
      : K(K), Ids(Ids), Changes(Changes) {}

  using Bounds = std::array<std::optional<const clang::ParmVarDecl *>, 3>;

  /// Axes whose guard stands before everything in \p S that matters; Guards
  /// holds on entry what is known, on exit also what a `return` tells.
  void walk(const clang::Stmt *S, Bounds &Guards);

  /// Known for everything that matters.
  std::array<bool, 3> Always{true, true, true};
  std::array<const clang::ParmVarDecl *, 3> Bound{};
  std::array<bool, 3> HasBound{};
  /// Grid-stride loops and their axes.
  llvm::DenseMap<const clang::Stmt *, unsigned> GridStrides;

private:
  void matters(const Bounds &Guards);
  void learn(const clang::Expr *Condition, bool Holds, Bounds &Guards) const;
  std::optional<unsigned> numberOf(const clang::Expr *E) const;
  const clang::ParmVarDecl *boundOf(const clang::Expr *E) const;

  const Kernel &K;
  const IdFinder &Ids;
  const Assignments &Changes;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_THREADGUARDS_H
