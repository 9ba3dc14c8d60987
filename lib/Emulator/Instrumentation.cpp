//===- Instrumentation.cpp - Checks of every memory access ----------------===//

#include "Instrumentation.h"
#include "../../runtime/emulator/Abi.h"
#include "WaitingHints.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>

using namespace cudal1;
using namespace llvm;

namespace {

enum class AccessKind { Load, Store, Atomic };

/// One access of an instruction.
struct Access {
  Instruction *Inst;
  AccessKind Kind;
  Value *Address;
  Type *ValueType;
  Value *Stored; ///< of a store; else null
  uint32_t Alignment;
  bool Volatile;
};

class Checks {
public:
  Checks(RuntimeInterface &Runtime, bool Races)
      : Runtime(Runtime), Layout(Runtime.module().getDataLayout()),
        Races(Races) {
    Memory = Runtime.module().getOrInsertGlobal(
        "cudal1_emu_memory", ArrayType::get(Runtime.int64(), 3));
  }

  void addTo(Function &F);

private:
  uint64_t knownSize(const Value *Base) const;
  bool isInsideKnownObject(const Access &A) const;
  void addBoundsCheck(const Access &A, Value *Base, uint64_t Size);
  void addCheck(const Access &A);
  void addRaceHook(const Access &A, Constant *Site, uint64_t Bytes);
  void addInlineTest(const Access &A, FunctionCallee Check,
                     ArrayRef<Value *> Arguments);
  void loadRange(Function &F);
  void replaceRange(MemIntrinsic &Call);
  Value *isRight(IRBuilderBase &B, const Access &A, Value *Offset,
                 uint64_t Bytes);

  RuntimeInterface &Runtime;
  const DataLayout &Layout;
  bool Races;
  Constant *Memory; ///< the variable cudal1_emu_memory
  /// Its fields, as read at the start of the function at hand.
  struct {
    Value *Base, *Bytes, *Shadow;
  } Range;
  /// Accesses of that function that need no check of their own.
  SmallPtrSet<Instruction *, 16> Repeated;
};

} // namespace

/// What the inline test looks at, in one load of the shadow.
static bool hasInlineTest(uint64_t Bytes) {
  return isPowerOf2_64(Bytes) && Bytes <= 16;
}

/// What a GPU demands of an access that the types align by \p Claimed: no
/// vector is larger than 16 bytes.
static uint32_t demanded(Align Claimed) {
  return uint32_t(std::min<uint64_t>(Claimed.value(), 16));
}

static std::optional<Access> accessOf(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    return Access{&I,
                  AccessKind::Load,
                  Load->getPointerOperand(),
                  Load->getType(),
                  nullptr,
                  demanded(Load->getAlign()),
                  Load->isVolatile()};
  }
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Access{&I,
                  AccessKind::Store,
                  Store->getPointerOperand(),
                  Store->getValueOperand()->getType(),
                  Store->getValueOperand(),
                  demanded(Store->getAlign()),
                  Store->isVolatile()};
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return Access{&I,
                  AccessKind::Atomic,
                  Update->getPointerOperand(),
                  Update->getType(),
                  nullptr,
                  demanded(Update->getAlign()),
                  false};
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Access{&I,
                  AccessKind::Atomic,
                  Exchange->getPointerOperand(),
                  Exchange->getCompareOperand()->getType(),
                  nullptr,
                  demanded(Exchange->getAlign()),
                  false};
  return std::nullopt;
}

/// The size of the local or device variable that \p Base is, or 0.
uint64_t Checks::knownSize(const Value *Base) const {
  if (auto *Local = dyn_cast<AllocaInst>(Base)) {
    std::optional<TypeSize> Bytes = Local->getAllocationSize(Layout);
    return Bytes && !Bytes->isScalable() ? Bytes->getFixedValue() : 0;
  }
  auto *Variable = dyn_cast<GlobalVariable>(Base);
  if (!Variable || Variable->isDeclaration())
    return 0;
  return Layout.getTypeAllocSize(Variable->getValueType());
}

