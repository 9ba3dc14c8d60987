//===- KernelNames.cpp - One kernel under several names -------------------===//

#include "cudal1/Support/KernelNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

using namespace cudal1;

/// Where the template arguments that end at the end of \p Name begin, or npos.
static size_t argumentsBegin(llvm::StringRef Name) {
  if (!Name.ends_with(">"))
    return llvm::StringRef::npos;
  int Depth = 0;
  for (size_t I = Name.size(); I-- > 0;) {
    Depth += Name[I] == '>';
    Depth -= Name[I] == '<';
    if (Depth == 0)
      return I;
  }
  return llvm::StringRef::npos;
}

/// Components that compilers invent for internal linkage.
static bool isInvented(llvm::StringRef Component) {
  return Component == "(anonymous namespace)" ||
         Component.starts_with("_GLOBAL__N__") ||
         Component.starts_with("_INTERNAL_");
}

/// Takes invented namespaces out of the front of a qualified name.
static std::string withoutInvented(llvm::StringRef Name) {
  std::string Result;
  while (true) {
    auto [First, Rest] = Name.split("::");
    // Template arguments may hold "::"; then the split is not a namespace.
    if (Rest.empty() || First.contains('<'))
      return Result + Name.str();
    if (!isInvented(First))
      Result += First.str() + "::";
    Name = Rest;
  }
}

/// nvcc's prefix for static functions in relocatable device code,
/// `__nv_static_21_<21 characters>_`, taken away.
static llvm::StringRef withoutStaticPrefix(llvm::StringRef Mangled) {
  llvm::StringRef Rest = Mangled;
  unsigned Length = 0;
  if (!Rest.consume_front("__nv_static_") || Rest.consumeInteger(10, Length) ||
      !Rest.consume_front("_") || Rest.size() <= Length + 1)
    return Mangled;
  return Rest.drop_front(Length + 1);
}

/// The namespaces that nvcc names after the file, and what stands for them:
/// what Clang calls the first, and a name for the second without the hash.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    FileNamespaces[] = {{"_GLOBAL__N__", "12_GLOBAL__N_1"},
                        {"_INTERNAL_", "10_INTERNAL_"}};

std::string cudal1::withoutFileHashes(llvm::StringRef Mangled) {
  llvm::StringRef Name = withoutStaticPrefix(Mangled);
  std::string Result;
  while (!Name.empty()) {
    // A component of a mangled name is its length and then itself.
    llvm::StringRef Digits = Name.take_while(llvm::isDigit);
    llvm::StringRef Rest = Name.drop_front(Digits.size());
    unsigned Length = 0;
    bool IsComponent =
        !Digits.getAsInteger(10, Length) && Length && Length <= Rest.size();
    const auto *Found = llvm::find_if(FileNamespaces, [&](const auto &N) {
      return IsComponent && Length > N.first.size() &&
             Rest.starts_with(N.first);
    });
    if (Found != std::end(FileNamespaces)) {
      Result += Found->second;
      Name = Rest.drop_front(Length);
      continue;
    }
    size_t Plain = Digits.empty() ? 1 : Digits.size();
    Result += Name.take_front(Plain);
    Name = Name.drop_front(Plain);
  }
  return Result;
}

std::string cudal1::displayKernelName(llvm::StringRef Mangled) {
  std::string Owned = withoutFileHashes(Mangled);
  llvm::ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Owned.c_str()) || !Demangler.isFunction())
    return Owned;
  size_t Size = 0;
  char *Name = Demangler.getFunctionName(nullptr, &Size);
  if (!Name)
    return Owned;
  std::string Result = withoutInvented(Name);
  std::free(Name);
  return Result;
}

std::string cudal1::plainKernelName(llvm::StringRef Mangled) {
  std::string Name = displayKernelName(Mangled);
  size_t Begin = argumentsBegin(Name);
  return Begin == llvm::StringRef::npos ? Name : Name.substr(0, Begin);
}

bool cudal1::isSameKernel(llvm::StringRef A, llvm::StringRef B) {
  return A == B || displayKernelName(A) == displayKernelName(B);
}
