//===- VirtualFiles.cpp - Files in memory over those on disk --------------===//

#include "cudal1/Frontend/VirtualFiles.h"

using namespace cudal1;

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
cudal1::fileSystemOf(const SourceOverlay &VirtualFiles) {
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &[Path, Text] : VirtualFiles)
    Memory->addFile(Path, /*ModificationTime=*/0,
                    llvm::MemoryBuffer::getMemBufferCopy(Text, Path));
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::createPhysicalFileSystem());
  Files->pushOverlay(std::move(Memory));
  return Files;
}
