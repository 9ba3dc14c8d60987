//===- DevicePrintf.cpp - printf of device code ---------------------------===//

#include "DeviceLibrary.h"
#include "Text.h"
#include <cstring>

namespace {

using cudal1::emulator::format;

/// Reads the values of Clang's argument buffer one after the other.
class ArgumentReader {
public:
  explicit ArgumentReader(const void *Buffer)
      : Next(static_cast<const char *>(Buffer)) {}

  template <typename T> T take() {
    auto Address = reinterpret_cast<uintptr_t>(Next);
    Next += (sizeof(T) - Address % sizeof(T)) % sizeof(T);
    T Value;
    std::memcpy(&Value, Next, sizeof(T));
    Next += sizeof(T);
    ++Count;
    return Value;
  }

  int32_t taken() const { return Count; }

private:
  const char *Next;
  int32_t Count = 0;
};

/// One conversion: from its % to the letter that ends it.
struct Conversion {
  std::string Flags; ///< with width and precision, `*` replaced by its value
  bool Long = false; ///< l, ll, z, j or t: the value has 64 bits
  bool Short = false;
  bool Char = false;
  char Letter = 0;
};

const char *parse(const char *At, ArgumentReader &Values, Conversion &Result) {
  Result.Flags = "%";
  for (++At; *At; ++At) {
    if (std::strchr("-+ #0123456789.", *At))
      Result.Flags += *At;
    else if (*At == '*')
      Result.Flags += format("%d", Values.take<int32_t>());
    else if (std::strchr("lzjtqL", *At))
      Result.Long = true;
    else if (*At == 'h') {
      Result.Char = Result.Short;
      Result.Short = true;
    } else
      break;
  }
  Result.Letter = *At;
  return *At ? At + 1 : At;
}

// The conversion was taken apart above, so the compiler cannot check it.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

std::string print(const Conversion &How, ArgumentReader &Values) {
  switch (How.Letter) {
  case 'd':
  case 'i': {
    long long Value =
        How.Long ? Values.take<int64_t>() : int64_t(Values.take<int32_t>());
    if (How.Short)
      Value = How.Char ? static_cast<signed char>(Value)
                       : static_cast<short>(Value);
    return format((How.Flags + "ll" + How.Letter).c_str(), Value);
  }
  case 'u':
  case 'o':
  case 'x':
  case 'X': {
    unsigned long long Value =
        How.Long ? Values.take<uint64_t>() : uint64_t(Values.take<uint32_t>());
    if (How.Short)
      Value &= How.Char ? 0xffu : 0xffffu;
    return format((How.Flags + "ll" + How.Letter).c_str(), Value);
  }
  case 'c':
    return format((How.Flags + "c").c_str(), Values.take<int32_t>());
  case 's': {
    const char *Text = Values.take<const char *>();
    return format((How.Flags + "s").c_str(), Text ? Text : "(null)");
  }
  case 'p':
    return format((How.Flags + "p").c_str(), Values.take<void *>());
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    return format((How.Flags + How.Letter).c_str(), Values.take<double>());
  case '%':
    return "%";
  default:
    return How.Flags + How.Letter;
  }
}

} // namespace

int32_t cudal1_device_vprintf(const char *Format, const void *Arguments) {
  ArgumentReader Values(Arguments);
  std::string Text;
  for (const char *At = Format; *At;) {
    if (*At != '%') {
      const char *Next = std::strchr(At, '%');
      Text.append(At, Next ? static_cast<size_t>(Next - At) : std::strlen(At));
      At += Next ? static_cast<size_t>(Next - At) : std::strlen(At);
      continue;
    }
    Conversion How;
    At = parse(At, Values, How);
    Text += print(How, Values);
  }
  // Printed in one piece: blocks may print at the same time.
  std::fwrite(Text.data(), 1, Text.size(), stdout);
  return Values.taken();
}
