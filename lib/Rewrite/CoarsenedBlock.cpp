//===- CoarsenedBlock.cpp - Blocks with fewer threads than rows -----------===//

#include "CoarsenedBlock.h"

#include "TileLaunches.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

CoarsenedBlock::CoarsenedBlock(const Kernel &K, const ProgramAnalysis &A)
    : K(K), A(A), Tree(K), Changes(Assignments::of(K.Function->getBody())),
      Text(K, A, {}) {
  Row = freshName(K.Function, "row");
  if (isPlain() && findLaunches() && findPhases() && splitPhases() &&
      findCarried() && bodyText(1).empty())
    no("part of the kernel is made by a macro");
}

/// All launches have the same block of rows and columns.
bool CoarsenedBlock::findLaunches() {
  const BlockExtents Block = TileLaunches::blockExtents(K, A);
  if (!Block[0] || !Block[1] || Block[2] != 1)
    return no("the launches have blocks of different shapes");
  Rows = *Block[1];
  Threads = *Block[0] * Rows;
  auto Known = editableLaunches(K, A, Obstacle);
  if (!Known)
    return false;
  Set = std::move(*Known);
  for (const Launch *L : Set.All)
    if (!geometryOf(L->Block, A))
      return no("the block of a launch cannot be rewritten");
  return true;
}

/// Threads meet at barriers and nowhere else.
bool CoarsenedBlock::isPlain() {
  auto Known = builtinUses(K, EditBuilder(A.program(), Side::Device), Obstacle);
  if (!Known)
    return false;
  Uses = std::move(*Known);
  if (!K.WarpOperations.empty() || !K.Atomics.empty() ||
      !K.UnknownCalls.empty() || K.HasAsm)
    return no("threads meet in other ways than at barriers");
  bool Odd = findIn(Tree.body(), [](const Stmt *S) {
    const auto *E = dyn_cast<Expr>(S);
    return isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt, LambdaExpr,
               StmtExpr, AsmStmt>(S) ||
           (E && E->getType().isVolatileQualified());
  });
  return !Odd || no("the kernel returns, jumps or holds volatile values");
}

/// `__syncthreads();`
static bool isBarrier(const Kernel &K, const Stmt *S) {
  const auto *Call = dyn_cast<CallExpr>(S);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && F->getName() == "__syncthreads" &&
         llvm::any_of(K.Barriers, [&](const Barrier &B) {
           return B.Call == Call && B.Kind == BarrierKind::Block;
         });
}

bool CoarsenedBlock::findPhases() {
  const auto *Body = cast<CompoundStmt>(Tree.body());
  Phases.emplace_back();
  EditBuilder Texts(A.program(), Side::Device);
  for (const Stmt *S : Body->body()) {
    if (isBarrier(K, S)) {
      Phases.back().Barrier = S;
      Phases.emplace_back();
      continue;
    }
    if (isa<NullStmt>(S))
      continue;
    if (isa<AttributedStmt>(S) || Texts.hasLoopPragma(S))
      return no("a loop has a pragma of the author's");
    if (!callsLeaveMemoryAlone(K, S))
      return no("a call may touch memory");
    // Someone has done what this would do.
    if (isa<ForStmt>(S) && dependsOnRow(S))
      return no("threads walk over rows already");
    Phases.back().Work.push_back(S);
  }
  if (Phases.size() < 2 || Phases.size() - 1 != K.Barriers.size())
    return no("a barrier stands in a loop or under a condition");
  llvm::erase_if(Phases,
                 [](const Phase &P) { return P.Work.empty() && !P.Barrier; });
  return true;
}

/// Names the thread's number along y, but for variables.
bool CoarsenedBlock::dependsOnRow(const Stmt *S) const {
  return llvm::any_of(Uses, [&](const BuiltinUse &Use) {
    return Use.Kind == SymbolKind::ThreadIdx && Use.Axis == 1 &&
           Tree.contains(S, Use.Expression);
  });
}

bool CoarsenedBlock::readsMemory(const Stmt *S) const {
  return llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
    return Tree.contains(S, Access.Expression);
  });
}

/// Calls have been seen to leave memory alone.
static bool changesNothing(const Expr *E) {
  return Assignments::of(E).changed().empty();
}

/// What \p S declares is the same for all rows, so that it may stand in front
/// of the loop over them. Memory is read there only where nothing was written
/// before.
bool CoarsenedBlock::mayStandBefore(const DeclStmt *S, bool Leading) const {
  for (const Decl *D : S->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V)
      return isa<TypedefNameDecl, StaticAssertDecl>(D);
    if (V->hasAttr<CUDASharedAttr>())
      continue;
    if (!V->getInit() || Changes.isAssigned(V) ||
        !V->getType()->isScalarType() || dependsOnRow(V->getInit()) ||
        !changesNothing(V->getInit()) ||
        (readsMemory(V->getInit()) && !Leading))
      return false;
    for (const VarDecl *Needed : variablesReadIn(V->getInit()))
      if (!isa<ParmVarDecl>(Needed) && Needed->hasLocalStorage() &&
          !Steady.contains(Needed))
        return false;
  }
  return true;
}

