//===- main.cpp - cuda-l1-train -------------------------------------------===//

#include "Commands.h"
#include <cstdio>
#include <exception>
#include <string>

using namespace cudal1;

/// libtorch puts a stack trace after its first line.
static std::string firstLine(const char *Text) {
  std::string Line = Text;
  return Line.substr(0, Line.find('\n'));
}

int main(int Argc, char **Argv) {
  try {
    CommandLine C = parseCommandLine({Argv + 1, Argv + Argc});
    Ranks R;
    runCommand(C, R);
    return 0;
  } catch (const std::exception &E) {
    std::fprintf(stderr, "cuda-l1-train: error: %s\n",
                 firstLine(E.what()).c_str());
    return 1;
  }
}
