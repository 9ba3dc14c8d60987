//===- ApiRegistration.cpp - What compiled host code calls itself ---------===//
//
// The functions that Clang puts calls of into the host side of a unit. No
// header declares all of them; Clang's code generation does.
//
//===----------------------------------------------------------------------===//

#include "ApiState.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

struct CallConfiguration {
  dim3 Grid, Block;
  size_t SharedBytes;
  cudaStream_t Stream;
};

/// Between `<<<...>>>` and the launch that it belongs to.
thread_local std::vector<CallConfiguration> Configurations;

/// Anything but null: units only hand it back.
void *TheHandle[1];

void registerVariable(const void *Symbol, const char *Name) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  R.Variables[Symbol] = {Name, nullptr};
}

} // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

extern "C" {

/// Its name says for which version of CUDA's headers this library was built: a
/// unit that was compiled with others can demand its own and fail to link.
#if CUDART_VERSION >= 13000
extern const int cudal1_emu_cuda_13;
const int cudal1_emu_cuda_13 = CUDART_VERSION;
#else
extern const int cudal1_emu_cuda_12;
const int cudal1_emu_cuda_12 = CUDART_VERSION;
#endif

void **__cudaRegisterFatBinary(void *) { return TheHandle; }
void __cudaRegisterFatBinaryEnd(void **) {}
/// Its kernels stay: destructors that run later may launch them.
void __cudaUnregisterFatBinary(void **) {}

int __cudaRegisterFunction(void **, const char *HostFunction, char *,
                           const char *DeviceName, int, void *, void *, void *,
                           void *, int *) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  R.Kernels[HostFunction].Name = DeviceName;
  return 0;
}

void __cudaRegisterVar(void **, char *HostVariable, char *,
                       const char *DeviceName, int, size_t, int, int) {
  registerVariable(HostVariable, DeviceName);
}

/// \p HostPointer is the variable through which host code reaches the memory.
void __cudaRegisterManagedVar(void **, void **HostPointer, char *,
                              const char *DeviceName, int, size_t, int, int) {
  const void *Symbol = static_cast<const void *>(HostPointer);
  registerVariable(Symbol, DeviceName);
  if (const VariableInfo *V = lookupVariable(Symbol))
    *HostPointer = V->Address;
}

unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t SharedBytes,
                                     void *Stream) {
  Configurations.push_back(
      {Grid, Block, SharedBytes, static_cast<cudaStream_t>(Stream)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block,
                                       size_t *SharedBytes, void *Stream) {
  if (Configurations.empty())
    return finishCall("__cudaPopCallConfiguration",
                      cudaErrorMissingConfiguration);
  const CallConfiguration &Last = Configurations.back();
  *Grid = Last.Grid;
  *Block = Last.Block;
  *SharedBytes = Last.SharedBytes;
  *static_cast<cudaStream_t *>(Stream) = Last.Stream;
  Configurations.pop_back();
  return cudaSuccess;
}
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
