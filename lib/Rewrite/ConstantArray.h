//===- ConstantArray.h - A buffer that can be __constant__ ------*- C++ -*-===//
//
// A small device buffer that the host fills by copies and that one kernel
// reads, all threads at the same places: what is needed to keep it in an array
// of constant memory, and how the source changes then.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_CONSTANTARRAY_H
#define CUDAL1_LIB_REWRITE_CONSTANTARRAY_H

#include "CudaCalls.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

struct ConstantArray {
  const Kernel *K = nullptr;
  const KernelParameter *Parameter = nullptr;
  /// In the kernel: `filter[k]`.
  std::vector<const clang::ArraySubscriptExpr *> Reads;
  /// The host's pointer, and the function that holds it.
  const clang::VarDecl *Buffer = nullptr;
  const clang::FunctionDecl *Host = nullptr;
  /// cudaMemcpy from the host into the buffer, each a statement with the check
  /// of its result.
  std::vector<CheckedCall> Copies;
  /// Of the array in constant memory.
  int64_t Elements = 0;
  /// The array is as large as the buffer, so that every copy fits.
  bool IsWholeBuffer = false;
  std::string Name;

  int64_t bytes() const;
};

/// The array that stands for parameter \p P of \p K, in a unit of which
/// whyNotPlain says nothing; otherwise nothing, and \p Obstacle says why, as
/// one clause.
std::optional<ConstantArray> findConstantArray(const Kernel &K,
                                               const KernelParameter &P,
                                               const ProgramAnalysis &A,
                                               std::string &Obstacle);

/// Declares the array, fills it whenever the buffer is filled, and reads it.
void writeConstantArray(const ConstantArray &Array, const ProgramAnalysis &A,
                        EditBuilder &Builder);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_CONSTANTARRAY_H
