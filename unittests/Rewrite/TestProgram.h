//===- TestProgram.h - Finding and editing in small programs ----*- C++ -*-===//
//
// What tests of rewrites need beside parsing: one node of a program, and the
// text after an edit.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_REWRITE_TESTPROGRAM_H
#define CUDAL1_UNITTESTS_REWRITE_TESTPROGRAM_H

#include "../ParseCuda.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "gtest/gtest.h"

namespace cudal1::testing {

/// The first node of type \p Node, in the order of the text, whose text begins
/// with \p Start; null when there is none.
template <typename Node>
const Node *findStmt(const Program &P, llvm::StringRef Start,
                     Side S = Side::Device) {
  struct Finder : clang::RecursiveASTVisitor<Finder> {
    const Program &P;
    llvm::StringRef Start;
    EditBuilder Texts;
    const Node *Found = nullptr;
    Finder(const Program &P, llvm::StringRef Start, Side S)
        : P(P), Start(Start), Texts(P, S) {}
    bool VisitStmt(clang::Stmt *Statement) {
      const auto *Wanted = llvm::dyn_cast<Node>(Statement);
      if (Wanted && Texts.text(Wanted->getSourceRange()).starts_with(Start))
        Found = Wanted;
      return !Found;
    }
  } Visitor(P, Start, S);
  for (clang::Decl *D : P.context(S).getTranslationUnitDecl()->decls())
    if (P.sources(S).isInMainFile(P.sources(S).getFileLoc(D->getLocation())) ||
        !P.sources(S).isInSystemHeader(D->getLocation()))
      if (!Visitor.TraverseDecl(D))
        break;
  EXPECT_TRUE(Visitor.Found) << "no statement begins with " << Start.str();
  return Visitor.Found;
}

inline const clang::FunctionDecl *
findFunction(const Program &P, llvm::StringRef Name, Side S = Side::Device) {
  clang::ASTContext &Context = P.context(S);
  auto Result = Context.getTranslationUnitDecl()->lookup(
      clang::DeclarationName(&Context.Idents.get(Name)));
  for (clang::NamedDecl *D : Result)
    if (const auto *F =
            llvm::dyn_cast<clang::FunctionDecl>(D->getUnderlyingDecl()))
      return F;
  return nullptr;
}

/// The main file's text after \p Builder's edit, or "error: ..." .
inline std::string applied(const Program &P, EditBuilder &Builder,
                           llvm::StringRef Path = MainFile) {
  llvm::Expected<Edit> E = Builder.finish();
  if (!E)
    return "error: " + llvm::toString(E.takeError());
  llvm::Expected<SourceOverlay> Texts = applyEdit(P, *E);
  if (!Texts)
    return "error: " + llvm::toString(Texts.takeError());
  return Texts->at(Path.str());
}

} // namespace cudal1::testing

#endif // CUDAL1_UNITTESTS_REWRITE_TESTPROGRAM_H
