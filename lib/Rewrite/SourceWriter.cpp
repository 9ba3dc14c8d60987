//===- SourceWriter.cpp - How a Variant's texts become files --------------===//

#include "cudal1/Rewrite/SourceWriter.h"
#include "SourceLines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace clang;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace cudal1 {

static llvm::Error failure(const llvm::Twine &Sentence) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Sentence);
}

static std::string normalized(llvm::StringRef Path, llvm::StringRef Directory) {
  llvm::SmallString<256> Result(Path);
  if (!path::is_absolute(Result))
    path::make_absolute(Directory, Result);
  path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

static bool isInclude(const RawDirective &D) {
  return D.Name == "include" || D.Name == "include_next" || D.Name == "import";
}

static bool isQuoted(llvm::StringRef Directive) {
  return Directive.size() > 2 && Directive.starts_with("\"") &&
         Directive.ends_with("\"");
}

static llvm::StringRef bareName(llvm::StringRef Directive) {
  return Directive.drop_front().drop_back();
}

//===----------------------------------------------------------------------===//
// Who includes whom
//===----------------------------------------------------------------------===//

SourceWriter::SourceWriter(const Program &P) : MainFile(P.file()) {
  for (Side S : {Side::Device, Side::Host}) {
    if (!P.hasSide(S))
      continue;
    for (FileID Id : P.editableFiles(S)) {
      std::string Path = P.pathOf(S, Id);
      Originals[Path] = P.textOf(Path).str();
      IncludesOf[Path];
    }
  }
  for (Side S : {Side::Device, Side::Host})
    if (P.hasSide(S))
      readIncludes(P, S);
  resolveSkippedIncludes();
}

/// Every file of the parse knows the directive that brought it in.
void SourceWriter::readIncludes(const Program &P, Side S) {
  const SourceManager &SM = P.sources(S);
  std::map<std::string, SourceLines> Lines;
  auto Consider = [&](const SrcMgr::SLocEntry &Entry) {
    if (!Entry.isFile() || !Entry.getFile().getContentCache().OrigEntry)
      return;
    std::string Target =
        normalized(Entry.getFile().getContentCache().OrigEntry->getName(),
                   P.input().Directory);
    SourceLocation From = Entry.getFile().getIncludeLoc();
    if (Target == MainFile || !Originals.count(Target) || From.isInvalid())
      return;
    auto [Id, Offset] = SM.getDecomposedLoc(SM.getFileLoc(From));
    std::string Includer = P.pathOf(S, Id);
    auto Text = Originals.find(Includer);
    if (Text == Originals.end()) {
      ForeignIncluders[Target] = Includer;
      return;
    }
    auto It = Lines.try_emplace(Includer, Text->second).first;
    for (const RawDirective &D : It->second.directives())
      if (isInclude(D) && D.Offset <= Offset && Offset < D.End)
        IncludesOf[Includer][D.Rest.str()] = Target;
  };
  for (unsigned I = 1; I < SM.local_sloc_entry_size(); ++I)
    Consider(SM.getLocalSLocEntry(I));
  for (unsigned I = 0; I < SM.loaded_sloc_entry_size(); ++I)
    Consider(SM.getLoadedSLocEntry(I));
}

/// An include that a guard or `#pragma once` left out, or one in an inactive
/// branch, must name the same file as those that were read: as a file beside
/// the includer, or as the same words did elsewhere.
void SourceWriter::resolveSkippedIncludes() {
  std::map<std::string, std::set<std::string>> ByWords;
  for (const auto &[Includer, List] : IncludesOf)
    for (const auto &[Words, Target] : List)
      ByWords[Words].insert(Target);
  for (const auto &[Includer, Text] : Originals) {
    SourceLines Lines(Text);
    for (const RawDirective &D : Lines.directives()) {
      std::string Words = D.Rest.str();
      if (!isInclude(D) || IncludesOf[Includer].count(Words))
        continue;
      if (isQuoted(Words)) {
        std::string Beside =
            normalized(bareName(Words), path::parent_path(Includer));
        if (Originals.count(Beside)) {
          IncludesOf[Includer][Words] = Beside;
          continue;
        }
      }
      auto Same = ByWords.find(Words);
      if (Same != ByWords.end() && Same->second.size() == 1)
        IncludesOf[Includer][Words] = *Same->second.begin();
    }
  }
}

std::vector<std::string>
SourceWriter::changedFiles(const SourceOverlay &Texts) const {
  std::vector<std::string> Changed;
  for (const auto &[Path, Text] : Texts) {
    auto Original = Originals.find(Path);
    if (Original != Originals.end() && Original->second != Text)
      Changed.push_back(Path);
  }
  return Changed;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The changed headers and every header from which one of them is reached.
llvm::Expected<std::set<std::string>>
SourceWriter::filesToCopy(const std::vector<std::string> &Changed) const {
  std::set<std::string> Result;
  for (const std::string &Path : Changed)
    if (Path != MainFile)
      Result.insert(Path);
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (const auto &[Includer, List] : IncludesOf) {
      if (Includer == MainFile || Result.count(Includer))
        continue;
      if (llvm::any_of(
              List, [&](const auto &I) { return Result.count(I.second) != 0; }))
        Grew = Result.insert(Includer).second;
    }
  }
  for (const std::string &Path : Result)
    if (auto It = ForeignIncluders.find(Path); It != ForeignIncluders.end())
      return failure("cannot write a copy of " + Path + ": it is included by " +
                     (It->second.empty()
                          ? std::string("the command line (-include)")
                          : It->second) +
                     ", which is not ours to change; use --in-place");
  for (const auto &[Includer, List] : IncludesOf)
    for (const auto &[Words, Target] : List)
      if (Result.count(Target) && !llvm::StringRef("\"<").contains(Words[0]))
        return failure("cannot write a copy of " + llvm::Twine(Target) + ": " +
                       Includer + " includes it through the macro " + Words +
                       "; use --in-place");
  return Result;
}

/// `kernels.h` → `kernels.opt.h`; with a number where that name is taken.
static std::string copyName(llvm::StringRef Original,
                            llvm::function_ref<bool(llvm::StringRef)> IsTaken) {
  llvm::StringRef Stem = path::stem(Original);
  llvm::StringRef Extension = path::extension(Original);
  // A copy of a copy: kernels.opt.h gives kernels.opt2.h.
  auto [Plain, Suffix] = Stem.rsplit('.');
  if (Suffix.consume_front("opt") && llvm::all_of(Suffix, llvm::isDigit))
    Stem = Plain;
  for (unsigned Number = 1;; ++Number) {
    std::string Name = Stem.str() + ".opt" +
                       (Number > 1 ? std::to_string(Number) : std::string()) +
                       Extension.str();
    if (!IsTaken(Name))
      return Name;
  }
}

static std::string relativeTo(llvm::StringRef Directory, llvm::StringRef File) {
  auto From = path::begin(Directory), FromEnd = path::end(Directory);
  auto To = path::begin(File), ToEnd = path::end(File);
  while (From != FromEnd && To != ToEnd && *From == *To) {
    ++From;
    ++To;
  }
  llvm::SmallString<256> Result;
  for (; From != FromEnd; ++From)
    path::append(Result, "..");
  for (; To != ToEnd; ++To)
    path::append(Result, *To);
  return Result.str().str();
}

/// \p Text of \p Path with its includes naming the copies. In a header that
/// moves to the main file's directory, quoted includes of its neighbours are
/// led back to where they are.
std::string
SourceWriter::redirected(const std::string &Path, llvm::StringRef Text,
                         const std::map<std::string, std::string> &Copies,
                         bool SameDirectory) const {
  const Includes &List = IncludesOf.at(Path);
  const llvm::StringRef OldDirectory = path::parent_path(Path);
  const llvm::StringRef NewDirectory = path::parent_path(MainFile);
  std::string Result;
  size_t Done = 0;
  SourceLines Lines(Text);
  for (const RawDirective &D : Lines.directives()) {
    auto Target = isInclude(D) ? List.find(D.Rest.str()) : List.end();
    if (Target == List.end())
      continue;
    std::string Words;
    if (auto Copy = Copies.find(Target->second); Copy != Copies.end())
      Words = "\"" + Copy->second + "\"";
    else if (SameDirectory && OldDirectory != NewDirectory &&
             isQuoted(D.Rest) &&
             normalized(bareName(D.Rest), OldDirectory) == Target->second)
      Words = "\"" + relativeTo(NewDirectory, Target->second) + "\"";
    else
      continue;
    size_t Begin = D.Rest.data() - Text.data();
    Result += Text.slice(Done, Begin);
    Result += Words;
    Done = Begin + D.Rest.size();
  }
  Result += Text.substr(Done);
  return Result;
}

/// \p Path moved to another directory: what it includes beside itself is found
/// only with -I.
void SourceWriter::noteMovedIncludes(
    const std::string &Path, const std::map<std::string, std::string> &Copies,
    SourceOutput &Out) const {
  std::string Directory = path::parent_path(Path).str();
  auto IsBeside = [&](const auto &I) {
    return !Copies.count(I.second) && isQuoted(I.first) &&
           normalized(bareName(I.first), Directory) == I.second;
  };
  if (llvm::none_of(IncludesOf.at(Path), IsBeside) ||
      llvm::is_contained(Out.IncludeDirectories, Directory))
    return;
  Out.IncludeDirectories.push_back(Directory);
  Out.Notes.push_back("compile with -I " + Directory +
                      ": the output includes files from there");
}

/// The name of each header's copy beside \p OutputPath, none of \p Taken.
std::map<std::string, std::string>
SourceWriter::nameCopies(const std::set<std::string> &Headers,
                         llvm::StringRef OutputPath,
                         const std::set<std::string> &Taken) const {
  const llvm::StringRef Directory = path::parent_path(OutputPath);
  std::map<std::string, std::string> Copies;
  std::set<std::string> Names{path::filename(OutputPath).str()};
  for (const std::string &Header : Headers) {
    Copies[Header] = copyName(Header, [&](llvm::StringRef Name) {
      std::string Path = normalized(Name, Directory);
      return Names.count(Name.str()) || Originals.count(Path) ||
             Taken.count(Path);
    });
    Names.insert(Copies[Header]);
  }
  return Copies;
}

/// The main file first.
std::vector<OutputFile> SourceWriter::textsOfCopies(
    const SourceOverlay &Texts, llvm::StringRef OutputPath,
    const std::map<std::string, std::string> &Copies) const {
  const llvm::StringRef Directory = path::parent_path(OutputPath);
  const bool SameDirectory = Directory == path::parent_path(MainFile);
  auto Redirected = [&](const std::string &Path) {
    auto It = Texts.find(Path);
    return redirected(Path, It == Texts.end() ? Originals.at(Path) : It->second,
                      Copies, SameDirectory);
  };
  std::vector<OutputFile> Files;
  Files.push_back({OutputPath.str(), Redirected(MainFile), ""});
  for (const auto &[Header, Name] : Copies)
    Files.push_back({normalized(Name, Directory), Redirected(Header), ""});
  return Files;
}

llvm::Expected<SourceOutput>
SourceWriter::asCopies(const SourceOverlay &Texts, llvm::StringRef Output,
                       const SourceOverlay &Written) const {
  llvm::Expected<std::set<std::string>> Headers =
      filesToCopy(changedFiles(Texts));
  if (!Headers)
    return Headers.takeError();
  SourceOutput Out;
  if (Output == "-") {
    if (!Headers->empty())
      return failure("the rewrite changes " + *Headers->begin() +
                     " too; give -o FILE or --in-place");
    auto Main = Texts.find(MainFile);
    Out.Files.push_back(
        {"-", Main == Texts.end() ? Originals.at(MainFile) : Main->second, ""});
    return Out;
  }
  llvm::SmallString<256> Absolute(Output);
  if (std::error_code E = fs::make_absolute(Absolute))
    return failure("cannot find the current directory: " + E.message());
  const std::string OutputPath = normalized(Absolute, "/");
  if (OutputPath == MainFile || fs::equivalent(OutputPath, MainFile))
    return failure("the output " + Output +
                   " is the input itself; use --in-place to replace it");

  // Units share the copies that are alike.
  std::set<std::string> Taken;
  std::map<std::string, std::string> Copies;
  for (bool Clash = true; Clash;) {
    Clash = false;
    Copies = nameCopies(*Headers, OutputPath, Taken);
    Out.Files = textsOfCopies(Texts, OutputPath, Copies);
    for (const OutputFile &File : llvm::drop_begin(Out.Files))
      if (auto It = Written.find(File.Path);
          It != Written.end() && It->second != File.Text)
        Clash |= Taken.insert(File.Path).second;
  }
  if (path::parent_path(OutputPath) != path::parent_path(MainFile)) {
    noteMovedIncludes(MainFile, Copies, Out);
    for (const auto &[Header, Name] : Copies)
      noteMovedIncludes(Header, Copies, Out);
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

/// `file.cu.orig`, or with a number where another text has that name.
static std::string backupName(const std::string &Path, llvm::StringRef Text) {
  for (unsigned Number = 1;; ++Number) {
    std::string Name =
        Path + ".orig" + (Number > 1 ? std::to_string(Number) : std::string());
    auto Present = llvm::MemoryBuffer::getFile(Name);
    if (!Present || (*Present)->getBuffer() == Text)
      return Name;
  }
}

llvm::Expected<SourceOutput>
SourceWriter::inPlace(const SourceOverlay &Texts,
                      std::set<std::string> &BackedUp) const {
  SourceOutput Out;
  std::vector<std::string> Changed = changedFiles(Texts);
  for (const std::string &Path : Changed) {
    auto Present = llvm::MemoryBuffer::getFile(Path);
    if (!Present)
      return failure("cannot read " + Path + ": " +
                     Present.getError().message());
    if ((*Present)->getBuffer() != Originals.at(Path))
      return failure(Path + " changed on disk since it was read; nothing was "
                            "written, run again");
    OutputFile File{Path, Texts.at(Path), ""};
    if (!BackedUp.count(Path))
      File.Backup = backupName(Path, Originals.at(Path));
    if (Path == MainFile)
      Out.Files.insert(Out.Files.begin(), std::move(File));
    else
      Out.Files.push_back(std::move(File));
  }
  BackedUp.insert(Changed.begin(), Changed.end());
  return Out;
}

} // namespace cudal1
