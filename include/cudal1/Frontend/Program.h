//===- Program.h - One parsed translation unit ------------------*- C++ -*-===//
//
// A Program is one translation unit as Clang sees it: the main file, the
// compile command and two ASTs, one for each pass of a CUDA compilation.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_FRONTEND_PROGRAM_H
#define CUDAL1_FRONTEND_PROGRAM_H

#include "cudal1/Frontend/Side.h"
#include "clang/Frontend/ASTUnit.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cudal1 {

/// Texts that stand in place of files on disk, keyed by absolute path. A
/// Variant's source is the files on disk seen through such an overlay.
using SourceOverlay = std::map<std::string, std::string>;

/// What is needed to parse one unit: a full driver command for each side.
struct ParseInput {
  /// Absolute path of the main file.
  std::string File;
  /// Directory that relative paths in the arguments refer to.
  std::string Directory;
  /// `clang++ ... file` for the device pass; empty for a unit without CUDA.
  std::vector<std::string> DeviceArgs;
  /// `clang++ ... file` for the host pass.
  std::vector<std::string> HostArgs;
  /// The lowest architecture that the unit is compiled for, as 80 for sm_80; 0
  /// where that is not known.
  unsigned LeastArch = 0;
  /// Files that exist only in memory (the compatibility header), by path.
  SourceOverlay VirtualFiles;
};

/// A unit that Clang cannot parse. Carries Clang's own diagnostics.
class ParseError : public llvm::ErrorInfo<ParseError> {
public:
  static char ID;
  ParseError(std::string File, Side Where, std::string Diagnostics)
      : File(std::move(File)), Where(Where),
        Diagnostics(std::move(Diagnostics)) {}

  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

  /// Main file of the unit.
  const std::string File;
  /// The pass that failed.
  const Side Where;
  /// Clang's diagnostics as it prints them, errors only.
  const std::string Diagnostics;
};

class SidePass;

class Program {
public:
  /// Parses both sides, at the same time. \p Overlay replaces files on disk.
  /// Fails with ParseError when a side does not parse.
  static llvm::Expected<std::unique_ptr<Program>>
  parse(ParseInput Input, SourceOverlay Overlay = {});

  /// Parses again with another overlay, keeping what stands before the first
  /// declaration of the main file and before every header that was changed.
  /// Every pointer into the old ASTs is dead afterwards. On failure the
  /// Program must be parsed again before it is used.
  llvm::Error reparse(SourceOverlay Overlay);

  ~Program();

  const ParseInput &input() const { return Input; }
  const std::string &file() const { return Input.File; }
  const SourceOverlay &overlay() const { return Overlay; }

  bool hasSide(Side S) const;
  clang::ASTUnit &ast(Side S) const;
  clang::ASTContext &context(Side S) const { return ast(S).getASTContext(); }
  clang::SourceManager &sources(Side S) const {
    return ast(S).getSourceManager();
  }

  /// The text of the main file, through the overlay.
  llvm::StringRef text() const { return textOf(Input.File); }
  /// The text of a file of this program, through the overlay; empty when it
  /// was not read by the parse.
  llvm::StringRef textOf(llvm::StringRef AbsolutePath) const;

  /// True where a rewrite may edit: the main file and headers of the project,
  /// never system headers, never the toolkit's, never files in memory only.
  bool isEditable(Side S, clang::FileID Id) const;
  /// The main file first, then every editable header that was read.
  std::vector<clang::FileID> editableFiles(Side S) const;
  /// Absolute path of a file of the parse, or empty for built-in buffers.
  std::string pathOf(Side S, clang::FileID Id) const;

private:
  Program(ParseInput Input, SourceOverlay Overlay);
  llvm::Error parsePasses();

  ParseInput Input;
  SourceOverlay Overlay;
  std::unique_ptr<SidePass> DevicePass;
  std::unique_ptr<SidePass> HostPass;
};

} // namespace cudal1

#endif // CUDAL1_FRONTEND_PROGRAM_H
