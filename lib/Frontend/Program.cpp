//===- Program.cpp - Parsing both sides of a unit -------------------------===//

#include "cudal1/Frontend/Program.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <thread>

using namespace clang;

namespace cudal1 {

char ParseError::ID;

void ParseError::log(llvm::raw_ostream &OS) const {
  OS << "Clang cannot parse '" << File << "' ("
     << (Where == Side::Device ? "device" : "host") << " pass)";
}

std::error_code ParseError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

namespace {

/// A preamble costs one precompiled header at the first parse and saves most of
/// every later one; every unit that is rewritten is parsed again.
constexpr unsigned PreambleAfterParses = 1;

/// One side's parser with the place where its diagnostics go. The ASTUnit
/// refers to both for as long as it lives.
struct Diagnostics {
  DiagnosticOptions Options;
  std::string Text;
  llvm::raw_string_ostream OS{Text};
  IntrusiveRefCntPtr<DiagnosticsEngine> Engine;

  Diagnostics() {
    Options.ShowColors = false;
    Engine = CompilerInstance::createDiagnostics(
        *llvm::vfs::getRealFileSystem(), Options,
        new TextDiagnosticPrinter(OS, Options));
    // The driver warns before it reads -w.
    Engine->setIgnoreAllWarnings(true);
  }
};

std::vector<ASTUnit::RemappedFile> remappedFiles(const SourceOverlay &Overlay) {
  std::vector<ASTUnit::RemappedFile> Files;
  for (const auto &[Path, Text] : Overlay)
    Files.emplace_back(
        Path, llvm::MemoryBuffer::getMemBufferCopy(Text, Path).release());
  return Files;
}

/// The files on disk with the virtual ones laid over them. It has a working
/// directory of its own: Clang's driver sets it, and with getRealFileSystem
/// that would be the one of this process, for both passes and for good.
IntrusiveRefCntPtr<llvm::vfs::FileSystem>
fileSystemOf(const SourceOverlay &VirtualFiles) {
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &[Path, Text] : VirtualFiles)
    Memory->addFile(Path, /*ModificationTime=*/0,
                    llvm::MemoryBuffer::getMemBufferCopy(Text, Path));
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::createPhysicalFileSystem());
  Files->pushOverlay(std::move(Memory));
  return Files;
}

std::string resourceDirOf(const std::vector<std::string> &Args) {
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "-resource-dir")
      return Args[I + 1];
  for (StringRef Arg : Args)
    if (Arg.consume_front("-resource-dir="))
      return Arg.str();
  return "";
}

} // namespace

/// The parse of one side.
struct Program::Pass {
  Diagnostics Diags;
  std::unique_ptr<ASTUnit> Unit;
  bool Failed = false;

  void parse(const ParseInput &Input, const std::vector<std::string> &Args,
             const SourceOverlay &Overlay) {
    std::vector<const char *> Argv;
    for (const std::string &Arg : Args)
      Argv.push_back(Arg.c_str());
    // Warnings are the author's business; here only errors matter.
    Argv.push_back("-w");
    Argv.push_back("-working-directory");
    Argv.push_back(Input.Directory.c_str());
    std::string ResourceDir = resourceDirOf(Args);
    std::unique_ptr<ASTUnit> OnError;
    auto DiagOptions = std::make_shared<DiagnosticOptions>(Diags.Options);
    Unit = CreateASTUnitFromCommandLine(
        Argv.data(), Argv.data() + Argv.size(),
        std::make_shared<PCHContainerOperations>(), DiagOptions, Diags.Engine,
        ResourceDir, /*StorePreamblesInMemory=*/true,
        /*PreambleStoragePath=*/"", /*OnlyLocalDecls=*/false,
        CaptureDiagsKind::None, remappedFiles(Overlay),
        /*RemappedFilesKeepOriginalName=*/true, PreambleAfterParses,
        TU_Complete, /*CacheCodeCompletionResults=*/false,
        /*IncludeBriefCommentsInCodeCompletion=*/false,
        /*AllowPCHWithCompilerErrors=*/false, SkipFunctionBodiesScope::None,
        /*SingleFileParse=*/false, /*UserFilesAreVolatile=*/true,
        /*ForSerialization=*/false, /*RetainExcludedConditionalBlocks=*/false,
        std::nullopt, &OnError, fileSystemOf(Input.VirtualFiles));
    Failed = !Unit || Diags.Engine->hasErrorOccurred();
  }

  void reparse(const SourceOverlay &Overlay) {
    Diags.Text.clear();
    Failed = Unit->Reparse(std::make_shared<PCHContainerOperations>(),
                           remappedFiles(Overlay)) ||
             Diags.Engine->hasErrorOccurred();
  }
};

