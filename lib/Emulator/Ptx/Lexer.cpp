//===- Lexer.cpp - The words of inline PTX --------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

class Lexer {
public:
  explicit Lexer(StringRef Text) : Rest(Text) {}

  Expected<std::vector<Token>> run();

private:
  StringRef Rest;
  bool SpaceBefore = false;

  Error skipBlanks();
  Expected<Token> next();
  Expected<Token> slot();
  Expected<Token> word();
  Expected<Token> number();
  Expected<Token> hexFloat(bool Single);
  Expected<Token> decimalFloat(StringRef Text);

  static Token make(TokenKind Kind, StringRef Text, uint64_t Bits = 0) {
    return {Kind, Text.str(), Bits, false};
  }
  Error notUnderstood() const {
    return createStringError("inline PTX is not understood at '" +
                             Rest.take_front(24) + "'");
  }
};

bool isWordStart(char C) { return isAlpha(C) || C == '_' || C == '%'; }

bool isWordPart(char C) { return isAlnum(C) || C == '_' || C == '%'; }

} // namespace

Error Lexer::skipBlanks() {
  SpaceBefore = false;
  while (!Rest.empty()) {
    if (isSpace(Rest[0])) {
      Rest = Rest.drop_front();
    } else if (Rest.starts_with("//")) {
      Rest = Rest.drop_until([](char C) { return C == '\n'; });
    } else if (Rest.starts_with("/*")) {
      size_t End = Rest.find("*/", 2);
      if (End == StringRef::npos)
        return notUnderstood();
      Rest = Rest.drop_front(End + 2);
    } else {
      break;
    }
    SpaceBefore = true;
  }
  return Error::success();
}

/// `$0` and `${0}`. LLVM has modifiers (`${0:c}`) too; NVPTX has none.
Expected<Token> Lexer::slot() {
  StringRef Text = Rest.drop_front();
  bool Braces = Text.consume_front("{");
  unsigned Index;
  if (Text.consumeInteger(10, Index) || (Braces && !Text.consume_front("}")))
    return notUnderstood();
  Rest = Text;
  return make(TokenKind::Slot, "$", Index);
}

/// A name. `.` joins an opcode and its modifiers, `::` stands inside of
/// modifiers, and LLVM writes `$$` for a `$`.
Expected<Token> Lexer::word() {
  std::string Word;
  while (!Rest.empty()) {
    if (isWordPart(Rest[0]) ||
        (Rest[0] == '.' && Rest.size() > 1 && isWordPart(Rest[1]))) {
      Word += Rest[0];
      Rest = Rest.drop_front();
    } else if (Rest.starts_with("$$")) {
      Word += '$';
      Rest = Rest.drop_front(2);
    } else if (Rest.size() > 2 && Rest.starts_with("::") && isAlnum(Rest[2])) {
      Word += "::";
      Rest = Rest.drop_front(2);
    } else {
      break;
    }
  }
  // A text without operands keeps the `%%` that one with operands would need.
  StringRef Name = Word;
  if (Name.starts_with("%%"))
    Name = Name.drop_front();
  return make(TokenKind::Word, Name);
}

Expected<Token> Lexer::hexFloat(bool Single) {
  StringRef Digits = Rest.drop_front(2).take_while(isHexDigit);
  uint64_t Bits;
  if (Digits.size() != (Single ? 8 : 16) || Digits.getAsInteger(16, Bits))
    return notUnderstood();
  Rest = Rest.drop_front(2 + Digits.size());
  return make(Single ? TokenKind::Single : TokenKind::Double, Digits, Bits);
}

Expected<Token> Lexer::decimalFloat(StringRef Text) {
  APFloat Value(APFloat::IEEEdouble());
  Expected<APFloat::opStatus> Status =
      Value.convertFromString(Text, APFloat::rmNearestTiesToEven);
  if (!Status)
    return Status.takeError();
  Rest = Rest.drop_front(Text.size());
  return make(TokenKind::Double, Text, Value.bitcastToAPInt().getZExtValue());
}

Expected<Token> Lexer::number() {
  if (Rest.starts_with_insensitive("0f"))
    return hexFloat(/*Single=*/true);
  if (Rest.starts_with_insensitive("0d"))
    return hexFloat(/*Single=*/false);
  size_t Digits = Rest.find_first_not_of("0123456789");
  if (Digits != StringRef::npos && StringRef(".eE").contains(Rest[Digits])) {
    size_t End = Rest.find_first_not_of("0123456789.eE+-");
    return decimalFloat(Rest.substr(0, End));
  }
  uint64_t Bits;
  StringRef Text = Rest;
  if (Text.consumeInteger(0, Bits))
    return notUnderstood();
  if (!Text.consume_front("U"))
    Text.consume_front("u");
  if (!Text.empty() && isWordPart(Text[0]))
    return notUnderstood();
  Rest = Text;
  return make(TokenKind::Integer, "", Bits);
}

Expected<Token> Lexer::next() {
  char C = Rest[0];
  if (Rest.starts_with("$$") || isWordStart(C) ||
      (C == '.' && Rest.size() > 1 && isAlpha(Rest[1])))
    return word();
  if (C == '$')
    return slot();
  if (isDigit(C))
    return number();
  if (!StringRef("{}[](),;:|!@<>+-=").contains(C))
    return notUnderstood();
  Rest = Rest.drop_front();
  return make(TokenKind::Punctuation, StringRef(&C, 1));
}

Expected<std::vector<Token>> Lexer::run() {
  std::vector<Token> Tokens;
  while (true) {
    if (Error E = skipBlanks())
      return std::move(E);
    if (Rest.empty())
      break;
    bool Space = SpaceBefore;
    Expected<Token> T = next();
    if (!T)
      return T.takeError();
    T->SpaceBefore = Space;
    Tokens.push_back(std::move(*T));
  }
  Tokens.push_back({});
  return Tokens;
}

Expected<std::vector<Token>> cudal1::ptx::tokenize(StringRef Text) {
  return Lexer(Text).run();
}
