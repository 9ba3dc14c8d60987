//===- ShuffledTrees.h - Trees of a block by shuffles -----------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_SHUFFLEDTREES_H
#define CUDAL1_LIB_REWRITE_SHUFFLEDTREES_H

#include "ReductionText.h"
#include "SharedTrees.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// Writes trees over a block as shuffles in each warp, one slot of shared
/// memory for each warp's result, and shuffles over these.
class ShuffledTrees {
public:
  ShuffledTrees(const Kernel &K, const SharedTrees &Trees);

  void write(EditBuilder &Builder);

private:
  /// The variable of one array in one tree.
  struct Written {
    const SharedTree *Tree = nullptr;
    const TreeArray *Array = nullptr;
    std::string Name;
    ReductionText Text;
  };

  bool mayDrop(const SharedTree &T) const;
  std::string perWarp(const SharedTree &T, int64_t Divisor) const;
  void declaration(EditBuilder &Builder, const clang::VarDecl *Array) const;
  void accesses(EditBuilder &Builder, const Written &W) const;
  std::string lines(const SharedTree &T) const;
  std::string shuffles(const SharedTree &T, const std::string &Head) const;

  const Kernel &K;
  const SharedTrees &Trees;
  std::vector<Written> Variables;
  std::string Offset, Unit;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_SHUFFLEDTREES_H
