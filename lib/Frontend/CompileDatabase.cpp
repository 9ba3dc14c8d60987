//===- CompileDatabase.cpp - compile_commands.json ------------------------===//

#include "cudal1/Frontend/CompileDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace cudal1;
using llvm::SmallString;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral DatabaseName = "compile_commands.json";

static std::string absoluteIn(StringRef Directory, StringRef Name) {
  SmallString<256> Result(Name);
  if (path::is_relative(Result)) {
    Result = Directory;
    path::append(Result, Name);
  }
  path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

static std::vector<std::string> splitShellWords(StringRef Command) {
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver(Allocator);
  llvm::SmallVector<const char *, 64> Words;
  llvm::cl::TokenizeGNUCommandLine(Command, Saver, Words);
  return {Words.begin(), Words.end()};
}

static std::optional<std::vector<std::string>>
wordsOf(const llvm::json::Object &Entry) {
  if (const llvm::json::Array *Arguments = Entry.getArray("arguments")) {
    std::vector<std::string> Words;
    for (const llvm::json::Value &Argument : *Arguments) {
      std::optional<StringRef> Word = Argument.getAsString();
      if (!Word)
        return std::nullopt;
      Words.push_back(Word->str());
    }
    return Words;
  }
  if (std::optional<StringRef> Command = Entry.getString("command"))
    return splitShellWords(*Command);
  return std::nullopt;
}

/// Reads one entry; relative names in it start at \p Base.
static llvm::Expected<CompileCommand> readEntry(const llvm::json::Value &Value,
                                                StringRef Base) {
  const llvm::json::Object *Entry = Value.getAsObject();
  if (!Entry)
    return llvm::createStringError("is not an object");
  std::optional<StringRef> File = Entry->getString("file");
  if (!File || File->empty())
    return llvm::createStringError("has no \"file\"");
  std::optional<std::vector<std::string>> Words = wordsOf(*Entry);
  if (!Words || Words->empty())
    return llvm::createStringError("has neither \"command\" nor \"arguments\"");
  CompileCommand Command;
  Command.Directory =
      absoluteIn(Base, Entry->getString("directory").value_or(""));
  Command.File = absoluteIn(Command.Directory, *File);
  Command.Words = std::move(*Words);
  return Command;
}

llvm::Expected<CompileDatabase> CompileDatabase::load(StringRef Path) {
  SmallString<256> File(Path);
  if (std::error_code E = fs::make_absolute(File))
    return llvm::createStringError("cannot tell where the compile database '" +
                                   Path + "' is: " + E.message() +
                                   "; give its absolute path");
  if (fs::is_directory(File))
    path::append(File, DatabaseName);
  auto Buffer = llvm::MemoryBuffer::getFile(File, /*IsText=*/true);
  if (!Buffer)
    return llvm::createStringError(
        "cannot read the compile database '" + File.str() +
        "': " + Buffer.getError().message() +
        "; configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or give the "
        "flags after --");
  StringRef Text = (*Buffer)->getBuffer();
  Text.consume_front("\xEF\xBB\xBF");
  llvm::Expected<llvm::json::Value> Json = llvm::json::parse(Text);
  if (!Json)
    return llvm::createStringError(
        "the compile database '" + File.str() +
        "' is not JSON: " + llvm::toString(Json.takeError()));
  const llvm::json::Array *Entries = Json->getAsArray();
  if (!Entries)
    return llvm::createStringError("the compile database '" + File.str() +
                                   "' is not a list of commands");
  CompileDatabase Database;
  Database.Path = std::string(File);
  for (size_t I = 0; I < Entries->size(); ++I) {
    auto Command = readEntry((*Entries)[I], path::parent_path(File));
    if (!Command)
      return llvm::createStringError(
          "entry " + llvm::Twine(I + 1) + " of the compile database '" +
          File.str() + "' " + llvm::toString(Command.takeError()));
    Database.Commands.push_back(std::move(*Command));
  }
  return Database;
}

std::optional<std::string> CompileDatabase::findAbove(StringRef File) {
  for (StringRef Folder = path::parent_path(File); !Folder.empty();
       Folder = path::parent_path(Folder))
    for (StringRef Below : {"", "build"}) {
      SmallString<256> Candidate(Folder);
      path::append(Candidate, Below, DatabaseName);
      if (fs::exists(Candidate))
        return std::string(Candidate);
    }
  return std::nullopt;
}

std::vector<const CompileCommand *>
CompileDatabase::find(StringRef File) const {
  std::vector<const CompileCommand *> Found;
  for (const CompileCommand &Command : Commands)
    if (Command.File == File)
      Found.push_back(&Command);
  if (!Found.empty())
    return Found;
  for (const CompileCommand &Command : Commands)
    if (path::filename(Command.File) == path::filename(File) &&
        fs::equivalent(Command.File, File))
      Found.push_back(&Command);
  return Found;
}

static bool looksLikeCompiler(StringRef Word) {
  StringRef Name = path::filename(Word);
  Name.consume_back(".exe");
  // A version may follow: g++-12, clang++-22.
  StringRef Stem = Name.rtrim("0123456789.-");
  for (StringRef Compiler : {"nvcc", "clang", "clang++", "g++", "gcc", "c++",
                             "cc", "icpx", "nvc++", "hipcc"})
    if (Stem == Compiler || Stem.ends_with(("-" + Compiler).str()))
      return true;
  return false;
}

size_t cudal1::compilerIndex(llvm::ArrayRef<std::string> Words) {
  for (size_t I = 0; I < Words.size(); ++I)
    if (looksLikeCompiler(Words[I]))
      return I;
  return 0;
}
