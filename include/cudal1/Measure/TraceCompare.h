//===- TraceCompare.h - Compare what two runs did on the GPU ----*- C++ -*-===//

#ifndef CUDAL1_MEASURE_TRACECOMPARE_H
#define CUDAL1_MEASURE_TRACECOMPARE_H

#include "cudal1/Measure/BufferCompare.h"
#include "cudal1/Measure/ElementType.h"
#include "cudal1/Measure/Trace.h"
#include "cudal1/Support/KernelMerge.h"
#include <map>
#include <string>
#include <vector>

namespace cudal1 {

/// The copies of one origin, in order, across all processes of a run, each
/// with the element layout of the buffer that it came from.
struct TypedCopy {
  const TraceCopy *Copy;
  ElementLayout Layout; ///< empty if not known
  uint64_t Phase;       ///< bytes from an element's start to the copy's start
  /// Number of the allocation it came from, counted from 1; 0 if not known.
  uint64_t Allocation = 0;
  uint64_t Offset = 0; ///< bytes from that allocation's start
};

/// One run of a program as far as comparing needs it. Refers to the traces.
struct RunRecord {
  std::map<trace::CopyOrigin, std::vector<TypedCopy>> Copies;
  /// Kernels that ran, by base name, those of graphs too (from CUPTI's activity
  /// records, or from the launches if there are none).
  std::map<std::string, uint64_t> KernelRuns;
  std::map<std::pair<std::string, int>, uint64_t> ApiErrors;
  /// False if a process of the run died or left without its End record.
  bool Complete = true;

  uint64_t totalKernelRuns() const;
};

/// Collects a run. The layout of a copy is that of the last launch before it
/// which got a pointer into the same allocation as a parameter with a layout in
/// \p Table.
RunRecord recordRun(llvm::ArrayRef<Trace> Traces,
                    const KernelParameterTable &Table);

/// What differs from one run of the original to the next.
struct RunVariation {
  /// Per origin and index: the noise of a copy (see Tolerance), infinite if
  /// the copy cannot be compared at all.
  std::map<std::pair<trace::CopyOrigin, size_t>, double> CopyNoise;
  /// The numbers of copies of these origins vary.
  std::map<trace::CopyOrigin, bool> CountVaries;
  bool KernelRunsVary = false;
  bool ApiErrorsVary = false;
  bool HasNan = false; ///< a compared buffer of the original holds NaN
  /// One sentence for each of the above.
  std::vector<std::string> Sentences;
};

/// Learns the variation from two runs of the original.
RunVariation learnVariation(const RunRecord &First, const RunRecord &Second);

/// Adds what comparing \p First with yet another run of the original shows.
void addVariation(RunVariation &Known, const RunRecord &First,
                  const RunRecord &Another);

/// The outcome of comparing a variant's run with the original's.
struct RunComparison {
  /// What is wrong, one sentence each; empty if the runs agree.
  std::vector<std::string> Problems;
  /// What was compared, one sentence each.
  std::vector<std::string> Evidence;
  ErrorFigures Figures;

  bool equal() const { return Problems.empty(); }
};

/// Which of the original's copies to the host a variant must have.
enum class CopyCount {
  All,
  /// For each place of device memory that is copied from, the last ones, one
  /// at least: a rewrite of host code may leave out those that are written over
  /// before the host looks at them.
  LastOfEachPlace
};

/// Compares copies in order and by value, the number of runs of each kernel
/// (fewer than the original is a problem) and the failed calls. The noise of
/// \p Limits is that of \p Variation, copy by copy. The work of the kernels
/// \p Replaced (mangled) is done by a library: they may run less often, as may
/// those that others took over by \p Merges; and
/// calls that only the variant makes may fail, since a library tries out what
/// there is.
RunComparison compareRuns(const RunRecord &Original, const RunRecord &Variant,
                          const RunVariation &Variation,
                          const Tolerance &Limits,
                          CopyCount Count = CopyCount::All,
                          llvm::ArrayRef<std::string> Replaced = {},
                          llvm::ArrayRef<KernelMerge> Merges = {});

/// What \p Variant ran does the work of \p Count runs of kernel \p Name: runs
/// of that kernel, or of those that took it over by \p Merges.
bool ranOftenEnough(const std::string &Name, uint64_t Count,
                    const RunRecord &Variant,
                    llvm::ArrayRef<KernelMerge> Merges);

/// A kernel of base name \p Name is among \p Replaced.
bool isReplaced(llvm::StringRef Name, llvm::ArrayRef<std::string> Replaced);

} // namespace cudal1

#endif // CUDAL1_MEASURE_TRACECOMPARE_H
