//===- Memory.cpp - Loads, stores and addresses of PTX --------------------===//

#include "Memory.h"
#include "../InlinePtx.h"

using namespace cudal1::ptx;
using namespace llvm;

Space cudal1::ptx::takeSpace(PtxInstruction &I) {
  // Without clusters, the cluster's shared memory is the block's.
  StringRef Name = I.takeOneOf(
      {"global", "shared", "shared::cta", "shared::cluster", "local", "const"});
  if (Name.empty())
    return Space::Generic;
  return Name == "global"  ? Space::Global
         : Name == "local" ? Space::Local
         : Name == "const" ? Space::Constant
                           : Space::Shared;
}

StringRef cudal1::ptx::takeScope(PtxInstruction &I) {
  StringRef Name = I.takeOneOf({"cta", "cluster", "gpu", "sys"});
  return Name == "cta" || Name == "sys" ? Name : "gl";
}

void cudal1::ptx::emitFenceBefore(Emitter &E, AtomicOrdering Order,
                                  StringRef Scope) {
  if (isReleaseOrStronger(Order))
    emitFence(E, Scope);
}

void cudal1::ptx::emitFenceAfter(Emitter &E, AtomicOrdering Order,
                                 StringRef Scope) {
  if (isAcquireOrStronger(Order))
    emitFence(E, Scope);
}

