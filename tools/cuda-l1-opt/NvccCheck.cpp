//===- NvccCheck.cpp - Does the user's compiler take it? ------------------===//

#include "NvccCheck.h"
#include "cudal1/Support/Process.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/Path.h"

using namespace cudal1;

/// Longest compilation; the slowest units known take 15 s.
static constexpr std::chrono::minutes CompileLimit{5};

/// The first lines of \p Text that speak of an error, or its first lines.
static std::string firstErrors(llvm::StringRef Text) {
  constexpr size_t MaxLines = 3;
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n', -1, /*KeepEmpty=*/false);
  std::string Result;
  size_t Count = 0;
  bool AnyError = llvm::any_of(
      Lines, [](llvm::StringRef L) { return L.contains("error"); });
  for (llvm::StringRef Line : Lines) {
    if (AnyError && !Line.contains("error"))
      continue;
    Result += (Result.empty() ? "" : "\n") + Line.str();
    if (++Count == MaxLines)
      break;
  }
  return Result;
}

/// Runs nvcc on \p File as the unit is compiled, to an object in \p Folder.
static llvm::Error compile(const Setup &S, const CompileUnit &Unit,
                           llvm::StringRef File, const TemporaryFolder &Folder,
                           llvm::ArrayRef<std::string> IncludeDirectories) {
  Command C;
  C.Argv.push_back(S.Toolkit->NvccPath);
  std::vector<std::string> Flags = Unit.Flags.NvccArgs;
  if (!Unit.Flags.ArchGiven)
    Flags = nvccArgsForArch(Flags, Unit.Flags.Arch);
  C.Argv.insert(C.Argv.end(), Flags.begin(), Flags.end());
  for (const std::string &Folder : IncludeDirectories)
    C.Argv.push_back("-I" + Folder);
  for (const std::string &Word : {std::string("-c"), std::string("-o"),
                                  Folder.file("unit.o"), File.str()})
    C.Argv.push_back(Word);
  C.WorkingDirectory = Unit.Directory;
  C.TimeLimit = CompileLimit;
  C.StopFlag = &S.Stop;
  llvm::Expected<ProcessResult> R = runCommand(C);
  if (!R)
    return R.takeError();
  if (R->succeeded())
    return llvm::Error::success();
  if (R->End == ProcessEnd::Stopped)
    return llvm::createStringError("interrupted before nvcc had checked it");
  return llvm::createStringError("nvcc " + R->describeEnd() + ":\n" +
                                 firstErrors(R->Stderr + R->Stdout));
}

llvm::Error cudal1::compileOriginal(const Setup &S, const CompileUnit &Unit) {
  if (!S.Toolkit || S.Toolkit->NvccPath.empty())
    return llvm::createStringError("there is no nvcc to ask whether it takes "
                                   "the file");
  auto Folder = TemporaryFolder::make();
  if (!Folder)
    return Folder.takeError();
  if (llvm::Error E = compile(S, Unit, Unit.File, *Folder, {})) {
    llvm::consumeError(std::move(E));
    return llvm::createStringError("nvcc refuses it too");
  }
  return llvm::Error::success();
}

llvm::Error cudal1::compileVariant(const Setup &S, const CompileUnit &Unit,
                                   const SourceWriter &Writer,
                                   const SourceOverlay &Texts) {
  auto Folder = TemporaryFolder::make();
  if (!Folder)
    return Folder.takeError();
  std::string File = Folder->file(llvm::sys::path::filename(Unit.File));
  llvm::Expected<SourceOutput> Output = Writer.asCopies(Texts, File);
  if (!Output)
    return Output.takeError();
  if (llvm::Error E = writeOutput(*Output))
    return E;
  return compile(S, Unit, File, *Folder, Output->IncludeDirectories);
}
