//===- RuntimeInterface.h - Emitting uses of the runtime --------*- C++ -*-===//
//
// Builds IR that reads the emulated thread's state, names places in the source
// and calls the runtime, by the layouts of runtime/emulator/Abi.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_EMULATOR_RUNTIMEINTERFACE_H
#define CUDAL1_LIB_EMULATOR_RUNTIMEINTERFACE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <map>
#include <tuple>

namespace cudal1 {

class RuntimeInterface {
public:
  explicit RuntimeInterface(llvm::Module &M);

  llvm::Module &module() const { return M; }

  /// The state of the running thread. It stays the same for as long as a
  /// function of the kernel runs, so optimisers may keep it.
  llvm::Value *thread(llvm::IRBuilderBase &B);
  /// A field of it that never changes while the kernel runs.
  llvm::Value *threadField(llvm::IRBuilderBase &B, size_t Offset,
                           llvm::Type *Type, const llvm::Twine &Name = "");
  /// Start of the block's shared memory, a pointer.
  llvm::Value *sharedBase(llvm::IRBuilderBase &B);
  /// Says where the thread is about to wait.
  void storeSite(llvm::IRBuilderBase &B, llvm::Constant *Site);

  /// A SourceSite for \p I. \p Alignment is what the GPU demands there.
  llvm::Constant *site(const llvm::Instruction &I, uint32_t Flags = 0,
                       uint32_t Alignment = 1);

  /// Declares a function of the runtime that returns \p Result.
  llvm::FunctionCallee function(llvm::StringRef Name, llvm::Type *Result,
                                llvm::ArrayRef<llvm::Type *> Parameters);

  /// A null-terminated string, one for each text.
  llvm::Constant *string(llvm::StringRef Text);

  llvm::Type *voidType() const { return llvm::Type::getVoidTy(Context); }
  llvm::PointerType *pointer() const {
    return llvm::PointerType::getUnqual(Context);
  }
  llvm::IntegerType *int32() const { return llvm::Type::getInt32Ty(Context); }
  llvm::IntegerType *int64() const { return llvm::Type::getInt64Ty(Context); }
  llvm::ConstantInt *constant32(uint32_t Value) const {
    return llvm::ConstantInt::get(int32(), Value);
  }
  llvm::ConstantInt *constant64(uint64_t Value) const {
    return llvm::ConstantInt::get(int64(), Value);
  }
  /// A private constant holding \p Initializer.
  llvm::GlobalVariable *privateConstant(llvm::Constant *Initializer,
                                        const llvm::Twine &Name);

private:
  llvm::Module &M;
  llvm::LLVMContext &Context;
  llvm::GlobalVariable *Thread;
  llvm::StringMap<llvm::Constant *> Strings;
  using SiteKey = std::tuple<llvm::Constant *, llvm::Constant *, uint32_t,
                             uint32_t, uint32_t, uint32_t>;
  std::map<SiteKey, llvm::Constant *> Sites;
};

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_RUNTIMEINTERFACE_H
