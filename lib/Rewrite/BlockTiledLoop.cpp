//===- BlockTiledLoop.cpp - A loop over what all threads read -------------===//

#include "BlockTiledLoop.h"

#include "LaunchCoverage.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

BlockTiledLoop::BlockTiledLoop(const Kernel &K, const ProgramAnalysis &A,
                               const ElementKernel &E, const Loop &L)
    : K(K), A(A), E(E), L(L), Text(K, A, {E.Along, E.Declarations, {}}),
      Tree(K), Changes(Assignments::of(K.Function->getBody())) {
  if (!isPlainLoop() || !isWellFormed() || !mayBeGuarded() || !findValues())
    return;
  chooseNames();
  if (Text.statement(L.Statement, patches()).empty())
    no("what is read is part of what a macro makes");
  for (const Value &V : Values)
    if (loaded(V).empty())
      no("what is read is part of what a macro makes");
}

/// Counts upwards by one between bounds that are the same for all threads, and
/// is left at its end only.
bool BlockTiledLoop::isPlainLoop() {
  auto Parts = partsOf(L);
  const auto *Init =
      Parts ? dyn_cast_or_null<DeclStmt>(Parts->For->getInit()) : nullptr;
  if (!Init || !Init->isSingleDecl() || Init->getSingleDecl() != L.Variable ||
      L.Step != 1 || Parts->For->getConditionVariable() ||
      !Parts->VariableOnLeft || Parts->Condition->getOpcode() != BO_LT ||
      !L.Variable->getType()->isIntegerType() ||
      K.Context->getTypeSize(L.Variable->getType()) < 32)
    return no("the loop does not count upwards by one");
  Head = *Parts;
  auto First = L.Lower.constant();
  if (!First || *First < 0 || !isUniform(K, L.Upper))
    return no("the loop is not the same for all threads");
  bool Leaves = findIn(L.body(), [](const Stmt *S) {
    const auto *Value = dyn_cast<Expr>(S);
    return isa<BreakStmt, ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt,
               LambdaExpr, AsmStmt, SwitchStmt>(S) ||
           (Value && Value->getType().isVolatileQualified());
  });
  if (Leaves)
    return no("the loop is left early");
  return llvm::is_contained(E.Statements, L.Statement) ||
         no("the loop stands under a condition");
}

/// All that is written again can be.
bool BlockTiledLoop::isWellFormed() {
  for (const Stmt *S : E.Statements)
    if (Text.statement(S, {}).empty() || isa<AttributedStmt>(S))
      return no("part of the kernel is made by a macro");
  // What stands under a condition comes to stand beside the parameters.
  for (const VarDecl *V : E.Declarations)
    if (llvm::any_of(K.Parameters, [&](const KernelParameter &P) {
          return P.Decl->getDeclName() == V->getDeclName();
        }))
      return no("two variables have one name");
  if (Text.text(Head.Start).empty() || Text.compared(Head.Bound).empty())
    return no("the head of the loop is made by a macro");
  for (const VarDecl *V : variablesReadIn(Head.Bound))
    if (Changes.isAssigned(V))
      return no("the bound of the loop changes");
  return true;
}

/// The work is done by all threads, or by those with `i < n`.
bool BlockTiledLoop::mayBeGuarded() {
  const ContractionCoordinate &C = E.Along[0];
  if (C.Threads || C.IsOfBlockPerRow)
    return no("the kernel cuts its blocks into rows");
  if (E.Conditions.empty())
    return true;
  if (E.Conditions.size() != 1 || C.Guards.size() != 1 ||
      C.Guards[0].Op != BO_LT || !C.Guards[0].Bound ||
      Text.compared(C.Guards[0].Bound).empty())
    return no("the condition of a thread is more than a bound");
  for (const VarDecl *V : variablesReadIn(C.Guards[0].Bound))
    if (Changes.isAssigned(V))
      return no("a bound changes");
  Lines Trial(Text.unit());
  for (const Stmt *S : E.Statements) {
    if (S == L.Statement)
      break;
    const auto *Decls = dyn_cast<DeclStmt>(S);
    if (Decls && !standsInFront(S) && readsMemory(S) &&
        !declareGuarded(Trial, Decls))
      return no("what a thread reads before the loop has no default");
  }
  return true;
}

/// Before the condition on the thread.
bool BlockTiledLoop::standsInFront(const Stmt *S) const {
  const SourceManager &SM = K.Context->getSourceManager();
  return E.Conditions.empty() ||
         SM.isBeforeInTranslationUnit(S->getBeginLoc(),
                                      E.Conditions.front()->getBeginLoc());
}

