//===- HeldCase.h - A program held for one case of a kernel -----*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_HELDCASE_H
#define CUDAL1_LIB_MEASURE_REPLAY_HELDCASE_H

#include "Cases.h"
#include "Timer.h"

namespace cudal1 {

/// What all held processes of one program have in common.
struct ReplayContext {
  const ReplayEngineOptions &Options;
  const BuiltProgram &Program;
  std::string SupportImage;
  Cubin Original;
};

/// A process that is started when it is needed, and again after it was lost.
class HeldCase {
public:
  HeldCase(const ReplayContext &Context, ReplayCase Case, std::string Gpu)
      : Context(Context), Case(std::move(Case)), Gpu(std::move(Gpu)) {}

  const ReplayCase &what() const { return Case; }

  /// Starts the program unless it is held already. An Error never has to do
  /// with a variant; it is given again without trying when nothing can help.
  llvm::Error open();
  bool isOpen() const { return Device && Device->isAlive(); }
  /// Lets open() try again what was hopeless. False the second time.
  bool forgive() {
    if (std::exchange(Forgiven, true))
      return false;
    Hopeless.clear();
    Vary = Poison = true;
    Restarts = 0;
    return true;
  }
  void close();

  ReplayDevice &device() { return *Device; }
  ReplayState &state() { return *State; }
  ReplayTimer &timer() { return *Timer; }
  /// Standard deviation of the log ratio of two launches of the original.
  double noise() const { return Noise; }
  /// What a user should know of how this case is judged; one sentence each.
  std::vector<std::string> notes() const;

  std::chrono::milliseconds launchLimit(unsigned Launches) const;

private:
  llvm::Error tryOpen();
  bool changeWay(llvm::Error &E, bool Reached);
  llvm::Error checkHeld(const replay::Held &Held) const;
  llvm::Error learnNoise();
  llvm::Error learnOwnTime();

  const ReplayContext &Context;
  ReplayCase Case;
  std::string Gpu;
  std::unique_ptr<ReplayDevice> Device;
  std::unique_ptr<ReplayState> State;
  std::unique_ptr<ReplayTimer> Timer;
  /// Turned off when the original does not bear it.
  bool Vary = true, Poison = true;
  bool Forgiven = false;
  unsigned Restarts = 0; ///< since it came out otherwise than before
  std::string Hopeless;  ///< why it cannot be opened
  double Noise = 0;
  /// What putting memory back, launching the original and comparing takes.
  double OwnMs = 0;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_HELDCASE_H
