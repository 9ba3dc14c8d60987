//===- IncludeScan.h - Which files a unit includes --------------*- C++ -*-===//

#ifndef CUDAL1_LIB_FRONTEND_INCLUDESCAN_H
#define CUDAL1_LIB_FRONTEND_INCLUDESCAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudal1 {

/// The include folders in a list of Clang flags, absolute, in order.
std::vector<std::string> includeFolders(llvm::ArrayRef<std::string> ClangArgs,
                                        llvm::StringRef Directory);

/// True if \p Unit includes \p Header, also through other files. Reads the
/// text only: conditions are not evaluated, so a `true` may depend on a macro.
bool includesFile(llvm::StringRef Unit, llvm::StringRef Header,
                  llvm::ArrayRef<std::string> Folders);

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_INCLUDESCAN_H
