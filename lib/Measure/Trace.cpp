//===- Trace.cpp - What one process did on the GPU ------------------------===//

#include "cudal1/Measure/Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cudal1;

namespace {

/// Turns the records of one file into a Trace.
class Reader {
public:
  explicit Reader(Trace &T) : T(T) {}

  void read(trace::RecordKind Kind, trace::Cursor C) {
    T.Complete = false; // unless nothing follows the End record
    switch (Kind) {
    case trace::RecordKind::Note:
      T.Notes.push_back(text(C));
      return;
    case trace::RecordKind::Launch:
      return readLaunch(C);
    case trace::RecordKind::Allocation: {
      TraceAllocation A;
      A.Kind = C.get<trace::AllocationKind>();
      A.Address = C.get<uint64_t>();
      A.Bytes = C.get<uint64_t>();
      T.Events.push_back(A);
      return;
    }
    case trace::RecordKind::Free:
      T.Events.push_back(TraceFree{C.get<uint64_t>()});
      return;
    case trace::RecordKind::Copy:
      return readCopy(C);
    case trace::RecordKind::ApiError: {
      std::string Function = text(C);
      ++T.ApiErrors[{Function, C.get<int32_t>()}];
      return;
    }
    case trace::RecordKind::GraphLaunch:
      C.get<uint64_t>();
      T.Events.push_back(TraceGraphLaunch{C.get<int32_t>()});
      return;
    case trace::RecordKind::String: {
      auto Index = C.get<uint32_t>();
      // Indices are handed out one by one; anything else is a damaged file.
      if (Index == T.Names.size())
        T.Names.push_back(text(C));
      return;
    }
    case trace::RecordKind::KernelActivity: {
      KernelInterval K;
      K.Name = C.get<uint32_t>();
      K.StartNs = C.get<uint64_t>();
      K.EndNs = C.get<uint64_t>();
      if (K.Name < T.Names.size() && K.StartNs <= K.EndNs)
        T.Kernels.push_back(K);
      return;
    }
    case trace::RecordKind::TransferActivity: {
      TransferInterval X;
      X.Kind = C.get<trace::TransferKind>();
      X.StartNs = C.get<uint64_t>();
      X.EndNs = C.get<uint64_t>();
      X.Bytes = C.get<uint64_t>();
      if (X.StartNs <= X.EndNs)
        T.Transfers.push_back(X);
      return;
    }
    case trace::RecordKind::ResourceCall: {
      HostInterval Call;
      Call.StartNs = C.get<uint64_t>();
      Call.EndNs = C.get<uint64_t>();
      if (Call.StartNs <= Call.EndNs)
        T.ResourceCalls.push_back(Call);
      return;
    }
    case trace::RecordKind::End:
      C.get<uint64_t>();
      T.Counters.Launches = C.get<uint64_t>();
      T.Counters.GraphLaunches = C.get<uint64_t>();
      T.Counters.HostToDeviceCopies = C.get<uint64_t>();
      T.Counters.Synchronizations = C.get<uint64_t>();
      T.Counters.DroppedRecords = C.get<uint64_t>();
      T.Complete = C.ok();
      return;
    }
  }

private:
  static std::string text(trace::Cursor &C) {
    auto [From, Size] = C.bytes();
    return std::string(From ? From : "", Size);
  }

  void readLaunch(trace::Cursor C) {
    trace::Launch L;
    L.Name = text(C);
    for (uint32_t &Dim : L.Grid)
      Dim = C.get<uint32_t>();
    for (uint32_t &Dim : L.Block)
      Dim = C.get<uint32_t>();
    L.SharedBytes = C.get<uint32_t>();
    L.Stream = C.get<uint64_t>();
    L.Captured = C.get<uint8_t>();
    L.Result = C.get<int32_t>();
    for (auto Left = C.get<uint32_t>(); Left > 0 && C.ok(); --Left) {
      trace::Parameter P;
      P.Offset = C.get<uint32_t>();
      P.Size = C.get<uint32_t>();
      P.Value = C.get<uint64_t>();
      L.Parameters.push_back(P);
    }
    T.Events.push_back(std::move(L));
  }

