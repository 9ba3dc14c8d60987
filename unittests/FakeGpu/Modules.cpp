// Modules are shared objects, functions their symbols. What the real driver
// reads from a cubin's tables, a kernel's parameters, comes from its mangled
// name.

#include "Gpu.h"
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace fake;

namespace {

constexpr int MaxOptInShared = 227 << 10;

struct Kernel {
  Function *Of;
};

std::set<Module *> &modules() {
  static std::set<Module *> All;
  return All;
}
std::set<Function *> &functions() {
  static std::set<Function *> All;
  return All;
}
std::map<Function *, std::unique_ptr<Kernel>> &kernels() {
  static std::map<Function *, std::unique_ptr<Kernel>> All;
  return All;
}

/// Null: there is no such module any more. Never makes one: see CUmodule.
Module *moduleOf(CUmodule Handle) {
  auto *M = reinterpret_cast<Module *>(Handle);
  return modules().count(M) ? M : nullptr;
}

Function *functionOf(CUfunction Handle) {
  auto *F = reinterpret_cast<Function *>(Handle);
  return functions().count(F) ? F : nullptr;
}

Function *functionOf(CUkernel Handle) {
  for (auto &[F, K] : kernels())
    if (reinterpret_cast<CUkernel>(K.get()) == Handle)
      return F;
  return nullptr;
}

/// False: the type is none of those that test kernels have.
bool addParameter(Function &To, std::string Type) {
  while (!Type.empty() && Type.front() == ' ')
    Type.erase(0, 1);
  static const std::map<std::string, std::pair<uint32_t, bool>> Known = {
      {"float", {4, true}},          {"double", {8, true}},
      {"int", {4, false}},           {"unsigned int", {4, false}},
      {"long", {8, false}},          {"unsigned long", {8, false}},
      {"long long", {8, false}},     {"unsigned long long", {8, false}},
      {"char", {1, false}},          {"bool", {1, false}},
      {"unsigned char", {1, false}}, {"short", {2, false}},
      {"TwoPointers", {16, false}}};
  Parameter P = {0, 8, false};
  if (Type.empty() || (Type.back() != '*' && Type.back() != '&')) {
    auto Found = Known.find(Type);
    if (Found == Known.end())
      return false;
    P.Size = Found->second.first;
    P.Floating = Found->second.second;
  }
  if (!To.Parameters.empty())
    P.Offset = To.Parameters.back().Offset + To.Parameters.back().Size;
  uint32_t Alignment = std::min<uint32_t>(P.Size, sizeof(void *));
  P.Offset = (P.Offset + Alignment - 1) / Alignment * Alignment;
  To.Parameters.push_back(P);
  return true;
}

/// "space::name(float, float*)" → the parameters.
bool readParameters(Function &To) {
  int Status = 0;
  char *Text = abi::__cxa_demangle(To.Name.c_str(), nullptr, nullptr, &Status);
  std::string Name = Text ? Text : "";
  std::free(Text);
  size_t Open = Name.rfind('(');
  if (Status != 0 || Open == std::string::npos || Name.back() != ')')
    return false;
  std::string List = Name.substr(Open + 1, Name.size() - Open - 2);
  while (!List.empty()) {
    size_t Comma = std::min(List.find(','), List.size());
    if (!addParameter(To, List.substr(0, Comma)))
      return false;
    List.erase(0, Comma + 1);
  }
  return true;
}

/// The bytes of an ELF image, whose section table is at its end; 0: it is none.
size_t imageBytes(const void *Image) {
  auto *Header = static_cast<const Elf64_Ehdr *>(Image);
  if (std::memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0)
    return 0;
  return Header->e_shoff + size_t(Header->e_shnum) * Header->e_shentsize;
}

} // namespace

Module &fake::executable() {
  static Module *M = [] {
    auto *Made = new Module;
    Made->Handle = dlopen(nullptr, RTLD_NOW);
    modules().insert(Made);
    return Made;
  }();
  return *M;
}

Function *fake::functionIn(Module &Of, const std::string &Name) {
  Lock Guard(stateMutex());
  auto &Known = Of.Functions[Name];
  if (Known)
    return Known.get();
  void *Entry = dlsym(Of.Handle, Name.c_str());
  if (!Entry)
    return nullptr;
  Known = std::make_unique<Function>();
  Known->Name = Name;
  Known->Entry = Entry;
  Known->Of = &Of;
  Known->ParametersKnown = readParameters(*Known);
  functions().insert(Known.get());
  return Known.get();
}

CUfunction fake::kernelHandle(Function &Of) {
  Lock Guard(stateMutex());
  auto &K = kernels()[&Of];
  if (!K)
    K = std::make_unique<Kernel>(Kernel{&Of});
  return reinterpret_cast<CUfunction>(K.get());
}

