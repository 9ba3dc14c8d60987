//===- BodyWalker.h - Collects the facts of one function body ---*- C++ -*-===//

#ifndef CUDAL1_LIB_ANALYSIS_BODYWALKER_H
#define CUDAL1_LIB_ANALYSIS_BODYWALKER_H

#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Analysis/IndexForms.h"
#include "cudal1/Analysis/Kernel.h"
#include "clang/AST/StmtCXX.h"

namespace cudal1 {

/// What is known of functions called by kernels, shared by all kernels of one
/// analysis. A function being analysed (recursion) has no entry yet.
class CalleeSummaries {
public:
  /// The facts of a function's body as if it were a kernel; null when it has
  /// no body, is recursive, or the limits below are reached.
  const Kernel *of(const clang::FunctionDecl *Function,
                   clang::ASTContext &Context);

private:
  /// Bodies deeper in the call graph, or more of them, are not looked at.
  static constexpr unsigned MaxCallDepth = 8;
  static constexpr unsigned MaxFunctions = 4000;

  std::map<const clang::FunctionDecl *, std::unique_ptr<Kernel>> Known;
  unsigned Depth = 0;
};

/// Walks a body once and fills the lists of a Kernel.
class BodyWalker {
public:
  BodyWalker(Kernel &K, const Assignments &Changes, CalleeSummaries &Callees)
      : K(K), Changes(Changes), Forms(K, Changes), Callees(Callees) {}

  void walk(const clang::Stmt *Body);
  /// What a first walk found to be written: loads from there are volatile.
  void setWritten(const Kernel &FirstWalk);

private:
  /// How the value of an expression is used.
  enum class Use { Read, Write, ReadWrite, Address, None };

  struct Context {
    Loop *InLoop = nullptr;
    const clang::Stmt *Statement = nullptr;
    bool Conditional = false;
    bool InLambda = false;
  };

  void statement(const clang::Stmt *S);
  void child(const clang::Stmt *S);
  void conditionalChild(const clang::Stmt *S);
  void declaration(const clang::Decl *D);
  void forLoop(const clang::ForStmt *For, bool UnrollPragma);
  void otherLoop(const clang::Stmt *Statement, const clang::Expr *Condition,
                 const clang::Stmt *Body, bool UnrollPragma);
  Loop &addLoop(const clang::Stmt *Statement, bool UnrollPragma);

  void expression(const clang::Expr *E, Use U);
  void castExpression(const clang::CastExpr *Cast, Use U);
  void unaryExpression(const clang::UnaryOperator *Op, Use U);
  void binaryExpression(const clang::BinaryOperator *Op);
  void reference(const clang::DeclRefExpr *Ref, Use U);
  void access(const clang::Expr *LValue, Use U);
  void addressOperands(const clang::Expr *LValue);
  void pointerOperands(const clang::Expr *Pointer);
  void pointerValueEscapes(const clang::Expr *Pointer);
  void record(MemoryAccess A);

  void call(const clang::CallExpr *Call);
  void operatorCall(const clang::CXXOperatorCallExpr *Call);
  void knownCall(const clang::CallExpr *Call, DeviceFunction What);
  void bodyCall(const clang::CallExpr *Call, const clang::FunctionDecl *Callee,
                const Kernel &Summary);
  void unknownCall(const clang::CallExpr *Call,
                   const clang::FunctionDecl *Callee);
  void arguments(const clang::CallExpr *Call, unsigned From = 0);
  void argument(const clang::Expr *Arg, clang::QualType ParameterType);
  void barrier(const clang::CallExpr *Call, BarrierKind Kind);

  Kernel &K;
  const Assignments &Changes;
  IndexForms Forms;
  CalleeSummaries &Callees;
  Context Now;
};

/// Recognises a counted loop and fills its fields (Counted and below).
void recognizeCountedLoop(Loop &L, const clang::ForStmt &For,
                          const Assignments &Changes, IndexForms &Forms,
                          const Kernel &K);

/// Fills Affine, NonAffineReason, ThreadStride and Class.
void classifyAccess(MemoryAccess &A, Kernel &K);

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_BODYWALKER_H