bool BlockTiledLoop::readsMemory(const Stmt *S) const {
  return llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
    return Tree.contains(S, Access.Expression);
  });
}

/// One element for all threads of a block in each iteration, another one in the
/// next, named by what is known in front of the loop.
bool BlockTiledLoop::isSameForAll(const MemoryAccess &Read) const {
  auto Stride = Read.Index.coefficientOf(L.VariableSymbol);
  if (!Stride || !Stride->constant() || *Stride->constant() < 1 ||
      !isUniform(K, Read.Index.without(L.VariableSymbol)))
    return false;
  for (const VarDecl *V : variablesReadIn(Read.Expression)) {
    if (V == L.Variable || isa<ParmVarDecl>(V) || !V->hasLocalStorage())
      continue;
    bool Known = llvm::is_contained(E.Declarations, V) &&
                 V->getBeginLoc() < L.Statement->getBeginLoc();
    if (!Known || Changes.isAssigned(V))
      return false;
  }
  return true;
}

bool BlockTiledLoop::isNeverWritten(const MemoryAccess &Read) {
  for (const MemoryAccess &Write : K.Accesses) {
    if (!Write.writes())
      continue;
    if (Write.Base == Read.Base && areSeparateMembers(K, Read, Write) &&
        isWholeElement(K, Read) && isWholeElement(K, Write)) {
      std::string Why = "the kernel writes other members of " +
                        Read.Base->getNameAsString() + " than it reads";
      if (!llvm::is_contained(Evidence, Why))
        Evidence.push_back(Why);
      continue;
    }
    OverlapAnswer Answer = A.basesMayOverlap(K, Read, Write);
    if (!Answer.disjoint())
      return false;
    if (!llvm::is_contained(Evidence, Answer.Reason))
      Evidence.push_back(Answer.Reason);
  }
  return true;
}

bool BlockTiledLoop::chooseType(Value &V) {
  QualType Type = V.Read->Expression->getType().getUnqualifiedType();
  const auto *Record = Type->getAsCXXRecordDecl();
  bool Holds = Type->isArithmeticType() ||
               (Record && Type.isTriviallyCopyableType(*K.Context) &&
                Record->hasTrivialDefaultConstructor());
  if (!Holds)
    return false;
  if (V.Read->Member.empty() &&
      K.Context->hasSameUnqualifiedType(Type, V.Read->ElementType)) {
    V.Type = spellElementType(V.Read->Base, V.Read->ElementType, *K.Context);
  } else {
    if (K.IsTemplate)
      return false;
    PrintingPolicy Policy(K.Context->getLangOpts());
    Policy.SuppressTagKeyword = true;
    V.Type = Type.getAsString(Policy);
  }
  V.Bytes = K.Context->getTypeSizeInChars(Type).getQuantity();
  return true;
}

bool BlockTiledLoop::addValue(const MemoryAccess &Read) {
  for (Value &Known : Values)
    if (isSameElement(K, *Known.Read, Read)) {
      Known.Mentions.push_back(&Read);
      return true;
    }
  Value V;
  V.Read = &Read;
  V.Mentions = {&Read};
  if (!chooseType(V) || !isNeverWritten(Read))
    return false;
  Values.push_back(std::move(V));
  return true;
}

bool BlockTiledLoop::findValues() {
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Tree.contains(L.body(), Access.Expression) || Access.writes() ||
        Access.Space != MemorySpace::Global || Access.InCallee ||
        !isSameForAll(Access))
      continue;
    const auto *Address =
        dyn_cast_or_null<UnaryOperator>(Tree.parentOfValue(Access.Expression));
    if (Address && Address->getOpcode() == UO_AddrOf)
      continue;
    addValue(Access);
  }
  // A tile is loaded whole: so all of it must be there.
  llvm::erase_if(Values, [&](const Value &V) { return !isReadWhole(V); });
  return !Values.empty() || no("no element is read by all threads of a block");
}

/// Each iteration reads the element, not only under a condition or behind a
/// `continue`; or each thread accesses its own, and the loop goes over the
/// numbers of threads.
bool BlockTiledLoop::isReadWhole(const Value &V) const {
  if (llvm::any_of(V.Mentions, [&](const MemoryAccess *Access) {
        return Access->InLoop == &L && !Access->Conditional &&
               Tree.alwaysRunsIn(Access->Expression, L.Statement,
                                 [](const Stmt *) { return false; });
      }))
    return true;
  return loopsOverThreads() &&
         llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
           return isOwnElement(Access, *V.Read);
         });
}

