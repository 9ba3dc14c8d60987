//===- JammedLoops.cpp - A loop whose inner loops can be fused ------------===//

#include "JammedLoops.h"

#include "cudal1/Analysis/Dependence.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

JammedLoops::JammedLoops(const Kernel &K, const ProgramAnalysis &A,
                         const StatementTree &Tree, const Assignments &Changes,
                         const Loop &Outer)
    : K(K), A(A), Tree(Tree), Changes(Changes), Outer(Outer), Text(K, A, {}) {
  if (findParts() && isPlain() && changesOwnVariables())
    keepsOrder();
}

/// Counts upwards by one with a variable of its own.
static std::optional<CountedFor> plainHead(const Loop &L) {
  auto Head = partsOf(L);
  const auto *Init =
      Head ? dyn_cast_or_null<DeclStmt>(Head->For->getInit()) : nullptr;
  if (!Init || !Init->isSingleDecl() || Init->getSingleDecl() != L.Variable ||
      L.Step != 1 || Head->For->getConditionVariable() ||
      !L.Variable->getType()->isIntegerType() ||
      L.Variable->getASTContext().getTypeSize(L.Variable->getType()) < 32 ||
      L.Variable->getType().isVolatileQualified())
    return std::nullopt;
  return Head;
}

static void appendStatements(const Stmt *S, std::vector<const Stmt *> &Out) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    Out.insert(Out.end(), Block->body_begin(), Block->body_end());
  else
    Out.push_back(S);
}

bool JammedLoops::findParts() {
  auto OuterHead = plainHead(Outer);
  if (!OuterHead)
    return no("the outer loop does not count upwards by one");
  Head = *OuterHead;
  std::vector<const Stmt *> Body;
  appendStatements(Outer.body(), Body);
  for (const Stmt *S : Body) {
    if (isa<WhileStmt, DoStmt, CXXForRangeStmt, AttributedStmt, NullStmt>(S))
      return no("the loop holds something else than one loop inside");
    if (!isa<ForStmt>(S)) {
      Parts[Inner ? 2 : 0].push_back(S);
      continue;
    }
    if (Inner)
      return no("there are several loops inside");
    Inner = loopOf(K, S);
    if (!Inner)
      return no("the loop inside is not counted");
  }
  if (!Inner || !Inner->IsInnermost || !plainHead(*Inner) ||
      !K.isInvariantIn(Inner->Lower, Outer) ||
      !K.isInvariantIn(Inner->Upper, Outer))
    return no("the loop inside is not the same for all iterations");
  appendStatements(Inner->body(), Parts[1]);
  for (const std::vector<const Stmt *> &Part : {Parts[0], Parts[2]})
    for (const Stmt *S : Part)
      if (findIn(S, [](const Stmt *Child) {
            return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(Child);
          }))
        return no("there are several loops inside");
  return true;
}

/// Only computes, and accesses memory.
bool JammedLoops::isPlain() {
  const Stmt *S = Outer.Statement;
  bool TiesThreads =
      llvm::any_of(K.WarpOperations, [&](const WarpOperation &W) {
        return Tree.contains(S, W.Call);
      });
  if (hasJump(S) || TiesThreads || Outer.HasBarrier ||
      !callsLeaveMemoryAlone(K, S))
    return no("the loop is left, or ties threads together");
  bool Odd = findIn(S, [](const Stmt *Child) {
    const auto *E = dyn_cast<Expr>(Child);
    return isa<LambdaExpr, StmtExpr, SwitchStmt, AttributedStmt, AsmStmt>(
               Child) ||
           (E && E->getType().isVolatileQualified());
  });
  return !Odd || no("the loop holds volatile values or unusual statements");
}

/// What is assigned is declared inside of the outer loop, so that each
/// iteration has its own.
bool JammedLoops::changesOwnVariables() {
  bool Declares = true;
  findIn(Outer.body(), [&](const Stmt *S) {
    const auto *D = dyn_cast<DeclStmt>(S);
    if (!D)
      return false;
    for (const Decl *Declared : D->decls()) {
      const auto *V = dyn_cast<VarDecl>(Declared);
      if (!V || !V->hasLocalStorage() || V->getType()->isReferenceType() ||
          V->getLocation().isMacroID())
        Declares = false;
      else if (V != Inner->Variable)
        Own.push_back(V);
    }
    return false;
  });
  if (!Declares)
    return no("the loop declares something else than its own variables");
  for (const VarDecl *V : variablesChangedIn(Outer.body()))
    if (V != Inner->Variable && !llvm::is_contained(Own, V))
      return no("an iteration uses what another assigns");
  for (const VarDecl *V : Own)
    for (const Assignments::Change &C : Changes.changesOf(V))
      if (C.Escapes)
        return no("the address of a variable is taken");
  return true;
}

