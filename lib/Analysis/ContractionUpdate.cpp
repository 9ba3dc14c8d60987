//===- ContractionUpdate.cpp - The loop of a contraction nest -------------===//

#include "ContractionUpdate.h"

#include "cudal1/Analysis/DeviceFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

const MemoryAccess *accessAt(const Kernel &K, const Expr *E) {
  for (const MemoryAccess &Access : K.Accesses)
    if (!Access.InCallee &&
        Access.Expression->IgnoreParens() == E->IgnoreParens())
      return &Access;
  return nullptr;
}

namespace {

/// Reads the statements of one loop's body.
class UpdateReader {
public:
  UpdateReader(const Kernel &K, const Loop &L, const Assignments &Changes,
               std::string &Obstacle)
      : K(K), L(L), Changes(Changes), Obstacle(Obstacle) {}

  std::optional<ContractionUpdate> read();

private:
  bool no(const char *Why) {
    Obstacle = Why;
    return false;
  }
  bool statement(const Stmt *S);
  bool declaration(const DeclStmt *S);
  bool update(const Expr *E);
  bool target(const Expr *E);
  bool isTarget(const Expr *E) const;
  bool addend(const Expr *E);
  bool fusedAddend(const CallExpr *Call);
  bool product(const Expr *E);
  bool combination(const Expr *E);
  bool leaf(const Expr *E);
  bool factor(const MemoryAccess &Access, const Expr *Value);
  bool isFactor(const MemoryAccess &Access, unsigned I) const;
  bool isKnownValue(const MemoryAccess &Access) const;
  void constant(const MemoryAccess &Access, const Expr *Value);
  bool hasExactPadding() const;

  const Kernel &K;
  const Loop &L;
  const Assignments &Changes;
  std::string &Obstacle;
  ContractionUpdate U;
  /// Temporaries of the body.
  llvm::SmallPtrSet<const VarDecl *, 4> Temporaries;
  QualType SumType;
  const MemoryAccess *SumElement = nullptr;
  unsigned FactorCount = 0;
  /// Operands that are one of the elements.
  unsigned FactorUses = 0;
  /// More than the product of two elements is added.
  bool HasScalars = false;
  /// Types in which the factors are multiplied.
  bool MultipliesFloating = true;
  /// Something else than a product is computed, or in a narrower type.
  bool Combines = false;
  bool Updated = false;
};

} // namespace

/// The expression below parentheses and conversions between numbers.
static const Expr *plain(const Expr *E) {
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
        Cast && Cast->getType()->isArithmeticType() &&
        Cast->getSubExpr()->getType()->isArithmeticType())
      E = Cast->getSubExpr();
    else
      return E;
  }
}

/// A conversion around \p E cuts a number off to an integer.
static bool truncates(const Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    const auto *Cast = dyn_cast<CastExpr>(E);
    if (!Cast)
      return false;
    if (Cast->getCastKind() == CK_FloatingToIntegral)
      return true;
    E = Cast->getSubExpr();
  }
}

/// A conversion around \p E takes digits off a floating-point number.
static bool narrows(const Expr *E, const ASTContext &Context) {
  while (true) {
    E = E->IgnoreParens();
    const auto *Cast = dyn_cast<CastExpr>(E);
    if (!Cast)
      return false;
    QualType From = Cast->getSubExpr()->getType(), To = Cast->getType();
    if (Cast->getCastKind() == CK_FloatingCast &&
        Context.getFloatingTypeOrder(To, From) < 0)
      return true;
    E = Cast->getSubExpr();
  }
}

