//===- NvvmLowering.cpp - NVVM's intrinsics on a CPU ----------------------===//

#include "NvvmLowering.h"
#include "../../runtime/emulator/Abi.h"
#include "AddressSpaces.h"
#include "InlinePtx.h"
#include "NvvmArithmetic.h"
#include "Reachability.h"
#include "WarpMatrices.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace cudal1;
using namespace llvm;

static constexpr StringLiteral NvvmPrefix = "llvm.nvvm.";
static constexpr StringLiteral RuntimePrefix = "cudal1_nvvm_";

/// What the runtime provides, by the name after RuntimePrefix.
static bool isInRuntime(StringRef Name) {
  static const StringSet<> Names = {
#define CUDAL1_DEVICE_FUNCTION(Result, Name, Parameters) #Name,
#include "../../runtime/emulator/DeviceFunctions.def"
  };
  return Names.contains(Name);
}

/// The runtime's function for one that CUDA has on the device, or empty.
static StringRef deviceFunction(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("vprintf", "cudal1_device_vprintf")
      .Case("__assertfail", "cudal1_device_assertfail")
      .Case("malloc", "cudal1_device_malloc")
      .Case("free", "cudal1_device_free")
      // Clang declares these and has nothing that defines them.
      .Cases({"_ZL3nanPKc", "_Z3nanPKc"}, "cudal1_device_nan")
      .Cases({"_ZL4nanfPKc", "_Z4nanfPKc"}, "cudal1_device_nanf")
      .Cases({"llvm.trap", "__trap"}, "cudal1_device_trap")
      .Default("");
}

/// libm's function for one of libdevice that is not there, or empty.
static StringRef hostFunction(StringRef Name) {
  if (!Name.consume_front("__nv_"))
    return {};
  static const StringSet<> Known = {"pow",  "powf", "exp",  "expf", "log",
                                    "logf", "sin",  "sinf", "cos",  "cosf"};
  return Known.contains(Name) ? Name : StringRef();
}

/// How the runtime's functions take and return a value of type \p T.
static Type *runtimeType(Type *T) {
  bool Small = T->isIntegerTy() && T->getIntegerBitWidth() < 32;
  bool Packed = T->isVectorTy() && T->getPrimitiveSizeInBits() == 32;
  if (Small || Packed || T->isHalfTy() || T->isBFloatTy())
    return Type::getInt32Ty(T->getContext());
  return T;
}

static Value *toRuntime(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  if (T->isHalfTy() || T->isBFloatTy())
    V = B.CreateBitCast(V, B.getInt16Ty());
  Type *Passed = runtimeType(T);
  if (V->getType() == Passed)
    return V;
  return T->isVectorTy() ? B.CreateBitCast(V, Passed) : B.CreateZExt(V, Passed);
}

static Value *fromRuntime(IRBuilderBase &B, Value *V, Type *T) {
  if (V->getType() == T)
    return V;
  if (T->isIntegerTy(1))
    return B.CreateIsNotNull(V);
  if (T->isVectorTy())
    return B.CreateBitCast(V, T);
  if (T->isIntegerTy())
    return B.CreateTrunc(V, T);
  return B.CreateBitCast(B.CreateTrunc(V, B.getInt16Ty()), T);
}

namespace {

class Lowering {
public:
  Lowering(RuntimeInterface &Runtime, unsigned Arch)
      : Runtime(Runtime), Arch(Arch) {}

  std::vector<std::string> run();

private:
  void lower(Function &F);
  void lowerInlineAssembly();
  Value *lowerCall(StringRef Name, CallInst &Call);
  bool lowerMatrixCall(StringRef Name, CallInst &Call, Value *&Result);
  Value *lowerRegister(StringRef Register, CallInst &Call);
  Value *lowerAtomic(StringRef Name, CallInst &Call);
  Value *lowerReflect(CallInst &Call);
  Value *callFunction(StringRef Function, CallInst &Call);
  void unsupported(StringRef Construct, CallInst &Call);
  void defineAsUnsupported(Function &F, StringRef Construct);

  RuntimeInterface &Runtime;
  unsigned Arch;
  std::vector<std::string> Missing;
};

} // namespace

/// What code asks libdevice's compiler about, e.g. whether subnormals are kept.
Value *Lowering::lowerReflect(CallInst &Call) {
  StringRef Question;
  if (!getConstantStringInfo(Call.getArgOperand(0), Question))
    return nullptr;
  unsigned Answer = StringSwitch<unsigned>(Question)
                        .Case("__CUDA_ARCH", Arch * 10)
                        .Cases({"__CUDA_PREC_DIV", "__CUDA_PREC_SQRT"}, 1)
                        .Default(0);
  return Runtime.constant32(Answer);
}

/// A load, product or store of a warp's fragments.
bool Lowering::lowerMatrixCall(StringRef Name, CallInst &Call, Value *&Result) {
  return Name.consume_front("llvm.nvvm.wmma.") &&
         lowerWarpMatrix(Runtime, Name, Call, Result);
}

