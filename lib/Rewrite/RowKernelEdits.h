//===- RowKernelEdits.h - Several threads for each row ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_ROWKERNELEDITS_H
#define CUDAL1_LIB_REWRITE_ROWKERNELEDITS_H

#include "RowReductions.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// Writes into the kernel that \p Threads threads share each row: a warp, or a
/// block of whole warps.
class RowKernelEdits {
public:
  RowKernelEdits(const Kernel &K, const StatementTree &Tree,
                 const RowKernel &Rows, int64_t Threads);

  void write(EditBuilder &Builder);

private:
  /// A slot of shared memory for the partial results of the warps of a block.
  struct Slot {
    std::string Type, Name;
  };
  struct Written {
    std::string Name, Type;
    const Reduction *R = nullptr;
    /// Name of the shared array; unused for a warp.
    std::string Partial;
  };

  bool isWarp() const { return Threads == WarpThreads; }
  void chooseSlots();
  std::vector<Written> writtenOf(const RowLoop &L) const;
  bool startsNeutral(const RowLoop &L, const Reduction &R) const;

  void head(EditBuilder &Builder) const;
  void row(EditBuilder &Builder) const;
  void loop(EditBuilder &Builder, const RowLoop &L, bool First);
  std::string before(const RowLoop &L) const;
  std::string after(const RowLoop &L, bool First) const;
  std::string storesAfter(const clang::Stmt *S) const;
  void elements(EditBuilder &Builder) const;
  void stores(EditBuilder &Builder) const;

  const Kernel &K;
  const StatementTree &Tree;
  const RowKernel &Rows;
  int64_t Threads;
  RowReductions Names;
  std::string Unit;
  /// The number of a thread in its row: `lane`, or `thread` of a block.
  std::string Lane, Offset, Warp;
  std::vector<Slot> Slots;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ROWKERNELEDITS_H
