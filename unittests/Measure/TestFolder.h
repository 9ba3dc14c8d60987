//===- TestFolder.h - A folder for one test ---------------------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_MEASURE_TESTFOLDER_H
#define CUDAL1_UNITTESTS_MEASURE_TESTFOLDER_H

#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <string>

namespace cudal1 {

/// A fresh folder, removed with all that is in it.
class TestFolder {
public:
  TestFolder() {
    llvm::SmallString<128> Unique;
    if (llvm::sys::fs::createUniqueDirectory("cudal1-test", Unique))
      ADD_FAILURE() << "cannot make a temporary folder";
    Path = Unique.str().str();
  }
  ~TestFolder() { removeTree(Path); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  std::string operator/(llvm::StringRef Name) const {
    return Path + "/" + Name.str();
  }

  /// Writes a file, making its folders; returns its path.
  std::string write(llvm::StringRef Name, llvm::StringRef Text,
                    bool Executable = false) const {
    std::string File = *this / Name;
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(File));
    std::error_code Code;
    llvm::raw_fd_ostream(File, Code) << Text;
    EXPECT_FALSE(Code) << File;
    if (Executable)
      llvm::sys::fs::setPermissions(File, llvm::sys::fs::owner_all);
    return File;
  }

  std::string read(llvm::StringRef Name) const {
    auto File = llvm::MemoryBuffer::getFile(*this / Name);
    return File ? (*File)->getBuffer().str() : std::string();
  }

  std::string Path;
};

} // namespace cudal1

#endif // CUDAL1_UNITTESTS_MEASURE_TESTFOLDER_H
