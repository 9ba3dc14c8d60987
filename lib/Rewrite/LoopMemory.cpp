//===- LoopMemory.cpp - What a loop does to one element -------------------===//

#include "cudal1/Rewrite/LoopMemory.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/Guards.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace clang;

namespace cudal1 {

static void addOnce(std::vector<std::string> &List, std::string Clause) {
  if (!llvm::is_contained(List, Clause))
    List.push_back(std::move(Clause));
}

void Finding::addEvidence(std::string Clause) {
  addOnce(Evidence, std::move(Clause));
}

void Finding::addCondition(std::string Clause) {
  addOnce(Conditions, std::move(Clause));
}

void Finding::merge(const Finding &Other) {
  Legal &= Other.Legal;
  for (const std::string &Clause : Other.Evidence)
    addEvidence(Clause);
  for (const std::string &Clause : Other.Conditions)
    addCondition(Clause);
}

bool isWholeElement(const Kernel &K, const MemoryAccess &Access) {
  const Expr *E = Access.Expression->IgnoreParens();
  QualType Type = E->getType();
  while (const auto *Member = dyn_cast<MemberExpr>(E)) {
    E = Member->getBase()->IgnoreParenImpCasts();
    Type = Member->isArrow() ? Member->getBase()->getType()->getPointeeType()
                             : E->getType();
    if (Member->isArrow())
      break;
  }
  return !Access.ElementType.isNull() &&
         K.Context->hasSameUnqualifiedType(Type, Access.ElementType);
}

bool isSameElement(const Kernel &K, const MemoryAccess &A,
                   const MemoryAccess &B) {
  return A.Base && A.Base == B.Base && !A.InCallee && !B.InCallee &&
         A.ElementSize == B.ElementSize && A.Member == B.Member &&
         isWholeElement(K, A) && isWholeElement(K, B) &&
         K.Context->hasSameUnqualifiedType(A.ElementType, B.ElementType) &&
         A.Index == B.Index && K.isStable(A.Index) &&
         A.Expression->getType().getCanonicalType().getUnqualifiedType() ==
             B.Expression->getType().getCanonicalType().getUnqualifiedType();
}

bool areSeparateMembers(const Kernel &K, const MemoryAccess &A,
                        const MemoryAccess &B) {
  // One name may stand for different bytes of two records.
  if (!K.Context->hasSameUnqualifiedType(A.ElementType, B.ElementType))
    return false;
  if (A.Member.empty() || B.Member.empty() ||
      llvm::StringRef(A.Member + ".").starts_with(B.Member + ".") ||
      llvm::StringRef(B.Member + ".").starts_with(A.Member + "."))
    return false;
  auto ThroughUnion = [](const Expr *E) {
    return findIn(E, [](const Stmt *S) {
      const auto *Member = dyn_cast<MemberExpr>(S);
      const auto *Field =
          Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
      return Field && Field->getParent()->isUnion();
    });
  };
  return !ThroughUnion(A.Expression) && !ThroughUnion(B.Expression);
}

namespace {

/// The difference is a non-zero constant modulo a common divisor of all else:
/// 2*k + 1 is never 0 for an integer k.
bool isNonZeroByDivisibility(const Polynomial &Difference) {
  int64_t Divisor = 0;
  for (const auto &[Monomial, Coefficient] : Difference.terms())
    if (!Monomial.empty())
      Divisor = std::gcd(Divisor, Coefficient);
  int64_t Constant = Difference.constantTerm();
  return Divisor == 0 ? Constant != 0 : Constant % Divisor != 0;
}

/// Puts Lower + Step * t, t >= 0, for the variables of counted loops inside
/// \p L (L included) and looks whether the sign of every term is the same.
bool isNonZeroByRange(const Kernel &K, const Loop &L, const MemoryAccess &Other,
                      const Polynomial &Difference) {
  for (const auto &Inner : K.Loops) {
    if (!Inner->isInside(&L) || !Inner->Counted || !Other.InLoop ||
        !Other.InLoop->isInside(Inner.get()) ||
        !Difference.uses(Inner->VariableSymbol))
      continue;
    if (!Inner->Step || !Difference.coefficientOf(Inner->VariableSymbol))
      return false;
    std::optional<int64_t> Slope =
        Difference.coefficientOf(Inner->VariableSymbol)->constant();
    if (!Slope)
      return false;
    Polynomial First =
        Difference.substitute(Inner->VariableSymbol, Inner->Lower);
    std::optional<int64_t> Start = First.constant();
    return Start && ((*Start > 0 && *Slope * *Inner->Step >= 0) ||
                     (*Start < 0 && *Slope * *Inner->Step <= 0));
  }
  return false;
}

} // namespace

bool neverSameElement(const Kernel &K, const Loop &L, const MemoryAccess &Fixed,
                      const MemoryAccess &Other) {
  if (Fixed.InCallee || Other.InCallee ||
      Fixed.ElementSize != Other.ElementSize || Fixed.ElementSize == 0 ||
      !isWholeElement(K, Fixed) || !isWholeElement(K, Other))
    return false;
  if (areSeparateMembers(K, Fixed, Other))
    return true;
  Polynomial Difference = Other.Index - Fixed.Index;
  return isNonZeroByDivisibility(Difference) ||
         isNonZeroByRange(K, L, Other, Difference);
}

std::vector<const MemoryAccess *>
accessesIn(const Kernel &K, const StatementTree &Tree, const Stmt *S) {
  std::vector<const MemoryAccess *> Result;
  for (const MemoryAccess &Access : K.Accesses)
    if (Tree.contains(S, Access.Expression))
      Result.push_back(&Access);
  return Result;
}

namespace {

/// Deep enough for operators of vector types built upon each other.
constexpr unsigned MaxCallDepth = 6;

bool isPure(const FunctionDecl *Function, unsigned Depth);

/// The function called by \p S; null for none. \p IsCall tells whether \p S is
/// a call at all.
const FunctionDecl *calleeOf(const Stmt *S, bool &IsCall) {
  IsCall = true;
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return Call->getDirectCallee();
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
    return Construct->getConstructor();
  IsCall = isa<CXXNewExpr, CXXDeleteExpr>(S);
  return nullptr;
}

bool isLocalObject(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return !Member->isArrow() ? isLocalObject(Member->getBase())
                              : isa<CXXThisExpr>(Member->getBase());
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr *Base = Subscript->getBase()->IgnoreParenImpCasts();
    return Base->getType()->isArrayType() && isLocalObject(Base);
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl()))
      return Variable->hasLocalStorage() &&
             !Variable->getType()->isReferenceType();
  return false;
}

