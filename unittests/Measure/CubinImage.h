//===- CubinImage.h - Cubins for tests --------------------------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_MEASURE_CUBINIMAGE_H
#define CUDAL1_UNITTESTS_MEASURE_CUBINIMAGE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <utility>
#include <vector>

namespace cudal1 {

/// Writes a cubin as nvcc does: header, sections, section headers, and at the
/// end the program headers.
class CubinImage {
public:
  CubinImage() {
    addSection("", SHT_NULL, 0, "");
    Symbols.push_back({});
  }

  /// Returns its index.
  unsigned addSection(const std::string &Name, uint32_t Type, uint64_t Flags,
                      std::string Contents, uint32_t Link = 0,
                      uint64_t EntrySize = 0) {
    Elf64_Shdr Header = {};
    Header.sh_type = Type;
    Header.sh_flags = Flags;
    Header.sh_link = Link;
    Header.sh_entsize = EntrySize;
    Header.sh_size = Contents.size();
    Sections.push_back({Name, Header, std::move(Contents)});
    return Sections.size() - 1;
  }

  unsigned addSymbol(const std::string &Name, unsigned Type, unsigned Section,
                     uint64_t Value = 0, uint64_t Size = 0,
                     unsigned char Other = 0) {
    Elf64_Sym Symbol = {};
    Symbol.st_name = addName(Names, Name);
    Symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, Type);
    Symbol.st_other = Other;
    Symbol.st_shndx = Section;
    Symbol.st_value = Value;
    Symbol.st_size = Size;
    Symbols.push_back(Symbol);
    return Symbols.size() - 1;
  }

  /// Code, constants and attributes of a kernel with these parameters, all of
  /// which are (offset, size). Returns its symbol.
  unsigned
  addKernel(const std::string &Name, const std::string &Code,
            const std::vector<std::pair<uint16_t, uint16_t>> &Parameters = {},
            uint32_t Registers = 10) {
    unsigned Text = addSection(".text." + Name, SHT_PROGBITS,
                               SHF_ALLOC | SHF_EXECINSTR, Code);
    unsigned Kernel = addSymbol(Name, STT_FUNC, Text, 0, Code.size(), 0x10);
    addSection(".nv.constant0." + Name, SHT_PROGBITS, SHF_ALLOC,
               std::string(0x210, '\0'));
    std::string Info;
    // The last one first, as nvcc does.
    for (size_t I = Parameters.size(); I-- > 0;) {
      Info +=
          attribute(0x17, {0, uint32_t(I) | uint32_t(Parameters[I].first) << 16,
                           uint32_t(Parameters[I].second) << 18 | 0x1f000});
    }
    addSection(".nv.info." + Name, SHT_LOPROC, SHF_INFO_LINK, Info);
    Attributes += attribute(0x2f, {Kernel, Registers});
    return Kernel;
  }

  /// A variable in an own part of \p Section, which is made if need be.
  unsigned addVariable(const std::string &Name, const std::string &Section,
                       const std::string &Value) {
    size_t In = 0;
    for (size_t I = 0; I < Sections.size(); ++I)
      if (Sections[I].Name == Section)
        In = I;
    if (!In)
      In = addSection(Section, SHT_PROGBITS, SHF_ALLOC, "");
    uint64_t At = Sections[In].Contents.size();
    Sections[In].Contents += Value;
    Sections[In].Header.sh_size += Value.size();
    return addSymbol(Name, STT_OBJECT, In, At, Value.size());
  }

  void addRelocation(const std::string &Section, uint64_t Offset,
                     unsigned Symbol, int64_t Addend = 0) {
    Elf64_Rela R = {Offset, ELF64_R_INFO(uint64_t(Symbol), 2), Addend};
    addSection(".rela" + Section, SHT_RELA, 0, bytes(R), 0, sizeof(R));
  }