/// The half or bfloat16 that \p E is the value of in a wider type: `a` for
/// `__half2float(a)` and `(float)a`; otherwise null.
static const Expr *smallFloatWithin(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  if (!Callee || !E->getType()->isRealFloatingType() ||
      classify(*Callee) != DeviceFunction::Pure)
    return nullptr;
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
    return isa<CXXConversionDecl>(Callee) &&
                   isSmallFloat(Member->getObjectType())
               ? Member->getImplicitObjectArgument()->IgnoreParenImpCasts()
               : nullptr;
  if (Call->getNumArgs() != 1 || !Callee->getIdentifier() ||
      !llvm::is_contained({"__half2float", "__bfloat162float"},
                          Callee->getName()) ||
      !isSmallFloat(Call->getArg(0)->getType()))
    return nullptr;
  const Expr *Argument = Call->getArg(0)->IgnoreParenImpCasts();
  if (const auto *Copy = dyn_cast<CXXConstructExpr>(Argument)) {
    if (!Copy->getConstructor()->isCopyOrMoveConstructor() ||
        Copy->getNumArgs() != 1)
      return nullptr;
    Argument = Copy->getArg(0)->IgnoreParenImpCasts();
  }
  return Argument;
}

bool UpdateReader::declaration(const DeclStmt *S) {
  for (const Decl *D : S->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || !V->getInit() || !V->hasLocalStorage() ||
        !V->getType()->isArithmeticType() ||
        V->getType().isVolatileQualified() || Changes.isAssigned(V))
      return no("a declaration in the loop is more than a temporary value");
    Temporaries.insert(V);
  }
  return true;
}

bool UpdateReader::statement(const Stmt *S) {
  if (Updated)
    return no("the loop goes on after it has added a product");
  if (const auto *Decls = dyn_cast<DeclStmt>(S))
    return declaration(Decls);
  if (const auto *E = dyn_cast<Expr>(S))
    return update(E);
  return no("the loop does more than to add products");
}

/// A number that is added to: a local variable, or an element of memory.
bool UpdateReader::target(const Expr *E) {
  E = E->IgnoreParens();
  SumType = E->getType();
  if (!SumType->isArithmeticType() || SumType.isVolatileQualified())
    return no("what the loop adds to is no plain number");
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || !V->isLocalVarDecl() || !V->hasLocalStorage() ||
        V->getType()->isReferenceType() || Temporaries.contains(V))
      return no("the loop adds to something other than a local variable");
    U.Sum = V;
    return true;
  }
  SumElement = accessAt(K, E);
  if (!SumElement || !SumElement->Member.empty())
    return no("the loop adds to something other than an element");
  return true;
}

bool UpdateReader::isTarget(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (U.Sum) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    return Ref && Ref->getDecl() == U.Sum;
  }
  const MemoryAccess *Access = accessAt(K, E);
  return Access && Access->Base == SumElement->Base &&
         Access->Index == SumElement->Index && Access->Member.empty() &&
         K.isStable(Access->Index);
}

bool UpdateReader::update(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *Full = dyn_cast<FullExpr>(E))
    E = Full->getSubExpr()->IgnoreParens();
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (!Op || !Op->isAssignmentOp() || !target(Op->getLHS()))
    return Obstacle.empty() ? no("the loop does more than to add products")
                            : false;
  Updated = true;
  if (Op->getOpcode() == BO_AddAssign || Op->getOpcode() == BO_SubAssign) {
    U.Subtracts = Op->getOpcode() == BO_SubAssign;
    return addend(Op->getRHS());
  }
  const Expr *Value = Op->getRHS()->IgnoreParenImpCasts();
  if (Op->getOpcode() != BO_Assign)
    return no("the loop combines its products by something other than a sum");
  if (const auto *Call = dyn_cast<CallExpr>(Value))
    return fusedAddend(Call);
  const auto *Sum = dyn_cast<BinaryOperator>(Value);
  if (Sum && Sum->getOpcode() == BO_Add) {
    if (isTarget(Sum->getLHS()))
      return addend(Sum->getRHS());
    if (isTarget(Sum->getRHS()))
      return addend(Sum->getLHS());
  }
  if (Sum && Sum->getOpcode() == BO_Sub && isTarget(Sum->getLHS())) {
    U.Subtracts = true;
    return addend(Sum->getRHS());
  }
  return no("the loop combines its products by something other than a sum");
}

