//===- KernelTable.cpp - What the runtime learns of a unit ----------------===//

#include "KernelTable.h"
#include "../../runtime/emulator/Abi.h"
#include "Reachability.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace cudal1;
using namespace llvm;

/// Before the host's constructors, which may launch kernels.
static constexpr int RegistrationPriority = 1000;

static std::string entryName(StringRef Kernel) {
  return ("cudal1.entry." + Kernel).str();
}

/// The type of a parameter as it lies behind its pointer.
static Type *valueTypeOf(const Argument &Parameter) {
  if (Parameter.hasByValAttr())
    return Parameter.getParamByValType();
  return Parameter.getType();
}

static void addEntry(RuntimeInterface &Runtime, Function &Kernel) {
  Module &M = Runtime.module();
  LLVMContext &Context = M.getContext();
  auto *Type =
      FunctionType::get(Runtime.voidType(), {Runtime.pointer()}, false);
  Function *Entry = Function::Create(Type, GlobalValue::ExternalLinkage,
                                     entryName(Kernel.getName()), M);
  Entry->addFnAttr(Attribute::NoUnwind);
  // Inlined here, the kernel's code would lose its lines for a debugger.
  Kernel.addFnAttr(Attribute::NoInline);
  IRBuilder<> B(BasicBlock::Create(Context, "entry", Entry));
  SmallVector<Value *> Arguments;
  for (Argument &Parameter : Kernel.args()) {
    Value *Slot = B.CreateConstInBoundsGEP1_64(
        Runtime.pointer(), Entry->getArg(0), Parameter.getArgNo());
    Value *Place = B.CreateLoad(Runtime.pointer(), Slot);
    if (!Parameter.hasByValAttr()) {
      Arguments.push_back(B.CreateLoad(Parameter.getType(), Place));
      continue;
    }
    // Each thread may write to its own copy.
    llvm::Type *ValueType = valueTypeOf(Parameter);
    AllocaInst *Copy = B.CreateAlloca(ValueType);
    Copy->setAlignment(Parameter.getParamAlign().valueOrOne());
    B.CreateMemCpy(Copy, Copy->getAlign(), Place, Align(1),
                   M.getDataLayout().getTypeAllocSize(ValueType));
    Arguments.push_back(Copy);
  }
  B.CreateCall(&Kernel, Arguments);
  B.CreateRetVoid();
}

void cudal1::addKernelEntries(RuntimeInterface &Runtime,
                              ArrayRef<std::string> Kernels) {
  for (const std::string &Name : Kernels)
    addEntry(Runtime, *Runtime.module().getFunction(Name));
}

static uint32_t flagsOf(Function &Kernel) {
  uint32_t Flags = 0;
  for (Function *F : reachableFrom(Kernel)) {
    if (isWaitingFunction(F->getName()))
      Flags |= emulator::KernelWaits;
    if (F->getName() == "cudal1_emu_volatile_access")
      Flags |= emulator::KernelWaits;
    if (F->getName() == "cudal1_emu_spin_hint")
      Flags |= emulator::KernelSpins;
  }
  return Flags;
}

/// The greatest block that __launch_bounds__ allows, or 0.
static uint32_t maxThreadsOf(const Function &Kernel) {
  StringRef Text = Kernel.getFnAttribute("nvvm.maxntid").getValueAsString();
  uint32_t Product = 1;
  SmallVector<StringRef, 3> Dimensions;
  Text.split(Dimensions, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Dimension : Dimensions) {
    uint32_t Value = 0;
    if (Dimension.trim().getAsInteger(10, Value))
      return 0;
    Product *= Value;
  }
  return Dimensions.empty() ? 0 : Product;
}

static Constant *parameterBytes(RuntimeInterface &Runtime,
                                const Function &Kernel) {
  const DataLayout &Layout = Runtime.module().getDataLayout();
  SmallVector<uint32_t> Bytes;
  for (const Argument &Parameter : Kernel.args())
    Bytes.push_back(Layout.getTypeAllocSize(valueTypeOf(Parameter)));
  return Runtime.privateConstant(
      ConstantDataArray::get(Runtime.module().getContext(), Bytes),
      "cudal1.parameters");
}

/// An array of \p Rows, which are all of one type, or null without rows.
static Constant *table(RuntimeInterface &Runtime, ArrayRef<Constant *> Rows,
                       const Twine &Name) {
  if (Rows.empty())
    return ConstantPointerNull::get(Runtime.pointer());
  auto *Type = ArrayType::get(Rows.front()->getType(), Rows.size());
  return Runtime.privateConstant(ConstantArray::get(Type, Rows), Name);
}

namespace {
/// The static shared memory of one kernel.
struct SharedUse {
  Constant *Variables; ///< a table of SharedVariable
  uint32_t Count = 0;
  uint32_t Bytes = 0; ///< packed as the GPU packs them
};
} // namespace