  void readCopy(trace::Cursor C) {
    TraceCopy Copy;
    Copy.Origin = C.get<trace::CopyOrigin>();
    Copy.Source = C.get<uint64_t>();
    Copy.Bytes = C.get<uint64_t>();
    Copy.Digest.Low = C.get<uint64_t>();
    Copy.Digest.High = C.get<uint64_t>();
    Copy.SampleCap = C.get<uint64_t>();
    std::pair<trace::Hash, uint64_t> Key{Copy.Digest, Copy.SampleCap};
    switch (C.get<trace::StoredData>()) {
    case trace::StoredData::None:
      break;
    case trace::StoredData::Here: {
      auto [From, Size] = C.bytes();
      Copy.Kept = llvm::StringRef(From, Size);
      Kept[Key] = Copy.Kept;
      break;
    }
    case trace::StoredData::Earlier:
      Copy.Kept = Kept[Key];
      break;
    }
    if (Copy.Kept.size() != trace::Sample(Copy.Bytes, Copy.SampleCap).bytes())
      Copy.Kept = llvm::StringRef();
    T.Events.push_back(Copy);
  }

  Trace &T;
  std::map<std::pair<trace::Hash, uint64_t>, llvm::StringRef> Kept;
};

bool usedTheGpu(const Trace &T) {
  return !T.Events.empty() || !T.Kernels.empty() || !T.Transfers.empty() ||
         !T.Notes.empty();
}

/// Nanoseconds covered by at least one of the intervals. Sorts them.
uint64_t coveredNs(std::vector<std::pair<uint64_t, uint64_t>> &Intervals) {
  llvm::sort(Intervals);
  uint64_t Total = 0, End = 0;
  for (auto [Start, Stop] : Intervals) {
    Start = std::max(Start, End);
    if (Stop > Start)
      Total += Stop - Start;
    End = std::max(End, Stop);
  }
  return Total;
}

constexpr double MsPerNs = 1e-6;

std::vector<KernelTime> kernelTimes(llvm::ArrayRef<Trace> Traces) {
  llvm::StringMap<std::vector<uint64_t>> Durations;
  for (const Trace &T : Traces)
    for (const KernelInterval &K : T.Kernels)
      Durations[T.Names[K.Name]].push_back(K.EndNs - K.StartNs);
  std::vector<KernelTime> Result;
  for (auto &Entry : Durations) {
    std::vector<uint64_t> &Times = Entry.second;
    KernelTime K;
    K.Name = Entry.first().str();
    K.DisplayName = llvm::demangle(K.Name);
    K.Launches = Times.size();
    for (uint64_t Time : Times)
      K.TotalMs += MsPerNs * double(Time);
    auto Middle = Times.begin() + ptrdiff_t(Times.size() / 2);
    std::nth_element(Times.begin(), Middle, Times.end());
    K.MedianMs = MsPerNs * double(*Middle);
    auto [Shortest, Longest] = std::minmax_element(Times.begin(), Times.end());
    K.ShortestMs = MsPerNs * double(*Shortest);
    K.LongestMs = MsPerNs * double(*Longest);
    Result.push_back(std::move(K));
  }
  llvm::sort(Result, [](const KernelTime &A, const KernelTime &B) {
    return A.TotalMs != B.TotalMs ? A.TotalMs > B.TotalMs : A.Name < B.Name;
  });
  return Result;
}

} // namespace

llvm::Expected<Trace> cudal1::readTrace(llvm::StringRef Path) {
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!File)
    return llvm::createStringError(File.getError(),
                                   "cannot read the trace '" + Path +
                                       "': " + File.getError().message());
  Trace T;
  T.File = std::move(*File);
  trace::Cursor C(T.File->getBufferStart(), T.File->getBufferSize());
  auto H = C.get<trace::Header>();
  if (!C.ok() || std::memcmp(H.Magic, trace::Magic, sizeof(H.Magic)) != 0)
    return llvm::createStringError("'" + Path + "' is no trace");
  if (H.Version != trace::Version)
    return llvm::createStringError(
        "the trace '" + Path + "' has version " + llvm::Twine(H.Version) +
        ", this tool reads " + llvm::Twine(trace::Version) +
        "; use the injection library that came with it");
  T.Mode = static_cast<trace::Mode>(H.Mode);
  T.Pid = H.Pid;
  T.StartNs = H.StartNs;
  Reader R(T);
  while (C.left() > 0) {
    auto [Kind, Fields] = C.record();
    if (!C.ok()) {
      T.Complete = false;
      break;
    }
    R.read(Kind, Fields);
  }
  return std::move(T);
}