/// Registers that are fields of ThreadState.
Value *Lowering::lowerRegister(StringRef Register, CallInst &Call) {
  using emulator::ThreadState;
  IRBuilder<> B(&Call);
  auto Field = [&](size_t Offset, char Dimension) -> Value * {
    return Runtime.threadField(
        B, Offset + sizeof(uint32_t) * size_t(Dimension - 'x'), Runtime.int32(),
        Register);
  };
  auto [Name, Dimension] = Register.split('.');
  bool HasDimension = Dimension.size() == 1 && Dimension[0] >= 'x';
  if (HasDimension && Name == "tid")
    return Field(offsetof(ThreadState, ThreadIdx), Dimension[0]);
  if (HasDimension && Name == "ntid")
    return Field(offsetof(ThreadState, BlockDim), Dimension[0]);
  if (HasDimension && Name == "ctaid")
    return Field(offsetof(ThreadState, BlockIdx), Dimension[0]);
  if (HasDimension && Name == "nctaid")
    return Field(offsetof(ThreadState, GridDim), Dimension[0]);
  if (Register == "laneid")
    return Field(offsetof(ThreadState, Lane), 'x');
  if (Register == "warpsize")
    return Runtime.constant32(32);
  if (Register == "dynamic.smem.size")
    return Field(offsetof(ThreadState, DynamicSharedBytes), 'x');
  return nullptr;
}

/// `atomic.OP.gen.KIND.SCOPE...`: the forms with a scope of their own.
Value *Lowering::lowerAtomic(StringRef Name, CallInst &Call) {
  if (!Name.consume_front("atomic."))
    return nullptr;
  IRBuilder<> B(&Call);
  Value *Address = Call.getArgOperand(0), *Operand = Call.getArgOperand(1);
  auto [Operation, Rest] = Name.split('.');
  if (Operation == "cas") {
    AtomicCmpXchgInst *Exchange = B.CreateAtomicCmpXchg(
        Address, Operand, Call.getArgOperand(2), MaybeAlign(),
        AtomicOrdering::SequentiallyConsistent,
        AtomicOrdering::SequentiallyConsistent);
    return B.CreateExtractValue(Exchange, 0);
  }
  bool Float = Operand->getType()->isFloatingPointTy();
  auto Op = StringSwitch<AtomicRMWInst::BinOp>(Operation)
                .Case("add", Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                .Case("exch", AtomicRMWInst::Xchg)
                .Case("and", AtomicRMWInst::And)
                .Case("or", AtomicRMWInst::Or)
                .Case("xor", AtomicRMWInst::Xor)
                .Case("max", AtomicRMWInst::Max)
                .Case("min", AtomicRMWInst::Min)
                .Case("inc", AtomicRMWInst::UIncWrap)
                .Case("dec", AtomicRMWInst::UDecWrap)
                .Default(AtomicRMWInst::BAD_BINOP);
  if (Op == AtomicRMWInst::BAD_BINOP)
    return nullptr;
  return B.CreateAtomicRMW(Op, Address, Operand, MaybeAlign(),
                           AtomicOrdering::SequentiallyConsistent);
}

/// Calls the runtime's \p Function in place of \p Call. A struct of a value and
/// a predicate is returned as the value, with the predicate behind a pointer.
Value *Lowering::callFunction(StringRef Function, CallInst &Call) {
  IRBuilder<> B(&Call);
  SmallVector<Value *> Arguments(Call.args());
  auto *Pair = dyn_cast<StructType>(Call.getType());
  AllocaInst *Predicate = nullptr;
  Type *Result = Call.getType();
  if (Pair) {
    if (Pair->getNumElements() != 2 || !Pair->getElementType(1)->isIntegerTy(1))
      return nullptr;
    Result = Pair->getElementType(0);
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    Predicate = new AllocaInst(B.getInt8Ty(), 0, "predicate",
                               Entry.getFirstNonPHIOrDbg());
    Arguments.push_back(Predicate);
  }
  SmallVector<Type *> Types;
  for (Value *&Argument : Arguments) {
    Argument = toRuntime(B, Argument);
    Types.push_back(Argument->getType());
  }
  if (isWaitingFunction(Function))
    Runtime.storeSite(B, Runtime.site(Call));
  Value *Value = fromRuntime(
      B,
      B.CreateCall(Runtime.function(Function, runtimeType(Result), Types),
                   Arguments),
      Result);
  if (!Pair)
    return Value;
  llvm::Value *Both = B.CreateInsertValue(PoisonValue::get(Pair), Value, 0);
  llvm::Value *Flag = B.CreateIsNotNull(B.CreateLoad(B.getInt8Ty(), Predicate));
  return B.CreateInsertValue(Both, Flag, 1);
}

Value *Lowering::lowerCall(StringRef Name, CallInst &Call) {
  if (Name == "__nvvm_reflect")
    return lowerReflect(Call);
  if (Name == SharedPointerFunction) {
    IRBuilder<> B(&Call);
    return emitSharedPointer(B, Call.getArgOperand(0));
  }
  // libdevice was left out (-nocudalib): the host's functions stand in.
  if (StringRef Function = hostFunction(Name); !Function.empty())
    return callFunction(Function, Call);
  StringRef Intrinsic = Name;
  if (!Intrinsic.consume_front(NvvmPrefix)) {
    StringRef Function = deviceFunction(Name);
    return Function.empty() ? nullptr : callFunction(Function, Call);
  }
  if (Value *V = lowerNvvmArithmetic(Intrinsic, Call))
    return V;
  if (Value *V = lowerAtomic(Intrinsic, Call))
    return V;
  StringRef Register = Intrinsic;
  if (Register.consume_front("read.ptx.sreg."))
    if (Value *V = lowerRegister(Register, Call))
      return V;
  if (Intrinsic.starts_with("ldg.global.") ||
      Intrinsic.starts_with("ldu.global.")) {
    IRBuilder<> B(&Call);
    auto *Alignment = cast<ConstantInt>(Call.getArgOperand(1));
    return B.CreateAlignedLoad(Call.getType(), Call.getArgOperand(0),
                               Alignment->getMaybeAlignValue());
  }
  std::string Spelled = Intrinsic.str();
  llvm::replace(Spelled, '.', '_');
  if (isInRuntime(Spelled))
    return callFunction(RuntimePrefix.str() + Spelled, Call);
  return nullptr;
}

void Lowering::unsupported(StringRef Construct, CallInst &Call) {
  IRBuilder<> B(&Call);
  FunctionCallee Function =
      Runtime.function("cudal1_emu_unsupported", Runtime.voidType(),
                       {Runtime.pointer(), Runtime.pointer()});
  cast<llvm::Function>(Function.getCallee())->setDoesNotReturn();
  B.CreateCall(Function, {Runtime.string(Construct), Runtime.site(Call)});
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(PoisonValue::get(Call.getType()));
}

/// The name that a person would look for.
static std::string constructName(StringRef Name) {
  if (Name.starts_with(NvvmPrefix))
    return ("the device intrinsic '" + Name.drop_front(NvvmPrefix.size()) + "'")
        .str();
  return ("the device function '" + Name + "'").str();
}

/// For calls through a pointer: a body that says what is missing.
void Lowering::defineAsUnsupported(Function &F, StringRef Construct) {
  F.setLinkage(GlobalValue::InternalLinkage);
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "entry", &F));
  B.CreateCall(
      Runtime.function("cudal1_emu_unsupported", Runtime.voidType(),
                       {Runtime.pointer(), Runtime.pointer()}),
      {Runtime.string(Construct), ConstantPointerNull::get(Runtime.pointer())});
  B.CreateUnreachable();
}

