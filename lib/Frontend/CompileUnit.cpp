//===- CompileUnit.cpp - A source file and how it is compiled -------------===//

#include "cudal1/Frontend/CompileUnit.h"
#include "IncludeScan.h"
#include "cudal1/Frontend/BuiltinFiles.h"
#include "cudal1/Frontend/CompileDatabase.h"
#include "cudal1/Frontend/GpuArch.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using llvm::SmallString;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

llvm::Error cudal1::checkSourceFile(StringRef Path) {
  auto Fail = [&](const llvm::Twine &What) {
    return llvm::createStringError("'" + Path + "' " + What);
  };
  if (!fs::exists(Path))
    return Fail("does not exist; check the name");
  if (fs::is_directory(Path))
    return Fail("is a folder; name the source files in it");
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return Fail("cannot be read: " + Buffer.getError().message());
  StringRef Text = (*Buffer)->getBuffer();
  if (Text.trim().empty())
    return Fail("is empty: there is nothing to optimise");
  if (Text.starts_with("\xFF\xFE") || Text.starts_with("\xFE\xFF"))
    return Fail("is in UTF-16; save it as UTF-8");
  if (Text.contains('\0'))
    return Fail("is a binary file, not source text");
  return llvm::Error::success();
}

namespace {

enum class FileKind { Cuda, Cxx, Header, C, Other };

/// The database found for files without -p, with what went wrong with it.
struct Discovered {
  std::optional<CompileDatabase> Database;
  std::string Problem;
};

} // namespace

static FileKind kindOf(StringRef File) {
  StringRef Extension = path::extension(File);
  if (Extension == ".C")
    return FileKind::Cxx;
  return llvm::StringSwitch<FileKind>(Extension.lower())
      .Cases({".cu", ".cuh"}, FileKind::Cuda)
      .Cases({".cpp", ".cc", ".cxx", ".c++", ".cp"}, FileKind::Cxx)
      .Cases({".h", ".hpp", ".hh", ".hxx", ".h++", ".inl", ".inc", ".ipp",
              ".tpp", ".hu"},
             FileKind::Header)
      .Case(".c", FileKind::C)
      .Default(FileKind::Other);
}

bool cudal1::isHeaderName(StringRef File) {
  return kindOf(File) == FileKind::Header ||
         path::extension(File).lower() == ".cuh";
}

static llvm::Expected<UnitLanguage> languageOf(StringRef File,
                                               StringRef Stated) {
  if (Stated == "cuda")
    return UnitLanguage::Cuda;
  if (Stated == "c++")
    return UnitLanguage::Cxx;
  FileKind Kind = Stated.empty() ? kindOf(File) : FileKind::C;
  if (Kind == FileKind::Cuda || Kind == FileKind::Header)
    return UnitLanguage::Cuda;
  if (Kind == FileKind::Cxx)
    return UnitLanguage::Cxx;
  if (Kind == FileKind::C)
    return llvm::createStringError(
        "'" + File + "' is neither CUDA nor C++; only these are read");
  return llvm::createStringError("'" + File +
                                 "' has no extension of a CUDA or C++ file; "
                                 "state its language with `-- -x cu`");
}

class UnitResolver::Impl {
public:
  explicit Impl(const UnitOptions &Options) : Options(Options) {
    WorkingDirectory = Options.WorkingDirectory;
    if (WorkingDirectory.empty()) {
      SmallString<256> Current;
      if (!fs::current_path(Current))
        WorkingDirectory = std::string(Current);
    }
  }

  llvm::Error prepare() {
    if (Options.BuildDir && Options.Flags)
      return llvm::createStringError(
          "-p and flags after -- exclude each other; give one of them");
    if (Options.BuildDir) {
      auto Loaded = CompileDatabase::load(absolute(*Options.BuildDir));
      if (!Loaded)
        return Loaded.takeError();
      Given = std::move(*Loaded);
    }
    auto Translated = translate(dialectOfFlags(Options.ExtraArgs),
                                Options.ExtraArgs, WorkingDirectory);
    if (!Translated)
      return Translated.takeError();
    Extra = std::move(*Translated);
    return llvm::Error::success();
  }

  llvm::Expected<CompileUnit> resolve(StringRef Name) {
    std::string File = absolute(Name);
    if (llvm::Error Err = checkSourceFile(File))
      return std::move(Err);
    auto Unit = Options.Flags
                    ? fromFlags(File, *Options.Flags, "the command line")
                : Given ? fromDatabase(File, *Given)
                        : fromSurroundings(File);
    if (!Unit)
      return Unit.takeError();
    addFlags(Unit->Flags, Extra);
    if (std::optional<GpuArch> Arch = parseGpuArch(Options.ArchOverride)) {
      Unit->Flags.Arch = clangArchName(*Arch);
      Unit->Flags.ArchGiven = true;
      Unit->Flags.NvccArgs =
          nvccArgsForArch(Unit->Flags.NvccArgs, Arch->name());
    } else if (!Options.ArchOverride.empty())
      return llvm::createStringError(
          "'" + Options.ArchOverride +
          "' is no GPU architecture; expected one such as sm_90");
    return Unit;
  }

private:
  std::string absolute(StringRef Name) const {
    SmallString<256> Path(Name);
    if (path::is_relative(Path)) {
      Path = WorkingDirectory;
      path::append(Path, Name);
    }
    path::remove_dots(Path, /*remove_dot_dot=*/true);
    return std::string(Path);
  }

