//===- FiberX86.cpp - Switching on x86-64 ---------------------------------===//

#include "Fiber.h"

using namespace cudal1::emulator;

// The registers that a callee must keep go onto the old stack and come from the
// new one. It ends in a return, to where the other side called from: the same
// place in nearly all cases, so the processor predicts it.
asm(R"(
  .text
  .p2align 4
  .globl cudal1_emu_jump
  .hidden cudal1_emu_jump
  .type cudal1_emu_jump, @function
cudal1_emu_jump:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rsi)
  movq %rdi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
  .size cudal1_emu_jump, .-cudal1_emu_jump
)");

void *fiber::make(uintptr_t Top, uintptr_t) {
  // As after a call: the return address is what the alignment of 16 lacks.
  auto *Slot = reinterpret_cast<uintptr_t *>(Top) - 1;
  *Slot = 0; // nowhere to return to: debuggers stop here
  *--Slot = reinterpret_cast<uintptr_t>(&fiber::enter);
  constexpr int KeptRegisters = 6;
  for (int I = 0; I < KeptRegisters; ++I)
    *--Slot = 0;
  return Slot;
}
