//===- StagedWindow.cpp - A window of an array in shared memory -----------===//

#include "StagedWindow.h"

#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <functional>

using namespace clang;

namespace cudal1 {

static const char *const Components[] = {"x", "y"};
/// Offsets along one axis at least: with fewer there is little to share.
static constexpr int64_t LeastBorder = 2;
static constexpr uint64_t IntBits = 32;

StagedWindow::StagedWindow(const Kernel &K, const ProgramAnalysis &A,
                           const ElementKernel &E)
    : K(K), A(A), E(E), Text(K, A, {E.Along, E.Declarations, {}}), Tree(K),
      Changes(Assignments::of(K.Function->getBody())) {
  for (const ContractionCoordinate &C : E.Along)
    for (const VarDecl *V : C.Variables)
      if (K.Context->getTypeSize(V->getType()) != IntBits) {
        no("a coordinate is not of 32 bits");
        return;
      }
  for (const MemoryAccess &Access : K.Accesses) {
    if (Access.writes() || Access.Space != MemorySpace::Global ||
        !Access.InLoop || !Access.Member.empty() ||
        !Access.ElementType->isArithmeticType())
      continue;
    Read = &Access;
    Obstacle.clear();
    Evidence.clear();
    Conditions.clear();
    Temporaries.clear();
    Window = {};
    if (findOffsets() && findPath() && isDisjoint() && isWritable())
      break;
    Read = nullptr;
  }
  if (!Read) {
    no("no window of an array is read");
    return;
  }
  Obstacle.clear();
  Tile = freshName(K.Function, "tile");
  Width = freshName(K.Function, "TILE_W");
  Height = freshName(K.Function, "TILE_H");
  Row = freshName(K.Function, "r");
  Column = freshName(K.Function, "c");
  Type = spellElementType(Read->Base, Read->ElementType, *K.Context);
}

/// The axis of the coordinate that \p E names.
std::optional<unsigned> StagedWindow::coordinateOf(const Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  for (unsigned Axis = 0; V && Axis < 2; ++Axis)
    if (Text.isCoordinate(V, this->E.Along[Axis]))
      return Axis;
  return std::nullopt;
}

/// The axis of the loop whose variable \p E names.
std::optional<unsigned> StagedWindow::offsetOf(const Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  for (unsigned Axis = 0; Ref && Axis < 2; ++Axis)
    if (Window[Axis].L && Window[Axis].L->Variable == Ref->getDecl())
      return Axis;
  return std::nullopt;
}

/// The terms of a sum, and whether each is added.
static void termsOf(const Expr *E, bool Added,
                    std::vector<std::pair<const Expr *, bool>> &Out) {
  E = E->IgnoreParenImpCasts();
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (!Op || !Op->isAdditiveOp() || !Op->getType()->isIntegerType()) {
    Out.emplace_back(E, Added);
    return;
  }
  termsOf(Op->getLHS(), Added, Out);
  termsOf(Op->getRHS(), Added == (Op->getOpcode() == BO_Add), Out);
}

/// The variable of \p L is added to the coordinate along one axis.
static std::optional<unsigned>
axisOf(const Loop &L,
       llvm::function_ref<std::optional<unsigned>(const Expr *)> CoordinateOf) {
  std::optional<unsigned> Found;
  findIn(L.Statement, [&](const Stmt *S) {
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op || !Op->isAdditiveOp() || !Op->getType()->isIntegerType())
      return false;
    std::vector<std::pair<const Expr *, bool>> Terms;
    termsOf(Op, true, Terms);
    std::optional<unsigned> Axis;
    bool Mentions = false;
    for (auto [Term, Added] : Terms) {
      if (auto Of = CoordinateOf(Term))
        Axis = Of;
      const auto *Ref = dyn_cast<DeclRefExpr>(Term);
      Mentions |= Ref && Ref->getDecl() == L.Variable;
    }
    if (Mentions && Axis)
      Found = Axis;
    return Found.has_value();
  });
  return Found;
}

