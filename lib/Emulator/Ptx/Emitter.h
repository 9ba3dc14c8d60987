//===- Emitter.h - IR for the statements of inline PTX ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_EMITTER_H
#define CUDAL1_LIB_EMULATOR_PTX_EMITTER_H

#include "Syntax.h"
#include "Types.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace cudal1::ptx {

/// A statement while it is translated: keeps count of the modifiers that its
/// translation knew, since one that it does not know changes the meaning.
class PtxInstruction {
public:
  explicit PtxInstruction(const Statement &S)
      : S(S), Used(S.Modifiers.size(), false) {}

  const Statement &statement() const { return S; }
  size_t size() const { return S.Operands.size(); }
  const Operand &operator[](size_t I) const { return S.Operands[I]; }

  /// True if the modifier \p Name is there; it counts as known then.
  bool take(llvm::StringRef Name);
  /// The first of \p Names that is there, or "".
  llvm::StringRef takeOneOf(llvm::ArrayRef<llvm::StringRef> Names);
  /// The next modifier that is a type.
  std::optional<PtxType> takeType();
  /// A modifier that starts with \p Prefix (`L2::`).
  bool takePrefixed(llvm::StringRef Prefix);
  bool allTaken() const { return Used.all(); }

private:
  const Statement &S;
  llvm::BitVector Used;
};

/// The values of an asm statement's registers and the place where its IR goes.
/// A fault is kept, not thrown: after the first, what is emitted is poison and
/// is thrown away by the caller.
class Emitter {
public:
  using Builder = llvm::IRBuilder<>;

  Emitter(llvm::CallInst &Call, const Program &P);

  /// Emits all statements before the call, and gives the call's result.
  llvm::Expected<llvm::Value *> run();

  Builder B;

  llvm::Module &module() const { return *Call.getModule(); }
  llvm::LLVMContext &context() const { return Call.getContext(); }

  /// What follows is emitted only to be thrown away. The first fault counts.
  void fail(const llvm::Twine &Why);
  bool failed() const { return !Fault.empty(); }
  llvm::Value *failValue(llvm::Type *T, const llvm::Twine &Why);
  /// Fails unless \p I has \p Count operands.
  bool expect(const PtxInstruction &I, size_t Count);
  /// The next type of \p I; fails, and gives b32, if there is none.
  PtxType typeOf(PtxInstruction &I);

  llvm::Type *llvmType(const PtxType &T) const;
  llvm::IntegerType *intType(unsigned Bits) const {
    return llvm::IntegerType::get(context(), Bits);
  }
  llvm::ConstantInt *constant(unsigned Bits, uint64_t Value) const {
    return llvm::ConstantInt::get(context(),
                                  llvm::APInt(Bits, Value, false,
                                              /*implicitTrunc=*/true));
  }
  llvm::Constant *real(const PtxType &T, double Value) const;

  /// The operand's value: iN, float, double, half, and i16 for bf16. Packed
  /// types (f16x2) are read as integers. Registers must have the type's width,
  /// or more with \p AllowWider.
  llvm::Value *read(const Operand &Op, const PtxType &T,
                    bool AllowWider = false);
  /// The bits of it.
  llvm::Value *readBits(const Operand &Op, unsigned Bits,
                        bool AllowWider = false);
  /// Of a register or constant as it is; at most 64 bits.
  llvm::Value *readAny(const Operand &Op);
  llvm::Value *readPredicate(const Operand &Op);
  /// Width of a register, 0 for constants and what is no register.
  unsigned width(const Operand &Op) const;
  /// A constant operand's value.
  std::optional<int64_t> constantOf(const Operand &Op) const;

  /// Puts \p V into a register of its width, or a wider one, extended by its
  /// sign or by zeros, if \p Extend says so.
  enum class Extension { None, Zero, Sign };
  void write(const Operand &Op, llvm::Value *V,
             Extension Extend = Extension::None);

