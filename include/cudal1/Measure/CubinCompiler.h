//===- CubinCompiler.h - Compile variants to cubins, ahead ------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_CUBINCOMPILER_H
#define CUDAL1_MEASURE_CUBINCOMPILER_H

#include "cudal1/Measure/Engine.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// NVRTC, which takes device code only, and for the same code a fraction of
/// nvcc's time.
struct RuntimeCompilerSpec {
  std::string Executable; ///< cudal1-nvrtc; empty: NVRTC is not used
  std::string Library;    ///< libnvrtc.so of the compiler's own toolkit
  /// All but the architecture.
  std::vector<std::string> Arguments;
  /// A version of the main file without host code; nothing where that cannot
  /// be had. Called by several threads.
  std::function<std::optional<std::string>(llvm::StringRef)> DeviceText;
};

/// How the unit's device code is compiled.
struct CubinSpec {
  std::string MainFile; ///< absolute
  std::string Compiler; ///< full path of nvcc
  /// The unit's own flags. What makes other outputs of it (-c, -o, -M…) and
  /// what chooses architectures is dropped.
  std::vector<std::string> Flags;
  std::string Arch; ///< the one to compile for, e.g. `sm_90`
  /// Where the flags' relative paths start; empty means the current folder.
  std::string Directory;
  /// For files of the compiler's own; made if need be. What is made in it is
  /// removed.
  std::string WorkFolder;
  RuntimeCompilerSpec Runtime;
  /// Compilers at once.
  unsigned Jobs = 1;
  std::chrono::milliseconds TimeLimit{600000};
  /// When it turns true, compilers are killed and take() returns soon.
  const std::atomic<bool> *StopFlag = nullptr;
};

/// The outcome of a compilation: an image, or why there is none.
struct CubinOutcome {
  std::string Image; ///< of the cubin; empty if there is none
  /// The first error line, or what went wrong before the compiler ran.
  std::string Problem;
  bool TimedOut = false;
  bool Stopped = false;
  /// The source is right, but a cubin of this unit alone cannot be had.
  bool Unsupported = false;
  bool ByRuntimeCompiler = false; ///< made by NVRTC, not by nvcc
  double Milliseconds = 0;        ///< that the compiler took, by the wall clock

  bool ok() const { return !Image.empty(); }
};

/// Compiles variants of one unit in the background. Candidates with the same
/// texts are the same; each is compiled once, until it is released. Relocatable
/// device code is linked alone.
///
/// For use by one thread or several.
class CubinCompiler {
public:
  explicit CubinCompiler(CubinSpec Spec);
  /// Kills what is running.
  ~CubinCompiler();
  CubinCompiler(const CubinCompiler &) = delete;
  CubinCompiler &operator=(const CubinCompiler &) = delete;

  /// Has it compiled when its turn comes, and returns at once.
  void request(const Candidate &C);
  /// Waits for its cubin; one that nobody began is next.
  CubinOutcome take(const Candidate &C);
  /// Forgets its cubin. One that nobody began, or waits for, is not compiled.
  void release(const Candidate &C);

  /// The original compiled by NVRTC, to be compared with what nvcc makes of it;
  /// \p Kernels are those that it must hold, by their mangled names.
  CubinOutcome compileByNvrtc(const std::vector<std::string> &Kernels);
  /// From now on NVRTC is asked first, where only the main file is changed, and
  /// nvcc where NVRTC makes no cubin that holds these kernels.
  void useNvrtc(std::vector<std::string> Kernels);

private:
  class Pool;
  std::unique_ptr<Pool> Workers;
};

/// The flags that compile a unit's device code for one architecture that the
/// caller adds, from those that compile an object for any.
std::vector<std::string> flagsWithoutArch(llvm::ArrayRef<std::string> Flags);

} // namespace cudal1

#endif // CUDAL1_MEASURE_CUBINCOMPILER_H