/// 0, 1, 2: before, in and behind the inner loop.
unsigned JammedLoops::partOf(const MemoryAccess &Access) const {
  for (unsigned Part : {0, 1, 2})
    for (const Stmt *S : Parts[Part])
      if (Tree.contains(S, Access.Expression))
        return Part;
  return 1; // the head of the inner loop
}

/// \p Earlier in one iteration of the outer loop and \p Later in a later one
/// may change places.
bool JammedLoops::mayExchange(const MemoryAccess &Earlier,
                              const MemoryAccess &Later) const {
  if (!Earlier.writes() && !Later.writes())
    return true;
  if (!Earlier.Base || !Later.Base || Earlier.InCallee || Later.InCallee)
    return false;
  if (Earlier.Base != Later.Base)
    return A.basesMayOverlap(K, Earlier, Later).disjoint();
  if (!Earlier.Member.empty() || !Later.Member.empty())
    return false;
  Guards Known(K, Tree, Outer.Statement);
  auto IsPositive = [&](const Polynomial &Value) {
    return Known.provesNonNegative(Value - Polynomial(1));
  };
  bool BothInside = partOf(Earlier) == 1 && partOf(Later) == 1;
  std::vector<const Loop *> Nest{&Outer};
  if (BothInside)
    Nest.push_back(Inner);
  auto Meets = findDependence(K, Earlier, Later, Nest, IsPositive);
  if (!Meets || (Meets->Distances[0] && *Meets->Distances[0] <= 0))
    return true;
  // In one iteration of the inner loop the order stays.
  return BothInside && Meets->Distances[1] && *Meets->Distances[1] >= 0;
}

bool JammedLoops::keepsOrder() {
  std::vector<const MemoryAccess *> Accesses;
  for (const MemoryAccess *Access : accessesIn(K, Tree, Outer.Statement)) {
    const auto *V = dyn_cast_or_null<VarDecl>(Access->Base);
    if (Access->Kind == AccessKind::Atomic)
      return no("there are atomic operations");
    if (!V || !llvm::is_contained(Own, V))
      Accesses.push_back(Access);
  }
  for (const MemoryAccess *Earlier : Accesses)
    for (const MemoryAccess *Later : Accesses) {
      unsigned From = partOf(*Earlier), To = partOf(*Later);
      bool Exchanged = From > To || (From == 1 && To == 1);
      if (Exchanged && !mayExchange(*Earlier, *Later))
        return no("an iteration may need what an earlier one stores");
    }
  return true;
}

bool JammedLoops::leavesRest(int64_t Factor) const {
  return !Outer.TripCount || *Outer.TripCount % uint64_t(Factor) != 0;
}

/// `bound - i` cannot wrap around: i starts at zero, and never gets beyond the
/// bound of an unsigned comparison.
bool JammedLoops::mayLeaveRest() const {
  BinaryOperatorKind Kind = Head.Condition->getOpcode();
  bool Inclusive = Kind == BO_LE || Kind == BO_GE;
  QualType Type = Head.Condition->getLHS()->getType();
  return Outer.Lower == Polynomial(0) &&
         !(Inclusive && Type->isUnsignedIntegerType()) &&
         !Head.Bound->HasSideEffects(*K.Context) &&
         !Text.compared(Head.Bound).empty();
}

bool JammedLoops::hasReuse() const {
  return llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
    return Access.Kind == AccessKind::Read && Access.InLoop == Inner &&
           Access.Space != MemorySpace::Local &&
           Access.Index.uses(Inner->VariableSymbol) &&
           !Access.Index.usesAny([&](SymbolId Id) {
             return K.Symbols.dependsOn(Id, Outer.VariableSymbol);
           });
  });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::vector<JammedLoops::Names> JammedLoops::namesFor(int64_t Factor) const {
  std::vector<Names> Result(Factor);
  std::vector<std::string> Taken;
  for (int64_t Copy = 1; Copy < Factor; ++Copy) {
    for (const VarDecl *V : Own) {
      Taken.push_back(freshName(
          K.Function, V->getNameAsString() + std::to_string(Copy), Taken));
      Result[Copy][V] = Taken.back();
    }
    Result[Copy][Outer.Variable] =
        Outer.Variable->getNameAsString() + " + " + std::to_string(Copy);
  }
  return Result;
}

