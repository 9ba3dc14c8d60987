//===- Fiber.h - Switching from one stack to another ------------*- C++ -*-===//
///
/// \file
/// FiberX86.cpp does it for x86-64, FiberBoost.cpp (Boost.Context) for all
/// other machines. Boost's switch leaves by an indirect jump, so the
/// processor's stack of return addresses is one entry off afterwards, and every
/// return up to the device code is predicted wrongly: a switch cost three times
/// as much.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_FIBER_H
#define CUDAL1_RUNTIME_EMULATOR_FIBER_H

#include <cstdint>

namespace cudal1::emulator::fiber {

/// The first function on a fiber's stack; never returns. Defined by Block.cpp.
[[noreturn]] void enter();

/// Where a fiber begins whose stack ends at \p Top (exclusive, a multiple of
/// 16) and has \p Bytes bytes.
void *make(uintptr_t Top, uintptr_t Bytes);

/// Goes on at \p To; \p *From gets the place to come back to. Neither signal
/// masks nor floating-point modes are switched: device code changes none.
extern "C" void cudal1_emu_jump(void *To, void **From);

} // namespace cudal1::emulator::fiber

#endif // CUDAL1_RUNTIME_EMULATOR_FIBER_H
