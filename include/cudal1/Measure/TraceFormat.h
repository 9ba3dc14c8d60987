//===- TraceFormat.h - The file the injection library writes ----*- C++ -*-===//
///
/// \file
/// The binary format of a trace, and its writer. Plain C++17 without LLVM: this
/// header is compiled into the injection library, which runs inside the user's
/// process, and into the reader.
///
/// A file is a Header followed by records. A record is one byte of RecordKind,
/// eight bytes of payload size, and the payload: the fields that the writing
/// function names, in order, little-endian, strings and data as a 64-bit size
/// and bytes. A finished process ends its file with an End record; a file
/// without one comes from a process that died or called _exit.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_TRACEFORMAT_H
#define CUDAL1_MEASURE_TRACEFORMAT_H

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <string>
#include <time.h>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cudal1::trace {

/// The environment variables by which the tool talks to the library.
/// `trace`, `time`, or `replay` (see ReplayProtocol.h).
inline constexpr char ModeVariable[] = "CUDAL1_MODE";
inline constexpr char DirectoryVariable[] = "CUDAL1_TRACE_DIR";
inline constexpr char CuptiVariable[] = "CUDAL1_CUPTI"; ///< path of libcupti
inline constexpr char CopyCapVariable[] = "CUDAL1_COPY_CAP";   ///< bytes
inline constexpr char TotalCapVariable[] = "CUDAL1_TOTAL_CAP"; ///< bytes

/// What the name of every trace file ends with.
inline constexpr char FileSuffix[] = ".cl1trace";

inline constexpr char Magic[8] = {'C', 'U', 'D', 'A', 'L', '1', 'T', 'R'};
inline constexpr uint32_t Version = 1;

enum class Mode : uint32_t { Trace = 0, Time = 1 };

/// The start of the file.
struct Header {
  char Magic[8];
  uint32_t Version;
  uint32_t Mode;
  int64_t Pid;
  uint64_t StartNs; ///< CLOCK_MONOTONIC, when the library was loaded
};

enum class RecordKind : uint8_t {
  Note = 1,
  Launch = 2,
  Allocation = 3,
  Free = 4,
  Copy = 5,
  ApiError = 6,
  GraphLaunch = 7,
  String = 8,
  KernelActivity = 9,
  TransferActivity = 10,
  End = 11,
  ResourceCall = 12,
};

/// Bytes before the payload of a record.
inline constexpr size_t RecordPrefixBytes = 1 + sizeof(uint64_t);

/// One kernel argument. Only arguments of up to eight bytes have a value.
struct Parameter {
  uint32_t Offset = 0;
  uint32_t Size = 0;
  uint64_t Value = 0;
};

struct Launch {
  std::string Name; ///< mangled
  uint32_t Grid[3] = {1, 1, 1};
  uint32_t Block[3] = {1, 1, 1};
  uint32_t SharedBytes = 0;
  uint64_t Stream = 0;
  uint8_t Captured = 0; ///< recorded into a graph, not run now
  int32_t Result = 0;   ///< CUresult
  std::vector<Parameter> Parameters;
};

enum class AllocationKind : uint8_t { Device, Managed, Host };

/// Where the bytes of a Copy record come from.
enum class CopyOrigin : uint8_t {
  Copy,        ///< a device-to-host copy of the program
  GraphCopy,   ///< one that a graph launch performed
  SharedView,  ///< memory that host and GPU share, after the GPU was waited for
  FreedBuffer, ///< a device buffer just before the program freed it
};

enum class StoredData : uint8_t {
  None,    ///< only the hash
  Here,    ///< in this record
  Earlier, ///< in an earlier record of the same file with the same hash
};

enum class TransferKind : uint8_t {
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  Other,
  Memset,
};

/// Kinds of calls that are only counted.
struct Counters {
  uint64_t Launches = 0;
  uint64_t GraphLaunches = 0;
  uint64_t HostToDeviceCopies = 0;
  uint64_t Synchronizations = 0;
  uint64_t DroppedRecords = 0; ///< lost by CUPTI: times are too low
};

