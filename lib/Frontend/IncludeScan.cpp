//===- IncludeScan.cpp - Which files a unit includes ----------------------===//

#include "IncludeScan.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using llvm::SmallString;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Files read for one unit at most: a bound on time for huge projects. System
/// headers are not followed, so that real units stay far below it.
static constexpr unsigned MaxFiles = 4000;

static std::string absoluteIn(StringRef Directory, StringRef Name) {
  SmallString<256> Result(Name);
  if (path::is_relative(Result)) {
    Result = Directory;
    path::append(Result, Name);
  }
  path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

std::vector<std::string>
cudal1::includeFolders(llvm::ArrayRef<std::string> ClangArgs,
                       StringRef Directory) {
  std::vector<std::string> Folders;
  for (size_t I = 0; I < ClangArgs.size(); ++I) {
    StringRef Flag = ClangArgs[I];
    for (StringRef Name : {"-I", "-isystem", "-iquote", "-idirafter"}) {
      StringRef Value = Flag;
      if (!Value.consume_front(Name))
        continue;
      if (Value.empty() && I + 1 < ClangArgs.size())
        Value = ClangArgs[++I];
      if (!Value.empty())
        Folders.push_back(absoluteIn(Directory, Value));
      break;
    }
  }
  return Folders;
}

/// The name in `#include "name"` or `#include <name>`, else empty.
static StringRef includedName(StringRef Line) {
  Line = Line.ltrim();
  if (!Line.consume_front("#"))
    return {};
  Line = Line.ltrim();
  if (!Line.consume_front("include"))
    return {};
  Line = Line.ltrim();
  if (Line.consume_front("\""))
    return Line.take_until([](char C) { return C == '"'; });
  if (Line.consume_front("<"))
    return Line.take_until([](char C) { return C == '>'; });
  return {};
}

bool cudal1::includesFile(StringRef Unit, StringRef Header,
                          llvm::ArrayRef<std::string> Folders) {
  llvm::StringSet<> Seen;
  std::vector<std::string> Work = {Unit.str()};
  Seen.insert(Unit);
  while (!Work.empty() && Seen.size() <= MaxFiles) {
    std::string File = std::move(Work.back());
    Work.pop_back();
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    if (!Buffer)
      continue;
    llvm::SmallVector<StringRef, 0> Lines;
    (*Buffer)->getBuffer().split(Lines, '\n');
    for (StringRef Line : Lines) {
      StringRef Name = includedName(Line);
      if (Name.empty())
        continue;
      std::vector<std::string> Candidates = {
          absoluteIn(path::parent_path(File), Name)};
      for (const std::string &Folder : Folders)
        Candidates.push_back(absoluteIn(Folder, Name));
      for (std::string &Candidate : Candidates) {
        if (!fs::is_regular_file(Candidate))
          continue;
        if (Candidate == Header ||
            (path::filename(Candidate) == path::filename(Header) &&
             fs::equivalent(Candidate, Header)))
          return true;
        if (Seen.insert(Candidate).second)
          Work.push_back(std::move(Candidate));
        break;
      }
    }
  }
  return false;
}