extern "C" {

CUresult cuModuleLoadData(CUmodule *Handle, const void *Image) {
  Lock Guard(stateMutex());
  size_t Bytes = imageBytes(Image);
  if (lostContext() != CUDA_SUCCESS)
    return lostContext();
  if (Bytes == 0)
    return CUDA_ERROR_INVALID_IMAGE;
  auto Made = std::make_unique<Module>();
  Made->File = memfd_create("module", MFD_CLOEXEC);
  // The file stays open: the loader knows objects by their names.
  std::string Path = "/proc/self/fd/" + std::to_string(Made->File);
  if (write(Made->File, Image, Bytes) == ssize_t(Bytes))
    Made->Handle = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Made->Handle) {
    close(Made->File);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  modules().insert(Made.get());
  *Handle = reinterpret_cast<CUmodule>(Made.release());
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule Handle) {
  Lock Guard(stateMutex());
  Module *M = moduleOf(Handle);
  if (!M || M == &executable())
    return CUDA_ERROR_INVALID_HANDLE;
  for (auto &[Name, F] : M->Functions)
    functions().erase(F.get());
  dlclose(M->Handle);
  close(M->File);
  modules().erase(M);
  delete M;
  return lostContext();
}

CUresult cuModuleGetFunction(CUfunction *Handle, CUmodule Of,
                             const char *Name) {
  Lock Guard(stateMutex());
  Module *M = moduleOf(Of);
  if (!M)
    return CUDA_ERROR_INVALID_HANDLE;
  Function *F = functionIn(*M, Name);
  if (!F)
    return CUDA_ERROR_NOT_FOUND;
  *Handle = reinterpret_cast<CUfunction>(F);
  return lostContext();
}

CUresult cuModuleGetGlobal(CUdeviceptr *Address, size_t *Bytes, CUmodule Of,
                           const char *Name) {
  Lock Guard(stateMutex());
  Module *M = moduleOf(Of);
  if (!M)
    return CUDA_ERROR_INVALID_HANDLE;
  void *Found = dlsym(M->Handle, Name);
  Dl_info Info;
  ElfW(Sym) *Symbol = nullptr;
  if (!Found ||
      !dladdr1(Found, &Info, reinterpret_cast<void **>(&Symbol),
               RTLD_DL_SYMENT) ||
      !Symbol || ELF64_ST_TYPE(Symbol->st_info) != STT_OBJECT)
    return CUDA_ERROR_NOT_FOUND;
  *Address = reinterpret_cast<CUdeviceptr>(Found);
  *Bytes = Symbol->st_size;
  return lostContext();
}

CUresult cuKernelGetFunction(CUfunction *Handle, CUkernel Of) {
  Lock Guard(stateMutex());
  Function *F = functionOf(Of);
  if (!F)
    return CUDA_ERROR_INVALID_HANDLE;
  *Handle = reinterpret_cast<CUfunction>(F);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *Handle, CUfunction Of) {
  Lock Guard(stateMutex());
  Function *F = functionOf(Of);
  if (!F)
    return CUDA_ERROR_INVALID_HANDLE;
  *Handle = reinterpret_cast<CUmodule>(F->Of);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction Of, size_t Index, size_t *Offset,
                            size_t *Size) {
  Lock Guard(stateMutex());
  Function *F = functionOf(Of);
  if (!F)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!F->ParametersKnown || Index >= F->Parameters.size())
    return CUDA_ERROR_INVALID_VALUE;
  *Offset = F->Parameters[Index].Offset;
  *Size = F->Parameters[Index].Size;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *Value, CUfunction_attribute What,
                            CUfunction Of) {
  Lock Guard(stateMutex());
  Function *F = functionOf(Of);
  if (!F)
    return CUDA_ERROR_INVALID_HANDLE;
  switch (What) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *Value = 1024;
    break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *Value = 32;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *Value = F->MaxDynamicShared;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *Value = F->Carveout;
    break;
  default:
    *Value = F->OfClusters[What];
    break;
  }
  return lostContext();
}

CUresult cuFuncSetAttribute(CUfunction Of, CUfunction_attribute What,
                            int Value) {
  Lock Guard(stateMutex());
  Function *F = functionOf(Of);
  if (!F)
    return CUDA_ERROR_INVALID_HANDLE;
  if (What == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
      Value <= MaxOptInShared)
    F->MaxDynamicShared = Value;
  else if (What == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
           Value <= 100)
    F->Carveout = Value;
  else if (What >= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)
    F->OfClusters[What] = Value;
  else
    return CUDA_ERROR_INVALID_VALUE;
  return lostContext();
}
}
