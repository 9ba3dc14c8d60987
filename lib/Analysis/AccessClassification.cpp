//===- AccessClassification.cpp - Affine forms and strides ----------------===//

#include "BodyWalker.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

StringRef toString(AccessKind Kind) {
  switch (Kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::ReadWrite:
    return "read-write";
  case AccessKind::Atomic:
    return "atomic";
  }
  llvm_unreachable("covered switch");
}

StringRef toString(MemorySpace Space) {
  switch (Space) {
  case MemorySpace::Global:
    return "global";
  case MemorySpace::Shared:
    return "shared";
  case MemorySpace::Local:
    return "local";
  case MemorySpace::Constant:
    return "constant";
  case MemorySpace::Unknown:
    return "unknown";
  }
  llvm_unreachable("covered switch");
}

StringRef toString(AccessClass Class) {
  switch (Class) {
  case AccessClass::Coalesced:
    return "coalesced";
  case AccessClass::Strided:
    return "strided";
  case AccessClass::Broadcast:
    return "broadcast";
  case AccessClass::Gather:
    return "gather";
  case AccessClass::Unknown:
    return "unknown";
  }
  llvm_unreachable("covered switch");
}

StringRef toString(BarrierKind Kind) {
  switch (Kind) {
  case BarrierKind::Block:
    return "block";
  case BarrierKind::Warp:
    return "warp";
  case BarrierKind::Grid:
    return "grid";
  case BarrierKind::NamedOrAsm:
    return "fence";
  }
  llvm_unreachable("covered switch");
}

/// Differs from thread to thread or from iteration to iteration.
static bool varies(SymbolKind Kind) {
  return Kind == SymbolKind::ThreadIdx || Kind == SymbolKind::BlockIdx ||
         Kind == SymbolKind::LoopVariable;
}

static std::string nonAffineReason(const Polynomial &Index,
                                   const SymbolTable &Symbols) {
  for (const auto &[M, C] : Index.terms()) {
    unsigned Varying = 0;
    for (SymbolId Id : M) {
      switch (Symbols[Id].Kind) {
      case SymbolKind::Load:
        return "`" + Symbols.name(Id) + "` is read from memory";
      case SymbolKind::Opaque:
        return "`" + Symbols.name(Id) + "` is not affine";
      case SymbolKind::Variable:
        return "`" + Symbols.name(Id) + "` is assigned in the kernel";
      case SymbolKind::Constant:
        if (!Symbols[Id].DependsOn.empty())
          return "`" + Symbols.name(Id) + "` is not affine";
        break;
      default:
        Varying += varies(Symbols[Id].Kind);
      }
    }
    if (Varying > 1)
      return "a product of varying indices";
  }
  return "";
}

/// Loop variables that start at a value that depends on the thread, replaced
/// by that start: what remains moves with the thread as the access does.
static Polynomial withLoopStarts(Polynomial Index, const MemoryAccess &A,
                                 const SymbolTable &Symbols, SymbolId ThreadX) {
  for (const Loop *L = A.InLoop; L; L = L->Parent)
    if (L->Variable && !L->StepForm.uses(ThreadX) &&
        Symbols.dependsOn(L->VariableSymbol, ThreadX))
      Index = Index.substitute(L->VariableSymbol, L->Lower);
  return Index;
}

/// How the value of a symbol other than threadIdx.x moves with the thread.
enum class Movement { None, ThroughLoad, Unclear };

static Movement movementOf(SymbolId Id, const SymbolTable &Symbols,
                           SymbolId ThreadX) {
  const Symbol &S = Symbols[Id];
  if (Id == ThreadX)
    return Movement::Unclear;
  if (S.Kind == SymbolKind::Variable)
    return Movement::Unclear;
  Movement Result = Movement::None;
  for (SymbolId Part : S.DependsOn) {
    Movement M = movementOf(Part, Symbols, ThreadX);
    if (M == Movement::ThroughLoad)
      return M;
    if (M != Movement::None)
      Result = M;
  }
  if (Result != Movement::None && S.Kind == SymbolKind::Load)
    return Movement::ThroughLoad;
  return Result;
}

void classifyAccess(MemoryAccess &A, Kernel &K) {
  const SymbolTable &Symbols = K.Symbols;
  if (A.InCallee || !A.Base) {
    A.NonAffineReason = A.InCallee ? "the access is in a called function"
                                   : "the address cannot be followed";
    return;
  }
  A.NonAffineReason = nonAffineReason(A.Index, Symbols);
  A.Affine = A.NonAffineReason.empty();
  SymbolId ThreadX = K.Symbols.builtin(SymbolKind::ThreadIdx, 0);
  Polynomial Index = withLoopStarts(A.Index, A, Symbols, ThreadX);
  bool ByLoad = false, Unclear = false;
  for (const auto &[M, C] : Index.terms())
    for (SymbolId Id : M) {
      if (Id == ThreadX)
        continue;
      Movement How = movementOf(Id, Symbols, ThreadX);
      ByLoad |= How == Movement::ThroughLoad;
      Unclear |= How == Movement::Unclear;
    }
  if (ByLoad || Unclear) {
    A.Class = ByLoad ? AccessClass::Gather : AccessClass::Unknown;
    return;
  }
  A.ThreadStride = Index.coefficientOf(ThreadX);
  if (!A.ThreadStride || A.ThreadStride->uses(ThreadX)) {
    A.ThreadStride.reset();
    return;
  }
  auto Constant = A.ThreadStride->constant();
  A.Class = !Constant                           ? AccessClass::Strided
            : *Constant == 0                    ? AccessClass::Broadcast
            : *Constant == 1 || *Constant == -1 ? AccessClass::Coalesced
                                                : AccessClass::Strided;
}

} // namespace cudal1