/// Accesses at a constant place inside of a variable whose size is known.
bool Checks::isInsideKnownObject(const Access &A) const {
  APInt Offset(64, 0);
  const Value *Base = A.Address->stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  uint64_t Bytes = Layout.getTypeStoreSize(A.ValueType);
  return Offset.isNonNegative() &&
         Offset.getZExtValue() + Bytes <= knownSize(Base);
}

/// True in IR where the shadow says that the access at \p Offset into the range
/// is right. A store marks its bytes as written in the slow path only the first
/// time.
Value *Checks::isRight(IRBuilderBase &B, const Access &A, Value *Offset,
                       uint64_t Bytes) {
  Type *Word = B.getIntNTy(8 * Bytes);
  LoadInst *State = B.CreateAlignedLoad(
      Word, B.CreateGEP(B.getInt8Ty(), Range.Shadow, Offset), Align(1));
  Constant *Initialized = ConstantInt::get(
      Word, APInt::getSplat(8 * Bytes, APInt(8, emulator::ShadowInitialized)));
  Value *Right = B.CreateICmpEQ(State, Initialized);
  if (A.Alignment > 1)
    Right = B.CreateAnd(Right, B.CreateIsNull(B.CreateAnd(
                                   Offset, ConstantInt::get(Runtime.int64(),
                                                            A.Alignment - 1))));
  return Right;
}

static StringRef checkName(AccessKind Kind) {
  switch (Kind) {
  case AccessKind::Load:
    return "cudal1_emu_check_load";
  case AccessKind::Store:
    return "cudal1_emu_check_store";
  case AccessKind::Atomic:
    return "cudal1_emu_check_atomic";
  }
  llvm_unreachable("all kinds are listed");
}

void Checks::addRaceHook(const Access &A, Constant *Site, uint64_t Bytes) {
  IRBuilder<> B(A.Inst);
  Constant *Size = Runtime.constant64(Bytes);
  if (A.Kind != AccessKind::Store) {
    B.CreateCall(Runtime.function(
                     A.Kind == AccessKind::Load ? "cudal1_emu_race_load"
                                                : "cudal1_emu_race_atomic",
                     Runtime.voidType(),
                     {Runtime.pointer(), Runtime.int64(), Runtime.pointer()}),
                 {A.Address, Size, Site});
    return;
  }
  Value *Low = Runtime.constant64(0);
  if (Bytes <= 8 && !A.ValueType->isAggregateType()) {
    Value *Bits =
        A.ValueType->isPointerTy()
            ? B.CreatePtrToInt(A.Stored, Runtime.int64())
            : B.CreateBitCast(
                  A.Stored, B.getIntNTy(Layout.getTypeSizeInBits(A.ValueType)));
    Low = B.CreateZExt(Bits, Runtime.int64());
  }
  B.CreateCall(Runtime.function("cudal1_emu_race_store", Runtime.voidType(),
                                {Runtime.pointer(), Runtime.int64(),
                                 Runtime.int64(), Runtime.pointer()}),
               {A.Address, Size, Low, Site});
}

/// Compares with the bounds of a variable that the access is known to be of.
void Checks::addBoundsCheck(const Access &A, Value *Base, uint64_t Size) {
  uint64_t Bytes = Layout.getTypeStoreSize(A.ValueType);
  IRBuilder<> B(A.Inst);
  Value *Offset = B.CreateSub(B.CreatePtrToInt(A.Address, Runtime.int64()),
                              B.CreatePtrToInt(Base, Runtime.int64()));
  // What is larger than the variable fits nowhere in it.
  Value *Outside =
      Size < Bytes ? B.getTrue()
                   : B.CreateICmpUGT(Offset, Runtime.constant64(Size - Bytes));
  Instruction *Then = SplitBlockAndInsertIfThen(
      Outside, A.Inst->getIterator(), /*Unreachable=*/false,
      MDBuilder(B.getContext()).createUnlikelyBranchWeights());
  IRBuilder<> SlowB(Then);
  SlowB.CreateCall(
      Runtime.function("cudal1_emu_outside_array", Runtime.voidType(),
                       {Runtime.pointer(), Runtime.int64(), Runtime.int64(),
                        Runtime.int64(), Runtime.pointer()}),
      {Runtime.string(Base->getName()), Offset, Runtime.constant64(Bytes),
       Runtime.constant64(Size), Runtime.site(*A.Inst)});
}

