//===- ReplayHeld.cpp - What is known of the held launch ------------------===//

#include "ReplayHost.h"
#include <algorithm>
#include <fstream>
#include <sstream>

using namespace cudal1;
using namespace cudal1::runtime;

namespace {

/// Names an attribute of the launch that changes how the kernel runs and that
/// replay does not repeat; null if there is none.
const char *unsupportedAttribute(const CUlaunchAttribute &A) {
  switch (A.id) {
  case CU_LAUNCH_ATTRIBUTE_IGNORE:
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
  // What else is on the device, and who waits for the kernel, is not replayed.
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
  case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    return nullptr;
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    return A.value.accessPolicyWindow.num_bytes ? "access policy window"
                                                : nullptr;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return A.value.clusterSchedulingPolicyPreference ==
                   CU_CLUSTER_SCHEDULING_POLICY_DEFAULT
               ? nullptr
               : "cluster scheduling policy";
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    return A.value.programmaticStreamSerializationAllowed
               ? "programmatic stream serialization"
               : nullptr;
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    return A.value.programmaticEvent.event ? "programmatic event" : nullptr;
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    return A.value.preferredClusterDim.x ? "preferred cluster dimension"
                                         : nullptr;
  case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    return A.value.deviceUpdatableKernelNode.deviceUpdatable
               ? "device-updatable node"
               : nullptr;
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return int(A.value.sharedMemCarveout) == CU_SHAREDMEM_CARVEOUT_DEFAULT
               ? nullptr
               : "preferred shared memory carveout";
  default:
    return "an attribute that this library does not know";
  }
}

/// A pointer among the arguments into memory whose making was not seen: the
/// mapped part around it. Bytes is 0 if the driver does not know it.
replay::Allocation mappedAround(const ReplayDriver &D, uint64_t Pointer) {
  auto Ask = [&](CUpointer_attribute What, uint64_t Where, auto &Value) {
    return D.PointerGetAttribute(&Value, What, Where) == CUDA_SUCCESS;
  };
  auto Type = CUmemorytype(0);
  CUdeviceptr Start = 0;
  size_t Bytes = 0;
  if (!Ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, Pointer, Type) ||
      Type != CU_MEMORYTYPE_DEVICE)
    return {};
  // The range of a reservation may have holes; a mapping has none, and those
  // right before and after it are one buffer with it.
  if (!Ask(CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, Pointer, Start) ||
      !Ask(CU_POINTER_ATTRIBUTE_MAPPING_SIZE, Pointer, Bytes) || !Bytes) {
    if (!Ask(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, Pointer, Start) ||
        !Ask(CU_POINTER_ATTRIBUTE_RANGE_SIZE, Pointer, Bytes))
      return {};
    return {Start, Bytes, replay::MemoryKind::Mapped};
  }
  uint64_t End = Start + Bytes;
  CUdeviceptr Range = 0;
  size_t RangeBytes = 0;
  if (Ask(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, Pointer, Range) &&
      Ask(CU_POINTER_ATTRIBUTE_RANGE_SIZE, Pointer, RangeBytes)) {
    CUdeviceptr Next = 0;
    while (Start > Range &&
           Ask(CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, Start - 1, Next) &&
           Next < Start)
      Start = Next;
    while (End < Range + RangeBytes &&
           Ask(CU_POINTER_ATTRIBUTE_MAPPING_SIZE, End, Bytes) && Bytes)
      End += Bytes;
  }
  return {Start, End - Start, replay::MemoryKind::Mapped};
}

bool contains(const replay::Allocation &Block, uint64_t Address) {
  return Address - Block.Address < Block.Bytes;
}

/// Memory of the process that can be read, but not the driver's reservations.
std::vector<std::pair<uint64_t, uint64_t>> plainMemory() {
  std::vector<std::pair<uint64_t, uint64_t>> Ranges;
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    uint64_t Begin = 0, End = 0;
    char Dash = 0, Readable = 0;
    std::istringstream In(Line);
    if (In >> std::hex >> Begin >> Dash >> End >> Readable && Readable == 'r' &&
        Line.find("/dev/nvidia") == std::string::npos)
      Ranges.push_back({Begin, End});
  }
  return Ranges;
}

/// Calls \p Visit with every aligned word of the arguments.
template <typename Function>
void forEachWord(const std::string &Arguments, Function Visit) {
  for (size_t At = 0; At + sizeof(uint64_t) <= Arguments.size();
       At += sizeof(uint64_t)) {
    uint64_t Word;
    std::memcpy(&Word, Arguments.data() + At, sizeof(Word));
    Visit(Word);
  }
}

bool isIn(const std::vector<replay::Allocation> &Blocks, uint64_t Address) {
  return std::any_of(Blocks.begin(), Blocks.end(), [&](const auto &Block) {
    return contains(Block, Address);
  });
}

} // namespace

