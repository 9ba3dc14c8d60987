//===- HostSlotUses.cpp - Fills a HostIndex: uses of pointer slots --------===//
//
// Every mention of a slot is judged by what stands around it. What is not known
// to leave the slot alone counts as an unknown write.
//
//===----------------------------------------------------------------------===//

#include "HostIndexVisitor.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

void HostIndexVisitor::write(SlotKey Key, SlotWrite W) {
  W.In = Functions.empty() ? nullptr : Functions.back();
  Index.Writes[Key].push_back(std::move(W));
}

void HostIndexVisitor::unknown(const Slot &S, SourceLocation Loc,
                               const llvm::Twine &Why) {
  SlotWrite W;
  W.Loc = Loc;
  W.Why = ("`" + S.Key.getPointer()->getNameAsString() + "` " + Why + " at " +
           Index.where(Loc))
              .str();
  write(S.Key, std::move(W));
}

void HostIndexVisitor::step(const Slot &S, SourceLocation Loc) {
  SlotWrite W;
  W.K = SlotWrite::Step;
  W.Loc = Loc;
  write(S.Key, std::move(W));
}

size_t HostIndexVisitor::skipCasts(size_t Level) const {
  while (Level > 0 && Path[Level - 1].S &&
         isa<CastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr>(
             Path[Level - 1].S))
    --Level;
  return Level;
}

/// A place for statements, where an expression's value is dropped or tested.
static bool holdsStatements(const Stmt *S) {
  return isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, CaseStmt,
             DefaultStmt, LabelStmt, SwitchStmt, AttributedStmt>(S);
}

/// The expression at \p Level stands by itself or only its value is used.
bool HostIndexVisitor::isPlainUse(size_t Level) const {
  if (Level == 0 || !Path[Level - 1].S)
    return false;
  const Stmt *Parent = Path[Level - 1].S;
  if (isa<ParenExpr, FullExpr>(Parent))
    return isPlainUse(Level - 1);
  if (const auto *Cast = dyn_cast<CastExpr>(Parent))
    return Cast->getCastKind() == CK_LValueToRValue ||
           Cast->getCastKind() == CK_ToVoid;
  if (const auto *Comma = dyn_cast<BinaryOperator>(Parent))
    return Comma->getOpcode() == BO_Comma &&
           (Comma->getLHS() == Path[Level].S || isPlainUse(Level - 1));
  return holdsStatements(Parent);
}

/// Where a declaration or assignment stands, when by itself in a list.
void HostIndexVisitor::setPlace(SlotWrite &W, size_t Level) const {
  while (Level > 0 && Path[Level - 1].S &&
         isa<FullExpr, ParenExpr>(Path[Level - 1].S))
    --Level;
  if (Level == 0 || !Path[Level - 1].S)
    return;
  const Stmt *Parent = Path[Level - 1].S;
  if (isa<ForStmt>(Parent) && isa<DeclStmt>(Path[Level].S)) {
    W.Scope = Parent;
    return;
  }
  const auto *List = dyn_cast<CompoundStmt>(Parent);
  if (!List)
    return;
  unsigned Position = 0;
  for (const Stmt *Child : List->body()) {
    if (Child == Path[Level].S) {
      W.Scope = List;
      W.Position = Position;
      return;
    }
    ++Position;
  }
}

void HostIndexVisitor::initialize(const ValueDecl *V, const Expr *Init,
                                  SourceLocation Loc) {
  if (!isPointerSlot(V->getType()) || V->getType()->isReferenceType())
    return;
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(Init))
    Init = Default->getExpr();
  SlotKey Key(cast<ValueDecl>(V->getCanonicalDecl()), false);
  SlotWrite W;
  W.K = SlotWrite::Value;
  W.E = Init;
  W.Loc = Loc;
  // The declaration's statement is one step up from the variable.
  if (isa<VarDecl>(V) && Path.size() >= 2 && Path[Path.size() - 2].S)
    setPlace(W, Path.size() - 2);
  if (!V->getType()->isArrayType()) {
    write(Key, std::move(W));
    return;
  }
  const auto *List = dyn_cast<InitListExpr>(Init->IgnoreImplicit());
  if (List && !List->isSemanticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  if (!List) {
    if (!isa<ImplicitValueInitExpr, CXXConstructExpr>(Init))
      unknown({Key}, Loc, "is initialised");
    return;
  }
  for (unsigned I = 0; I < List->getNumInits(); ++I) {
    SlotWrite Element = W;
    Element.E = List->getInit(I);
    Element.Element = int(I);
    write(Key, std::move(Element));
  }
}

