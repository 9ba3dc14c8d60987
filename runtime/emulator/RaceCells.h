//===- RaceCells.h - Who used each word last --------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_RACECELLS_H
#define CUDAL1_RUNTIME_EMULATOR_RACECELLS_H

#include "RaceClocks.h"

namespace cudal1::emulator::races {

/// One access to a word of four bytes.
struct Record {
  uint32_t Block = 0;       ///< low bits of the linear index
  uint32_t Thread : 10 = 0; ///< index in the block
  uint32_t Bytes : 4 = 0;   ///< of the word, as a mask
  uint32_t Strong : 1 = 0;  ///< atomic or volatile: does not race with its like
  uint32_t Atomic : 1 = 0;
  uint32_t SameValue : 1 = 0; ///< several threads wrote this value
  Tick When = 0;              ///< 0: nobody
  int32_t Site = 0;           ///< packed, see RaceAccesses.cpp
};

/// The last writer of a word and two of its readers since.
struct Cell {
  Record Writer;
  Record Readers[2];
};

/// Cells of the range of device memory, one each four bytes; nullptr before the
/// first launch that looks for races.
extern Cell *DeviceCells;
/// For each of these words the tick, if it is still now, at which reading it
/// tells nothing new, whoever does it (RaceShortcuts.h). Small, so that most of
/// it stays in the cache where the cells do not.
extern Tick *DeviceReadKnown;

/// The cell of the word at \p Address, or nullptr where races do not matter
/// (stacks, host memory).
Cell *findCell(uintptr_t Address);

/// Forgets all accesses.
void forgetCells();

} // namespace cudal1::emulator::races

#endif // CUDAL1_RUNTIME_EMULATOR_RACECELLS_H
