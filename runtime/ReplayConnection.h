//===- ReplayConnection.h - The way to the tool -----------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_REPLAYCONNECTION_H
#define CUDAL1_RUNTIME_REPLAYCONNECTION_H

#include <string>

namespace cudal1::runtime {

/// The socket to the tool, and the promise that nothing outlives it: once
/// connected, a thread of ours ends the process as soon as the tool's end is
/// closed, whatever the program is doing. Never destroyed once connected.
class ReplayConnection {
public:
  /// False: there is no tool at \p Path; errno says why.
  bool connect(const char *Path);

  /// Ends the process if the tool is gone.
  void send(const std::string &Payload);
  /// The next frame. Ends the process if the tool is gone.
  std::string receive();

  /// In a child made by fork: the connection is the parent's.
  void abandon();

private:
  bool watch();
  void readExactly(char *To, size_t Size);
  void writeAll(const char *From, size_t Size);

  int Socket = -1;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_REPLAYCONNECTION_H
