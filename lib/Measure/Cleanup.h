//===- Cleanup.h - Remove what is no longer needed --------------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_CLEANUP_H
#define CUDAL1_LIB_MEASURE_CLEANUP_H

#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"

namespace cudal1 {

/// Removes a folder of ours with all in it; links in it are not followed. A
/// failure is no one's concern: it is in the work folder, which goes as well.
inline void removeFolder(const llvm::Twine &Path) { removeTree(Path.str()); }

/// The same for a file, which need not exist.
inline void removeFile(const llvm::Twine &Path) {
  [[maybe_unused]] std::error_code Ignored = llvm::sys::fs::remove(Path);
}

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_CLEANUP_H