  llvm::Expected<TranslatedFlags> translate(CommandDialect Dialect,
                                            llvm::ArrayRef<std::string> Flags,
                                            StringRef Directory) const {
    return translateFlags(
        Dialect, Flags,
        {Directory.str(), Options.DefaultArch, Options.NativeArch});
  }

  llvm::Expected<CompileUnit> fromFlags(const std::string &File,
                                        llvm::ArrayRef<std::string> Flags,
                                        StringRef Origin) const {
    CompileUnit Unit;
    Unit.File = File;
    Unit.Directory = WorkingDirectory;
    Unit.Origin = Origin.str();
    CommandDialect Dialect = dialectOfFlags(Flags);
    Unit.FromNvcc = Dialect == CommandDialect::Mixed;
    auto Translated = translate(Dialect, Flags, Unit.Directory);
    if (!Translated)
      return Translated.takeError();
    Unit.Flags = std::move(*Translated);
    removeSource(Unit.Flags, File, Unit.Directory);
    for (const std::string &Input : Unit.Flags.Inputs)
      if (!fs::exists(absolute(Input)))
        return llvm::createStringError(
            "'" + Input + "' among the flags is neither a flag nor a file");
    auto Language = languageOf(File, Unit.Flags.Language);
    if (!Language)
      return Language.takeError();
    Unit.Language = *Language;
    return Unit;
  }

  llvm::Expected<CompileUnit> fromCommand(const std::string &File,
                                          const CompileCommand &Command,
                                          StringRef Origin) const {
    CompileUnit Unit;
    Unit.File = File;
    Unit.Directory = Command.Directory;
    Unit.OriginalCommand = Command.Words;
    Unit.Origin = Origin.str();
    size_t Compiler = compilerIndex(Command.Words);
    CommandDialect Dialect = dialectOfCompiler(Command.Words[Compiler]);
    Unit.FromNvcc = Dialect == CommandDialect::Nvcc;
    auto Translated = translate(
        Dialect, llvm::ArrayRef(Command.Words).drop_front(Compiler + 1),
        Command.Directory);
    if (!Translated)
      return llvm::createStringError(
          "the compile command of '" + Command.File +
          "': " + llvm::toString(Translated.takeError()));
    Unit.Flags = std::move(*Translated);
    removeSource(Unit.Flags, Command.File, Command.Directory);
    // A header is read in the language of the unit whose flags it takes.
    StringRef Teller = isHeaderName(File) && kindOf(File) != FileKind::Cuda
                           ? StringRef(Command.File)
                           : StringRef(File);
    auto Language = languageOf(Teller, Unit.Flags.Language);
    if (!Language)
      return Language.takeError();
    Unit.Language = *Language;
    return Unit;
  }

  /// The command's own source is not one of its other inputs.
  static void removeSource(TranslatedFlags &Flags, StringRef File,
                           StringRef Directory) {
    llvm::erase_if(Flags.Inputs, [&](const std::string &Input) {
      SmallString<256> Path(Input);
      if (path::is_relative(Path)) {
        Path = Directory;
        path::append(Path, Input);
      }
      path::remove_dots(Path, /*remove_dot_dot=*/true);
      return Path == File || fs::equivalent(Path, File);
    });
  }

  llvm::Expected<CompileUnit> fromDatabase(const std::string &File,
                                           const CompileDatabase &Database) {
    if (std::vector<const CompileCommand *> Found = Database.find(File);
        !Found.empty()) {
      auto Unit = fromCommand(File, *Found.front(), Database.path());
      if (Unit && Found.size() > 1)
        Unit->Flags.Notes.push_back(
            "the file is compiled " + std::to_string(Found.size()) +
            " times in " + Database.path() + ": read with the first command");
      return Unit;
    }
    if (isHeaderName(File))
      if (const CompileCommand *Command = commandForHeader(File, Database)) {
        auto Unit = fromCommand(File, *Command, Database.path());
        if (Unit)
          Unit->Flags.Notes.push_back(
              "the header is not compiled by itself: read with the flags of " +
              Command->File);
        return Unit;
      }
    return llvm::createStringError(
        "'" + File + "' is not in the compile database '" + Database.path() +
        "'" + (Database.commands().empty() ? " (which is empty)" : "") +
        "; build the target it belongs to, or give its flags after --");
  }

