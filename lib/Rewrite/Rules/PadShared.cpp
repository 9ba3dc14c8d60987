//===- PadShared.cpp - One more column against bank conflicts -------------===//
//
// Shared memory lies in 32 banks of 4 bytes. When the rows of a tile are a
// multiple of that wide, the threads of a warp that read a column all wait for
// one bank. One unused element at the end of each row moves the rows apart.
//
//===----------------------------------------------------------------------===//

#include "../IntegerRange.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/ElementInLoop.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace clang;

namespace cudal1 {

/// Banks of shared memory and their width in bytes, on all parts since Fermi.
static constexpr int64_t Banks = 32;
static constexpr int64_t BankWidth = 4;
/// Conflicts of fewer threads than this are not worth memory.
static constexpr int64_t LeastConflict = 4;
/// Static shared memory that every part grants a block, in bytes.
static constexpr int64_t MostStaticShared = int64_t(48) * 1024;

namespace {

/// One mention of the array, with all its subscripts.
struct ArrayUse {
  const Expr *Element = nullptr;
  const Expr *LastSubscript = nullptr;
};

/// Adds one element to each row of two-dimensional shared arrays.
class PadShared : public Rule {
public:
  llvm::StringRef name() const override { return "pad-shared"; }
  llvm::StringRef summary() const override {
    return "Adds one element to each row of a shared array whose columns lie "
           "on one bank.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

/// An element whose address goes to an atomic function and nowhere else.
static bool isAtomicOperand(const StatementTree &Tree, const Expr *Element) {
  const auto *Address =
      dyn_cast_or_null<UnaryOperator>(Tree.parentOfValue(Element));
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return false;
  const Stmt *Parent = Tree.parentOfValue(Address);
  while (isa_and_nonnull<ImplicitCastExpr>(Parent))
    Parent = Tree.parentOfValue(Parent);
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && classify(*Callee) == DeviceFunction::Atomic;
}

/// The element that a mention of an array of \p Dimensions designates; nothing
/// when the array or a row of it is used as a whole.
static std::optional<ArrayUse> elementOf(const StatementTree &Tree,
                                         const DeclRefExpr *Ref,
                                         size_t Dimensions) {
  ArrayUse Use;
  Use.Element = Ref;
  for (size_t I = 0; I < Dimensions; ++I) {
    const auto *Decay =
        dyn_cast_or_null<ImplicitCastExpr>(Tree.parentOfValue(Use.Element));
    if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
      return std::nullopt;
    const auto *Subscript =
        dyn_cast_or_null<ArraySubscriptExpr>(Tree.parentOfValue(Decay));
    if (!Subscript || Subscript->getBase()->IgnoreParens() != Decay)
      return std::nullopt;
    Use.Element = Subscript;
    Use.LastSubscript = Subscript->getIdx();
  }
  if (valueUse(Tree, Use.Element) == ValueUse::Other &&
      !isAtomicOperand(Tree, Use.Element))
    return std::nullopt;
  return Use;
}

/// Every mention of \p Array in the kernel; nothing when one of them is not an
/// element.
static std::optional<std::vector<ArrayUse>> usesOf(const StatementTree &Tree,
                                                   const ArrayVariable &Array) {
  std::vector<ArrayUse> Uses;
  bool Whole = findIn(Tree.body(), [&](const Stmt *S) {
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      return llvm::any_of(Lambda->captures(), [&](const LambdaCapture &C) {
        return C.capturesVariable() && C.getCapturedVar() == Array.Decl;
      });
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref || Ref->getDecl() != Array.Decl)
      return false;
    std::optional<ArrayUse> Use = elementOf(Tree, Ref, Array.Extents.size());
    if (Use)
      Uses.push_back(*Use);
    return !Use;
  });
  if (Whole)
    return std::nullopt;
  return Uses;
}

/// Threads of a warp that meet on one bank in \p Access; 1 for none.
static int64_t conflictOf(const MemoryAccess &Access, int64_t Columns,
                          int64_t Size) {
  if (!Access.ThreadStride)
    return 1;
  std::optional<int64_t> Stride = Access.ThreadStride->constant();
  if (!Stride || *Stride == 0 || *Stride % Columns != 0)
    return 1;
  return std::gcd(*Stride * Size / BankWidth, Banks);
}

/// Bytes of all shared arrays of fixed size; nothing when one is sized at the
/// launch, which may take the rest.
static std::optional<int64_t> staticBytes(const Kernel &K) {
  int64_t Sum = 0;
  for (const ArrayVariable &Array : K.SharedArrays) {
    if (Array.Dynamic || Array.ElementType->isDependentType())
      return std::nullopt;
    int64_t Size =
        K.Context->getTypeSizeInChars(Array.ElementType).getQuantity();
    for (int64_t Extent : Array.Extents)
      Size *= Extent;
    Sum += Size;
  }
  return Sum;
}

/// The expression between the last brackets of the declaration.
static const Expr *lastExtent(const ArrayVariable &Array) {
  const TypeSourceInfo *Info = Array.Decl->getTypeSourceInfo();
  const Expr *Last = nullptr;
  size_t Levels = 0;
  TypeLoc Loc = Info ? Info->getTypeLoc() : TypeLoc();
  while (!Loc.isNull()) {
    Loc = Loc.getUnqualifiedLoc();
    auto ArrayLoc = Loc.getAs<ArrayTypeLoc>();
    if (!ArrayLoc)
      break;
    Last = ArrayLoc.getSizeExpr();
    ++Levels;
    Loc = ArrayLoc.getElementLoc();
  }
  // A row that hides in a typedef is not ours to change.
  return Levels == Array.Extents.size() ? Last : nullptr;
}

static llvm::Expected<Edit> pad(const Kernel &K, const ProgramAnalysis &A,
                                const Expr *Extent) {
  EditBuilder Builder(A.program(), Side::Device);
  std::string Text = spellOnOneLine(Extent, *K.Context);
  const Expr *Plain = Extent->IgnoreImpCasts();
  if (const auto *Constant = dyn_cast<ConstantExpr>(Plain))
    Plain = Constant->getSubExpr()->IgnoreImpCasts();
  const auto *Binary = dyn_cast<BinaryOperator>(Plain);
  bool Binds =
      !isa<AbstractConditionalOperator>(Plain) &&
      (!Binary || Binary->isAdditiveOp() || Binary->isMultiplicativeOp());
  if (Text.empty())
    Builder.fail("the extent is made by a macro");
  Builder.replace(Extent->getSourceRange(),
                  (Binds ? Text : "(" + Text + ")") + " + 1");
  return Builder.finish();
}

static std::optional<Site> siteFor(const Rule &R, const Kernel &K,
                                   const ProgramAnalysis &A,
                                   const StatementTree &Tree,
                                   const RangeAnalysis &Ranges,
                                   const ArrayVariable &Array) {
  if (Array.Dynamic || Array.Extents.size() < 2 ||
      !Array.ElementType->isArithmeticType() ||
      Array.Decl->getType().isVolatileQualified())
    return std::nullopt;
  int64_t Columns = Array.Extents.back();
  int64_t Size = K.Context->getTypeSizeInChars(Array.ElementType).getQuantity();
  std::optional<int64_t> Bytes = staticBytes(K);
  int64_t Added = Size;
  for (int64_t Extent : llvm::drop_end(Array.Extents))
    Added *= Extent;
  if (!Bytes || *Bytes + Added > MostStaticShared || Size < BankWidth ||
      Columns < 2)
    return std::nullopt;
  const Expr *Extent = lastExtent(Array);
  std::optional<std::vector<ArrayUse>> Uses = usesOf(Tree, Array);
  if (!Extent || !Uses)
    return std::nullopt;

  const MemoryAccess *Worst = nullptr;
  bool InRow = true;
  for (const ArrayUse &Use : *Uses) {
    std::optional<IntegerRange> Values = Ranges.of(Use.LastSubscript);
    InRow &= Values && Values->within(0, Columns - 1);
    for (const MemoryAccess &Access : K.Accesses)
      if (Access.Expression == Use.Element &&
          conflictOf(Access, Columns, Size) >= LeastConflict &&
          (!Worst || conflictOf(Access, Columns, Size) >
                         conflictOf(*Worst, Columns, Size)))
        Worst = &Access;
  }
  if (!Worst)
    return std::nullopt;
  std::string Name = Array.Decl->getNameAsString();
  Site S = siteAt(R, K, A, Array.Decl->getLocation());
  S.Subject = Name;
  S.Description = "pad the rows of " + Name + " by one element";
  S.Evidence = {"neighbouring threads access " +
                    spellOnOneLine(Worst->Expression, *K.Context) +
                    " whole rows apart: " +
                    std::to_string(conflictOf(*Worst, Columns, Size)) +
                    " of them on one bank",
                "every use of " + Name +
                    " is an element with all its subscripts"};
  if (InRow)
    S.Evidence.push_back("the last subscript is always below " +
                         std::to_string(Columns));
  else
    S.Condition = "the last subscript of " + Name + " is never below 0 nor " +
                  std::to_string(Columns) + " or more";
  S.Apply = [&K, &A, Extent](const RewriteParams &) {
    return pad(K, A, Extent);
  };
  return S;
}

void PadShared::findSites(const Kernel &K, const ProgramAnalysis &A,
                          std::vector<Site> &Out) const {
  // Another configuration may use the array in another way.
  if (K.SharedArrays.empty() ||
      spansDirective(*K.Context, K.Function->getSourceRange()))
    return;
  StatementTree Tree(K);
  Assignments Changes = Assignments::of(Tree.body());
  RangeAnalysis Ranges(K, A, Changes, BlockShapes::OfLaunches);
  for (const ArrayVariable &Array : K.SharedArrays) {
    std::optional<Site> S = siteFor(*this, K, A, Tree, Ranges, Array);
    if (!S)
      continue;
    if (llvm::Expected<Edit> Trial = S->Apply({}))
      Out.push_back(std::move(*S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createPadSharedRule() {
  return std::make_unique<PadShared>();
}

} // namespace cudal1
