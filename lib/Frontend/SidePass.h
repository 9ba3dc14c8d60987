//===- SidePass.h - The parse of one side of a unit -------------*- C++ -*-===//
//
// Parses a main file again and again, with other texts for some of its files,
// and keeps the start of it precompiled. ASTUnit would keep all leading
// includes: an edit in a header of the program, which is one of these, then
// costs all of CUDA's headers. Here the kept part ends before the first include
// whose text was ever changed.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_FRONTEND_SIDEPASS_H
#define CUDAL1_LIB_FRONTEND_SIDEPASS_H

#include "cudal1/Frontend/Program.h"

#include "clang/Frontend/PrecompiledPreamble.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <set>

namespace cudal1 {

/// Clang's diagnostics of one parse, as text.
struct ParseDiagnostics {
  clang::DiagnosticOptions Options;
  std::string Text;
  llvm::raw_string_ostream OS{Text};
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> Engine;

  ParseDiagnostics();
};

class SidePass {
public:
  /// \p Args is the driver's command for this side; \p VirtualFiles lie over
  /// the disk.
  SidePass(const ParseInput &Input, const std::vector<std::string> &Args);

  /// Parses with \p Overlay over the files. The former AST is gone. False, and
  /// diagnostics() says why, when there is an error.
  bool parse(const SourceOverlay &Overlay);

  clang::ASTUnit &unit() const { return *Unit; }
  const std::string &diagnostics() const { return Diags->Text; }
  /// Bytes at the start of the main file that the next parse need not read.
  unsigned keptBytes() const;
  /// How often the kept part was made.
  unsigned preamblesBuilt() const { return PreamblesBuilt; }

private:
  std::shared_ptr<clang::CompilerInvocation>
  invocationFor(const SourceOverlay &Overlay) const;
  std::unique_ptr<llvm::MemoryBuffer>
  mainText(const SourceOverlay &Overlay) const;
  void shortenPreamble(const SourceOverlay &Next);
  bool readsFrom(const clang::SrcMgr::SLocEntry &Entry,
                 const std::set<std::string> &Paths) const;
  void updatePreamble(const clang::CompilerInvocation &Invocation,
                      const llvm::MemoryBuffer &Main);

  std::string File, Directory;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files;
  std::shared_ptr<clang::PCHContainerOperations> Containers;
  std::unique_ptr<ParseDiagnostics> Diags;
  std::shared_ptr<clang::CompilerInvocation> Base;
  /// The preamble ends here at the latest.
  unsigned LongestPreamble = ~0u;
  unsigned PreamblesBuilt = 0;
  SourceOverlay Parsed;
  /// The AST reads from it.
  std::optional<clang::PrecompiledPreamble> Preamble;
  std::unique_ptr<clang::ASTUnit> Unit;
};

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_SIDEPASS_H
