//===- ProgramRunner.h - Run a program under the injection library -*- C++ -*-//

#ifndef CUDAL1_MEASURE_PROGRAMRUNNER_H
#define CUDAL1_MEASURE_PROGRAMRUNNER_H

#include "cudal1/Measure/ElementType.h"
#include "cudal1/Measure/ProgramBuilder.h"
#include "cudal1/Measure/Trace.h"
#include "cudal1/Support/Process.h"
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace cudal1 {

/// A file that the program writes as a result.
struct ResultFile {
  std::string Path; ///< relative to where the program runs
  /// For binary files: what they hold; empty means bytes, compared exactly.
  ElementLayout Layout;
};

/// How the program is run.
struct RunSpec {
  std::vector<std::string> Arguments;
  /// The user's own run command, run by /bin/sh; `{program}` is the program
  /// that was built. Empty: the program with the arguments.
  std::string Command;
  std::string StdinFile; ///< absolute; empty: no input
  /// `NAME=value` entries laid over the environment.
  std::vector<std::string> Environment;
  /// Absolute; empty: the current folder. The program runs in an overlay of
  /// it (in a project's copy: in the copy), so what it creates does not land in
  /// the user's folder.
  std::string WorkingDirectory;
  std::vector<ResultFile> OutputFiles;
};

/// The injection library and what it needs.
struct InjectionSpec {
  std::string Library; ///< libcudal1_injection.so
  std::string Cupti;   ///< libcupti.so; empty: it finds it
};

/// One finished run.
struct ProgramRun {
  ProcessResult Process;
  std::vector<Trace> Traces;
  /// Contents of the output files that exist, by ResultFile::Path.
  std::map<std::string, std::string> Files;
};

/// Runs programs. The traces of each run are read and then removed.
class ProgramRunner {
public:
  /// \p WorkFolder exists and is the runner's own.
  ProgramRunner(RunSpec Run, InjectionSpec Injection, std::string WorkFolder,
                const std::atomic<bool> *StopFlag)
      : Run(std::move(Run)), Injection(std::move(Injection)),
        WorkFolder(std::move(WorkFolder)), StopFlag(StopFlag) {}

  /// An Error only if the run could not be set up or its traces not be read;
  /// how the program fared is in the result.
  llvm::Expected<ProgramRun> run(const BuiltProgram &Program, trace::Mode Mode,
                                 std::chrono::milliseconds TimeLimit);

  /// Runs the program so that it can be held for live replay; its library
  /// connects to \p Socket. Returns when the program has ended or was killed
  /// by the stop flag.
  llvm::Expected<ProcessResult> runHeld(const BuiltProgram &Program,
                                        const std::string &Socket);

  /// Runs a user's command (such as a test command) in the same place, without
  /// the injection library.
  llvm::Expected<ProcessResult> runPlain(const BuiltProgram &Program,
                                         const std::string &ShellCommand,
                                         std::chrono::milliseconds TimeLimit);

private:
  llvm::Expected<std::string> makeRunFolder(const BuiltProgram &Program);
  Command commandFor(const BuiltProgram &Program, std::string RunFolder,
                     std::optional<std::chrono::milliseconds> TimeLimit) const;
  void inject(Command &Cmd, llvm::StringRef Mode) const;

  RunSpec Run;
  InjectionSpec Injection;
  std::string WorkFolder;
  const std::atomic<bool> *StopFlag;
  unsigned Count = 0;
};

} // namespace cudal1

#endif // CUDAL1_MEASURE_PROGRAMRUNNER_H
