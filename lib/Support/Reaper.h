//===- Reaper.h - Commands do not outlive the tool --------------*- C++ -*-===//

#ifndef CUDAL1_LIB_SUPPORT_REAPER_H
#define CUDAL1_LIB_SUPPORT_REAPER_H

#include <sys/types.h>

namespace cudal1 {

/// As long as it lives, another process of ours, which does nothing but wait,
/// kills the process group should this process end in any way, by SIGKILL too.
/// The death signal of Linux would not do: it comes when the thread ends that
/// started the child, and its own children do not get it. Where there can be no
/// such process, commands run without.
class WatchedGroup {
public:
  explicit WatchedGroup(pid_t Group);
  ~WatchedGroup();
  WatchedGroup(const WatchedGroup &) = delete;
  WatchedGroup &operator=(const WatchedGroup &) = delete;

private:
  pid_t Group;
};

} // namespace cudal1

#endif // CUDAL1_LIB_SUPPORT_REAPER_H
