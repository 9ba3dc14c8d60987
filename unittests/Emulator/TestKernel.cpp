//===- TestKernel.cpp -----------------------------------------------------===//

#include "TestKernel.h"
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace cudal1::emulator {

double computedNanoseconds() {
  timespec Time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return static_cast<double>(Time.tv_sec) * 1e9 +
         static_cast<double>(Time.tv_nsec);
}

std::string findingsOf(const std::function<void()> &Body) {
  char Path[] = "/tmp/cudal1-findings-XXXXXX";
  int File = ::mkstemp(Path);
  std::string Old = settings().FindingsPath;
  settings().FindingsPath = Path;
  Body();
  settings().FindingsPath = Old;
  std::ostringstream Text;
  Text << std::ifstream(Path).rdbuf();
  ::close(File);
  ::unlink(Path);
  return Text.str();
}

} // namespace cudal1::emulator