  /// A unit that includes the header; failing that, the nearest one.
  const CompileCommand *
  commandForHeader(const std::string &Header,
                   const CompileDatabase &Database) const {
    for (bool CudaFirst : {true, false})
      for (const CompileCommand &Command : Database.commands()) {
        if ((kindOf(Command.File) == FileKind::Cuda) != CudaFirst ||
            !fs::exists(Command.File))
          continue;
        auto Unit = fromCommand(Command.File, Command, "");
        if (!Unit) {
          llvm::consumeError(Unit.takeError());
          continue;
        }
        if (includesFile(
                Command.File, Header,
                includeFolders(Unit->Flags.ClangArgs, Command.Directory)))
          return &Command;
      }
    return nearestCommand(Header, Database);
  }

  /// The unit of the same name, else the one with the longest common path;
  /// CUDA before C++ in a draw.
  static const CompileCommand *nearestCommand(StringRef Header,
                                              const CompileDatabase &Database) {
    const CompileCommand *Best = nullptr;
    std::tuple<bool, size_t, bool> BestScore;
    for (const CompileCommand &Command : Database.commands()) {
      FileKind Kind = kindOf(Command.File);
      if ((Kind != FileKind::Cuda && Kind != FileKind::Cxx) ||
          !fs::exists(Command.File))
        continue;
      auto Differ = std::mismatch(Header.begin(), Header.end(),
                                  Command.File.begin(), Command.File.end());
      StringRef Common = Header.take_front(Differ.first - Header.begin());
      std::tuple<bool, size_t, bool> Score = {
          path::stem(Command.File) == path::stem(Header), Common.count('/'),
          Kind == FileKind::Cuda};
      if (!Best || Score > BestScore) {
        Best = &Command;
        BestScore = Score;
      }
    }
    return Best;
  }

  /// Neither -p nor `--`: a database above the file if it has the file, else
  /// the defaults.
  llvm::Expected<CompileUnit> fromSurroundings(const std::string &File) {
    std::string Remark;
    if (std::optional<std::string> Path = CompileDatabase::findAbove(File)) {
      Discovered &Found = discover(*Path);
      if (!Found.Problem.empty())
        Remark = Found.Problem + "; it is left out of account";
      else if (!Found.Database->find(File).empty() ||
               (isHeaderName(File) && !Found.Database->commands().empty())) {
        auto Unit = fromDatabase(File, *Found.Database);
        if (Unit)
          return Unit;
        return llvm::createStringError(
            llvm::toString(Unit.takeError()) + " (" + *Path +
            " was found above the file; `--` keeps it out)");
      } else
        Remark = *Path + " does not list the file: read with the default flags";
    }
    auto Unit = fromFlags(File, {}, "the defaults (C++17)");
    if (Unit && !Remark.empty())
      Unit->Flags.Notes.push_back(Remark);
    return Unit;
  }

  Discovered &discover(StringRef Path) {
    auto [Entry, IsNew] = Databases.try_emplace(Path);
    if (IsNew) {
      auto Loaded = CompileDatabase::load(Path);
      if (Loaded)
        Entry->second.Database = std::move(*Loaded);
      else
        Entry->second.Problem = llvm::toString(Loaded.takeError());
    }
    return Entry->second;
  }

  const UnitOptions Options;
  std::string WorkingDirectory;
  std::optional<CompileDatabase> Given;
  llvm::StringMap<Discovered> Databases;
  TranslatedFlags Extra;
};

UnitResolver::UnitResolver(std::unique_ptr<Impl> State)
    : State(std::move(State)) {}
UnitResolver::UnitResolver(UnitResolver &&) = default;
UnitResolver &UnitResolver::operator=(UnitResolver &&) = default;
UnitResolver::~UnitResolver() = default;

llvm::Expected<UnitResolver> UnitResolver::create(const UnitOptions &Options) {
  auto State = std::make_unique<Impl>(Options);
  if (llvm::Error Err = State->prepare())
    return std::move(Err);
  return UnitResolver(std::move(State));
}

llvm::Expected<CompileUnit> UnitResolver::resolve(StringRef File) {
  return State->resolve(File);
}

llvm::Expected<std::vector<CompileUnit>>
cudal1::resolveUnits(llvm::ArrayRef<std::string> Files,
                     const UnitOptions &Options) {
  auto Resolver = UnitResolver::create(Options);
  if (!Resolver)
    return Resolver.takeError();
  std::vector<CompileUnit> Units;
  for (const std::string &File : Files) {
    auto Unit = Resolver->resolve(File);
    if (!Unit)
      return Unit.takeError();
    Units.push_back(std::move(*Unit));
  }
  return Units;
}
