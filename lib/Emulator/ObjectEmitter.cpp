//===- ObjectEmitter.cpp - Object files for this machine ------------------===//

#include "ObjectEmitter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <mutex>

using namespace cudal1;
using namespace llvm;

Expected<std::unique_ptr<TargetMachine>> cudal1::createHostMachine() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
  });
  Triple Host(sys::getDefaultTargetTriple());
  std::string Message;
  const Target *Found = TargetRegistry::lookupTarget(Host, Message);
  if (!Found)
    return createStringError("cannot emulate on this machine: " + Message);
  SubtargetFeatures Features;
  for (const auto &[Name, Has] : sys::getHostCPUFeatures())
    Features.AddFeature(Name, Has);
  TargetOptions Options;
  // The GPU's arithmetic never fuses what the source keeps apart.
  Options.AllowFPOpFusion = FPOpFusion::Strict;
  std::unique_ptr<TargetMachine> Machine(Found->createTargetMachine(
      Host, sys::getHostCPUName(), Features.getString(), Options, Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Default));
  if (!Machine)
    return createStringError(
        "cannot emulate on this machine: no code generator "
        "for " +
        Host.str());
  return Machine;
}

Error cudal1::emitObject(Module &M, TargetMachine &Machine,
                         const std::string &Path) {
  M.setDataLayout(Machine.createDataLayout());
  std::error_code Problem;
  raw_fd_ostream Out(Path, Problem, sys::fs::OF_None);
  if (Problem)
    return createStringError(Problem, "cannot write '%s': %s", Path.c_str(),
                             Problem.message().c_str());
  legacy::PassManager Passes;
  if (Machine.addPassesToEmitFile(Passes, Out, nullptr,
                                  CodeGenFileType::ObjectFile))
    return createStringError("this machine's code generator writes no objects");
  Passes.run(M);
  Out.close();
  if (Out.has_error()) {
    std::error_code Failed = Out.error();
    Out.clear_error();
    return createStringError(Failed, "cannot write '%s': %s", Path.c_str(),
                             Failed.message().c_str());
  }
  return Error::success();
}
