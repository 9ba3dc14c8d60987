//===- TemporaryFolder.h - A folder that goes with its owner ----*- C++ -*-===//

#ifndef CUDAL1_SUPPORT_TEMPORARYFOLDER_H
#define CUDAL1_SUPPORT_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cudal1 {

/// Removes \p Path with all in it, whatever it is: programs make sockets and
/// pipes too. Links are not followed; what cannot be removed stays.
void removeTree(llvm::StringRef Path);

class TemporaryFolder {
public:
  /// In \p Parent, which is made if need be; empty: where the system keeps
  /// temporary files.
  static llvm::Expected<TemporaryFolder> make(llvm::StringRef Parent = "");
  TemporaryFolder(TemporaryFolder &&Other) : Path(std::move(Other.Path)) {
    Other.Path.clear();
  }
  ~TemporaryFolder();

  llvm::StringRef path() const { return Path; }
  std::string file(llvm::StringRef Name) const;

private:
  TemporaryFolder() = default;
  llvm::SmallString<128> Path;
};

} // namespace cudal1

#endif // CUDAL1_SUPPORT_TEMPORARYFOLDER_H
