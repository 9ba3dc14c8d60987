// Subscribers, records, and what is neither memory nor work: the device.

#include "Gpu.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <set>

using namespace fake;

namespace {

struct KernelRecord {
  const char *Name;
  uint64_t StartNs, EndNs;
};

struct {
  CUpti_CallbackFunc Function = nullptr;
  void *Data = nullptr;
  bool AllCalls = false;
  std::set<CUpti_CallbackId> Calls;
  bool Kernels = false; ///< activity records are wanted
  std::vector<KernelRecord> Records;
} Subscriber;

constexpr int SharedPerBlock = 48 << 10;
constexpr int SharedPerBlockOptIn = 227 << 10;

} // namespace

std::recursive_mutex &fake::stateMutex() {
  static std::recursive_mutex Mutex;
  return Mutex;
}

CUresult &fake::lostContext() {
  static CUresult Code = CUDA_SUCCESS;
  return Code;
}

void fake::announce(CUpti_ApiCallbackSite Site, CUpti_CallbackId Id,
                    const char *Name, const void *Parameters, CUresult *Result,
                    const char *Symbol) {
  {
    Lock Guard(stateMutex());
    if (!Subscriber.Function ||
        !(Subscriber.AllCalls || Subscriber.Calls.count(Id)))
      return;
  }
  CUpti_CallbackData Data = {};
  Data.callbackSite = Site;
  Data.functionName = Name;
  Data.functionParams = Parameters;
  Data.functionReturnValue = Result;
  Data.symbolName = Symbol;
  Subscriber.Function(Subscriber.Data, CUPTI_CB_DOMAIN_DRIVER_API, Id, &Data);
}

void fake::recordKernel(const std::string &Name, uint64_t StartNs,
                        uint64_t EndNs) {
  // Records outlive modules, and are read until the very end.
  static auto &Names = *new std::set<std::string>;
  if (Subscriber.Kernels)
    Subscriber.Records.push_back(
        {Names.insert(Name).first->c_str(), StartNs, EndNs});
}

extern "C" {

//===----------------------------------------------------------------------===//
// For the fake CUPTI
//===----------------------------------------------------------------------===//

void fakeSubscribe(CUpti_CallbackFunc Function, void *Data) {
  Lock Guard(stateMutex());
  Subscriber.Function = Function;
  Subscriber.Data = Data;
}
void fakeEnableCalls(bool On) {
  Lock Guard(stateMutex());
  Subscriber.AllCalls = On;
}
void fakeEnableCall(CUpti_CallbackId Id, bool On) {
  Lock Guard(stateMutex());
  if (On)
    Subscriber.Calls.insert(Id);
  else
    Subscriber.Calls.erase(Id);
}
void fakeEnableKernels(bool On) {
  Lock Guard(stateMutex());
  Subscriber.Kernels = On;
}
/// Takes up to \p Room records; returns how many.
size_t fakeTakeRecords(CUpti_ActivityKernel4 *To, size_t Room) {
  Lock Guard(stateMutex());
  size_t Count = std::min(Room, Subscriber.Records.size());
  for (size_t I = 0; I < Count; ++I) {
    To[I] = {};
    To[I].kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    To[I].name = Subscriber.Records[I].Name;
    To[I].start = Subscriber.Records[I].StartNs;
    To[I].end = Subscriber.Records[I].EndNs;
  }
  Subscriber.Records.erase(Subscriber.Records.begin(),
                           Subscriber.Records.begin() + Count);
  return Count;
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

CUresult cuInit(unsigned) {
  static const bool Once = [] {
    const char *Path = std::getenv("CUDA_INJECTION64_PATH");
    void *Library = Path ? dlopen(Path, RTLD_NOW) : nullptr;
    auto *Initialize = reinterpret_cast<int (*)()>(
        Library ? dlsym(Library, "InitializeInjection") : nullptr);
    if (Initialize)
      Initialize();
    return true;
  }();
  return Once ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDriverGetVersion(int *Version) {
  *Version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *Count) {
  *Count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *Device, int) {
  *Device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *Bytes, CUdevice) {
  *Bytes = size_t(1) << 34;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *Device) {
  *Device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *Name, int Room, CUdevice) {
  std::strncpy(Name, "Fake GPU", size_t(Room));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *Uuid, CUdevice) {
  std::memset(Uuid->bytes, 0xfa, sizeof(Uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache() { return lostContext(); }

CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute What, CUdevice) {
  switch (What) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *Value = 4;
    break;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    *Value = 256 << 10; // what flushes it costs CPU time here
    if (const char *Text = std::getenv("FAKE_GPU_L2"))
      *Value = std::atoi(Text);
    break;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    *Value = 1000000;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    *Value = SharedPerBlock;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *Value = SharedPerBlockOptIn;
    break;
  case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    *Value = std::getenv("FAKE_GPU_PAGEABLE") != nullptr;
    break;
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    *Value = 1;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult Code, const char **Name) {
  switch (Code) {
#define NAME(Code)                                                             \
  case Code:                                                                   \
    *Name = #Code;                                                             \
    return CUDA_SUCCESS;
    NAME(CUDA_SUCCESS)
    NAME(CUDA_ERROR_INVALID_VALUE)
    NAME(CUDA_ERROR_OUT_OF_MEMORY)
    NAME(CUDA_ERROR_INVALID_IMAGE)
    NAME(CUDA_ERROR_INVALID_HANDLE)
    NAME(CUDA_ERROR_NOT_FOUND)
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
#undef NAME
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}
}
