//===- HostIndexVisitor.h - Fills a HostIndex -------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_ANALYSIS_HOSTINDEXVISITOR_H
#define CUDAL1_LIB_ANALYSIS_HOSTINDEXVISITOR_H

#include "cudal1/Analysis/HostIndex.h"

#include "clang/AST/RecursiveASTVisitor.h"

namespace cudal1 {

/// Walks the declarations of the author's own files, template instantiations
/// instead of patterns, with the path from the root at hand.
class HostIndexVisitor : public clang::RecursiveASTVisitor<HostIndexVisitor> {
  using Base = clang::RecursiveASTVisitor<HostIndexVisitor>;

public:
  explicit HostIndexVisitor(HostIndex &Index)
      : Index(Index), SM(Index.Context.getSourceManager()) {}

  void run(const Program &P);

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool TraverseDecl(clang::Decl *D);
  bool TraverseStmt(clang::Stmt *S);
  bool TraverseLambdaExpr(clang::LambdaExpr *L);
  bool TraverseInitListExpr(clang::InitListExpr *L);
  bool TraverseConstructorInitializer(clang::CXXCtorInitializer *I);
  // Nothing is evaluated in these.
  bool TraverseTypeLoc(clang::TypeLoc, bool = true) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) {
    return true;
  }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr *) { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl *F);
  bool VisitVarDecl(clang::VarDecl *V);
  bool VisitFieldDecl(clang::FieldDecl *F);
  bool VisitCompoundStmt(clang::CompoundStmt *S);
  bool VisitReturnStmt(clang::ReturnStmt *S);
  bool VisitGotoStmt(clang::GotoStmt *) { return jump(); }
  bool VisitIndirectGotoStmt(clang::IndirectGotoStmt *) { return jump(); }
  bool VisitDeclRefExpr(clang::DeclRefExpr *E);
  bool VisitMemberExpr(clang::MemberExpr *E);
  bool VisitInitListExpr(clang::InitListExpr *L);
  bool VisitCXXParenListInitExpr(clang::CXXParenListInitExpr *L);
  bool VisitCallExpr(clang::CallExpr *C);
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *C);
  bool VisitCastExpr(clang::CastExpr *C);

private:
  /// One step of the path from the root: a statement or a declaration.
  struct Step {
    const clang::Stmt *S = nullptr;
    const clang::Decl *D = nullptr;
  };

  bool jump();
  bool isLibrary(const clang::Decl *D) const;
  const clang::RecordDecl *userRecord(clang::QualType T) const;
  void noteTemplateArguments(llvm::ArrayRef<clang::TemplateArgument> Args,
                             clang::SourceLocation Loc);
  void noteLibraryType(clang::QualType T, clang::SourceLocation Loc);
  void copied(clang::QualType T, clang::SourceLocation Loc);

  // Uses of slots.
  void useOfSlot(Slot S, size_t Level);
  bool useInOperator(const Slot &S, const clang::Expr *E, size_t Parent);
  void addressUse(const Slot &S, size_t Level);
  void passedToCall(const Slot &S, const clang::Expr *Argument,
                    size_t CallLevel, bool ByAddress);
  void parameterValueUse(const clang::ParmVarDecl *P, size_t Level);
  void containerUse(const clang::ValueDecl *V, size_t Level);
  void assignment(const Slot &S, const clang::BinaryOperator *Op, size_t Level);
  void unknown(const Slot &S, clang::SourceLocation Loc,
               const llvm::Twine &Why);
  void step(const Slot &S, clang::SourceLocation Loc);
  void write(SlotKey Key, SlotWrite W);
  void setPlace(SlotWrite &W, size_t Level) const;
  void initialize(const clang::ValueDecl *V, const clang::Expr *Init,
                  clang::SourceLocation Loc);
  bool isPlainUse(size_t Level) const;
  size_t skipCasts(size_t Level) const;

  // Exchanges.
  bool swapCall(const clang::CallExpr *C);
  size_t rotation(const clang::CompoundStmt &S, size_t First);
  void exchange(llvm::ArrayRef<Slot> Sides, clang::SourceLocation Loc);

  // Calls and records.
  void callOf(const clang::Expr *Call, const clang::FunctionDecl *Callee);
  void unseenCall(const clang::CallExpr *C, const clang::FunctionDecl *Callee);

  HostIndex &Index;
  const clang::SourceManager &SM;
  std::vector<Step> Path;
  std::vector<const clang::FunctionDecl *> Functions;
  /// Assignments and uses that are parts of an exchange already noted.
  llvm::DenseSet<const clang::Stmt *> PartOfExchange;
  /// Seen once the walk is over: whether other units can reach these.
  std::vector<const clang::VarDecl *> RecordVariables;
  std::vector<const clang::FunctionDecl *> RecordFunctions;
};

bool isPointerSlot(clang::QualType T);
const clang::RecordDecl *canonical(const clang::RecordDecl *R);

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_HOSTINDEXVISITOR_H
