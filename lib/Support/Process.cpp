//===- Process.cpp - Run a command under limits ---------------------------===//

#include "cudal1/Support/Process.h"
#include "Reaper.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cudal1;
using Clock = std::chrono::steady_clock;

extern char **environ;

namespace {

/// How often the time limit and the stop flag are looked at.
constexpr std::chrono::milliseconds PollInterval(20);
/// How often an ending process is asked for once its outputs are closed.
constexpr std::chrono::microseconds ReapInterval(200);

llvm::Error errnoError(const llvm::Twine &What, int Code) {
  return llvm::createStringError(std::error_code(Code, std::generic_category()),
                                 What + ": " + std::strerror(Code));
}

bool isSet(const std::atomic<bool> *Flag) {
  return Flag && Flag->load(std::memory_order_relaxed);
}

/// A file descriptor closed at the end of its scope.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int Fd) : Fd(Fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { reset(); }
  void reset(int New = -1) {
    if (Fd >= 0)
      ::close(Fd);
    Fd = New;
  }
  int get() const { return Fd; }
  bool isOpen() const { return Fd >= 0; }

private:
  int Fd = -1;
};

/// One captured output stream of the child.
struct Capture {
  Descriptor Read;
  Descriptor Write;
  std::string *Text = nullptr;
  bool *Truncated = nullptr;

  llvm::Error open() {
    std::array<int, 2> Ends;
    if (::pipe2(Ends.data(), O_CLOEXEC) != 0)
      return errnoError("cannot make a pipe", errno);
    Read.reset(Ends[0]);
    Write.reset(Ends[1]);
    ::fcntl(Read.get(), F_SETFL, O_NONBLOCK);
    return llvm::Error::success();
  }

  /// Takes what is there now; closes the stream at its end.
  void drain(size_t Limit) {
    std::array<char, 65536> Buffer;
    while (Read.isOpen()) {
      ssize_t Size = ::read(Read.get(), Buffer.data(), Buffer.size());
      if (Size > 0) {
        size_t Keep = std::min<size_t>(Size, Limit - Text->size());
        Text->append(Buffer.data(), Keep);
        *Truncated |= Keep < static_cast<size_t>(Size);
        continue;
      }
      if (Size < 0 && errno == EINTR)
        continue;
      if (Size == 0 || errno != EAGAIN)
        Read.reset();
      return;
    }
  }
};

/// This process's environment with the command's entries laid over it.
std::vector<std::string> mergeEnvironment(const Command &Cmd) {
  // Of several entries for one variable the last one counts.
  std::map<std::string, std::string> Entries;
  auto Apply = [&](llvm::StringRef Entry) {
    std::string Name = Entry.split('=').first.str();
    if (Entry.contains('='))
      Entries[Name] = Entry.str();
    else
      Entries.erase(Name);
  };
  for (char **Entry = environ; *Entry; ++Entry)
    Apply(*Entry);
  for (const std::string &Entry : Cmd.Environment)
    Apply(Entry);
  std::vector<std::string> Result;
  Result.reserve(Entries.size());
  for (auto &Entry : Entries)
    Result.push_back(std::move(Entry.second));
  return Result;
}

std::vector<char *> toPointers(const std::vector<std::string> &Strings) {
  std::vector<char *> Result;
  Result.reserve(Strings.size() + 1);
  for (const std::string &S : Strings)
    Result.push_back(const_cast<char *>(S.c_str()));
  Result.push_back(nullptr);
  return Result;
}

/// Starts the command in a new process group with its streams connected.
llvm::Expected<pid_t> spawn(const Command &Cmd, const std::string &Program,
                            int StdinFd, int StdoutFd, int StderrFd) {
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  llvm::scope_exit Cleanup([&] {
    posix_spawn_file_actions_destroy(&Actions);
    posix_spawnattr_destroy(&Attributes);
  });
  posix_spawn_file_actions_adddup2(&Actions, StdinFd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, StdoutFd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, StderrFd, STDERR_FILENO);
  if (!Cmd.WorkingDirectory.empty())
    posix_spawn_file_actions_addchdir_np(&Actions,
                                         Cmd.WorkingDirectory.c_str());
  sigset_t Default, Mask;
  sigfillset(&Default);
  sigemptyset(&Mask);
  posix_spawnattr_setsigdefault(&Attributes, &Default);
  posix_spawnattr_setsigmask(&Attributes, &Mask);
  posix_spawnattr_setpgroup(&Attributes, 0);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> Environment = mergeEnvironment(Cmd);
  std::vector<char *> Argv = toPointers(Cmd.Argv);
  std::vector<char *> Envp = toPointers(Environment);
  pid_t Pid = 0;
  if (int Code = posix_spawn(&Pid, Program.c_str(), &Actions, &Attributes,
                             Argv.data(), Envp.data()))
    return errnoError("cannot start '" + Program + "'", Code);
  return Pid;
}

double toMs(const timeval &Time) {
  return 1e3 * double(Time.tv_sec) + 1e-3 * double(Time.tv_usec);
}

/// Waits for one child under the command's limits.
class Waiter {
public:
  Waiter(const Command &Cmd, pid_t Pid, Clock::time_point Start)
      : Cmd(Cmd), Pid(Pid), Start(Start) {}