std::vector<Patch> JammedLoops::patches(const Names &Of) const {
  std::vector<Patch> Result;
  if (Of.empty())
    return Result;
  for (const VarDecl *V : Own)
    Result.push_back({V->getLocation(), Of.lookup(V)});
  findIn(Outer.body(), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    auto It = Ref ? Of.find(Ref->getDecl()) : Of.end();
    if (It == Of.end())
      return false;
    const Stmt *Parent = Tree.parent(Ref);
    while (isa_and_nonnull<ImplicitCastExpr>(Parent))
      Parent = Tree.parent(Parent);
    bool Alone = Ref->getDecl() != Outer.Variable ||
                 isa_and_nonnull<ArraySubscriptExpr, ParenExpr>(Parent);
    Result.push_back(
        {Ref->getSourceRange(), Alone ? It->second : "(" + It->second + ")"});
    return false;
  });
  return Result;
}

/// The statements \p S for each copy; false when a macro makes one.
bool JammedLoops::addCopies(Lines &Out, llvm::ArrayRef<const Stmt *> S,
                            const std::vector<Names> &Copies) const {
  for (const Names &Of : Copies)
    for (const Stmt *Part : S) {
      if (Of.empty())
        for (const std::string &Comment : Text.comments(Part))
          Out.add(Comment);
      std::string Statement = Text.statement(Part, patches(Of));
      if (Statement.empty())
        return false;
      Out.addBlock(Statement, Text.indentation(Part));
    }
  return true;
}

/// `for (Init; Condition; Step) {`
static std::string headOf(llvm::StringRef Init, llvm::StringRef Condition,
                          llvm::StringRef Step) {
  return ("for (" + Init + "; " + Condition + "; " + Step + ") {").str();
}

/// `int i = 0`, without a semicolon.
static std::string declaredIn(const ForStmt &For, const ScopedText &Text) {
  return llvm::StringRef(Text.statement(For.getInit(), {})).rtrim("; ").str();
}

/// All of the nest, indented from one level on; "" when a macro makes part.
std::string JammedLoops::textOf(int64_t Factor) const {
  const std::string Variable = Outer.Variable->getNameAsString();
  const std::string Step = Variable + " += " + std::to_string(Factor);
  const bool Rest = leavesRest(Factor);
  const auto &In = *cast<ForStmt>(Inner->Statement);
  const std::vector<Names> Copies = namesFor(Factor);
  std::string Init = declaredIn(*Head.For, Text);
  std::string Condition = Text.text(Head.For->getCond());
  std::string InnerHead = headOf(declaredIn(In, Text), Text.text(In.getCond()),
                                 Text.text(In.getInc()));
  std::string Body = Text.statement(Outer.body(), {});
  if (Init.empty() || Condition.empty() || Body.empty() ||
      Text.text(In.getCond()).empty() || Text.text(In.getInc()).empty() ||
      declaredIn(In, Text).empty())
    return "";

  Lines Out(Text.unit());
  BinaryOperatorKind Kind = Head.Condition->getOpcode();
  int64_t Ahead = Kind == BO_LE || Kind == BO_GE ? Factor - 2 : Factor - 1;
  if (Rest) {
    Out.open("{");
    Out.add(Init + ";");
    Out.open(headOf("",
                    Text.compared(Head.Bound) + " - " + Variable + " > " +
                        std::to_string(Ahead),
                    Step));
  } else {
    Out.open(headOf(Init, Condition, Step));
  }
  bool Written = addCopies(Out, Parts[0], Copies);
  for (const std::string &Comment : Text.comments(&In))
    Out.add(Comment);
  Out.open(InnerHead);
  Written &= addCopies(Out, Parts[1], Copies);
  Out.close();
  Written &= addCopies(Out, Parts[2], Copies);
  Out.close();
  if (Rest) {
    std::string Each = headOf("", Condition, Text.text(Head.For->getInc()));
    // The body has its own brace, or is one statement.
    Each.pop_back();
    Out.addBlock(Each + Body, Text.indentation(Outer.Statement));
    Out.close();
  }
  return Written ? Out.take() : "";
}

void JammedLoops::write(EditBuilder &Builder, int64_t Factor) const {
  std::string Whole = textOf(Factor);
  if (Whole.empty())
    return Builder.fail("the loop over " + Outer.Variable->getName() +
                        " is made by a macro");
  std::string Base = Text.indentation(Outer.Statement), Result;
  llvm::SmallVector<llvm::StringRef> Rows;
  llvm::StringRef(Whole).split(Rows, '\n');
  for (llvm::StringRef Row : Rows) {
    Row.consume_front(Text.unit());
    if (!Result.empty())
      Result += '\n';
    if (!Result.empty() && !Row.empty())
      Result += Base;
    Result += Row;
  }
  // The last statement's own semicolon stays behind a body without braces.
  if (!isa<CompoundStmt>(Outer.body()) && !isa<CompoundStmt>(Inner->body()))
    return Builder.fail("the loop over " + Outer.Variable->getName() +
                        " has no braces");
  Builder.replace(Outer.Statement->getSourceRange(), Result);
}

} // namespace cudal1
