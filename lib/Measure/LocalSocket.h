//===- LocalSocket.h - Frames to and from a process of ours -----*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_LOCALSOCKET_H
#define CUDAL1_LIB_MEASURE_LOCALSOCKET_H

#include "cudal1/Support/TemporaryFolder.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace cudal1 {

/// A socket of this machine that listens at \p Path.
llvm::Expected<int> listenAt(const std::string &Path);

/// The tool's end of a socket of this machine, on which one process that it
/// started sends and takes frames: 64 bits of size, and that many bytes.
class LocalSocket {
public:
  /// When something is waited for, this is asked from time to time; true ends
  /// the wait.
  using GiveUp = std::function<bool()>;

  LocalSocket() = default;
  LocalSocket(const LocalSocket &) = delete;
  LocalSocket &operator=(const LocalSocket &) = delete;
  ~LocalSocket();

  llvm::Error listen();
  /// Where the process is to connect.
  const std::string &path() const { return Path; }

  /// Each is false when the other side is gone or \p Ended said so.
  bool accept(const GiveUp &Ended);
  bool send(const std::string &Payload, const GiveUp &Ended);
  bool receive(std::string &Payload, const GiveUp &Ended);

private:
  bool transfer(char *Bytes, size_t Size, bool IsSending, const GiveUp &Ended);

  std::optional<TemporaryFolder> Folder;
  std::string Path;
  int Listener = -1;
  int Connection = -1;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_LOCALSOCKET_H