void Lowering::lower(Function &F) {
  std::string Name = F.getName().str();
  std::string Construct = constructName(Name);
  bool Covered = true;
  for (User *U : make_early_inc_range(F.users())) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call || Call->getCalledFunction() != &F)
      continue;
    Value *Matrix = nullptr;
    if (lowerMatrixCall(Name, *Call, Matrix)) {
      if (Matrix)
        Call->replaceAllUsesWith(Matrix);
    } else if (Value *Replacement = lowerCall(Name, *Call)) {
      if (!Call->getType()->isVoidTy())
        Call->replaceAllUsesWith(Replacement);
    } else {
      Covered = false;
      unsupported(Construct, *Call);
    }
    Call->eraseFromParent();
  }
  if (!Covered)
    Missing.push_back(Construct);
  if (F.use_empty())
    F.eraseFromParent();
  else if (!F.isIntrinsic())
    defineAsUnsupported(F, Construct);
}

void Lowering::lowerInlineAssembly() {
  SmallVector<CallInst *> Calls;
  for (Function &F : Runtime.module())
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        Calls.push_back(Call);
  for (CallInst *Call : Calls)
    if (Error E = translateInlinePtx(*Call)) {
      std::string Construct = toString(std::move(E));
      if (!is_contained(Missing, Construct))
        Missing.push_back(Construct);
      unsupported(Construct, *Call);
      Call->eraseFromParent();
    }
}

std::vector<std::string> Lowering::run() {
  lowerInlineAssembly();
  std::vector<Function *> Functions;
  for (Function &F : Runtime.module())
    if (F.isDeclaration() && !F.getName().starts_with("cudal1_") &&
        (!F.isIntrinsic() || F.getName().starts_with(NvvmPrefix) ||
         F.getIntrinsicID() == Intrinsic::trap))
      Functions.push_back(&F);
  for (Function *F : Functions)
    lower(*F);
  return std::move(Missing);
}

std::vector<std::string> cudal1::lowerNvvm(RuntimeInterface &Runtime,
                                           unsigned Arch) {
  return Lowering(Runtime, Arch).run();
}
