//===- Reachability.cpp - What a kernel may call --------------------------===//

#include "Reachability.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Functions whose address an indirect call may hold.
static void addAddressTaken(Module &M, SetVector<Function *> &Found) {
  for (Function &F : M)
    if (!F.isIntrinsic() && F.hasAddressTaken())
      Found.insert(&F);
}

/// Functions named by \p V, also inside of constant expressions and tables.
static void addNamed(const Value *V, SetVector<Function *> &Found,
                     SmallPtrSetImpl<const Value *> &Seen) {
  if (!isa<Constant>(V) || !Seen.insert(V).second)
    return;
  if (auto *F = dyn_cast<Function>(V)) {
    Found.insert(const_cast<Function *>(F));
    return;
  }
  for (const Value *Operand : cast<Constant>(V)->operand_values())
    addNamed(Operand, Found, Seen);
}

SetVector<Function *> cudal1::reachableFrom(Function &Root) {
  SetVector<Function *> Found;
  SmallPtrSet<const Value *, 32> Seen;
  Found.insert(&Root);
  for (unsigned I = 0; I < Found.size(); ++I)
    for (Instruction &Inst : instructions(*Found[I])) {
      for (const Value *Operand : Inst.operand_values())
        addNamed(Operand, Found, Seen);
      auto *Call = dyn_cast<CallBase>(&Inst);
      if (Call && Call->isIndirectCall())
        addAddressTaken(*Root.getParent(), Found);
    }
  return Found;
}

bool cudal1::isWaitingFunction(StringRef Name) {
  if (!Name.consume_front("cudal1_nvvm_"))
    return false;
  static const StringSet<> Names = {
#define CUDAL1_DEVICE_FUNCTION(Result, Name, Parameters)
#define CUDAL1_WAITING_FUNCTION(Result, Name, Parameters) #Name,
#include "../../runtime/emulator/DeviceFunctions.def"
  };
  return Names.contains(Name);
}
