//===- ClangInvocation.cpp - The command that parses a unit ---------------===//

#include "UnitMacros.h"
#include "cudal1/Frontend/BuiltinFiles.h"
#include "cudal1/Frontend/CompileUnit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using llvm::StringRef;

/// Clang's own names for -nocudainc and -nocudalib, to which the flag reader
/// reduces them.
static constexpr llvm::StringLiteral NoCudaHeaders = "--no-offload-inc";
static constexpr llvm::StringLiteral NoDeviceLibrary = "--no-offloadlib";

bool CompileUnit::needsToolkit() const {
  return Language == UnitLanguage::Cuda &&
         !llvm::is_contained(Flags.ClangArgs, NoCudaHeaders);
}

static std::string below(StringRef Folder, const llvm::Twine &Name) {
  llvm::SmallString<256> Path(Folder);
  llvm::sys::path::append(Path, Name);
  return std::string(Path);
}

static void addCudaArgs(const CompileUnit &Unit, Side Side,
                        const CudaToolkit *Toolkit,
                        std::vector<std::string> &Args) {
  Args.push_back("--cuda-gpu-arch=" + Unit.Flags.Arch);
  Args.push_back(Side == Side::Host ? "--cuda-host-only"
                                    : "--cuda-device-only");
  // CUDA 13 is newer than what Clang 22 calls supported. `register` in C++17
  // is an error of Clang's and a warning of nvcc's.
  Args.insert(Args.end(), {"-Wno-unknown-cuda-version", "-Wno-register"});
  if (!Unit.needsToolkit()) {
    // Nothing of an installed toolkit is to shine through.
    Args.insert(Args.end(), {"--cuda-path=/nonexistent", "-nocudalib"});
    return;
  }
  if (Toolkit)
    Args.push_back("--cuda-path=" + Toolkit->Path);
  Args.insert(Args.end(), {"-include", CompatHeaderPath.str()});
  Args.insert(Args.end(), {"-include", UnitMacrosPath.str()});
}

/// The unit's flags where CUDA's own headers are read. A parse needs no device
/// library, but with -nocudalib Clang does not see the toolkit's version.
static std::vector<std::string> argsWithToolkit(const CompileUnit &Unit) {
  std::vector<std::string> Args = separateMacros(Unit.Flags.ClangArgs).Args;
  llvm::erase(Args, NoDeviceLibrary);
  return Args;
}

/// Folders that nvcc searches after the user's own.
static void addToolkitFolders(const CompileUnit &Unit,
                              const CudaToolkit &Toolkit,
                              std::vector<std::string> &Args) {
  // Clang's CUDA mode adds include/ itself.
  if (Unit.Language == UnitLanguage::Cxx)
    Args.insert(Args.end(), {"-isystem", below(Toolkit.Path, "include")});
  // CUDA 13 keeps cub, thrust and libcu++ here.
  std::string Cccl = below(Toolkit.Path, "include/cccl");
  if (llvm::sys::fs::is_directory(Cccl))
    Args.insert(Args.end(), {"-isystem", Cccl});
}

std::vector<std::string> cudal1::clangArgsFor(const CompileUnit &Unit,
                                              Side Side,
                                              const CudaToolkit *Toolkit,
                                              StringRef ResourceDir) {
  bool IsCuda = Unit.Language == UnitLanguage::Cuda;
  std::vector<std::string> Args = {"clang++", "-fsyntax-only", "-x",
                                   IsCuda ? "cuda" : "c++"};
  Args.insert(Args.end(), {"-resource-dir", ResourceDir.str(),
                           "-working-directory=" + Unit.Directory});
  // The user's compiler warns about the user's code; here only errors count.
  Args.insert(Args.end(), {"-w", "-Qunused-arguments"});
  // What nvcc and g++ take when the command names no standard.
  if (llvm::none_of(Unit.Flags.ClangArgs,
                    [](StringRef Flag) { return Flag.starts_with("-std="); }))
    Args.push_back("-std=gnu++17");
  if (IsCuda)
    addCudaArgs(Unit, Side, Toolkit, Args);
  llvm::append_range(Args, Unit.needsToolkit() ? argsWithToolkit(Unit)
                                               : Unit.Flags.ClangArgs);
  if (Toolkit && (Unit.needsToolkit() || !IsCuda))
    addToolkitFolders(Unit, *Toolkit, Args);
  Args.insert(Args.end(), {"-idirafter", FallbackFolder.str()});
  Args.push_back(Unit.File);
  return Args;
}
