//===- BodyWalker.cpp - Statements and expressions of a body --------------===//

#include "BodyWalker.h"

#include "cudal1/Analysis/BuiltinVariables.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace cudal1 {

void BodyWalker::walk(const Stmt *Body) {
  Now = Context{};
  statement(Body);
}

void BodyWalker::setWritten(const Kernel &FirstWalk) {
  for (const MemoryAccess &A : FirstWalk.Accesses) {
    if (!A.writes())
      continue;
    if (A.Base)
      Forms.WrittenBases.insert(A.Base);
    if (A.Space != MemorySpace::Shared && A.Space != MemorySpace::Local)
      Forms.AnythingWritten = true;
  }
  if (!FirstWalk.UnknownCalls.empty() || FirstWalk.HasAsm)
    Forms.AnythingWritten = true;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void BodyWalker::child(const Stmt *S) {
  if (!S)
    return;
  llvm::SaveAndRestore Statement(Now.Statement, S);
  statement(S);
}

void BodyWalker::conditionalChild(const Stmt *S) {
  llvm::SaveAndRestore Conditional(Now.Conditional, true);
  child(S);
}

/// A `#pragma unroll` of any kind stands before the statement.
static bool hasUnrollPragma(const AttributedStmt *Attributed) {
  for (const Attr *A : Attributed->getAttrs())
    if (const auto *Hint = dyn_cast<LoopHintAttr>(A);
        Hint && (Hint->getOption() == LoopHintAttr::Unroll ||
                 Hint->getOption() == LoopHintAttr::UnrollCount))
      return true;
  return false;
}

/// Assembly of CUDA's own headers that only computes its outputs from its
/// inputs, as the arithmetic of half does: no memory operand, no special
/// register, nothing that other threads take part in.
static bool isLibraryArithmetic(const Stmt *S, const ASTContext &Context) {
  const auto *Asm = dyn_cast<GCCAsmStmt>(S);
  const SourceManager &SM = Context.getSourceManager();
  if (!Asm || Asm->isVolatile() || Asm->isAsmGoto() ||
      Asm->getNumClobbers() > 0 || Asm->getNumOutputs() == 0 ||
      !SM.isInSystemHeader(SM.getExpansionLoc(Asm->getAsmLoc())))
    return false;
  std::string Text = Asm->getAsmString();
  return llvm::none_of(llvm::ArrayRef<llvm::StringLiteral>(
                           {"[", "%%", "shfl", "vote", "match", "activemask",
                            "bar", "redux", "call", "mma", "atom"}),
                       [&](llvm::StringLiteral Word) {
                         return llvm::StringRef(Text).contains(Word);
                       });
}

void BodyWalker::statement(const Stmt *S) {
  if (!S)
    return;
  bool Pragma = false;
  if (const auto *Attributed = dyn_cast<AttributedStmt>(S)) {
    Pragma = hasUnrollPragma(Attributed);
    S = Attributed->getSubStmt();
  }
  if (const auto *E = dyn_cast<Expr>(S))
    return expression(E, Use::None);
  switch (S->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    for (const Stmt *Part : S->children())
      child(Part);
    return;
  case Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      declaration(D);
    return;
  case Stmt::IfStmtClass: {
    const auto *If = cast<IfStmt>(S);
    statement(If->getInit());
    if (const DeclStmt *Variable = If->getConditionVariableDeclStmt())
      statement(Variable);
    expression(If->getCond(), Use::Read);
    conditionalChild(If->getThen());
    conditionalChild(If->getElse());
    return;
  }
  case Stmt::SwitchStmtClass: {
    const auto *Switch = cast<SwitchStmt>(S);
    statement(Switch->getInit());
    expression(Switch->getCond(), Use::Read);
    conditionalChild(Switch->getBody());
    return;
  }
  case Stmt::ForStmtClass:
    return forLoop(cast<ForStmt>(S), Pragma);
  case Stmt::WhileStmtClass: {
    const auto *While = cast<WhileStmt>(S);
    return otherLoop(While, While->getCond(), While->getBody(), Pragma);
  }
  case Stmt::DoStmtClass: {
    const auto *Do = cast<DoStmt>(S);
    return otherLoop(Do, Do->getCond(), Do->getBody(), Pragma);
  }
  case Stmt::CXXForRangeStmtClass: {
    const auto *Range = cast<CXXForRangeStmt>(S);
    statement(Range->getRangeStmt());
    return otherLoop(Range, nullptr, Range->getBody(), Pragma);
  }
  case Stmt::ReturnStmtClass:
    if (const Expr *Value = cast<ReturnStmt>(S)->getRetValue())
      expression(Value,
                 Value->getType()->isPointerType() ? Use::Address : Use::Read);
    for (Loop *L = Now.InLoop; L; L = const_cast<Loop *>(L->Parent))
      L->HasEarlyExit = true;
    return;
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    for (Loop *L = Now.InLoop; L; L = const_cast<Loop *>(L->Parent))
      L->HasEarlyExit = true;
    return;
  case Stmt::BreakStmtClass:
    // A break of a switch counts too: to be careful costs little.
    if (Now.InLoop)
      Now.InLoop->HasEarlyExit = true;
    return;
  case Stmt::ContinueStmtClass:
    if (Now.InLoop)
      Now.InLoop->HasContinue = true;
    return;
  case Stmt::GCCAsmStmtClass:
  case Stmt::MSAsmStmtClass:
    K.HasAsm |= !isLibraryArithmetic(S, *K.Context);
    [[fallthrough]];
  default:
    for (const Stmt *Part : S->children())
      if (const auto *E = dyn_cast_or_null<Expr>(Part))
        expression(E, isa<GCCAsmStmt>(S) ? Use::ReadWrite : Use::Read);
      else
        child(Part);
  }
}

void BodyWalker::declaration(const Decl *D) {
  const auto *V = dyn_cast<VarDecl>(D);
  if (!V)
    return;
  QualType Type = V->getType();
  if (Type->isArrayType() && !Type->isDependentType()) {
    ArrayVariable Array;
    Array.Decl = V;
    Array.ElementType = scalarOf(Type);
    for (QualType Inner = Type;
         const auto *A = K.Context->getAsArrayType(Inner);
         Inner = A->getElementType())
      if (const auto *Constant = dyn_cast<ConstantArrayType>(A))
        Array.Extents.push_back(Constant->getSize().getSExtValue());
    bool Shared = V->hasAttr<CUDASharedAttr>();
    Array.Dynamic = Shared && Type->isIncompleteArrayType();
    (Shared ? K.SharedArrays : K.LocalArrays).push_back(std::move(Array));
  }
  const Expr *Init = V->getInit();
  // The compiler itself computes what a constexpr variable holds.
  if (!Init || V->isConstexpr())
    return;
  if (Type->isReferenceType()) {
    bool ToConst = Type.getNonReferenceType().isConstQualified();
    expression(Init, ToConst && !Init->isLValue() ? Use::Read : Use::Address);
  } else if (Type->isPointerType()) {
    // Followed where the variable is used.
    pointerOperands(Init);
    if (!Forms.pointerOf(Init).Base)
      expression(Init, Use::Address);
  } else {
    if (Type->isIntegerType() && !Init->isValueDependent())
      K.Forms[Init] = Forms.valueOf(Init);
    expression(Init, Use::Read);
  }
}

Loop &BodyWalker::addLoop(const Stmt *Statement, bool UnrollPragma) {
  auto L = std::make_unique<Loop>();
  L->Statement = Statement;
  L->Parent = Now.InLoop;
  L->Depth = Now.InLoop ? Now.InLoop->Depth + 1 : 1;
  L->HasUnrollPragma = UnrollPragma;
  if (Now.InLoop)
    Now.InLoop->IsInnermost = false;
  Assignments Inside = Assignments::of(Statement);
  for (const ValueDecl *V : Inside.changed())
    if (const auto *Variable = dyn_cast<VarDecl>(V))
      L->Assigned.push_back(Variable);
  K.Loops.push_back(std::move(L));
  return *K.Loops.back();
}

void BodyWalker::forLoop(const ForStmt *For, bool UnrollPragma) {
  statement(For->getInit());
  Loop &L = addLoop(For, UnrollPragma);
  recognizeCountedLoop(L, *For, Changes, Forms, K);
  llvm::SaveAndRestore Saved(Now);
  Now.InLoop = &L;
  Now.Conditional = false;
  Forms.enterLoop(L);
  if (For->getCond())
    expression(For->getCond(), Use::Read);
  if (For->getInc())
    expression(For->getInc(), Use::None);
  child(For->getBody());
  Forms.leaveLoop();
  if (Loop *Parent = const_cast<Loop *>(L.Parent))
    Parent->HasBarrier |= L.HasBarrier;
}

void BodyWalker::otherLoop(const Stmt *Statement, const Expr *Condition,
                           const Stmt *Body, bool UnrollPragma) {
  Loop &L = addLoop(Statement, UnrollPragma);
  llvm::SaveAndRestore Saved(Now);
  Now.InLoop = &L;
  Now.Conditional = false;
  if (Condition)
    expression(Condition, Use::Read);
  child(Body);
  if (Loop *Parent = const_cast<Loop *>(L.Parent))
    Parent->HasBarrier |= L.HasBarrier;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void BodyWalker::expression(const Expr *E, Use U) {
  if (!E)
    return;
  E = E->IgnoreParens();
  if (auto Builtin = asBuiltinVariable(E)) {
    std::array<bool, 3> *Uses[] = {&K.UsesThreadIdx, &K.UsesBlockIdx,
                                   &K.UsesBlockDim, &K.UsesGridDim};
    (*Uses[unsigned(Builtin->Kind)])[Builtin->Axis] = true;
    return;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return castExpression(Cast, U);
  if (const auto *Op = dyn_cast<UnaryOperator>(E))
    return unaryExpression(Op, U);
  if (const auto *Op = dyn_cast<BinaryOperator>(E);
      Op && (Op->isAssignmentOp() || Op->isLogicalOp()))
    return binaryExpression(Op);
  if (const auto *Op = dyn_cast<BinaryOperator>(E);
      Op && Op->isComparisonOp() && Op->getLHS()->getType()->isIntegerType()) {
    K.Forms[Op->getLHS()] = Forms.valueOf(Op->getLHS());
    K.Forms[Op->getRHS()] = Forms.valueOf(Op->getRHS());
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return reference(Ref, U);
  if (isa<ArraySubscriptExpr>(E))
    return access(E, U);
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    if (isa<FieldDecl>(Member->getMemberDecl()))
      return access(E, U);
    return expression(Member->getBase(), Use::Address);
  }
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
    return operatorCall(Operator);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (const auto *Select = dyn_cast<AbstractConditionalOperator>(E)) {
    expression(Select->getCond(), Use::Read);
    llvm::SaveAndRestore Conditional(Now.Conditional, true);
    expression(Select->getTrueExpr(), U);
    expression(Select->getFalseExpr(), U);
    return;
  }
  if (const auto *Lambda = dyn_cast<LambdaExpr>(E)) {
    llvm::SaveAndRestore Saved(Now);
    Now.Conditional = true;
    Now.InLambda = true;
    statement(Lambda->getBody());
    return;
  }
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    for (unsigned I = 0; I < Construct->getNumArgs(); ++I)
      argument(Construct->getArg(I),
               I < Construct->getConstructor()->getNumParams()
                   ? Construct->getConstructor()->getParamDecl(I)->getType()
                   : QualType());
    return;
  }
  if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
    return expression(Pseudo->getSyntacticForm(), U);
  if (isa<UnaryExprOrTypeTraitExpr, OpaqueValueExpr>(E))
    return;
  if (isa<CXXDefaultArgExpr>(E))
    return expression(cast<CXXDefaultArgExpr>(E)->getExpr(), U);
  bool Transparent = isa<MaterializeTemporaryExpr, FullExpr>(E);
  for (const Stmt *Part : E->children())
    if (const auto *Inner = dyn_cast_or_null<Expr>(Part))
      expression(Inner, Transparent ? U : Use::Read);
}

void BodyWalker::castExpression(const CastExpr *Cast, Use U) {
  const Expr *Inner = Cast->getSubExpr();
  switch (Cast->getCastKind()) {
  case CK_LValueToRValue:
    return expression(Inner,
                      Inner->getType()->isPointerType() && U == Use::Address
                          ? Use::Address
                          : Use::Read);
  case CK_ArrayToPointerDecay:
  case CK_FunctionToPointerDecay:
    // The array itself goes somewhere (operands of accesses never come here).
    return expression(Inner, Use::Address);
  case CK_PointerToIntegral:
  case CK_PointerToBoolean:
    // Only looked at as a number (alignment tests, null tests).
    pointerOperands(Inner);
    return;
  default:
    return expression(Inner, U);
  }
}

void BodyWalker::unaryExpression(const UnaryOperator *Op, Use U) {
  if (Op->getOpcode() == UO_Deref)
    return access(Op, U);
  if (Op->getOpcode() == UO_AddrOf)
    return expression(Op->getSubExpr(), Use::Address);
  expression(Op->getSubExpr(),
             Op->isIncrementDecrementOp() ? Use::ReadWrite : Use::Read);
}

void BodyWalker::binaryExpression(const BinaryOperator *Op) {
  if (Op->isLogicalOp()) {
    expression(Op->getLHS(), Use::Read);
    llvm::SaveAndRestore Conditional(Now.Conditional, true);
    return expression(Op->getRHS(), Use::Read);
  }
  const Expr *Target = Op->getLHS()->IgnoreParens();
  if (Op->getRHS()->getType()->isPointerType()) {
    // A pointer kept in a local variable is followed where it is used.
    const auto *Ref = dyn_cast<DeclRefExpr>(Target);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (V && V->isLocalVarDeclOrParm() && Forms.pointerOf(Target).Base)
      pointerOperands(Op->getRHS());
    else
      expression(Op->getRHS(), Use::Address);
  } else {
    expression(Op->getRHS(), Use::Read);
  }
  expression(Target,
             Op->isCompoundAssignmentOp() ? Use::ReadWrite : Use::Write);
}

void BodyWalker::reference(const DeclRefExpr *Ref, Use U) {
  const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
  if (!V)
    return;
  if (V->getType()->isPointerType()) {
    // `p += n` of a pointer that is followed keeps it followed.
    if (U == Use::Address ||
        (U == Use::ReadWrite && !Forms.pointerOf(Ref).Base))
      pointerValueEscapes(Ref);
    return;
  }
  // Scalars in shared, constant or global memory are memory too.
  // A constant of scalar type is a value (warpSize in Clang's headers).
  bool Value = V->getType().isConstQualified() && V->getType()->isScalarType();
  bool Memory =
      !Value && (V->hasAttr<CUDASharedAttr>() || V->hasAttr<CUDADeviceAttr>() ||
                 V->hasAttr<CUDAConstantAttr>());
  bool LocalArray = V->getType()->isArrayType();
  if ((Memory || (LocalArray && U == Use::Address)) && U != Use::None)
    access(Ref, U);
}

void BodyWalker::pointerValueEscapes(const Expr *Pointer) {
  ResolvedPointer P = Forms.pointerOf(Pointer);
  auto Escape = [&](const ValueDecl *D) {
    for (KernelParameter &Parameter : K.Parameters)
      if (Parameter.Decl == D)
        Parameter.Use.Escapes = true;
  };
  if (P.Base)
    return Escape(P.Base);
  // A variable that may hold any of several parameters.
  const auto *Ref = dyn_cast<DeclRefExpr>(Pointer->IgnoreParenImpCasts());
  if (!Ref)
    return;
  Escape(Ref->getDecl());
}

/// Walks what an address is computed from, but not the pointer itself.
void BodyWalker::pointerOperands(const Expr *Pointer) {
  Pointer = Pointer->IgnoreParens();
  if (const auto *Cast = dyn_cast<CastExpr>(Pointer)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return addressOperands(Cast->getSubExpr());
    return pointerOperands(Cast->getSubExpr());
  }
  if (isa<DeclRefExpr>(Pointer))
    return;
  if (const auto *Op = dyn_cast<UnaryOperator>(Pointer)) {
    if (Op->getOpcode() == UO_AddrOf)
      return addressOperands(Op->getSubExpr());
    if (Op->isIncrementDecrementOp())
      return pointerOperands(Op->getSubExpr());
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(Pointer);
      Op && Op->isAdditiveOp()) {
    bool LeftIsPointer = !Op->getLHS()->getType()->isIntegerType();
    pointerOperands(LeftIsPointer ? Op->getLHS() : Op->getRHS());
    return expression(LeftIsPointer ? Op->getRHS() : Op->getLHS(), Use::Read);
  }
  // A pointer read from memory or returned by a call.
  if (isa<ArraySubscriptExpr, MemberExpr>(Pointer) ||
      isa<UnaryOperator>(Pointer))
    return access(Pointer, Use::Read);
  expression(Pointer, Use::Read);
}

void BodyWalker::addressOperands(const Expr *LValue) {
  LValue = LValue->IgnoreParens();
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(LValue)) {
    pointerOperands(Subscript->getBase());
    K.Forms[Subscript->getIdx()] = Forms.valueOf(Subscript->getIdx());
    return expression(Subscript->getIdx(), Use::Read);
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(LValue);
      Op && Op->getOpcode() == UO_Deref)
    return pointerOperands(Op->getSubExpr());
  if (const auto *Member = dyn_cast<MemberExpr>(LValue)) {
    if (Member->isArrow())
      return pointerOperands(Member->getBase());
    return addressOperands(Member->getBase());
  }
  if (const auto *Cast = dyn_cast<CastExpr>(LValue))
    return addressOperands(Cast->getSubExpr());
  if (!isa<DeclRefExpr>(LValue))
    expression(LValue, Use::Read);
}

static std::string memberPath(const Expr *LValue) {
  std::string Path;
  LValue = LValue->IgnoreParens();
  while (const auto *Member = dyn_cast<MemberExpr>(LValue)) {
    Path = "." + Member->getMemberDecl()->getNameAsString() + Path;
    if (Member->isArrow())
      break;
    LValue = Member->getBase()->IgnoreParenImpCasts();
  }
  return Path;
}

void BodyWalker::access(const Expr *LValue, Use U) {
  addressOperands(LValue);
  if (U == Use::None)
    U = Use::Read;
  ResolvedPointer Address = Forms.addressOf(LValue);
  bool Elsewhere = U == Use::Address;
  // Members of local variables and of parameters passed by value are
  // registers, not memory.
  if (Address.Space == MemorySpace::Local && Address.Base &&
      !Address.Base->getType()->isArrayType())
    return;
  if (U == Use::Address) {
    if (Address.Base)
      for (KernelParameter &P : K.Parameters)
        if (P.Decl == Address.Base)
          P.Use.Escapes = true;
    U = Use::ReadWrite;
  }
  MemoryAccess A;
  A.Expression = LValue;
  A.Kind = U == Use::Write       ? AccessKind::Write
           : U == Use::ReadWrite ? AccessKind::ReadWrite
                                 : AccessKind::Read;
  A.Base = Address.Base;
  A.Space = Address.Space;
  A.ElementType = Address.Element;
  A.Member = memberPath(LValue);
  A.Index = Address.Index;
  // Whoever got the address may go on to any element.
  A.InCallee = Elsewhere;
  record(std::move(A));
}

void BodyWalker::record(MemoryAccess A) {
  A.Statement = Now.Statement;
  A.InLoop = Now.InLoop;
  A.Conditional = Now.Conditional;
  A.InCallee |= Now.InLambda;
  if (!A.ElementType.isNull() && !A.ElementType->isDependentType() &&
      !A.ElementType->isIncompleteType())
    A.ElementSize = K.Context->getTypeSizeInChars(A.ElementType).getQuantity();
  for (KernelParameter &P : K.Parameters)
    if (P.Decl == A.Base) {
      P.Use.Read |= A.reads();
      P.Use.Written |= A.writes();
      P.Use.Atomic |= A.Kind == AccessKind::Atomic;
    }
  classifyAccess(A, K);
  K.Accesses.push_back(std::move(A));
}

} // namespace cudal1
