//===- AddressSpaces.cpp - Folding by way of the printed IR ---------------===//
//
// A pointer's address space is part of its type, and types are part of every
// constant: folding them in place means to rebuild the module. The printed form
// names address spaces in few ways only, and reading it back rebuilds
// everything, the overloaded names of intrinsics included.
//
//===----------------------------------------------------------------------===//

#include "AddressSpaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace cudal1;
using namespace llvm;

/// Copies the quoted string that \p Text starts with. In IR a quote inside of a
/// string is written in hexadecimal.
static void copyQuoted(StringRef &Text, std::string &Out) {
  size_t End = Text.find('"', 1);
  End = End == StringRef::npos ? Text.size() : End + 1;
  Out += Text.take_front(End);
  Text = Text.drop_front(End);
}

/// If \p Text starts with `addrspace(N)`, its length.
static size_t addressSpaceLength(StringRef Text) {
  if (!Text.starts_with("addrspace("))
    return 0;
  size_t End = Text.find(')');
  return End == StringRef::npos ? 0 : End + 1;
}

/// The printed module without address spaces.
static std::string withoutAddressSpaces(StringRef Text) {
  static constexpr StringLiteral Cast = "addrspacecast";
  std::string Out;
  Out.reserve(Text.size());
  while (!Text.empty()) {
    size_t Next = Text.find_first_of("\"a");
    Out += Text.take_front(Next);
    Text = Next == StringRef::npos ? StringRef() : Text.drop_front(Next);
    if (Text.empty())
      break;
    bool StartsWord =
        Out.empty() ||
        !(isAlnum(Out.back()) || Out.back() == '_' || Out.back() == '.' ||
          Out.back() == '%' || Out.back() == '@' || Out.back() == '!');
    if (Text.front() == '"') {
      copyQuoted(Text, Out);
    } else if (size_t Length = StartsWord ? addressSpaceLength(Text) : 0) {
      Text = Text.drop_front(Length);
      // `ptr addrspace(3)`, and of an alloca `, addrspace(5)`.
      if (!Out.empty() && Out.back() == ' ')
        Out.pop_back();
      if (!Out.empty() && Out.back() == ',')
        Out.pop_back();
    } else if (StartsWord && Text.starts_with(Cast)) {
      Out += "bitcast";
      Text = Text.drop_front(Cast.size());
    } else {
      Out += Text.front();
      Text = Text.drop_front(1);
    }
  }
  return Out;
}

/// Gives every global variable a name, by which it is found again.
static void nameGlobals(Module &M) {
  for (GlobalVariable &Variable : M.globals())
    if (!Variable.hasName())
      Variable.setName("cudal1.unnamed");
}

static void recordMemories(const Module &M, FlatModule &Flat) {
  for (const GlobalVariable &Variable : M.globals()) {
    if (Variable.getName().starts_with("llvm."))
      continue;
    switch (Variable.getAddressSpace()) {
    case NvptxShared:
      Flat.SharedVariables.push_back(Variable.getName().str());
      break;
    case NvptxConstant:
      Flat.ConstantVariables.push_back(Variable.getName().str());
      break;
    default:
      Flat.GlobalVariables.push_back(Variable.getName().str());
    }
  }
}

/// Code keeps pointers to shared memory in integers of 32 bits: where one
/// becomes a pointer again, the runtime's address must be found back.
static void markSharedIntegers(Module &M) {
  SmallVector<IntToPtrInst *> Casts;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Cast = dyn_cast<IntToPtrInst>(&I);
          Cast && Cast->getAddressSpace() == NvptxShared)
        Casts.push_back(Cast);
  for (IntToPtrInst *Cast : Casts) {
    IRBuilder<> B(Cast);
    FunctionCallee Marker = M.getOrInsertFunction(
        SharedPointerFunction, Cast->getType(), B.getInt32Ty());
    Cast->replaceAllUsesWith(B.CreateCall(
        Marker, {B.CreateZExtOrTrunc(Cast->getOperand(0), B.getInt32Ty())}));
    Cast->eraseFromParent();
  }
}

/// Takes out what only the GPU's compiler understands.
static void stripTarget(Module &M, FlatModule &Flat) {
  for (Function &F : M) {
    if (F.getCallingConv() == CallingConv::PTX_Kernel)
      Flat.Kernels.push_back(F.getName().str());
    F.setCallingConv(CallingConv::C);
    for (StringRef Attribute : {"target-cpu", "target-features", "tune-cpu"})
      F.removeFnAttr(Attribute);
  }
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        Call->setCallingConv(CallingConv::C);
  // Lists of what an optimiser must keep; a table of ours does that.
  for (StringRef List : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *Variable = M.getNamedGlobal(List))
      Variable->eraseFromParent();
}

Expected<FlatModule> cudal1::foldAddressSpaces(std::unique_ptr<Module> Device,
                                               const DataLayout &DataLayout,
                                               const Triple &Triple) {
  FlatModule Flat;
  nameGlobals(*Device);
  markSharedIntegers(*Device);
  recordMemories(*Device, Flat);
  stripTarget(*Device, Flat);
  Device->setDataLayout(DataLayout);
  Device->setTargetTriple(Triple);
  std::string Printed;
  raw_string_ostream OS(Printed);
  Device->print(OS, nullptr);
  LLVMContext &Context = Device->getContext();
  std::string Name = Device->getModuleIdentifier();
  Device.reset();
  // Clang drops the names of values; the reader wants to keep them.
  Context.setDiscardValueNames(false);
  SMDiagnostic Problem;
  std::string Text = withoutAddressSpaces(Printed);
  Flat.Module = parseAssemblyString(Text, Problem, Context);
  if (!Flat.Module) {
    std::string Message;
    raw_string_ostream MessageOS(Message);
    Problem.print("device code", MessageOS, /*ShowColors=*/false);
    return createStringError("cannot make CPU code of the device side of '" +
                             Name + "': " + Message);
  }
  return Flat;
}
