//===- HostArrays.cpp - What host code does with an array -----------------===//

#include "HostArrays.h"
#include "CudaCalls.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

/// Functions of the program that are followed into each other.
static constexpr unsigned MaxDepth = 3;

bool isVectorOfNumbers(QualType T, const ASTContext &Context) {
  T = T.getNonReferenceType().getCanonicalType();
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!R || !R->getIdentifier() || R->getName() != "vector" ||
      !isOwningContainer(T, Context.getSourceManager()))
    return false;
  const TemplateArgumentList &Arguments = R->getTemplateArgs();
  return Arguments.size() > 0 &&
         Arguments[0].getKind() == TemplateArgument::Type &&
         Arguments[0].getAsType()->isArithmeticType() &&
         !Arguments[0].getAsType()->isBooleanType();
}

const Expr *freshHostMemory(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *New = dyn_cast<CXXNewExpr>(E))
    return New->isArray() && New->getNumPlacementArgs() == 0 ? E : nullptr;
  const auto *C = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
  if (!Callee || !Callee->getIdentifier())
    return nullptr;
  return Callee->getName() == "malloc" || Callee->getName() == "calloc"
             ? E
             : nullptr;
}

/// Calls `v.data()` and `v.begin()`.
static const Expr *objectOfCall(const Expr *E, llvm::StringRef Method) {
  const auto *C = dyn_cast<CXXMemberCallExpr>(E);
  const CXXMethodDecl *Callee = C ? C->getMethodDecl() : nullptr;
  return Callee && Callee->getIdentifier() && Callee->getName() == Method
             ? C->getImplicitObjectArgument()
             : nullptr;
}

HostPlace hostPlaceOf(const Expr *Pointer, const ASTContext &Context) {
  const Expr *E = Pointer->IgnoreParenCasts();
  HostPlace Place;
  auto Base = [&](const Expr *Of) {
    Of = Of->IgnoreParenCasts();
    const Expr *Object = objectOfCall(Of, "data");
    const auto *Ref =
        dyn_cast<DeclRefExpr>(Object ? Object->IgnoreParenImpCasts() : Of);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    QualType T = V ? V->getType().getNonReferenceType() : QualType();
    if (V && (Object ? isVectorOfNumbers(T, Context)
                     : T->isPointerType() || T->isConstantArrayType()))
      Place.Variable = V;
  };
  if (const auto *Op = dyn_cast<BinaryOperator>(E);
      Op && Op->getOpcode() == BO_Add &&
      Op->getLHS()->getType()->isPointerType()) {
    Base(Op->getLHS());
    Place.Offset = Op->getRHS()->IgnoreParenImpCasts();
  } else if (const auto *Address = dyn_cast<UnaryOperator>(E);
             Address && Address->getOpcode() == UO_AddrOf) {
    const Expr *Of = Address->getSubExpr()->IgnoreParenImpCasts();
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Of)) {
      Base(Subscript->getBase());
      Place.Offset = Subscript->getIdx()->IgnoreParenImpCasts();
    } else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(Of);
               Call && Call->getOperator() == OO_Subscript) {
      const auto *Ref =
          dyn_cast<DeclRefExpr>(Call->getArg(0)->IgnoreParenImpCasts());
      const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
      if (V && isVectorOfNumbers(V->getType(), Context))
        Place.Variable = V;
      Place.Offset = Call->getArg(1)->IgnoreParenImpCasts();
    } else if (const auto *Ref = dyn_cast<DeclRefExpr>(Of)) {
      // A variable that is copied as a whole: `&scale`.
      if (!Ref->getType()->isPointerType())
        Place.Variable = dyn_cast<VarDecl>(Ref->getDecl());
    }
  } else {
    Base(E);
  }
  Expr::EvalResult Zero;
  if (Place.Offset && !Place.Offset->isValueDependent() &&
      Place.Offset->EvaluateAsInt(Zero, Context) && Zero.Val.getInt() == 0)
    Place.Offset = nullptr;
  return Place;
}

//===----------------------------------------------------------------------===//
// From a mention upwards
//===----------------------------------------------------------------------===//

HostUses::HostUses(const FunctionDecl &F, ASTContext &Context, unsigned Depth)
    : F(F), Context(Context), Depth(Depth),
      Parents(std::make_unique<ParentMap>(F.getBody())) {}

HostUses::~HostUses() = default;

