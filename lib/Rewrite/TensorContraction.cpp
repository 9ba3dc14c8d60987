//===- TensorContraction.cpp - What fragments can compute -----------------===//

#include "TensorContraction.h"

#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static bool isBuiltin(QualType Type, BuiltinType::Kind Kind) {
  return Type->isSpecificBuiltinType(Kind);
}

/// Products of halves and of bfloat16 are exact in float, so that only the
/// order of sums changes; sums of double are fused. Single-precision factors
/// are rounded to tf32.
std::optional<FragmentKind>
TensorContraction::kindOf(const ContractionNest &Nest) {
  QualType Left = Nest.Left.Access->ElementType,
           Right = Nest.Right.Access->ElementType;
  QualType Sum = Nest.Sum ? Nest.Sum->getType() : Nest.Output->ElementType;
  if (Left.getCanonicalType().getUnqualifiedType() !=
      Right.getCanonicalType().getUnqualifiedType())
    return std::nullopt;
  if (isBuiltin(Left, BuiltinType::Double) &&
      isBuiltin(Sum, BuiltinType::Double))
    return FragmentKind{8, 8, 4, "", "double", 8, 80};
  if (!isBuiltin(Sum, BuiltinType::Float))
    return std::nullopt;
  if (isBuiltin(Left, BuiltinType::Float))
    return FragmentKind{16, 16, 8, "precision::tf32", "float", 4, 80};
  if (!isSmallFloat(Left))
    return std::nullopt;
  bool IsHalf = Left->getAsCXXRecordDecl()->getName() == "__half";
  return FragmentKind{16, 16, 16, "", "float", 4, IsHalf ? 70u : 80u};
}

TensorContraction::TensorContraction(const Kernel &K, const ProgramAnalysis &A,
                                     const ContractionNest &Nest)
    : TiledContraction(K, A, Nest), Kind(kindOf(Nest)) {
  Wmma = name({"wmma"});
  WM = name({"WM"});
  WN = name({"WN"});
  Warp = name({"warp"});
  Part = name({"part"});
  Sums = name({"frag", plainName(Nest.Output->Base)});
  FragmentLeft = name({"frag", plainName(Nest.Left.Access->Base)});
  FragmentRight = name({"frag", plainName(Nest.Right.Access->Base)});
  for (Side *S : {&Left, &Right})
    S->Thread =
        name({"warp", S->Coordinate->Variables.front()->getNameAsString()});
  if (!Kind)
    return;
  // Zeros of either sign do: the order of sums is open.
  for (Side *S : {&Left, &Right})
    if (!S->Padding.empty() && S->Padding.front() == '-')
      S->Padding.erase(0, 1);
}

std::string TensorContraction::obstacle() const {
  if (!Kind)
    return "its types are none that tensor cores multiply without loss or in "
           "tf32";
  if (!Nest.IsProduct)
    return "the loop adds something else than products";
  if (dependsOnTemplate(Left) || dependsOnTemplate(Right))
    return "the elements' type is a template's parameter";
  if (!Nest.Scalars.empty() && Kind->K == 16)
    return "a product with a further factor is not exact";
  for (const Expr *E : Nest.Scalars)
    if (scalar(E).empty())
      return "part of the loop is made by a macro";
  for (const ContractionConstant &C : Nest.Constants)
    if (!isKept(C))
      return "a value that the loop reads cannot be read before it";
  if (Nest.Scalars.empty() && !Nest.Constants.empty())
    return "a value that the loop reads cannot be read before it";
  for (const Expr *E : Nest.Scalars)
    for (const VarDecl *V : Text.needs({E}))
      if (!Text.isUniform(V))
        return "the loop uses another value that depends on the thread";
  return TiledContraction::obstacle();
}

/// Elements between rows of a tile that no two rows of a fragment lie in the
/// same banks, and that rows begin at multiples of 16 bytes.
int64_t TensorContraction::padding(const Side &S) const {
  if (S.ElementSize == 4)
    return S.ContiguousAlongK ? 4 : 8;
  return S.ElementSize == 2 ? 8 : 4;
}

/// Elements between rows of the sums that a warp lays out to write them.
static int64_t partStride(const FragmentKind &Kind) { return Kind.N + 4; }

int64_t TensorContraction::sharedBytes(const WarpTileShape &Shape) const {
  int64_t Bytes = Shape.warps() * Kind->M * partStride(*Kind) * Kind->SumBytes;
  for (const Side *S : {&Left, &Right}) {
    int64_t Extent = S->IsLeft ? Shape.M : Shape.N;
    int64_t Lines = S->ContiguousAlongK ? Extent : Shape.K;
    int64_t Row = (S->ContiguousAlongK ? Shape.K : Extent) + padding(*S);
    Bytes += 2 * Lines * Row * S->ElementSize;
  }
  return Bytes;
}

bool TensorContraction::fits(const WarpTileShape &Shape) const {
  return Shape.WarpM % Kind->M == 0 && Shape.WarpN % Kind->N == 0 &&
         Shape.K % Kind->K == 0 && Shape.M * Shape.K % Shape.threads() == 0 &&
         Shape.N * Shape.K % Shape.threads() == 0;
}

/// Elements of one load; 1 where a thread's share is no whole vector.
int64_t TensorContraction::vectorWidth(const Side &S,
                                       const WarpTileShape &Shape) const {
  if (S.Vector.empty())
    return 1;
  int64_t Extent = S.IsLeft ? Shape.M : Shape.N;
  int64_t Along = S.ContiguousAlongK ? Shape.K : Extent;
  int64_t Share = Extent * Shape.K / Shape.threads();
  return Share % S.VectorWidth == 0 && Along % S.VectorWidth == 0
             ? S.VectorWidth
             : 1;
}

/// A number that multiplies all products, read once.
std::string TensorContraction::scalar(const Expr *E) const {
  for (auto [C, Name] : llvm::zip(Nest.Constants, Constants))
    if (llvm::is_contained(C.Mentions, E))
      return Name;
  return Text.text(E).empty() ? "" : spellOperand(E, *K.Context);
}

/// \p Value of the left factor, times what multiplies all products.
std::string TensorContraction::scaled(const Side &S, std::string Value) const {
  if (S.IsLeft)
    for (const Expr *E : Nest.Scalars)
      Value += " * " + scalar(E);
  return roundsFactors() ? Wmma + "::__float_to_tf32(" + Value + ")" : Value;
}

} // namespace cudal1