/// True if the access itself lets others see what the thread wrote before. Of
/// updates, Clang gives CUDA's atomicAdd and its like the strongest order,
/// which on a GPU have none; nothing else is given it.
static bool releases(const Access &A) {
  if (auto *Store = dyn_cast<StoreInst>(A.Inst))
    return isReleaseOrStronger(Store->getOrdering());
  AtomicOrdering Order = AtomicOrdering::NotAtomic;
  if (auto *Update = dyn_cast<AtomicRMWInst>(A.Inst))
    Order = Update->getOrdering();
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(A.Inst))
    Order = Exchange->getSuccessOrdering();
  return Order == AtomicOrdering::Release ||
         Order == AtomicOrdering::AcquireRelease;
}

/// An atomic load or store is a load or store to the checks of memory; only
/// races see that it is atomic.
static uint32_t siteFlags(const Access &A) {
  return (A.Volatile ? emulator::SiteVolatile : 0) |
         (A.Inst->isAtomic() ? emulator::SiteAtomic : 0) |
         (releases(A) ? emulator::SiteRelease : 0);
}

void Checks::addCheck(const Access &A) {
  Value *Object = getUnderlyingObject(A.Address);
  if (uint64_t Size = knownSize(Object)) {
    if (Races && isa<GlobalVariable>(Object))
      addRaceHook(A, Runtime.site(*A.Inst, siteFlags(A)),
                  Layout.getTypeStoreSize(A.ValueType));
    if (!isInsideKnownObject(A))
      addBoundsCheck(A, Object, Size);
    return;
  }
  uint64_t Bytes = Layout.getTypeStoreSize(A.ValueType);
  Constant *Site = Runtime.site(*A.Inst, siteFlags(A), A.Alignment);
  FunctionCallee Check =
      Runtime.function(checkName(A.Kind), Runtime.voidType(),
                       {Runtime.pointer(), Runtime.int64(), Runtime.pointer()});
  Value *Arguments[] = {A.Address, Runtime.constant64(Bytes), Site};
  if (Races)
    addRaceHook(A, Site, Bytes);
  if (Repeated.contains(A.Inst))
    return;
  if (!hasInlineTest(Bytes)) {
    IRBuilder<>(A.Inst).CreateCall(Check, Arguments);
    return;
  }
  addInlineTest(A, Check, Arguments);
}

/// if (Offset >= range || shadow is not as it should be) check(...);
void Checks::addInlineTest(const Access &A, FunctionCallee Check,
                           ArrayRef<Value *> Arguments) {
  uint64_t Bytes = Layout.getTypeStoreSize(A.ValueType);
  IRBuilder<> B(A.Inst);
  MDNode *Likely = MDBuilder(B.getContext()).createLikelyBranchWeights();
  Value *Offset =
      B.CreateSub(B.CreatePtrToInt(A.Address, Runtime.int64()), Range.Base);
  Value *Inside = B.CreateICmpULT(Offset, Range.Bytes);
  BasicBlock *Before = A.Inst->getParent();
  BasicBlock *After = SplitBlock(Before, A.Inst->getIterator());
  LLVMContext &Context = B.getContext();
  BasicBlock *Test =
      BasicBlock::Create(Context, "check.shadow", Before->getParent(), After);
  BasicBlock *Slow =
      BasicBlock::Create(Context, "check.slow", Before->getParent(), After);
  Before->getTerminator()->eraseFromParent();
  IRBuilder<>(Before).CreateCondBr(Inside, Test, Slow, Likely);
  IRBuilder<> TestB(Test);
  TestB.CreateCondBr(isRight(TestB, A, Offset, Bytes), After, Slow, Likely);
  IRBuilder<> SlowB(Slow);
  SlowB.SetCurrentDebugLocation(A.Inst->getDebugLoc());
  SlowB.CreateCall(Check, Arguments);
  SlowB.CreateBr(After);
}