/// `fmaf(a, b, sum)`
bool UpdateReader::fusedAddend(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  bool Fuses = Callee && Callee->getIdentifier() && Call->getNumArgs() == 3 &&
               llvm::is_contained({"fma", "fmaf", "__fmaf_rn", "__fma_rn"},
                                  Callee->getName());
  if (!Fuses || !isTarget(Call->getArg(2)))
    return no("the loop combines its products by something other than a sum");
  for (const Expr *Factor : {Call->getArg(0), Call->getArg(1)}) {
    MultipliesFloating &=
        Factor->getType()->isFloatingType() && !truncates(Factor);
    Combines |= narrows(Factor, *K.Context);
  }
  return leaf(Call->getArg(0)) && leaf(Call->getArg(1));
}

bool UpdateReader::addend(const Expr *E) {
  MultipliesFloating &= !truncates(E);
  Combines |= narrows(E, *K.Context);
  E = plain(E);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
        V && Temporaries.contains(V))
      return addend(V->getInit());
  return product(E);
}

bool UpdateReader::product(const Expr *E) {
  MultipliesFloating &= !truncates(E);
  Combines |= narrows(E, *K.Context);
  E = plain(E);
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (!Op || Op->getOpcode() != BO_Mul)
    return combination(E);
  MultipliesFloating &= Op->getType()->isFloatingType();
  return product(Op->getLHS()) && product(Op->getRHS());
}

/// Arithmetic without side effects on elements and known values.
bool UpdateReader::combination(const Expr *E) {
  if (smallFloatWithin(E))
    return leaf(E);
  auto All = [&](auto Operands) {
    HasScalars = Combines = true;
    return llvm::all_of(Operands,
                        [&](const Expr *Part) { return product(Part); });
  };
  if (const auto *Op = dyn_cast<BinaryOperator>(E);
      Op &&
      (Op->isAdditiveOp() || Op->getOpcode() == BO_Mul ||
       // Elements that fill up a tile may be zero.
       (Op->getOpcode() == BO_Div && Op->getType()->isFloatingType())) &&
      Op->getType()->isArithmeticType())
    return All(llvm::ArrayRef<const Expr *>{Op->getLHS(), Op->getRHS()});
  if (const auto *Op = dyn_cast<UnaryOperator>(E);
      Op && (Op->getOpcode() == UO_Minus || Op->getOpcode() == UO_Plus))
    return All(llvm::ArrayRef<const Expr *>{Op->getSubExpr()});
  if (const auto *Call = dyn_cast<CallExpr>(E))
    if (const FunctionDecl *Callee = Call->getDirectCallee();
        Callee && classify(*Callee) == DeviceFunction::Pure &&
        llvm::all_of(Call->arguments(), [](const Expr *Argument) {
          return Argument->getType()->isArithmeticType();
        }))
      return All(Call->arguments());
  return leaf(E);
}

bool UpdateReader::isFactor(const MemoryAccess &Access, unsigned I) const {
  const MemoryAccess *F = U.Factors[I];
  return F && F->Base == Access.Base && F->Index == Access.Index &&
         F->Member == Access.Member && F->ElementSize == Access.ElementSize &&
         Access.Kind == AccessKind::Read && K.isStable(Access.Index);
}

/// `*alpha`: the same element for all threads, which the kernel only reads.
bool UpdateReader::isKnownValue(const MemoryAccess &Access) const {
  const KernelParameter *P = K.parameter(Access.Base);
  return P && !P->Use.Written && Access.Kind == AccessKind::Read &&
         Access.Member.empty() && isUniform(K, Access.Index);
}

void UpdateReader::constant(const MemoryAccess &Access, const Expr *Value) {
  for (ContractionConstant &C : U.Constants)
    if (C.Access->Base == Access.Base && C.Access->Index == Access.Index &&
        C.Access->ElementSize == Access.ElementSize) {
      if (!llvm::is_contained(C.Mentions, Value))
        C.Mentions.push_back(Value);
      return;
    }
  U.Constants.push_back({&Access, {Value}});
}

