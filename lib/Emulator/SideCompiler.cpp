//===- SideCompiler.cpp - Running Clang up to LLVM IR ---------------------===//

#include "cudal1/Emulator/SideCompiler.h"
#include "cudal1/Frontend/VirtualFiles.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

using namespace clang;

namespace cudal1 {

/// What the command of a parse lacks to generate code with.
static std::vector<std::string> argsToEmit(const ParseInput &Input, Side Side) {
  bool Device = Side == Side::Device;
  std::vector<std::string> Args;
  for (const std::string &Arg : Device ? Input.DeviceArgs : Input.HostArgs)
    if (Arg != "-fsyntax-only" && Arg != "-nocudalib")
      Args.push_back(Arg);
    else if (Arg == "-nocudalib" && Device)
      Args.push_back(Arg);
  // -O sets what Clang puts into the IR for optimisers (lifetimes, aliasing).
  Args.insert(Args.end(),
              {"-w", "-O2", "-gline-tables-only", "-ffp-contract=off",
               "-working-directory", Input.Directory});
  if (Device)
    Args.insert(Args.end(), {"-fno-fast-math", "-fno-discard-value-names",
                             "-Xclang", "-disable-llvm-passes"});
  else
    // nvcc has the host compiled without optimising unless told otherwise:
    // what a program gets away with there, it should here.
    Args.insert(Args.end(), {"-fwrapv", "-fno-strict-aliasing",
                             "-fno-delete-null-pointer-checks"});
  if (!Device && !Input.DeviceArgs.empty())
    // An empty device binary: kernels and variables are found by their names.
    Args.insert(Args.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang",
                             "/dev/null"});
  // Without a toolkit Clang takes CUDA to be of the oldest kind.
  if (llvm::is_contained(Args, "-nocudainc") ||
      llvm::is_contained(Args, "--no-offload-inc"))
    Args.insert(Args.end(), {"-Xclang", "-target-sdk-version=12.9",
                             "--cuda-feature=+ptx86"});
  return Args;
}

static void remapFiles(CompilerInvocation &Invocation,
                       const SourceOverlay &Overlay) {
  PreprocessorOptions &Options = Invocation.getPreprocessorOpts();
  Options.RemappedFilesKeepOriginalName = true;
  for (const auto &[Path, Text] : Overlay)
    Options.addRemappedFile(
        Path, llvm::MemoryBuffer::getMemBufferCopy(Text, Path).release());
}

namespace {

/// Looks for `__managed__`, which Clang ignores: the host would have a variable
/// of its own, and read what device code never wrote.
class ManagedFinder : public PPCallbacks {
public:
  ManagedFinder(const SourceManager &Sources, std::string &Place)
      : Sources(Sources), Place(Place) {}

  void MacroExpands(const Token &Name, const MacroDefinition &,
                    SourceRange Range, const MacroArgs *) override {
    if (Place.empty() && Name.getIdentifierInfo()->isStr("__managed__") &&
        !Sources.isInSystemHeader(Range.getBegin()))
      Place = Range.getBegin().printToString(Sources);
  }

private:
  const SourceManager &Sources;
  std::string &Place; ///< of the first, FILE:LINE:COLUMN
};

class EmitAction : public EmitLLVMOnlyAction {
public:
  EmitAction(llvm::LLVMContext &Context, std::string &ManagedPlace)
      : EmitLLVMOnlyAction(&Context), ManagedPlace(ManagedPlace) {}

protected:
  bool BeginSourceFileAction(CompilerInstance &Compiler) override {
    Compiler.getPreprocessor().addPPCallbacks(std::make_unique<ManagedFinder>(
        Compiler.getSourceManager(), ManagedPlace));
    return EmitLLVMOnlyAction::BeginSourceFileAction(Compiler);
  }

private:
  std::string &ManagedPlace;
};

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>>
compileSide(const ParseInput &Input, Side Side, const SourceOverlay &Overlay,
            llvm::LLVMContext &Context) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  DiagnosticOptions DiagOptions;
  DiagOptions.ShowColors = false;
  auto Files = fileSystemOf(Input.VirtualFiles);
  IntrusiveRefCntPtr<DiagnosticsEngine> Engine =
      CompilerInstance::createDiagnostics(
          *Files, DiagOptions, new TextDiagnosticPrinter(OS, DiagOptions));
  Engine->setIgnoreAllWarnings(true);

  std::vector<std::string> Args = argsToEmit(Input, Side);
  std::vector<const char *> Argv;
  Argv.reserve(Args.size());
  for (const std::string &Arg : Args)
    Argv.push_back(Arg.c_str());
  CreateInvocationOptions Options;
  Options.Diags = Engine;
  Options.VFS = Files;
  std::shared_ptr<CompilerInvocation> Invocation =
      createInvocation(Argv, Options);
  if (!Invocation || Engine->hasErrorOccurred())
    return llvm::make_error<ParseError>(Input.File, Side, Text);
  // -Wno-... also turns off what is an error unless turned off, and what the
  // parse lets pass has to pass here.
  ProcessWarningOptions(*Engine, Invocation->getDiagnosticOpts(), *Files,
                        /*ReportDiags=*/false);
  Invocation->getFrontendOpts().ProgramAction = frontend::EmitLLVMOnly;
  Invocation->getFrontendOpts().DisableFree = false;
  remapFiles(*Invocation, Overlay);

  CompilerInstance Compiler(Invocation);
  Compiler.setVirtualFileSystem(Files);
  Compiler.setDiagnostics(Engine);
  Compiler.createFileManager();
  std::string ManagedPlace;
  EmitAction Action(Context, ManagedPlace);
  if (!Compiler.ExecuteAction(Action) || Engine->hasErrorOccurred())
    return llvm::make_error<ParseError>(Input.File, Side, Text);
  if (!ManagedPlace.empty())
    return llvm::createStringError(
        ManagedPlace + ": a __managed__ variable is not emulated: allocate it "
                       "with cudaMallocManaged");
  std::unique_ptr<llvm::Module> Module = Action.takeModule();
  if (!Module)
    return llvm::make_error<ParseError>(Input.File, Side, Text);
  return Module;
}

} // namespace cudal1