/// Another variable by the name of \p V is mentioned somewhere.
static bool isShadowed(const Stmt *Body, const VarDecl *V) {
  return findIn(Body, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return Ref && Ref->getDecl() != V &&
           Ref->getDecl()->getDeclName() == V->getDeclName();
  });
}

bool CoarsenedBlock::note(const DeclStmt &S, bool IsSteady, size_t Phase) {
  for (const Decl *D : S.decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V && IsSteady)
      continue;
    if (!V || (!IsSteady &&
               (!V->hasLocalStorage() || V->getType()->isReferenceType())))
      return no("a declaration is of no plain variable");
    if (isShadowed(Tree.body(), V))
      return no("two variables have one name");
    if (IsSteady)
      Steady.insert(V);
    else
      DeclaredIn[V] = Phase;
  }
  return true;
}

/// Takes the declarations that all rows share out of the phases.
bool CoarsenedBlock::splitPhases() {
  bool Leading = true;
  for (size_t I = 0; I < Phases.size(); ++I) {
    Statements Left;
    for (const Stmt *S : Phases[I].Work) {
      const auto *Decls = dyn_cast<DeclStmt>(S);
      bool IsSteady = Decls && mayStandBefore(Decls, Leading);
      (IsSteady ? Phases[I].Before : Left).push_back(S);
      Leading &= Decls != nullptr;
      if (Decls && !note(*Decls, IsSteady, I))
        return false;
    }
    Phases[I].Work = std::move(Left);
    if (Phases[I].Barrier)
      Leading = false;
  }
  for (const KernelParameter &P : K.Parameters)
    if (Changes.isAssigned(P.Decl))
      return no("a parameter is changed");
  return true;
}

/// What a thread leaves to a later phase can be computed again there.
bool CoarsenedBlock::findCarried() {
  for (size_t I = 1; I < Phases.size(); ++I)
    for (const Stmt *S : Statements(Phases[I].Work))
      for (const VarDecl *V : variablesReadIn(S)) {
        auto It = DeclaredIn.find(V);
        if (It != DeclaredIn.end() && It->second < I && !carry(V, I))
          return no("`" + V->getNameAsString() +
                    "` goes from one phase to the next");
      }
  return true;
}

bool CoarsenedBlock::carry(const VarDecl *V, size_t I) {
  if (llvm::is_contained(Phases[I].Again, V) ||
      llvm::any_of(Phases[I].Declares,
                   [&](const auto &Entry) { return Entry.second == V; }))
    return true;
  return Changes.isAssigned(V) ? isSetFirst(V, I) : isComputedAnew(V, I);
}

/// \p V never changes and is made of values that do not either.
bool CoarsenedBlock::isComputedAnew(const VarDecl *V, size_t I) {
  const Expr *Init = V->getInit();
  if (!Init || !V->getType()->isScalarType() || readsMemory(Init) ||
      !changesNothing(Init) || Text.declaration(V).empty())
    return false;
  for (const VarDecl *Needed : variablesReadIn(Init)) {
    auto It = DeclaredIn.find(Needed);
    if (It == DeclaredIn.end())
      continue;
    if (Changes.isAssigned(Needed) || (It->second < I && !carry(Needed, I)))
      return false;
  }
  Phases[I].Again.push_back(V);
  return true;
}

/// The first that phase \p I does with \p V is to set it.
bool CoarsenedBlock::isSetFirst(const VarDecl *V, size_t I) {
  for (const Stmt *S : Phases[I].Work) {
    if (!Assignments::mentions(S, V))
      continue;
    const auto *Set = dyn_cast<BinaryOperator>(S);
    const auto *Ref = Set && Set->getOpcode() == BO_Assign
                          ? dyn_cast<DeclRefExpr>(Set->getLHS()->IgnoreParens())
                          : nullptr;
    if (!Ref || Ref->getDecl() != V || Set->getLHS() != Ref ||
        !V->getType()->isScalarType() ||
        Assignments::mentions(Set->getRHS(), V))
      return false;
    Phases[I].Declares[S] = V;
    return true;
  }
  return false;
}