  /// Applies \p F to each lane of the operands \p Ops and packs the results.
  llvm::Value *
  perLane(const PtxType &T, llvm::ArrayRef<llvm::Value *> Operands,
          llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> F);
  /// Lane \p Lane of packed bits as a value of the lane's type, and back.
  llvm::Value *lane(const PtxType &T, llvm::Value *Packed, unsigned Lane);
  llvm::Value *pack(llvm::ArrayRef<llvm::Value *> Lanes);
  llvm::Value *asBits(llvm::Value *V);
  llvm::Value *fromBits(const PtxType &T, llvm::Value *Bits);

  /// A call of the runtime's function `cudal1_nvvm_<Name>`.
  llvm::CallInst *runtime(const llvm::Twine &Name, llvm::Type *Result,
                          llvm::ArrayRef<llvm::Value *> Arguments);
  /// A byte on the stack for a result that the runtime returns by pointer.
  llvm::Value *stackByte();
  /// A field of the running thread's state.
  llvm::Value *threadField(size_t Offset, llvm::Type *T);

  /// The carry bit, within one asm statement.
  llvm::Value *carry();
  void setCarry(llvm::Value *V);

private:
  struct Cell {
    llvm::Value *V = nullptr; ///< null: never written
    unsigned Bits = 0;
    bool IsImmediate = false;
    bool IsWritable = true;
    /// An operand narrower than its register: what lies above is unknown.
    unsigned KnownBits = ~0u;
  };

  llvm::CallInst &Call;
  const Program &P;
  std::string Fault;
  const PtxInstruction *Current = nullptr;
  std::vector<Cell> Cells;           ///< slots', registers', the carry bit
  llvm::SmallVector<unsigned> Slots; ///< `$N`: index into Cells
  unsigned OutputCount = 0;
  unsigned FirstRegister = 0;

  void bindOperands();
  void bindInput(unsigned Cell, llvm::Value *Argument, llvm::StringRef Code);
  Cell *cell(const Operand &Op);
  const Cell *cell(const Operand &Op) const;
  llvm::Value *cellBits(const Cell &C);
  llvm::Value *literal(const Operand &Op, unsigned Bits);
  void emit(const Statement &S);
  void emitUnguarded(PtxInstruction &I);
  void emitSelected(PtxInstruction &I, llvm::Value *Guard);
  void emitBranched(PtxInstruction &I, llvm::Value *Guard);
  void merge(const std::vector<Cell> &Before,
             llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)>);
  llvm::Value *outputValue(unsigned Index, llvm::Type *T);
  llvm::Value *result();
};

/// Translates one instruction.
using Handler = void (*)(Emitter &, PtxInstruction &);

struct HandlerEntry {
  llvm::StringRef Opcode;
  Handler Translate;
  /// It may touch memory or meet other threads: what guards it is a branch.
  bool HasEffects;
};

/// The handlers by subject, each in the file of that name.
llvm::ArrayRef<HandlerEntry> integerHandlers();
llvm::ArrayRef<HandlerEntry> bitHandlers();
llvm::ArrayRef<HandlerEntry> floatHandlers();
llvm::ArrayRef<HandlerEntry> compareHandlers();
llvm::ArrayRef<HandlerEntry> moveHandlers();
llvm::ArrayRef<HandlerEntry> convertHandlers();
llvm::ArrayRef<HandlerEntry> warpHandlers();
llvm::ArrayRef<HandlerEntry> memoryHandlers();
llvm::ArrayRef<HandlerEntry> atomicHandlers();
llvm::ArrayRef<HandlerEntry> copyHandlers();
llvm::ArrayRef<HandlerEntry> mbarrierHandlers();
llvm::ArrayRef<HandlerEntry> videoHandlers();

/// Whether \p Opcode's handler is pure is told by HandlerEntry.
const HandlerEntry *findHandler(llvm::StringRef Opcode);

/// A fence that the runtime knows of, as far as \p Scope (`cta`, `gl`, `sys`).
void emitFence(Emitter &E, llvm::StringRef Scope);

/// A special register or constant by its name (`%laneid`), in its own width;
/// null if it is not emulated.
llvm::Value *readSpecial(Emitter &E, llvm::StringRef Name);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_EMITTER_H
