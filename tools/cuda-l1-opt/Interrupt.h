//===- Interrupt.h - Ctrl-C keeps the best so far ---------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_INTERRUPT_H
#define CUDAL1_TOOL_INTERRUPT_H

#include <atomic>

namespace cudal1 {

/// Catches SIGINT and SIGTERM: the first sets the flag, a second ends the
/// process at once. The flag lives as long as the process.
const std::atomic<bool> &watchInterrupts();

} // namespace cudal1

#endif // CUDAL1_TOOL_INTERRUPT_H