bool StagedWindow::addOffset(const Loop &L, unsigned Axis) {
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  auto Lower = L.Lower.constant(), Upper = L.Upper.constant();
  if (!For || !L.Counted || L.Step != 1 || !Lower || !Upper ||
      *Upper <= *Lower || L.HasEarlyExit || L.HasContinue || L.HasBarrier ||
      Window[Axis].L || !L.Variable->getType()->isSignedIntegerType() ||
      K.Context->getTypeSize(L.Variable->getType()) != IntBits)
    return no("the offsets are not those of a plain loop between constants");
  Offset &O = Window[Axis];
  O.L = &L;
  O.Least = *Lower;
  O.Most = *Upper - 1;
  const auto *Init = dyn_cast_or_null<DeclStmt>(For->getInit());
  const auto *V = Init && Init->isSingleDecl()
                      ? dyn_cast<VarDecl>(Init->getSingleDecl())
                      : nullptr;
  if (V != L.Variable || !V->getInit())
    return no("the offsets are not those of a plain loop between constants");
  const auto *Minus =
      dyn_cast<UnaryOperator>(V->getInit()->IgnoreParenImpCasts());
  if (O.Least < 0)
    O.Shift = std::to_string(-O.Least);
  if (O.Least < 0 && Minus && Minus->getOpcode() == UO_Minus)
    if (std::string Name = spellOperand(Minus->getSubExpr(), *K.Context);
        !Name.empty())
      O.Shift = Name;
  return true;
}

bool StagedWindow::findOffsets() {
  for (const Loop *L = Read->InLoop; L; L = L->Parent) {
    auto Axis =
        axisOf(*L, [&](const Expr *Term) { return coordinateOf(Term); });
    if (!Axis || !addOffset(*L, *Axis))
      return no("a loop around the read is over no offsets");
  }
  return Window[0].border() + Window[1].border() >= LeastBorder ||
         no("the window is too small");
}

/// \p S depends on the thread, on the offsets or on the temporaries of loops.
bool StagedWindow::mentionsWindow(const Stmt *S) const {
  return findIn(S, [&](const Stmt *Part) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Part);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && !isa<ParmVarDecl>(V) && V->hasLocalStorage();
  });
}

/// \p Value depends on coordinates and offsets only through their sums, so that
/// it is the same for all threads that read one element.
bool StagedWindow::isOverWindow(const Expr *Value) {
  const Expr *Plain = Value->IgnoreParenImpCasts();
  if (!mentionsWindow(Plain))
    return !findIn(Plain, [](const Stmt *S) {
      const auto *Op = dyn_cast<UnaryOperator>(S);
      const auto *Binary = dyn_cast<BinaryOperator>(S);
      return isa<ArraySubscriptExpr, CallExpr, PseudoObjectExpr>(S) ||
             (Op &&
              (Op->getOpcode() == UO_Deref || Op->isIncrementDecrementOp())) ||
             (Binary && Binary->isAssignmentOp());
    }) || no("the read depends on memory");
  // Along an axis without offsets the coordinate alone is the sum.
  if (auto Axis = coordinateOf(Plain)) {
    Seen[*Axis] = true;
    return !Window[*Axis].L || no("the read depends on the thread by itself");
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Plain)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    bool IsTemporary = V && V->getInit() && !coordinateOf(Plain) &&
                       !offsetOf(Plain) && !Changes.isAssigned(V) &&
                       V->getType()->isIntegerType() &&
                       !llvm::is_contained(E.Declarations, V);
    if (!IsTemporary || !isOverWindow(V->getInit()))
      return no("the read depends on the thread by itself");
    if (!llvm::is_contained(Temporaries, V))
      Temporaries.push_back(V);
    return true;
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(Plain);
      Op && Op->isAdditiveOp() && Op->getType()->isIntegerType()) {
    std::vector<std::pair<const Expr *, bool>> Terms;
    termsOf(Plain, true, Terms);
    std::array<int, 2> Coordinates{}, Offsets{};
    for (auto [Term, Added] : Terms) {
      if (auto Axis = coordinateOf(Term)) {
        Coordinates[*Axis] += Added ? 1 : 2;
        Seen[*Axis] = true;
      } else if (auto Along = offsetOf(Term))
        Offsets[*Along] += Added ? 1 : 2;
      else if (!isOverWindow(Term))
        return false;
    }
    for (unsigned Axis = 0; Axis < 2; ++Axis)
      if (Coordinates[Axis] > 1 ||
          (Window[Axis].L && Coordinates[Axis] != Offsets[Axis]))
        return no("the read depends on the thread by itself");
    return true;
  }
  if (!isa<BinaryOperator, UnaryOperator, AbstractConditionalOperator, CallExpr,
           CastExpr, ParenExpr>(Plain))
    return no("the read depends on the thread in another way");
  if (const auto *Call = dyn_cast<CallExpr>(Plain)) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || classify(*F) != DeviceFunction::Pure)
      return no("the read depends on a function");
    return llvm::all_of(Call->arguments(),
                        [&](const Expr *Sub) { return isOverWindow(Sub); });
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(Plain);
      Op && (Op->isIncrementDecrementOp() || Op->getOpcode() == UO_Deref ||
             Op->getOpcode() == UO_AddrOf))
    return no("the read depends on memory");
  if (const auto *Op = dyn_cast<BinaryOperator>(Plain);
      Op && Op->isAssignmentOp())
    return no("a condition changes a variable");
  return llvm::all_of(Plain->children(), [&](const Stmt *Sub) {
    return isOverWindow(cast<Expr>(Sub));
  });
}