bool HostIndexVisitor::VisitVarDecl(VarDecl *V) {
  if (V->isThisDeclarationADefinition() && userRecord(V->getType()))
    RecordVariables.push_back(V);
  if (V->hasExternalStorage() && !V->getDefinition())
    if (const RecordDecl *R = userRecord(V->getType()))
      Index.escapeRecord(R, V->getLocation(),
                         "`" + V->getNameAsString() +
                             "` belongs to another file");
  noteLibraryType(V->getType(), V->getLocation());
  if (V->isLocalVarDecl() && Path.size() >= 3 && Path[Path.size() - 3].S)
    Index.ScopeOfVariable[V] = Path[Path.size() - 3].S;
  if (V->getInit() && !isa<ParmVarDecl>(V))
    initialize(V, V->getInit(), V->getLocation());
  if (const auto *Bindings = dyn_cast<DecompositionDecl>(V))
    if (const RecordDecl *R = userRecord(Bindings->getType()))
      Index.escapeRecord(R, V->getLocation(),
                         "`" + R->getNameAsString() + "` is decomposed at " +
                             Index.where(V->getLocation()));
  return true;
}

bool HostIndexVisitor::VisitFieldDecl(FieldDecl *F) {
  noteLibraryType(F->getType(), F->getLocation());
  if (F->hasInClassInitializer() && F->getInClassInitializer())
    initialize(F, F->getInClassInitializer(), F->getLocation());
  return true;
}

bool HostIndexVisitor::VisitInitListExpr(InitListExpr *L) {
  const auto *R = L->getType()->getAsRecordDecl();
  if (!R || isLibrary(R))
    return true;
  unsigned I = 0;
  if (const auto *Class = dyn_cast<CXXRecordDecl>(R))
    I = Class->getNumBases();
  for (const FieldDecl *F : R->fields()) {
    if (F->isUnnamedBitField())
      continue;
    if (I >= L->getNumInits())
      break;
    initialize(F, L->getInit(I++), L->getBeginLoc());
  }
  return true;
}

bool HostIndexVisitor::VisitCXXParenListInitExpr(CXXParenListInitExpr *L) {
  if (const RecordDecl *R = userRecord(L->getType()))
    Index.escapeRecord(R, L->getBeginLoc(),
                       "`" + R->getNameAsString() + "` is initialised at " +
                           Index.where(L->getBeginLoc()));
  return true;
}

static bool onlyReadsKernel(const FunctionDecl &F) {
  return isLaunchFunction(F) ||
         (F.getIdentifier() && (F.getName().starts_with("cudaFunc") ||
                                F.getName().starts_with("cudaOccupancy")));
}

