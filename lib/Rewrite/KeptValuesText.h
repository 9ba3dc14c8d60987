//===- KeptValuesText.h - Loops that keep values in registers ---*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_KEPTVALUESTEXT_H
#define CUDAL1_LIB_REWRITE_KEPTVALUESTEXT_H

#include "KeptValues.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// Writes before each loop of a group one that runs its first iterations,
/// unrolled, with the values in local arrays; the loop itself makes the rest.
class KeptValuesText {
public:
  KeptValuesText(const Kernel &K, const KeptGroup &Group, int64_t Elements);

  void write(EditBuilder &Builder) const;

private:
  struct Patch {
    clang::SourceRange Range;
    std::string Text;
  };
  std::string declarations() const;
  std::string head(EditBuilder &Builder, const KeptLoop &L) const;
  bool mayRunBeyond(const KeptValue &V) const;
  std::string loads(EditBuilder &Builder, size_t I) const;
  std::string definition(EditBuilder &Builder, size_t V) const;
  std::vector<Patch> patchesIn(EditBuilder &Builder, const clang::Stmt *S,
                               size_t InLoop, bool DefinesCalls) const;
  std::string patched(EditBuilder &Builder, clang::SourceRange Range,
                      std::vector<Patch> Patches) const;
  std::string body(EditBuilder &Builder, size_t I) const;
  std::string typeOf(const KeptValue &V) const;

  const Kernel &K;
  const KeptGroup &Group;
  int64_t Elements;
  StatementTree Tree;
  /// Of the local arrays, one for each value, and of the variable that counts
  /// the iterations.
  std::vector<std::string> Names;
  std::string Counter;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_KEPTVALUESTEXT_H
