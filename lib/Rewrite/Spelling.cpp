//===- Spelling.cpp - Write as the author of the code writes --------------===//

#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// Strips references, one level of pointer or all levels of arrays, and
/// qualifiers.
static TypeLoc elementLoc(TypeLoc Loc) {
  while (!Loc.isNull()) {
    if (auto Qualified = Loc.getAs<QualifiedTypeLoc>())
      Loc = Qualified.getUnqualifiedLoc();
    else if (auto Attributed = Loc.getAs<AttributedTypeLoc>())
      Loc = Attributed.getModifiedLoc();
    else if (auto Paren = Loc.getAs<ParenTypeLoc>())
      Loc = Paren.getInnerLoc();
    else if (auto Reference = Loc.getAs<ReferenceTypeLoc>())
      Loc = Reference.getPointeeLoc();
    else if (auto Pointer = Loc.getAs<PointerTypeLoc>())
      Loc = Pointer.getPointeeLoc();
    else if (auto Array = Loc.getAs<ArrayTypeLoc>())
      Loc = Array.getElementLoc();
    else
      break;
  }
  return Loc;
}

static bool isTypeText(llvm::StringRef Text) {
  return !Text.empty() && Text.size() < 60 &&
         llvm::all_of(
             Text,
             [](char C) {
               return llvm::isAlnum(C) || llvm::StringRef("_:<>, ").contains(C);
             });
}

static std::string printType(QualType Type, const ASTContext &Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressTagKeyword = true;
  return Type.getUnqualifiedType().getAsString(Policy);
}

std::string spellElementType(const ValueDecl *D, QualType Type,
                             const ASTContext &Context) {
  std::string Printed = printType(Type, Context);
  const auto *Declarator = dyn_cast<DeclaratorDecl>(D);
  if (!Declarator || !Declarator->getTypeSourceInfo())
    return Printed;
  TypeLoc Loc = elementLoc(Declarator->getTypeSourceInfo()->getTypeLoc());
  if (Loc.isNull() || !Context.hasSameUnqualifiedType(Loc.getType(), Type))
    return Printed;
  const SourceManager &SM = Context.getSourceManager();
  CharSourceRange Range = SM.getExpansionRange(Loc.getSourceRange());
  bool Macro = Loc.getBeginLoc().isMacroID();
  // A macro that makes the pointer too spells no element.
  CharSourceRange Whole = SM.getExpansionRange(
      Declarator->getTypeSourceInfo()->getTypeLoc().getSourceRange());
  if (Macro && Whole.getEnd() == Range.getEnd() &&
      !D->getType()->isArithmeticType())
    return Printed;
  // Words of a built-in type may stand apart (`unsigned const int`).
  if (isa<BuiltinType>(Loc.getTypePtr()) && !Macro)
    return Printed;
  llvm::StringRef Text =
      Lexer::getSourceText(Range, SM, Context.getLangOpts()).trim();
  for (llvm::StringRef Word : {"const ", "volatile ", "struct "})
    while (Text.consume_front(Word))
      Text = Text.ltrim();
  return isTypeText(Text) && !(Macro && Text.contains(' ')) ? Text.str()
                                                            : Printed;
}

std::string spellZero(QualType Type, llvm::StringRef Spelled) {
  if (Type->isSpecificBuiltinType(BuiltinType::Float) && Spelled == "float")
    return "0.0f";
  if (Type->isSpecificBuiltinType(BuiltinType::Double) && Spelled == "double")
    return "0.0";
  if (Type->isIntegerType())
    return "0";
  return (Spelled + "(0)").str();
}

bool prefersUnderscores(const Kernel &K) {
  unsigned Underscores = 0, Capitals = 0;
  auto Count = [&](llvm::StringRef Name) {
    if (Name.size() < 4)
      return;
    if (Name.drop_front().drop_back().contains('_'))
      ++Underscores;
    else if (llvm::isLower(Name.front()) && llvm::any_of(Name, llvm::isUpper))
      ++Capitals;
  };
  Count(K.Function->getName());
  for (const Decl *D : K.Function->decls())
    if (const auto *Variable = dyn_cast<VarDecl>(D))
      if (Variable->getDeclName().isIdentifier())
        Count(Variable->getName());
  return Underscores > Capitals;
}