std::vector<HostUse> HostUses::of(const VarDecl *V) const {
  std::vector<HostUse> Uses;
  llvm::SmallPtrSet<const DeclRefExpr *, 8> InLambdas;
  findIn(F.getBody(), [&](const Stmt *S) {
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      findIn(Lambda, [&](const Stmt *Inner) {
        if (const auto *Ref = dyn_cast<DeclRefExpr>(Inner))
          InLambdas.insert(Ref);
        return false;
      });
    return false;
  });
  llvm::SmallPtrSet<const DeclRefExpr *, 16> Seen;
  findIn(F.getBody(), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref || Ref->getDecl() != V || !Seen.insert(Ref).second)
      return false;
    HostUse Use = InLambdas.contains(Ref) ? HostUse() : read(Ref);
    Use.Mention = Ref;
    if (!Use.At)
      Use.At = Ref;
    Uses.push_back(Use);
    return false;
  });
  return Uses;
}

HostUse HostUses::read(const DeclRefExpr *Mention) const {
  QualType T = Mention->getDecl()->getType().getNonReferenceType();
  if (T.isVolatileQualified())
    return {};
  if (T->isPointerType())
    return climb(Mention, Form::Variable);
  if (T->isArrayType())
    return climb(Mention, Form::Element);
  if (isVectorOfNumbers(T, Context))
    return climb(Mention, Form::Container);
  // A scalar or a struct that is copied as a whole.
  return climb(Mention, Form::Element);
}

HostUse HostUses::climb(const Expr *E, Form As) const {
  const Stmt *Parent = Parents->getParent(E);
  if (!Parent)
    return {};
  if (isa<ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(
          Parent))
    return climb(cast<Expr>(Parent), As);
  if (const auto *Cast = dyn_cast<CastExpr>(Parent))
    return ofCast(Cast, As);
  if (isa<UnaryExprOrTypeTraitExpr>(Parent))
    return {HostUse::Query, nullptr, Parent};
  switch (As) {
  case Form::Variable:
    return ofVariable(E, Parent);
  case Form::Pointer:
    return ofPointer(E, Parent);
  case Form::Iterator:
    return ofIterator(E, Parent);
  case Form::Container:
    return ofContainer(E, Parent);
  case Form::Element:
    return ofElement(E, Parent);
  }
  return {};
}

HostUse HostUses::ofCast(const CastExpr *Cast, Form As) const {
  switch (Cast->getCastKind()) {
  case CK_LValueToRValue:
    if (As == Form::Variable)
      return climb(Cast, Form::Pointer);
    if (As == Form::Element && !Cast->getType()->isPointerType())
      return {HostUse::Read, nullptr, Cast};
    return {};
  case CK_ArrayToPointerDecay:
    return As == Form::Element ? climb(Cast, Form::Pointer) : HostUse();
  case CK_BitCast:
    return As == Form::Pointer ? climb(Cast, As) : HostUse();
  case CK_NoOp:
  case CK_ConstructorConversion:
    return climb(Cast, As);
  case CK_PointerToBoolean:
    return {HostUse::Query, nullptr, Cast};
  case CK_ToVoid:
    return {HostUse::Query, nullptr, Cast};
  default:
    return {};
  }
}

HostUse HostUses::ofElement(const Expr *E, const Stmt *Parent) const {
  if (const auto *Op = dyn_cast<UnaryOperator>(Parent)) {
    if (Op->getOpcode() == UO_AddrOf)
      return climb(Op, Form::Pointer);
    return Op->isIncrementDecrementOp()
               ? HostUse{HostUse::Write, nullptr, Parent}
               : HostUse();
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(Parent))
    return Op->isAssignmentOp() && Op->getLHS() == E
               ? HostUse{HostUse::Write, nullptr, Parent}
               : HostUse();
  if (const auto *Member = dyn_cast<MemberExpr>(Parent))
    return isa<FieldDecl>(Member->getMemberDecl()) &&
                   !Member->getMemberDecl()->getType()->isReferenceType()
               ? climb(Member, Form::Element)
               : HostUse();
  if (const auto *Copy = dyn_cast<CXXConstructExpr>(Parent))
    return Copy->getConstructor()->isCopyOrMoveConstructor() &&
                   Copy->getConstructor()->isTrivial()
               ? HostUse{HostUse::Read, nullptr, Parent}
               : HostUse();
  const auto *C = dyn_cast<CallExpr>(Parent);
  const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
  if (!Callee)
    return {};
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(C))
    return Operator->getOperator() == OO_Equal && Callee->isTrivial()
               ? HostUse{HostUse::Write, nullptr, C}
               : HostUse();
  // References that go no further than a value.
  bool Known = Callee->isInStdNamespace() && Callee->getIdentifier() &&
               llvm::StringSwitch<bool>(Callee->getName())
                   .Cases({"min", "max", "swap", "abs"}, true)
                   .Default(false);
  return Known ? result(C, HostUse::Write) : HostUse();
}

