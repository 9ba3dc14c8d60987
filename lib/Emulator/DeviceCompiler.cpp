//===- DeviceCompiler.cpp - From NVVM IR to code for the CPU --------------===//

#include "DeviceCompiler.h"
#include "AddressSpaces.h"
#include "HardwareResults.h"
#include "Instrumentation.h"
#include "KernelTable.h"
#include "NvvmLowering.h"
#include "SharedMemory.h"
#include "WaitingHints.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace cudal1;
using namespace llvm;

/// All but the kernels' entries is nobody else's: the host side defines many of
/// the same functions.
static void makeInternal(Module &M) {
  for (GlobalValue &Value : M.global_values()) {
    StringRef Name = Value.getName();
    if (Value.isDeclaration() || Name.starts_with("llvm.") ||
        Name.starts_with("cudal1_"))
      continue;
    if (auto *Object = dyn_cast<GlobalObject>(&Value))
      Object->setComdat(nullptr);
    if (!Value.hasPrivateLinkage())
      Value.setLinkage(GlobalValue::InternalLinkage);
    Value.setVisibility(GlobalValue::DefaultVisibility);
  }
}

/// Drops what no kernel reaches: headers define much that nobody calls.
static void dropUnused(Module &M) {
  ModuleAnalysisManager None;
  GlobalDCEPass().run(M, None);
}

/// A loop that copies stays one: as a memcpy to a local array it would no
/// longer read what it copies, and nobody would see that it was never written.
static void keepCopyingLoops(Module &M) {
  for (Function &F : M)
    if (!F.isDeclaration())
      for (StringRef Name : {"no-builtin-memcpy", "no-builtin-memmove"})
        F.addFnAttr(Name);
}

/// -O2 for \p Machine, or no more than must be. Vectors would hide which
/// element an access is of.
static void optimize(Module &M, TargetMachine &Machine,
                     const EmulationSpec &Spec) {
  const bool Vectorize = Spec.Checks == EmulationChecks::None;
  PipelineTuningOptions Options;
  Options.LoopVectorization = Vectorize;
  Options.SLPVectorization = Vectorize;
  PassBuilder Builder(&Machine, Options);
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  ModulePassManager Passes =
      Spec.KeepAccesses
          ? Builder.buildO0DefaultPipeline(OptimizationLevel::O0)
          : Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  Passes.run(M, Modules);
}

static Error verify(const Module &M, StringRef When) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (verifyModule(M, &OS))
    return createStringError("device code of '" + M.getModuleIdentifier() +
                             "' is broken " + When + ": " + Text);
  return Error::success();
}

/// Before optimising: the host may read and write every variable, and a
/// kernel's parameters must stay what the host passes.
static void keepForHost(Module &M, const FlatModule &Flat) {
  makeInternal(M);
  for (const std::string &Name : Flat.Kernels)
    M.getFunction(Name)->setLinkage(GlobalValue::ExternalLinkage);
  for (const auto *Names : {&Flat.GlobalVariables, &Flat.ConstantVariables})
    for (const std::string &Name : *Names) {
      GlobalVariable *Variable = M.getNamedGlobal(Name);
      if (!Variable || Variable->isDeclaration() ||
          Variable->hasPrivateLinkage())
        continue;
      Variable->setLinkage(GlobalValue::ExternalLinkage);
      // To Clang what __constant__ declares is constant: it would end in
      // memory that the host's cudaMemcpyToSymbol cannot write.
      if (Variable->isExternallyInitialized())
        Variable->setConstant(false);
    }
}

static Error writeIr(const Module &M, const std::string &Path) {
  if (Path.empty())
    return Error::success();
  std::error_code Problem;
  raw_fd_ostream Out(Path, Problem);
  if (Problem)
    return createStringError(Problem, "cannot write '%s'", Path.c_str());
  M.print(Out, nullptr);
  return Error::success();
}

Expected<CpuModule> cudal1::compileDevice(std::unique_ptr<Module> Device,
                                          const EmulationSpec &Spec,
                                          TargetMachine &Machine) {
  Expected<FlatModule> Flat = foldAddressSpaces(
      std::move(Device), Machine.createDataLayout(), Machine.getTargetTriple());
  if (!Flat)
    return Flat.takeError();
  Module &M = *Flat->Module;
  CpuModule Result;
  keepForHost(M, *Flat);
  dropUnused(M);
  SharedLayout Shared;
  {
    RuntimeInterface Runtime(M);
    Result.Unsupported = lowerNvvm(Runtime, Spec.Arch);
    giveHardwareResults(Runtime,
                        /*ReportZero=*/Spec.Checks != EmulationChecks::None);
    Shared =
        lowerSharedVariables(Runtime, Flat->SharedVariables, Flat->Kernels);
  }
  if (Error E = verify(M, "before optimising"))
    return std::move(E);
  if (Spec.Checks != EmulationChecks::None)
    keepCopyingLoops(M);
  optimize(M, Machine, Spec);
  // Made anew: optimising drops what is not used yet.
  RuntimeInterface Runtime(M);
  addWaitingHints(Runtime);
  addKernelEntries(Runtime, Flat->Kernels);
  addKernelTable(Runtime, *Flat, Shared, Spec.Arch);
  if (Spec.CudaMajor)
    demandRuntimeFor(Runtime, Spec.CudaMajor);
  if (Spec.Checks != EmulationChecks::None)
    addChecks(Runtime, Spec.Checks == EmulationChecks::Races);
  makeInternal(M);
  if (Error E = writeIr(M, Spec.DeviceIrFile))
    return std::move(E);
  if (Error E = verify(M, "after the checks were added"))
    return std::move(E);
  Result.Module = std::move(Flat->Module);
  return Result;
}