/// What stands between the read and the work: loops over the offsets, and
/// conditions that speak of the element that is read.
bool StagedWindow::findPath() {
  const auto *Subscript =
      dyn_cast<ArraySubscriptExpr>(Read->Expression->IgnoreParens());
  const auto *Base =
      Subscript
          ? dyn_cast<DeclRefExpr>(Subscript->getBase()->IgnoreParenImpCasts())
          : nullptr;
  Seen = {};
  if (!Base || Base->getDecl() != Read->Base ||
      !isOverWindow(Subscript->getIdx()) || !Seen[0] || !Seen[1])
    return no("the read is no plain element of an array");
  for (const Stmt *S = Read->Expression; !llvm::is_contained(E.Statements, S);
       S = Tree.parent(S)) {
    const Stmt *Around = Tree.parent(S);
    if (!Around)
      return no("the read stands outside of the work");
    const Expr *Condition = nullptr;
    bool Otherwise = false;
    if (const auto *If = dyn_cast<IfStmt>(Around)) {
      Condition = If->getCond() == S ? nullptr : If->getCond();
      Otherwise = If->getElse() == S || If->getInit() == S ||
                  If->getConditionVariable();
    } else if (const auto *Choice =
                   dyn_cast<AbstractConditionalOperator>(Around)) {
      Condition = Choice->getCond() == S ? nullptr : Choice->getCond();
      Otherwise = Choice->getFalseExpr() == S;
    } else if (const auto *Op = dyn_cast<BinaryOperator>(Around);
               Op && Op->isLogicalOp() && Op->getRHS() == S) {
      Condition = Op->getLHS();
      Otherwise = Op->getOpcode() == BO_LOr;
    } else if (const auto *Address = dyn_cast<UnaryOperator>(Around)) {
      Otherwise = Address->getOpcode() == UO_AddrOf;
    } else if (isa<ForStmt>(Around)) {
      Otherwise = llvm::none_of(Window, [&](const Offset &O) {
        return O.L && O.L->Statement == Around && O.L->body() == S;
      });
    } else {
      Otherwise = !isa<Expr, DeclStmt, CompoundStmt, AttributedStmt>(Around);
    }
    if (Otherwise)
      return no("the read is made under a condition of another kind");
    if (!Condition)
      continue;
    if (!isOverWindow(Condition))
      return false;
    Conditions.insert(Conditions.begin(), Condition);
  }
  return true;
}

bool StagedWindow::isDisjoint() {
  for (const MemoryAccess &Write : K.Accesses) {
    if (!Write.writes())
      continue;
    OverlapAnswer Answer = A.basesMayOverlap(K, *Read, Write);
    if (!Answer.disjoint())
      return no("what is staged may be stored by another thread");
    if (!llvm::is_contained(Evidence, Answer.Reason))
      Evidence.push_back(Answer.Reason);
  }
  return true;
}

/// The text of \p Value for the thread whose own element is read: with offsets
/// of 0, which are left out.
std::string StagedWindow::atCentre(const Expr *Value) const {
  auto Other = [&](const Stmt *S) -> const Expr * {
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op || !Op->isAdditiveOp())
      return nullptr;
    if (offsetOf(Op->getRHS()))
      return Op->getLHS()->IgnoreImpCasts();
    return Op->getOpcode() == BO_Add && offsetOf(Op->getLHS())
               ? Op->getRHS()->IgnoreImpCasts()
               : nullptr;
  };
  const Expr *Plain = Value->IgnoreImpCasts();
  if (const auto *Paren = dyn_cast<ParenExpr>(Plain))
    if (const Expr *Rest = Other(Paren->getSubExpr()->IgnoreImpCasts()))
      return isa<DeclRefExpr>(Rest) ? atCentre(Rest)
                                    : "(" + atCentre(Rest) + ")";
  if (const Expr *Rest = Other(Plain))
    return atCentre(Rest);
  const SourceManager &SM = K.Context->getSourceManager();
  std::vector<Patch> Patches;
  std::vector<SourceLocation> Seen;
  std::function<void(const Stmt *)> Gather = [&](const Stmt *S) {
    for (const Stmt *Child : S->children()) {
      const auto *Sub = dyn_cast_or_null<Expr>(Child);
      if (!Sub)
        continue;
      const auto *Paren = dyn_cast<ParenExpr>(Sub);
      const Expr *Inner = Paren ? Paren->getSubExpr()->IgnoreImpCasts() : Sub;
      if (!Other(Inner)) {
        Gather(Sub);
        continue;
      }
      // An argument that a macro uses twice is written once.
      bool InArgument = SM.isMacroArgExpansion(Sub->getBeginLoc()) ||
                        Sub->getBeginLoc().isFileID();
      const Expr *Part = InArgument ? Sub : Inner;
      SourceLocation At = SM.getFileLoc(Part->getBeginLoc());
      if (!llvm::is_contained(Seen, At))
        Patches.push_back({Part->getSourceRange(), atCentre(Part)});
      Seen.push_back(At);
    }
  };
  Gather(Plain);
  return Text.patched(Plain, Patches);
}