/// `for (j = 0; j < n; j++)` where there is a thread for each i less than n.
bool BlockTiledLoop::loopsOverThreads() const {
  if (E.Conditions.empty() || !(L.Upper == E.Along[0].Guards[0].BoundForm))
    return false;
  std::string Why;
  auto Launches = editableLaunches(K, A, Why);
  return Launches && coveredBound(E.Along[0], *Launches, A);
}

/// Whenever a thread works, \p Access touches the element that \p Read reads in
/// iteration i of the loop, or another member of it.
bool BlockTiledLoop::isOwnElement(const MemoryAccess &Access,
                                  const MemoryAccess &Read) const {
  const Expr *Init = E.Along[0].Variables.front()->getInit();
  const Polynomial *Number = Init ? K.formOf(Init) : nullptr;
  if (!Number || Access.InCallee || Access.Base != Read.Base ||
      Access.ElementSize != Read.ElementSize || !isWholeElement(K, Access) ||
      !isWholeElement(K, Read) ||
      !(Access.Index == Read.Index.substitute(L.VariableSymbol, *Number)))
    return false;
  for (const Stmt *S = Access.Expression; S; S = Tree.parent(S)) {
    if (llvm::is_contained(E.Statements, S))
      return true;
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (isa<IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt,
            AbstractConditionalOperator>(S) ||
        (Op && Op->isLogicalOp()))
      return false;
  }
  return false;
}

std::string BlockTiledLoop::tiled() const {
  std::vector<std::string> Names;
  for (const Value &V : Values)
    if (!llvm::is_contained(Names, V.Read->Base->getNameAsString()))
      Names.push_back(V.Read->Base->getNameAsString());
  return llvm::join(Names, ", ");
}

int64_t BlockTiledLoop::sharedBytes(int64_t Tile) const {
  int64_t Total = 0;
  for (const Value &V : Values)
    Total += V.Bytes * Tile;
  return Total;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void BlockTiledLoop::chooseNames() {
  auto Name = [&](llvm::StringRef Wanted) {
    Taken.push_back(freshName(K.Function, Wanted, Taken));
    return Taken.back();
  };
  Size = Name("TILE");
  Start = Name("start");
  End = Name("end");
  Item = Name("k");
  for (Value &V : Values) {
    std::string Plain = plainName(V.Read->Base);
    llvm::StringRef Member = llvm::StringRef(V.Read->Member).ltrim('.');
    std::string Path = Member.str();
    std::replace(Path.begin(), Path.end(), '.', '_');
    V.Tile = Name(Path.empty() ? joinWords(K, {"tile", Plain})
                               : joinWords(K, {"tile", Path}));
  }
}

/// `i < n`; "" where all threads do the work.
std::string BlockTiledLoop::guard() const {
  if (E.Conditions.empty())
    return "";
  const CoordinateGuard &G = E.Along[0].Guards[0];
  return G.Variable->getNameAsString() + " < " + Text.compared(G.Bound);
}

/// The element of \p V that thread k brings.
std::string BlockTiledLoop::loaded(const Value &V) const {
  std::vector<Patch> Result;
  findIn(V.Read->Expression, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (Ref && Ref->getDecl() == L.Variable) {
      const Stmt *Parent = Tree.parent(Ref);
      while (isa_and_nonnull<ImplicitCastExpr>(Parent))
        Parent = Tree.parent(Parent);
      bool Alone = isa_and_nonnull<ArraySubscriptExpr, ParenExpr>(Parent);
      std::string Sum = Start + " + " + Item;
      Result.push_back({Ref->getSourceRange(), Alone ? Sum : "(" + Sum + ")"});
    }
    return false;
  });
  return Text.patched(V.Read->Expression, Result);
}

std::vector<Patch> BlockTiledLoop::patches() const {
  std::vector<Patch> Result;
  std::string Name = L.Variable->getNameAsString();
  for (const Value &V : Values)
    for (const MemoryAccess *Mention : V.Mentions)
      Result.push_back({Text.written(Mention->Expression),
                        V.Tile + "[" + Name + " - " + Start + "]"});
  return Result;
}

void BlockTiledLoop::add(Lines &Out, const Stmt *S) const {
  for (const std::string &Comment : Text.comments(S))
    Out.add(Comment);
  Out.addBlock(Text.statement(S, {}), Text.indentation(S));
}

/// `float x = i < n ? a[i] : 0.0f;`
bool BlockTiledLoop::declareGuarded(Lines &Out, const DeclStmt *S) const {
  for (const Decl *D : S->decls()) {
    const auto *V = cast<VarDecl>(D);
    std::string Init = V->getInit() ? Text.text(V->getInit()) : "";
    QualType Type = V->getType();
    if (!Type->isArithmeticType() || Init.empty())
      return false;
    const auto *Plain = V->getInit()->IgnoreImpCasts();
    if (isa<AbstractConditionalOperator>(Plain))
      Init = "(" + Init + ")";
    Out.add(Text.declare(V, Type.isConstQualified()) + guard() + " ? " + Init +
            " : " + spellZero(Type.getUnqualifiedType(), Text.typeOf(V)) + ";");
  }
  return true;
}

