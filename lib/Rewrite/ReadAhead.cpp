//===- ReadAhead.cpp - Loads that may be made early -----------------------===//

#include "ReadAhead.h"

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// More would take registers from the rest.
static constexpr size_t MostLoads = 4;

namespace {

class LoadFinder {
public:
  LoadFinder(const Kernel &K, const ProgramAnalysis &A,
             const StatementTree &Tree)
      : K(K), A(A), Tree(Tree), Changes(Assignments::of(Tree.body())) {}

  std::optional<ReadAhead> find();

private:
  bool head();
  bool isNumbers(const DeclStmt *Decls) const;
  bool touchesMemory(const Stmt *S) const;
  bool isReadOnly(const MemoryAccess &Load) const;
  bool isAlwaysMade(const MemoryAccess &Load) const;
  bool isFoundByNumber(const MemoryAccess &Load) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  Assignments Changes;
  ReadAhead Result;
  /// What the guard lets through.
  std::vector<const Stmt *> Region;
};

} // namespace

bool LoadFinder::touchesMemory(const Stmt *S) const {
  return llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
    return Tree.contains(S, Access.Expression);
  });
}

/// `int i = ..., j = ...;` of values that do not change.
bool LoadFinder::isNumbers(const DeclStmt *Decls) const {
  return !touchesMemory(Decls) &&
         llvm::all_of(Decls->decls(), [&](const Decl *D) {
           const auto *V = dyn_cast<VarDecl>(D);
           return V && V->getInit() && V->getType()->isIntegerType() &&
                  !V->isStaticLocal() && !Changes.isAssigned(V) &&
                  !V->getInit()->HasSideEffects(
                      *K.Context, /*IncludePossibleEffects=*/false);
         });
}

/// Numbers, then a guard that nothing follows which it does not govern.
bool LoadFinder::head() {
  const auto *Body = dyn_cast<CompoundStmt>(Tree.body());
  if (!Body)
    return false;
  const auto *It = Body->body_begin(), *End = Body->body_end();
  for (; It != End && isa<DeclStmt>(*It); ++It) {
    if (!isNumbers(cast<DeclStmt>(*It)))
      return false;
    Result.Numbers.push_back(cast<DeclStmt>(*It));
  }
  const auto *If = It == End ? nullptr : dyn_cast<IfStmt>(*It);
  if (!If || If->getElse() || If->getInit() || If->getConditionVariable() ||
      touchesMemory(If->getCond()) ||
      If->getCond()->HasSideEffects(*K.Context,
                                    /*IncludePossibleEffects=*/false))
    return false;
  const Stmt *Then = If->getThen();
  const auto *Block = dyn_cast<CompoundStmt>(Then);
  const Stmt *Only = Block && Block->size() == 1 ? Block->body_front() : Then;
  if (isa<ReturnStmt>(Only)) {
    Result.Guard = spellNegated(If->getCond(), *K.Context);
    Region.assign(std::next(It), End);
  } else if (std::next(It) == End) {
    Result.Guard = spell(If->getCond(), *K.Context);
    if (Block)
      Region.assign(Block->body_begin(), Block->body_end());
    else
      Region.push_back(Then);
  }
  return !Result.Guard.empty() && !Region.empty();
}

/// Nothing that the kernel writes shares memory with what \p Load reads.
bool LoadFinder::isReadOnly(const MemoryAccess &Load) const {
  return llvm::all_of(K.Accesses, [&](const MemoryAccess &Access) {
    return !Access.writes() || Access.Space == MemorySpace::Local ||
           A.basesMayOverlap(K, Access, Load).disjoint();
  });
}

bool LoadFinder::isAlwaysMade(const MemoryAccess &Load) const {
  for (const Stmt *S : Region) {
    if (Tree.contains(S, Load.Expression))
      return Tree.alwaysRunsIn(Load.Expression, S,
                               [](const Stmt *) { return false; });
    if (hasJump(S))
      return false;
  }
  return false;
}

/// The address is computed from parameters and the numbers at the head.
bool LoadFinder::isFoundByNumber(const MemoryAccess &Load) const {
  const auto *Subscript =
      dyn_cast<ArraySubscriptExpr>(Load.Expression->IgnoreParens());
  const auto *Base =
      Subscript
          ? dyn_cast<DeclRefExpr>(Subscript->getBase()->IgnoreParenImpCasts())
          : nullptr;
  if (!Base || Base->getDecl() != Load.Base || !K.parameter(Load.Base) ||
      Changes.isAssigned(Load.Base))
    return false;
  return !findIn(Subscript->getIdx(), [&](const Stmt *S) {
    if (isa<CallExpr, ArraySubscriptExpr, MemberExpr>(S))
      return true;
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V)
      return false;
    bool AtHead = llvm::any_of(Result.Numbers, [&](const DeclStmt *Decls) {
      return llvm::is_contained(Decls->decls(), V);
    });
    return !AtHead && !(isa<ParmVarDecl>(V) && !Changes.isAssigned(V));
  });
}

std::optional<ReadAhead> LoadFinder::find() {
  if (!head())
    return std::nullopt;
  for (const MemoryAccess &Load : K.Accesses) {
    if (Load.Kind != AccessKind::Read || Load.Space != MemorySpace::Global ||
        Load.InCallee || !Load.ElementType->isArithmeticType() ||
        Load.Expression->getType().isVolatileQualified() ||
        !Load.Member.empty() || !isFoundByNumber(Load))
      continue;
    std::string Text = spellOnOneLine(Load.Expression, *K.Context);
    auto Known = llvm::find_if(
        Result.Loads, [&](const EarlyLoad &L) { return L.Text == Text; });
    if (Text.empty() || Load.Expression->getBeginLoc().isMacroID() ||
        Load.Expression->getEndLoc().isMacroID())
      continue;
    // The first of equal ones says whether it is made in any case.
    if (Known != Result.Loads.end()) {
      Known->Mentions.push_back(Load.Expression);
    } else if (isAlwaysMade(Load) && isReadOnly(Load)) {
      EarlyLoad L;
      L.Base = Load.Base;
      L.Type = Load.Expression->getType().getUnqualifiedType();
      L.Text = std::move(Text);
      L.Mentions.push_back(Load.Expression);
      Result.Loads.push_back(std::move(L));
    }
  }
  if (Result.Loads.empty() || Result.Loads.size() > MostLoads)
    return std::nullopt;
  return std::move(Result);
}

std::optional<ReadAhead> findReadAhead(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const StatementTree &Tree) {
  return LoadFinder(K, A, Tree).find();
}

} // namespace cudal1
