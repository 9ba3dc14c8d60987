//===- GpuArch.cpp - Names of NVIDIA GPU architectures --------------------===//

#include "cudal1/Frontend/GpuArch.h"
#include "clang/Basic/OffloadArch.h"
#include "llvm/ADT/StringExtras.h"

using namespace cudal1;
using llvm::StringRef;

std::string GpuArch::name() const {
  std::string Name = "sm_" + std::to_string(Number);
  if (Suffix)
    Name += Suffix;
  return Name;
}

std::optional<GpuArch> cudal1::parseGpuArch(StringRef Name) {
  if (!Name.consume_front("sm_") && !Name.consume_front("compute_") &&
      !Name.consume_front("lto_"))
    return std::nullopt;
  GpuArch Arch;
  if (Name.consumeInteger(10, Arch.Number) || Arch.Number == 0)
    return std::nullopt;
  if (Name == "a" || Name == "f")
    Arch.Suffix = Name.front();
  else if (!Name.empty())
    return std::nullopt;
  return Arch;
}

std::vector<GpuArch> cudal1::findGpuArchs(StringRef Text) {
  std::vector<GpuArch> Archs;
  auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  while (!Text.empty()) {
    StringRef Word = Text.take_while(IsWord);
    if (std::optional<GpuArch> Arch = parseGpuArch(Word))
      Archs.push_back(*Arch);
    Text = Text.drop_front(Word.empty() ? 1 : Word.size());
  }
  return Archs;
}

static bool clangKnows(StringRef Name) {
  return clang::StringToOffloadArch(Name) != clang::OffloadArch::UNKNOWN;
}

std::string cudal1::clangArchName(GpuArch Arch) {
  if (std::string Name = Arch.name(); clangKnows(Name))
    return Name;
  for (Arch.Suffix = 0; Arch.Number > 0; --Arch.Number)
    if (std::string Name = Arch.name(); clangKnows(Name))
      return Name;
  return "sm_50"; // Older than anything that Clang knows.
}