/// A part of a function's body that touches what is not its own.
bool reachesOutside(const Stmt *S, bool MayWriteThis, unsigned Depth) {
  bool IsCall = false;
  if (const FunctionDecl *Callee = calleeOf(S, IsCall); IsCall)
    return !Callee || !isPure(Callee, Depth + 1);
  if (const auto *Unary = dyn_cast<UnaryOperator>(S)) {
    if (Unary->getOpcode() == UO_Deref)
      return true;
    return Unary->isIncrementDecrementOp() &&
           !isLocalObject(Unary->getSubExpr());
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(S))
    return !isLocalObject(Subscript);
  if (const auto *Member = dyn_cast<MemberExpr>(S))
    return Member->isArrow() && !isa<CXXThisExpr>(Member->getBase());
  if (const auto *Binary = dyn_cast<BinaryOperator>(S))
    if (Binary->isAssignmentOp())
      return !isLocalObject(Binary->getLHS()) ||
             (!MayWriteThis && findIn(Binary->getLHS(), [](const Stmt *Child) {
               return isa<CXXThisExpr>(Child);
             }));
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
    if (const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl()))
      return Variable->hasGlobalStorage() &&
             !Variable->getType().isConstQualified() &&
             !Variable->isConstexpr();
  if (const auto *Asm = dyn_cast<GCCAsmStmt>(S))
    return Asm->isVolatile() || Asm->getNumClobbers() != 0;
  return isa<MSAsmStmt, LambdaExpr, GotoStmt, CXXThrowExpr>(S);
}

bool isPure(const FunctionDecl *Function, unsigned Depth) {
  DeviceFunction Known = classify(*Function);
  if (Known != DeviceFunction::Ordinary)
    return Known == DeviceFunction::Pure;
  const auto *Constructor = dyn_cast<CXXConstructorDecl>(Function);
  if (Constructor && Constructor->isTrivial())
    return true;
  const FunctionDecl *Definition = nullptr;
  if (Depth > MaxCallDepth || !Function->hasBody(Definition) ||
      Definition->isVirtualAsWritten())
    return false;
  auto Outside = [&](const Stmt *S) {
    return reachesOutside(S, Constructor != nullptr, Depth);
  };
  if (Constructor)
    for (const CXXCtorInitializer *Init :
         cast<CXXConstructorDecl>(Definition)->inits())
      if (findIn(Init->getInit(), Outside))
        return false;
  return !findIn(Definition->getBody(), Outside);
}

