//===- RuntimeInterface.cpp - Emitting uses of the runtime ----------------===//

#include "RuntimeInterface.h"
#include "../../runtime/emulator/Abi.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using namespace llvm;

RuntimeInterface::RuntimeInterface(Module &M) : M(M), Context(M.getContext()) {
  Thread = M.getNamedGlobal("cudal1_emu_thread");
  if (!Thread)
    Thread = new GlobalVariable(M, pointer(), /*isConstant=*/false,
                                GlobalValue::ExternalLinkage, nullptr,
                                "cudal1_emu_thread", nullptr,
                                GlobalVariable::InitialExecTLSModel);
}

static LoadInst *invariantLoad(IRBuilderBase &B, Type *Type, Value *Address,
                               const Twine &Name) {
  LoadInst *Load = B.CreateLoad(Type, Address, Name);
  Load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(B.getContext(), {}));
  return Load;
}

Value *RuntimeInterface::thread(IRBuilderBase &B) {
  Value *Address = B.CreateThreadLocalAddress(Thread);
  return invariantLoad(B, pointer(), Address, "thread");
}

Value *RuntimeInterface::threadField(IRBuilderBase &B, size_t Offset,
                                     Type *Type, const Twine &Name) {
  Value *Address =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), thread(B), Offset);
  return invariantLoad(B, Type, Address, Name);
}

Value *RuntimeInterface::sharedBase(IRBuilderBase &B) {
  return threadField(B, offsetof(emulator::ThreadState, Shared), pointer(),
                     "shared");
}

void RuntimeInterface::storeSite(IRBuilderBase &B, Constant *Site) {
  Value *Address = B.CreateConstInBoundsGEP1_64(
      B.getInt8Ty(), thread(B), offsetof(emulator::ThreadState, Site));
  B.CreateStore(Site, Address);
}

GlobalVariable *RuntimeInterface::privateConstant(Constant *Initializer,
                                                  const Twine &Name) {
  auto *Variable =
      new GlobalVariable(M, Initializer->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Initializer, Name);
  Variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return Variable;
}

Constant *RuntimeInterface::string(StringRef Text) {
  Constant *&String = Strings[Text];
  if (!String)
    String = privateConstant(ConstantDataArray::getString(Context, Text),
                             "cudal1.text");
  return String;
}

/// The file of \p Location as its directory makes it absolute, when it is not.
static std::string fileOf(const DILocation &Location) {
  SmallString<256> Path(Location.getFilename());
  if (!sys::path::is_absolute(Path) && !Location.getDirectory().empty()) {
    Path = Location.getDirectory();
    sys::path::append(Path, Location.getFilename());
  }
  return std::string(Path);
}

/// \p Location, or the call in the user's code that led to it where it lies in
/// the compiler's or the toolkit's headers.
static const DILocation *usersLocation(const DILocation *Location) {
  auto InHeaders = [](const DILocation &L) {
    return L.getFilename().starts_with("/usr/") ||
           L.getFilename().contains("/lib/clang/");
  };
  while (Location && Location->getInlinedAt() && InHeaders(*Location))
    Location = Location->getInlinedAt();
  return Location;
}

/// A line near \p I in the function \p Around lies in: of what comes before it
/// in its block, of what leads there, of what comes after.
static const DILocation *nearbyLocation(const Instruction &I,
                                        const DILocation &Around) {
  auto Fits = [&](const Instruction &Other) {
    const DILocation *L = Other.getDebugLoc().get();
    return L && L->getLine() && L->getInlinedAt() == Around.getInlinedAt() &&
           L->getScope()->getSubprogram() == Around.getScope()->getSubprogram();
  };
  for (const Instruction *At = I.getPrevNode(); At; At = At->getPrevNode())
    if (Fits(*At))
      return At->getDebugLoc().get();
  for (const BasicBlock *Before : predecessors(I.getParent()))
    for (const Instruction &At : reverse(*Before))
      if (Fits(At))
        return At.getDebugLoc().get();
  for (const Instruction *At = I.getNextNode(); At; At = At->getNextNode())
    if (Fits(*At))
      return At->getDebugLoc().get();
  return nullptr;
}

/// Where \p I comes from. Optimising gives line 0 to what it made of accesses
/// in several lines.
static const DILocation *locationOf(const Instruction &I) {
  const DILocation *Location = I.getDebugLoc().get();
  if (Location && !Location->getLine())
    if (const DILocation *Nearby = nearbyLocation(I, *Location))
      return Nearby;
  return Location;
}

Constant *RuntimeInterface::site(const Instruction &I, uint32_t Flags,
                                 uint32_t Alignment) {
  std::string File, Name = I.getFunction()->getName().str();
  uint32_t Line = 0, Column = 0;
  if (const DILocation *Location = usersLocation(locationOf(I))) {
    File = fileOf(*Location);
    Line = Location->getLine();
    Column = Location->getColumn();
    if (const DISubprogram *Scope = Location->getScope()->getSubprogram()) {
      Name = Scope->getLinkageName().empty() ? Scope->getName().str()
                                             : Scope->getLinkageName().str();
      if (!Line)
        Line = Scope->getLine();
    }
  }
  Constant *FileText = string(File), *NameText = string(demangle(Name));
  Constant *&Site = Sites[{FileText, NameText, Line, Column, Flags, Alignment}];
  if (!Site)
    Site = privateConstant(
        ConstantStruct::getAnon({FileText, NameText, constant32(Line),
                                 constant32(Column), constant32(Flags),
                                 constant32(Alignment)}),
        "cudal1.site");
  return Site;
}

FunctionCallee RuntimeInterface::function(StringRef Name, Type *Result,
                                          ArrayRef<Type *> Parameters) {
  return M.getOrInsertFunction(
      Name, FunctionType::get(Result, Parameters, /*isVarArg=*/false));
}
