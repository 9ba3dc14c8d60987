//===- Cubin.cpp - What a cubin holds -------------------------------------===//

#include "cudal1/Measure/Cubin.h"
#include "CubinAttributes.h"
#include "cudal1/Support/KernelNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/xxhash.h"

using namespace cudal1;
using llvm::StringRef;
using llvm::object::ELF64LE;
using File = llvm::object::ELFFile<ELF64LE>;
using Section = File::Elf_Shdr;
using Symbol = File::Elf_Sym;

namespace {

/// EI_OSABI of cubins before and since CUDA 12.9's ABI 8.
constexpr uint8_t OldAbi = 0x33, NewAbi = 0x41;
/// In the `st_other` of a kernel's symbol (STO_CUDA_ENTRY).
constexpr uint8_t KernelFlag = 0x10;
/// The symbol type of variables in relocatable code (STT_CUDA_OBJECT).
constexpr unsigned CudaObject = 13;
/// The upper bits of a code section's `sh_info` were its registers.
constexpr unsigned InfoRegistersShift = 24;

/// Relocations of code by the halves of an address (R_CUDA_ABS32_LO_32 and
/// …HI).
constexpr uint32_t LowHalf = 0x38, HighHalf = 0x39;

/// What stands before the name of the kernel that owns a section.
constexpr llvm::StringLiteral OwnedPrefixes[] = {
    ".text.", ".nv.info.", ".nv.shared.", ".nv.local.", ".nv.capmerc.text."};
constexpr llvm::StringLiteral ConstantPrefix = ".nv.constant";

/// How its own name reads in a kernel's hash.
constexpr llvm::StringLiteral Self = "$self";

llvm::Error broken(const llvm::Twine &What) {
  return llvm::createStringError("cannot read the cubin: " + What);
}

StringRef toRef(llvm::ArrayRef<uint8_t> Bytes) {
  return {reinterpret_cast<const char *>(Bytes.data()), Bytes.size()};
}

std::string hashOf(StringRef Bytes) {
  llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(
      llvm::ArrayRef(Bytes.bytes_begin(), Bytes.bytes_end()));
  return llvm::utohexstr(Hash.high64, /*LowerCase=*/true, /*Width=*/16) +
         llvm::utohexstr(Hash.low64, /*LowerCase=*/true, /*Width=*/16);
}

/// Text to be hashed: every field with its size, so that no two lists of
/// fields read the same.
class Fields {
public:
  Fields &add(StringRef Bytes) {
    All += std::to_string(Bytes.size()) + ':';
    All += Bytes;
    return *this;
  }
  Fields &add(uint64_t Number) { return add(std::to_string(Number)); }
  StringRef all() const { return All; }

private:
  std::string All;
};

/// What neither runs nor changes what runs: names, debug information, notes of
/// the tools, who calls whom (indices of symbols), and what the code of newer
/// architectures was made from.
bool isLeftOut(const Section &S, StringRef Name) {
  return S.sh_type == llvm::ELF::SHT_NULL ||
         S.sh_type == llvm::ELF::SHT_SYMTAB ||
         S.sh_type == llvm::ELF::SHT_STRTAB ||
         S.sh_type == llvm::ELF::SHT_NOTE || Name.contains("debug_") ||
         Name.starts_with(".nv.callgraph") ||
         Name.starts_with(".nv.prototype") || Name.starts_with(".nv.merc.");
}

/// `.rela.text.K` is of `.text.K`.
StringRef withoutRelocationPrefix(StringRef Name) {
  if (!Name.consume_front(".rela"))
    Name.consume_front(".rel");
  return Name;
}

/// The function that a section belongs to, by its name; empty if to none.
StringRef ownerOf(StringRef SectionName) {
  StringRef Name = withoutRelocationPrefix(SectionName);
  for (StringRef Prefix : OwnedPrefixes)
    if (Name.consume_front(Prefix))
      return Name;
  // .nv.constant2.K, but .nv.constant3 alone.
  if (!Name.consume_front(ConstantPrefix))
    return {};
  return Name.split('.').second;
}

class Reader {
public:
  explicit Reader(const File &Elf) : Elf(Elf) {}

