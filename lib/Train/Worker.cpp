//===- Worker.cpp - One cuda-l1-env, asked line by line -------------------===//

#include "cudal1/Train/Worker.h"
#include "cudal1/Train/TrainError.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace cudal1;
using nlohmann::json;

extern char **environ;

static constexpr int ProtocolVersion = 1;

static std::vector<std::string> wordsOf(const std::string &Text) {
  std::istringstream In(Text);
  std::vector<std::string> Words;
  for (std::string Word; In >> Word;)
    Words.push_back(Word);
  return Words;
}

/// Starts \p Words with its stdin and stdout at the given ends; 0 or an errno.
static int start(const std::vector<std::string> &Words, int Stdin, int Stdout,
                 int &Process) {
  std::vector<char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Stdin, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, Stdout, STDOUT_FILENO);
  int Code = posix_spawnp(&Process, Arguments[0], &Actions, nullptr,
                          Arguments.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  return Code;
}

Worker::Worker(const std::string &Launcher, const std::string &Command)
    : Name(Launcher.empty() ? Command : Launcher + " " + Command) {
  std::vector<std::string> Words = wordsOf(Name);
  int ToWorker[2], FromWorker[2];
  if (Words.empty() || pipe2(ToWorker, O_CLOEXEC) != 0 ||
      pipe2(FromWorker, O_CLOEXEC) != 0)
    throw TrainError("cannot start a worker: [workers] command is empty, or no "
                     "pipe can be made");
  // A worker that dies must be an error of a write, not the end of us.
  std::signal(SIGPIPE, SIG_IGN);
  int Code = start(Words, ToWorker[0], FromWorker[1], Process);
  ::close(ToWorker[0]);
  ::close(FromWorker[1]);
  Out = ToWorker[1];
  In = FromWorker[0];
  if (Code != 0) {
    Process = -1;
    throw TrainError("cannot start the worker '" + Name +
                     "': " + std::strerror(Code));
  }
  json Hello = json::parse(ask(json{{"request", "hello"}}.dump()));
  if (Hello.value("protocol", 0) != ProtocolVersion)
    throw TrainError("the worker '" + Name +
                     "' speaks another protocol: " + Hello.dump());
  Gpu = Hello.value("gpu", "");
}

Worker::~Worker() {
  ::close(Out); // cuda-l1-env ends when its requests do
  ::close(In);
  if (Process > 0)
    ::waitpid(Process, nullptr, 0);
}

std::string Worker::ask(const std::string &Request) {
  std::string Line = Request + "\n";
  auto Ended = [&] {
    throw TrainError("the worker '" + Name +
                     "' has ended; its own messages stand above. --resume goes "
                     "on from the last checkpoint");
  };
  for (size_t Done = 0; Done < Line.size();) {
    ssize_t N = ::write(Out, Line.data() + Done, Line.size() - Done);
    if (N < 0 && errno != EINTR)
      Ended();
    Done += N > 0 ? static_cast<size_t>(N) : 0;
  }
  size_t End;
  while ((End = Buffer.find('\n')) == std::string::npos) {
    char Chunk[65536];
    ssize_t N = ::read(In, Chunk, sizeof Chunk);
    if (N == 0 || (N < 0 && errno != EINTR))
      Ended();
    Buffer.append(Chunk, N > 0 ? static_cast<size_t>(N) : 0);
  }
  std::string Answer = Buffer.substr(0, End);
  Buffer.erase(0, End + 1);
  return Answer;
}