llvm::Expected<std::vector<Trace>>
cudal1::readTraces(llvm::StringRef Directory) {
  std::vector<Trace> Result;
  std::error_code Code;
  for (llvm::sys::fs::directory_iterator Entry(Directory, Code), End;
       Entry != End && !Code; Entry.increment(Code)) {
    if (!llvm::StringRef(Entry->path()).ends_with(trace::FileSuffix))
      continue;
    llvm::Expected<Trace> T = readTrace(Entry->path());
    if (!T)
      return T.takeError();
    if (usedTheGpu(*T))
      Result.push_back(std::move(*T));
  }
  if (Code)
    return llvm::createStringError(Code, "cannot list the traces in '" +
                                             Directory +
                                             "': " + Code.message());
  llvm::sort(Result, [](const Trace &A, const Trace &B) {
    return A.StartNs < B.StartNs;
  });
  return std::move(Result);
}

/// From the first to the last of \p Work, which is not empty, with the time of
/// the calls before and after it that make and release what it needs: a call
/// that is moved out of a loop to there still counts.
static uint64_t spanNs(llvm::ArrayRef<Trace> Traces,
                       llvm::ArrayRef<std::pair<uint64_t, uint64_t>> Work) {
  auto [Start, End] = Work.front();
  for (auto [From, To] : Work) {
    Start = std::min(Start, From);
    End = std::max(End, To);
  }
  uint64_t Outside = 0;
  for (const Trace &T : Traces)
    for (const HostInterval &Call : T.ResourceCalls) {
      uint64_t From = std::max(Start, Call.StartNs);
      uint64_t To = std::min(End, Call.EndNs);
      Outside += Call.EndNs - Call.StartNs - (From < To ? To - From : 0);
    }
  return End - Start + Outside;
}

RunTimes cudal1::summarizeTimes(llvm::ArrayRef<Trace> Traces) {
  std::vector<std::pair<uint64_t, uint64_t>> Kernels, Copies;
  for (const Trace &T : Traces) {
    for (const KernelInterval &K : T.Kernels)
      Kernels.push_back({K.StartNs, K.EndNs});
    for (const TransferInterval &X : T.Transfers)
      (X.Kind == trace::TransferKind::Memset ? Kernels : Copies)
          .push_back({X.StartNs, X.EndNs});
  }
  std::vector<std::pair<uint64_t, uint64_t>> All = Kernels;
  All.insert(All.end(), Copies.begin(), Copies.end());
  RunTimes Result;
  Result.Kernels = kernelTimes(Traces);
  Result.KernelMs = MsPerNs * double(coveredNs(Kernels));
  Result.CopyMs = MsPerNs * double(coveredNs(Copies));
  Result.GpuBusyMs = MsPerNs * double(coveredNs(All));
  if (!All.empty())
    Result.GpuSpanMs = MsPerNs * double(spanNs(Traces, All));
  return Result;
}

/// nvcc puts `__nv_static_21_<21 characters>_` before the names of static
/// kernels in relocatable device code; the characters change with the file.
static llvm::StringRef withoutStaticPrefix(llvm::StringRef Mangled) {
  llvm::StringRef Rest = Mangled;
  unsigned Length = 0;
  if (!Rest.consume_front("__nv_static_") || Rest.consumeInteger(10, Length) ||
      !Rest.consume_front("_") || Rest.size() <= Length + 1)
    return Mangled;
  return Rest.drop_front(Length + 1);
}

std::string cudal1::kernelBaseName(llvm::StringRef MangledName) {
  std::string Whole = llvm::demangle(withoutStaticPrefix(MangledName).str());
  // Cut the parameter list: the last '(' outside of template arguments that
  // is not the "(anonymous namespace)" of a qualifier.
  int Depth = 0;
  size_t End = Whole.size(), Begin = 0;
  for (size_t I = 0; I < Whole.size(); ++I) {
    char C = Whole[I];
    if (C == '<')
      ++Depth;
    else if (C == '>')
      --Depth;
    else if (Depth == 0 && C == '(') {
      if (llvm::StringRef(Whole).substr(I).starts_with("(anonymous")) {
        I = Whole.find(')', I);
        continue;
      }
      End = I;
      break;
    } else if (Depth == 0 && C == ' ') {
      Begin = I + 1; // after the return type of a template
    }
  }
  return Whole.substr(Begin, End - Begin);
}
