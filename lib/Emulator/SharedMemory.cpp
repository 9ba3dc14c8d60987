//===- SharedMemory.cpp - Where shared variables lie ----------------------===//

#include "SharedMemory.h"
#include "Reachability.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"

using namespace cudal1;
using namespace llvm;

/// Between two variables, so that an access past one's end is seen.
static constexpr uint64_t RedzoneBytes = 64;
/// The dynamic part's, and the least of every variable's.
static constexpr uint64_t DynamicAlignment = 128;

static bool isDynamic(const GlobalVariable &Variable) {
  return Variable.isDeclaration();
}

/// The functions that hold a use of \p Variable. All its users are
/// instructions by now.
static SmallPtrSet<Function *, 8> usersOf(const GlobalVariable &Variable) {
  SmallPtrSet<Function *, 8> Users;
  for (const User *U : Variable.users())
    if (auto *I = dyn_cast<Instruction>(U))
      Users.insert(const_cast<Function *>(I->getFunction()));
  return Users;
}

/// Replaces \p Variable in each function by an address computed at its start.
static void replaceByOffset(RuntimeInterface &Runtime, GlobalVariable &Variable,
                            uint64_t Offset) {
  for (Function *F : usersOf(Variable)) {
    IRBuilder<> B(&*F->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    B.SetCurrentDebugLocation(DebugLoc());
    Value *Address = B.CreateConstInBoundsGEP1_64(
        B.getInt8Ty(), Runtime.sharedBase(B), Offset, Variable.getName());
    Variable.replaceUsesWithIf(Address, [&](Use &U) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      return I && I->getFunction() == F;
    });
  }
}

SharedLayout cudal1::lowerSharedVariables(RuntimeInterface &Runtime,
                                          ArrayRef<std::string> Names,
                                          ArrayRef<std::string> Kernels) {
  Module &M = Runtime.module();
  const DataLayout &Layout = M.getDataLayout();
  SharedLayout Shared;
  std::vector<GlobalVariable *> Static, Dynamic;
  SmallVector<Constant *> All;
  for (const std::string &Name : Names)
    if (GlobalVariable *Variable = M.getNamedGlobal(Name)) {
      (isDynamic(*Variable) ? Dynamic : Static).push_back(Variable);
      All.push_back(Variable);
    }
  convertUsersOfConstantsToInstructions(All);

  std::map<Function *, std::vector<unsigned>> ByFunction;
  uint64_t End = 0;
  for (GlobalVariable *Variable : Static) {
    Align Alignment = std::max(Variable->getAlign().valueOrOne(), Align(16));
    End = alignTo(End, Alignment);
    uint64_t Bytes = Layout.getTypeAllocSize(Variable->getValueType());
    for (Function *User : usersOf(*Variable))
      ByFunction[User].push_back(Shared.Variables.size());
    Shared.Variables.push_back({Variable->getName().str(), End, Bytes,
                                Variable->getAlign().valueOrOne().value()});
    replaceByOffset(Runtime, *Variable, End);
    End += Bytes + RedzoneBytes;
  }
  Shared.DynamicOffset = alignTo(End, DynamicAlignment);
  for (GlobalVariable *Variable : Dynamic)
    replaceByOffset(Runtime, *Variable, Shared.DynamicOffset);

  for (const std::string &Kernel : Kernels) {
    std::vector<unsigned> &Used = Shared.UsedBy[Kernel];
    for (Function *F : reachableFrom(*M.getFunction(Kernel)))
      llvm::append_range(Used, ByFunction[F]);
    llvm::sort(Used);
    Used.erase(llvm::unique(Used), Used.end());
  }
  for (Constant *Variable : All)
    if (Variable->use_empty())
      cast<GlobalVariable>(Variable)->eraseFromParent();
  return Shared;
}