void cudal1::ptx::takeCacheHints(PtxInstruction &I) {
  I.takeOneOf({"ca", "cg", "cs", "lu", "wb", "nc"});
  I.takeOneOf({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
               "L1::evict_last", "L1::no_allocate"});
  I.takeOneOf({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  I.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
}

Value *cudal1::ptx::addressOf(Emitter &E, const Operand &Op, Space S) {
  llvm::Type *Pointer = E.B.getPtrTy();
  if (Op.Kind != OperandKind::Address || Op.Elements.size() > 2)
    return E.failValue(Pointer, "an address is expected");
  int64_t Offset = 0;
  if (Op.Elements.size() == 2) {
    std::optional<int64_t> Constant = E.constantOf(Op.Elements[1]);
    if (!Constant)
      return E.failValue(Pointer, "an address is not understood");
    Offset = *Constant;
  }
  const Operand &BaseOp = Op.Elements[0];
  unsigned Bits = E.width(BaseOp);
  if (Bits != 64 && !(Bits == 32 && S == Space::Shared))
    return E.failValue(Pointer, "an address is not understood");
  Value *Base = E.readAny(BaseOp);
  if (S == Space::Shared) {
    Value *Sum = E.B.CreateAdd(E.asBits(Base), E.constant(Bits, Offset));
    return emitSharedPointer(E.B, Sum);
  }
  if (!Base->getType()->isPointerTy())
    Base = E.B.CreateIntToPtr(Base, Pointer);
  return Offset ? E.B.CreatePtrAdd(Base, E.constant(64, Offset)) : Base;
}

namespace {

AccessOrder takeOrder(PtxInstruction &I, AtomicOrdering Strong,
                      StringRef Name) {
  AccessOrder O;
  if (I.take("volatile"))
    O.IsVolatile = true;
  else if (I.take("relaxed"))
    O.Order = AtomicOrdering::Monotonic;
  else if (I.take(Name))
    O.Order = Strong;
  else
    I.take("weak");
  // Both mean that each access goes to memory.
  if (!I.takeOneOf({"cv", "wt"}).empty())
    O.IsVolatile = true;
  return O;
}

unsigned takeVector(PtxInstruction &I) {
  StringRef Name = I.takeOneOf({"v2", "v4", "v8"});
  return Name.empty() ? 1 : Name[1] - '0';
}

bool isAccessible(const PtxType &T, unsigned Count) {
  return T.Lanes == 1 && !T.isPredicate() && T.LaneBits >= 8 &&
         (T.LaneBits <= 64 || Count == 1) && T.LaneBits * Count <= 256;
}

/// The operands that a vector access names: one for each element.
ArrayRef<Operand> elementsOf(Emitter &E, const Operand &Op, unsigned Count) {
  if (Count == 1 && Op.Kind != OperandKind::Vector)
    return ArrayRef(Op);
  if (Op.Kind == OperandKind::Vector && Op.Elements.size() == Count)
    return Op.Elements;
  E.fail("its elements are not understood");
  return {};
}

/// Integers of the type's width: memory holds bits.
struct Access {
  Value *Pointer;
  unsigned Bits; ///< of an element
  unsigned Count;
  AccessOrder Order;

  bool isAtomic() const { return Order.Order != AtomicOrdering::NotAtomic; }
  Align alignment() const { return Align(uint64_t(Bits) / 8 * Count); }
  /// Alignment of element \p K, which the first one shows for all.
  Align alignment(unsigned K) const {
    return commonAlignment(alignment(), uint64_t(Bits) / 8 * K);
  }
};

SmallVector<Value *, 4> emitLoad(Emitter &E, const Access &A) {
  SmallVector<Value *, 4> Elements;
  llvm::Type *T = E.intType(A.Bits);
  if (!A.isAtomic()) {
    llvm::Type *Whole = A.Count == 1 ? T : FixedVectorType::get(T, A.Count);
    Value *V = E.B.CreateAlignedLoad(Whole, A.Pointer, A.alignment(),
                                     A.Order.IsVolatile);
    for (unsigned K = 0; K < A.Count; ++K)
      Elements.push_back(A.Count == 1 ? V : E.B.CreateExtractElement(V, K));
    return Elements;
  }
  // Each element of a vector is an access of its own.
  for (unsigned K = 0; K < A.Count; ++K) {
    Value *P = E.B.CreateConstInBoundsGEP1_64(T, A.Pointer, K);
    LoadInst *Load = E.B.CreateAlignedLoad(T, P, A.alignment(K));
    Load->setAtomic(A.Order.Order);
    Elements.push_back(Load);
  }
  emitFenceAfter(E, A.Order.Order, A.Order.Scope);
  return Elements;
}

void emitStore(Emitter &E, const Access &A, ArrayRef<Value *> Elements) {
  llvm::Type *T = E.intType(A.Bits);
  if (!A.isAtomic()) {
    Value *Whole = Elements[0];
    if (A.Count > 1) {
      Whole = PoisonValue::get(FixedVectorType::get(T, A.Count));
      for (auto [K, Element] : enumerate(Elements))
        Whole = E.B.CreateInsertElement(Whole, Element, K);
    }
    E.B.CreateAlignedStore(Whole, A.Pointer, A.alignment(), A.Order.IsVolatile);
    return;
  }
  emitFenceBefore(E, A.Order.Order, A.Order.Scope);
  for (auto [K, Element] : enumerate(Elements)) {
    Value *P = E.B.CreateConstInBoundsGEP1_64(T, A.Pointer, K);
    StoreInst *Store = E.B.CreateAlignedStore(Element, P, A.alignment(K));
    Store->setAtomic(A.Order.Order);
  }
}

/// What ld and st have in common; \p Address is the operand's index.
std::optional<Access> takeAccess(Emitter &E, PtxInstruction &I, size_t Address,
                                 AtomicOrdering Strong, StringRef StrongName,
                                 PtxType &T) {
  AccessOrder Order = takeOrder(I, Strong, StrongName);
  Order.Scope = takeScope(I);
  Space S = takeSpace(I);
  takeCacheHints(I);
  unsigned Count = takeVector(I);
  T = E.typeOf(I);
  if (!E.expect(I, 2) || E.failed())
    return std::nullopt;
  if (!isAccessible(T, Count) ||
      (T.LaneBits > 64 && Order.Order != AtomicOrdering::NotAtomic)) {
    E.fail("");
    return std::nullopt;
  }
  Value *Pointer = addressOf(E, I[Address], S);
  if (E.failed())
    return std::nullopt;
  return Access{Pointer, T.LaneBits, Count, Order};
}

/// ld and ldu. Destinations may be wider than what is loaded.
void ld(Emitter &E, PtxInstruction &I) {
  PtxType T = B32;
  std::optional<Access> A =
      takeAccess(E, I, 1, AtomicOrdering::Acquire, "acquire", T);
  if (!A)
    return;
  ArrayRef<Operand> To = elementsOf(E, I[0], A->Count);
  if (E.failed())
    return;
  for (auto [Op, V] : zip(To, emitLoad(E, *A)))
    E.write(Op, V,
            T.isFloat()    ? Emitter::Extension::None
            : T.isSigned() ? Emitter::Extension::Sign
                           : Emitter::Extension::Zero);
}

void st(Emitter &E, PtxInstruction &I) {
  PtxType T = B32;
  std::optional<Access> A =
      takeAccess(E, I, 0, AtomicOrdering::Release, "release", T);
  if (!A)
    return;
  SmallVector<Value *, 4> Elements;
  for (const Operand &Op : elementsOf(E, I[1], A->Count))
    Elements.push_back(E.readBits(Op, T.LaneBits, /*AllowWider=*/true));
  if (!E.failed())
    emitStore(E, *A, Elements);
}

/// Between generic addresses and those of a state space, which are the same
/// numbers here. Those of shared memory may have lost their upper half.
void cvta(Emitter &E, PtxInstruction &I) {
  bool To = I.take("to");
  Space S = takeSpace(I);
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (S == Space::Generic || !(T == U64))
    return E.fail("");
  if (S != Space::Shared || To)
    return E.write(I[0], E.readAny(I[1]));
  E.write(I[0], cudal1::emitSharedPointer(E.B, E.readBits(I[1], 64)));
}

void isspacep(Emitter &E, PtxInstruction &I) {
  StringRef Name = I.takeOneOf({"global", "shared", "local", "const"});
  if (Name.empty() && I.take("shared::cta"))
    Name = "shared";
  if (Name.empty() || !E.expect(I, 2) || E.width(I[1]) != 64)
    return E.fail("");
  Value *Address = E.readAny(I[1]);
  if (!Address->getType()->isPointerTy())
    Address = E.B.CreateIntToPtr(Address, E.B.getPtrTy());
  E.write(I[0], E.B.CreateIsNotNull(
                    E.runtime("isspacep_" + Name, E.intType(32), {Address})));
}

/// Hints about addresses: nothing to do.
void hint(Emitter &E, PtxInstruction &I) {
  I.takeOneOf({"global", "local"});
  I.takeOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
  if (I.size() < 1 || I.size() > 2 || I[0].Kind != OperandKind::Address)
    E.fail("");
}

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::memoryHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"ld", ld, true},
      {"ldu", ld, true},
      {"st", st, true},
      {"cvta", cvta, false},
      {"isspacep", isspacep, false},
      {"prefetch", hint, false},
      {"prefetchu", hint, false},
      {"discard", hint, false},
      {"applypriority", hint, false},
  };
  return Handlers;
}
