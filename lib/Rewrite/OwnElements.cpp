//===- OwnElements.cpp - What threads touch of each other's work ----------===//

#include "OwnElements.h"
#include "LaunchEdits.h"
#include "cudal1/Analysis/HostPointers.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

std::optional<ThreadsOf> ThreadsOf::of(const LaunchStatement &L,
                                       std::string &Obstacle) {
  const Launch &What = *L.What;
  auto One = [](const LaunchExtent &E) { return E.Value && *E.Value == 1; };
  if (!One(What.GridExtent[2]) || !One(What.BlockExtent[2])) {
    Obstacle = "the launch may have threads along z";
    return std::nullopt;
  }
  auto E = findElementKernel(
      *L.Of, {What.BlockExtent[0].Value, What.BlockExtent[1].Value}, Obstacle);
  if (!E)
    return std::nullopt;
  if (!E->isPlane() &&
      (!One(What.GridExtent[1]) || !One(What.BlockExtent[1]))) {
    Obstacle = "the launch may have threads along y";
    return std::nullopt;
  }
  if (E->Along[0].IsOfBlockPerRow || E->Along[0].Threads ||
      E->Along[1].Threads || showsOrder(*L.Of)) {
    Obstacle = "threads are numbered in another way";
    return std::nullopt;
  }
  return ThreadsOf(L, std::move(*E));
}

const Expr *ThreadsOf::bufferOf(const MemoryAccess &Access) const {
  const auto *P = dyn_cast_or_null<ParmVarDecl>(Access.Base);
  return P && Access.Space == MemorySpace::Global ? argumentOf(*P) : nullptr;
}

/// \p Index where thread and block are 0.
static Polynomial atOrigin(const Kernel &K, Polynomial Index) {
  for (SymbolKind Kind : {SymbolKind::ThreadIdx, SymbolKind::BlockIdx})
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      Index = Index.substitute(K.Symbols.builtin(Kind, Axis), Polynomial(0));
  return Index;
}

std::optional<OwnElement>
ThreadsOf::ownInLine(const MemoryAccess &Access) const {
  auto It = E.Strides.find(&Access);
  if (It == E.Strides.end())
    return std::nullopt;
  std::optional<int64_t> Stride = It->second[0].constant();
  std::optional<int64_t> Offset = atOrigin(*L.Of, Access.Index).constant();
  if (!Stride || !Offset || !It->second[1].isZero() || *Stride < 1 ||
      *Offset < 0 || *Offset >= *Stride)
    return std::nullopt;
  return OwnElement{*Stride};
}

std::optional<OwnElement>
ThreadsOf::ownInPlane(const MemoryAccess &Access) const {
  auto It = E.Strides.find(&Access);
  if (It == E.Strides.end() || !atOrigin(*L.Of, Access.Index).isZero())
    return std::nullopt;
  for (unsigned Axis = 0; Axis < 2; ++Axis) {
    if (It->second[Axis].constant() != 1)
      continue;
    // The number along Axis is less than what the other number counts.
    for (const CoordinateGuard &G : E.Bounds[Axis]) {
      if (G.Op != BO_LT || !(G.BoundForm == It->second[1 - Axis]))
        continue;
      const auto &Terms = G.BoundForm.terms();
      if (Terms.size() != 1 || Terms.begin()->second != 1 ||
          Terms.begin()->first.size() != 1)
        continue;
      const Symbol &Width = L.Of->Symbols[Terms.begin()->first.front()];
      if (Width.Kind == SymbolKind::Parameter)
        return OwnElement{1, cast<ParmVarDecl>(Width.Decl), Axis};
    }
  }
  return std::nullopt;
}

std::optional<OwnElement>
ThreadsOf::ownElement(const MemoryAccess &Access) const {
  const KernelParameter *P = L.Of->parameter(Access.Base);
  // An index counts in elements of the parameter's own type.
  if (!P ||
      !L.Of->Context->hasSameUnqualifiedType(Access.ElementType, P->Pointee))
    return std::nullopt;
  return E.isPlane() ? ownInPlane(Access) : ownInLine(Access);
}

namespace {

class Meeting {
public:
  Meeting(const ThreadsOf &First, const ThreadsOf &Second,
          const ProgramAnalysis &A)
      : First(First), Second(Second), A(A), Pointers(A.hostIndex()) {}

  std::string why();
  std::set<std::string> Shared;
  bool Disjoint = false;

private:
  std::string whyAt(const MemoryAccess &X, const MemoryAccess &Y);
  bool isSameElement(const OwnElement &X, const OwnElement &Y) const;

  const ThreadsOf &First, &Second;
  const ProgramAnalysis &A;
  HostPointers Pointers;
};

} // namespace

bool Meeting::isSameElement(const OwnElement &X, const OwnElement &Y) const {
  if (!X.Width || !Y.Width)
    return !X.Width && !Y.Width && X.PerThread == Y.PerThread;
  return X.ColumnAxis == Y.ColumnAxis &&
         isSameValue(First.argumentOf(*X.Width), Second.argumentOf(*Y.Width),
                     A.program().context(Side::Host)) &&
         X.Width->getType().getCanonicalType().getUnqualifiedType() ==
             Y.Width->getType().getCanonicalType().getUnqualifiedType();
}

std::string Meeting::whyAt(const MemoryAccess &X, const MemoryAccess &Y) {
  if (!X.writes() && !Y.writes())
    return "";
  const Expr *Of = First.bufferOf(X), *Other = Second.bufferOf(Y);
  if (!Of || !Other) // Constant memory, which no kernel writes.
    return "";
  const ASTContext &Context = A.program().context(Side::Host);
  const auto *P = cast<ParmVarDecl>(X.Base), *Q = cast<ParmVarDecl>(Y.Base);
  if (!isSameValue(Of, Other, Context)) {
    OverlapAnswer Answer =
        Pointers.mayOverlap(Of, Other, {First.launch().HostFunction, {}});
    Disjoint |= Answer.disjoint();
    return Answer.disjoint() ? ""
                             : "the buffers of " + P->getName().str() +
                                   " and " + Q->getName().str() + " may be one";
  }
  std::optional<OwnElement> Own = First.ownElement(X),
                            Theirs = Second.ownElement(Y);
  if (!Own || !Theirs || !isSameElement(*Own, *Theirs))
    return "threads meet at elements of " + Q->getName().str();
  if (!Context.hasSameUnqualifiedType(P->getType()->getPointeeType(),
                                      Q->getType()->getPointeeType()))
    return "the kernels take elements of " + Q->getName().str() +
           " for different types";
  Shared.insert(Q->getName().str());
  return "";
}

std::string Meeting::why() {
  for (const MemoryAccess &X : First.kernel().Accesses)
    for (const MemoryAccess &Y : Second.kernel().Accesses)
      if (std::string Why = whyAt(X, Y); !Why.empty())
        return Why;
  return "";
}

std::string whyThreadsMeet(const ThreadsOf &First, const ThreadsOf &Second,
                           const ProgramAnalysis &A,
                           std::vector<std::string> &Evidence) {
  Meeting M(First, Second, A);
  if (std::string Why = M.why(); !Why.empty())
    return Why;
  for (const std::string &Name : M.Shared)
    Evidence.push_back("of " + Name +
                       " each thread touches its own element only, in both "
                       "kernels");
  if (M.Disjoint)
    Evidence.push_back("all else that one kernel writes lies in buffers that "
                       "the other does not touch");
  return "";
}

} // namespace cudal1
