//===- MatrixProduct.cpp - C = alpha * A * B + beta * C -------------------===//

#include "MatrixProduct.h"
#include "LinearTerms.h"
#include "cudal1/Analysis/Assignments.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Values that matter, as bits of a LinearTerm.
enum Value : unsigned { Sum = 1, Output = 2, Left = 4, Right = 8 };

class ProductReader {
public:
  ProductReader(const Kernel &K, const ContractionNest &Nest,
                std::string &Obstacle)
      : K(K), Nest(Nest), Obstacle(Obstacle) {}

  std::optional<MatrixProduct> read();

private:
  bool no(const char *Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool types();
  bool extent(const ContractionCoordinate &C, ProductExtent &Out);
  bool shapes();
  bool factor(const ContractionFactor &F, const ProductExtent &Count,
              bool IsFirst, ProductMatrix &Out);
  unsigned valueOf(const Expr *E) const;
  std::optional<std::vector<LinearTerm>> terms(const Expr *E) const;
  const Expr *addend() const;
  bool scales();
  bool firstValue();
  bool epilogue();
  bool result(const BinaryOperator *Assignment);

  const Kernel &K;
  const ContractionNest &Nest;
  std::string &Obstacle;
  MatrixProduct P;
};

} // namespace

static bool isSame(const ASTContext &Context, QualType A, QualType B) {
  return Context.hasSameUnqualifiedType(A, B);
}

bool ProductReader::types() {
  P.Element = Nest.Output->ElementType.getUnqualifiedType();
  if (!P.Element->isSpecificBuiltinType(BuiltinType::Float) &&
      !P.Element->isSpecificBuiltinType(BuiltinType::Double))
    return no("the output is neither float nor double");
  for (const MemoryAccess *Access :
       {Nest.Output, Nest.Left.Access, Nest.Right.Access}) {
    const auto *Parameter = dyn_cast<ParmVarDecl>(Access->Base);
    if (!Parameter || !Parameter->getType()->isPointerType() ||
        !isSame(*K.Context, Access->ElementType, P.Element) ||
        !isSame(*K.Context, Parameter->getType()->getPointeeType(), P.Element))
      return no("the matrices are not pointers to elements of one type");
  }
  if (Nest.Sum && !isSame(*K.Context, Nest.Sum->getType(), P.Element))
    return no("the sum is kept in another type");
  if (!Nest.Constants.empty())
    return no("a factor is read from memory");
  return true;
}

/// The one bound of a coordinate.
bool ProductReader::extent(const ContractionCoordinate &C, ProductExtent &Out) {
  bool First = true;
  for (const CoordinateGuard &G : C.Guards) {
    ProductExtent This;
    if (!G.Bound && !G.BoundForm.constant())
      This.Text = G.BoundText;
    else
      This.Form =
          G.Op == BO_LE ? G.BoundForm + Polynomial(1) : Polynomial(G.BoundForm);
    if (G.Op != BO_LE && G.Op != BO_LT)
      return no("a bound is compared in another way");
    if (!First && !(Out == This))
      return no("rows or columns have several bounds");
    Out = This;
    First = false;
  }
  return !First || no("rows or columns have no bound");
}

bool ProductReader::factor(const ContractionFactor &F,
                           const ProductExtent &Count, bool IsFirst,
                           ProductMatrix &Out) {
  if (!F.Rest.isZero())
    return no("a matrix begins behind its pointer");
  bool Contiguous = F.AlongCoordinate == Polynomial(1);
  if (Contiguous == (F.AlongK == Polynomial(1)))
    return no("neither rows nor columns of a matrix lie side by side");
  if (Contiguous && !Count.Text.empty())
    return no("the length of a row is not seen");
  Out.Pointer = cast<ParmVarDecl>(F.Access->Base);
  // First is n x k by columns, Second k x m.
  Out.Transposed = Contiguous != IsFirst;
  Out.Leading = Contiguous ? F.AlongK : F.AlongCoordinate;
  Out.ColumnLength = Contiguous ? Count.Form : P.Depth;
  return true;
}

