//===- ItemLaunches.cpp - Threads that take several elements --------------===//

#include "ItemLaunches.h"

#include "GlobalIds.h"
#include "LaunchCoverage.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

bool ItemLaunches::findLaunches(const Kernel &K, std::string &Obstacle) {
  auto Known = editableLaunches(K, *A, Obstacle);
  if (!Known)
    return false;
  Set = std::move(*Known);
  for (const Launch *L : Set.All)
    if (!geometryOf(L->Grid, *A)) {
      Obstacle = "the grid of a launch cannot be rewritten";
      return false;
    }
  return true;
}

std::optional<ItemLaunches> ItemLaunches::of(const Kernel &K,
                                             const ProgramAnalysis &A,
                                             std::string &Obstacle) {
  ItemLaunches Result(A);
  EditBuilder Texts(A.program(), Side::Device);
  auto Axes = globalIds(K, Texts, Obstacle);
  if (!Axes)
    return std::nullopt;
  Result.Axis = (*Axes)[1].Extra == ExtraThreads::Unused ? 0 : 1;
  const GlobalIdAxis &Use = (*Axes)[Result.Axis];
  if (!Result.findLaunches(K, Obstacle))
    return std::nullopt;
  if (Use.Extra == ExtraThreads::GridStride) {
    Result.TheForm = Form::GridStride;
    return Result;
  }
  if (Use.Extra != ExtraThreads::Guarded || !Use.Bound ||
      !coversBound(*Use.Bound, Result.Axis, Result.Set, A)) {
    Obstacle = "a grid is not seen to cover all elements";
    return std::nullopt;
  }
  return Result;
}

std::optional<ItemLaunches> ItemLaunches::along(const ContractionCoordinate &C,
                                                const Kernel &K,
                                                const ProgramAnalysis &A,
                                                std::string &Obstacle) {
  ItemLaunches Result(A);
  Result.Axis = C.Axis;
  if (!Result.findLaunches(K, Obstacle))
    return std::nullopt;
  if (!coveredBound(C, Result.Set, A)) {
    Obstacle = "a grid is not seen to cover all elements";
    return std::nullopt;
  }
  return Result;
}

std::string ItemLaunches::evidence() const {
  return launchesAre(Set) + " in this unit and can be changed" +
         (TheForm == Form::Loop ? ", and its grid covers all elements" : "");
}

static std::optional<uint64_t> literal(const Expr *E) {
  const auto *Number = dyn_cast<IntegerLiteral>(E->IgnoreParenImpCasts());
  if (!Number || Number->getBeginLoc().isMacroID())
    return std::nullopt;
  return Number->getValue().tryZExtValue();
}

/// Blocks of a launch, each for \p Items of those that \p Grid asks for: of
/// `(n + 255) / 256` `(n + 4095) / 4096`.
static std::string blocksText(const LaunchGeometry &Grid, const Expr *Blocks,
                              const EditBuilder &Host, unsigned Axis,
                              int64_t Items) {
  const auto *Division =
      Blocks ? dyn_cast<BinaryOperator>(Blocks->IgnoreParenImpCasts())
             : nullptr;
  bool IsWritten = Division && Division->isMultiplicativeOp() &&
                   Host.text(Blocks->getSourceRange()) == Grid.Text[Axis] &&
                   !Blocks->getBeginLoc().isMacroID() &&
                   !Blocks->getEndLoc().isMacroID();
  if (!IsWritten)
    return sharedBlocksText(Grid, Axis, Items);
  const auto *Sum =
      dyn_cast<BinaryOperator>(Division->getLHS()->IgnoreParenImpCasts());
  auto Divisor = literal(Division->getRHS());
  auto Added =
      Sum && Sum->getOpcode() == BO_Add ? literal(Sum->getRHS()) : std::nullopt;
  std::string Count =
      Added ? Host.text(Sum->getLHS()->getSourceRange()).str() : "";
  if (Division->getOpcode() == BO_Div && Divisor && Added &&
      *Added + 1 == *Divisor && !Count.empty()) {
    uint64_t Whole = *Divisor * uint64_t(Items);
    return "(" + Count + " + " + std::to_string(Whole - 1) + ") / " +
           std::to_string(Whole);
  }
  return "(" + Grid.Text[Axis] + " + " + std::to_string(Items - 1) + ") / " +
         std::to_string(Items);
}

void ItemLaunches::write(EditBuilder &Builder, int64_t Items) const {
  if (Items == 1)
    return;
  Builder.setSide(Side::Host);
  for (const Launch *L : Set.Places) {
    auto Grid = geometryOf(L->Grid, *A);
    if (!Grid)
      return Builder.fail("the grid of a launch cannot be rewritten");
    std::array<std::string, 3> Text = Grid->Text;
    for (unsigned Other : {1u, 2u})
      if (Other != Axis && L->GridExtent[Other].Value == 1)
        Text[Other] = "1";
    Text[Axis] =
        blocksText(*Grid, L->GridExtent[Axis].Expression, Builder, Axis, Items);
    bool Line = Axis == 0 && Text[1] == "1" && Text[2] == "1";
    Builder.replace(Grid->Argument->getSourceRange(),
                    Line ? Text[0] : dim3Text(Text));
  }
  LaunchTransform T = LaunchTransform::identity();
  T.Grid[Axis] = ExtentExpr::ceilDiv(ExtentExpr::oldGrid(Axis),
                                     ExtentExpr::constant(uint64_t(Items)));
  Builder.setLaunch(T);
  Builder.setSide(Side::Device);
}

} // namespace cudal1
