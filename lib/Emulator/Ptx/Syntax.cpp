//===- Syntax.cpp - The text of inline PTX, parsed ------------------------===//

#include "Syntax.h"
#include "Lexer.h"
#include "Types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace cudal1::ptx;
using namespace llvm;

std::string Statement::name() const {
  std::string Name = Opcode;
  for (const std::string &Modifier : Modifiers)
    Name += "." + Modifier;
  return Name;
}

namespace {

/// Registers that `r<N>` may declare at most; more is no code by hand.
constexpr uint64_t MaxRange = 4096;

class Parser {
public:
  explicit Parser(std::vector<Token> Tokens) : Tokens(std::move(Tokens)) {}

  Expected<Program> run();

private:
  std::vector<Token> Tokens;
  size_t Position = 0;
  Program Result;
  std::vector<StringMap<unsigned>> Scopes{1};

  const Token &peek() const { return Tokens[Position]; }
  const Token &take() { return Tokens[Position++]; }
  bool consume(char C) {
    if (!peek().is(C))
      return false;
    ++Position;
    return true;
  }
  static Error fault(const Twine &What) {
    return createStringError("inline PTX: " + What);
  }
  Error expect(char C) {
    if (consume(C))
      return Error::success();
    return fault("expected '" + Twine(C) + "' before '" + peek().Text + "'");
  }

  Error statement();
  Error declaration(StringRef Directive);
  Error declare(StringRef Name, unsigned Bits);
  Error instruction();
  Expected<Operand> operand();
  Expected<Operand> simpleOperand();
  Expected<Operand> list(char Close, char Separator, OperandKind Kind);
  Expected<Operand> named(StringRef Name);
  Expected<Operand> number(bool Negative);
  std::optional<unsigned> lookUp(StringRef Name) const;
};

} // namespace

std::optional<unsigned> Parser::lookUp(StringRef Name) const {
  for (const StringMap<unsigned> &Scope : reverse(Scopes))
    if (auto Found = Scope.find(Name); Found != Scope.end())
      return Found->second;
  return std::nullopt;
}

Error Parser::declare(StringRef Name, unsigned Bits) {
  if (!Scopes.back().try_emplace(Name, Result.Registers.size()).second)
    return fault("register '" + Name + "' is declared twice");
  Result.Registers.push_back({Name.str(), Bits});
  return Error::success();
}

/// `.reg .u32 a, b<4>;`, also written `.reg.u32`.
Error Parser::declaration(StringRef Directive) {
  std::string Words = Directive.str();
  while (peek().Kind == TokenKind::Word && peek().Text[0] == '.')
    Words += take().Text;
  SmallVector<StringRef, 4> Parts;
  StringRef(Words).drop_front().split(Parts, '.');
  std::optional<PtxType> T;
  if (Parts.size() == 2 && Parts[0] == "reg")
    T = parseType(Parts[1]);
  if (!T)
    return fault("the declaration '" + Words + "' is not emulated");
  do {
    if (peek().Kind != TokenKind::Word)
      return fault("expected a register's name after '" + Words + "'");
    std::string Name = take().Text;
    if (!consume('<')) {
      if (Error E = declare(Name, T->bits()))
        return E;
      continue;
    }
    Token Count = take();
    if (Count.Kind != TokenKind::Integer || Count.Bits > MaxRange)
      return fault("'" + Name + "<...>' is not understood");
    for (uint64_t I = 0; I < Count.Bits; ++I)
      if (Error E = declare(Name + utostr(I), T->bits()))
        return E;
    if (Error E = expect('>'))
      return E;
  } while (consume(','));
  return expect(';');
}

Expected<Operand> Parser::named(StringRef Name) {
  Operand Op;
  if (Name == "_")
    return Op;
  std::optional<unsigned> Index = lookUp(Name);
  if (!Index && Name.contains('.')) {
    // A part of a register: `a.b0`.
    auto [Base, Selector] = Name.split('.');
    Index = lookUp(Base);
    if (Index)
      Op.Text = Selector.str();
  }
  if (Index) {
    Op.Kind = OperandKind::Register;
    Op.Index = *Index;
  } else {
    Op.Kind = OperandKind::Named;
    Op.Text = Name.str();
  }
  return Op;
}

Expected<Operand> Parser::number(bool Negative) {
  const Token &T = take();
  Operand Op;
  Op.Bits = T.Bits;
  switch (T.Kind) {
  case TokenKind::Integer:
    Op.Kind = OperandKind::Integer;
    if (Negative)
      Op.Bits = -Op.Bits;
    return Op;
  case TokenKind::Single:
    Op.Kind = OperandKind::Single;
    Op.Bits ^= uint64_t(Negative) << 31;
    return Op;
  case TokenKind::Double:
    Op.Kind = OperandKind::Double;
    Op.Bits ^= uint64_t(Negative) << 63;
    return Op;
  default:
    return fault("expected a number before '" + T.Text + "'");
  }
}