/// All that stands before the loop: threads out of bounds declare as well, and
/// read nothing.
void BlockTiledLoop::before(Lines &Out) const {
  bool Left = E.Conditions.empty();
  auto LeaveBlock = [&] {
    const CoordinateGuard &G = E.Along[0].Guards[0];
    Out.add("if ((" + Text.typeOf(G.Variable) +
            ")(blockIdx.x * blockDim.x) >= " + Text.compared(G.Bound) + ")");
    Out.indent();
    Out.add("return;");
    Out.close("");
    Left = true;
  };
  for (const Stmt *S : E.Statements) {
    if (!Left && !standsInFront(S))
      LeaveBlock();
    if (S == L.Statement)
      return;
    const auto *Decls = dyn_cast<DeclStmt>(S);
    if (E.Conditions.empty() || standsInFront(S) ||
        (Decls && !readsMemory(S))) {
      add(Out, S);
    } else if (Decls) {
      for (const std::string &Comment : Text.comments(S))
        Out.add(Comment);
      declareGuarded(Out, Decls);
    } else {
      Out.open("if (" + guard() + ") {");
      add(Out, S);
      Out.close();
    }
  }
}

void BlockTiledLoop::tiles(Lines &Out) const {
  const std::string Type = Text.typeOf(L.Variable);
  bool Braces = Values.size() > 1;
  Out.open("for (" + Type + " " + Item + " = threadIdx.x; " + Item + " < " +
           Size + " && " + Start + " + " + Item + " < " +
           Text.compared(Head.Bound) + "; " + Item + " += blockDim.x)" +
           (Braces ? " {" : ""));
  for (const Value &V : Values)
    Out.add(V.Tile + "[" + Item + "] = " + loaded(V) + ";");
  Out.close(Braces ? "}" : "");
}

void BlockTiledLoop::loop(Lines &Out) const {
  const std::string Name = L.Variable->getNameAsString();
  const std::string Type = Text.typeOf(L.Variable);
  const std::string Bound = Text.compared(Head.Bound);
  for (const std::string &Comment : Text.comments(L.Statement))
    Out.add(Comment);
  Out.open("for (" + Type + " " + Start + " = " + Text.text(Head.Start) + "; " +
           Start + " < " + Bound + "; " + Start + " += " + Size + ") {");
  tiles(Out);
  Out.add("__syncthreads();");
  if (!E.Conditions.empty())
    Out.open("if (" + guard() + ") {");
  Out.add("const " + Type + " " + End + " = " + Start + " + " + Size + " < " +
          Bound + " ? " + Start + " + " + Size + " : " + Bound + ";");
  std::string Inner = "for (" + Type + " " + Name + " = " + Start + "; " +
                      Name + " < " + End + "; ++" + Name + ") ";
  const Stmt *Body = L.body();
  if (const auto *Block = dyn_cast<CompoundStmt>(Body)) {
    Out.addBlock(Inner + Text.patched(Block, patches()),
                 Text.indentation(L.Statement));
  } else {
    Out.open(llvm::StringRef(Inner).rtrim());
    Out.addBlock(Text.statement(Body, patches()), Text.indentation(Body));
    Out.close("");
  }
  if (!E.Conditions.empty())
    Out.close();
  Out.add("__syncthreads();");
  Out.close();
}

/// What stands behind the loop.
void BlockTiledLoop::after(Lines &Out) const {
  auto At = llvm::find(E.Statements, L.Statement);
  std::vector<const Stmt *> Rest(std::next(At), E.Statements.end());
  if (Rest.empty())
    return;
  if (!E.Conditions.empty())
    Out.open("if (" + guard() + ") {");
  for (const Stmt *S : Rest)
    add(Out, S);
  if (!E.Conditions.empty())
    Out.close();
}

std::string BlockTiledLoop::body(int64_t Tile) const {
  Lines Out(Text.unit());
  before(Out);
  Out.add("// The block brings " + Size + " elements of " + tiled() +
          " at a time to shared memory.");
  Out.add("constexpr int " + Size + " = " + std::to_string(Tile) + ";");
  for (const Value &V : Values)
    Out.add("__shared__ " + V.Type + " " + V.Tile + "[" + Size + "];");
  loop(Out);
  after(Out);
  return Out.take();
}

} // namespace cudal1
