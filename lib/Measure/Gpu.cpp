//===- Gpu.cpp - Which GPU this machine has -------------------------------===//
//
// The driver is loaded at run time and its few entry points declared here, so
// that neither building nor running needs the CUDA headers.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Measure/Gpu.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <cstddef>
#include <dlfcn.h>

using namespace cudal1;

namespace {

/// CUdevice_attribute values, fixed by the driver's binary interface.
enum class Attribute : int {
  CoreClockKHz = 13,
  MultiprocessorCount = 16,
  MemoryClockKHz = 36,
  MemoryBusBits = 37,
  L2Bytes = 38,
  ComputeMajor = 75,
  ComputeMinor = 76,
  SharedMemoryOptIn = 97,
};

/// Both halves of a memory clock move data.
constexpr double TransfersPerMemoryClock = 2;

class Driver {
public:
  static llvm::Expected<Driver> load() {
    Driver D;
    // Never closed: the driver does not survive it.
    D.Handle = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!D.Handle)
      return llvm::createStringError(
          "no NVIDIA driver: libcuda.so.1 could not be loaded");
    return D;
  }

  /// Calls the named entry point; an Error holds the driver's own message.
  template <typename... Args> llvm::Error call(const char *Name, Args... As) {
    auto *Function = reinterpret_cast<int (*)(Args...)>(::dlsym(Handle, Name));
    if (!Function)
      return llvm::createStringError(llvm::Twine("the NVIDIA driver lacks ") +
                                     Name + "; it is too old");
    int Code = Function(As...);
    if (Code == 0)
      return llvm::Error::success();
    const char *Message = nullptr;
    if (auto *Describe = reinterpret_cast<int (*)(int, const char **)>(
            ::dlsym(Handle, "cuGetErrorString")))
      Describe(Code, &Message);
    return llvm::createStringError(
        llvm::Twine("the NVIDIA driver's ") + Name +
        " failed: " + (Message ? Message : "error " + std::to_string(Code)));
  }

  /// 0 if this driver or device does not tell.
  int attribute(Attribute Which, int Device) {
    int Value = 0;
    if (llvm::Error E = call("cuDeviceGetAttribute", &Value,
                             static_cast<int>(Which), Device)) {
      llvm::consumeError(std::move(E));
      return 0;
    }
    return Value;
  }

private:
  void *Handle = nullptr;
};

} // namespace

std::string GpuInfo::arch() const {
  return "sm_" + std::to_string(ComputeMajor) + std::to_string(ComputeMinor);
}

llvm::Expected<GpuInfo> cudal1::detectGpu(int Ordinal) {
  llvm::Expected<Driver> D = Driver::load();
  if (!D)
    return D.takeError();
  if (llvm::Error E = D->call("cuInit", 0u))
    return std::move(E);
  int Count = 0;
  if (llvm::Error E = D->call("cuDeviceGetCount", &Count))
    return std::move(E);
  if (Ordinal >= Count)
    return llvm::createStringError("there is no GPU number " +
                                   llvm::Twine(Ordinal) + "; the driver sees " +
                                   llvm::Twine(Count));
  int Device = 0;
  if (llvm::Error E = D->call("cuDeviceGet", &Device, Ordinal))
    return std::move(E);
  GpuInfo Info;
  std::array<char, 256> Name = {};
  if (llvm::Error E = D->call("cuDeviceGetName", Name.data(),
                              static_cast<int>(Name.size()), Device))
    return std::move(E);
  Info.Name = Name.data();
  std::array<uint8_t, 16> Uuid = {};
  if (llvm::Error E = D->call("cuDeviceGetUuid_v2", Uuid.data(), Device))
    llvm::consumeError(std::move(E));
  else
    Info.Uuid = llvm::toHex(Uuid, /*LowerCase=*/true);
  size_t Bytes = 0;
  if (llvm::Error E = D->call("cuDeviceTotalMem_v2", &Bytes, Device))
    return std::move(E);
  Info.MemoryBytes = Bytes;
  if (llvm::Error E = D->call("cuDriverGetVersion", &Info.DriverVersion))
    return std::move(E);
  Info.ComputeMajor = D->attribute(Attribute::ComputeMajor, Device);
  Info.ComputeMinor = D->attribute(Attribute::ComputeMinor, Device);
  Info.MultiprocessorCount =
      D->attribute(Attribute::MultiprocessorCount, Device);
  Info.L2Bytes = D->attribute(Attribute::L2Bytes, Device);
  Info.SharedMemoryPerBlockBytes =
      D->attribute(Attribute::SharedMemoryOptIn, Device);
  Info.CoreClockMHz = 1e-3 * D->attribute(Attribute::CoreClockKHz, Device);
  double MemoryClockHz = 1e3 * D->attribute(Attribute::MemoryClockKHz, Device);
  double BusBytes = D->attribute(Attribute::MemoryBusBits, Device) / 8.0;
  Info.MemoryBandwidthGBs =
      1e-9 * MemoryClockHz * TransfersPerMemoryClock * BusBytes;
  return Info;
}
