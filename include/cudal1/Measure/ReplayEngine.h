//===- ReplayEngine.h - Measure kernels in the held program -----*- C++ -*-===//

#ifndef CUDAL1_MEASURE_REPLAYENGINE_H
#define CUDAL1_MEASURE_REPLAYENGINE_H

#include "cudal1/Measure/Cubin.h"
#include "cudal1/Measure/CubinCompiler.h"
#include "cudal1/Measure/ProgramEngine.h"
#include <functional>

namespace cudal1 {

/// Which launch of a kernel its variants are judged at.
struct LaunchChoice {
  enum Kind {
    EveryShape, ///< a typical one of each shape that matters
    Ordinal,    ///< Which, counted from 0
  };
  Kind How = EveryShape;
  uint64_t Which = 0;
};

/// Reads the image of a module; tests have their own.
using ImageReader = std::function<llvm::Expected<Cubin>(llvm::StringRef Image)>;

/// What the replay engine needs to know.
struct ReplayEngineOptions {
  /// How the unit's device code is compiled.
  CubinSpec Cubins;
  RunSpec Run;
  InjectionSpec Injection;
  /// What the kernels' pointers point to; without it buffers are compared as
  /// bytes, and cannot be varied.
  KernelParameterTable Parameters;
  PointerMemberTable Members;
  WriteOnlyTable WriteOnly;
  ImageReader ReadImage = readCubin;
  /// Existing folder; what is made in it is removed again.
  std::string WorkFolder;

  LaunchChoice Launch;
  /// Data sets besides the program's own, with floating-point values varied.
  unsigned Seeds = 3;
  std::optional<double> RelativeTolerance;
  StoppingRule Stopping = replayStopping();
  /// Timing of one variant ends after this, with what is known then.
  std::chrono::milliseconds TimingBudget{5000};
  /// The program must reach a launch within this.
  std::chrono::milliseconds StartLimit{600000};
  /// A launch may take this many times as long as the original's, and this much
  /// more.
  double LaunchTimeFactor = 20;
  std::chrono::milliseconds LaunchTimeConstant{2000};
  /// Values of CUDA_VISIBLE_DEVICES, one for each worker; empty: one worker on
  /// the program's own choice. Workers on one GPU take turns.
  std::vector<std::string> Gpus;
  /// Peak of the GPU's memory, in 1e9 bytes/s; 0 if not known. With it a time
  /// in which the results cannot have been written is rejected.
  double MemoryBandwidthGBs = 0;
  const std::atomic<bool> *StopFlag = nullptr;

  /// Pairs of launches are cheap, so more of them than of program runs.
  static StoppingRule replayStopping();
};

/// Engine 1 of the design. The program is held at a launch of the kernel that a
/// variant touches; the variant's cubin runs there on the program's own
/// buffers, is compared with the original on these and on varied data, and
/// timed against it. What replay cannot judge (host code, kernels of graphs,
/// surfaces, …) goes to \p Program, which confirms winners as well.
std::unique_ptr<MeasureEngine>
makeReplayEngine(ReplayEngineOptions Options,
                 std::unique_ptr<WholeProgramEngine> Program);

} // namespace cudal1

#endif // CUDAL1_MEASURE_REPLAYENGINE_H
