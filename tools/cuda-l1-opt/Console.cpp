//===- Console.cpp - Messages, and the two output streams -----------------===//

#include "Console.h"
#include <unistd.h>

using namespace cudal1;

Console::Console(const CommandLine &Line)
    : Out(STDOUT_FILENO, /*shouldClose=*/false),
      Err(STDERR_FILENO, /*shouldClose=*/false, /*unbuffered=*/true),
      Color(Line.Color == ColorMode::Always ||
            (Line.Color == ColorMode::Auto && Err.has_colors())),
      Quiet(Line.Quiet) {
  Err.enable_colors(Color);
}

void Console::say(llvm::raw_ostream::Colors C, llvm::StringRef Kind,
                  const llvm::Twine &Sentence) {
  Err << "cuda-l1-opt: ";
  if (Color)
    Err.changeColor(C, /*Bold=*/true);
  Err << Kind << ": ";
  if (Color)
    Err.resetColor();
  Err << Sentence << '\n';
}

void Console::error(const llvm::Twine &Sentence) {
  say(llvm::raw_ostream::RED, "error", Sentence);
}

void Console::warning(const llvm::Twine &Sentence) {
  say(llvm::raw_ostream::MAGENTA, "warning", Sentence);
}

void Console::note(const llvm::Twine &Sentence) {
  if (!Quiet)
    say(llvm::raw_ostream::BLUE, "note", Sentence);
}

llvm::Error Console::finishResults() {
  Out.flush();
  if (!Out.has_error())
    return llvm::Error::success();
  std::string Why = Out.error().message();
  // An error left in the stream would end the process without a word of ours.
  Out.clear_error();
  return llvm::createStringError("cannot write to standard output: " + Why);
}
