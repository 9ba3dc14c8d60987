//===- WaitingHints.h - Where a thread may wait for another -----*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_WAITINGHINTS_H
#define CUDAL1_LIB_EMULATOR_WAITINGHINTS_H

#include "RuntimeInterface.h"

namespace cudal1 {

/// Tells the runtime of the two ways in which threads wait for each other
/// without a barrier: a loop that reads what another thread will write
/// (volatile or atomic), and volatile accesses to shared memory by which the
/// lanes of a warp rely on running in lockstep. Call after optimising, when
/// the accesses stand in the loops that they belong to.
void addWaitingHints(RuntimeInterface &Runtime);

/// True if \p Address is derived from the block's shared memory as far as the
/// function itself shows.
bool isSharedAddress(const llvm::Value *Address);

/// The emulator's own accesses to the thread's state.
bool isThreadState(const llvm::Value *Address);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_WAITINGHINTS_H
