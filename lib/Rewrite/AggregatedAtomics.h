//===- AggregatedAtomics.h - Atomics once a block ---------------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_AGGREGATEDATOMICS_H
#define CUDAL1_LIB_REWRITE_AGGREGATEDATOMICS_H

#include "AtomicTargets.h"
#include "BodyText.h"
#include "ItemLaunches.h"
#include "ReadAhead.h"
#include "ReductionText.h"

namespace cudal1 {

/// How much a block gathers, and where.
struct AggregationShape {
  /// Elements of a thread.
  int64_t Items = 1;
  /// Places in shared memory for each bin.
  int64_t Copies = 1;
  /// Elements that are read before the first of them is used; divides Items.
  int64_t Ahead = 1;
};

/// Writes a kernel whose blocks gather what they add to the targets, counters
/// in registers and bins in shared memory, and add it at their end.
class AggregatedAtomics {
public:
  AggregatedAtomics(const Kernel &K, const ProgramAnalysis &A,
                    const StatementTree &Tree,
                    const std::vector<AtomicTarget> &Targets,
                    std::optional<ItemLaunches> Launches);

  /// Why no shape can be written, as one clause; "" when one can.
  const std::string &obstacle() const { return Obstacle; }
  bool hasBins() const;
  bool mayReadAhead() const { return Early.has_value(); }
  bool mayShareBlocks() const { return Launches.has_value(); }
  /// Of shared memory.
  int64_t bytes(const AggregationShape &Shape) const;
  /// The new body, and the launches.
  void write(EditBuilder &Builder, const AggregationShape &Shape) const;
  const std::optional<ItemLaunches> &launches() const { return Launches; }

private:
  /// Names of one target's places.
  struct Place {
    const AtomicTarget *Target = nullptr;
    ReductionText Text;
    /// In shared memory, and in a register of each thread.
    std::string Block, Thread;
  };

  std::string fresh(llvm::StringRef Wanted);
  void readShape(const ProgramAnalysis &A);
  std::string atomic(const Place &P, const std::string &Address,
                     const std::string &Value) const;
  std::string size(const Place &P, const AggregationShape &Shape) const;
  std::string element(const std::string &Index, bool Primary,
                      const AggregationShape &Shape) const;
  std::string eachElement(const std::string &Count) const;
  std::string head(const AggregationShape &Shape) const;
  std::string declarations(const AggregationShape &Shape) const;
  std::string tail(const AggregationShape &Shape) const;
  std::string gatherCounters() const;
  std::string flush(const Place &P, const AggregationShape &Shape) const;
  std::string update(const BodyText &Body, const Place &P,
                     const AtomicUpdate &Update, const AggregationShape &Shape,
                     std::vector<std::string> &Used) const;
  void updates(BodyText &Body, EditBuilder &Builder,
               const AggregationShape &Shape) const;
  void returns(BodyText &Body, EditBuilder &Builder, bool InLoop) const;
  void blocks(BodyText &Body, EditBuilder &Builder,
              const AggregationShape &Shape) const;
  std::string readAhead(BodyText &Body, EditBuilder &Builder,
                        const AggregationShape &Shape) const;
  std::string loop(const std::string &Lines, const std::string &First,
                   const AggregationShape &Shape) const;

  const Kernel &K;
  const StatementTree &Tree;
  std::optional<ItemLaunches> Launches;
  std::string Obstacle;
  std::vector<Place> Places;
  /// Threads of a block lie along x alone; they fill whole warps.
  bool IsLine = false, WholeWarps = false;
  /// The number of a thread in its block, and how many there are.
  std::string Thread, Threads;
  std::string Copy, Copies, Bin, Sum, Offset, Item, Next;
  /// What each element reads, and the names of the places to keep it.
  std::optional<ReadAhead> Early;
  std::vector<std::string> EarlyNames;
  std::string Unit;
  std::vector<std::string> Taken;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_AGGREGATEDATOMICS_H
