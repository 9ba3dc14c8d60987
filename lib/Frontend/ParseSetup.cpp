//===- ParseSetup.cpp - From a CompileUnit to a parse ---------------------===//

#include "cudal1/Frontend/ParseSetup.h"
#include "UnitMacros.h"
#include "cudal1/Frontend/BuiltinFiles.h"

using namespace cudal1;

ParseInput cudal1::parseInputFor(const CompileUnit &Unit,
                                 const CudaToolkit *Toolkit,
                                 llvm::StringRef ResourceDir) {
  ParseInput Input;
  Input.File = Unit.File;
  Input.Directory = Unit.Directory;
  if (Unit.Language == UnitLanguage::Cuda)
    Input.DeviceArgs = clangArgsFor(Unit, Side::Device, Toolkit, ResourceDir);
  Input.HostArgs = clangArgsFor(Unit, Side::Host, Toolkit, ResourceDir);
  Input.LeastArch = Unit.Flags.LeastArch;
  for (const BuiltinFile &File : builtinFiles())
    Input.VirtualFiles[File.Path.str()] = File.Text.str();
  if (Unit.needsToolkit())
    Input.VirtualFiles[UnitMacrosPath.str()] =
        separateMacros(Unit.Flags.ClangArgs).Text;
  return Input;
}
