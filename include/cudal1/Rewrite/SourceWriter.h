//===- SourceWriter.h - How a Variant's texts become files ------*- C++ -*-===//
//
// A Variant is a set of texts by path. Two ways to write it out: as copies, the
// originals untouched, or in place, with backups. Either all files are written
// or none is.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REWRITE_SOURCEWRITER_H
#define CUDAL1_REWRITE_SOURCEWRITER_H

#include "cudal1/Frontend/Program.h"
#include <set>

namespace cudal1 {

/// One file to be written.
struct OutputFile {
  std::string Path;
  std::string Text;
  /// Where the present content of Path is kept; empty for no backup.
  std::string Backup;
};

/// What a Variant looks like on disk.
struct SourceOutput {
  /// The main file comes first, when it is written at all.
  std::vector<OutputFile> Files;
  /// Directories that the compile command needs as -I, so that quoted includes
  /// of files that moved are still found.
  std::vector<std::string> IncludeDirectories;
  /// What the user should know, one sentence each.
  std::vector<std::string> Notes;
};

class SourceWriter {
public:
  /// Remembers the texts and the include directives of \p P, which holds the
  /// original sources (no overlay). P may be parsed again afterwards.
  explicit SourceWriter(const Program &P);

  /// The Variant \p Texts as the file \p Output and, for every header that
  /// \p Texts changes and every header that includes such a one, a copy
  /// `<stem>.opt<ext>` beside it; the copies include each other. Fails when
  /// \p Output is the input itself, and when a changed header is included in a
  /// way that cannot be redirected (by a system header, by -include, through a
  /// macro). \p Output "-" stands for standard output: fails when \p Texts
  /// changes a header. \p Written holds what earlier units of this run have
  /// written, by path: a copy with another text gets another name.
  llvm::Expected<SourceOutput>
  asCopies(const SourceOverlay &Texts, llvm::StringRef Output,
           const SourceOverlay &Written = {}) const;

  /// The changed files of \p Texts in place of the originals, each with a
  /// backup beside it: `file.cu.orig`, or with a number where that is taken.
  /// A file in \p BackedUp (several units of one run may change one header)
  /// gets none; the files are added to \p BackedUp. Fails when a file on disk
  /// is no longer what was parsed.
  llvm::Expected<SourceOutput> inPlace(const SourceOverlay &Texts,
                                       std::set<std::string> &BackedUp) const;

private:
  /// Path that a directive names, by the directive's text (`"a.h"`, `<a.h>`).
  using Includes = std::map<std::string, std::string>;

  void readIncludes(const Program &P, Side S);
  void resolveSkippedIncludes();
  std::vector<std::string> changedFiles(const SourceOverlay &Texts) const;
  llvm::Expected<std::set<std::string>>
  filesToCopy(const std::vector<std::string> &Changed) const;
  std::string redirected(const std::string &Path, llvm::StringRef Text,
                         const std::map<std::string, std::string> &Copies,
                         bool SameDirectory) const;
  std::map<std::string, std::string>
  nameCopies(const std::set<std::string> &Headers, llvm::StringRef OutputPath,
             const std::set<std::string> &Taken) const;
  std::vector<OutputFile>
  textsOfCopies(const SourceOverlay &Texts, llvm::StringRef OutputPath,
                const std::map<std::string, std::string> &Copies) const;
  void noteMovedIncludes(const std::string &Path,
                         const std::map<std::string, std::string> &Copies,
                         SourceOutput &Out) const;

  std::string MainFile;
  /// Texts of every editable file, by path.
  std::map<std::string, std::string> Originals;
  std::map<std::string, Includes> IncludesOf;
  /// Files that are included by something other than an editable file.
  std::map<std::string, std::string> ForeignIncluders;
};

/// Writes every file of \p Output or none: new content goes to a temporary file
/// beside the target, is flushed to disk and then renamed. An existing target
/// that is no regular file (a pipe, /dev/null) and "-", standard output, are
/// written directly. The error says which file and why.
llvm::Error writeOutput(const SourceOutput &Output);

} // namespace cudal1

#endif // CUDAL1_REWRITE_SOURCEWRITER_H