HostUse HostUses::ofRange(const CXXForRangeStmt *Loop) const {
  const VarDecl *Each = Loop->getLoopVariable();
  if (!Each || !Each->getType()->isReferenceType())
    return {HostUse::Read, nullptr, Loop};
  HostUse Worst{HostUse::Read, nullptr, Loop};
  findIn(Loop->getBody(), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (Ref && Ref->getDecl() == Each)
      Worst.K = std::max(Worst.K, climb(Ref, Form::Element).K);
    return false;
  });
  return Worst;
}

/// `auto &&range = v` of a `for (x : v)`.
static const CXXForRangeStmt *rangeOf(const Stmt *S, const ParentMap &Parents) {
  const auto *Loop = dyn_cast_or_null<CXXForRangeStmt>(Parents.getParent(S));
  return Loop && Loop->getRangeStmt() == S ? Loop : nullptr;
}

HostUse HostUses::ofContainer(const Expr *E, const Stmt *Parent) const {
  if (isa<DeclStmt>(Parent)) {
    const CXXForRangeStmt *Loop = rangeOf(Parent, *Parents);
    return Loop ? ofRange(Loop) : HostUse();
  }
  if (const auto *Copy = dyn_cast<CXXConstructExpr>(Parent))
    return Copy->getConstructor()->isCopyConstructor()
               ? HostUse{HostUse::Read, nullptr, Parent}
               : HostUse();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Parent)) {
    bool First = Operator->getNumArgs() > 0 && Operator->getArg(0) == E;
    switch (Operator->getOperator()) {
    case OO_Subscript:
      return climb(Operator, Form::Element);
    case OO_Equal:
      return {First ? HostUse::Resize : HostUse::Read, nullptr, Parent};
    case OO_EqualEqual:
    case OO_ExclaimEqual:
    case OO_Less:
      return {HostUse::Read, nullptr, Parent};
    default:
      return {};
    }
  }
  if (const auto *C = dyn_cast<CallExpr>(Parent))
    return ofArgument(E, C, Form::Container);
  const auto *Member = dyn_cast<MemberExpr>(Parent);
  const auto *C =
      Member ? dyn_cast_or_null<CXXMemberCallExpr>(Parents->getParent(Member))
             : nullptr;
  const CXXMethodDecl *Method = C ? C->getMethodDecl() : nullptr;
  if (!Method || !Method->getIdentifier() || C->getCallee() != Member)
    return {};
  enum { Other, Data, Iterator, Element, Query, Resize };
  switch (llvm::StringSwitch<int>(Method->getName())
              .Case("data", Data)
              .Cases({"begin", "end", "cbegin", "cend"}, Iterator)
              .Cases({"front", "back", "at"}, Element)
              .Cases({"size", "empty", "capacity"}, Query)
              .Cases({"resize", "reserve", "assign", "push_back", "pop_back",
                      "insert", "clear", "emplace_back", "shrink_to_fit"},
                     Resize)
              .Default(Other)) {
  case Data:
    return climb(C, Form::Pointer);
  case Iterator:
    return climb(C, Form::Iterator);
  case Element:
    return climb(C, Form::Element);
  case Query:
    return {HostUse::Query, nullptr, C};
  case Resize:
    return {HostUse::Resize, nullptr, C};
  default:
    return {};
  }
}

HostUse HostUses::ofIterator(const Expr *E, const Stmt *Parent) const {
  if (const auto *Copy = dyn_cast<CXXConstructExpr>(Parent))
    return climb(Copy, Form::Iterator);
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Parent)) {
    switch (Operator->getOperator()) {
    case OO_Plus:
    case OO_Minus:
      return Operator->getType()->isRecordType()
                 ? climb(Operator, Form::Iterator)
                 : HostUse{HostUse::Query, nullptr, Parent};
    case OO_Star:
      return climb(Operator, Form::Element);
    case OO_EqualEqual:
    case OO_ExclaimEqual:
      return {HostUse::Query, nullptr, Parent};
    default:
      return {};
    }
  }
  const auto *C = dyn_cast<CallExpr>(Parent);
  return C && !isa<CXXMemberCallExpr>(C) ? ofArgument(E, C, Form::Iterator)
                                         : HostUse();
}