bool isKnownMath(const Kernel &K, const Stmt *Call) {
  return llvm::any_of(K.MathCalls,
                      [&](const MathCall &M) { return M.Call == Call; });
}

/// Loads through the read-only path: by its contract the memory is not written
/// while the kernel runs.
bool isReadOnlyLoad(const FunctionDecl *Callee) {
  return Callee && Callee->getDeclName().isIdentifier() &&
         Callee->getName() == "__ldg";
}

} // namespace

bool isPureFunction(const FunctionDecl *Function) {
  return Function && isPure(Function, 0);
}

bool callsLeaveMemoryAlone(const Kernel &K, const Stmt *S, bool AtomicsAside) {
  return !findIn(S, [&](const Stmt *Child) {
    if (isa<AsmStmt, LambdaExpr>(Child))
      return true;
    if (AtomicsAside && llvm::any_of(K.Atomics, [&](const AtomicOperation &A) {
          return A.Call == Child;
        }))
      return false;
    bool IsCall = false;
    const FunctionDecl *Callee = calleeOf(Child, IsCall);
    return IsCall && !isKnownMath(K, Child) && !isReadOnlyLoad(Callee) &&
           !isPureFunction(Callee);
  });
}

namespace {

/// A local reference may be another name for the element.
bool usesReferences(const Stmt *S) {
  return findIn(S, [](const Stmt *Child) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Child))
      return Ref->getDecl()->getType()->isReferenceType();
    if (const auto *Decls = dyn_cast<DeclStmt>(Child))
      for (const Decl *D : Decls->decls())
        if (const auto *Variable = dyn_cast<VarDecl>(D))
          if (Variable->getType()->isReferenceType())
            return true;
    return false;
  });
}

/// Nobody writes the buffer while the kernel runs, as far as the kernel shows.
Finding isReadOnlyInKernel(const Kernel &K, const ProgramAnalysis &A,
                           const MemoryAccess &Element) {
  Finding Result;
  if (!K.UnknownCalls.empty() || K.HasAsm)
    Result.refuse();
  if (const KernelParameter *P = K.parameter(Element.Base))
    if (P->Use.Escapes)
      Result.refuse();
  for (const MemoryAccess &Other : K.Accesses) {
    if (!Result.Legal)
      return Result;
    if (!Other.writes())
      continue;
    OverlapAnswer Overlap = A.basesMayOverlap(K, Element, Other);
    if (!Overlap.disjoint())
      Result.refuse();
    else if (Other.Space != MemorySpace::Local)
      Result.addEvidence(Overlap.Reason);
  }
  return Result;
}

/// Another access of the element's own array, at an index that differs, one of
/// the two being a write. In one thread it never is the element, but it can be
/// another thread's element, and meant to be; so it must lie within what is
/// this thread's own.
bool isNearInSameThread(const Kernel &K, const MemoryAccess &Element,
                        const MemoryAccess &Other) {
  if (areSeparateMembers(K, Element, Other))
    return true;
  std::optional<int64_t> Distance = (Other.Index - Element.Index).constant();
  if (!Distance)
    return false;
  // Another thread's element is at least the smallest coefficient away.
  bool ThreadDependent = false;
  for (const auto &[Monomial, Coefficient] : Element.Index.terms()) {
    bool OfThread = llvm::any_of(Monomial, [&](SymbolId Id) {
      SymbolKind Kind = K.Symbols[Id].Kind;
      return Kind == SymbolKind::ThreadIdx || Kind == SymbolKind::BlockIdx;
    });
    if (!OfThread)
      continue;
    ThreadDependent = true;
    if (Monomial.size() == 1 && std::abs(Coefficient) <= std::abs(*Distance))
      return false;
  }
  return ThreadDependent;
}

/// The terms of \p P that differ between threads.
Polynomial threadPart(const Kernel &K, const Polynomial &P) {
  Polynomial Result;
  for (const auto &[Monomial, Coefficient] : P.terms()) {
    if (llvm::none_of(Monomial, [&](SymbolId Id) {
          SymbolKind Kind = K.Symbols[Id].Kind;
          return Kind != SymbolKind::Parameter && Kind != SymbolKind::Constant;
        }))
      continue;
    Polynomial Term(Coefficient);
    for (SymbolId Id : Monomial)
      Term = Term * Polynomial::symbol(Id);
    Result = Result + Term;
  }
  return Result;
}

