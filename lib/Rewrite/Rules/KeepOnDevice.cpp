//===- KeepOnDevice.cpp - keep-on-device ----------------------------------===//
//
// A copy between host and device runs at some 10 to 50 GB/s, a hundredth of
// what kernels read and write, and the host waits for it. Programs that grew
// from a CPU version often copy an array in before each kernel and out behind
// it, though the host does not look at it in between.
//
// Three shapes are known, all of a counted loop whose body is left by its end:
//   in   nothing changes the array or the buffer: one copy before the loop;
//   trip the array comes back from where it went to: one copy before the loop,
//        one behind it;
//   pass it comes back from another buffer: from the second iteration on that
//        buffer is copied on the device.
// Every buffer holds the same at each point of the loop as before.
//
//===----------------------------------------------------------------------===//

#include "../HostArrays.h"
#include "../HostLoop.h"
#include "../HostPaths.h"
#include "../HostUnit.h"
#include "../LaunchMemory.h"
#include "../RepeatLoop.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Analysis/HostPointers.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Leaves data on the device between iterations of a host loop that copies it
/// there and back each time without a look at it.
class KeepOnDevice : public Rule {
public:
  llvm::StringRef name() const override { return "keep-on-device"; }
  llvm::StringRef summary() const override {
    return "Leaves data on the device between iterations of a host loop that "
           "copies it there and back each time without a look at it.";
  }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

/// A copy to the device that stands directly in the loop's body, and the copy
/// back, if there is one.
struct RoundTrip {
  HostLoop Loop;
  CheckedCall In;
  std::optional<CheckedCall> Back;
  HostPlace Place;
  /// It comes back from the buffer that it went to.
  bool SameBuffer = false;
};

class TripFinder {
public:
  TripFinder(const Rule &R, const ProgramAnalysis &A, const FunctionDecl &F)
      : R(R), A(A), F(F), Context(A.program().context(Side::Host)),
        Paths(F, Context), Uses(F, Context) {}

  void findSites(std::vector<Site> &Out);

private:
  void readLoop(const HostLoop &L, std::vector<Site> &Out);
  std::optional<RoundTrip> tripOf(const CheckedCall &In);
  bool isUntouched(const RoundTrip &T, bool MayRead) const;
  bool keepsAway(const Stmt *S) const;
  bool isAnArrayAlone(const VarDecl *V) const;
  bool isFixedCopy(const CallExpr *C) const;
  bool isSteady(const RoundTrip &T) const;
  const CheckedCall *copyBack(const RoundTrip &T) const;
  TouchedMemory touched(const Stmt *From, const Stmt *To,
                        const Stmt *Except = nullptr) const;
  VariableSet changedIn(const HostLoop &L) const;
  Site siteOf(const RoundTrip &T) const;

  const Rule &R;
  const ProgramAnalysis &A;
  const FunctionDecl &F;
  ASTContext &Context;
  HostPaths Paths;
  HostUses Uses;
  /// Of the loop at hand.
  HostLoop Loop;
  VariableSet Changed;
};

} // namespace

static bool isInside(const Stmt *Inner, const Stmt *Outer) {
  return findIn(Outer, [Inner](const Stmt *S) { return S == Inner; });
}

/// Variables that the loop changes, but for arrays of which it changes no more
/// than the elements.
VariableSet TripFinder::changedIn(const HostLoop &L) const {
  VariableSet Result = hostVariablesChangedIn(L.Statement);
  VariableSet Declared;
  findIn(L.Statement, [&](const Stmt *S) {
    if (const auto *Declares = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Declares->decls())
        if (const auto *V = dyn_cast<VarDecl>(D))
          Declared.insert(V);
    return false;
  });
  VariableSet Steady;
  for (const VarDecl *V : Result) {
    QualType T = V->getType();
    if (Declared.contains(V) || !V->hasLocalStorage() || T->isPointerType())
      continue;
    bool Array = T->isConstantArrayType() || isVectorOfNumbers(T, Context);
    if (Array && llvm::none_of(Uses.of(V), [&](const HostUse &Use) {
          return Use.K == HostUse::Kept || (Use.K == HostUse::Resize &&
                                            isInside(Use.Mention, L.Statement));
        }))
      Steady.insert(V);
  }
  for (const VarDecl *V : Steady)
    Result.erase(V);
  return Result;
}

