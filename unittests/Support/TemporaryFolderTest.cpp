//===- TemporaryFolderTest.cpp - A folder that goes with its owner --------===//

#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <sys/stat.h>

using namespace cudal1;

namespace {

TEST(TemporaryFolder, GoesWithAllThatProgramsMakeInIt) {
  std::string Path, Outside;
  llvm::Expected<TemporaryFolder> Kept = TemporaryFolder::make();
  ASSERT_TRUE(bool(Kept)) << llvm::toString(Kept.takeError());
  {
    llvm::Expected<TemporaryFolder> Folder = TemporaryFolder::make();
    ASSERT_TRUE(bool(Folder)) << llvm::toString(Folder.takeError());
    Path = Folder->path().str();
    ASSERT_FALSE(llvm::sys::fs::create_directories(Folder->file("a/b")));
    ASSERT_EQ(::mkfifo(Folder->file("a/pipe").c_str(), 0600), 0);
    ASSERT_EQ(::mknod(Folder->file("socket").c_str(), S_IFSOCK | 0600, 0), 0);
    ASSERT_FALSE(llvm::sys::fs::create_link(Kept->path(), Folder->file("l")));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(Path));
  EXPECT_TRUE(llvm::sys::fs::exists(Kept->path()));
}

} // namespace