  std::string build(unsigned char Abi = 0x41, uint16_t Type = ET_EXEC,
                    uint16_t Machine = 190) const {
    std::vector<Section> All = Sections;
    auto Add = [&](const std::string &Name, uint32_t Kind, std::string Contents,
                   uint32_t Link, uint64_t EntrySize) {
      Elf64_Shdr Header = {};
      Header.sh_type = Kind;
      Header.sh_link = Link;
      Header.sh_entsize = EntrySize;
      Header.sh_size = Contents.size();
      All.push_back({Name, Header, std::move(Contents)});
    };
    std::string SymbolBytes;
    for (const Elf64_Sym &Symbol : Symbols)
      SymbolBytes += bytes(Symbol);
    Add(".nv.info", SHT_LOPROC, Attributes, 0, 0);
    Add(".strtab", SHT_STRTAB, Names, 0, 0);
    Add(".symtab", SHT_SYMTAB, SymbolBytes, All.size() - 1, sizeof(Elf64_Sym));
    std::string SectionNames(1, '\0');
    Add(".shstrtab", SHT_STRTAB, "", 0, 0);
    for (Section &S : All)
      S.Header.sh_name = addName(SectionNames, S.Name);
    All.back().Header.sh_size = SectionNames.size();
    All.back().Contents = SectionNames;
    return layOut(All, Abi, Type, Machine);
  }

private:
  struct Section {
    std::string Name;
    Elf64_Shdr Header;
    std::string Contents;
  };

  template <typename T> static std::string bytes(const T &Value) {
    return {reinterpret_cast<const char *>(&Value), sizeof(Value)};
  }

  static std::string attribute(unsigned char Kind,
                               const std::vector<uint32_t> &Words) {
    std::string Result = {4, static_cast<char>(Kind),
                          static_cast<char>(4 * Words.size()), 0};
    for (uint32_t Word : Words)
      Result += bytes(Word);
    return Result;
  }

  static uint32_t addName(std::string &Table, const std::string &Name) {
    uint32_t At = Table.size();
    Table += Name + '\0';
    return At;
  }

  static std::string layOut(std::vector<Section> &All, unsigned char Abi,
                            uint16_t Type, uint16_t Machine) {
    std::string Image(sizeof(Elf64_Ehdr), '\0');
    for (Section &S : All) {
      Image.resize((Image.size() + 7) / 8 * 8);
      S.Header.sh_offset = Image.size();
      if (S.Header.sh_type != SHT_NOBITS)
        Image += S.Contents;
    }
    Image.resize((Image.size() + 7) / 8 * 8);
    Elf64_Ehdr Header = {};
    std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
    Header.e_ident[EI_CLASS] = ELFCLASS64;
    Header.e_ident[EI_DATA] = ELFDATA2LSB;
    Header.e_ident[EI_VERSION] = EV_CURRENT;
    Header.e_ident[EI_OSABI] = Abi;
    Header.e_ident[EI_ABIVERSION] = 8;
    Header.e_type = Type;
    Header.e_machine = Machine;
    Header.e_version = EV_CURRENT;
    Header.e_flags = 0x6005a04;
    Header.e_ehsize = sizeof(Header);
    Header.e_shoff = Image.size();
    Header.e_shentsize = sizeof(Elf64_Shdr);
    Header.e_shnum = All.size();
    Header.e_shstrndx = All.size() - 1;
    for (const Section &S : All)
      Image += bytes(S.Header);
    Header.e_phoff = Image.size();
    Header.e_phentsize = sizeof(Elf64_Phdr);
    Header.e_phnum = 1;
    Elf64_Phdr Segment = {};
    Segment.p_type = PT_PHDR;
    Image += bytes(Segment);
    std::memcpy(Image.data(), &Header, sizeof(Header));
    return Image;
  }

  std::vector<Section> Sections;
  std::vector<Elf64_Sym> Symbols;
  std::string Names;
  std::string Attributes;
};

} // namespace cudal1

#endif // CUDAL1_UNITTESTS_MEASURE_CUBINIMAGE_H
