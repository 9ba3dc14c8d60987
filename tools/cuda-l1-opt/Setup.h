//===- Setup.h - What all inputs of one call share --------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_SETUP_H
#define CUDAL1_TOOL_SETUP_H

#include "CommandLine.h"
#include "Console.h"
#include "Settings.h"
#include "cudal1/Frontend/CompileUnit.h"
#include "cudal1/Frontend/Toolchain.h"
#include "cudal1/Measure/Gpu.h"
#include "cudal1/Policy/LearnedPolicy.h"

namespace cudal1 {

struct Setup {
  const CommandLine &Line;
  Console &Out;
  const std::atomic<bool> &Stop;
  /// Full path of this program.
  std::string Executable;
  std::string ResourceDir;
  std::optional<CudaToolkit> Toolkit;
  /// Why there is no Toolkit.
  std::string NoToolkit;
  std::optional<GpuInfo> Gpu;
  /// Why there is no Gpu.
  std::string NoGpu;
  /// Null: the table of experience alone.
  std::shared_ptr<const LearnedPolicy> Learned = nullptr;

  bool interrupted() const { return Stop.load(); }
};

/// Finds Clang's headers, the toolkit and, where something is to be measured,
/// the GPU. A missing toolkit or GPU is no error here.
llvm::Expected<Setup> prepare(const CommandLine &Line, Console &Out,
                              const std::atomic<bool> &Stop,
                              llvm::StringRef Executable);

/// How one input is compiled.
llvm::Expected<CompileUnit> resolveInput(const Setup &S, const Settings &Chosen,
                                         llvm::StringRef Input);

} // namespace cudal1

#endif // CUDAL1_TOOL_SETUP_H