/// \p Element is `X[row * n + column]`, \p Other `X[k * n + column]` in a loop
/// over k up to row (or from row + 1 on), row is the same for all threads, and
/// columns are less than n: then no iteration accesses what is any thread's
/// element.
bool isInAnotherRow(const Kernel &K, const StatementTree &Tree, const Loop &L,
                    const MemoryAccess &Element, const MemoryAccess &Other) {
  if (Element.InCallee || Other.InCallee ||
      Element.ElementSize != Other.ElementSize || Element.ElementSize == 0 ||
      !isWholeElement(K, Element) || !isWholeElement(K, Other))
    return false;
  Polynomial Difference = Other.Index - Element.Index;
  for (const auto &Inner : K.Loops) {
    if (!Inner->isInside(&L) || !Inner->Counted || !Inner->Step ||
        *Inner->Step <= 0 || !Other.InLoop ||
        !Other.InLoop->isInside(Inner.get()))
      continue;
    auto Stride = Difference.coefficientOf(Inner->VariableSymbol);
    if (!Stride || Stride->isZero() || !threadPart(K, *Stride).isZero())
      continue;
    Polynomial Rest = Difference.without(Inner->VariableSymbol);
    Polynomial Before = Inner->Lower - Polynomial(1);
    bool BelowEnd = (Rest + *Stride * Inner->Upper).isZero() &&
                    threadPart(K, Inner->Upper).isZero();
    bool AboveStart =
        (Rest + *Stride * Before).isZero() && threadPart(K, Before).isZero();
    if (!BelowEnd && !AboveStart)
      continue;
    Polynomial Column = threadPart(K, Element.Index);
    Guards Known(K, Tree, Inner->Statement);
    if (Known.provesNonNegative(Column) &&
        Known.provesNonNegative(*Stride - Column - Polynomial(1)))
      return true;
  }
  return false;
}

std::string baseName(const MemoryAccess &Access) {
  return Access.Base ? Access.Base->getNameAsString() : "?";
}

void checkOtherAccess(const Kernel &K, const ProgramAnalysis &A,
                      const StatementTree &Tree, const Loop &L,
                      const MemoryAccess &Element, bool Written,
                      const MemoryAccess &Other, Finding &Result) {
  // A flag between threads: what it stands for must not move past it.
  if (Other.Expression->getType().isVolatileQualified())
    return Result.refuse();
  if (!Written && !Other.writes())
    return;
  if (Other.Base && Other.Base == Element.Base) {
    bool Apart = neverSameElement(K, L, Element, Other) &&
                 isNearInSameThread(K, Element, Other);
    if (!Apart && !isInAnotherRow(K, Tree, L, Element, Other))
      return Result.refuse();
    return Result.addEvidence("no other access of " + baseName(Element) +
                              " in the loop is that element");
  }
  OverlapAnswer Overlap = A.basesMayOverlap(K, Element, Other);
  if (Overlap.disjoint())
    return Other.Space == MemorySpace::Local
               ? void()
               : Result.addEvidence(Overlap.Reason);
  if (Overlap.Answer == OverlapAnswer::Overlap || !Other.Base)
    return Result.refuse();
  Result.addCondition(baseName(Element) + " and " + baseName(Other) +
                      " do not overlap (" + Overlap.Reason + ")");
}

} // namespace

Finding mayLiveInRegister(const Kernel &K, const ProgramAnalysis &A,
                          const StatementTree &Tree, const Loop &L,
                          const std::vector<const MemoryAccess *> &Uses) {
  Finding Result;
  const MemoryAccess &Element = *Uses.front();
  bool Written =
      llvm::any_of(Uses, [](const MemoryAccess *Use) { return Use->writes(); });
  if (!Written) {
    Finding ReadOnly = isReadOnlyInKernel(K, A, Element);
    if (ReadOnly.Legal) {
      ReadOnly.addEvidence("the kernel never writes " + baseName(Element));
      return ReadOnly;
    }
  }
  // A loop that may leave early could be waiting for what it reads.
  if ((!Written && L.HasEarlyExit) || K.HasAsm || L.HasBarrier ||
      !callsLeaveMemoryAlone(K, L.Statement) || usesReferences(L.Statement)) {
    Result.refuse();
    return Result;
  }
  Result.addEvidence(
      "no barrier, atomic or call with side effects in the loop");
  for (const MemoryAccess *Other : accessesIn(K, Tree, L.Statement)) {
    if (llvm::is_contained(Uses, Other))
      continue;
    checkOtherAccess(K, A, Tree, L, Element, Written, *Other, Result);
    if (!Result.Legal)
      return Result;
  }
  return Result;
}

} // namespace cudal1
