//===- ReplayInterpreter.h - Does what a batch says -------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_REPLAYINTERPRETER_H
#define CUDAL1_RUNTIME_REPLAYINTERPRETER_H

#include "ReplayDriver.h"
#include "ReplayTimer.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include <optional>

namespace cudal1::runtime {

/// Asks the driver for all of FunctionInfo. \p Function is a resolved one.
CallResult describeFunction(const ReplayDriver &D, CUfunction Function,
                            replay::FunctionInfo &To);

/// Carries out batches of operations in the context of the held program.
class ReplayInterpreter {
public:
  /// The launch that is held.
  struct Original {
    CUmodule Module = nullptr; ///< null: not known
    replay::FunctionInfo Function;
  };

  ReplayInterpreter(const ReplayDriver &D, ReplayTimer &Timer, Original Of)
      : D(D), Timer(Timer), Of(std::move(Of)) {}

  /// None: the batch ends with Op::Resume. If not \p Usable (see Held), every
  /// other operation fails.
  std::optional<replay::Reply> run(const std::string &Batch, bool Usable);

private:
  /// Takes the operation's fields from \p In, appends its results.
  CallResult perform(replay::Op Code, replay::Decoder &In);
  CallResult loadModule(replay::Decoder &In);
  CallResult unloadModule(replay::Decoder &In);
  CallResult getFunction(replay::Decoder &In);
  CallResult getGlobal(replay::Decoder &In);
  CallResult setFunctionAttribute(replay::Decoder &In);
  CallResult allocate(replay::Decoder &In);
  CallResult release(replay::Decoder &In);
  CallResult memoryInfo();
  CallResult resetPersistingL2();
  CallResult copy(replay::Decoder &In);
  CallResult fill(replay::Decoder &In);
  CallResult write(replay::Decoder &In);
  CallResult read(replay::Decoder &In);
  CallResult launch(replay::Decoder &In);

  const ReplayDriver &D;
  ReplayTimer &Timer;
  Original Of;
  replay::Encoder Out; ///< results of the batch that is being run
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_REPLAYINTERPRETER_H