/// memcpy, memmove and memset go to the runtime as a whole.
void Checks::replaceRange(MemIntrinsic &Call) {
  IRBuilder<> B(&Call);
  StringRef Name = isa<MemSetInst>(Call)    ? "cudal1_emu_memset"
                   : isa<MemMoveInst>(Call) ? "cudal1_emu_memmove"
                                            : "cudal1_emu_memcpy";
  Value *Source =
      isa<MemSetInst>(Call)
          ? B.CreateZExt(cast<MemSetInst>(Call).getValue(), Runtime.int32())
          : cast<MemTransferInst>(Call).getSource();
  Value *Bytes = B.CreateZExtOrTrunc(Call.getLength(), Runtime.int64());
  B.CreateCall(Runtime.function(Name, Runtime.voidType(),
                                {Runtime.pointer(), Source->getType(),
                                 Runtime.int64(), Runtime.pointer()}),
               {Call.getDest(), Source, Bytes, Runtime.site(Call)});
  Call.eraseFromParent();
}

/// Reads the runtime's description of device memory, once for all of \p F: it
/// is fixed before any kernel runs.
void Checks::loadRange(Function &F) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(DebugLoc());
  auto Field = [&](Type *Type, size_t Offset) {
    return B.CreateLoad(
        Type, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Memory, Offset));
  };
  using emulator::CheckedRange;
  Range.Base = Field(Runtime.int64(), offsetof(CheckedRange, Base));
  Range.Bytes = Field(Runtime.int64(), offsetof(CheckedRange, Bytes));
  Range.Shadow = Field(Runtime.pointer(), offsetof(CheckedRange, Shadow));
}

namespace {
/// The last access of a place that has a check of its own.
struct CheckedAccess {
  uint64_t Bytes;
  uint32_t Alignment;
  bool Writes; ///< its check marks the bytes as written
};
} // namespace

/// Marks the accesses of \p Block that an earlier one of the same place covers:
/// nothing frees memory between two calls. A load covers no store, since only
/// the store's check marks its bytes as written.
static void markRepeated(BasicBlock &Block, SmallPtrSetImpl<Instruction *> &Out,
                         const DataLayout &Layout) {
  std::map<Value *, CheckedAccess> Checked;
  for (Instruction &I : Block) {
    if (isa<CallBase>(I) && !isa<DbgInfoIntrinsic>(I) && I.mayWriteToMemory())
      Checked.clear();
    std::optional<Access> A = accessOf(I);
    if (!A)
      continue;
    CheckedAccess Here{Layout.getTypeStoreSize(A->ValueType), A->Alignment,
                       A->Kind != AccessKind::Load};
    auto [Known, New] = Checked.try_emplace(A->Address, Here);
    if (New)
      continue;
    CheckedAccess &Before = Known->second;
    if (Here.Bytes <= Before.Bytes && Here.Alignment <= Before.Alignment &&
        Before.Writes >= Here.Writes)
      Out.insert(&I);
    else
      Before = Here;
  }
}

void Checks::addTo(Function &F) {
  SmallVector<Access> Accesses;
  SmallVector<MemIntrinsic *> Copies;
  for (Instruction &I : instructions(F)) {
    if (auto *Copy = dyn_cast<MemIntrinsic>(&I))
      Copies.push_back(Copy);
    else if (std::optional<Access> A = accessOf(I))
      if (!isThreadState(A->Address))
        Accesses.push_back(*A);
  }
  if (Accesses.empty() && Copies.empty())
    return;
  // What the optimiser found out of the function does not hold for the checks.
  for (Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::NoFree,
        Attribute::WillReturn, Attribute::NoRecurse, Attribute::MustProgress})
    F.removeFnAttr(Kind);
  Repeated.clear();
  for (BasicBlock &Block : F)
    markRepeated(Block, Repeated, Layout);
  loadRange(F);
  for (const Access &A : Accesses)
    addCheck(A);
  for (MemIntrinsic *Copy : Copies)
    replaceRange(*Copy);
}

void cudal1::addChecks(RuntimeInterface &Runtime, bool Races) {
  Checks Adder(Runtime, Races);
  for (Function &F : Runtime.module())
    if (!F.isDeclaration() && !F.getName().starts_with("cudal1."))
      Adder.addTo(F);
}
