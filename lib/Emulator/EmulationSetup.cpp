//===- EmulationSetup.cpp - From a CompileUnit to an emulation ------------===//

#include "cudal1/Emulator/EmulationSetup.h"
#include "cudal1/Frontend/ParseSetup.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using llvm::StringRef;
namespace path = llvm::sys::path;

/// Libraries of the toolkit that our runtime stands in for.
static bool isReplaced(StringRef Flag) {
  return Flag == "-lcudart" || Flag == "-lcudart_static" || Flag == "-lcuda" ||
         Flag == "-lcudadevrt" || Flag == "-lcublas" ||
         Flag == "-lcublas_static" || Flag == "-lcublasLt";
}

/// Folders, libraries and objects that the unit's command links.
static std::vector<std::string> linkArgsOf(const CompileUnit &Unit) {
  std::vector<std::string> Args;
  for (StringRef Input : Unit.Flags.Inputs)
    if (Input.ends_with(".o") || Input.ends_with(".a") ||
        Input.ends_with(".so"))
      Args.push_back(Input.str());
  const std::vector<std::string> &Flags = Unit.Flags.NvccArgs;
  for (size_t I = 0; I < Flags.size(); ++I) {
    StringRef Flag = Flags[I];
    if (!Flag.starts_with("-l") && !Flag.starts_with("-L"))
      continue;
    std::string Whole = Flag.str();
    if (Flag.size() == 2 && I + 1 < Flags.size())
      Whole += Flags[++I];
    if (!isReplaced(Whole))
      Args.push_back(Whole);
  }
  return Args;
}

EmulationSpec cudal1::emulationSpecFor(const CompileUnit &Unit,
                                       const CudaToolkit *Toolkit,
                                       StringRef ResourceDir,
                                       StringRef Executable) {
  EmulationSpec Spec;
  Spec.Input = parseInputFor(Unit, Toolkit, ResourceDir);
  StringRef Number = Unit.Flags.Arch;
  Number.consume_front("sm_");
  Number.take_while([](char C) { return llvm::isDigit(C); })
      .getAsInteger(10, Spec.Arch);
  if (Toolkit && Unit.needsToolkit())
    Spec.CudaMajor = Toolkit->Major;
  Spec.LinkArgs = linkArgsOf(Unit);
  llvm::SmallString<256> Library(
      path::parent_path(path::parent_path(Executable)));
  path::append(Library, "lib", "libcudal1_emulator.a");
  Spec.RuntimeLibrary = std::string(Library);
  return Spec;
}
