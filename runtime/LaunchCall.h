//===- LaunchCall.h - A call that launches a kernel -------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_LAUNCHCALL_H
#define CUDAL1_RUNTIME_LAUNCHCALL_H

#include "Cupti.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include <optional>
#include <vector>

namespace cudal1::runtime {

/// What a program asks for by one launch, whichever function it calls. Valid as
/// long as the parameters of the call are.
struct LaunchCall {
  CUfunction Function = nullptr; ///< may be a CUkernel in a CUfunction's place
  replay::LaunchConfig Config;
  CUstream Stream = nullptr;
  const CUlaunchAttribute *Attributes = nullptr;
  unsigned AttributeCount = 0;
  void **Arguments = nullptr; ///< a pointer for each parameter, or null
  void **Extra = nullptr;     ///< the packed parameters, or null

  /// Where the argument lies; null if the call gives none.
  const char *argument(size_t Index, uint32_t Offset) const;
};

/// The launch that this call of the driver asks for, if it is one.
std::optional<LaunchCall> launchOf(CUpti_CallbackId Id, const void *Parameters);

/// The function that \p Launched stands for: a kernel of a library is launched
/// by its CUkernel, of which only the function made from it answers questions.
CUfunction resolveFunction(const Driver &D, CUfunction Launched);

/// Offset and size of each parameter of a resolved function; empty where the
/// driver does not say.
std::vector<replay::ParameterLayout> parametersOf(const Driver &D,
                                                  CUfunction Function);

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_LAUNCHCALL_H
