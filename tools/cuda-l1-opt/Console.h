//===- Console.h - Messages, and the two output streams ---------*- C++ -*-===//

#ifndef CUDAL1_TOOL_CONSOLE_H
#define CUDAL1_TOOL_CONSOLE_H

#include "CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cudal1 {

/// Results go to stdout, everything else to stderr.
class Console {
public:
  Console(const CommandLine &Line);

  void error(const llvm::Twine &Sentence);
  void warning(const llvm::Twine &Sentence);
  /// Not with --quiet.
  void note(const llvm::Twine &Sentence);

  llvm::raw_ostream &results() { return Out; }
  llvm::raw_ostream &messages() { return Err; }
  bool colored() const { return Color; }
  /// Someone watches: a line may be rewritten in place.
  bool isTerminal() const { return Err.is_displayed(); }

  /// Flushes stdout; an Error when not all of it could be written.
  llvm::Error finishResults();

private:
  void say(llvm::raw_ostream::Colors C, llvm::StringRef Kind,
           const llvm::Twine &Sentence);

  llvm::raw_fd_ostream Out;
  llvm::raw_fd_ostream Err;
  bool Color;
  bool Quiet;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_CONSOLE_H
