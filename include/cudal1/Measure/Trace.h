//===- Trace.h - What one process did on the GPU ----------------*- C++ -*-===//
///
/// \file
/// Reads the files of the injection library (see TraceFormat.h).
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_TRACE_H
#define CUDAL1_MEASURE_TRACE_H

#include "cudal1/Measure/Measurement.h"
#include "cudal1/Measure/TraceFormat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace cudal1 {

struct TraceAllocation {
  trace::AllocationKind Kind;
  uint64_t Address;
  uint64_t Bytes;
};

struct TraceFree {
  uint64_t Address;
};

/// Bytes that the host got to see.
struct TraceCopy {
  trace::CopyOrigin Origin;
  uint64_t Source; ///< device address; 0 if it came from a CUDA array
  uint64_t Bytes;
  trace::Hash Digest;   ///< of all bytes
  uint64_t SampleCap;   ///< the kept bytes are trace::Sample(Bytes, SampleCap)
  llvm::StringRef Kept; ///< points into the trace; empty if nothing was kept
};

struct TraceGraphLaunch {
  int32_t Result;
};

using TraceEvent = std::variant<trace::Launch, TraceAllocation, TraceFree,
                                TraceCopy, TraceGraphLaunch>;

/// One kernel that ran, with CUPTI's time stamps.
struct KernelInterval {
  uint32_t Name; ///< index into Trace::Names
  uint64_t StartNs;
  uint64_t EndNs;
};

/// One copy or memset that ran.
struct TransferInterval {
  trace::TransferKind Kind;
  uint64_t StartNs;
  uint64_t EndNs;
  uint64_t Bytes;
};

/// One call of the host that made or released what the GPU works with: memory,
/// a stream, a graph.
struct HostInterval {
  uint64_t StartNs;
  uint64_t EndNs;
};

/// The trace of one process.
struct Trace {
  trace::Mode Mode = trace::Mode::Trace;
  int64_t Pid = 0;
  uint64_t StartNs = 0;
  /// False if the process died or called _exit: the rest is what it had
  /// written until then.
  bool Complete = false;
  std::vector<TraceEvent> Events; ///< in order; empty in time mode
  /// How often each call failed with each code.
  std::map<std::pair<std::string, int>, uint64_t> ApiErrors;
  std::vector<std::string> Names;
  std::vector<KernelInterval> Kernels;
  std::vector<TransferInterval> Transfers;
  std::vector<HostInterval> ResourceCalls; ///< time mode only
  std::vector<std::string> Notes;          ///< what the library could not do
  trace::Counters Counters;
  /// Owns the bytes that the copies point into.
  std::shared_ptr<llvm::MemoryBuffer> File;
};

/// Reads one file. An Error if it is no trace, or of another version; a file
/// that ends early is a Trace that is not Complete.
llvm::Expected<Trace> readTrace(llvm::StringRef Path);

/// Reads every trace file of a folder, earliest process first. Processes that
/// used no GPU memory and ran no kernel are left out.
llvm::Expected<std::vector<Trace>> readTraces(llvm::StringRef Directory);

/// The times of one run from the traces of its processes; WallMs is left 0.
RunTimes summarizeTimes(llvm::ArrayRef<Trace> Traces);

/// A kernel's name without its parameter list (`scale`, `ns::k<float, 4>`),
/// from its mangled name. Rewrites that qualify parameters change the mangled
/// name, but not this one.
std::string kernelBaseName(llvm::StringRef MangledName);

} // namespace cudal1

#endif // CUDAL1_MEASURE_TRACE_H
