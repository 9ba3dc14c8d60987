//===- FakeCubin.h - What a "cubin" of fake-nvcc holds ----------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_FAKEGPU_FAKECUBIN_H
#define CUDAL1_UNITTESTS_FAKEGPU_FAKECUBIN_H

#include "cudal1/Measure/Cubin.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/xxhash.h"

namespace cudal1 {

/// All functions that the shared object defines count as kernels, and all
/// variables as the GPU's.
inline llvm::Expected<Cubin> readFakeCubin(llvm::StringRef Image) {
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  auto Elf = File::create(Image);
  if (!Elf)
    return Elf.takeError();
  auto Sections = Elf->sections();
  if (!Sections)
    return Sections.takeError();
  Cubin Result;
  // A kernel is its code, and the constants and first values of all.
  uint64_t Data = 0;
  for (const auto &Section : *Sections) {
    auto Name = Elf->getSectionName(Section);
    auto Bytes = Elf->getSectionContents(Section);
    if (Name && Bytes &&
        (Name->starts_with(".rodata") || Name->starts_with(".data") ||
         *Name == ".constant"))
      Data ^= llvm::xxh3_64bits(*Bytes);
    llvm::consumeError(Name.takeError());
    llvm::consumeError(Bytes.takeError());
  }
  for (const auto &Section : *Sections) {
    if (Section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    auto Symbols = Elf->symbols(&Section);
    auto Names = Elf->getStringTableForSymtab(Section);
    if (!Symbols)
      return Symbols.takeError();
    if (!Names)
      return Names.takeError();
    for (const auto &Symbol : *Symbols) {
      auto Name = Symbol.getName(*Names);
      if (!Name)
        return Name.takeError();
      if (Symbol.st_shndx == llvm::ELF::SHN_UNDEF)
        continue;
      auto In = Elf->getSection(Symbol.st_shndx);
      auto Where = In ? Elf->getSectionName(**In) : In.takeError();
      if (!Where)
        return Where.takeError();
      if (Symbol.getType() == llvm::ELF::STT_OBJECT)
        Result.Globals.push_back(
            {Name->str(), Symbol.st_size, *Where == ".constant"});
      if (Symbol.getType() != llvm::ELF::STT_FUNC)
        continue;
      auto Code = Elf->toMappedAddr(Symbol.st_value);
      if (!Code)
        return Code.takeError();
      CubinKernel Kernel;
      Kernel.Name = Name->str();
      Kernel.CodeHash = std::to_string(
          Data ^ llvm::xxh3_64bits(llvm::ArrayRef(*Code, Symbol.st_size)));
      Result.Kernels.push_back(std::move(Kernel));
    }
  }
  return Result;
}

} // namespace cudal1

#endif // CUDAL1_UNITTESTS_FAKEGPU_FAKECUBIN_H
