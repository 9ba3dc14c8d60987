//===- ReplayDriver.cpp - What replay needs of the driver -----------------===//

#include "ReplayDriver.h"
#include <dlfcn.h>

using namespace cudal1::runtime;

bool ReplayDriver::load(std::string &Problem) {
  void *Handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!Handle || !Driver::load()) {
    Problem = "the CUDA driver's entry points were not found";
    return false;
  }
  const char *Missing = nullptr;
  auto Find = [&](auto &Target, const char *Name) {
    Target = reinterpret_cast<std::remove_reference_t<decltype(Target)>>(
        dlsym(Handle, Name));
    return Target != nullptr;
  };
  auto Need = [&](auto &Target, const char *Name) {
    if (!Find(Target, Name))
      Missing = Name;
  };
  Need(KernelGetFunction, "cuKernelGetFunction");
  Need(FuncGetParamInfo, "cuFuncGetParamInfo");
  Need(CtxGetDevice, "cuCtxGetDevice");
  Need(DeviceGetAttribute, "cuDeviceGetAttribute");
  Need(GetErrorName, "cuGetErrorName");
  Need(DeviceGetName, "cuDeviceGetName");
  Need(ModuleLoadData, "cuModuleLoadData");
  Need(ModuleUnload, "cuModuleUnload");
  Need(ModuleGetFunction, "cuModuleGetFunction");
  Need(ModuleGetGlobal, "cuModuleGetGlobal_v2");
  Need(FuncGetModule, "cuFuncGetModule");
  Need(FuncGetAttribute, "cuFuncGetAttribute");
  Need(FuncSetAttribute, "cuFuncSetAttribute");
  Need(MemAlloc, "cuMemAlloc_v2");
  Need(MemFree, "cuMemFree_v2");
  Need(MemHostAlloc, "cuMemHostAlloc");
  Need(MemFreeHost, "cuMemFreeHost");
  Need(MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2");
  Need(MemGetInfo, "cuMemGetInfo_v2");
  Need(MemcpyAsync, "cuMemcpyAsync");
  Need(MemsetD8Async, "cuMemsetD8Async");
  Need(StreamCreate, "cuStreamCreate");
  Need(StreamWaitValue32, "cuStreamWaitValue32_v2");
  Need(EventCreate, "cuEventCreate");
  Need(EventRecord, "cuEventRecord");
  // Every driver has this one; its successor came with CUDA 12.8.
  Need(EventElapsedTime, "cuEventElapsedTime");
  Need(LaunchKernelEx, "cuLaunchKernelEx");
  Find(FuncLoad, "cuFuncLoad");
  Find(DeviceGetUuid, "cuDeviceGetUuid_v2");
  Find(CtxResetPersistingL2, "cuCtxResetPersistingL2Cache");
  Find(KernelGetLibrary, "cuKernelGetLibrary");
  Find(LibraryGetModule, "cuLibraryGetModule");
  if (Missing)
    Problem = std::string("this CUDA driver lacks ") + Missing +
              "; live replay needs one of CUDA 12.4 or later";
  return !Missing;
}

std::string ReplayDriver::describe(CallResult Result) const {
  const char *Name = nullptr;
  if (GetErrorName(Result.Code, &Name) != CUDA_SUCCESS || !Name)
    return std::string(Result.Call) + ": error " + std::to_string(Result.Code);
  return std::string(Result.Call) + ": " + Name;
}
