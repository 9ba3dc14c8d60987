//===- Process.h - Run a command under limits -------------------*- C++ -*-===//
///
/// \file
/// Runs one command in its own process group, with its input, its output, its
/// time and its memory under control. Used for compilers and for the user's
/// own program, which may hang, crash or print without end.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_SUPPORT_PROCESS_H
#define CUDAL1_SUPPORT_PROCESS_H

#include "llvm/Support/Error.h"
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// Bytes of stdout (and, separately, of stderr) kept in memory unless asked
/// otherwise. Large enough for any program whose output a person reads.
inline constexpr size_t DefaultCaptureLimit = size_t(64) << 20;

/// One command and the limits it runs under.
struct Command {
  /// The program and its arguments. A program without a slash is looked up on
  /// the PATH of this process.
  std::vector<std::string> Argv;
  /// Where it runs; empty means the current directory.
  std::string WorkingDirectory;
  /// `NAME=value` entries laid over this process's environment, in order; an
  /// entry without `=` removes the variable.
  std::vector<std::string> Environment;
  /// A file to read stdin from; empty means /dev/null.
  std::string StdinFile;
  /// Wall-clock limit. At the limit the whole process group is killed.
  std::optional<std::chrono::milliseconds> TimeLimit;
  /// Bytes of each of stdout and stderr kept; the rest is read and dropped.
  size_t CaptureLimit = DefaultCaptureLimit;
  /// If set, the group is killed soon after the flag turns true (Ctrl-C).
  const std::atomic<bool> *StopFlag = nullptr;
  /// Another such flag, of one who runs commands for someone with the first.
  const std::atomic<bool> *OwnersStopFlag = nullptr;

  /// The command as one would type it into a shell, for messages.
  std::string toShell() const;
};

/// How a command ended.
enum class ProcessEnd {
  Exited,   ///< by itself; see ProcessResult::ExitCode
  Signaled, ///< by a signal it did not handle; see ProcessResult::Signal
  TimedOut, ///< killed at the time limit
  Stopped,  ///< killed because the stop flag was set
};

/// What a finished command left behind.
struct ProcessResult {
  ProcessEnd End = ProcessEnd::Exited;
  int ExitCode = 0;
  int Signal = 0;
  std::string Stdout;
  std::string Stderr;
  /// True if the stream was longer than the capture limit.
  bool StdoutTruncated = false;
  bool StderrTruncated = false;
  double WallMs = 0;   ///< from just before the start until it was reaped
  double UserMs = 0;   ///< CPU time in user mode, children that it reaped too
  double SystemMs = 0; ///< CPU time in the kernel
  uint64_t PeakMemoryBytes = 0; ///< largest resident set

  /// Exited by itself with code 0.
  bool succeeded() const { return End == ProcessEnd::Exited && ExitCode == 0; }
  /// One clause for messages: "exited with code 3", "was killed by signal 11
  /// (Segmentation fault)", "ran past its time limit", "was stopped".
  std::string describeEnd() const;
};

/// Runs \p Cmd to its end. The command's process group is killed (SIGKILL) on
/// a timeout or stop, and also after a normal end, so that no child outlives
/// it; and should this process end meanwhile, by SIGKILL too. A command that
/// could not be started at all (no such program, no such directory) is an
/// Error; everything that happens later is in the result.
llvm::Expected<ProcessResult> runCommand(const Command &Cmd);

/// The full path of \p Program on PATH, or an Error that names it. A name with
/// a slash is only checked to be executable.
llvm::Expected<std::string> findProgram(llvm::StringRef Program);

} // namespace cudal1

#endif // CUDAL1_SUPPORT_PROCESS_H
