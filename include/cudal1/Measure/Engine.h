//===- Engine.h - The interface of every measuring engine -------*- C++ -*-===//
///
/// \file
/// Search sees only this interface, so a recorded engine can stand in for a GPU
/// in its tests.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_ENGINE_H
#define CUDAL1_MEASURE_ENGINE_H

#include "cudal1/Measure/KernelFacts.h"
#include "cudal1/Measure/Measurement.h"
#include "cudal1/Support/FpClass.h"
#include "cudal1/Support/KernelMerge.h"
#include "cudal1/Support/LaunchTransform.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// The text that stands in for one file of the user's program.
struct SourceReplacement {
  std::string OriginalPath; ///< absolute; the file itself is never touched
  std::string Text;
};

/// What a Variant does to the shape of every launch of one kernel.
struct LaunchChange {
  std::string Kernel; ///< mangled, as the driver knows it
  LaunchTransform Transform;
};

/// A Variant as an engine sees it: sources, and how right they must be.
struct Candidate {
  /// Short and unique within a search; names folders and messages.
  std::string Id;
  /// The main file and, if they changed, its local headers. Empty: the
  /// original itself (useful to measure the noise).
  std::vector<SourceReplacement> Sources;
  /// The largest fp class of its Rewrites; gives the tolerance.
  FpClass Class = FpClass::Exact;
  /// Mangled names of the kernels that its Rewrites touched. The speedup is
  /// that of these kernels' time, with the whole program held not to get
  /// slower. Empty: all kernels together.
  std::vector<std::string> Kernels;
  /// Changed shapes of launches, to be applied in this order. The sources say
  /// the same.
  std::vector<LaunchChange> Launches;
  /// Kernels that may run less often than in the original, as others do their
  /// work.
  std::vector<KernelMerge> Merges;
  /// Host code changed in other ways too: only a run of the whole program can
  /// judge it.
  bool ChangesHostCode = false;
  /// Mangled names of kernels whose work a library does instead: they need not
  /// run as often as in the original.
  std::vector<std::string> ReplacedKernels;
  /// Libraries to link with besides, by name: "cublas".
  std::vector<std::string> Libraries;
  /// What its speedup is the speedup of. GpuSpan where its Rewrites change what
  /// the host does between kernels: the kernels' own times would not show it.
  /// Kernels where there are ReplacedKernels: all kernels of the original
  /// against all of the variant, the library's included. What loading the
  /// library takes, once a run, is told and does not decide.
  TimedPart Part = TimedPart::Kernels;
  /// Speedup of the best Variant so far that touches the same kernels; 0: none.
  /// Once it is clear that this one stays below, its timing ends: how far below
  /// decides nothing.
  double SpeedupToBeat = 0;
};

/// What the engine learnt of the original program.
struct Baseline {
  std::string Engine;
  /// Tells the original program, as it was built, from all others (see
  /// programDigest); empty if that is not known.
  std::string ProgramDigest;
  /// The profile table; absent where nothing can be timed.
  std::optional<RunTimes> Times;
  /// How its kernels are launched and compiled; empty where that is not known.
  std::vector<KernelFacts> Kernels;
  /// What differs from one run of the original to the next, one sentence each.
  /// These parts are not compared (or only where they agree).
  std::vector<std::string> NonDeterminism;
  /// Other things the user should know (prints NaN, ignores CUDA errors, …).
  std::vector<std::string> Notes;
};

/// Compiles, verifies and times Variants of one program.
class MeasureEngine {
public:
  virtual ~MeasureEngine();

  /// The word of the report for this engine, e.g. `program`.
  virtual llvm::StringRef name() const = 0;

  /// Builds, runs and times the original. To be called once, before measure().
  /// An Error means that nothing can be measured: it does not build or run, no
  /// kernel ran, or there is no GPU.
  virtual llvm::Expected<Baseline> prepare() = 0;

  /// Judges one variant. Whatever goes wrong with it is a Verdict, never the
  /// end of the search.
  virtual Measurement measure(const Candidate &C) = 0;

  /// Judges these, with all GPUs that there are. The results are in the same
  /// order. By default one after the other.
  virtual std::vector<Measurement>
  measureAll(llvm::ArrayRef<Candidate> Candidates);

  /// How many measureAll() judges at the same time.
  virtual size_t atOnce() const { return 1; }

  /// Measures once more, as the last word: the whole program, nothing
  /// remembered.
  virtual Measurement confirm(const Candidate &C) { return measure(C); }

  /// A hint that these will be measured soon, so that they are compiled in
  /// parallel meanwhile. Must be as right without it.
  virtual void compileAhead(llvm::ArrayRef<Candidate> Candidates) {}
};

} // namespace cudal1

#endif // CUDAL1_MEASURE_ENGINE_H