  void wait(ProcessResult &Result, Capture &Out, Capture &Err) {
    while (!reap(Result)) {
      if (!Killed)
        killAtLimit(Result);
      if (!Out.Read.isOpen() && !Err.Read.isOpen()) {
        std::this_thread::sleep_for(ReapInterval);
        continue;
      }
      std::array<pollfd, 2> Fds = {pollfd{Out.Read.get(), POLLIN, 0},
                                   pollfd{Err.Read.get(), POLLIN, 0}};
      ::poll(Fds.data(), Fds.size(), PollInterval.count());
      Out.drain(Cmd.CaptureLimit);
      Err.drain(Cmd.CaptureLimit);
    }
    // Children that it left behind would disturb what is run next.
    ::kill(-Pid, SIGKILL);
    Out.drain(Cmd.CaptureLimit);
    Err.drain(Cmd.CaptureLimit);
  }

private:
  void killAtLimit(ProcessResult &Result) {
    if (isSet(Cmd.StopFlag) || isSet(Cmd.OwnersStopFlag))
      Result.End = ProcessEnd::Stopped;
    else if (Cmd.TimeLimit && Clock::now() - Start > *Cmd.TimeLimit)
      Result.End = ProcessEnd::TimedOut;
    else
      return;
    Killed = true;
    ::kill(-Pid, SIGKILL);
  }

  bool reap(ProcessResult &Result) {
    int Status = 0;
    rusage Usage = {};
    if (::wait4(Pid, &Status, WNOHANG, &Usage) != Pid)
      return false;
    Result.WallMs =
        std::chrono::duration<double, std::milli>(Clock::now() - Start).count();
    Result.UserMs = toMs(Usage.ru_utime);
    Result.SystemMs = toMs(Usage.ru_stime);
    Result.PeakMemoryBytes = static_cast<uint64_t>(Usage.ru_maxrss) * 1024;
    if (WIFSIGNALED(Status)) {
      Result.Signal = WTERMSIG(Status);
      if (!Killed)
        Result.End = ProcessEnd::Signaled;
    } else {
      Result.ExitCode = WEXITSTATUS(Status);
      Result.End = ProcessEnd::Exited;
    }
    return true;
  }

  const Command &Cmd;
  pid_t Pid;
  Clock::time_point Start;
  bool Killed = false;
};

} // namespace

std::string Command::toShell() const {
  std::string Result;
  for (llvm::StringRef Arg : Argv) {
    if (!Result.empty())
      Result += ' ';
    bool Plain = !Arg.empty() && llvm::all_of(Arg, [](char C) {
      return llvm::isAlnum(C) || llvm::StringRef("_-+=./,:@%").contains(C);
    });
    if (Plain) {
      Result += Arg;
      continue;
    }
    Result += '\'';
    for (char C : Arg)
      Result += C == '\'' ? std::string("'\\''") : std::string(1, C);
    Result += '\'';
  }
  return Result;
}

std::string ProcessResult::describeEnd() const {
  switch (End) {
  case ProcessEnd::Exited:
    return "exited with code " + std::to_string(ExitCode);
  case ProcessEnd::Signaled:
    return "was killed by signal " + std::to_string(Signal) + " (" +
           ::strsignal(Signal) + ")";
  case ProcessEnd::TimedOut:
    return "ran past its time limit";
  case ProcessEnd::Stopped:
    return "was stopped";
  }
  return "";
}

llvm::Expected<std::string> cudal1::findProgram(llvm::StringRef Program) {
  if (Program.contains('/')) {
    if (llvm::sys::fs::can_execute(Program))
      return Program.str();
    return llvm::createStringError("'" + Program + "' is not an executable");
  }
  if (llvm::ErrorOr<std::string> Path = llvm::sys::findProgramByName(Program))
    return *Path;
  return llvm::createStringError("'" + Program + "' was not found on PATH");
}

llvm::Expected<ProcessResult> cudal1::runCommand(const Command &Cmd) {
  if (Cmd.Argv.empty())
    return llvm::createStringError("an empty command cannot be run");
  // A relative path is relative to where the command runs.
  std::string Program = Cmd.Argv.front();
  bool RelativeToChild = Program.find('/') != std::string::npos &&
                         Program.front() != '/' &&
                         !Cmd.WorkingDirectory.empty();
  if (!RelativeToChild) {
    llvm::Expected<std::string> Found = findProgram(Program);
    if (!Found)
      return Found.takeError();
    Program = *Found;
  }
  if (!Cmd.WorkingDirectory.empty() &&
      !llvm::sys::fs::is_directory(Cmd.WorkingDirectory))
    return llvm::createStringError("cannot run '" + Cmd.Argv.front() +
                                   "' in '" + Cmd.WorkingDirectory +
                                   "': no such directory");
  std::string StdinPath =
      Cmd.StdinFile.empty() ? std::string("/dev/null") : Cmd.StdinFile;
  Descriptor Stdin(::open(StdinPath.c_str(), O_RDONLY | O_CLOEXEC));
  if (!Stdin.isOpen())
    return errnoError("cannot read '" + StdinPath + "' as stdin", errno);

  ProcessResult Result;
  Capture Out, Err;
  Out.Text = &Result.Stdout;
  Out.Truncated = &Result.StdoutTruncated;
  Err.Text = &Result.Stderr;
  Err.Truncated = &Result.StderrTruncated;
  if (llvm::Error E = Out.open())
    return std::move(E);
  if (llvm::Error E = Err.open())
    return std::move(E);
  Clock::time_point Start = Clock::now();
  llvm::Expected<pid_t> Pid =
      spawn(Cmd, Program, Stdin.get(), Out.Write.get(), Err.Write.get());
  if (!Pid)
    return Pid.takeError();
  Out.Write.reset();
  Err.Write.reset();
  WatchedGroup Watched(*Pid);
  Waiter(Cmd, *Pid, Start).wait(Result, Out, Err);
  return Result;
}