static SharedUse sharedUseOf(RuntimeInterface &Runtime,
                             const SharedLayout &Shared, StringRef Kernel) {
  SharedUse Use;
  SmallVector<Constant *> Rows;
  for (unsigned Index : Shared.UsedBy.at(Kernel.str())) {
    const SharedPlace &Place = Shared.Variables[Index];
    Use.Bytes = alignTo(Use.Bytes, Place.Alignment) + Place.Bytes;
    Rows.push_back(ConstantStruct::getAnon({Runtime.string(Place.Name),
                                            Runtime.constant32(Place.Offset),
                                            Runtime.constant32(Place.Bytes)}));
  }
  Use.Count = Rows.size();
  Use.Variables = table(Runtime, Rows, "cudal1.shared");
  return Use;
}

/// One KernelInfo.
static Constant *kernelRow(RuntimeInterface &Runtime, Function &Kernel,
                           const SharedLayout &Shared) {
  SharedUse Use = sharedUseOf(Runtime, Shared, Kernel.getName());
  const DISubprogram *Scope = Kernel.getSubprogram();
  return ConstantStruct::getAnon(
      {Runtime.string(Kernel.getName()),
       Runtime.module().getFunction(entryName(Kernel.getName())),
       Runtime.constant32(flagsOf(Kernel)), Runtime.constant32(Use.Bytes),
       Runtime.constant32(Shared.DynamicOffset),
       Runtime.constant32(maxThreadsOf(Kernel)), Use.Variables,
       Runtime.constant32(Use.Count), Runtime.constant32(Kernel.arg_size()),
       parameterBytes(Runtime, Kernel),
       Runtime.string(Scope ? Scope->getFilename() : ""),
       Runtime.constant32(Scope ? Scope->getLine() : 0)});
}

/// One VariableInfo.
static Constant *variableRow(RuntimeInterface &Runtime,
                             GlobalVariable &Variable, uint32_t Flags) {
  uint64_t Bytes = Runtime.module().getDataLayout().getTypeAllocSize(
      Variable.getValueType());
  return ConstantStruct::getAnon(
      {Runtime.string(Variable.getName()), &Variable, Runtime.constant64(Bytes),
       Runtime.constant32(Flags), Runtime.constant32(0)});
}

static void addVariables(RuntimeInterface &Runtime, ArrayRef<std::string> Names,
                         uint32_t Flags, SmallVectorImpl<Constant *> &Rows) {
  for (const std::string &Name : Names) {
    GlobalVariable *Variable = Runtime.module().getNamedGlobal(Name);
    if (Variable && !Variable->isDeclaration())
      Rows.push_back(variableRow(Runtime, *Variable, Flags));
  }
}

static void registerModule(RuntimeInterface &Runtime, Constant *Info) {
  Module &M = Runtime.module();
  Function *Constructor =
      Function::Create(FunctionType::get(Runtime.voidType(), false),
                       GlobalValue::InternalLinkage, "cudal1.register", M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", Constructor));
  B.CreateCall(Runtime.function("cudal1_emu_register_module",
                                Runtime.voidType(), {Runtime.pointer()}),
               {Info});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Constructor, RegistrationPriority);
}

void cudal1::addKernelTable(RuntimeInterface &Runtime, const FlatModule &Flat,
                            const SharedLayout &Shared, unsigned Arch) {
  Module &M = Runtime.module();
  new GlobalVariable(M, Runtime.int32(), /*isConstant=*/true,
                     GlobalValue::WeakAnyLinkage, Runtime.constant32(Arch),
                     "cudal1_emu_compute_capability");
  SmallVector<Constant *> Kernels, Variables;
  for (const std::string &Name : Flat.Kernels)
    Kernels.push_back(kernelRow(Runtime, *M.getFunction(Name), Shared));
  addVariables(Runtime, Flat.GlobalVariables, 0, Variables);
  addVariables(Runtime, Flat.ConstantVariables, emulator::VariableConstant,
               Variables);
  registerModule(Runtime,
                 Runtime.privateConstant(
                     ConstantStruct::getAnon(
                         {table(Runtime, Kernels, "cudal1.kernels"),
                          Runtime.constant64(Kernels.size()),
                          table(Runtime, Variables, "cudal1.variables"),
                          Runtime.constant64(Variables.size())}),
                     "cudal1.module"));
}

void cudal1::demandRuntimeFor(RuntimeInterface &Runtime, unsigned CudaMajor) {
  Module &M = Runtime.module();
  Constant *Mark = M.getOrInsertGlobal(
      (RuntimeVersionPrefix + Twine(CudaMajor)).str(), Runtime.int32());
  appendToUsed(M, {Runtime.privateConstant(Mark, "cudal1.runtime")});
}