/// What the statements of the body from \p From up to \p To touch; null for
/// the body's begin and end. Neither of them counts, nor does \p Except.
TouchedMemory TripFinder::touched(const Stmt *From, const Stmt *To,
                                  const Stmt *Except) const {
  TouchedMemory Result;
  bool Started = !From;
  for (const Stmt *S : Loop.Body->body()) {
    if (S == To)
      break;
    if (Started && S != Except)
      Result.addAllIn(S, A);
    Started |= S == From;
  }
  return Result;
}

/// The arguments have one value in the loop.
bool TripFinder::isFixedCopy(const CallExpr *C) const {
  if (C->getNumArgs() < 4)
    return false;
  for (unsigned I = 0; I < 3; ++I) {
    const Expr *Argument = C->getArg(I);
    if (!isFixedValue(Argument, Changed, Context) ||
        llvm::any_of(variablesReadIn(Argument), [&](const VarDecl *V) {
          return !V->getType()->isArrayType() &&
                 !isVectorOfNumbers(V->getType(), Context) &&
                 isReachedOtherwise(V, F, Context);
        }))
      return false;
  }
  return true;
}

/// The host does nothing in \p S, but after a failure, that could touch memory
/// other than local variables.
bool TripFinder::keepsAway(const Stmt *S) const {
  return !findIn(S, [&](const Stmt *Child) {
    if (Paths.calls().isAfterFailure(Child))
      return false;
    if (isa<ArraySubscriptExpr, CXXNewExpr, CXXDeleteExpr, CXXConstructExpr,
            LambdaExpr, CXXForRangeStmt>(Child)) {
      const auto *Makes = dyn_cast<CXXConstructExpr>(Child);
      return !Makes || !isQuietFunction(Makes->getConstructor(), Context);
    }
    if (const auto *Op = dyn_cast<UnaryOperator>(Child))
      return Op->getOpcode() == UO_Deref;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Child)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      return V && V->hasGlobalStorage() && !V->getType().isConstQualified();
    }
    if (const auto *Member = dyn_cast<MemberExpr>(Child))
      return Member->isArrow();
    const auto *C = dyn_cast<CallExpr>(Child);
    if (!C || isa<CUDAKernelCallExpr>(C))
      return false;
    CudaCall What = classifyCudaCall(C, Context);
    if (What == CudaCall::CopyToHost || What == CudaCall::CopyToDevice) {
      const Expr *Host = C->getArg(What == CudaCall::CopyToHost ? 0 : 1);
      HostPlace Place = hostPlaceOf(Host, Context);
      return !Place || !(Uses.isOwnMemory(Place.Variable) ||
                         (isa<ParmVarDecl>(Place.Variable) && isFixedCopy(C)));
    }
    if (What != CudaCall::None)
      return What == CudaCall::Other;
    const FunctionDecl *Callee = C->getDirectCallee();
    return !Callee || !Callee->getIdentifier() ||
           !(Callee->getName() == "swap" || Callee->getName() == "printf");
  });
}

/// Nothing else in the loop leads to the memory of \p V.
bool TripFinder::isAnArrayAlone(const VarDecl *V) const {
  if (Uses.isOwnMemory(V))
    return true;
  // The memory comes from the caller: then the loop must keep away from all
  // memory, and copy to and from this array alone of those of the caller.
  if (!isa<ParmVarDecl>(V) || !V->getType()->isPointerType() ||
      isReachedOtherwise(V, F, Context) || !keepsAway(Loop.Statement))
    return false;
  return !findIn(Loop.Body, [&](const Stmt *S) {
    const auto *C = dyn_cast<CallExpr>(S);
    CudaCall What = C ? classifyCudaCall(C, Context) : CudaCall::None;
    if (What != CudaCall::CopyToHost && What != CudaCall::CopyToDevice)
      return false;
    HostPlace Place =
        hostPlaceOf(C->getArg(What == CudaCall::CopyToHost ? 0 : 1), Context);
    return isa_and_nonnull<ParmVarDecl>(Place.Variable) && Place.Variable != V;
  });
}