/// 128 bits over bytes: two independent multiply-rotate lanes, each finished
/// with MurmurHash3's 64-bit mixer. Not against malice, only against chance.
struct Hash {
  uint64_t Low = 0x9e3779b97f4a7c15ull;
  uint64_t High = 0xc2b2ae3d27d4eb4full;

  void add(const void *Data, size_t Size) {
    const auto *Bytes = static_cast<const unsigned char *>(Data);
    Total += Size;
    for (; Size >= 8; Size -= 8, Bytes += 8) {
      uint64_t Word;
      std::memcpy(&Word, Bytes, 8);
      mix(Word);
    }
    if (Size) {
      uint64_t Word = 0;
      std::memcpy(&Word, Bytes, Size);
      mix(Word);
    }
  }
  void finish() {
    Low = avalanche(Low ^ Total);
    High = avalanche(High + Low);
    Low ^= High;
  }
  bool operator==(const Hash &O) const {
    return Low == O.Low && High == O.High;
  }
  bool operator!=(const Hash &O) const { return !(*this == O); }
  bool operator<(const Hash &O) const {
    return Low != O.Low ? Low < O.Low : High < O.High;
  }

private:
  static uint64_t rotate(uint64_t X, int By) {
    return (X << By) | (X >> (64 - By));
  }
  static uint64_t avalanche(uint64_t X) {
    X = (X ^ (X >> 33)) * 0xff51afd7ed558ccdull;
    X = (X ^ (X >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return X ^ (X >> 33);
  }
  void mix(uint64_t Word) {
    Low = rotate((Low ^ Word) * 0x9fb21c651e98df25ull, 31);
    High = rotate((High + Word) * 0xd6e8feb86659fd93ull, 29) ^ Low;
  }

  uint64_t Total = 0;
};

/// Which bytes of a buffer are kept when it is larger than the cap: blocks
/// spread evenly over it, the first at its start, the last at its end.
class Sample {
public:
  static constexpr uint64_t BlockBytes = 4096;
  /// Blocks start at multiples of this, so that scalars are whole.
  static constexpr uint64_t Alignment = 64;

  Sample(uint64_t Total, uint64_t Cap)
      : Total(Total), Count(Total <= Cap || Total <= BlockBytes
                                ? 1
                                : std::max<uint64_t>(1, Cap / BlockBytes)),
        Whole(Total <= Cap || Total <= BlockBytes) {}

  uint64_t count() const { return Count; }
  bool whole() const { return Whole; }
  uint64_t offset(uint64_t Index) const {
    if (Count <= 1)
      return 0;
    uint64_t Last = (Total - BlockBytes) / Alignment;
    return Alignment * static_cast<uint64_t>(static_cast<double>(Last) *
                                             double(Index) / double(Count - 1));
  }
  uint64_t blockSize() const { return Whole ? Total : BlockBytes; }
  uint64_t bytes() const { return Whole ? Total : Count * BlockBytes; }

private:
  uint64_t Total;
  uint64_t Count;
  bool Whole;
};

inline uint64_t monotonicNs() {
  timespec Now;
  ::clock_gettime(CLOCK_MONOTONIC, &Now);
  return uint64_t(Now.tv_sec) * 1000000000u + uint64_t(Now.tv_nsec);
}

/// Builds the payload of one record.
class Payload {
public:
  template <typename T> Payload &add(T Value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    Bytes.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
    return *this;
  }
  Payload &add(const std::string &Text) {
    add(uint64_t(Text.size()));
    Bytes += Text;
    return *this;
  }
  const std::string &bytes() const { return Bytes; }

private:
  std::string Bytes;
};

/// Reads the fields of one payload in order. After a read past the end all
/// fields are zero or empty and ok() is false.
class Cursor {
public:
  Cursor(const char *Begin, uint64_t Size) : At(Begin), Left(Size) {}

  bool ok() const { return Ok; }
  uint64_t left() const { return Left; }

  template <typename T> T get() {
    T Value = {};
    if (const char *From = take(sizeof(T)))
      std::memcpy(&Value, From, sizeof(T));
    return Value;
  }

  /// A string or data: where it starts, and its size.
  std::pair<const char *, uint64_t> bytes() {
    auto Size = get<uint64_t>();
    const char *From = take(Size);
    return {From, From ? Size : 0};
  }

  /// The next record of a file: its kind and its payload. Not ok() at the end.
  std::pair<RecordKind, Cursor> record() {
    auto Kind = static_cast<RecordKind>(get<uint8_t>());
    auto [From, Size] = bytes();
    return {Kind, Cursor(From, Size)};
  }

  const char *take(uint64_t Size) {
    if (!Ok || Size > Left) {
      Ok = false;
      return nullptr;
    }
    const char *From = At;
    At += Size;
    Left -= Size;
    return From;
  }

private:
  const char *At;
  uint64_t Left;
  bool Ok = true;
};

/// Appends records to one file. Safe for several threads. After the first
/// failed write (a full disk) it writes no more, so that the file has no End.
class Writer {
public:
  Writer() = default;
  Writer(const Writer &) = delete;
  Writer &operator=(const Writer &) = delete;
  ~Writer() {
    if (Fd >= 0)
      ::close(Fd);
  }

  /// Creates `DIRECTORY/PID-NANOSECONDS.cl1trace`. False (with errno) if that
  /// fails.
  bool open(const std::string &Directory, Mode M) {
    Header H = {};
    std::memcpy(H.Magic, Magic, sizeof(Magic));
    H.Version = Version;
    H.Mode = static_cast<uint32_t>(M);
    H.Pid = ::getpid();
    H.StartNs = monotonicNs();
    std::string Path = Directory + "/" + std::to_string(H.Pid) + "-" +
                       std::to_string(H.StartNs) + FileSuffix;
    Fd = ::open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (Fd < 0)
      return false;
    Pending.append(reinterpret_cast<const char *>(&H), sizeof(H));
    flush();
    return true;
  }

  /// Bytes kept of one copy, and of all copies of the process.
  void setCaps(uint64_t Copy, uint64_t Total) {
    CopyCap = Copy;
    TotalCap = Total;
  }

  void note(const std::string &Text) {
    record(RecordKind::Note, Payload().add(Text));
  }

  void launch(const Launch &L) {
    Payload P;
    P.add(L.Name);
    for (uint32_t Dim : L.Grid)
      P.add(Dim);
    for (uint32_t Dim : L.Block)
      P.add(Dim);
    P.add(L.SharedBytes).add(L.Stream).add(L.Captured).add(L.Result);
    P.add(uint32_t(L.Parameters.size()));
    for (const Parameter &Arg : L.Parameters)
      P.add(Arg.Offset).add(Arg.Size).add(Arg.Value);
    record(RecordKind::Launch, P);
  }

  void allocation(AllocationKind Kind, uint64_t Address, uint64_t Bytes) {
    record(RecordKind::Allocation, Payload().add(Kind).add(Address).add(Bytes));
  }

  void free(uint64_t Address) {
    record(RecordKind::Free, Payload().add(Address));
  }

  /// Records \p Bytes bytes at \p Data that came from \p Source on the device.
  void copy(CopyOrigin Origin, uint64_t Source, const void *Data,
            uint64_t Bytes) {
    Hash H;
    H.add(Data, Bytes);
    H.finish();
    std::lock_guard<std::mutex> Lock(Mutex);
    uint64_t Cap = Saved < TotalCap ? CopyCap : std::min(CopyCap, LateCopyCap);
    Sample Blocks(Bytes, Cap);
    bool New = Seen.insert({H, Cap}).second;
    Payload P;
    P.add(Origin).add(Source).add(Bytes).add(H.Low).add(H.High).add(Cap);
    if (Cap == 0)
      P.add(StoredData::None);
    else if (!New)
      P.add(StoredData::Earlier);
    else {
      Saved += Blocks.bytes();
      std::string Kept;
      Kept.reserve(Blocks.bytes());
      for (uint64_t I = 0; I < Blocks.count(); ++I)
        Kept.append(static_cast<const char *>(Data) + Blocks.offset(I),
                    Blocks.blockSize());
      P.add(StoredData::Here).add(Kept);
    }
    append(RecordKind::Copy, P);
  }

  void apiError(const std::string &Function, int32_t Code) {
    record(RecordKind::ApiError, Payload().add(Function).add(Code));
  }

  void graphLaunch(uint64_t Stream, int32_t Result) {
    record(RecordKind::GraphLaunch, Payload().add(Stream).add(Result));
  }

  /// \p Index is the one later kernelActivity records name it by.
  void string(uint32_t Index, const std::string &Text) {
    record(RecordKind::String, Payload().add(Index).add(Text));
  }

  void kernelActivity(uint32_t Name, uint64_t StartNs, uint64_t EndNs,
                      uint32_t Stream) {
    record(RecordKind::KernelActivity,
           Payload().add(Name).add(StartNs).add(EndNs).add(Stream));
  }

  void transferActivity(TransferKind Kind, uint64_t StartNs, uint64_t EndNs,
                        uint64_t Bytes) {
    record(RecordKind::TransferActivity,
           Payload().add(Kind).add(StartNs).add(EndNs).add(Bytes));
  }

  /// A call that made or released what the GPU works with (memory, streams,
  /// graphs), in CUPTI's nanoseconds of the host.
  void resourceCall(uint64_t StartNs, uint64_t EndNs) {
    record(RecordKind::ResourceCall, Payload().add(StartNs).add(EndNs));
  }

  void end(const Counters &C) {
    record(RecordKind::End, Payload()
                                .add(monotonicNs())
                                .add(C.Launches)
                                .add(C.GraphLaunches)
                                .add(C.HostToDeviceCopies)
                                .add(C.Synchronizations)
                                .add(C.DroppedRecords));
    std::lock_guard<std::mutex> Lock(Mutex);
    flush();
  }

private:
  /// Pending bytes that make a write worth its system call.
  static constexpr size_t FlushBytes = size_t(1) << 18;
  /// Kept of each copy once the total cap is used up.
  static constexpr uint64_t LateCopyCap = uint64_t(64) << 10;

  void record(RecordKind Kind, const Payload &P) {
    std::lock_guard<std::mutex> Lock(Mutex);
    append(Kind, P);
  }

  void append(RecordKind Kind, const Payload &P) {
    uint64_t Size = P.bytes().size();
    Pending.push_back(static_cast<char>(Kind));
    Pending.append(reinterpret_cast<const char *>(&Size), sizeof(Size));
    Pending += P.bytes();
    if (Pending.size() >= FlushBytes)
      flush();
  }

  void flush() {
    size_t Done = 0;
    while (Fd >= 0 && Done < Pending.size()) {
      ssize_t Size = ::write(Fd, Pending.data() + Done, Pending.size() - Done);
      if (Size > 0) {
        Done += Size;
      } else if (errno != EINTR) {
        ::close(Fd);
        Fd = -1;
      }
    }
    Pending.clear();
  }

  std::mutex Mutex;
  int Fd = -1;
  std::string Pending;
  std::set<std::pair<Hash, uint64_t>> Seen;
  uint64_t Saved = 0;
  uint64_t CopyCap = uint64_t(16) << 20;
  uint64_t TotalCap = uint64_t(256) << 20;
};

} // namespace cudal1::trace

#endif // CUDAL1_MEASURE_TRACEFORMAT_H