  llvm::Error load();
  Cubin read();

private:
  struct NamedSection {
    const Section *Header;
    StringRef Name;
    StringRef Contents; ///< empty for one without bits in the file
  };
  struct NamedSymbol {
    const Symbol *Entry;
    StringRef Name;
    const NamedSection *In; ///< null if undefined or absolute
  };
  using Relocation = std::pair<const Section *, StringRef>;

  llvm::Error loadSymbols(const NamedSection &Table);
  bool isKernel(const NamedSymbol &S) const {
    return S.Entry->getType() == llvm::ELF::STT_FUNC &&
           (S.Entry->st_other & KernelFlag) && S.In;
  }
  static bool isVariable(const NamedSymbol &S) {
    unsigned Type = S.Entry->getType();
    return (Type == llvm::ELF::STT_OBJECT || Type == CudaObject) && S.In &&
           !(S.In->Header->sh_flags & llvm::ELF::SHF_EXECINSTR);
  }
  void readParameters(CubinKernel &K) const;
  bool takesFunctionAddress(const NamedSection &Relocations) const;
  std::string codeHash(StringRef Kernel) const;

  bool isAnothers(StringRef SectionName, StringRef Kernel) const {
    StringRef Owner = ownerOf(SectionName);
    return Owner != Kernel && Kernels.contains(Owner);
  }
  static std::string stable(StringRef Name, StringRef Kernel);
  std::string symbolText(uint64_t Index, StringRef Kernel) const;
  void addAttributes(Fields &F, const NamedSection &S, StringRef Kernel) const;
  template <typename Entry>
  void addRelocations(Fields &F, const NamedSection &S, StringRef Kernel) const;
  void addVariables(Fields &F, StringRef Kernel) const;

  const File &Elf;
  std::vector<NamedSection> Sections;
  std::vector<NamedSymbol> Symbols;
  llvm::StringSet<> Kernels;
};

} // namespace

llvm::Error Reader::load() {
  auto Headers = Elf.sections();
  if (!Headers)
    return Headers.takeError();
  auto Segments = Elf.program_headers();
  if (!Segments)
    return Segments.takeError();
  for (const Section &S : *Headers) {
    auto Name = Elf.getSectionName(S);
    if (!Name)
      return Name.takeError();
    StringRef Contents;
    if (S.sh_type != llvm::ELF::SHT_NOBITS &&
        S.sh_type != llvm::ELF::SHT_NULL) {
      auto Bytes = Elf.getSectionContents(S);
      if (!Bytes)
        return Bytes.takeError();
      Contents = toRef(*Bytes);
    }
    Sections.push_back({&S, *Name, Contents});
  }
  for (const NamedSection &S : Sections)
    if (S.Header->sh_type == llvm::ELF::SHT_SYMTAB)
      return loadSymbols(S);
  return broken("it has no symbols");
}

llvm::Error Reader::loadSymbols(const NamedSection &Table) {
  auto Entries = Elf.symbols(Table.Header);
  if (!Entries)
    return Entries.takeError();
  auto Strings = Elf.getStringTableForSymtab(*Table.Header);
  if (!Strings)
    return Strings.takeError();
  for (const Symbol &Entry : *Entries) {
    auto Name = Entry.getName(*Strings);
    if (!Name)
      return Name.takeError();
    bool IsInSection = Entry.st_shndx != llvm::ELF::SHN_UNDEF &&
                       Entry.st_shndx < Sections.size();
    Symbols.push_back(
        {&Entry, *Name, IsInSection ? &Sections[Entry.st_shndx] : nullptr});
    if (isKernel(Symbols.back()))
      Kernels.insert(*Name);
  }
  return llvm::Error::success();
}

