//===- Registry.cpp -------------------------------------------------------===//

#include "Registry.h"
#include "Launcher.h"
#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

namespace cudal1::emulator {

namespace {

uintptr_t startOf(const VariableInfo *Variable) {
  return reinterpret_cast<uintptr_t>(Variable->Address);
}

struct Modules {
  std::shared_mutex Lock;
  std::map<std::string_view, const KernelInfo *> Kernels;
  std::map<std::string_view, const VariableInfo *> Variables;
  std::vector<const VariableInfo *> ByAddress;
};

Modules &modules() {
  static Modules *All = new Modules;
  return *All;
}

/// The last variable that starts at or before \p Address.
std::vector<const VariableInfo *>::const_iterator
lastBefore(const Modules &All, uintptr_t Address) {
  auto After =
      std::upper_bound(All.ByAddress.begin(), All.ByAddress.end(), Address,
                       [](uintptr_t Value, const VariableInfo *V) {
                         return Value < startOf(V);
                       });
  return After == All.ByAddress.begin() ? All.ByAddress.end() : After - 1;
}

} // namespace

const KernelInfo *findKernel(const char *Name) {
  Modules &All = modules();
  std::shared_lock<std::shared_mutex> Guard(All.Lock);
  auto Found = All.Kernels.find(Name);
  return Found == All.Kernels.end() ? nullptr : Found->second;
}

const VariableInfo *findVariable(const char *Name) {
  Modules &All = modules();
  std::shared_lock<std::shared_mutex> Guard(All.Lock);
  auto Found = All.Variables.find(Name);
  return Found == All.Variables.end() ? nullptr : Found->second;
}

namespace registry {

const VariableInfo *variableAt(const void *Address) {
  Modules &All = modules();
  std::shared_lock<std::shared_mutex> Guard(All.Lock);
  uintptr_t Where = reinterpret_cast<uintptr_t>(Address);
  auto Found = lastBefore(All, Where);
  if (Found == All.ByAddress.end() ||
      Where - startOf(*Found) >= (*Found)->Bytes)
    return nullptr;
  return *Found;
}

const VariableInfo *variableNear(const void *Address, uint64_t Distance) {
  Modules &All = modules();
  std::shared_lock<std::shared_mutex> Guard(All.Lock);
  uintptr_t Where = reinterpret_cast<uintptr_t>(Address);
  auto Before = lastBefore(All, Where);
  const VariableInfo *Best = nullptr;
  if (Before != All.ByAddress.end()) {
    uintptr_t End = startOf(*Before) + (*Before)->Bytes;
    uint64_t Past = Where < End ? 0 : Where - End;
    if (Past <= Distance) {
      Best = *Before;
      Distance = Past;
    }
  }
  auto After =
      Before == All.ByAddress.end() ? All.ByAddress.begin() : Before + 1;
  if (After != All.ByAddress.end() && startOf(*After) - Where < Distance)
    Best = *After;
  return Best;
}

size_t indexOf(const VariableInfo *Variable) {
  Modules &All = modules();
  std::shared_lock<std::shared_mutex> Guard(All.Lock);
  return lastBefore(All, startOf(Variable)) - All.ByAddress.begin();
}

size_t variableCount() {
  Modules &All = modules();
  std::shared_lock<std::shared_mutex> Guard(All.Lock);
  return All.ByAddress.size();
}

} // namespace registry

} // namespace cudal1::emulator

using namespace cudal1::emulator;

void cudal1_emu_register_module(const ModuleInfo *Module) {
  Modules &All = modules();
  std::unique_lock<std::shared_mutex> Guard(All.Lock);
  for (uint64_t I = 0; I < Module->KernelCount; ++I)
    All.Kernels.emplace(Module->Kernels[I].Name, &Module->Kernels[I]);
  for (uint64_t I = 0; I < Module->VariableCount; ++I) {
    const VariableInfo &Variable = Module->Variables[I];
    All.Variables.emplace(Variable.Name, &Variable);
    if (Variable.Bytes)
      All.ByAddress.push_back(&Variable);
  }
  std::sort(All.ByAddress.begin(), All.ByAddress.end(),
            [](const VariableInfo *A, const VariableInfo *B) {
              return startOf(A) < startOf(B);
            });
}
