//===- Mbarrier.h - Barriers in shared memory of PTX ------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_MBARRIER_H
#define CUDAL1_LIB_EMULATOR_PTX_MBARRIER_H

#include "Emitter.h"

namespace cudal1::ptx {

/// \p Count (an i64) arrivals at the mbarrier object at \p Pointer. \p Drops:
/// later phases expect as many fewer. The state before.
llvm::Value *emitArrival(Emitter &E, llvm::Value *Pointer, llvm::Value *Count,
                         bool Drops);

/// A copy of \p Bytes (an i64) that the object at \p Pointer waits for is done.
void emitTransfer(Emitter &E, llvm::Value *Pointer, llvm::Value *Bytes);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_MBARRIER_H