Program::Program(ParseInput Input, SourceOverlay Overlay)
    : Input(std::move(Input)), Overlay(std::move(Overlay)) {}

Program::~Program() = default;

llvm::Expected<std::unique_ptr<Program>> Program::parse(ParseInput Input,
                                                        SourceOverlay Overlay) {
  std::unique_ptr<Program> P(new Program(std::move(Input), std::move(Overlay)));
  P->HostPass = std::make_unique<Pass>();
  if (!P->Input.DeviceArgs.empty())
    P->DevicePass = std::make_unique<Pass>();
  if (llvm::Error E = P->runPasses([&](Pass &One, Side S) {
        One.parse(P->Input,
                  S == Side::Device ? P->Input.DeviceArgs : P->Input.HostArgs,
                  P->Overlay);
      }))
    return std::move(E);
  return P;
}

llvm::Error Program::reparse(SourceOverlay NewOverlay) {
  Overlay = std::move(NewOverlay);
  return runPasses([&](Pass &One, Side) { One.reparse(Overlay); });
}

llvm::Error
Program::runPasses(const std::function<void(Pass &, Side)> &RunOne) {
  if (DevicePass) {
    std::thread DeviceThread([&] { RunOne(*DevicePass, Side::Device); });
    RunOne(*HostPass, Side::Host);
    DeviceThread.join();
  } else {
    RunOne(*HostPass, Side::Host);
  }
  for (Side S : {Side::Device, Side::Host}) {
    Pass *One = S == Side::Device ? DevicePass.get() : HostPass.get();
    if (One && One->Failed)
      return llvm::make_error<ParseError>(Input.File, S, One->Diags.Text);
  }
  return llvm::Error::success();
}

bool Program::hasSide(Side S) const {
  return S == Side::Host ? HostPass != nullptr : DevicePass != nullptr;
}

ASTUnit &Program::ast(Side S) const {
  assert(hasSide(S) && "this program has no such side");
  return *(S == Side::Host ? HostPass : DevicePass)->Unit;
}

llvm::StringRef Program::textOf(llvm::StringRef AbsolutePath) const {
  std::string Path = AbsolutePath.str();
  for (const SourceOverlay *Source : {&Overlay, &Input.VirtualFiles})
    if (auto It = Source->find(Path); It != Source->end())
      return It->second;
  for (Side S : {Side::Device, Side::Host}) {
    if (!hasSide(S))
      continue;
    auto File = ast(S).getFileManager().getOptionalFileRef(Path);
    if (!File)
      continue;
    if (auto Buffer = sources(S).getMemoryBufferForFileOrNone(*File))
      return Buffer->getBuffer();
  }
  return {};
}

std::string Program::pathOf(Side S, FileID Id) const {
  OptionalFileEntryRef File = sources(S).getFileEntryRefForID(Id);
  if (!File)
    return "";
  SmallString<256> Path(File->getName());
  if (!llvm::sys::path::is_absolute(Path))
    llvm::sys::path::make_absolute(Input.Directory, Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

bool Program::isEditable(Side S, FileID Id) const {
  const SourceManager &Sources = sources(S);
  if (Id == Sources.getMainFileID())
    return true;
  std::string Path = pathOf(S, Id);
  if (Path.empty() || Input.VirtualFiles.count(Path))
    return false;
  bool Invalid = false;
  const SrcMgr::SLocEntry &Entry = Sources.getSLocEntry(Id, &Invalid);
  return !Invalid && Entry.isFile() &&
         !SrcMgr::isSystem(Entry.getFile().getFileCharacteristic());
}

std::vector<FileID> Program::editableFiles(Side S) const {
  const SourceManager &Sources = sources(S);
  std::vector<FileID> Files{Sources.getMainFileID()};
  auto Consider = [&](const SrcMgr::SLocEntry &Entry) {
    if (!Entry.isFile() ||
        SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      return;
    OptionalFileEntryRef File = Entry.getFile().getContentCache().OrigEntry;
    if (!File)
      return;
    FileID Id = Sources.translateFile(*File);
    if (Id.isValid() && !llvm::is_contained(Files, Id) && isEditable(S, Id))
      Files.push_back(Id);
  };
  for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I)
    Consider(Sources.getLocalSLocEntry(I));
  for (unsigned I = 0; I < Sources.loaded_sloc_entry_size(); ++I)
    Consider(Sources.getLoadedSLocEntry(I));
  return Files;
}

} // namespace cudal1
