//===- Lexer.h - The words of inline PTX ------------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_LEXER_H
#define CUDAL1_LIB_EMULATOR_PTX_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudal1::ptx {

enum class TokenKind : uint8_t {
  Word,        ///< a name, an opcode with its modifiers, a directive
  Slot,        ///< `$N`: Bits is N
  Integer,     ///< Bits
  Single,      ///< Bits of an f32
  Double,      ///< Bits of an f64
  Punctuation, ///< Text is one character
  End,
};

struct Token {
  TokenKind Kind = TokenKind::End;
  std::string Text;
  uint64_t Bits = 0;
  bool SpaceBefore = false;

  bool is(char C) const {
    return Kind == TokenKind::Punctuation && Text[0] == C;
  }
};

/// All tokens of an inline asm text in LLVM's spelling (`$0`, `${0}`, `$$`),
/// with an End at the end.
llvm::Expected<std::vector<Token>> tokenize(llvm::StringRef Text);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_LEXER_H
