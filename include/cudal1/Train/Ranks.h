//===- Ranks.h - Several trainers that share their gradients ----*- C++ -*-===//

#ifndef CUDAL1_TRAIN_RANKS_H
#define CUDAL1_TRAIN_RANKS_H

#include <cstdint>
#include <vector>

namespace cudal1 {

/// The processes of one `mpirun`. Without MPI, or not started by a launcher,
/// there is one rank. One object a process, in main.
class Ranks {
public:
  Ranks();
  ~Ranks();
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  unsigned rank() const { return Rank; }
  unsigned size() const { return Size; }
  bool isFirst() const { return Rank == 0; }

  /// Each element becomes its sum over all ranks.
  void sum(std::vector<float> &Values) const;
  void sum(std::vector<double> &Values) const;
  /// The largest over all ranks.
  uint64_t max(uint64_t Value) const;

private:
  unsigned Rank = 0;
  unsigned Size = 1;
  bool Started = false;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_RANKS_H
