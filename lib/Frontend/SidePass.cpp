//===- SidePass.cpp - The parse of one side of a unit ---------------------===//

#include "SidePass.h"
#include "cudal1/Frontend/VirtualFiles.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace cudal1 {

ParseDiagnostics::ParseDiagnostics() {
  Options.ShowColors = false;
  Engine = CompilerInstance::createDiagnostics(
      *llvm::vfs::getRealFileSystem(), Options,
      new TextDiagnosticPrinter(OS, Options));
  // The driver warns before it reads -w.
  Engine->setIgnoreAllWarnings(true);
}

static std::string resourceDirOf(const std::vector<std::string> &Args) {
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "-resource-dir")
      return Args[I + 1];
  for (StringRef Arg : Args)
    if (Arg.consume_front("-resource-dir="))
      return Arg.str();
  return "";
}

SidePass::SidePass(const ParseInput &Input,
                   const std::vector<std::string> &Args)
    : File(Input.File), Directory(Input.Directory),
      Files(fileSystemOf(Input.VirtualFiles)),
      Containers(std::make_shared<PCHContainerOperations>()),
      Diags(std::make_unique<ParseDiagnostics>()) {
  std::vector<const char *> Argv;
  Argv.reserve(Args.size() + 3);
  for (const std::string &Arg : Args)
    Argv.push_back(Arg.c_str());
  // Warnings are the author's business; here only errors matter.
  Argv.insert(Argv.end(), {"-w", "-working-directory", Directory.c_str()});
  CreateInvocationOptions Options;
  Options.Diags = Diags->Engine;
  Options.VFS = Files;
  Base = clang::createInvocation(Argv, std::move(Options));
  if (!Base)
    return;
  Base->getHeaderSearchOpts().ResourceDir = resourceDirOf(Args);
  // The driver takes it that the process ends after one parse.
  Base->getFrontendOpts().DisableFree = false;
}

unsigned SidePass::keptBytes() const {
  return Preamble ? Preamble->getBounds().Size : 0;
}

std::unique_ptr<llvm::MemoryBuffer>
SidePass::mainText(const SourceOverlay &Overlay) const {
  if (auto It = Overlay.find(File); It != Overlay.end())
    return llvm::MemoryBuffer::getMemBufferCopy(It->second, File);
  auto OnDisk = Files->getBufferForFile(File);
  return OnDisk ? std::move(*OnDisk) : nullptr;
}

/// The command with the texts of \p Overlay but the main file's. Whoever parses
/// with it owns the texts.
std::shared_ptr<CompilerInvocation>
SidePass::invocationFor(const SourceOverlay &Overlay) const {
  auto Invocation = std::make_shared<CompilerInvocation>(*Base);
  PreprocessorOptions &Options = Invocation->getPreprocessorOpts();
  Options.RemappedFilesKeepOriginalName = true;
  Options.RetainRemappedFileBuffers = true;
  for (const auto &[Path, Text] : Overlay)
    if (Path != File)
      Options.addRemappedFile(
          Path, llvm::MemoryBuffer::getMemBufferCopy(Text, Path).release());
  return Invocation;
}

/// The files whose text is not the same in both.
static std::set<std::string> changedFiles(const SourceOverlay &A,
                                          const SourceOverlay &B) {
  std::set<std::string> Changed;
  for (const auto &[Some, Other] : {std::pair(&A, &B), std::pair(&B, &A)})
    for (const auto &[Path, Text] : *Some)
      if (auto It = Other->find(Path); It == Other->end() || It->second != Text)
        Changed.insert(Path);
  return Changed;
}