/// A name as it is, but for file hashes and the kernel's own name.
std::string Reader::stable(StringRef Name, StringRef Kernel) {
  if (Name == Kernel)
    return Self.str();
  // A function's copy for one kernel is `$KERNEL$FUNCTION`.
  StringRef Rest = Name;
  if (Rest.consume_front("$") && Rest.consume_front(Kernel) &&
      Rest.consume_front("$"))
    return ("$" + Self + "$" + withoutFileHashes(Rest)).str();
  StringRef Owner = ownerOf(Name);
  if (!Owner.empty() && Owner == Kernel)
    return Name.drop_back(Owner.size()).str() + Self.str();
  return withoutFileHashes(Name);
}

std::string Reader::symbolText(uint64_t Index, StringRef Kernel) const {
  if (Index >= Symbols.size())
    return "#" + std::to_string(Index);
  const NamedSymbol &S = Symbols[Index];
  Fields Text;
  Text.add(S.Entry->getType());
  if (S.Entry->getType() == llvm::ELF::STT_SECTION && S.In)
    return Text.add(stable(S.In->Name, Kernel)).all().str();
  Text.add(stable(S.Name, Kernel));
  if (S.In)
    Text.add(stable(S.In->Name, Kernel)).add(S.Entry->st_value);
  return Text.all().str();
}

void Reader::addAttributes(Fields &F, const NamedSection &S,
                           StringRef Kernel) const {
  auto Attributes = readAttributes(S.Contents);
  if (!Attributes) {
    F.add(S.Contents);
    return;
  }
  for (const CubinAttribute &A : *Attributes) {
    size_t Count = A.symbolCount();
    auto NameOf = [&](size_t I) {
      uint32_t Index = *A.word(I);
      return Index < Symbols.size() ? Symbols[Index].Name : StringRef();
    };
    // The cubin's own section tells the registers of every kernel.
    if (Count == 1 && NameOf(0) != Kernel && Kernels.contains(NameOf(0)))
      continue;
    F.add(A.Format).add(static_cast<uint64_t>(A.Kind)).add(A.Value);
    for (size_t I = 0; I < Count; ++I)
      F.add(symbolText(*A.word(I), Kernel));
    F.add(A.Data.drop_front(Count * sizeof(uint32_t)));
  }
}

template <typename Entry>
void Reader::addRelocations(Fields &F, const NamedSection &S,
                            StringRef Kernel) const {
  for (size_t At = 0; At + sizeof(Entry) <= S.Contents.size();
       At += sizeof(Entry)) {
    Entry R;
    std::memcpy(&R, S.Contents.data() + At, sizeof(Entry));
    F.add(R.r_offset).add(R.getType(/*isMips64EL=*/false));
    F.add(symbolText(R.getSymbol(/*isMips64EL=*/false), Kernel));
    if constexpr (std::is_same_v<Entry, File::Elf_Rela>)
      F.add(static_cast<uint64_t>(int64_t(R.r_addend)));
  }
  F.add(S.Contents.take_back(S.Contents.size() % sizeof(Entry)));
}

/// Where the variables are: code reaches some by their offset in a bank.
void Reader::addVariables(Fields &F, StringRef Kernel) const {
  for (const NamedSymbol &S : Symbols)
    if (isVariable(S) && !isAnothers(S.In->Name, Kernel))
      F.add(stable(S.Name, Kernel))
          .add(stable(S.In->Name, Kernel))
          .add(S.Entry->st_value)
          .add(S.Entry->st_size)
          .add(S.Entry->st_other);
}

