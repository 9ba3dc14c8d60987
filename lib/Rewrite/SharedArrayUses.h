//===- SharedArrayUses.h - How a kernel uses a shared array -----*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_SHAREDARRAYUSES_H
#define CUDAL1_LIB_REWRITE_SHAREDARRAYUSES_H

#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// Static shared memory that every part grants a block, in bytes.
inline constexpr int64_t MostStaticShared = int64_t(48) * 1024;

/// One mention of an array, with all its subscripts.
struct ArrayUse {
  const clang::DeclRefExpr *Mention = nullptr;
  const clang::Expr *Element = nullptr;
  const clang::Expr *LastSubscript = nullptr;
};

/// Every mention of \p Array in the kernel; nothing when one of them is not an
/// element that is read or written (or handed to an atomic function), or stands
/// in a lambda.
std::optional<std::vector<ArrayUse>> elementUsesOf(const StatementTree &Tree,
                                                   const ArrayVariable &Array);

/// Bytes of all shared arrays of fixed size; nothing when one is sized at the
/// launch, which may take the rest.
std::optional<int64_t> staticSharedBytes(const Kernel &K);

/// Bytes of \p Array, which has a fixed size.
int64_t bytesOf(const Kernel &K, const ArrayVariable &Array);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_SHAREDARRAYUSES_H