std::string CoarsenedBlock::evidence() const {
  return "barriers cut the kernel into " + std::to_string(Phases.size()) +
         " phases, in which threads do not see each other, and which compute "
         "all that they need of earlier ones anew";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// \p Use can be replaced by a sum without parentheses around it.
static bool takesSum(const StatementTree &Tree, const Expr *Use) {
  const Stmt *Parent = Tree.parentOfValue(Use);
  while (isa_and_nonnull<ImplicitCastExpr, PseudoObjectExpr, OpaqueValueExpr>(
      Parent))
    Parent = Tree.parentOfValue(Parent);
  const auto *Op = dyn_cast_or_null<BinaryOperator>(Parent);
  if (Op && Op->getOpcode() == BO_Add)
    return Op->getType()->isIntegerType();
  return isa_and_nonnull<ArraySubscriptExpr, DeclStmt, ParenExpr>(Parent) ||
         (Op && Op->getOpcode() == BO_Assign);
}

std::vector<Patch> CoarsenedBlock::patches(int64_t Items) const {
  std::vector<Patch> Result;
  for (const BuiltinUse &Use : Uses) {
    if (Use.Axis != 1)
      continue;
    std::string New;
    if (Use.Kind == SymbolKind::ThreadIdx) {
      New = "threadIdx.y + " + Row;
      if (!takesSum(Tree, Use.Expression))
        New = "(" + New + ")";
    } else if (Use.Kind == SymbolKind::BlockDim) {
      New = "(blockDim.y * " + std::to_string(Items) + ")";
    } else {
      continue;
    }
    Result.push_back({Use.Expression->getSourceRange(), New});
  }
  return Result;
}

void CoarsenedBlock::add(Lines &Out, const Stmt *S,
                         const std::vector<Patch> &With) const {
  for (const std::string &Comment : Text.comments(S))
    Out.add(Comment);
  Out.addBlock(Text.statement(S, With), Text.indentation(S));
}

void CoarsenedBlock::phaseText(Lines &Out, size_t I, int64_t Items) const {
  const Phase &P = Phases[I];
  const std::vector<Patch> Patches = patches(Items);
  for (const Stmt *S : P.Before)
    add(Out, S, Patches);
  if (!P.Work.empty()) {
    bool Loops = llvm::any_of(P.Work, [](const Stmt *S) {
      return findIn(S, [](const Stmt *Child) {
        return isa<ForStmt, WhileStmt, DoStmt>(Child);
      });
    });
    if (!Loops)
      Out.add("#pragma unroll");
    Out.open("for (int " + Row + " = 0; " + Row + " < " + std::to_string(Rows) +
             "; " + Row + " += " + std::to_string(Rows / Items) + ") {");
    for (const VarDecl *V : P.Again) {
      std::string Value = Text.patched(V->getInit(), Patches);
      Out.add(Text.declare(V, V->getType().isConstQualified()) + Value + ";");
    }
    for (const Stmt *S : P.Work) {
      auto It = P.Declares.find(S);
      if (It == P.Declares.end()) {
        add(Out, S, Patches);
        continue;
      }
      for (const std::string &Comment : Text.comments(S))
        Out.add(Comment);
      Out.addBlock(Text.typeOf(It->second) + " " + Text.statement(S, Patches),
                   Text.indentation(S));
    }
    Out.close();
  }
  if (P.Barrier)
    add(Out, P.Barrier, {});
}

/// The body; "" where part of it is made by a macro.
std::string CoarsenedBlock::bodyText(int64_t Items) const {
  const std::vector<Patch> Patches = patches(Items);
  for (const Phase &P : Phases) {
    for (const Statements &Of : {P.Before, P.Work})
      for (const Stmt *S : Of)
        if (Text.statement(S, Patches).empty())
          return "";
    for (const VarDecl *V : P.Again)
      if (Text.patched(V->getInit(), Patches).empty())
        return "";
    if (P.Barrier && Text.statement(P.Barrier, {}).empty())
      return "";
  }
  Lines Out(Text.unit());
  for (size_t I = 0; I < Phases.size(); ++I)
    phaseText(Out, I, Items);
  return Out.take();
}

void CoarsenedBlock::writeLaunches(EditBuilder &Builder, int64_t Items) const {
  Builder.setSide(Side::Host);
  for (const Launch *L : Set.Places) {
    auto Block = geometryOf(L->Block, A);
    if (!Block)
      return Builder.fail("the block of a launch cannot be rewritten");
    // Numbers, which all rules can read, in place of `block.x`.
    std::array<std::string, 3> Shape = Block->Text;
    Shape[1] = std::to_string(Rows / Items);
    if (Block->Variable)
      Shape[0] = std::to_string(Threads / Rows);
    Shape[2] = "1";
    Builder.replace(Block->Argument->getSourceRange(), dim3Text(Shape));
  }
  LaunchTransform T = LaunchTransform::identity();
  T.Block[1] = ExtentExpr::constant(uint64_t(Rows / Items));
  Builder.setLaunch(T);
  Builder.setSide(Side::Device);
}

void CoarsenedBlock::write(EditBuilder &Builder, int64_t Items) const {
  Builder.replaceBody(cast<CompoundStmt>(K.Pattern->getBody()),
                      bodyText(Items));
  writeLaunches(Builder, Items);
}

} // namespace cudal1
