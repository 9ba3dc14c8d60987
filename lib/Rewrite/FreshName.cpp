//===- FreshName.cpp - Names that clash with nothing ----------------------===//

#include "SourceLines.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Every identifier in the text of \p Function, in any branch.
static std::vector<std::string> wordsOf(const FunctionDecl &Function) {
  const ASTContext &Context = Function.getASTContext();
  const SourceManager &SM = Context.getSourceManager();
  CharSourceRange Range = SM.getExpansionRange(Function.getSourceRange());
  llvm::StringRef Text = Lexer::getSourceText(Range, SM, Context.getLangOpts());
  std::vector<std::string> Words;
  SourceLines Lines(Text);
  for (const RawToken &T : Lines.tokens())
    if (T.Kind == tok::raw_identifier)
      Words.push_back(Lines.spelling(T).str());
  return Words;
}

/// Something of this name can be seen from inside \p Function: a declaration of
/// a scope around it, or a macro.
static bool isVisible(const FunctionDecl &Function, llvm::StringRef Name) {
  IdentifierInfo &Identifier = Function.getASTContext().Idents.get(Name);
  if (Identifier.hadMacroDefinition() ||
      Identifier.isKeyword(Function.getASTContext().getLangOpts()))
    return true;
  for (const DeclContext *Scope = Function.getDeclContext(); Scope;
       Scope = Scope->getLookupParent())
    if (!Scope->lookup(DeclarationName(&Identifier)).empty())
      return true;
  return false;
}

std::string freshName(const FunctionDecl *Function, llvm::StringRef Wanted,
                      llvm::ArrayRef<std::string> Taken) {
  const FunctionDecl *Written = Function;
  if (const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern())
    Written = Pattern;
  const std::vector<std::string> Words = wordsOf(*Written);
  for (unsigned Number = 1;; ++Number) {
    std::string Name = Wanted.str();
    if (Number > 1)
      Name += std::to_string(Number);
    if (!llvm::is_contained(Words, Name) && !llvm::is_contained(Taken, Name) &&
        !isVisible(*Written, Name))
      return Name;
  }
}

} // namespace cudal1
