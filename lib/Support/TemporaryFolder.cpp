//===- TemporaryFolder.cpp - A folder that goes with its owner ------------===//

#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <filesystem>

using namespace cudal1;
namespace fs = llvm::sys::fs;

llvm::Expected<TemporaryFolder> TemporaryFolder::make(llvm::StringRef Parent) {
  TemporaryFolder F;
  std::error_code EC;
  llvm::SmallString<128> Prefix(Parent);
  if (Parent.empty()) {
    Prefix = "cuda-l1-opt";
  } else {
    EC = fs::make_absolute(Prefix);
    if (!EC)
      EC = fs::create_directories(Prefix);
    llvm::sys::path::append(Prefix, "cuda-l1-opt");
  }
  if (!EC)
    EC = fs::createUniqueDirectory(Prefix, F.Path);
  if (EC)
    return llvm::createStringError("cannot make a working folder '" + Prefix +
                                   "-*': " + EC.message());
  return std::move(F);
}

void cudal1::removeTree(llvm::StringRef Path) {
  // LLVM's own removes files, links and folders only.
  std::error_code Ignored;
  std::filesystem::remove_all(Path.str(), Ignored);
}

TemporaryFolder::~TemporaryFolder() {
  if (!Path.empty())
    removeTree(Path);
}

std::string TemporaryFolder::file(llvm::StringRef Name) const {
  llvm::SmallString<128> Result(Path);
  llvm::sys::path::append(Result, Name);
  return std::string(Result);
}
