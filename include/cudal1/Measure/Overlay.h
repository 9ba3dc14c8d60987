//===- Overlay.h - A folder as it is, but for some files --------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_OVERLAY_H
#define CUDAL1_MEASURE_OVERLAY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <set>
#include <string>

namespace cudal1 {

/// A shadow of parts of the file system under another root: the folders that
/// hold changed files are real there, and all else in them is a symbolic link
/// to the original. `#include "../common/x.h"` and relative data files are
/// found as before, while the originals stay untouched.
///
/// Absolute paths without `.` and `..` throughout.
class Overlay {
public:
  /// Folders above a changed file that are made real, so that paths through
  /// that many `..` stay inside the overlay.
  static constexpr unsigned AncestorLevels = 4;

  explicit Overlay(std::string Root) : Root(std::move(Root)) {}

  /// Makes this folder real.
  void addFolder(llvm::StringRef Folder);
  /// Puts \p Text where the file \p Path is.
  void replaceFile(llvm::StringRef Path, std::string Text);
  /// Leaves the file out, so that a program creates it anew.
  void leaveOut(llvm::StringRef Path);

  /// Creates it on disk.
  llvm::Error create() const;

  /// Where \p Path is in the overlay if its folder, or itself, is real there;
  /// else \p Path.
  std::string map(llvm::StringRef Path) const;

private:
  std::string shadow(llvm::StringRef Path) const { return Root + Path.str(); }
  llvm::Error linkEntries(llvm::StringRef Folder) const;

  std::string Root;
  std::set<std::string> Folders;
  std::map<std::string, std::string> Replaced;
  std::set<std::string> LeftOut;
};

} // namespace cudal1

#endif // CUDAL1_MEASURE_OVERLAY_H
