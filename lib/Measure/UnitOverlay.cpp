//===- UnitOverlay.cpp - A unit with some of its files changed ------------===//

#include "UnitOverlay.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace cudal1;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string cudal1::sourcesKey(llvm::ArrayRef<SourceReplacement> Sources) {
  std::string All;
  for (const SourceReplacement &Source : Sources)
    All += Source.OriginalPath + '\0' + std::to_string(Source.Text.size()) +
           '\0' + Source.Text;
  llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(All.data()), All.size()));
  return llvm::utohexstr(Hash.high64) + llvm::utohexstr(Hash.low64);
}

llvm::Error UnitOverlay::create(llvm::ArrayRef<SourceReplacement> Sources) {
  for (const SourceReplacement &Source : Sources)
    Files.replaceFile(isMainFile(Source.OriginalPath)
                          ? MainFile
                          : absolute(Source.OriginalPath),
                      Source.Text);
  return Files.create();
}

/// A path to the main file by another way would leave the main file as it is,
/// and the original would be built in the variant's name.
bool UnitOverlay::isMainFile(llvm::StringRef Path) const {
  return Path == MainFile || fs::equivalent(Path, MainFile);
}

std::string UnitOverlay::absolute(llvm::StringRef Name) const {
  llvm::SmallString<256> Path(Name);
  if (!Directory.empty())
    path::make_absolute(Directory, Path);
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

std::string UnitOverlay::mapFolder(llvm::StringRef Folder) const {
  std::string Path = absolute(Folder);
  std::string Mapped = Files.map(Path);
  return Mapped == Path ? Folder.str() : Mapped;
}

std::vector<std::string>
UnitOverlay::map(std::vector<std::string> Flags) const {
  llvm::erase_if(Flags, [&](const std::string &Flag) {
    return !llvm::StringRef(Flag).starts_with("-") &&
           absolute(Flag) == MainFile;
  });
  for (size_t I = 0; I < Flags.size(); ++I)
    for (llvm::StringRef Prefix :
         {"-I", "-isystem", "-iquote", "--include-path"}) {
      llvm::StringRef Flag = Flags[I];
      if (Flag == Prefix && I + 1 < Flags.size()) {
        Flags[I + 1] = mapFolder(Flags[I + 1]);
        ++I;
        break;
      }
      if (!Flag.consume_front(Prefix) || Flag.empty())
        continue;
      bool Equals = Flag.consume_front("=");
      Flags[I] = Prefix.str() + (Equals ? "=" : "") + mapFolder(Flag);
      break;
    }
  return Flags;
}