HostUse HostUses::ofPointer(const Expr *E, const Stmt *Parent) const {
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent))
    return Subscript->getBase() == E ? climb(Subscript, Form::Element)
                                     : HostUse();
  if (const auto *Op = dyn_cast<UnaryOperator>(Parent)) {
    if (Op->getOpcode() == UO_Deref)
      return climb(Op, Form::Element);
    return Op->getOpcode() == UO_LNot ? HostUse{HostUse::Query, nullptr, Parent}
                                      : HostUse();
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(Parent)) {
    if (Op->isComparisonOp())
      return {HostUse::Query, nullptr, Parent};
    if (!Op->isAdditiveOp())
      return {};
    return Op->getType()->isPointerType()
               ? climb(Op, Form::Pointer)
               : HostUse{HostUse::Query, nullptr, Parent};
  }
  if (const auto *Member = dyn_cast<MemberExpr>(Parent))
    return isa<FieldDecl>(Member->getMemberDecl())
               ? climb(Member, Form::Element)
               : HostUse();
  if (isa<CXXDeleteExpr>(Parent))
    return {HostUse::Release, nullptr, Parent};
  if (const auto *C = dyn_cast<CallExpr>(Parent))
    return ofArgument(E, C, Form::Pointer);
  return {};
}

/// The pointer variable itself, not its value.
HostUse HostUses::ofVariable(const Expr *E, const Stmt *Parent) const {
  if (const auto *Op = dyn_cast<BinaryOperator>(Parent))
    return Op->getOpcode() == BO_Assign && Op->getLHS() == E
               ? HostUse{HostUse::Define, nullptr, Parent}
               : HostUse();
  const auto *Address = dyn_cast<UnaryOperator>(Parent);
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return {};
  const Stmt *Up = Parents->getParent(Address);
  while (Up && isa<CastExpr, ParenExpr>(Up))
    Up = Parents->getParent(Up);
  const auto *C = dyn_cast_or_null<CallExpr>(Up);
  const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
  bool Allocates = Callee && Callee->getIdentifier() &&
                   llvm::StringSwitch<bool>(Callee->getName())
                       .Cases({"cudaMallocHost", "cudaMalloc"}, true)
                       .Default(false);
  return Allocates ? HostUse{HostUse::Define, nullptr, C} : HostUse();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// What becomes of the result of \p C, which may lead to the memory.
HostUse HostUses::result(const CallExpr *C, HostUse::Kind AtLeast) const {
  HostUse Use{HostUse::Query, nullptr, C};
  const Stmt *Parent = Parents->getParent(C);
  while (Parent && isa<ExprWithCleanups, ParenExpr>(Parent))
    Parent = Parents->getParent(Parent);
  bool Discarded = Parent && !isa<Expr, DeclStmt, ReturnStmt>(Parent);
  QualType T = C->getType();
  if (!Discarded && !T->isVoidType()) {
    if (C->isGLValue())
      Use = climb(C, Form::Element);
    else if (T->isPointerType())
      Use = climb(C, Form::Pointer);
    else if (T->isRecordType())
      Use = climb(C, Form::Iterator);
  }
  Use.K = std::max(Use.K, AtLeast);
  Use.At = C;
  return Use;
}

/// Every use of a parameter in a function of the program, as one.
HostUse HostUses::inCallee(const CallExpr *C, unsigned Argument) const {
  const FunctionDecl *Definition = nullptr;
  const FunctionDecl *Callee = C->getDirectCallee();
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  const SourceManager &SM = Context.getSourceManager();
  if (Depth >= MaxDepth || !Callee->hasBody(Definition) ||
      (Method && Method->isVirtual()) || isa<CXXOperatorCallExpr>(C) ||
      Argument >= Definition->getNumParams() ||
      SM.isInSystemHeader(SM.getExpansionLoc(Definition->getLocation())))
    return {};
  HostUse Worst{HostUse::Query, nullptr, C};
  HostUses Inner(*Definition, Context, Depth + 1);
  for (const HostUse &Use : Inner.of(Definition->getParamDecl(Argument))) {
    // It may still be under way when the function returns.
    const auto *Copy = dyn_cast<CallExpr>(Use.At);
    const FunctionDecl *Copies = Copy ? Copy->getDirectCallee() : nullptr;
    if (Copies && Copies->getIdentifier() &&
        Copies->getName().ends_with("Async"))
      return {};
    switch (Use.K) {
    case HostUse::CopyFrom:
      Worst.K = std::max(Worst.K, HostUse::Read);
      break;
    case HostUse::CopyTo:
      Worst.K = std::max(Worst.K, HostUse::Write);
      break;
    case HostUse::Define:
    case HostUse::Release:
      return {};
    default:
      Worst.K = std::max(Worst.K, Use.K);
    }
  }
  return Worst;
}

HostUse HostUses::ofArgument(const Expr *E, const CallExpr *C, Form As) const {
  const FunctionDecl *Callee = C->getDirectCallee();
  if (!Callee || isa<CUDAKernelCallExpr>(C))
    return {};
  unsigned Index = 0;
  while (Index < C->getNumArgs() && C->getArg(Index) != E)
    ++Index;
  if (Index == C->getNumArgs() || !Callee->getIdentifier())
    return {};
  llvm::StringRef Name = Callee->getName();
  if (Name == "cudaMemcpy" || Name == "cudaMemcpyAsync") {
    if (Index > 1)
      return {};
    return {Index ? HostUse::CopyFrom : HostUse::CopyTo, nullptr, C};
  }
  if (Name == "cudaMemcpyToSymbol" && Index == 1)
    return {HostUse::CopyFrom, nullptr, C};
  if (Name == "cudaMemcpyFromSymbol" && Index == 0)
    return {HostUse::CopyTo, nullptr, C};
  if (Name == "free" || Name == "cudaFreeHost" || Name == "cudaFree")
    return {HostUse::Release, nullptr, C};
  if (Name == "cudaHostUnregister" || (Name == "cudaHostRegister" && !Index))
    return {HostUse::Query, nullptr, C};
  const SourceManager &SM = Context.getSourceManager();
  if (!SM.isInSystemHeader(SM.getExpansionLoc(Callee->getLocation())) &&
      Callee->hasBody())
    return inCallee(C, Index);
  bool Library = SM.isInSystemHeader(Callee->getLocation()) ||
                 Callee->getBuiltinID() || Callee->isInStdNamespace();
  if (!Library || As == Form::Container)
    return {};
  enum { Unknown, FillsFirst, Writes, Reads };
  switch (llvm::StringSwitch<int>(Name)
              .Cases({"memcpy", "memmove", "memset", "fread"}, FillsFirst)
              .Cases({"fill", "fill_n", "iota", "sort", "stable_sort", "copy",
                      "copy_n", "generate", "reverse"},
                     Writes)
              .Cases({"memcmp", "accumulate", "equal", "is_sorted", "fwrite",
                      "max_element", "min_element"},
                     Reads)
              .Default(Unknown)) {
  case FillsFirst:
    return result(C, Index ? HostUse::Read : HostUse::Write);
  case Writes:
    return result(C, HostUse::Write);
  case Reads:
    return result(C, HostUse::Read);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Own memory
//===----------------------------------------------------------------------===//

bool HostUses::isOwnMemory(const VarDecl *V) const {
  QualType T = V->getType();
  if (isa<ParmVarDecl>(V) || !V->hasLocalStorage() || T->isReferenceType())
    return false;
  unsigned Defined = 0;
  if (T->isPointerType() && V->hasInit() &&
      !isNullPointer(V->getInit(), Context)) {
    if (!freshHostMemory(V->getInit()))
      return false;
    ++Defined;
  }
  for (const HostUse &Use : of(V)) {
    if (Use.K == HostUse::Kept)
      return false;
    if (Use.K != HostUse::Define)
      continue;
    ++Defined;
    const auto *Sets = dyn_cast<BinaryOperator>(Use.At);
    const auto *C = dyn_cast<CallExpr>(Use.At);
    if ((Sets && !freshHostMemory(Sets->getRHS())) ||
        (C && C->getDirectCallee()->getName() != "cudaMallocHost"))
      return false;
  }
  if (T->isPointerType())
    return Defined == 1;
  return T->isConstantArrayType() || isVectorOfNumbers(T, Context) ||
         T->isArithmeticType() ||
         (T->isRecordType() && T.isTrivialType(Context));
}

} // namespace cudal1