bool ProductReader::shapes() {
  if (!extent(Nest.Rows, P.Rows) || !extent(Nest.Columns, P.Columns))
    return false;
  P.Depth = Nest.Reduction->Upper;
  if (!factor(Nest.Right, P.Columns, true, P.First) ||
      !factor(Nest.Left, P.Rows, false, P.Second))
    return false;
  if (!Nest.OutputRest.isZero())
    return no("the output begins behind its pointer");
  if (!(Nest.OutputAlongColumn == Polynomial(1)) || !P.Columns.Text.empty())
    return no("no row of the output is seen to lie side by side");
  P.Output = {cast<ParmVarDecl>(Nest.Output->Base), false, Nest.OutputAlongRow,
              P.Columns.Form};
  return true;
}

unsigned ProductReader::valueOf(const Expr *E) const {
  auto IsOneOf = [E](llvm::ArrayRef<const Expr *> Mentions) {
    return llvm::any_of(
        Mentions, [E](const Expr *M) { return M->IgnoreParenImpCasts() == E; });
  };
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return Nest.Sum && Ref->getDecl() == Nest.Sum ? unsigned(Sum) : 0U;
  if (IsOneOf(Nest.Left.Mentions))
    return Left;
  if (IsOneOf(Nest.Right.Mentions))
    return Right;
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Base == Nest.Output->Base &&
        Access.Expression->IgnoreParenImpCasts() == E)
      return Nest.Sum ? unsigned(Output) : unsigned(Sum);
  return 0;
}

std::optional<std::vector<LinearTerm>>
ProductReader::terms(const Expr *E) const {
  return LinearTerms(K, P.Element,
                     [this](const Expr *Part) { return valueOf(Part); })
      .of(E);
}

/// `sum + a * b` of the loop's update.
bool ProductReader::scales() {
  const auto *E = dyn_cast<Expr>(Nest.Body.back());
  if (const auto *Full = dyn_cast_or_null<FullExpr>(E))
    E = Full->getSubExpr();
  const auto *Update =
      E ? dyn_cast<BinaryOperator>(E->IgnoreParens()) : nullptr;
  if (!Update || !Update->isAssignmentOp() ||
      !isSame(*K.Context, Update->getLHS()->getType(), P.Element))
    return no("the update of the sum cannot be read");
  if (const auto *Compound = dyn_cast<CompoundAssignOperator>(Update);
      Compound &&
      !isSame(*K.Context, Compound->getComputationResultType(), P.Element))
    return no("sums are made in another type");
  auto Terms = terms(Update->getRHS());
  if (!Terms)
    return no("more than elements of one type and known values are added");
  bool SumSeen = Update->getOpcode() != BO_Assign;
  const LinearTerm *Product = nullptr;
  for (const LinearTerm &T : *Terms) {
    if (T.Values == Sum && T.Factors.empty() && !T.Negative && !SumSeen)
      SumSeen = true;
    else if (T.Values == (Left | Right) && !Product)
      Product = &T;
    else
      return no("more than one product is added");
  }
  if (!SumSeen || !Product)
    return no("more than one product is added");
  P.Alpha.Negative = Product->Negative != (Update->getOpcode() == BO_SubAssign);
  P.Alpha.Parts = Product->Factors;
  return true;
}

