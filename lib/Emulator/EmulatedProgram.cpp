//===- EmulatedProgram.cpp - A CUDA unit as a program for the CPU ---------===//

#include "cudal1/Emulator/EmulatedProgram.h"
#include "DeviceCompiler.h"
#include "KernelTable.h"
#include "ObjectEmitter.h"
#include "OpenMpRuntime.h"
#include "cudal1/Emulator/SideCompiler.h"
#include "cudal1/Support/Process.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include <thread>

using namespace cudal1;
using namespace llvm;

namespace {
/// Keeps the errors that LLVM finds while it makes code. Its warnings are of
/// loops that it left as they are, and tell the user nothing.
class ErrorCollector : public DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &Errors) : Errors(Errors) {}

  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (Info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream OS(Errors);
    DiagnosticPrinterRawOStream Printer(OS);
    Info.print(Printer);
    OS << '\n';
    return true;
  }

private:
  std::string &Errors;
};
} // namespace

/// emitObject, and what LLVM found wrong with \p M on the way there.
static Error emitChecked(Module &M, TargetMachine &Machine,
                         const std::string &Path, const std::string &Errors) {
  if (Error E = emitObject(M, Machine, Path))
    return E;
  if (!Errors.empty())
    return createStringError("cannot make code for this machine of '" +
                             M.getModuleIdentifier() + "': " + Errors);
  return Error::success();
}

/// Compiles the device side to an object at \p Object.
static Error buildDevice(const EmulationSpec &Spec,
                         const SourceOverlay &Overlay,
                         const std::string &Object,
                         std::vector<std::string> &Unsupported) {
  std::string Errors;
  LLVMContext Context;
  Context.setDiagnosticHandler(std::make_unique<ErrorCollector>(Errors));
  Expected<std::unique_ptr<TargetMachine>> Machine = createHostMachine();
  if (!Machine)
    return Machine.takeError();
  Expected<std::unique_ptr<Module>> Device =
      compileSide(Spec.Input, Side::Device, Overlay, Context);
  if (!Device)
    return Device.takeError();
  Expected<CpuModule> Cpu = compileDevice(std::move(*Device), Spec, **Machine);
  if (!Cpu)
    return Cpu.takeError();
  Unsupported = std::move(Cpu->Unsupported);
  return emitChecked(*Cpu->Module, **Machine, Object, Errors);
}

static Error buildHost(const EmulationSpec &Spec, const SourceOverlay &Overlay,
                       const std::string &Object) {
  std::string Errors;
  LLVMContext Context;
  Context.setDiagnosticHandler(std::make_unique<ErrorCollector>(Errors));
  Expected<std::unique_ptr<TargetMachine>> Machine = createHostMachine();
  if (!Machine)
    return Machine.takeError();
  Expected<std::unique_ptr<Module>> Host =
      compileSide(Spec.Input, Side::Host, Overlay, Context);
  if (!Host)
    return Host.takeError();
  return emitChecked(**Host, **Machine, Object, Errors);
}

/// The linker's complaints in a form that names each missing function once.
static std::string describeLinkFailure(StringRef Stderr, unsigned CudaMajor) {
  if (Stderr.contains(RuntimeVersionPrefix))
    return ("the program includes the headers of CUDA " + Twine(CudaMajor) +
            ", and the emulator's runtime was built with those of another "
            "version: choose that toolkit with --cuda-path, or build "
            "libcudal1_emulator.a with this one")
        .str();
  static constexpr StringLiteral Undefined = "undefined reference to `";
  std::vector<std::string> Names;
  for (StringRef Rest = Stderr; !Rest.empty();) {
    size_t At = Rest.find(Undefined);
    if (At == StringRef::npos)
      break;
    Rest = Rest.drop_front(At + Undefined.size());
    std::string Name = Rest.take_until([](char C) { return C == '\''; }).str();
    if (!is_contained(Names, Name))
      Names.push_back(Name);
  }
  if (Names.empty())
    return Stderr.rtrim().str();
  return "not emulated: " + join(Names, ", ");
}

/// \p OpenMp: path of the runtime that host code needs, or empty.
static Error link(const EmulationSpec &Spec, ArrayRef<std::string> Objects,
                  const std::string &OpenMp, const std::string &OutputPath) {
  Command Link;
  Link.Argv = {Spec.HostCompiler, "-o", OutputPath};
  append_range(Link.Argv, Objects);
  Link.Argv.push_back(Spec.RuntimeLibrary);
  // Before the unit's own, which may be GCC's and has some of the same names.
  if (!OpenMp.empty())
    append_range(
        Link.Argv,
        ArrayRef<std::string>{
            OpenMp, "-Wl,-rpath," + sys::path::parent_path(OpenMp).str()});
  append_range(Link.Argv, Spec.LinkArgs);
  for (StringRef Flag : {"-lpthread", "-ldl", "-lm"})
    Link.Argv.push_back(Flag.str());
  Link.WorkingDirectory = Spec.Input.Directory;
  Expected<ProcessResult> Result = runCommand(Link);
  if (!Result)
    return Result.takeError();
  if (!Result->succeeded())
    return createStringError(
        "cannot link the emulated program: " +
        describeLinkFailure(Result->Stderr, Spec.CudaMajor));
  return Error::success();
}

Expected<EmulatedProgram> cudal1::buildEmulated(const EmulationSpec &Spec,
                                                const SourceOverlay &Overlay,
                                                const std::string &OutputPath) {
  std::string OpenMp;
  if (usesOpenMp(Spec.Input.HostArgs)) {
    Expected<std::string> Found =
        findOpenMpRuntime(Spec.HostCompiler, Spec.Input.HostArgs);
    if (!Found)
      return Found.takeError();
    OpenMp = std::move(*Found);
  }
  EmulatedProgram Program;
  Program.Path = OutputPath;
  std::string HostObject = OutputPath + ".host.o";
  std::string DeviceObject = OutputPath + ".device.o";
  FileRemover RemoveHost(HostObject), RemoveDevice(DeviceObject);
  std::vector<std::string> Objects = {HostObject};
  Error DeviceError = Error::success();
  std::thread DeviceThread;
  if (!Spec.Input.DeviceArgs.empty()) {
    Objects.push_back(DeviceObject);
    DeviceThread = std::thread([&] {
      ErrorAsOutParameter Checked(DeviceError);
      DeviceError =
          buildDevice(Spec, Overlay, DeviceObject, Program.Unsupported);
    });
  }
  Error HostError = buildHost(Spec, Overlay, HostObject);
  if (DeviceThread.joinable())
    DeviceThread.join();
  if (DeviceError) {
    consumeError(std::move(HostError));
    return std::move(DeviceError);
  }
  if (HostError)
    return std::move(HostError);
  if (Error E = link(Spec, Objects, OpenMp, OutputPath))
    return std::move(E);
  return Program;
}
