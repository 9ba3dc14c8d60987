//===- FloatLiterals.cpp - No double arithmetic in float code -------------===//
//
// A literal without suffix is a double and drags the operation around it, often
// a whole formula, to double precision, which runs at a small fraction of the
// rate of float on most GPUs. Where everything that goes in is float and the
// result goes back to float, the author meant float.
//
//===----------------------------------------------------------------------===//

#include "../DeviceCode.h"
#include "../DoubleComputation.h"
#include "../MathFunction.h"
#include "cudal1/Analysis/Assignments.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Makes double literals and maths calls in float code float.
class FloatLiterals : public Rule {
public:
  llvm::StringRef name() const override { return "float-literals"; }
  llvm::StringRef summary() const override {
    return "Makes double literals and maths calls in float code float.";
  }
  FpClass fpClass() const override { return FpClass::ReducedPrecision; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// Where the compiler could fuse a new float operation with a neighbour.
class FusionCheck {
public:
  FusionCheck(const Kernel &K, const FunctionDecl *F)
      : K(K), Changes(Assignments::of(F->getBody())) {}

  /// The value of \p E may be a product of floats.
  bool mayBeProduct(const Expr *E, unsigned Depth = 0) const;
  /// The value converted by the last of \p Around goes to memory that nothing
  /// in the kernel reads, and nowhere else.
  bool isOnlyStored(Ancestors Around) const;

private:
  const KernelParameter *parameterBehind(const Expr *Element) const;

  const Kernel &K;
  Assignments Changes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Fusion with neighbours
//===----------------------------------------------------------------------===//

/// Initialisers followed from variable to variable.
static constexpr unsigned MaxInitialisers = 8;

const KernelParameter *FusionCheck::parameterBehind(const Expr *Element) const {
  const auto *Subscript =
      dyn_cast<ArraySubscriptExpr>(Element->IgnoreParenImpCasts());
  if (!Subscript)
    return nullptr;
  const auto *Base =
      dyn_cast<DeclRefExpr>(Subscript->getBase()->IgnoreParenImpCasts());
  return Base ? K.parameter(Base->getDecl()) : nullptr;
}

bool FusionCheck::mayBeProduct(const Expr *E, unsigned Depth) const {
  E = E->IgnoreParenImpCasts();
  if (E->getType()->isIntegerType() || isa<FloatingLiteral>(E))
    return false;
  if (const KernelParameter *Array = parameterBehind(E))
    return Array->Use.Written || Array->Use.Atomic || Array->Use.Escapes;
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *Variable = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!Variable || Changes.isAssigned(Variable))
    return true;
  if (K.parameter(Variable))
    return false;
  return !Variable->isLocalVarDecl() || !Variable->getInit() ||
         Depth >= MaxInitialisers ||
         mayBeProduct(Variable->getInit(), Depth + 1);
}

bool FusionCheck::isOnlyStored(Ancestors Around) const {
  while (!Around.empty() && isa<ParenExpr, ImplicitCastExpr>(Around.back()))
    Around = Around.drop_back();
  if (Around.size() < 2 || isa<Expr>(Around[Around.size() - 2]))
    return false;
  const auto *Assign = dyn_cast<BinaryOperator>(Around.back());
  if (!Assign || Assign->getOpcode() != BO_Assign)
    return false;
  const KernelParameter *Array = parameterBehind(Assign->getLHS());
  return Array && !Array->Use.Read && !Array->Use.Atomic && !Array->Use.Escapes;
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

namespace {

/// One computation with what its surroundings make of the result.
struct Finding {
  const Expr *Root;
  DoubleComputation Tree;
  /// The second side of a comparison.
  std::optional<DoubleComputation> Other;
  FpClass Class;
};

} // namespace

static FpClass classOf(const DoubleComputation &Tree, bool MayFuse,
                       const DeviceArithmetic &Arithmetic) {
  if (Tree.rounding() == DoubleComputation::Rounding::Many || !Arithmetic.Ieee)
    return FpClass::ReducedPrecision;
  if (Tree.rounding() == DoubleComputation::Rounding::None ||
      !Arithmetic.Contracts || !MayFuse)
    return FpClass::Exact;
  return FpClass::Reassociate;
}

static bool mayFuse(const DoubleComputation &Tree, Ancestors Around,
                    const FusionCheck &Fusion) {
  if (Tree.HasProduct && !Fusion.isOnlyStored(Around))
    return true;
  return llvm::any_of(Tree.Addends, [&](const Expr *Addend) {
    return Fusion.mayBeProduct(Addend);
  });
}

static bool changesAnything(const DoubleComputation &Tree) {
  return !Tree.Literals.empty() || !Tree.MacroConstants.empty() ||
         !Tree.Calls.empty();
}

/// `(float)(x * 2.0)`, `float y = x * 2.0;`
static std::optional<Finding> conversion(const CastExpr *Cast, Ancestors Around,
                                         const Program &P,
                                         const FusionCheck &Fusion) {
  if (Cast->getCastKind() != CK_FloatingCast || !isFloat(Cast->getType()) ||
      !isDouble(Cast->getSubExpr()->getType()))
    return std::nullopt;
  auto Tree = DoubleComputation::below(Cast->getSubExpr(), P);
  if (!Tree || Tree->isConstant() || !Tree->Operations ||
      !changesAnything(*Tree))
    return std::nullopt;
  FpClass Class =
      classOf(*Tree, mayFuse(*Tree, Around, Fusion), deviceArithmetic(P));
  return Finding{Cast, std::move(*Tree), std::nullopt, Class};
}

/// `x *= 2.0`, x a float.
static std::optional<Finding> compound(const CompoundAssignOperator *Op,
                                       const Program &P,
                                       const FusionCheck &Fusion) {
  if (!isFloat(Op->getLHS()->getType()) ||
      !isDouble(Op->getComputationResultType()) ||
      !isDouble(Op->getRHS()->getType()))
    return std::nullopt;
  auto Tree = DoubleComputation::below(Op->getRHS(), P);
  if (!Tree || !changesAnything(*Tree))
    return std::nullopt;
  FpClass Class = FpClass::ReducedPrecision;
  if (Tree->rounding() == DoubleComputation::Rounding::None &&
      deviceArithmetic(P).Ieee) {
    BinaryOperatorKind Kind = Op->getOpcode();
    bool MayFuse = Kind == BO_MulAssign || Kind == BO_DivAssign ||
                   Fusion.mayBeProduct(Op->getLHS()) ||
                   Fusion.mayBeProduct(Op->getRHS());
    Class = MayFuse && deviceArithmetic(P).Contracts ? FpClass::Reassociate
                                                     : FpClass::Exact;
  }
  return Finding{Op, std::move(*Tree), std::nullopt, Class};
}

/// `x > 0.5`, x a float.
static std::optional<Finding> comparison(const BinaryOperator *Op,
                                         const Program &P) {
  if (!Op->isComparisonOp() || !isDouble(Op->getLHS()->getType()) ||
      !isDouble(Op->getRHS()->getType()))
    return std::nullopt;
  auto L = DoubleComputation::below(Op->getLHS(), P);
  auto R = L ? DoubleComputation::below(Op->getRHS(), P) : std::nullopt;
  if (!R || L->HasWideInteger || R->HasWideInteger ||
      (L->FloatLeaves.empty() && R->FloatLeaves.empty()) ||
      (!changesAnything(*L) && !changesAnything(*R)))
    return std::nullopt;
  using Rounding = DoubleComputation::Rounding;
  bool Same =
      L->rounding() == Rounding::None && R->rounding() == Rounding::None;
  // x == 0.1 is never true; x == 0.1f can be.
  if (!Same && Op->isEqualityOp())
    return std::nullopt;
  FpClass Class = Same && deviceArithmetic(P).Ieee ? FpClass::Exact
                                                   : FpClass::ReducedPrecision;
  return Finding{Op, std::move(*L), std::move(R), Class};
}

/// `float y = pow(x, 3);`, which nvcc computes in double.
static std::optional<Finding> mixedPower(const CallExpr *Call, Ancestors Around,
                                         const Program &P) {
  std::optional<MathFunction> Function = mathFunctionOf(Call, P);
  if (!Function || !Function->IsMixedPower || !endsInFloat(Around))
    return std::nullopt;
  auto Tree = DoubleComputation::below(Call, P);
  if (!Tree)
    return std::nullopt;
  return Finding{Call, std::move(*Tree), std::nullopt,
                 FpClass::ReducedPrecision};
}

static std::vector<Finding> findingsIn(const Kernel &K, const FunctionDecl *F,
                                       const Program &P) {
  std::vector<Finding> Result;
  FusionCheck Fusion(K, F);
  walkEvaluated(F->getBody(), [&](const Stmt *S, Ancestors Around) {
    std::optional<Finding> Found;
    if (const auto *Cast = dyn_cast<CastExpr>(S))
      Found = conversion(Cast, Around, P, Fusion);
    else if (const auto *Op = dyn_cast<CompoundAssignOperator>(S))
      Found = compound(Op, P, Fusion);
    else if (const auto *Op = dyn_cast<BinaryOperator>(S))
      Found = comparison(Op, P);
    else if (const auto *Call = dyn_cast<CallExpr>(S))
      Found = mixedPower(Call, Around, P);
    if (Found)
      Result.push_back(std::move(*Found));
  });
  return Result;
}

//===----------------------------------------------------------------------===//
// Edits and sites
//===----------------------------------------------------------------------===//

static void change(const DoubleComputation &Tree, EditBuilder &Builder) {
  for (const FloatingLiteral *L : Tree.Literals)
    Builder.insertAfterToken(L->getLocation(), "f");
  for (const Expr *E : Tree.MacroConstants)
    Builder.insertBefore(E->getBeginLoc(), "(float)");
  for (const auto &[Call, Name] : Tree.Calls)
    Builder.replace(Call->getCallee()->getSourceRange(), Name);
}

/// What changes, so that two instantiations can be told to agree.
static std::string formOf(const DoubleComputation &Tree,
                          const SourceManager &SM) {
  std::string Text;
  for (const FloatingLiteral *L : Tree.Literals)
    Text += llvm::utostr(SM.getFileOffset(L->getLocation())) + "f ";
  for (const Expr *E : Tree.MacroConstants)
    Text +=
        llvm::utostr(SM.getFileOffset(SM.getExpansionLoc(E->getBeginLoc()))) +
        "() ";
  for (const auto &[Call, Name] : Tree.Calls)
    Text += llvm::utostr(SM.getFileOffset(Call->getBeginLoc())) + Name + " ";
  return Text;
}

static std::vector<Place> placesIn(const Kernel &K, const FunctionDecl *F,
                                   const Program &P) {
  std::vector<Place> Result;
  const SourceManager &SM = P.sources(Side::Device);
  for (Finding &Found : findingsIn(K, F, P)) {
    Place At;
    At.Range = Found.Root->getSourceRange();
    At.Class = Found.Class;
    At.Form = formOf(Found.Tree, SM);
    if (Found.Other)
      At.Form += formOf(*Found.Other, SM);
    At.Change = [Found](EditBuilder &Builder) {
      change(Found.Tree, Builder);
      if (Found.Other)
        change(*Found.Other, Builder);
    };
    Result.push_back(std::move(At));
  }
  return Result;
}

static std::string evidenceFor(FpClass Class) {
  if (Class == FpClass::Exact)
    return "at most one operation rounds, its operands are floats and literals "
           "that a float holds exactly: rounding to double first changes "
           "nothing";
  if (Class == FpClass::Reassociate)
    return "one operation rounds, as it does in double, but the compiler may "
           "now fuse it with a neighbouring sum or product";
  return "intermediate results are rounded to float instead of double";
}

void FloatLiterals::findSites(const Kernel &K, const ProgramAnalysis &A,
                              std::vector<Site> &Out) const {
  const Program &P = A.program();
  for (const FunctionDecl *F : rewritableFunctions(K, A)) {
    std::vector<Place> All =
        commonPlaces(K, A, F, [&](const Kernel &I, const FunctionDecl *Body) {
          return placesIn(I, Body, P);
        });
    // A site a class: the exact ones can be had without the others.
    for (FpClass Class :
         {FpClass::Exact, FpClass::Reassociate, FpClass::ReducedPrecision}) {
      std::vector<Place> Places;
      llvm::copy_if(All, std::back_inserter(Places),
                    [&](const Place &At) { return At.Class == Class; });
      if (Places.empty())
        continue;
      size_t Count = Places.size();
      Site S = siteOfPlaces(*this, K, A, F, std::move(Places));
      S.Subject = toString(Class).str();
      S.Description = "compute " + std::to_string(Count) +
                      (Count == 1 ? " expression" : " expressions") +
                      " of floats and double literals in float " +
                      inFunction(F);
      S.Evidence = {
          "every operand is a float, an integer or a literal, and the "
          "result goes back to float or is compared",
          evidenceFor(Class)};
      Out.push_back(std::move(S));
    }
  }
}

std::unique_ptr<Rule> createFloatLiteralsRule() {
  return std::make_unique<FloatLiterals>();
}

} // namespace cudal1
