//===- Overlay.cpp - A folder as it is, but for some files ----------------===//

#include "cudal1/Measure/Overlay.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace cudal1;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
llvm::Error cannot(const llvm::Twine &Do, llvm::StringRef Path,
                   std::error_code Code) {
  return llvm::createStringError(Code, "cannot " + Do + " '" + Path +
                                           "': " + Code.message());
}
} // namespace

void Overlay::addFolder(llvm::StringRef Folder) {
  for (unsigned I = 0; I <= AncestorLevels && !Folder.empty(); ++I) {
    // The root's other entries are reached by absolute paths only.
    if (Folder == path::root_path(Folder))
      break;
    Folders.insert(Folder.str());
    Folder = path::parent_path(Folder);
  }
}

void Overlay::replaceFile(llvm::StringRef Path, std::string Text) {
  addFolder(path::parent_path(Path));
  Replaced[Path.str()] = std::move(Text);
}

void Overlay::leaveOut(llvm::StringRef Path) {
  addFolder(path::parent_path(Path));
  LeftOut.insert(Path.str());
}

std::string Overlay::map(llvm::StringRef Path) const {
  bool IsReal =
      Folders.count(Path.str()) || Folders.count(path::parent_path(Path).str());
  return IsReal ? shadow(Path) : Path.str();
}

llvm::Error Overlay::linkEntries(llvm::StringRef Folder) const {
  std::error_code Code;
  for (fs::directory_iterator Entry(Folder, Code, /*follow_symlinks=*/false),
       End;
       Entry != End && !Code; Entry.increment(Code)) {
    const std::string &Path = Entry->path();
    // The overlay itself may lie inside a mirrored folder.
    if (Folders.count(Path) || Replaced.count(Path) || LeftOut.count(Path) ||
        llvm::StringRef(Root).starts_with(Path + "/"))
      continue;
    if (std::error_code Failed = fs::create_link(Path, shadow(Path)))
      if (Failed != std::errc::file_exists)
        return cannot("link to", Path, Failed);
  }
  // A folder above that cannot be listed is one that nobody can search.
  return llvm::Error::success();
}

llvm::Error Overlay::create() const {
  for (const std::string &Folder : Folders)
    if (std::error_code Code = fs::create_directories(shadow(Folder)))
      return cannot("make the folder", shadow(Folder), Code);
  for (const std::string &Folder : Folders)
    if (llvm::Error E = linkEntries(Folder))
      return E;
  for (const auto &[Path, Text] : Replaced) {
    std::error_code Code;
    llvm::raw_fd_ostream Out(shadow(Path), Code);
    if (!Code) {
      Out << Text;
      Out.close();
      Code = Out.error();
      Out.clear_error();
    }
    if (Code)
      return cannot("write", shadow(Path), Code);
  }
  return llvm::Error::success();
}