bool HostIndexVisitor::VisitDeclRefExpr(DeclRefExpr *E) {
  size_t Level = Path.size() - 1;
  ValueDecl *D = E->getDecl();
  if (auto *F = dyn_cast<FunctionDecl>(D)) {
    size_t Outer = skipCasts(Level);
    if (Outer > 0 && Path[Outer - 1].S)
      if (const auto *Op = dyn_cast<UnaryOperator>(Path[Outer - 1].S))
        if (Op->getOpcode() == UO_AddrOf)
          Outer = skipCasts(Outer - 1);
    const auto *Call =
        Outer > 0 ? dyn_cast_or_null<CallExpr>(Path[Outer - 1].S) : nullptr;
    bool Called = Call && Call->getCallee() == Path[Outer].S;
    bool Harmless = Call && Call->getDirectCallee() &&
                    onlyReadsKernel(*Call->getDirectCallee());
    if (!Called && !Harmless)
      Index.AddressTaken.try_emplace(F->getCanonicalDecl(), E->getLocation());
    return true;
  }
  if (const auto *Field = dyn_cast<FieldDecl>(D)) {
    if (isPointerSlot(Field->getType()))
      unknown({SlotKey(Field, false)}, E->getLocation(),
              "is named by a member pointer");
    return true;
  }
  auto *V = dyn_cast<VarDecl>(D);
  if (!V)
    return true;
  if (E->refersToEnclosingVariableOrCapture() && !Functions.empty())
    if (const auto *Operator = dyn_cast<CXXMethodDecl>(Functions.back()))
      if (Operator->getParent()->isLambda())
        for (const LambdaCapture &C : Operator->getParent()->captures())
          if (C.capturesVariable() && C.getCapturedVar() == V &&
              C.getCaptureKind() == LCK_ByCopy)
            copied(V->getType(), E->getLocation());
  if (isOwningContainer(V->getType(), SM))
    containerUse(V, Level);
  if (auto It = Index.ArgumentArrays.find(V);
      It != Index.ArgumentArrays.end()) {
    size_t Outer = skipCasts(Level);
    const auto *Call =
        Outer > 0 ? dyn_cast_or_null<CallExpr>(Path[Outer - 1].S) : nullptr;
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    if (!Callee || !isLaunchFunction(*Callee))
      It->second = E->getLocation();
  }
  if (!isPointerSlot(V->getType()))
    return true;
  Slot S;
  S.Key = SlotKey(V->getFirstDecl(),
                  isa<ParmVarDecl>(V) && V->getType()->isReferenceType());
  useOfSlot(S, Level);
  return true;
}

bool HostIndexVisitor::VisitMemberExpr(MemberExpr *E) {
  size_t Level = Path.size() - 1;
  ValueDecl *D = E->getMemberDecl();
  if (const auto *Conversion = dyn_cast<CXXConversionDecl>(D))
    if (Conversion->getParent()->isLambda())
      if (const CXXMethodDecl *Operator =
              Conversion->getParent()->getLambdaCallOperator())
        Index.AddressTaken.try_emplace(Operator->getCanonicalDecl(),
                                       E->getMemberLoc());
  if (isOwningContainer(D->getType(), SM))
    containerUse(D, Level);
  if (isa<FunctionDecl>(D) || !isPointerSlot(D->getType()))
    return true;
  Slot S;
  S.Key = SlotKey(cast<ValueDecl>(D->getCanonicalDecl()), false);
  S.Base = isa<FieldDecl>(D) ? E->getBase() : nullptr;
  S.Arrow = E->isArrow();
  useOfSlot(S, Level);
  return true;
}

