//===- ProgramBuilder.h - Build a program and its variants ------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_PROGRAMBUILDER_H
#define CUDAL1_MEASURE_PROGRAMBUILDER_H

#include "cudal1/Measure/Engine.h"
#include "cudal1/Support/Process.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace cudal1 {

/// How the program is built. Either Compiler or Command is set. Libraries that
/// a variant needs besides are added for Compiler only: a Command has to link
/// them itself.
struct BuildSpec {
  /// The main file, absolute.
  std::string MainFile;

  /// Full path of nvcc or clang++, for a program of one unit.
  std::string Compiler;
  /// The unit's own flags. What makes an object or dependency file of it (-c,
  /// -o, -M…) is dropped, relocatable device code is kept.
  std::vector<std::string> Flags;
  /// Where the flags' relative paths start; empty means the current folder.
  std::string Directory;

  /// The user's own build command, run by /bin/sh. With `{source}` in it, it
  /// is run in Directory; `{source}` is the main file or its variant and
  /// `{output}` the program to make. Without, it is run in a copy of
  /// ProjectRoot, in which the variant's files are put in place; folders that
  /// hold a CMakeCache.txt are not copied, since they point to the original.
  std::string Command;
  std::string ProjectRoot;

  std::chrono::seconds TimeLimit{600};
};

/// A program that can be run.
struct BuiltProgram {
  /// The program made; empty where only the project's run command knows it.
  std::string Executable;
  /// The copy of the project it lies in; empty if there is none.
  std::string ProjectCopy;
};

/// The outcome of a build: a program, or why there is none.
struct BuildOutcome {
  std::optional<BuiltProgram> Program;
  bool TimedOut = false;
  bool Stopped = false;
  /// The first error line, or what went wrong before the compiler ran.
  std::string Problem;
};

/// Builds the original and variants, and forgets what is no longer needed.
class ProgramBuilder {
public:
  virtual ~ProgramBuilder();

  virtual BuildOutcome buildOriginal() = 0;
  virtual BuildOutcome build(const Candidate &C) = 0;
  /// Builds these in parallel, to be handed out by build().
  virtual void buildAhead(llvm::ArrayRef<Candidate> Candidates) {}
  /// The candidate's program is not needed any more.
  virtual void release(const Candidate &C) {}
};

/// \p WorkFolder exists and is the builder's own. \p Jobs bounds the parallel
/// builds. An Error if the spec is not complete.
llvm::Expected<std::unique_ptr<ProgramBuilder>>
makeProgramBuilder(BuildSpec Spec, std::string WorkFolder, unsigned Jobs,
                   const std::atomic<bool> *StopFlag);

/// The flags that compile and link at once, from those that compile an object.
std::vector<std::string> linkingFlags(llvm::ArrayRef<std::string> Flags);

/// The line of a compiler's output to show a person: the first with an error,
/// else the last one.
std::string firstErrorLine(llvm::StringRef Output);

} // namespace cudal1

#endif // CUDAL1_MEASURE_PROGRAMBUILDER_H
