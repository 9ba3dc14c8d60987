//===- LaunchEdits.h - Rewriting the shape of launches ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_LAUNCHEDITS_H
#define CUDAL1_LIB_REWRITE_LAUNCHEDITS_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// A grid or block argument of a launch as its author wrote it.
struct LaunchGeometry {
  /// The argument; the text to replace when the launch itself is edited.
  const clang::Expr *Argument = nullptr;
  /// The same without conversions, copies and temporaries.
  const clang::Expr *Written = nullptr;
  /// x, y and z as source text without side effects: "(n + 15) / 16" or, for a
  /// variable, "grid.x".
  std::array<std::string, 3> Text;
  /// Text may stand beside an operator as it is: a number, a name or a member.
  /// A macro's name may not, as its body may be anything.
  std::array<bool, 3> Primary{true, true, true};
  /// The variable that the argument names, or null.
  const clang::VarDecl *Variable = nullptr;
  /// The dim3 constructor, of the argument or of the variable that nothing
  /// changes afterwards; null for a plain number or an unknown value.
  const clang::CXXConstructExpr *Constructor = nullptr;
  /// A plain number: only x is given.
  bool Scalar = false;
};

/// The launches of a kernel (of all instantiations of its template).
struct LaunchSet {
  std::vector<const Launch *> All;
  /// One for each place in the source: instantiations of a host template share
  /// their text.
  std::vector<const Launch *> Places;
};

/// Every launch of \p K, all of them seen, each written where it can be edited
/// and for this kernel alone. Otherwise nothing, and \p Obstacle says why.
std::optional<LaunchSet> editableLaunches(const Kernel &K,
                                          const ProgramAnalysis &A,
                                          std::string &Obstacle);

/// What stands for grid or block at a launch; nothing when it cannot be edited
/// or has side effects.
std::optional<LaunchGeometry> geometryOf(const clang::Expr *Argument,
                                         const ProgramAnalysis &A);

/// Every mention of \p V is the grid or block of a launch in \p Set, or stands
/// in one of \p Replaced, text that goes away.
bool isOnlyLaunchConfiguration(
    const clang::VarDecl *V, const LaunchSet &Set, const ProgramAnalysis &A,
    llvm::ArrayRef<clang::SourceRange> Replaced = {});

/// Every mention of the local variable \p V is the block of a launch in \p Set:
/// with another block there, nothing would use it.
bool isOnlyBlock(const clang::VarDecl *V, const LaunchSet &Set,
                 const ProgramAnalysis &A);

/// "its one launch is" or "all 3 launches are", for evidence.
std::string launchesAre(const LaunchSet &Set);

/// Where an attribute of a kernel goes: before the name, or its `ns::`.
clang::SourceLocation attributePlace(const clang::FunctionDecl &F);

/// `(grid + 15) / 16`: the blocks along \p Axis, where each does the work of
/// \p Ratio of those that the author asked for.
std::string sharedBlocksText(const LaunchGeometry &Grid, unsigned Axis,
                             int64_t Ratio);

/// Writes \p Bounds in place of the `__launch_bounds__(...)` at the definition
/// of \p K; fails when they are written in another way.
void replaceLaunchBounds(const Kernel &K, EditBuilder &Builder,
                         llvm::StringRef Bounds);

/// Something that tells the order of threads to the outside: the kernel prints
/// or reads a clock.
bool showsOrder(const Kernel &K);

/// `dim3(a, b)`, without ones at the end.
std::string dim3Text(const std::array<std::string, 3> &Text);
/// The arguments alone: `a, b`.
std::string dim3Arguments(const std::array<std::string, 3> &Text);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LAUNCHEDITS_H
