//===- NumberingBranches.cpp - #if around thread numbers ------------------===//

#include "NumberingBranches.h"

#include "SourceLines.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

static bool isBuiltinName(llvm::StringRef Word) {
  return llvm::StringSwitch<bool>(Word)
      .Cases({"threadIdx", "blockIdx", "blockDim"}, true)
      .Default(false);
}

static bool isTypeWord(llvm::StringRef Word) {
  return llvm::StringSwitch<bool>(Word)
      .Cases({"const", "int", "unsigned", "size_t"}, true)
      .Default(false);
}

namespace {

/// Reads the tokens of all branches, one after the other.
class BranchReader {
public:
  BranchReader(const SourceLines &Lines, unsigned Begin, unsigned End,
               llvm::ArrayRef<ContractionCoordinate> Coordinates)
      : Lines(Lines), Coordinates(Coordinates) {
    for (const RawToken &T : Lines.tokens())
      if (T.Offset >= Begin && T.Offset < End)
        Tokens.push_back(&T);
  }
  /// Declarations of coordinates and nothing else.
  bool read() {
    while (Next < Tokens.size())
      if (!declaration())
        return false;
    return true;
  }

private:
  llvm::StringRef word() const {
    return Next < Tokens.size() ? Lines.spelling(*Tokens[Next]) : "";
  }
  bool take(llvm::StringRef Word) {
    bool Is = word() == Word;
    Next += Is;
    return Is;
  }
  bool isCoordinate(llvm::StringRef Name) const {
    return llvm::any_of(Coordinates, [&](const ContractionCoordinate &C) {
      return llvm::any_of(
          C.Variables, [&](const VarDecl *V) { return V->getName() == Name; });
    });
  }
  /// `const int row = ... ;`
  bool declaration() {
    unsigned TypeWords = 0;
    for (; isTypeWord(word()); ++Next)
      ++TypeWords;
    if (!TypeWords || !isCoordinate(word()))
      return false;
    ++Next;
    if (!take("="))
      return false;
    while (!take(";"))
      if (!operand())
        return false;
    return true;
  }
  /// `threadIdx.x`, a number, or what joins them.
  bool operand() {
    if (isBuiltinName(word())) {
      ++Next;
      return take(".") && (take("x") || take("y"));
    }
    bool IsPart = Next < Tokens.size() &&
                  (Tokens[Next]->Kind == tok::numeric_constant ||
                   llvm::is_contained({"+", "*", "(", ")"}, word()));
    Next += IsPart;
    return IsPart;
  }

  const SourceLines &Lines;
  llvm::ArrayRef<ContractionCoordinate> Coordinates;
  std::vector<const RawToken *> Tokens;
  size_t Next = 0;
};

} // namespace

bool branchesOnlyNumberThreads(
    const Kernel &K, llvm::ArrayRef<ContractionCoordinate> Coordinates) {
  const SourceManager &SM = K.Context->getSourceManager();
  SourceRange Body = K.Pattern->getBody()->getSourceRange();
  if (Body.getBegin().isMacroID() || Body.getEnd().isMacroID())
    return false;
  auto [File, Begin] = SM.getDecomposedLoc(Body.getBegin());
  auto [EndFile, End] = SM.getDecomposedLoc(Body.getEnd());
  // None in the function's head either.
  SourceRange Head(K.Pattern->getBeginLoc(), Body.getBegin());
  if (File != EndFile || spansDirective(*K.Context, Head))
    return false;
  SourceLines Lines(SM.getBufferData(File));
  std::vector<const RawDirective *> Found = Lines.directivesIn(Begin, End);
  llvm::erase_if(Found,
                 [](const RawDirective *D) { return D->Name == "pragma"; });
  if (Found.size() < 2 || Found.size() > 3 || Found.back()->Name != "endif" ||
      !llvm::is_contained({"if", "ifdef", "ifndef"}, Found.front()->Name) ||
      (Found.size() == 3 && Found[1]->Name != "else"))
    return false;
  return BranchReader(Lines, Found.front()->End, Found.back()->Offset,
                      Coordinates)
      .read();
}

} // namespace cudal1
