//===- Device.h - The GPU as the held process reaches it --------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_DEVICE_H
#define CUDAL1_LIB_MEASURE_REPLAY_DEVICE_H

#include "Session.h"
#include "StateKernels.h"
#include "cudal1/Measure/ReplayEngine.h"
#include <map>

namespace cudal1 {

/// A module and what the driver says of one of its functions.
struct LoadedFunction {
  uint64_t Module = 0;
  replay::FunctionInfo Info;
};

/// Memory, modules and the state kernels of one held process. Operations wait;
/// what is to run in a row is added to a Batch.
class ReplayDevice {
public:
  /// \p Support is the image of StateKernels.cu.
  static llvm::Expected<std::unique_ptr<ReplayDevice>>
  make(std::unique_ptr<ReplaySession> Session, llvm::StringRef Support,
       const ImageReader &Read);

  const replay::Held &held() const { return Session->held(); }
  bool isAlive() const { return Session->isAlive(); }

  /// As ReplaySession::run, but an operation that the driver refuses is an
  /// Error too.
  llvm::Expected<BatchReply> run(const replay::Batch &Work,
                                 std::chrono::milliseconds Limit);

  /// 0 when there is no room.
  llvm::Expected<uint64_t> allocate(uint64_t Bytes, bool Host = false);
  llvm::Error free(uint64_t Address, bool Host = false);
  llvm::Error write(uint64_t To, const void *Data, uint64_t Bytes);
  llvm::Expected<std::string> read(uint64_t From, uint64_t Bytes);
  llvm::Expected<uint64_t> freeMemory();

  llvm::Expected<LoadedFunction> load(const std::string &Image,
                                      const std::string &Function);
  llvm::Error unload(uint64_t Module);
  /// Address and size of a variable; address 0 if there is none.
  llvm::Expected<std::pair<uint64_t, uint64_t>> global(uint64_t Module,
                                                       const std::string &Name);

  /// Adds a launch of one of the state kernels over \p Count items.
  void launchState(replay::Batch &Work, llvm::StringRef Kernel, uint64_t Count,
                   llvm::ArrayRef<uint64_t> Addresses) const;

  /// A piece of device memory for the state kernels' own data, which holds
  /// until the next call.
  llvm::Expected<uint64_t> scratch(uint64_t Bytes);

private:
  explicit ReplayDevice(std::unique_ptr<ReplaySession> Session)
      : Session(std::move(Session)) {}

  std::unique_ptr<ReplaySession> Session;
  std::map<std::string, uint64_t> StateFunctions;
  uint64_t Scratch = 0, ScratchBytes = 0;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_DEVICE_H
