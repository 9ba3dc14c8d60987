//===- Gpu.h - The state of the fake GPU ------------------------*- C++ -*-===//
///
/// \file
/// A CUDA driver whose device is the CPU: "device" memory is memory of the
/// process, kernels are functions of shared objects, and a kernel's threads run
/// one after the other when it is launched. It loads the injection library and
/// tells CUPTI of calls as the real one does.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_FAKEGPU_GPU_H
#define CUDAL1_UNITTESTS_FAKEGPU_GPU_H

#include <cstdint>
#include <cuda.h>
#include <cupti.h>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fake {

/// Guards all state; never held while the program's subscriber is called.
std::recursive_mutex &stateMutex();
using Lock = std::lock_guard<std::recursive_mutex>;

/// A kernel has faulted: every call fails with this from then on.
CUresult &lostContext();

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Tells the subscriber that a call begins or has ended.
void announce(CUpti_ApiCallbackSite Site, CUpti_CallbackId Id, const char *Name,
              const void *Parameters, CUresult *Result, const char *Symbol);

/// A call of the program: \p Body between the two callbacks.
template <typename Parameters, typename Function>
CUresult traced(CUpti_CallbackId Id, const char *Name, const Parameters &P,
                Function Body, const char *Symbol = nullptr) {
  CUresult Result = CUDA_SUCCESS;
  announce(CUPTI_API_ENTER, Id, Name, &P, &Result, Symbol);
  {
    Lock Guard(stateMutex());
    Result = lostContext();
  }
  if (Result == CUDA_SUCCESS)
    Result = Body();
  announce(CUPTI_API_EXIT, Id, Name, &P, &Result, Symbol);
  return Result;
}

/// A kernel has run.
void recordKernel(const std::string &Name, uint64_t StartNs, uint64_t EndNs);

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

struct Stream {
  /// Each returns false while it has to wait.
  std::deque<std::function<bool()>> Queue;
  bool Capturing = false;
  std::vector<std::function<bool()>> Captured;
};

/// Null is the default stream.
Stream &streamOf(CUstream Handle);

/// Runs \p Work now, or once what was queued before it has run.
void submit(CUstream Handle, std::function<bool()> Work);
CUresult synchronize(Stream &Of);
bool anyCapture();

/// The device's time in ns. It goes on by the CPU time of what the device
/// does, so that other processes do not disturb it.
uint64_t &deviceClock();
/// Runs \p Work as the device; it takes what fakeWork() said, if that was
/// called.
void runOnDevice(const std::function<void()> &Work);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether a copy or fill may touch this.
bool isAccessible(CUdeviceptr Address, size_t Bytes);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

struct Parameter {
  uint32_t Offset, Size;
  bool Floating;
};

struct Module;

struct Function {
  std::string Name; ///< mangled
  void *Entry = nullptr;
  Module *Of = nullptr;
  std::vector<Parameter> Parameters;
  bool ParametersKnown = false;
  int MaxDynamicShared = 0;
  int Carveout = -1;
  std::map<int, int> OfClusters; ///< attributes that nobody has set are 0
};

struct Module {
  void *Handle = nullptr;
  int File = -1;
  std::map<std::string, std::unique_ptr<Function>> Functions;
};

/// The executable, as the module that the runtime would have registered.
Module &executable();
/// Null: there is none of that name.
Function *functionIn(Module &Of, const std::string &Name);
/// What the runtime launches: a CUkernel in a CUfunction's place.
CUfunction kernelHandle(Function &Of);

} // namespace fake

#endif // CUDAL1_UNITTESTS_FAKEGPU_GPU_H