std::string joinWords(const Kernel &K, llvm::ArrayRef<llvm::StringRef> Words) {
  bool Underscores = prefersUnderscores(K);
  std::string Result;
  for (llvm::StringRef Word : Words) {
    if (Word.empty())
      continue;
    if (Result.empty() || !Underscores) {
      std::string Part = Word.str();
      if (!Result.empty())
        Part[0] = llvm::toUpper(Part[0]);
      Result += Part;
    } else {
      Result += "_" + Word.str();
    }
  }
  return Result;
}

std::string plainName(const ValueDecl *Array) {
  llvm::StringRef Name = Array->getName();
  for (llvm::StringRef Prefix : {"dev_", "d_", "g_", "gpu_", "s_", "sh_", "m_"})
    if (Name.size() > Prefix.size() && Name.consume_front(Prefix))
      break;
  std::string Result = Name.str();
  // `A` becomes a, `XYZ` becomes xyz, `Input` becomes input.
  bool AllUpper = llvm::none_of(Result, llvm::isLower);
  for (size_t I = 0; I < Result.size() && (I == 0 || AllUpper); ++I)
    Result[I] = llvm::toLower(Result[I]);
  if (llvm::isDigit(Result.front()))
    return Array->getName().str();
  return Result;
}

std::string spell(const Expr *E, const ASTContext &Context) {
  return Lexer::getSourceText(
             CharSourceRange::getTokenRange(E->getSourceRange()),
             Context.getSourceManager(), Context.getLangOpts())
      .str();
}

std::string spellOnOneLine(const Expr *E, const ASTContext &Context) {
  std::string Text = spell(E, Context);
  if (llvm::StringRef(Text).contains("//") ||
      llvm::StringRef(Text).contains("/*"))
    return "";
  std::string Result;
  for (char C : Text) {
    if (!llvm::isSpace(C))
      Result += C;
    else if (!Result.empty() && Result.back() != ' ')
      Result += ' ';
  }
  return Result;
}

std::string spellOperand(const Expr *E, const ASTContext &Context) {
  std::string Text = spell(E, Context);
  const Expr *Plain = E->IgnoreImpCasts();
  bool Simple = isa<ParenExpr, DeclRefExpr, IntegerLiteral, FloatingLiteral,
                    CallExpr, ArraySubscriptExpr, MemberExpr, PseudoObjectExpr,
                    SubstNonTypeTemplateParmExpr>(Plain);
  // A macro may hide an operator.
  if (E->getBeginLoc().isMacroID() && !isa<ParenExpr>(Plain) &&
      !isa<IntegerLiteral, FloatingLiteral>(Plain))
    Simple = false;
  return Simple || Text.empty() ? Text : "(" + Text + ")";
}

std::string spellNegated(const Expr *Condition, const ASTContext &Context) {
  const Expr *E = Condition->IgnoreParenImpCasts();
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (Op && Op->isComparisonOp() && Op->getLHS()->getType()->isIntegerType())
    return spell(Op->getLHS(), Context) + " " +
           BinaryOperator::getOpcodeStr(
               BinaryOperator::negateComparisonOp(Op->getOpcode()))
               .str() +
           " " + spell(Op->getRHS(), Context);
  if (Op && Op->getOpcode() == BO_LOr)
    return spellNegated(Op->getLHS(), Context) + " && " +
           spellNegated(Op->getRHS(), Context);
  if (const auto *Not = dyn_cast<UnaryOperator>(E);
      Not && Not->getOpcode() == UO_LNot)
    return spellOperand(Not->getSubExpr()->IgnoreParens(), Context);
  return "!" + spellOperand(E, Context);
}

std::string indentationOf(const Stmt *S, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Loc = SM.getFileLoc(S->getBeginLoc());
  llvm::StringRef Text = SM.getBufferData(SM.getFileID(Loc));
  unsigned Offset = SM.getFileOffset(Loc);
  size_t Line = Text.rfind('\n', Offset);
  Line = Line == llvm::StringRef::npos ? 0 : Line + 1;
  llvm::StringRef Rest = Text.substr(Line, Offset - Line);
  return Rest.substr(0, Rest.find_first_not_of(" \t")).str();
}

} // namespace cudal1