/// Besides the copies at hand, the loop does not touch the array, or no more
/// than reads it.
bool TripFinder::isUntouched(const RoundTrip &T, bool MayRead) const {
  for (const HostUse &Use : Uses.of(T.Place.Variable)) {
    if (!isInside(Use.Mention, Loop.Statement) || Use.At == T.In.Call ||
        (T.Back && Use.At == T.Back->Call) || Use.K == HostUse::Query)
      continue;
    if (!MayRead || (Use.K != HostUse::Read && Use.K != HostUse::CopyFrom))
      return false;
  }
  return true;
}

static bool isSame(const Expr *A, const Expr *B, const ASTContext &Context) {
  return sameExpression(A->IgnoreParenCasts(), B->IgnoreParenCasts(), Context);
}

/// The copy that brings the same bytes back, behind the copy \p T.In.
const CheckedCall *TripFinder::copyBack(const RoundTrip &T) const {
  bool Behind = false;
  for (const Stmt *S : Loop.Body->body()) {
    Behind |= S == T.In.Statement;
    if (!Behind)
      continue;
    for (const CheckedCall &C : Paths.calls().all()) {
      if (C.Statement != S ||
          classifyCudaCall(C.Call, Context) != CudaCall::CopyToHost ||
          !isFixedCopy(C.Call))
        continue;
      HostPlace Place = hostPlaceOf(C.Call->getArg(0), Context);
      if (Place.Variable == T.Place.Variable && !Place.Offset &&
          !T.Place.Offset &&
          isSame(C.Call->getArg(2), T.In.Call->getArg(2), Context))
        return &C;
    }
  }
  return nullptr;
}

/// What the copy would bring again is there already.
bool TripFinder::isSteady(const RoundTrip &T) const {
  const Expr *To = T.In.Call->getArg(0);
  // In the first iteration it must not be told from a copy before the loop.
  if (touched(nullptr, T.In.Statement).mayTouch(To, F, A))
    return false;
  if (!T.Back)
    return !touched(nullptr, nullptr, T.In.Statement).mayWrite(To, F, A);
  const Expr *From = T.Back->Call->getArg(1);
  if (touched(nullptr, T.In.Statement).mayWrite(From, F, A) ||
      touched(T.Back->Statement, nullptr).mayWrite(From, F, A))
    return false;
  if (!T.SameBuffer &&
      !HostPointers(A.hostIndex()).mayOverlap(To, From, {&F, {}}).disjoint())
    return false;
  CallSet Removed;
  Removed.insert(T.Back->Call);
  return Paths.whyMissed(*T.Back, Removed, Loop.Statement).empty();
}

std::optional<RoundTrip> TripFinder::tripOf(const CheckedCall &In) {
  RoundTrip T;
  T.Loop = Loop;
  T.In = In;
  T.Place = hostPlaceOf(In.Call->getArg(1), Context);
  if (!T.Place || !isFixedCopy(In.Call) || !isAnArrayAlone(T.Place.Variable))
    return std::nullopt;
  if (const CheckedCall *Back = copyBack(T))
    T.Back = *Back;
  if (T.Back)
    T.SameBuffer = isSame(In.Call->getArg(0), T.Back->Call->getArg(1), Context);
  if (!isUntouched(T, /*MayRead=*/!T.Back) || !isSteady(T))
    return std::nullopt;
  return T;
}

/// Text of what runs once for the whole loop, under a condition if the loop may
/// not run at all.
static std::string onceText(const RoundTrip &T, const CheckedCall &Copy,
                            EditBuilder &B, const ASTContext &Context) {
  std::string Text = movedText(Copy.Statement, Context);
  std::string Condition = T.Loop.RunsOnce ? "" : T.Loop.runsCondition(Context);
  if (Text.empty() || (!T.Loop.RunsOnce && Condition.empty()))
    B.fail("a copy or the loop's bound is made by a macro");
  return guardedLines(Condition, Text,
                      B.indentUnit(T.Loop.Statement->getBeginLoc()));
}

