//===- TemporaryFolder.cpp - A folder that goes with its owner ------------===//

#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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

TemporaryFolder::~TemporaryFolder() {
  if (!Path.empty())
    (void)fs::remove_directories(Path);
}

std::string TemporaryFolder::file(llvm::StringRef Name) const {
  llvm::SmallString<128> Result(Path);
  llvm::sys::path::append(Result, Name);
  return std::string(Result);
}