bool UpdateReader::factor(const MemoryAccess &Access, const Expr *Value) {
  unsigned I = 0;
  while (I < FactorCount && !isFactor(Access, I))
    ++I;
  if (I == U.Factors.size())
    return no("the loop combines more than two elements");
  FactorCount = std::max(FactorCount, I + 1);
  ++FactorUses;
  U.Factors[I] = U.Factors[I] ? U.Factors[I] : &Access;
  if (!llvm::is_contained(U.Values[I], Value))
    U.Values[I].push_back(Value);
  return true;
}

bool UpdateReader::leaf(const Expr *E) {
  E = plain(E);
  if (isa<FloatingLiteral, IntegerLiteral>(E)) {
    HasScalars = true;
    U.Scalars.push_back(E);
    return true;
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (V && Temporaries.contains(V))
      return product(V->getInit());
    if (V && V != U.Sum && V->isLocalVarDeclOrParm() && V->hasLocalStorage() &&
        !V->getType()->isReferenceType() && !Changes.isAssigned(V) &&
        V != L.Variable) {
      HasScalars = true;
      U.Scalars.push_back(E);
      return true;
    }
    return no("a factor is neither an element nor a value known before the "
              "loop");
  }
  if (const Expr *Small = smallFloatWithin(E))
    E = Small;
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  bool Loads = Callee && classify(*Callee) == DeviceFunction::Load &&
               Call->getNumArgs() == 1;
  const MemoryAccess *Access = accessAt(K, Loads ? Call->getArg(0) : E);
  if (!Access || Access->Kind != AccessKind::Read || Access->Conditional)
    return no("a factor is neither an element nor a value known before the "
              "loop");
  if (isKnownValue(*Access)) {
    HasScalars = true;
    U.Scalars.push_back(E);
    constant(*Access, E);
    return true;
  }
  return factor(*Access, E);
}

/// A product of zeros of the right signs changes no sum.
bool UpdateReader::hasExactPadding() const {
  if (HasScalars || FactorUses != 2)
    return false;
  auto IsFloating = [](const MemoryAccess *F) {
    return F->ElementType->isRealFloatingType() || isSmallFloat(F->ElementType);
  };
  bool AnyFloating = llvm::any_of(U.Factors, IsFloating);
  if (SumType->isIntegerType())
    return llvm::none_of(U.Factors, IsFloating);
  // An integer product turned into a floating-point zero is +0.
  return SumType->isRealFloatingType() && AnyFloating && MultipliesFloating;
}

std::optional<ContractionUpdate> UpdateReader::read() {
  const Stmt *Body = L.body();
  if (const auto *Compound = dyn_cast<CompoundStmt>(Body)) {
    for (const Stmt *S : Compound->body()) {
      if (isa<NullStmt>(S))
        continue;
      if (!statement(S))
        return std::nullopt;
      U.Body.push_back(S);
    }
  } else {
    if (!statement(Body))
      return std::nullopt;
    U.Body.push_back(Body);
  }
  if (!Updated || FactorCount != 2) {
    Obstacle = "the loop does not combine two elements";
    return std::nullopt;
  }
  for (const MemoryAccess &Access : K.Accesses) {
    if (Access.InLoop != &L || isFactor(Access, 0) || isFactor(Access, 1) ||
        isKnownValue(Access))
      continue;
    if (!SumElement || !isTarget(Access.Expression)) {
      Obstacle = "the loop accesses more than its factors and its sum";
      return std::nullopt;
    }
    U.SumAccesses.push_back(&Access);
  }
  U.IsPlainProduct = hasExactPadding();
  U.IsProduct = !Combines && MultipliesFloating && FactorUses == 2;
  return std::move(U);
}

std::optional<ContractionUpdate> contractionUpdate(const Kernel &K,
                                                   const Loop &L,
                                                   const Assignments &Changes,
                                                   std::string &Obstacle) {
  return UpdateReader(K, L, Changes, Obstacle).read();
}

} // namespace cudal1
