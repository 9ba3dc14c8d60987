//===- Reaper.cpp - Commands do not outlive the tool ----------------------===//

#include "Reaper.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <sys/socket.h>
#include <unistd.h>

using namespace cudal1;

namespace {

/// Commands at once; further ones are not watched.
constexpr size_t MaxGroups = 1024;

/// Nothing that the parent had open stays open, but for standard input.
void closeAllButInput() {
  constexpr int MaxDescriptors = 65536;
  if (::close_range(1, ~0U, 0) == 0)
    return;
  for (int File = 1; File < MaxDescriptors; ++File)
    ::close(File);
}

/// Reads groups: N is begun, -N has ended. At the end of the stream kills those
/// that are left. In a forked child of a process with threads, so only what is
/// safe in a signal handler.
[[noreturn]] void reap() {
  std::array<pid_t, MaxGroups> Groups = {};
  pid_t Message = 0;
  for (;;) {
    ssize_t Size = ::recv(STDIN_FILENO, &Message, sizeof(Message), 0);
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size != sizeof(Message))
      break;
    pid_t Wanted = Message > 0 ? 0 : -Message;
    for (pid_t &Group : Groups)
      if (Group == Wanted) {
        Group = Message > 0 ? Message : 0;
        break;
      }
  }
  for (pid_t Group : Groups)
    if (Group > 0)
      ::kill(-Group, SIGKILL);
  ::_exit(0);
}

/// The only one of a process, since it stands for the process's life.
class Reaper {
public:
  static Reaper &ofThisProcess() {
    static Reaper R;
    return R;
  }

  void tell(pid_t Message) {
    std::lock_guard<std::mutex> Lock(Mutex);
    // A forked child that goes on without exec needs one of its own.
    if (Owner != ::getpid())
      start();
    if (Socket >= 0)
      ::send(Socket, &Message, sizeof(Message), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

private:
  void start() {
    if (Socket >= 0)
      ::close(Socket);
    Socket = -1;
    Owner = ::getpid();
    std::array<int, 2> Ends;
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Ends.data()))
      return;
    // It is neither interrupted nor ended with its parent's terminal or group.
    sigset_t All, Before;
    sigfillset(&All);
    ::pthread_sigmask(SIG_SETMASK, &All, &Before);
    pid_t Child = ::fork();
    if (Child == 0) {
      ::setsid();
      ::dup2(Ends[1], STDIN_FILENO);
      closeAllButInput();
      reap();
    }
    ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
    ::close(Ends[1]);
    if (Child > 0)
      Socket = Ends[0];
    else
      ::close(Ends[0]);
  }

  std::mutex Mutex; ///< guards what follows
  pid_t Owner = 0;
  int Socket = -1;
};

} // namespace

WatchedGroup::WatchedGroup(pid_t Group) : Group(Group) {
  Reaper::ofThisProcess().tell(Group);
}

WatchedGroup::~WatchedGroup() { Reaper::ofThisProcess().tell(-Group); }