bool ReplayHost::isCapturing(CUstream Stream) const {
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  return D.StreamIsCapturing &&
         D.StreamIsCapturing(Stream, &Status) == CUDA_SUCCESS &&
         Status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUmodule ReplayHost::moduleOf(const LaunchCall &Launch) const {
  CUmodule Module = nullptr;
  if (D.FuncGetModule(&Module, resolveFunction(D, Launch.Function)) ==
      CUDA_SUCCESS)
    return Module;
  CUlibrary Library = nullptr;
  if (D.KernelGetLibrary && D.LibraryGetModule &&
      D.KernelGetLibrary(&Library, reinterpret_cast<CUkernel>(
                                       Launch.Function)) == CUDA_SUCCESS &&
      D.LibraryGetModule(&Module, Library) == CUDA_SUCCESS)
    return Module;
  return nullptr;
}

replay::Held ReplayHost::describe(const LaunchCall &Launch,
                                  uint64_t EarlierLaunches) {
  replay::Held State;
  State.Launch = Launch.Config;
  State.EarlierLaunches = EarlierLaunches;
  State.Captured = isCapturing(Launch.Stream);
  for (unsigned I = 0; I < Launch.AttributeCount; ++I)
    if (const char *Name = unsupportedAttribute(Launch.Attributes[I]))
      State.UnsupportedAttribute = Name;
  auto Fail = [&](CallResult Result) {
    if (Result.failed() && State.UnsupportedAttribute.empty())
      State.UnsupportedAttribute = D.describe(Result);
  };
  if (!State.Captured)
    Fail({D.CtxSynchronize(), "cuCtxSynchronize"});
  Fail(
      describeFunction(D, resolveFunction(D, Launch.Function), State.Function));
  const auto &Parameters = State.Function.Parameters;
  for (size_t I = 0; I < Parameters.size(); ++I) {
    auto [Offset, Size] = Parameters[I];
    State.Arguments.resize(
        std::max(State.Arguments.size(), size_t(Offset) + Size));
    if (const char *From = Launch.argument(I, Offset))
      std::copy_n(From, Size, State.Arguments.data() + Offset);
  }
  describeMemory(State);
  describeDevice(State);
  return State;
}

void ReplayHost::describeMemory(replay::Held &Of) {
  // A context that was destroyed took its memory with it.
  for (const replay::Allocation &Block : Memory.blocks()) {
    auto Type = CUmemorytype(0);
    if (D.PointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                              Block.Address) == CUDA_SUCCESS)
      Of.Allocations.push_back(Block);
  }
  Of.SurfaceArrays = Memory.surfaceArrays();
  forEachWord(Of.Arguments, [&](uint64_t Word) {
    if (isIn(Of.Allocations, Word))
      return;
    if (auto Block = mappedAround(D, Word); Block.Bytes)
      Of.Allocations.push_back(Block);
  });
  std::sort(Of.Allocations.begin(), Of.Allocations.end(),
            [](const auto &A, const auto &B) { return A.Address < B.Address; });
  Of.UnsavedMemory = unsavedMemory(Of);
}

/// Empty if everything that the launch can reach is among the allocations, as
/// far as that can be known.
std::string ReplayHost::unsavedMemory(const replay::Held &Of) const {
  if (Memory.hasForeignMemory())
    return "the program uses memory of another process or of a graphics "
           "interface";
  CUdevice Device = 0;
  if (D.CtxGetDevice(&Device) != CUDA_SUCCESS)
    return "the GPU of the launch is not known";
  for (const replay::Allocation &Block : Of.Allocations) {
    int Owner = Device;
    bool IsOnDevice = Block.Kind == replay::MemoryKind::Device ||
                      Block.Kind == replay::MemoryKind::Mapped;
    if (IsOnDevice &&
        D.PointerGetAttribute(&Owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                              Block.Address) == CUDA_SUCCESS &&
        Owner != Device)
      return "the program has memory on several GPUs";
  }
  int ReachesPlainMemory = 0;
  if (D.DeviceGetAttribute(&ReachesPlainMemory,
                           CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
                           Device) != CUDA_SUCCESS ||
      !ReachesPlainMemory)
    return "";
  auto Plain = plainMemory();
  bool Points = false;
  forEachWord(Of.Arguments, [&](uint64_t Word) {
    bool IsPlain = std::any_of(Plain.begin(), Plain.end(), [&](auto Range) {
      return Word >= Range.first && Word < Range.second;
    });
    Points |= IsPlain && !isIn(Of.Allocations, Word);
  });
  return Points ? "an argument points to plain memory of the host, which this "
                  "GPU can reach"
                : "";
}

void ReplayHost::describeDevice(replay::Held &Of) {
  CUdevice Device;
  if (D.CtxGetDevice(&Device) != CUDA_SUCCESS)
    return;
  char Name[256] = {};
  if (D.DeviceGetName(Name, sizeof(Name) - 1, Device) == CUDA_SUCCESS)
    Of.DeviceName = Name;
  CUuuid Uuid;
  if (D.DeviceGetUuid && D.DeviceGetUuid(&Uuid, Device) == CUDA_SUCCESS)
    for (char Byte : Uuid.bytes) {
      constexpr char Digits[] = "0123456789abcdef";
      Of.DeviceUuid += Digits[(Byte >> 4) & 15];
      Of.DeviceUuid += Digits[Byte & 15];
    }
  auto Ask = [&](CUdevice_attribute What) {
    int Value = 0;
    return D.DeviceGetAttribute(&Value, What, Device) == CUDA_SUCCESS ? Value
                                                                      : 0;
  };
  Of.Multiprocessors = Ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  Of.L2Bytes = Ask(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  Of.ClockKHz = Ask(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  Of.MaxSharedPerBlock =
      Ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  size_t Free = 0, Total = 0;
  if (D.MemGetInfo(&Free, &Total) == CUDA_SUCCESS) {
    Of.FreeBytes = Free;
    Of.TotalBytes = Total;
  }
}
