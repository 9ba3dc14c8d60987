//===- Text.h - printf into a string ----------------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_TEXT_H
#define CUDAL1_RUNTIME_EMULATOR_TEXT_H

#include <cstdarg>
#include <cstdio>
#include <string>

namespace cudal1::emulator {

/// What printf would print.
__attribute__((format(printf, 1, 2))) inline std::string
format(const char *Format, ...) {
  va_list Arguments, Again;
  va_start(Arguments, Format);
  va_copy(Again, Arguments);
  int Length = std::vsnprintf(nullptr, 0, Format, Arguments);
  va_end(Arguments);
  std::string Result(Length > 0 ? static_cast<size_t>(Length) : 0, '\0');
  std::vsnprintf(Result.data(), Result.size() + 1, Format, Again);
  va_end(Again);
  return Result;
}

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_TEXT_H
