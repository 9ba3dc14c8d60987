//===- TestFolder.h - A temporary folder of files ---------------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_FRONTEND_TESTFOLDER_H
#define CUDAL1_UNITTESTS_FRONTEND_TESTFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace cudal1::test {

/// A folder with links resolved, removed at the end of the test.
class TestFolder {
public:
  TestFolder() {
    llvm::SmallString<128> Made;
    llvm::sys::fs::createUniqueDirectory("cudal1-frontend", Made);
    llvm::sys::fs::real_path(Made, Root);
  }
  ~TestFolder() { llvm::sys::fs::remove_directories(Root); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  std::string path(const llvm::Twine &Name = "") const {
    llvm::SmallString<128> Path(Root);
    llvm::sys::path::append(Path, Name);
    return std::string(Path);
  }

  /// Writes a file, and the folders that it is in; gives its path.
  std::string write(const llvm::Twine &Name, llvm::StringRef Text) const {
    std::string Path = path(Name);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path));
    std::error_code Error;
    llvm::raw_fd_ostream(Path, Error) << Text;
    return Path;
  }

  std::string writeProgram(const llvm::Twine &Name) const {
    std::string Path = write(Name, "#!/bin/sh\n");
    llvm::sys::fs::setPermissions(Path, llvm::sys::fs::all_all);
    return Path;
  }

private:
  llvm::SmallString<128> Root;
};

/// The message of a failed Expected, or "no error".
template <typename T> std::string messageOf(llvm::Expected<T> Value) {
  return Value ? "no error" : llvm::toString(Value.takeError());
}

} // namespace cudal1::test

#endif // CUDAL1_UNITTESTS_FRONTEND_TESTFOLDER_H