/// `threadIdx.x + fx + RADIUS`
std::string StagedWindow::slot(unsigned Axis) const {
  const Offset &O = Window[Axis];
  std::string Result = std::string("threadIdx.") + Components[Axis];
  if (!O.L)
    return Result;
  Result += " + " + O.L->Variable->getNameAsString();
  if (O.Least < 0)
    return Result + " + " + O.Shift;
  return O.Least > 0 ? Result + " - " + std::to_string(O.Least) : Result;
}

/// The conditions of \p Conditions that `&&` joins.
static void conjunctsOf(const Expr *Condition, std::vector<const Expr *> &Out) {
  const Expr *Plain = Condition->IgnoreParenImpCasts();
  const auto *Op = dyn_cast<BinaryOperator>(Plain);
  if (!Op || Op->getOpcode() != BO_LAnd) {
    Out.push_back(Plain);
    return;
  }
  conjunctsOf(Op->getLHS(), Out);
  conjunctsOf(Op->getRHS(), Out);
}

/// Where an element is loaded: some thread within the bounds reads it.
std::vector<std::string> StagedWindow::loadConditions(bool &BySize) const {
  std::vector<const Expr *> Parts;
  for (const Expr *Condition : Conditions)
    conjunctsOf(Condition, Parts);
  std::vector<std::string> Result;
  for (const Expr *Part : Parts) {
    std::string One = atCentre(Part);
    const auto *Op = dyn_cast<BinaryOperator>(Part);
    bool Binds = Op ? Op->getOpcode() != BO_LOr
                    : !isa<AbstractConditionalOperator>(Part);
    Result.push_back(Binds || One.empty() ? One : "(" + One + ")");
  }
  BySize = false;
  for (unsigned Axis = 0; Axis < 2; ++Axis)
    for (const CoordinateGuard &G : E.Along[Axis].Guards) {
      std::string Name = G.Variable->getNameAsString();
      std::string Limit = (G.Op == BO_LT ? " < " : " <= ") +
                          (G.Bound ? Text.compared(G.Bound) : G.BoundText);
      if (llvm::is_contained(Result, Name + Limit))
        continue;
      BySize = true;
      // Left of 0 an unsigned number is large.
      bool IsSigned = G.Variable->getType()->isSignedIntegerType() &&
                      (!G.Bound || G.Bound->getType()->isSignedIntegerType());
      int64_t Most = Window[Axis].Most;
      if (Window[Axis].L && !IsSigned)
        Result.emplace_back();
      if (Most != 0)
        Name += (Most > 0 ? " - " : " + ") + std::to_string(std::abs(Most));
      Result.push_back(Name + Limit);
    }
  return Result;
}

bool StagedWindow::needsElements() const {
  bool BySize = false;
  loadConditions(BySize);
  return BySize;
}

bool StagedWindow::usesRawIndices() const {
  Statements All;
  for (const Stmt *S : E.Statements)
    if (!isa<DeclStmt>(S))
      All.push_back(S);
  for (const ContractionCoordinate &C : E.Along)
    for (const CoordinateGuard &G : C.Guards)
      if (G.Bound)
        All.push_back(G.Bound);
  return Text.usesRawIndices(All);
}

int64_t StagedWindow::sharedBytes(std::array<int64_t, 2> Block) const {
  return (Block[0] + Window[0].border()) * (Block[1] + Window[1].border()) *
         int64_t(Read->ElementSize);
}