static llvm::Expected<Edit> keep(const ProgramAnalysis &A, const RoundTrip &T) {
  const ASTContext &Context = A.program().context(Side::Host);
  EditBuilder B(A.program(), Side::Host);
  std::string Before = onceText(T, T.In, B, Context);
  std::string After = T.Back ? onceText(T, *T.Back, B, Context) : "";
  B.insertLinesBefore(T.Loop.Statement, Before);
  if (T.Back) {
    B.insertLinesAfter(T.Loop.Statement, After);
    B.removeStatement(T.Back->Statement);
  }
  if (!T.Back || T.SameBuffer) {
    B.removeStatement(T.In.Statement);
    return B.finish();
  }
  std::string First = spellOperand(T.Loop.First, Context),
              From = spell(T.Back->Call->getArg(1)->IgnoreImpCasts(), Context);
  if (First.empty() || From.empty())
    B.fail("a copy or the loop's start is made by a macro");
  B.insertBefore(T.In.Statement->getBeginLoc(),
                 "if (" + T.Loop.Counter->getNameAsString() + " > " + First +
                     ")\n" + indentationOf(T.In.Statement, Context) +
                     B.indentUnit(T.Loop.Statement->getBeginLoc()));
  B.replace(T.In.Call->getArg(1)->getSourceRange(), From);
  B.replace(T.In.Call->getArg(3)->getSourceRange(), "cudaMemcpyDeviceToDevice");
  return B.finish();
}

Site TripFinder::siteOf(const RoundTrip &T) const {
  const SourceManager &SM = Context.getSourceManager();
  std::string Name = T.Place.Variable->getNameAsString();
  std::string Where =
      "the loop at line " +
      std::to_string(SM.getExpansionLineNumber(Loop.Statement->getBeginLoc()));
  Site S = hostSiteAt(R, A, T.In.Statement->getBeginLoc());
  S.Subject = Name;
  S.LoopDepth = 1;
  for (const std::unique_ptr<Launch> &L : A.launches())
    S.HostLaunches += isInside(L->Call, Loop.Statement);
  S.Description =
      !T.Back ? "copy " + Name + " to the device once before " + Where
      : T.SameBuffer
          ? "copy " + Name + " in before and out behind " + Where
          : "copy " + Name + " from buffer to buffer on the device in " + Where;
  S.Evidence.push_back("what is copied, from where and to where does not "
                       "change in the loop");
  S.Evidence.push_back(T.Back
                           ? "the host does not touch " + Name + " in the loop"
                           : "nothing changes " + Name + " in the loop");
  S.Evidence.push_back(
      T.Back ? "nothing writes the buffer between the copy back and the next "
               "copy in"
             : "nothing else in the loop writes the buffer");
  if (T.Back)
    S.Evidence.push_back("the host waits behind the loop, or again before it "
                         "does anything that shows");
  S.Apply = [&A = A, T](const RewriteParams &) { return keep(A, T); };
  return S;
}

void TripFinder::readLoop(const HostLoop &L, std::vector<Site> &Out) {
  Loop = L;
  Changed = changedIn(L);
  for (const CheckedCall &C : Paths.calls().all()) {
    if (!llvm::is_contained(L.Body->body(), C.Statement) ||
        classifyCudaCall(C.Call, Context) != CudaCall::CopyToDevice)
      continue;
    if (std::optional<RoundTrip> T = tripOf(C))
      Out.push_back(siteOf(*T));
  }
}

void TripFinder::findSites(std::vector<Site> &Out) {
  if (!Paths.isKnown())
    return;
  EditBuilder B(A.program(), Side::Host);
  std::vector<const ForStmt *> Loops;
  collectForLoops(F.getBody(), Loops);
  for (const ForStmt *Each : Loops) {
    std::optional<HostLoop> L = readHostLoop(Each, Paths.calls(), Context);
    if (L && !isRepeatLoop(Each, A) && B.canInsertAround(Each))
      readLoop(*L, Out);
  }
}

void KeepOnDevice::findHostSites(const ProgramAnalysis &A,
                                 std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  for (const FunctionDecl *F : hostFunctions(A.program()))
    TripFinder(*this, A, *F).findSites(Out);
}

std::unique_ptr<Rule> createKeepOnDeviceRule() {
  return std::make_unique<KeepOnDevice>();
}

} // namespace cudal1
