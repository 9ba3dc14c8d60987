//===- Syntax.h - The text of inline PTX, parsed ----------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_SYNTAX_H
#define CUDAL1_LIB_EMULATOR_PTX_SYNTAX_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::ptx {

enum class OperandKind : uint8_t {
  Register, ///< Index into Program::Registers
  Slot,     ///< `$N` of the asm statement: Index is N
  Integer,  ///< Bits: two's complement
  Single,   ///< Bits: of an f32, written 0fXXXXXXXX
  Double,   ///< Bits: of an f64, written 0dXXXX or as a decimal
  Named,    ///< Text: a special register (`%laneid`) or a constant (`WARP_SZ`)
  Vector,   ///< `{a,b}`: Elements
  Address,  ///< `[a+b]`: Elements are a and, where present, b
  Pair,     ///< `p|q`: Elements
  Sink,     ///< `_`
};

struct Operand {
  OperandKind Kind = OperandKind::Sink;
  bool Negated = false; ///< `!p`
  unsigned Index = 0;
  uint64_t Bits = 0;
  std::string Text; ///< a Named operand's, or a selector such as `.b0`
  std::vector<Operand> Elements;
};

/// One instruction. `add.rn.f32` has the opcode `add` and the modifiers `rn`
/// and `f32`.
struct Statement {
  std::optional<Operand> Guard; ///< of `@p` and `@!p`
  std::string Opcode;
  llvm::SmallVector<std::string, 6> Modifiers;
  std::vector<Operand> Operands;

  std::string name() const; ///< opcode and modifiers as they were written
};

struct Register {
  std::string Name;
  unsigned Bits; ///< 1: a predicate
};

/// The statements of one asm text; scopes are resolved.
struct Program {
  std::vector<Register> Registers;
  std::vector<Statement> Statements;
};

/// Parses \p Text, the text of an LLVM inline asm call. Errors say what is not
/// understood.
llvm::Expected<Program> parseProgram(llvm::StringRef Text);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_SYNTAX_H
