//===- FiberBoost.cpp - Switching with Boost.Context ----------------------===//

#include "Fiber.h"
#include <boost/context/detail/fcontext.hpp>

using namespace cudal1::emulator;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace {

/// Each side that is jumped to stores the place of the other.
void storePlace(transfer_t Arrival) {
  *static_cast<void **>(Arrival.data) = Arrival.fctx;
}

void begin(transfer_t Arrival) {
  storePlace(Arrival);
  fiber::enter();
}

} // namespace

void *fiber::make(uintptr_t Top, uintptr_t Bytes) {
  return make_fcontext(reinterpret_cast<void *>(Top), Bytes, begin);
}

void fiber::cudal1_emu_jump(void *To, void **From) {
  storePlace(jump_fcontext(To, From));
}
