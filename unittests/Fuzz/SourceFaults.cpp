//===- SourceFaults.cpp - Kernels that are wrong as written ---------------===//

#include "SourceFaults.h"
#include "../../lib/Measure/EmulatorFindings.h"
#include "../../runtime/emulator/Findings.h"
#include "ProgramGenerator.h"
#include "cudal1/Support/Process.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <set>

using namespace cudal1;
using namespace cudal1::fuzz;

/// A generated program does some thousand accesses.
static constexpr std::chrono::seconds RunLimit{120};

/// What the checks find in \p Program, run in one order.
static llvm::Expected<std::vector<EmulatorFinding>>
runOnce(const std::string &Program, const std::string &Order) {
  std::string File = Program + ".findings";
  llvm::FileRemover Remove(File);
  Command Run;
  Run.Argv = {Program};
  Run.TimeLimit = RunLimit;
  auto Set = [&](llvm::StringRef Variable, llvm::StringRef Value) {
    Run.Environment.push_back((Variable + "=" + Value).str());
  };
  Set(emulator::OrderVariable, Order);
  Set(emulator::WorkersVariable, "1");
  Set(emulator::RacesVariable, "1");
  Set(emulator::FindingsVariable, File);
  Set(emulator::QuietVariable, "1");
  Set(emulator::ExitVariable, "program");
  llvm::Expected<ProcessResult> Result = runCommand(Run);
  if (!Result)
    return Result.takeError();
  if (!Result->succeeded())
    return llvm::createStringError("the program, not optimised, " +
                                   Result->describeEnd() + ": " +
                                   Result->Stderr);
  return readFindings(File);
}

/// The 12 of `_Z8kernel12PfS_`; nothing for another function's name.
static std::optional<size_t> kernelNumber(llvm::StringRef Mangled) {
  size_t Length = 0, Number = 0;
  if (!Mangled.consume_front("_Z") || Mangled.consumeInteger(10, Length))
    return std::nullopt;
  llvm::StringRef Name = Mangled.take_front(Length);
  if (!Name.consume_front("kernel") || Name.getAsInteger(10, Number))
    return std::nullopt;
  return Number;
}

llvm::Expected<std::vector<uint64_t>>
fuzz::kernelsWithoutFaults(const std::vector<uint64_t> &KernelSeeds,
                           const BuildSetup &Setup,
                           const TemporaryFolder &Folder) {
  EmulationSpec Spec = emulationOf(Folder.file("source.cu"), Setup);
  Spec.KeepAccesses = true;
  std::string Path = Folder.file("source");
  llvm::FileRemover Remove(Path);
  llvm::Expected<EmulatedProgram> Built = buildEmulated(
      Spec, {{Spec.Input.File, generateProgram(KernelSeeds)}}, Path);
  if (!Built)
    return Built.takeError();
  std::set<size_t> Faulty;
  for (const char *Order : {"forward", "reverse"}) {
    llvm::Expected<std::vector<EmulatorFinding>> Findings =
        runOnce(Path, Order);
    if (!Findings)
      return Findings.takeError();
    for (const EmulatorFinding &Finding : *Findings) {
      std::optional<size_t> Number = kernelNumber(Finding.Kernel);
      if (!Number)
        return llvm::createStringError("a fault outside of any kernel: " +
                                       Finding.describe());
      Faulty.insert(*Number);
    }
  }
  std::vector<uint64_t> Sound;
  for (size_t I = 0; I < KernelSeeds.size(); ++I)
    if (!Faulty.count(I))
      Sound.push_back(KernelSeeds[I]);
  return Sound;
}
