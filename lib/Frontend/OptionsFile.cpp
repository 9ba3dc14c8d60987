//===- OptionsFile.cpp - Flags kept in files ------------------------------===//

#include "OptionsFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace cudal1;
using llvm::StringRef;

namespace {

using Words = std::vector<std::string>;

/// Files inside files: the names being read, outermost first.
using OpenFiles = std::vector<std::string>;

} // namespace

/// One reading: double quotes group, a backslash keeps the next character.
static Words splitOnce(StringRef Text, bool AtSpace) {
  Words Result;
  std::string Word;
  bool InWord = false, Quoted = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (AtSpace && !Quoted && llvm::isSpace(C)) {
      if (InWord)
        Result.push_back(std::move(Word));
      Word.clear();
      InWord = false;
      continue;
    }
    InWord = true;
    if (C == '"')
      Quoted = !Quoted;
    else if (C == '\\' && I + 1 < Text.size())
      Word += Text[++I];
    else
      Word += C;
  }
  if (InWord)
    Result.push_back(std::move(Word));
  return Result;
}

std::vector<std::string> cudal1::tokenizeNvccOptions(StringRef Text) {
  Words Result = splitOnce(Text, /*AtSpace=*/true);
  for (std::string &Word : Result)
    if (Words Again = splitOnce(Word, /*AtSpace=*/false); !Again.empty())
      Word = std::move(Again.front());
  return Result;
}

static std::string absoluteName(StringRef Name, StringRef Directory) {
  llvm::SmallString<256> Path(Name);
  if (llvm::sys::path::is_relative(Path) && !Directory.empty()) {
    Path = Directory;
    llvm::sys::path::append(Path, Name);
  }
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/false);
  return std::string(Path);
}

static llvm::Expected<std::string> readText(StringRef Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer)
    return llvm::createStringError(
        "cannot read options file '" + Path +
        "': " + Buffer.getError().message() +
        "; configure or build the project, which writes it");
  StringRef Text = (*Buffer)->getBuffer();
  Text.consume_front("\xEF\xBB\xBF");
  return Text.str();
}

static llvm::Error circle(const OpenFiles &Open, StringRef Path) {
  return llvm::createStringError(
      "options file '" + Path + "' includes itself (through " +
      llvm::join(Open, " -> ") + "); remove the circle");
}

/// The files named by Flags[At], if that is an options-file flag. \p Used
/// counts the words that it took.
static std::optional<StringRef>
optionsFileValue(llvm::ArrayRef<std::string> Flags, size_t At, size_t &Used) {
  StringRef Flag = Flags[At];
  for (StringRef Name :
       {"--options-file", "-options-file", "-optf", "--optf"}) {
    StringRef Rest = Flag;
    if (!Rest.consume_front(Name))
      continue;
    if (Rest.consume_front("=")) {
      Used = 1;
      return Rest;
    }
    if (Rest.empty() && At + 1 < Flags.size()) {
      Used = 2;
      return StringRef(Flags[At + 1]);
    }
  }
  return std::nullopt;
}

static llvm::Error expandNvccInto(llvm::ArrayRef<std::string> Flags,
                                  StringRef Directory, OpenFiles &Open,
                                  Words &Result) {
  for (size_t At = 0; At < Flags.size();) {
    size_t Used = 0;
    std::optional<StringRef> Value = optionsFileValue(Flags, At, Used);
    if (!Value) {
      Result.push_back(Flags[At++]);
      continue;
    }
    At += Used;
    llvm::SmallVector<StringRef, 4> Names;
    Value->split(Names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Name : Names) {
      std::string Path = absoluteName(Name, Directory);
      if (llvm::is_contained(Open, Path))
        return circle(Open, Path);
      auto Text = readText(Path);
      if (!Text)
        return Text.takeError();
      Open.push_back(Path);
      if (llvm::Error Err = expandNvccInto(tokenizeNvccOptions(*Text),
                                           Directory, Open, Result))
        return Err;
      Open.pop_back();
    }
  }
  return llvm::Error::success();
}

static llvm::Error expandAtInto(llvm::ArrayRef<std::string> Flags,
                                StringRef Directory, OpenFiles &Open,
                                Words &Result) {
  for (const std::string &Flag : Flags) {
    std::string Path = absoluteName(
        StringRef(Flag).drop_front(Flag.empty() ? 0 : 1), Directory);
    if (!StringRef(Flag).starts_with("@") || !llvm::sys::fs::exists(Path)) {
      Result.push_back(Flag);
      continue;
    }
    if (llvm::is_contained(Open, Path))
      return circle(Open, Path);
    auto Text = readText(Path);
    if (!Text)
      return Text.takeError();
    llvm::BumpPtrAllocator Allocator;
    llvm::StringSaver Saver(Allocator);
    llvm::SmallVector<const char *, 32> Tokens;
    llvm::cl::TokenizeGNUCommandLine(*Text, Saver, Tokens);
    Open.push_back(Path);
    if (llvm::Error Err = expandAtInto(Words(Tokens.begin(), Tokens.end()),
                                       Directory, Open, Result))
      return Err;
    Open.pop_back();
  }
  return llvm::Error::success();
}

llvm::Expected<Words>
cudal1::expandNvccOptionsFiles(llvm::ArrayRef<std::string> Flags,
                               StringRef Directory) {
  Words Result;
  OpenFiles Open;
  if (llvm::Error Err = expandNvccInto(Flags, Directory, Open, Result))
    return std::move(Err);
  return Result;
}

llvm::Expected<Words>
cudal1::expandResponseFiles(llvm::ArrayRef<std::string> Flags,
                            StringRef Directory) {
  Words Result;
  OpenFiles Open;
  if (llvm::Error Err = expandAtInto(Flags, Directory, Open, Result))
    return std::move(Err);
  return Result;
}
