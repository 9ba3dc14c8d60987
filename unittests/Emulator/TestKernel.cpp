//===- TestKernel.cpp -----------------------------------------------------===//

#include "TestKernel.h"
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace cudal1::emulator {

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
