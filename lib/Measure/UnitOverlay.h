//===- UnitOverlay.h - A unit with some of its files changed ----*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_UNITOVERLAY_H
#define CUDAL1_LIB_MEASURE_UNITOVERLAY_H

#include "cudal1/Measure/Engine.h"
#include "cudal1/Measure/Overlay.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace cudal1 {

/// The same for the same texts of the same files: what makes two candidates
/// one program. Fit for a file's name.
std::string sourcesKey(llvm::ArrayRef<SourceReplacement> Sources);

/// One unit with changed files in the place of its own, in an overlay of their
/// folders. What the compiler is to be told then.
class UnitOverlay {
public:
  /// \p MainFile is absolute; paths in flags start at \p Directory (empty: the
  /// current folder).
  UnitOverlay(std::string MainFile, std::string Directory, std::string Root)
      : MainFile(std::move(MainFile)), Directory(std::move(Directory)),
        Files(std::move(Root)) {}

  /// Writes the changed files.
  llvm::Error create(llvm::ArrayRef<SourceReplacement> Sources);

  /// The main file to be compiled.
  std::string mainFile() const { return Files.map(MainFile); }
  /// \p Flags without the main file, and with include folders that hold a
  /// changed header turned to the overlay.
  std::vector<std::string> map(std::vector<std::string> Flags) const;

private:
  bool isMainFile(llvm::StringRef Path) const;
  std::string absolute(llvm::StringRef Name) const;
  std::string mapFolder(llvm::StringRef Folder) const;

  std::string MainFile;
  std::string Directory;
  Overlay Files;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_UNITOVERLAY_H