/// \p S is named by the expression at \p Level.
void HostIndexVisitor::useOfSlot(Slot S, size_t Level) {
  while (Level > 0) {
    const auto *E = cast<Expr>(Path[Level].S);
    const Stmt *Parent = Path[Level - 1].S;
    SourceLocation Loc = E->getBeginLoc();
    if (!Parent)
      return unknown(S, Loc, "is bound to a reference");
    if (PartOfExchange.contains(Parent))
      return;
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Parent)) {
      if (Cast->getCastKind() == CK_LValueToRValue) {
        const auto *P = dyn_cast<ParmVarDecl>(S.Key.getPointer());
        if (P && !S.Key.getInt())
          parameterValueUse(P, Level - 1);
        return;
      }
      if (Cast->getCastKind() == CK_ArrayToPointerDecay && Level > 1) {
        const auto *Subscript =
            dyn_cast_or_null<ArraySubscriptExpr>(Path[Level - 2].S);
        if (Subscript && Subscript->getBase() == Cast) {
          S.Index = Subscript->getIdx();
          Level -= 2;
          continue;
        }
        return unknown(S, Loc, "is passed on as an array");
      }
      if (Cast->getCastKind() != CK_NoOp)
        return unknown(S, Loc, "is used in a way not understood");
      --Level;
      continue;
    }
    if (isa<ParenExpr>(Parent)) {
      --Level;
      continue;
    }
    if (const auto *Choice = dyn_cast<ConditionalOperator>(Parent)) {
      if (Choice->getCond() == E || isPlainUse(Level - 1))
        return;
      return unknown(S, Loc, "is used in a way not understood");
    }
    // Used within the lambda under its own name; copies are no writes.
    if (isa<LambdaExpr>(Parent))
      return;
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(Parent)) {
      QualType Element = Range->getLoopVariable()->getType();
      if (Element->isReferenceType() &&
          !Element->getPointeeType().isConstQualified())
        unknown(S, Loc, "is bound to a reference");
      return;
    }
    if (const auto *Call = dyn_cast<CallExpr>(Parent);
        Call && passesThrough(Call)) {
      --Level;
      continue;
    }
    if (isa<CallExpr, CXXConstructExpr>(Parent))
      return passedToCall(S, E, Level - 1, /*ByAddress=*/false);
    if (useInOperator(S, E, Level - 1))
      return;
    return unknown(S, Loc, "is used in a way not understood");
  }
}

/// The slot \p E is the operand of the operator at \p Parent.
bool HostIndexVisitor::useInOperator(const Slot &S, const Expr *E,
                                     size_t Parent) {
  if (const auto *Op = dyn_cast<BinaryOperator>(Path[Parent].S)) {
    if (Op->isAssignmentOp() && Op->getLHS() == E) {
      if (!isPlainUse(Parent))
        return false;
      // `p += n` stays in its allocation.
      if (Op->getOpcode() == BO_Assign)
        assignment(S, Op, Parent);
      else
        step(S, Op->getBeginLoc());
      return true;
    }
    return Op->getOpcode() == BO_Comma &&
           (Op->getLHS() == E || isPlainUse(Parent));
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(Path[Parent].S)) {
    if (Op->getOpcode() == UO_AddrOf) {
      addressUse(S, Parent);
      return true;
    }
    if (!Op->isIncrementDecrementOp() ||
        !(Op->isPostfix() || isPlainUse(Parent)))
      return false;
    step(S, Op->getBeginLoc());
    return true;
  }
  return holdsStatements(Path[Parent].S);
}

/// `x = y; ...; y = nullptr;` with nothing but plain assignments in between.
static bool isMovedFrom(const Expr *Source, const SlotWrite &W,
                        const ASTContext &Context) {
  const auto *List = dyn_cast_or_null<CompoundStmt>(W.Scope);
  if (!List)
    return false;
  for (unsigned I = W.Position + 1; I < List->size(); ++I) {
    const auto *Next = dyn_cast<BinaryOperator>(List->body_begin()[I]);
    if (!Next || Next->getOpcode() != BO_Assign)
      return false;
    if (sameExpression(Next->getLHS(), Source, Context))
      return isNullPointer(Next->getRHS(), Context);
    const Expr *Value = Next->getRHS()->IgnoreParenImpCasts();
    if (!isa<MemberExpr, DeclRefExpr, IntegerLiteral>(Value) &&
        !isNullPointer(Value, Context))
      return false;
  }
  return false;
}

void HostIndexVisitor::assignment(const Slot &S, const BinaryOperator *Op,
                                  size_t Level) {
  SlotWrite W;
  W.K = SlotWrite::Value;
  W.E = Op->getRHS();
  W.Loc = Op->getBeginLoc();
  setPlace(W, Level);
  const Expr *Source = stripPointer(Op->getRHS());
  std::optional<Slot> From = Index.slotOf(Source);
  W.Moved = From && isMovedFrom(Source, W, Index.Context);
  // `*out = local`: the caller's pointer takes over what the local held.
  if (From && S.Key.getInt() && !From->Key.getInt())
    ++Index.StoredOut[From->Key.getPointer()];
  write(S.Key, std::move(W));
}

} // namespace cudal1