Expected<Operand> Parser::list(char Close, char Separator, OperandKind Kind) {
  Operand Op;
  Op.Kind = Kind;
  do {
    Expected<Operand> Element = operand();
    if (!Element)
      return Element.takeError();
    Op.Elements.push_back(std::move(*Element));
    // `[a-8]`: the sign belongs to the number.
  } while (consume(Separator) || (Separator == '+' && peek().is('-')));
  if (Error E = expect(Close))
    return std::move(E);
  return Op;
}

Expected<Operand> Parser::simpleOperand() {
  if (consume('{'))
    return list('}', ',', OperandKind::Vector);
  if (consume('['))
    return list(']', '+', OperandKind::Address);
  if (consume('-'))
    return number(/*Negative=*/true);
  switch (peek().Kind) {
  case TokenKind::Word:
    return named(take().Text);
  case TokenKind::Slot: {
    Operand Op;
    Op.Kind = OperandKind::Slot;
    Op.Index = take().Bits;
    if (peek().Kind == TokenKind::Word && peek().Text[0] == '.' &&
        !peek().SpaceBefore)
      Op.Text = take().Text.substr(1);
    return Op;
  }
  case TokenKind::Integer:
  case TokenKind::Single:
  case TokenKind::Double:
    return number(/*Negative=*/false);
  default:
    return fault("expected an operand before '" + peek().Text + "'");
  }
}

Expected<Operand> Parser::operand() {
  bool Negated = consume('!');
  Expected<Operand> Op = simpleOperand();
  if (!Op)
    return Op;
  Op->Negated = Negated;
  if (!consume('|'))
    return Op;
  Expected<Operand> Second = simpleOperand();
  if (!Second)
    return Second;
  Operand Pair;
  Pair.Kind = OperandKind::Pair;
  Pair.Elements = {std::move(*Op), std::move(*Second)};
  return Pair;
}

Error Parser::instruction() {
  Statement S;
  if (consume('@')) {
    Expected<Operand> Guard = operand();
    if (!Guard)
      return Guard.takeError();
    S.Guard = std::move(*Guard);
  }
  if (peek().Kind != TokenKind::Word)
    return fault("expected an instruction before '" + peek().Text + "'");
  SmallVector<StringRef, 8> Parts;
  std::string Name = take().Text;
  StringRef(Name).split(Parts, '.');
  S.Opcode = Parts[0].str();
  for (StringRef Part : drop_begin(Parts))
    S.Modifiers.push_back(Part.str());
  // Blanks inside of an opcode: `ld .global.u32`.
  while (peek().Kind == TokenKind::Word && peek().Text[0] == '.')
    for (StringRef Part : split(StringRef(take().Text).drop_front(), '.'))
      S.Modifiers.push_back(Part.str());
  if (!peek().is(';') && !peek().is('}') && peek().Kind != TokenKind::End)
    do {
      Expected<Operand> Op = operand();
      if (!Op)
        return createStringError(toString(Op.takeError()) + " in '" + S.name() +
                                 "'");
      S.Operands.push_back(std::move(*Op));
    } while (consume(','));
  Result.Statements.push_back(std::move(S));
  if (peek().is('}') || peek().Kind == TokenKind::End)
    return Error::success();
  return expect(';');
}

Error Parser::statement() {
  if (consume(';'))
    return Error::success();
  if (consume('{')) {
    Scopes.emplace_back();
    return Error::success();
  }
  if (consume('}')) {
    if (Scopes.size() == 1)
      return fault("a '}' too many");
    Scopes.pop_back();
    return Error::success();
  }
  if (peek().Kind == TokenKind::Word && peek().Text[0] == '.')
    return declaration(take().Text);
  if (peek().Kind == TokenKind::Word && Tokens[Position + 1].is(':')) {
    // A label does nothing by itself; a branch to it is not emulated.
    Position += 2;
    return Error::success();
  }
  return instruction();
}

Expected<Program> Parser::run() {
  while (peek().Kind != TokenKind::End)
    if (Error E = statement())
      return std::move(E);
  if (Scopes.size() != 1)
    return fault("a '}' is missing");
  return std::move(Result);
}

Expected<Program> cudal1::ptx::parseProgram(StringRef Text) {
  Expected<std::vector<Token>> Tokens = tokenize(Text);
  if (!Tokens)
    return Tokens.takeError();
  return Parser(std::move(*Tokens)).run();
}