std::string Reader::codeHash(StringRef Kernel) const {
  Fields F;
  const auto &Header = Elf.getHeader();
  F.add(Header.e_ident[llvm::ELF::EI_OSABI])
      .add(Header.e_ident[llvm::ELF::EI_ABIVERSION])
      .add(Header.e_flags);
  for (const NamedSection &S : Sections) {
    if (isLeftOut(*S.Header, S.Name) || isAnothers(S.Name, Kernel))
      continue;
    F.add(stable(S.Name, Kernel)).add(S.Header->sh_type);
    F.add(S.Header->sh_flags).add(S.Header->sh_size);
    if (S.Header->sh_flags & llvm::ELF::SHF_EXECINSTR)
      F.add(S.Header->sh_info >> InfoRegistersShift);
    if (S.Header->sh_type == llvm::ELF::SHT_RELA)
      addRelocations<File::Elf_Rela>(F, S, Kernel);
    else if (S.Header->sh_type == llvm::ELF::SHT_REL)
      addRelocations<File::Elf_Rel>(F, S, Kernel);
    else if (S.Name.starts_with(".nv.info"))
      addAttributes(F, S, Kernel);
    else
      F.add(S.Contents);
  }
  addVariables(F, Kernel);
  return hashOf(F.all());
}

void Reader::readParameters(CubinKernel &K) const {
  std::vector<CubinParameter> Found;
  for (const NamedSection &S : Sections) {
    if (!S.Name.starts_with(".nv.info"))
      continue;
    auto Attributes = readAttributes(S.Contents);
    if (!Attributes)
      continue;
    for (const CubinAttribute &A : *Attributes) {
      std::optional<CubinParameter> P = parameterOf(A);
      if (P && ownerOf(S.Name) == K.Name)
        Found.push_back(*P);
      if (A.Kind == CubinAttributeKind::RegisterCount && A.symbolCount() &&
          *A.word(0) < Symbols.size() && Symbols[*A.word(0)].Name == K.Name)
        K.Registers = *A.word(1);
    }
  }
  llvm::sort(Found, [](const CubinParameter &A, const CubinParameter &B) {
    return A.Ordinal < B.Ordinal;
  });
  for (size_t I = 0; I < Found.size(); ++I)
    if (Found[I].Ordinal != I)
      return;
  for (const CubinParameter &P : Found) {
    K.ParameterOffsets.push_back(P.Offset);
    K.ParameterSizes.push_back(P.Size);
  }
}

/// Data that holds the address of a function, or code that makes one.
bool Reader::takesFunctionAddress(const NamedSection &Relocations) const {
  if (Relocations.Header->sh_type != llvm::ELF::SHT_RELA ||
      isLeftOut(*Relocations.Header, Relocations.Name))
    return false;
  StringRef Name = withoutRelocationPrefix(Relocations.Name);
  bool IsCode = Name.consume_front(".text.");
  for (size_t At = 0;
       At + sizeof(File::Elf_Rela) <= Relocations.Contents.size();
       At += sizeof(File::Elf_Rela)) {
    File::Elf_Rela R;
    std::memcpy(&R, Relocations.Contents.data() + At, sizeof(R));
    uint32_t Type = R.getType(/*isMips64EL=*/false);
    size_t Symbol = R.getSymbol(/*isMips64EL=*/false);
    if (Symbol >= Symbols.size() ||
        Symbols[Symbol].Entry->getType() != llvm::ELF::STT_FUNC ||
        !Symbols[Symbol].In)
      continue;
    // Code knows where it is itself, to return to; and it calls.
    bool IsOwn = Name == Symbols[Symbol].Name;
    if (!IsCode || (!IsOwn && (Type == LowHalf || Type == HighHalf)))
      return true;
  }
  return false;
}

Cubin Reader::read() {
  Cubin Result;
  Result.TakesFunctionAddresses = llvm::any_of(
      Sections, [&](const NamedSection &S) { return takesFunctionAddress(S); });
  Result.UsesDeviceHeap = llvm::any_of(Symbols, [](const NamedSymbol &S) {
    return !S.In && (S.Name == "malloc" || S.Name == "free");
  });
  for (const NamedSymbol &S : Symbols) {
    if (isKernel(S)) {
      CubinKernel K;
      K.Name = S.Name.str();
      K.CodeHash = codeHash(S.Name);
      K.InstructionsHash = hashOf(S.In->Contents);
      readParameters(K);
      Result.Kernels.push_back(std::move(K));
    } else if (isVariable(S) &&
               (S.In->Name.starts_with(".nv.global") ||
                S.In->Name.starts_with(ConstantPrefix)) &&
               !Kernels.contains(ownerOf(S.In->Name))) {
      Result.Globals.push_back({S.Name.str(), S.Entry->st_size,
                                S.In->Name.starts_with(ConstantPrefix)});
    }
  }
  return Result;
}

