//===- VirtualFiles.h - Files in memory over those on disk ------*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_VIRTUALFILES_H
#define CUDAL1_FRONTEND_VIRTUALFILES_H

#include "cudal1/Frontend/Program.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace cudal1 {

/// The files on disk with \p VirtualFiles laid over them. It has a working
/// directory of its own: Clang's driver sets it, and with getRealFileSystem
/// that would be the one of this process, for both passes and for good.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
fileSystemOf(const SourceOverlay &VirtualFiles);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_VIRTUALFILES_H
