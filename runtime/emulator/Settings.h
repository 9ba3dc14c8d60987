//===- Settings.h - What the environment asks of the emulator ---*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_SETTINGS_H
#define CUDAL1_RUNTIME_EMULATOR_SETTINGS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace cudal1::emulator {

/// Stack of one device thread in bytes (256 KiB unless set).
inline constexpr char StackVariable[] = "CUDAL1_EMU_STACK";
/// Seconds that all threads may spin in vain before that is a deadlock.
inline constexpr char PatienceVariable[] = "CUDAL1_EMU_PATIENCE";

/// In which order blocks, and the threads of a block, run.
struct Order {
  enum KindType : uint8_t {
    Forward,
    Reverse,
    Random,
    Ahead, ///< one warp of each block runs as far as it can before the others
  };
  KindType Kind = Forward;
  uint64_t Seed = 0; ///< of Random
  uint32_t Warp = 0; ///< of Ahead

  /// From `forward`, `reverse`, `random:SEED` or `ahead:WARP`; Forward for
  /// anything else.
  static Order parse(const char *Text);
};

struct Settings {
  Order Schedule;
  unsigned Workers = 1; ///< OS threads that run blocks, the caller included
  size_t StackBytes = 0;
  double PatienceSeconds = 10;
  /// Look for data races (and use one worker): if the program was compiled for
  /// it, unless the environment says otherwise.
  bool Races = false;
  bool Quiet = false; ///< no findings on stderr
  std::string FindingsPath;

  static Settings fromEnvironment();
};

/// Set before any constructor of default priority if RaceAccesses.cpp, which
/// only code compiled to look for races calls, is part of the program.
extern bool CompiledForRaces;

/// Read from the environment when first asked for. Only tests change it, and
/// only between launches.
Settings &settings();

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_SETTINGS_H
