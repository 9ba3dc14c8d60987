//===- CallGate.h - Where the program's other threads wait ------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_CALLGATE_H
#define CUDAL1_RUNTIME_CALLGATE_H

#include <condition_variable>
#include <mutex>

namespace cudal1::runtime {

/// All calls of the driver by the program go through here. While one thread
/// has closed the gate, others wait before their next call.
class CallGate {
public:
  /// Before a call. Calls within a call pass: their thread may hold a lock of
  /// the driver's.
  void enter() {
    if (depth()++ > 0)
      return;
    std::unique_lock<std::mutex> Lock(Mutex);
    Changed.wait(Lock, [&] { return !Closed; });
    ++Inside;
  }

  /// After a call. The one in which the library was loaded is not known.
  void leave() {
    int &Depth = depth();
    if (Depth == 0)
      return;
    --Depth;
    if (Depth > 0)
      return;
    std::lock_guard<std::mutex> Lock(Mutex);
    --Inside;
    Changed.notify_all();
  }

  /// By a thread within a call: returns when no other thread is within one, or
  /// after a second: such a thread waits for something else.
  void close();

  void open() {
    std::lock_guard<std::mutex> Lock(Mutex);
    Closed = false;
    Changed.notify_all();
  }

private:
  static int &depth() {
    thread_local int Depth = 0;
    return Depth;
  }

  std::mutex Mutex; ///< guards what follows
  std::condition_variable Changed;
  bool Closed = false;
  int Inside = 0; ///< threads within a call
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_CALLGATE_H
