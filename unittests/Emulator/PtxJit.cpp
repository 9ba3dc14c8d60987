//===- PtxJit.cpp - Runs translated inline PTX ----------------------------===//

#include "PtxJit.h"
#include "../../lib/Emulator/InlinePtx.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cudal1;
using namespace cudal1::test;
using namespace llvm;

emulator::ThreadState test::Thread;
std::string test::Calls;

static emulator::ThreadState *ThreadPointer = &test::Thread;

namespace {

// Stand-ins for the runtime: they note their arguments.

uint32_t shuffleDown(uint32_t Mask, uint32_t Value, uint32_t Delta,
                     uint32_t Control) {
  Calls += "shfl_down(" + std::to_string(Mask) + "," + std::to_string(Value) +
           "," + std::to_string(Delta) + "," + std::to_string(Control) + ")";
  return Value + Delta;
}

uint32_t shuffleUp(uint32_t Mask, uint32_t Value, uint32_t Delta,
                   uint32_t Control, uint8_t *InRange) {
  Calls += "shfl_up";
  *InRange = Value > 100;
  return Value - Delta;
}

uint32_t voteBallot(uint32_t Mask, uint32_t Predicate) {
  Calls += "ballot(" + std::to_string(Predicate) + ")";
  return Mask & (Predicate ? ~0u : 0u);
}

uint32_t voteAny(uint32_t Mask, uint32_t Predicate) { return Predicate; }

void syncBarrier(uint32_t Id) {
  Calls += "barrier(" + std::to_string(Id) + ")";
}

void fence() { Calls += "membar"; }

void fenceBlock() {}

void sleepBriefly(uint32_t) { Calls += "nanosleep"; }

float addTowardsZero(float X, float Y) {
  Calls += "add_rz";
  return X + Y;
}

float exp2Approximation(float X) { return std::exp2(X); }

struct StandIn {
  const char *Name;
  void *Address;
};

template <typename Function> StandIn standIn(const char *Name, Function *F) {
  return {Name, reinterpret_cast<void *>(F)};
}

} // namespace

static Error defineStandIns(orc::LLJIT &Jit) {
  const StandIn StandIns[] = {
      {"cudal1_emu_thread", &ThreadPointer},
      standIn("cudal1_nvvm_shfl_sync_down_i32", shuffleDown),
      standIn("cudal1_nvvm_shfl_sync_up_i32p", shuffleUp),
      standIn("cudal1_nvvm_vote_ballot_sync", voteBallot),
      standIn("cudal1_nvvm_vote_any_sync", voteAny),
      standIn("cudal1_nvvm_barrier_cta_sync_aligned_all", syncBarrier),
      standIn("cudal1_nvvm_membar_gl", fence),
      standIn("cudal1_nvvm_membar_sys", fence),
      standIn("cudal1_nvvm_membar_cta", fenceBlock),
      standIn("cudal1_nvvm_nanosleep", sleepBriefly),
      standIn("cudal1_nvvm_add_rz_f", addTowardsZero),
      standIn("cudal1_nvvm_ex2_approx_f", exp2Approximation),
  };
  orc::SymbolMap Symbols;
  for (const StandIn &S : StandIns)
    Symbols[Jit.mangleAndIntern(S.Name)] = {
        orc::ExecutorAddr::fromPtr(S.Address), JITSymbolFlags::Exported};
  return Jit.getMainJITDylib().define(orc::absoluteSymbols(Symbols));
}

/// The JIT has no thread-local variables: the test's thread is a plain one.
static void makeThreadPlain(Module &M) {
  GlobalVariable *Thread = M.getNamedGlobal("cudal1_emu_thread");
  if (!Thread)
    return;
  for (User *U : make_early_inc_range(Thread->users()))
    if (auto *Address = dyn_cast<IntrinsicInst>(U)) {
      Address->replaceAllUsesWith(Thread);
      Address->eraseFromParent();
    }
  Thread->setThreadLocal(false);
}

static SmallVector<CallInst *> asmCalls(Module &M) {
  SmallVector<CallInst *> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        Calls.push_back(Call);
  return Calls;
}

static std::unique_ptr<Module> parse(const std::string &Ir,
                                     LLVMContext &Context) {
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseAssemblyString(Ir, Diagnostic, Context);
  EXPECT_TRUE(M) << Diagnostic.getMessage().str() << "\n" << Ir;
  return M;
}

PtxModule::PtxModule(const std::string &Ir) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Jit = cantFail(orc::LLJITBuilder().create());
  auto Context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> M = parse(Ir, *Context);
  M->setDataLayout(Jit->getDataLayout());
  for (CallInst *Call : asmCalls(*M))
    if (Error E = translateInlinePtx(*Call))
      ADD_FAILURE() << toString(std::move(E)) << "\n" << Ir;
  std::string Faults;
  raw_string_ostream Stream(Faults);
  EXPECT_FALSE(verifyModule(*M, &Stream)) << Faults << Ir;
  makeThreadPlain(*M);
  cantFail(defineStandIns(*Jit));
  cantFail(Jit->addIRModule(
      orc::ThreadSafeModule(std::move(M), std::move(Context))));
}

void *PtxModule::address(const std::string &Function) {
  return cantFail(Jit->lookup(Function)).toPtr<void *>();
}

std::string test::translationError(const std::string &Text,
                                   const std::string &Constraints) {
  LLVMContext Context;
  std::unique_ptr<Module> M =
      parse("define void @f() {\ncall void asm sideeffect \"" + Text +
                "\", \"" + Constraints + "\"()\nret void\n}\n",
            Context);
  std::string Message;
  if (Error E = translateInlinePtx(*asmCalls(*M).front()))
    Message = toString(std::move(E));
  EXPECT_FALSE(verifyModule(*M));
  if (!Message.empty()) {
    EXPECT_EQ(asmCalls(*M).size(), 1u);
    EXPECT_EQ(M->getFunction("f")->getInstructionCount(), 2u);
    EXPECT_EQ(M->getFunction("cudal1.ptx.trial"), nullptr);
  }
  return Message;
}
