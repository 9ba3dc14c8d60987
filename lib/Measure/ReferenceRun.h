//===- ReferenceRun.h - What the original program does ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REFERENCERUN_H
#define CUDAL1_LIB_MEASURE_REFERENCERUN_H

#include "cudal1/Measure/Engine.h"
#include "cudal1/Measure/OutputCompare.h"
#include "cudal1/Measure/ProgramRunner.h"
#include "cudal1/Measure/TraceCompare.h"
#include <map>
#include <memory>

namespace cudal1 {

/// The original program's results, learnt from several runs, and the comparison
/// of a variant's with them.
class ReferenceRun {
public:
  /// \p First and \p Second are traced runs of the original. \p Relative: see
  /// Tolerance.
  ReferenceRun(ProgramRun First, const ProgramRun &Second,
               std::vector<ResultFile> OutputFiles,
               const KernelParameterTable &Table,
               std::optional<double> Relative);

  /// Adds what another run, traced or timed, printed and wrote.
  void addOutputs(const ProgramRun &Run);

  /// Learns from another traced run of the original.
  void addTraced(const ProgramRun &Run);

  /// What varies and what is odd, one sentence each.
  void describe(Baseline &B) const;

  /// The first run.
  const ProgramRun &original() const { return Original; }

  /// True if \p BaseName is a kernel of the original.
  bool hasKernel(const std::string &BaseName) const {
    return Record.KernelRuns.count(BaseName);
  }

  /// Compares exit code, outputs and trace of a traced run that ended by
  /// itself with those of the original, of which \p C is a Variant. Sentences
  /// are appended to \p M; false if something is wrong.
  bool compareTraced(const ProgramRun &Run, const Candidate &C,
                     Measurement &M) const;

  /// Compares exit code, stdout and kernel runs of a timed run.
  bool compareTimed(const ProgramRun &Run, const Candidate &C,
                    Measurement &M) const;

private:
  bool compareOutputs(const ProgramRun &Run, FpClass Class,
                      Measurement &M) const;
  bool compareFile(const ResultFile &File, const ProgramRun &Run, FpClass Class,
                   Measurement &M) const;
  Tolerance limitsOf(FpClass Class) const { return {Class, 0, Relative}; }
  static bool isText(llvm::StringRef Contents);

  ProgramRun Original; ///< owns what Record refers to
  std::vector<ResultFile> OutputFiles;
  const KernelParameterTable &Table;
  std::optional<double> Relative;
  RunRecord Record;
  RunVariation Variation;
  ReferenceOutput Stdout;
  std::map<std::string, std::unique_ptr<ReferenceOutput>> TextFiles;
  std::map<std::string, bool> FileVaries; ///< binary files
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REFERENCERUN_H