/// `TILE_W + 2 * RADIUS`
std::string StagedWindow::extent(unsigned Axis) const {
  const Offset &O = Window[Axis];
  std::string Size = Axis == 0 ? Width : Height;
  if (O.border() == 0)
    return Size;
  bool Named = O.Least == -O.Most && !llvm::isDigit(O.Shift.front());
  return Size + " + " + (Named ? "2 * " + O.Shift : std::to_string(O.border()));
}

void StagedWindow::addLoad(Lines &Out, std::array<int64_t, 2> Block) const {
  Out.add("// The block brings what its threads read of " +
          Read->Base->getNameAsString() + " to shared memory.");
  Out.add("constexpr int " + Width + " = " + std::to_string(Block[0]) + ", " +
          Height + " = " + std::to_string(Block[1]) + ";");
  Out.add("__shared__ " + Type + " " + Tile + "[" + extent(1) + "][" +
          extent(0) + "];");
  Out.open("for (int " + Row + " = threadIdx.y; " + Row + " < " + extent(1) +
           "; " + Row + " += " + Height + ") {");
  Out.open("for (int " + Column + " = threadIdx.x; " + Column + " < " +
           extent(0) + "; " + Column + " += " + Width + ") {");
  for (const VarDecl *V : E.Declarations)
    for (unsigned Axis = 0; Axis < 2; ++Axis) {
      const Offset &O = Window[Axis];
      if (!Text.isCoordinate(V, E.Along[Axis]))
        continue;
      std::string Shift;
      if (O.Least != 0)
        Shift = O.Least < 0 ? " - " + O.Shift : " + " + std::to_string(O.Least);
      Out.add(Text.declare(V, true) + "blockIdx." + Components[Axis] + " * " +
              (Axis == 0 ? Width : Height) + " + " +
              (Axis == 0 ? Column : Row) + Shift + ";");
    }
  // Those that others need come last.
  for (const VarDecl *V : Temporaries)
    Out.add(Text.declare(V, true) + atCentre(V->getInit()) + ";");
  bool BySize = false;
  std::vector<std::string> Guards = loadConditions(BySize);
  if (!Guards.empty()) {
    Out.add("if (" + llvm::join(Guards, " && ") + ")");
    Out.indent();
  }
  const auto *Subscript =
      cast<ArraySubscriptExpr>(Read->Expression->IgnoreParens());
  Out.add(Tile + "[" + Row + "][" + Column +
          "] = " + Read->Base->getNameAsString() + "[" +
          atCentre(Subscript->getIdx()) + "];");
  if (!Guards.empty())
    Out.close("");
  Out.close();
  Out.close();
  Out.add("__syncthreads();");
}

/// \p V is mentioned outside of \p Except.
static bool isMentioned(const Stmt *Body, const VarDecl *V,
                        const StatementTree &Tree, const Stmt *Except) {
  return findIn(Body, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return Ref && Ref->getDecl() == V && !Tree.contains(Except, Ref);
  });
}

void StagedWindow::write(EditBuilder &Builder,
                         std::array<int64_t, 2> Block) const {
  Lines Out(Text.unit());
  addLoad(Out, Block);
  std::string Load;
  llvm::SmallVector<llvm::StringRef> Parts;
  std::string All = Out.take();
  llvm::StringRef(All).split(Parts, '\n');
  for (llvm::StringRef Part : Parts) {
    Part.consume_front(Text.unit());
    Load += (Load.empty() ? "" : "\n") + Part.str();
  }
  const auto *Body = cast<CompoundStmt>(Tree.body());
  Builder.insertLinesBefore(Body->body_front(), Load);
  Builder.replace(Read->Expression->getSourceRange(),
                  Tile + "[" + slot(1) + "][" + slot(0) + "]");
  for (const VarDecl *V : Temporaries) {
    const Stmt *Declared = findIn(Tree.body(), [&](const Stmt *S) {
      const auto *Decls = dyn_cast<DeclStmt>(S);
      return Decls && Decls->isSingleDecl() && Decls->getSingleDecl() == V;
    });
    if (Declared && !isMentioned(Tree.body(), V, Tree, Read->Expression))
      Builder.removeStatement(Declared);
  }
}

bool StagedWindow::isWritable() {
  for (const VarDecl *V : Temporaries)
    if (atCentre(V->getInit()).empty())
      return no("part of the read is made by a macro");
  bool BySize = false;
  for (const std::string &Condition : loadConditions(BySize))
    if (Condition.empty())
      return no("part of a condition is made by a macro");
  const auto *Subscript =
      cast<ArraySubscriptExpr>(Read->Expression->IgnoreParens());
  return !atCentre(Subscript->getIdx()).empty() ||
         no("part of the read is made by a macro");
}

} // namespace cudal1