/// What the sum begins at: 0, or beta * C.
bool ProductReader::firstValue() {
  if (!Nest.FirstValue) {
    P.Beta = ProductScale();
    return true;
  }
  auto Terms = terms(Nest.FirstValue);
  if (!Terms)
    return no("the sum does not begin at 0 or at a multiple of the output");
  if (Nest.FirstUpdate) {
    // `C[i] *= beta;`
    if (Nest.FirstUpdate->getOpcode() != BO_MulAssign || Terms->size() != 1 ||
        Terms->front().Values != 0 ||
        !isSame(*K.Context, Nest.FirstUpdate->getComputationResultType(),
                P.Element))
      return no("the sum does not begin at a multiple of the output");
    P.Beta = ProductScale{Terms->front().Negative, Terms->front().Factors};
    return true;
  }
  if (Terms->empty())
    return true;
  unsigned Before = Nest.Sum ? Output : Sum;
  if (Terms->size() != 1 || Terms->front().Values != Before)
    return no("the sum does not begin at 0 or at a multiple of the output");
  P.Beta = ProductScale{Terms->front().Negative, Terms->front().Factors};
  return true;
}

/// `C[i] = alpha * sum + beta * C[i]`
bool ProductReader::result(const BinaryOperator *Assignment) {
  auto Terms = terms(Assignment->getRHS());
  if (!Terms)
    return no("what is stored is no multiple of the sum");
  if (const auto *Compound = dyn_cast<CompoundAssignOperator>(Assignment)) {
    if ((Compound->getOpcode() != BO_AddAssign &&
         Compound->getOpcode() != BO_SubAssign) ||
        !isSame(*K.Context, Compound->getComputationResultType(), P.Element))
      return no("what is stored is no multiple of the sum");
    for (LinearTerm &T : *Terms)
      T.Negative ^= Compound->getOpcode() == BO_SubAssign;
    Terms->push_back(LinearTerm{Output, false, {}});
  } else if (Assignment->getOpcode() != BO_Assign) {
    return no("what is stored is no multiple of the sum");
  }
  const LinearTerm *OfSum = nullptr, *OfOutput = nullptr;
  for (const LinearTerm &T : *Terms) {
    const LinearTerm *&Place = T.Values == Sum ? OfSum : OfOutput;
    if (Place || (T.Values != Sum && T.Values != Output))
      return no("what is stored is more than a multiple of the sum and one of "
                "the output");
    Place = &T;
  }
  if (!OfSum)
    return no("the sum is not stored");
  bool Scaled = OfSum->Negative || !OfSum->Factors.empty();
  if (P.Beta && (Scaled || OfOutput))
    return no("the sum begins at the output and is scaled besides");
  P.Alpha.Negative ^= OfSum->Negative;
  llvm::append_range(P.Alpha.Parts, OfSum->Factors);
  if (OfOutput)
    P.Beta = ProductScale{OfOutput->Negative, OfOutput->Factors};
  return true;
}

bool ProductReader::epilogue() {
  if (!Nest.Sum)
    return Nest.Epilogue.empty() || no("something follows the sum");
  const Stmt *Store = nullptr;
  for (const Stmt *S : Nest.Epilogue) {
    if (isa<NullStmt>(S))
      continue;
    if (Store)
      return no("something follows the store of the sum");
    if (!isa<DeclStmt>(S))
      Store = S;
  }
  const auto *E = dyn_cast_or_null<Expr>(Store);
  if (const auto *Full = dyn_cast_or_null<FullExpr>(E))
    E = Full->getSubExpr();
  const auto *Assignment =
      E ? dyn_cast<BinaryOperator>(E->IgnoreParens()) : nullptr;
  if (!Assignment || !Assignment->isAssignmentOp() ||
      valueOf(Assignment->getLHS()->IgnoreParens()) != Output)
    return no("the sum is not stored by one assignment");
  return result(Assignment);
}

std::optional<MatrixProduct> ProductReader::read() {
  if (!types() || !shapes() || !scales() || !firstValue() || !epilogue())
    return std::nullopt;
  return std::move(P);
}

std::optional<MatrixProduct> matrixProduct(const Kernel &K,
                                           const ContractionNest &Nest,
                                           std::string &Obstacle) {
  Obstacle.clear();
  return ProductReader(K, Nest, Obstacle).read();
}

} // namespace cudal1
