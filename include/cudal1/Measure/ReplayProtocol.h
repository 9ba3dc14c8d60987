//===- ReplayProtocol.h - How the tool speaks to a held process -*- C++ -*-===//
///
/// \file
/// Live replay holds the user's program at one kernel launch. The injection
/// library then does what the tool tells it to, through the driver and inside
/// the program's own context: it is an interpreter for short lists of
/// operations and decides nothing itself.
///
/// Plain C++17 without LLVM: compiled into the injection library and into
/// lib/Measure. Both are of one build, so numbers are sent as they lie in
/// memory; the version in Hello catches a mix of two builds.
///
/// One Unix stream socket per process. Every message is a frame: the payload's
/// size (8 bytes) and the payload. The library connects when the driver loads
/// it and sends Hello; the tool answers with a Target. When the program reaches
/// that launch, the library sends Held. From then on the tool sends Batches,
/// each answered by one Reply. The end of the connection, at any time and from
/// either side, is the end of the process: nothing outlives the tool.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_REPLAYPROTOCOL_H
#define CUDAL1_MEASURE_REPLAYPROTOCOL_H

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace cudal1::replay {

/// Environment variable: path of the tool's listening socket. The mode (see
/// trace::ModeVariable) is `replay`.
inline constexpr char SocketVariable[] = "CUDAL1_REPLAY_SOCKET";
inline constexpr uint32_t Version = 2;
/// A frame larger than this is an error of the protocol.
inline constexpr uint64_t MaxFrameBytes = uint64_t(4) << 30;

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

/// Appends values to a payload.
class Encoder {
public:
  template <typename T> void number(T Value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    const char *From = reinterpret_cast<const char *>(&Value);
    Bytes.append(From, sizeof(T));
  }
  /// A 64-bit size and that many bytes.
  void blob(const void *Data, uint64_t Size) {
    number(Size);
    Bytes.append(static_cast<const char *>(Data), Size);
  }
  void string(const std::string &Text) { blob(Text.data(), Text.size()); }

  std::string Bytes;
};

/// Takes values from a payload. Once something was missing, failed() is true
/// and every further value is 0 or empty.
class Decoder {
public:
  Decoder(const char *Data, uint64_t Size) : At(Data), End(Data + Size) {}
  explicit Decoder(const std::string &Payload)
      : Decoder(Payload.data(), Payload.size()) {}

  template <typename T> T number() {
    T Value{};
    if (const char *From = take(sizeof(T)))
      std::memcpy(&Value, From, sizeof(T));
    return Value;
  }
  std::string string() {
    auto Size = number<uint64_t>();
    const char *From = take(Size);
    return From ? std::string(From, Size) : std::string();
  }
  /// The bytes in place; null if there are fewer.
  const char *blob(uint64_t &Size) {
    Size = number<uint64_t>();
    return take(Size);
  }
  bool atEnd() const { return At == End; }
  bool failed() const { return Failed; }

private:
  const char *take(uint64_t Size) {
    if (Failed || Size > uint64_t(End - At)) {
      Failed = true;
      return nullptr;
    }
    const char *From = At;
    At += Size;
    return From;
  }

  const char *At, *End;
  bool Failed = false;
};

//===----------------------------------------------------------------------===//
// Before the launch
//===----------------------------------------------------------------------===//

/// Library to tool, as soon as it is loaded.
struct Hello {
  uint32_t Version = replay::Version;
  int64_t Pid = 0;
  /// Set when this process cannot be held (no CUPTI, …): the reason. The
  /// program then runs on as if the library were not there.
  std::string Problem;

  void encode(Encoder &E) const {
    E.number(Version);
    E.number(Pid);
    E.string(Problem);
  }
  void decode(Decoder &D) {
    Version = D.number<uint32_t>();
    Pid = D.number<int64_t>();
    Problem = D.string();
  }
};

/// Tool to library: the launch at which to hold.
struct Target {
  /// As the driver spells it (CUpti_CallbackData::symbolName).
  std::string Kernel;
  /// Which launch of that name, counted from 0 over successful and failed
  /// calls of all launch functions, captured ones included.
  uint64_t Ordinal = 0;

  void encode(Encoder &E) const {
    E.string(Kernel);
    E.number(Ordinal);
  }
  void decode(Decoder &D) {
    Kernel = D.string();
    Ordinal = D.number<uint64_t>();
  }
};

//===----------------------------------------------------------------------===//
// At the launch
//===----------------------------------------------------------------------===//

enum class MemoryKind : uint8_t {
  Device,  ///< cuMemAlloc and the like, pools
  Managed, ///< cuMemAllocManaged
  Host,    ///< page-locked host memory that the GPU can reach
  Mapped,  ///< known to the driver, not seen being allocated (cuMemMap, IPC)
};

struct Allocation {
  uint64_t Address = 0;
  uint64_t Bytes = 0;
  MemoryKind Kind = MemoryKind::Device;
};

struct ParameterLayout {
  uint32_t Offset = 0;
  uint32_t Size = 0;
};

/// Shape and attributes of a launch.
struct LaunchConfig {
  uint32_t Grid[3] = {1, 1, 1};
  uint32_t Block[3] = {1, 1, 1};
  uint32_t SharedBytes = 0;        ///< dynamic
  uint32_t Cluster[3] = {0, 0, 0}; ///< 0: no cluster
  uint8_t Cooperative = 0;

  void encode(Encoder &E) const {
    for (const auto *Shape : {Grid, Block, Cluster})
      for (int I = 0; I < 3; ++I)
        E.number(Shape[I]);
    E.number(SharedBytes);
    E.number(Cooperative);
  }
  void decode(Decoder &D) {
    for (auto *Shape : {Grid, Block, Cluster})
      for (int I = 0; I < 3; ++I)
        Shape[I] = D.number<uint32_t>();
    SharedBytes = D.number<uint32_t>();
    Cooperative = D.number<uint8_t>();
  }
};

/// What the driver says of a loaded function.
struct FunctionInfo {
  uint64_t Handle = 0; ///< CUfunction
  int32_t Registers = 0;
  int32_t StaticSharedBytes = 0;
  int32_t LocalBytes = 0;       ///< per thread: spills and local arrays
  int32_t MaxThreads = 0;       ///< of a block
  int32_t MaxDynamicShared = 0; ///< CU_FUNC_ATTRIBUTE_…_SIZE_BYTES
  int32_t SharedCarveout = -1;  ///< preferred, percent; -1: default
  /// As set by the program or in the code: clusters of more than eight blocks
  /// may be launched; how they are scheduled; the cluster that a launch has.
  int32_t NonPortableCluster = 0;
  int32_t ClusterScheduling = 0;
  int32_t RequiredCluster[3] = {0, 0, 0}; ///< 0: none
  std::vector<ParameterLayout> Parameters;

  void encode(Encoder &E) const {
    E.number(Handle);
    for (int32_t Value : {Registers, StaticSharedBytes, LocalBytes, MaxThreads,
                          MaxDynamicShared, SharedCarveout, NonPortableCluster,
                          ClusterScheduling, RequiredCluster[0],
                          RequiredCluster[1], RequiredCluster[2]})
      E.number(Value);
    E.number(uint64_t(Parameters.size()));
    for (const ParameterLayout &P : Parameters) {
      E.number(P.Offset);
      E.number(P.Size);
    }
  }
  void decode(Decoder &D) {
    Handle = D.number<uint64_t>();
    for (int32_t *Value :
         {&Registers, &StaticSharedBytes, &LocalBytes, &MaxThreads,
          &MaxDynamicShared, &SharedCarveout, &NonPortableCluster,
          &ClusterScheduling, &RequiredCluster[0], &RequiredCluster[1],
          &RequiredCluster[2]})
      *Value = D.number<int32_t>();
    auto Count = D.number<uint64_t>();
    Parameters.clear();
    for (uint64_t I = 0; I < Count && !D.failed(); ++I) {
      ParameterLayout P;
      P.Offset = D.number<uint32_t>();
      P.Size = D.number<uint32_t>();
      Parameters.push_back(P);
    }
  }
};

/// Library to tool: the program stands before the launch. All work it had
/// queued is finished; its other threads wait at their next driver call.
struct Held {
  LaunchConfig Launch;
  FunctionInfo Function; ///< the original
  /// The packed parameter buffer, as laid out by Function.Parameters.
  std::string Arguments;
  std::vector<Allocation> Allocations; ///< live ones, by address
  /// Live CUDA arrays that surfaces may write to. Their contents are not
  /// among Allocations.
  uint64_t SurfaceArrays = 0;
  /// The launch goes into a graph and runs later: there is nothing to replay.
  uint8_t Captured = 0;
  /// The program has memory that replay cannot save; says which.
  std::string UnsavedMemory;
  /// The launch has attributes that replay does not repeat; names them.
  std::string UnsupportedAttribute;
  /// Launches of all kernels before this one.
  uint64_t EarlierLaunches = 0;

  std::string DeviceName;
  std::string DeviceUuid; ///< in hexadecimal; empty: not known
  uint32_t Multiprocessors = 0;
  uint64_t L2Bytes = 0;
  uint32_t ClockKHz = 0;                  ///< SM clock, the highest
  uint32_t MaxSharedPerBlock = 0;         ///< with opt-in
  uint64_t FreeBytes = 0, TotalBytes = 0; ///< of device memory

  void encode(Encoder &E) const {
    Launch.encode(E);
    Function.encode(E);
    E.string(Arguments);
    E.number(uint64_t(Allocations.size()));
    for (const Allocation &A : Allocations) {
      E.number(A.Address);
      E.number(A.Bytes);
      E.number(A.Kind);
    }
    E.number(SurfaceArrays);
    E.number(Captured);
    E.string(UnsavedMemory);
    E.string(UnsupportedAttribute);
    E.number(EarlierLaunches);
    E.string(DeviceName);
    E.string(DeviceUuid);
    E.number(Multiprocessors);
    E.number(L2Bytes);
    E.number(ClockKHz);
    E.number(MaxSharedPerBlock);
    E.number(FreeBytes);
    E.number(TotalBytes);
  }
  void decode(Decoder &D) {
    Launch.decode(D);
    Function.decode(D);
    Arguments = D.string();
    auto Count = D.number<uint64_t>();
    Allocations.clear();
    for (uint64_t I = 0; I < Count && !D.failed(); ++I) {
      Allocation A;
      A.Address = D.number<uint64_t>();
      A.Bytes = D.number<uint64_t>();
      A.Kind = D.number<MemoryKind>();
      Allocations.push_back(A);
    }
    SurfaceArrays = D.number<uint64_t>();
    Captured = D.number<uint8_t>();
    UnsavedMemory = D.string();
    UnsupportedAttribute = D.string();
    EarlierLaunches = D.number<uint64_t>();
    DeviceName = D.string();
    DeviceUuid = D.string();
    Multiprocessors = D.number<uint32_t>();
    L2Bytes = D.number<uint64_t>();
    ClockKHz = D.number<uint32_t>();
    MaxSharedPerBlock = D.number<uint32_t>();
    FreeBytes = D.number<uint64_t>();
    TotalBytes = D.number<uint64_t>();
  }
};

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Each is one byte followed by its fields in the order given. Copies, fills
/// and launches go, in order, to one stream of the library's own and return at
/// once; what reads back waits for them. "→" is what the Reply holds for it.
enum class Op : uint8_t {
  /// blob image → u64 module
  LoadModule = 1,
  /// u64 module
  UnloadModule,
  /// u64 module, string name → FunctionInfo. Module 0: the held function
  /// itself, name ignored.
  GetFunction,
  /// u64 module, string name → u64 address, u64 bytes; address 0: no such
  /// variable (no error). Module 0: the module of the held function.
  GetGlobal,
  /// u64 function, i32 CUfunction_attribute, i32 value
  SetFunctionAttribute,
  /// u64 bytes, u8 host (1: page-locked host memory) → u64 address, 0: there is
  /// no room (no error)
  Allocate,
  /// u64 address, u8 host
  Free,
  /// → u64 free, u64 total bytes of device memory
  MemoryInfo,
  /// u64 to, u64 from, u64 bytes
  Copy,
  /// u64 to, u64 bytes, u8 value
  Fill,
  /// u64 to, blob data. Waits.
  Write,
  /// u64 from, u64 bytes → blob. Waits.
  Read,
  /// u64 function, LaunchConfig, blob arguments (packed, as FunctionInfo lays
  /// them out), u8 timed
  Launch,
  /// Waits for all of the above.
  Synchronize,
  /// From here on the stream waits until Flow, so that what follows is queued
  /// before its first operation runs. At most MaxDammed operations until Flow.
  Dam,
  /// Lets it flow, waits for it → u64 count, and for each timed launch since
  /// Dam, in order: f64 microseconds by CUPTI (0: not known), f64 by events.
  Flow,
  /// What was to stay in the L2 cache need not stay there any longer.
  ResetPersistingL2,
  /// The program goes on; no more Batches. Not answered.
  Resume,
};

/// The driver's queue is finite: a longer list would wait for itself.
inline constexpr unsigned MaxDammed = 400;

/// A list of operations: its payload is the encoded operations.
class Batch {
public:
  void loadModule(const std::string &Image) {
    op(Op::LoadModule).string(Image);
  }
  void unloadModule(uint64_t Module) { op(Op::UnloadModule).number(Module); }
  void getFunction(uint64_t Module, const std::string &Name) {
    op(Op::GetFunction).number(Module);
    E.string(Name);
  }
  void getGlobal(uint64_t Module, const std::string &Name) {
    op(Op::GetGlobal).number(Module);
    E.string(Name);
  }
  void setFunctionAttribute(uint64_t Function, int32_t Attribute,
                            int32_t Value) {
    op(Op::SetFunctionAttribute).number(Function);
    E.number(Attribute);
    E.number(Value);
  }
  void allocate(uint64_t Bytes, bool Host) {
    op(Op::Allocate).number(Bytes);
    E.number(uint8_t(Host));
  }
  void free(uint64_t Address, bool Host) {
    op(Op::Free).number(Address);
    E.number(uint8_t(Host));
  }
  void memoryInfo() { op(Op::MemoryInfo); }
  void copy(uint64_t To, uint64_t From, uint64_t Bytes) {
    op(Op::Copy).number(To);
    E.number(From);
    E.number(Bytes);
  }
  void fill(uint64_t To, uint64_t Bytes, uint8_t Value) {
    op(Op::Fill).number(To);
    E.number(Bytes);
    E.number(Value);
  }
  void write(uint64_t To, const void *Data, uint64_t Bytes) {
    op(Op::Write).number(To);
    E.blob(Data, Bytes);
  }
  void read(uint64_t From, uint64_t Bytes) {
    op(Op::Read).number(From);
    E.number(Bytes);
  }
  void launch(uint64_t Function, const LaunchConfig &Config,
              const std::string &Arguments, bool Timed) {
    op(Op::Launch).number(Function);
    Config.encode(E);
    E.string(Arguments);
    E.number(uint8_t(Timed));
  }
  void synchronize() { op(Op::Synchronize); }
  void dam() { op(Op::Dam); }
  void flow() { op(Op::Flow); }
  void resetPersistingL2() { op(Op::ResetPersistingL2); }
  void resume() { op(Op::Resume); }

  const std::string &payload() const { return E.Bytes; }
  unsigned operations() const { return Count; }

private:
  Encoder &op(Op Code) {
    ++Count;
    E.number(Code);
    return E;
  }

  Encoder E;
  unsigned Count = 0;
};

/// Library to tool: the results of a Batch's operations, in order and without
/// separators. The first operation that fails ends the Batch; the results of
/// those before it are there.
struct Reply {
  int32_t Code = 0;             ///< CUresult; 0: all went well
  uint32_t FailedOperation = 0; ///< index, if Code is not 0
  /// The driver's name of the code, and what was being done.
  std::string Problem;
  std::string Results;

  void encode(Encoder &E) const {
    E.number(Code);
    E.number(FailedOperation);
    E.string(Problem);
    E.string(Results);
  }
  void decode(Decoder &D) {
    Code = D.number<int32_t>();
    FailedOperation = D.number<uint32_t>();
    Problem = D.string();
    Results = D.string();
  }
};

} // namespace cudal1::replay

#endif // CUDAL1_MEASURE_REPLAYPROTOCOL_H
