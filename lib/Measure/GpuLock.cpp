//===- GpuLock.cpp - One process times on a GPU at a time -----------------===//

#include "GpuLock.h"
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace cudal1;

namespace {

constexpr std::chrono::milliseconds PollInterval(10);
/// Timing one variant takes some seconds; who waits longer than this waits for
/// a process that was stopped, or for many.
constexpr std::chrono::minutes UsualPatience(2);

/// The user's own folder of things that live as long as processes do. Empty if
/// there is none, or it is another's.
std::string runtimeFolder() {
  const char *Parent = std::getenv("XDG_RUNTIME_DIR");
  std::string Folder = Parent && *Parent ? Parent : "/tmp";
  Folder += "/cuda-l1-opt-" + std::to_string(::getuid());
  ::mkdir(Folder.c_str(), S_IRWXU);
  struct stat Info = {};
  bool IsOurs = ::lstat(Folder.c_str(), &Info) == 0 && S_ISDIR(Info.st_mode) &&
                Info.st_uid == ::getuid();
  return IsOurs ? Folder : "";
}

} // namespace

GpuLock GpuLock::take(llvm::StringRef Gpu, std::chrono::milliseconds Patience,
                      const std::atomic<bool> *StopFlag) {
  std::string Folder = Gpu.empty() ? "" : runtimeFolder();
  if (Folder.empty())
    return GpuLock(-1);
  std::string Path = Folder + "/gpu-" + Gpu.str() + ".lock";
  constexpr mode_t Ours = S_IRUSR | S_IWUSR;
  GpuLock Lock(
      ::open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, Ours));
  auto Deadline = std::chrono::steady_clock::now() + Patience;
  while (Lock.isHeld() && ::flock(Lock.File, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > Deadline ||
        (StopFlag && *StopFlag)) {
      ::close(std::exchange(Lock.File, -1));
      break;
    }
    std::this_thread::sleep_for(PollInterval);
  }
  return Lock;
}

GpuLock GpuLock::take(llvm::StringRef Gpu, const std::atomic<bool> *StopFlag) {
  return take(Gpu, UsualPatience, StopFlag);
}

GpuLock::~GpuLock() {
  if (File >= 0)
    ::close(File);
}
