//===- PadShared.cpp - One more column against bank conflicts -------------===//
//
// Shared memory lies in 32 banks of 4 bytes. When the rows of a tile are a
// multiple of that wide, the threads of a warp that read a column all wait for
// one bank. One unused element at the end of each row moves the rows apart.
//
//===----------------------------------------------------------------------===//

#include "../IntegerRange.h"
#include "../SharedArrayUses.h"
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

namespace {

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
  std::optional<int64_t> Bytes = staticSharedBytes(K);
  int64_t Added = Size;
  for (int64_t Extent : llvm::drop_end(Array.Extents))
    Added *= Extent;
  if (!Bytes || *Bytes + Added > MostStaticShared || Size < BankWidth ||
      Columns < 2)
    return std::nullopt;
  const Expr *Extent = lastExtent(Array);
  std::optional<std::vector<ArrayUse>> Uses = elementUsesOf(Tree, Array);
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
