//===- ProgramDigest.cpp - Do two programs run the same code? -------------===//

#include "cudal1/Measure/ProgramDigest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <elf.h>

using namespace cudal1;

namespace {

/// A part of the file, empty if it is not all there.
llvm::StringRef part(llvm::StringRef File, uint64_t Offset, uint64_t Size) {
  if (Offset > File.size() || Size > File.size() - Offset)
    return {};
  return File.substr(Offset, Size);
}

/// A structure at an offset; zero if it is not all there.
template <typename T> T read(llvm::StringRef File, uint64_t Offset) {
  T Value = {};
  llvm::StringRef Bytes = part(File, Offset, sizeof(T));
  if (Bytes.size() == sizeof(T))
    std::memcpy(&Value, Bytes.begin(), sizeof(T));
  return Value;
}

} // namespace

std::optional<std::string> cudal1::programDigest(llvm::StringRef Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return std::nullopt;
  llvm::StringRef File = (*Buffer)->getBuffer();
  auto Header = read<Elf64_Ehdr>(File, 0);
  if (!File.starts_with(llvm::StringRef(ELFMAG, SELFMAG)) ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 ||
      Header.e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  // The hash of each section's place and contents, then of those hashes.
  std::string Hashes;
  for (unsigned I = 0; I < Header.e_shnum; ++I) {
    auto Section = read<Elf64_Shdr>(File, Header.e_shoff +
                                              uint64_t(I) * sizeof(Elf64_Shdr));
    bool IsLoaded = Section.sh_flags & SHF_ALLOC;
    if (!IsLoaded || Section.sh_type == SHT_NOTE)
      continue;
    llvm::StringRef Contents =
        Section.sh_type == SHT_NOBITS
            ? llvm::StringRef()
            : part(File, Section.sh_offset, Section.sh_size);
    llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(Contents.data()), Contents.size()));
    Hashes += llvm::utohexstr(Section.sh_addr) + ':' +
              llvm::utohexstr(Section.sh_size) + ':' +
              llvm::utohexstr(Hash.high64) + llvm::utohexstr(Hash.low64) + ' ';
  }
  if (Hashes.empty())
    return std::nullopt;
  llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(Hashes.data()), Hashes.size()));
  return llvm::utohexstr(Hash.high64) + llvm::utohexstr(Hash.low64);
}