bool SidePass::readsFrom(const SrcMgr::SLocEntry &Entry,
                         const std::set<std::string> &Paths) const {
  if (!Entry.isFile())
    return false;
  OptionalFileEntryRef Read = Entry.getFile().getContentCache().OrigEntry;
  if (!Read)
    return false;
  SmallString<256> Path(Read->getName());
  if (!llvm::sys::path::is_absolute(Path))
    llvm::sys::path::make_absolute(Directory, Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Paths.count(Path.str().str());
}

/// Where the main file includes the file of \p Entry, itself or through other
/// headers: the start of that line, in bytes.
static std::optional<unsigned> includeInMain(const SourceManager &Sources,
                                             const SrcMgr::SLocEntry &Entry) {
  SourceLocation Include = Entry.getFile().getIncludeLoc();
  while (Include.isValid()) {
    auto [Id, Offset] = Sources.getDecomposedExpansionLoc(Include);
    if (Id == Sources.getMainFileID() || Id == Sources.getPreambleFileID()) {
      StringRef Text = Sources.getBufferData(Id).take_front(Offset);
      return Text.rfind('\n') + 1; // npos + 1 is 0
    }
    Include = Sources.getIncludeLoc(Id);
  }
  return std::nullopt;
}

/// Headers that change with \p Next are kept out from now on.
void SidePass::shortenPreamble(const SourceOverlay &Next) {
  if (!Unit || !Preamble)
    return;
  std::set<std::string> Changed = changedFiles(Parsed, Next);
  Changed.erase(File);
  if (Changed.empty())
    return;
  const SourceManager &Sources = Unit->getSourceManager();
  auto Consider = [&](const SrcMgr::SLocEntry &Entry) {
    if (readsFrom(Entry, Changed))
      if (auto Offset = includeInMain(Sources, Entry))
        LongestPreamble = std::min(LongestPreamble, *Offset);
  };
  for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I)
    Consider(Sources.getLocalSLocEntry(I));
  for (unsigned I = 0; I < Sources.loaded_sloc_entry_size(); ++I)
    Consider(Sources.getLoadedSLocEntry(I));
}

/// Makes the preamble unless the one that is there still fits. None is left
/// when it has errors: these are for the parse itself to tell.
void SidePass::updatePreamble(const CompilerInvocation &Invocation,
                              const llvm::MemoryBuffer &Main) {
  PreambleBounds Bounds =
      ComputePreambleBounds(Invocation.getLangOpts(), Main, /*MaxLines=*/0);
  if (Bounds.Size > LongestPreamble)
    Bounds =
        PreambleBounds(LongestPreamble, /*PreambleEndsAtStartOfLine=*/true);
  if (Preamble && Preamble->CanReuse(Invocation, Main, Bounds, *Files))
    return;
  Preamble.reset();
  if (!Bounds.Size)
    return;
  ++PreamblesBuilt;
  ParseDiagnostics Own;
  PreambleCallbacks Callbacks;
  auto Built = PrecompiledPreamble::Build(
      Invocation, &Main, Bounds, Own.Engine, Files, Containers,
      /*StoreInMemory=*/true, /*StoragePath=*/"", Callbacks);
  if (Built && !Own.Engine->hasErrorOccurred())
    Preamble.emplace(std::move(*Built));
}

bool SidePass::parse(const SourceOverlay &Overlay) {
  if (!Base)
    return false; // the diagnostics are the driver's
  shortenPreamble(Overlay);
  Unit.reset();
  Diags = std::make_unique<ParseDiagnostics>();
  Parsed = Overlay;
  std::shared_ptr<CompilerInvocation> Invocation = invocationFor(Overlay);
  std::unique_ptr<llvm::MemoryBuffer> Main = mainText(Overlay);
  IntrusiveRefCntPtr<llvm::vfs::FileSystem> Seen = Files;
  if (Main) {
    updatePreamble(*Invocation, *Main);
    if (Preamble)
      Preamble->AddImplicitPreamble(*Invocation, Seen, Main.release());
    else
      Invocation->getPreprocessorOpts().addRemappedFile(File, Main.release());
  }
  ProcessWarningOptions(*Diags->Engine, Invocation->getDiagnosticOpts(),
                        *Files);
  auto Manager = llvm::makeIntrusiveRefCnt<FileManager>(
      Invocation->getFileSystemOpts(), Seen);
  Unit = ASTUnit::LoadFromCompilerInvocation(
      Invocation, Containers,
      std::make_shared<DiagnosticOptions>(Diags->Options), Diags->Engine,
      std::move(Manager), /*OnlyLocalDecls=*/false, CaptureDiagsKind::None,
      /*PrecompilePreambleAfterNParses=*/0, TU_Complete,
      /*CacheCodeCompletionResults=*/false,
      /*IncludeBriefCommentsInCodeCompletion=*/false,
      /*UserFilesAreVolatile=*/true);
  return Unit && !Diags->Engine->hasErrorOccurred();
}

} // namespace cudal1
