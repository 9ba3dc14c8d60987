//===- BuiltinUses.cpp - Mentions of threadIdx and its kin ----------------===//

#include "BuiltinUses.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace cudal1 {

static bool isBuiltinName(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}, true)
      .Default(false);
}

namespace {

/// Collects components; notes functions that are called and variables used as a
/// whole.
class UseFinder : public RecursiveASTVisitor<UseFinder> {
public:
  bool VisitPseudoObjectExpr(PseudoObjectExpr *E) {
    const auto *Property = dyn_cast<MSPropertyRefExpr>(
        E->getSyntacticForm()->IgnoreParenImpCasts());
    auto Builtin = Property ? asBuiltinVariable(Property) : std::nullopt;
    if (Builtin)
      Uses.push_back(
          {Builtin->Kind, Builtin->Axis, Property, Property->getMemberLoc()});
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (auto Builtin = asBuiltinVariable(E))
      Uses.push_back({Builtin->Kind, Builtin->Axis, E, E->getMemberLoc()});
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const ValueDecl *D = E->getDecl();
    if (D->getIdentifier() && isBuiltinName(D->getName()) &&
        D->getDeclContext()->getRedeclContext()->isTranslationUnit())
      Mentioned.insert(E->getLocation());
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    if (const FunctionDecl *F = C->getDirectCallee())
      Called.insert(F->getCanonicalDecl());
    else
      HasIndirectCall = true;
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) {
    Called.insert(C->getConstructor()->getCanonicalDecl());
    return true;
  }

  std::vector<BuiltinUse> Uses;
  std::set<SourceLocation> Mentioned;
  std::set<const FunctionDecl *> Called;
  bool HasIndirectCall = false;
};

} // namespace

/// Reads a component of a built-in variable, in Clang's own header.
static bool isGetter(const FunctionDecl &F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  return Method && Method->getParent()->getIdentifier() &&
         Method->getParent()->getName().starts_with("__cuda_builtin_");
}

/// Functions reachable from \p First that mention a built-in variable.
static const FunctionDecl *
calleeWithBuiltin(std::set<const FunctionDecl *> Work) {
  std::set<const FunctionDecl *> Done;
  while (!Work.empty()) {
    const FunctionDecl *F = *Work.begin();
    Work.erase(Work.begin());
    if (!Done.insert(F).second)
      continue;
    const FunctionDecl *Definition = nullptr;
    if (!F->hasBody(Definition))
      continue;
    if (isGetter(*Definition))
      continue;
    UseFinder Finder;
    Finder.TraverseStmt(Definition->getBody());
    if (!Finder.Mentioned.empty() || !Finder.Uses.empty() ||
        llvm::any_of(Finder.Called, [](const FunctionDecl *Inner) {
          return isGetter(*Inner);
        }))
      return F;
    Work.insert(Finder.Called.begin(), Finder.Called.end());
  }
  return nullptr;
}

/// Places in a function's text where the name of a built-in variable stands,
/// inactive branches included.
static std::set<unsigned> namesInText(const std::string &Text, unsigned Start,
                                      const LangOptions &Options) {
  std::set<unsigned> Places;
  const char *Begin = Text.c_str(), *End = Begin + Text.size();
  Lexer Raw(SourceLocation(), Options, Begin, Begin, End);
  Token Tok;
  while (!Raw.LexFromRawLexer(Tok))
    if (Tok.is(tok::raw_identifier) && isBuiltinName(Tok.getRawIdentifier()))
      Places.insert(Start + unsigned(Tok.getRawIdentifier().data() - Begin));
  return Places;
}

std::optional<std::vector<BuiltinUse>> builtinUses(const Kernel &K,
                                                   const EditBuilder &Texts,
                                                   std::string &Obstacle,
                                                   bool DropsBranches) {
  auto No = [&](const llvm::Twine &Why) {
    Obstacle = Why.str();
    return std::nullopt;
  };
  const SourceManager &SM = K.Context->getSourceManager();
  UseFinder Finder;
  Finder.TraverseStmt(K.Function->getBody());
  if (Finder.HasIndirectCall)
    return No("a function is called through a pointer");
  if (const FunctionDecl *F = calleeWithBuiltin(Finder.Called))
    return No("`" + F->getNameAsString() +
              "`, which the kernel calls, uses thread or block indices itself");
  // One use for each place in the text.
  std::set<unsigned> Offsets;
  std::vector<BuiltinUse> Uses;
  std::set<SourceLocation> Members;
  for (const BuiltinUse &Use : Finder.Uses) {
    SourceRange Range = Use.Expression->getSourceRange();
    if (Range.getBegin().isMacroID() || Use.Member.isMacroID() ||
        !Texts.canEdit(Range))
      return No("a thread or block index is written in a macro");
    if (!Members.insert(Use.Member).second)
      continue;
    Offsets.insert(SM.getFileOffset(Range.getBegin()));
    Uses.push_back(Use);
  }
  for (SourceLocation Loc : Finder.Mentioned)
    if (Loc.isMacroID() || !Offsets.count(SM.getFileOffset(Loc)))
      return No("a built-in variable is used as a whole");
  // Every mention in the text is one of these: none in an inactive branch.
  SourceRange Body = K.Function->getBody()->getSourceRange();
  StringRef Text = Texts.text(Body);
  if (Text.empty())
    return No("the kernel's body is made by a macro");
  if (!DropsBranches &&
      namesInText(Text.str(), SM.getFileOffset(Body.getBegin()),
                  K.Context->getLangOpts()) != Offsets)
    return No("a thread or block index stands in code that is not compiled");
  return Uses;
}

} // namespace cudal1
