//===- RuntimeCompiler.h - Compile device code by NVRTC ---------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_RUNTIMECOMPILER_H
#define CUDAL1_LIB_MEASURE_RUNTIMECOMPILER_H

#include "LocalSocket.h"
#include "cudal1/Measure/CubinCompiler.h"
#include "cudal1/Support/Process.h"
#include <thread>

namespace cudal1 {

/// One process that compiles by NVRTC. It is kept: what NVRTC has read of
/// headers serves the next text as well. For one thread.
class RuntimeCompiler {
public:
  /// \p StopFlags end what is being compiled; null ones are never set.
  RuntimeCompiler(const RuntimeCompilerSpec &Spec, std::string MainFile,
                  std::string Arch,
                  std::vector<const std::atomic<bool> *> StopFlags);
  ~RuntimeCompiler();

  /// The cubin of \p Text, device code only, with the kernels that the
  /// expressions of \p Kernels name made from their templates. An Error when
  /// there is none, whyever: another compiler is to be asked.
  llvm::Expected<std::string> compile(llvm::StringRef Text,
                                      llvm::ArrayRef<std::string> Kernels,
                                      std::chrono::milliseconds TimeLimit);

private:
  llvm::Error start();
  void end();
  bool isStopped() const;

  const RuntimeCompilerSpec &Spec;
  std::string MainFile, Arch;
  std::vector<const std::atomic<bool> *> StopFlags;
  std::unique_ptr<LocalSocket> Socket;
  std::atomic<bool> Kill = false, Ended = false;
  std::thread Runner;
};

/// The expression that names a kernel made from a template, `scale<float, 4>`
/// of `void scale<float, 4>(float*, int)`; empty for one that is no template's
/// or that cannot be named from outside.
std::string nameExpression(llvm::StringRef MangledName);

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_RUNTIMECOMPILER_H
