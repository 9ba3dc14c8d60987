//===- Races.h - Which accesses are ordered ---------------------*- C++ -*-===//
///
/// \file
/// What the scheduler tells the race detector, if races are looked for
/// (Launch::Races).
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_RACES_H
#define CUDAL1_RUNTIME_EMULATOR_RACES_H

#include <cstdint>

namespace cudal1::emulator {
class Block;
struct DeviceThread;
struct Launch;
} // namespace cudal1::emulator

namespace cudal1::emulator::races {

void startLaunch(const Launch &Run);
void startBlock(Block &Started);
void startPlainBlock(uint64_t Index);
/// A thread comes to a barrier that names a number of threads, and goes on.
void arriveAtBarrier(Block &Where, DeviceThread &Thread, uint32_t Id);
void leaveBarrier(Block &Where, DeviceThread &Thread, uint32_t Id);
/// A barrier lets its threads go. \p All: every thread of the block that has
/// not exited was there.
void completeBarrier(Block &Where, bool All);
void meetInWarp(Block &Where, uint32_t WarpIndex, uint32_t Lanes);
/// An atomic update by the running thread.
void noteAtomic();
/// A fence of the running thread: what it wrote before can be seen by who looks
/// after. Also called while no races are looked for.
void fence();

} // namespace cudal1::emulator::races

#endif // CUDAL1_RUNTIME_EMULATOR_RACES_H
