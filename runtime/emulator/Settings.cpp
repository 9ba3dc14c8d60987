//===- Settings.cpp -------------------------------------------------------===//

#include "Settings.h"
#include "Findings.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace cudal1::emulator {

namespace {

constexpr size_t DefaultStackBytes = size_t(256) * 1024;
/// Room for one call of the C library's printf and our own frames.
constexpr size_t SmallestStackBytes = size_t(32) * 1024;

const char *variable(const char *Name) {
  const char *Text = std::getenv(Name);
  return Text ? Text : "";
}

uint64_t number(const char *Name, uint64_t Default) {
  const char *Text = variable(Name);
  char *End = nullptr;
  uint64_t Value = std::strtoull(Text, &End, 0);
  return End == Text || *End ? Default : Value;
}

} // namespace

bool CompiledForRaces = false;

Order Order::parse(const char *Text) {
  Order Result;
  if (!std::strcmp(Text, "reverse")) {
    Result.Kind = Reverse;
  } else if (!std::strncmp(Text, "random", 6)) {
    Result.Kind = Random;
    Result.Seed = Text[6] == ':' ? std::strtoull(Text + 7, nullptr, 0) : 0;
  } else if (!std::strncmp(Text, "ahead:", 6)) {
    Result.Kind = Ahead;
    Result.Warp = static_cast<uint32_t>(std::strtoul(Text + 6, nullptr, 0));
  }
  return Result;
}

Settings Settings::fromEnvironment() {
  Settings Result;
  Result.Schedule = Order::parse(variable(OrderVariable));
  unsigned Cores = std::max(1u, std::thread::hardware_concurrency());
  Result.Races = number(RacesVariable, CompiledForRaces) != 0;
  Result.Workers = static_cast<unsigned>(
      std::clamp<uint64_t>(number(WorkersVariable, Cores), 1, 256));
  if (Result.Races)
    Result.Workers = 1;
  size_t Page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t Stack = std::max<size_t>(number(StackVariable, DefaultStackBytes),
                                  SmallestStackBytes);
  Result.StackBytes = (Stack + Page - 1) / Page * Page;
  Result.PatienceSeconds =
      static_cast<double>(std::max<uint64_t>(number(PatienceVariable, 10), 1));
  Result.Quiet = number(QuietVariable, 0) != 0;
  Result.FindingsPath = variable(FindingsVariable);
  return Result;
}

Settings &settings() {
  static Settings *Current = new Settings(Settings::fromEnvironment());
  return *Current;
}

} // namespace cudal1::emulator