llvm::Expected<Cubin> cudal1::readCubin(StringRef Image) {
  auto Elf = File::create(Image);
  if (!Elf)
    return broken(llvm::toString(Elf.takeError()));
  const auto &Header = Elf->getHeader();
  uint8_t Abi = Header.e_ident[llvm::ELF::EI_OSABI];
  if (!Header.checkMagic() || Header.getFileClass() != llvm::ELF::ELFCLASS64 ||
      Header.getDataEncoding() != llvm::ELF::ELFDATA2LSB ||
      Header.e_machine != llvm::ELF::EM_CUDA ||
      (Abi != OldAbi && Abi != NewAbi))
    return broken("it is no machine code of an NVIDIA GPU");
  if (Header.e_type == llvm::ELF::ET_REL)
    return broken("it is relocatable device code, which is to be linked first");
  Reader R(*Elf);
  if (llvm::Error E = R.load())
    return broken(llvm::toString(std::move(E)));
  return R.read();
}

/// The only entry of which \p IsIt is true.
template <typename Entry, typename Predicate>
static std::optional<size_t> onlyOne(const std::vector<Entry> &Entries,
                                     Predicate IsIt) {
  std::optional<size_t> Found;
  for (size_t I = 0; I < Entries.size(); ++I) {
    if (!IsIt(Entries[I].Name))
      continue;
    if (Found)
      return std::nullopt;
    Found = I;
  }
  return Found;
}

/// By the name itself, else without file hashes.
template <typename Entry>
static std::optional<size_t> findByName(const std::vector<Entry> &Entries,
                                        StringRef MangledName) {
  if (auto Exact =
          onlyOne(Entries, [&](StringRef Name) { return Name == MangledName; }))
    return Exact;
  std::string Stable = withoutFileHashes(MangledName);
  return onlyOne(Entries, [&](StringRef Name) {
    return withoutFileHashes(Name) == Stable;
  });
}

std::optional<size_t> cudal1::findKernel(const Cubin &C,
                                         StringRef MangledName) {
  if (auto Found = findByName(C.Kernels, MangledName))
    return Found;
  return onlyOne(C.Kernels, [&](StringRef Name) {
    return isSameKernel(Name, MangledName);
  });
}

std::optional<size_t> cudal1::findGlobal(const Cubin &C,
                                         StringRef MangledName) {
  return findByName(C.Globals, MangledName);
}

void cudal1::adoptFileHashes(Cubin &C, llvm::StringRef Program) {
  constexpr llvm::StringLiteral Marks[] = {"_GLOBAL__N__", "_INTERNAL_"};
  // By the name without hashes; empty for one that two files have.
  llvm::StringMap<std::string> Names;
  for (llvm::StringRef Mark : Marks)
    for (size_t At = 0; (At = Program.find(Mark, At)) != llvm::StringRef::npos;
         At += Mark.size()) {
      // Names stand as C strings in the registration with the runtime.
      size_t Begin = Program.rfind('\0', At) + 1;
      llvm::StringRef Name = Program.slice(Begin, Program.find('\0', At));
      if (!Name.starts_with("_Z"))
        continue;
      auto [Entry, New] =
          Names.try_emplace(withoutFileHashes(Name), Name.str());
      if (!New && Entry->second != Name)
        Entry->second.clear();
    }
  auto Adopt = [&](std::string &Name) {
    auto Entry = Names.find(withoutFileHashes(Name));
    if (Entry != Names.end() && !Entry->second.empty())
      Name = Entry->second;
  };
  for (CubinKernel &Kernel : C.Kernels)
    Adopt(Kernel.Name);
  for (CubinGlobal &Global : C.Globals)
    Adopt(Global.Name);
}
