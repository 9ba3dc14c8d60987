//===- Record.h - Every measurement made, as a graph ------------*- C++ -*-===//
///
/// \file
/// policy/measurements: the format is described in docs/design/policy.md. A
/// kernel's nodes are its source texts, its edges the Rewrites that were
/// measured.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_TRAIN_RECORD_H
#define CUDAL1_TRAIN_RECORD_H

#include "cudal1/Network/Decision.h"
#include <filesystem>
#include <optional>

namespace cudal1 {

/// As design.md's Verdict; read from the record by name.
enum class Outcome {
  Faster,
  Same,
  Slower,
  Ambiguous,
  WrongResult,
  CompileError,
  RunError,
  Timeout,
  Unsupported
};
/// As in the record: "wrong-result".
const char *toString(Outcome O);
std::optional<Outcome> outcomeOf(std::string_view Name);
/// The Variant does not do what the original does, or does not run.
bool isFailure(Outcome O);

/// A step from a node, and what came of it.
struct RecordedAction {
  CandidateStep Step;
  /// Name of the node it leads to; empty when its edit could not be made.
  std::string To;
  /// Nothing: not measured.
  std::optional<Outcome> Verdict;
  /// ln(original time ÷ Variant time) and the ends of its confidence interval;
  /// 0 for failures.
  double LogSpeedup = 0, Low = 0, High = 0;

  /// Its outcome is known and says something: it may be offered.
  bool isKnown() const {
    return Verdict && !To.empty() && *Verdict != Outcome::Unsupported;
  }
};

/// A Variant whose steps were measured.
struct RecordedNode {
  std::vector<StepKey> Applied;
  double LogSpeedup = 0;
  NamedValues State;
  std::vector<RecordedAction> Actions;
};

struct RecordedKernel {
  std::string Program; ///< "row_walk/softmax"
  std::string Family;
  std::string Kernel;
  std::string Root; ///< name of the node of the original
  std::map<std::string, RecordedNode> Nodes;

  std::string name() const { return Program + ":" + Kernel; }
  /// The largest LogSpeedup of all right Variants, at least 0.
  double bestKnown() const;
  size_t measuredVariants() const;
};

/// In order of program and kernel. Kernels without a node of the original are
/// left out.
struct MeasurementRecord {
  std::vector<RecordedKernel> Kernels;
  /// The GPU's name, from the first line of each file; "" when not given.
  std::string Gpu;
  size_t Files = 0;
  size_t Measurements = 0;
};

/// Reads \p Paths: files (.jsonl or .jsonl.zst) and folders of such. The same
/// node may have several lines: their steps are put together, later ones count.
/// Throws TrainError with file and line.
MeasurementRecord readRecord(const std::vector<std::filesystem::path> &Paths);

} // namespace cudal1

#endif // CUDAL1_TRAIN_RECORD_H
