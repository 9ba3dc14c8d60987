//===- State.h - The memory of a held program -------------------*- C++ -*-===//
///
/// \file
/// Knows what a launch reads and writes, puts the memory back to what it was
/// before the launch, varies the data, and compares what two launches made of
/// it. All of it happens on the device, by the kernels of StateKernels.cu.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_STATE_H
#define CUDAL1_LIB_MEASURE_REPLAY_STATE_H

#include "Device.h"
#include "cudal1/Measure/BufferCompare.h"
#include "cudal1/Measure/Cubin.h"
#include "cudal1/Measure/ElementType.h"

namespace cudal1 {

/// What analysis knows of one kernel's parameters, by index. Shorter than the
/// list of parameters where less is known.
struct ReplayParameters {
  std::vector<ElementLayout> Layouts;
  std::vector<PointerMember> Members;
  /// The memory behind it is written, never read.
  std::vector<bool> WriteOnly;
};

struct ReplayStateOptions {
  ReplayParameters Parameters;
  /// Device variables of the original, by name.
  std::vector<CubinGlobal> Globals;
  /// Launches on varied data, besides that on the program's own.
  unsigned Seeds = 3;
  /// Vary floating-point buffers; needs Seeds.
  bool Vary = true;
  /// Fill what is only written with a NaN pattern before each launch.
  bool Poison = true;
  std::optional<double> RelativeTolerance;
  /// The original must end within this.
  std::chrono::milliseconds LaunchLimit{60000};
};

/// A function that can be launched in the held process, and where its module
/// keeps the device variables.
struct Binding {
  uint64_t Module = 0;
  uint64_t Function = 0;
  replay::LaunchConfig Config;
  /// By index of ReplayStateOptions::Globals; 0: this module lacks it.
  std::vector<uint64_t> Globals;
};

/// What comparing a variant's results with the original's found.
struct StateComparison {
  ErrorFigures Figures;
  /// What differs where, one sentence each; empty if all is right.
  std::vector<std::string> Mismatches;
  bool right() const { return Mismatches.empty(); }
};

class ReplayState {
public:
  /// Saves the memory, runs the original on the program's data and on varied
  /// data, and keeps what it made of them. An Error when memory does not
  /// suffice or the original cannot be run again; SessionLost when the process
  /// did not survive it.
  static llvm::Expected<std::unique_ptr<ReplayState>>
  make(ReplayDevice &Device, ReplayStateOptions Options);

  const Binding &original() const { return Original; }
  /// Microseconds of one launch of the original, warm.
  double originalUs() const { return OriginalUs; }
  /// Bytes that the launch changes, so that whoever does the same work must
  /// write them; 0 if that is not known.
  uint64_t leastBytesWritten() const { return BytesWritten; }
  /// What varies by itself, or was left out; one sentence each.
  llvm::ArrayRef<std::string> notes() const { return Notes; }
  unsigned dataSets() const { return DataSets; }
  /// Their numbers: 0, the program's own, and those that are varied.
  std::vector<unsigned> allSets() const;

  /// Gives the variables of a freshly loaded module their values.
  llvm::Error bind(const Binding &B);

  /// Puts everything that \p B reads back to data set \p Set (0: the
  /// program's own).
  void prepare(replay::Batch &Work, const Binding &B, unsigned Set) const {
    prepare(Work, B, Set, /*Poisoning=*/true);
  }
  /// Puts back only what the launch itself changes; between timed launches.
  void restore(replay::Batch &Work, const Binding &B) const;
  /// Operations that one restore() adds.
  unsigned restoreOperations() const;
  void launch(replay::Batch &Work, const Binding &B, bool Timed) const {
    Work.launch(B.Function, B.Config, Device.held().Arguments, Timed);
  }

  /// Launches \p B once on each of \p Sets and compares all memory with what
  /// the original made of it.
  llvm::Expected<StateComparison> compare(const Binding &B,
                                          llvm::ArrayRef<unsigned> Sets,
                                          FpClass Class,
                                          std::chrono::milliseconds Limit);

private:
  /// A stretch of scalars of one type.
  struct TypedField {
    uint64_t Offset; ///< in the region
    uint64_t Count;
    ElementType Type;
    uint32_t Stride;
    double Scale = 0;  ///< see Magnitudes; for the tolerance
    double Anchor = 0; ///< what varying moves values towards
    double Spread = 0; ///< or how far it spreads them
    bool Varies = false;
  };
  /// An allocation or a device variable.
  struct Region {
    uint64_t Address = 0;
    uint64_t Bytes = 0;
    int Global = -1; ///< index in Options.Globals
    bool Constant = false;
    bool Guard = false; ///< memory that nobody owns, filled with a pattern
    std::string Name;   ///< for messages
    std::vector<TypedField> Fields; ///< cover all of it but padding
    uint64_t Low = 0, High = 0;     ///< what the launch writes; empty: nothing
    bool Varied = false, Poisoned = false;
    bool Ignored = false;  ///< too different from run to run to be compared
    double Noise = 0;      ///< see Tolerance::OriginalNoise
    uint64_t Pristine = 0; ///< its contents before the launch; 0: in place
    bool PristineOnHost = false;
    /// What the original made of [Low, High), by data set.
    std::vector<uint64_t> References;

    bool written() const { return High > Low; }
  };
  /// A stretch that no launch may change.
  struct Untouched {
    size_t Region;
    uint64_t Offset, Bytes;
  };
  struct PlannedComparison;

  ReplayState(ReplayDevice &Device, ReplayStateOptions Options)
      : Device(Device), Options(std::move(Options)) {}

  llvm::Error setUp();
  // State.cpp: memory and launches
  void prepare(replay::Batch &Work, const Binding &B, unsigned Set,
               bool Poisoning) const;
  llvm::Error save();
  llvm::Expected<uint64_t> allocateSomewhere(uint64_t Bytes, bool &OnHost);
  llvm::Error runOriginal(unsigned Set);
  llvm::Error releaseUnneeded();
  llvm::Error timeOriginal();
  uint64_t addressOf(const Region &R, const Binding &B) const {
    return R.Global < 0 ? R.Address : B.Globals[size_t(R.Global)];
  }

  // Regions.cpp: what there is and what it holds
  llvm::Error listRegions();
  void addRegion(uint64_t Address, uint64_t Bytes, int Global, bool Constant);
  llvm::Error refuseAliasedVariables() const;
  llvm::Error refusePointersToVariables();
  llvm::Expected<uint64_t>
  findPointerTo(llvm::ArrayRef<cudal1_state::SumJob> Targets);
  llvm::Error fillSlack();
  llvm::Error surroundAllocations();
  void addGuard(uint64_t Address, uint64_t Bytes);
  void nameAndType(Region &R) const;
  static void addFields(Region &R, uint64_t Begin, uint64_t End,
                        const ElementLayout &Layout);
  static void addBytes(Region &R, uint64_t Begin, uint64_t End);
  void choosePoison();
  llvm::Error learnRanges();
  llvm::Error uploadVaryJobs();
  std::vector<uint64_t> argumentWords() const;
  std::vector<uint64_t> memberWords() const;
  /// A pointer among the arguments; an empty layout is not known.
  struct TypedPointer {
    uint64_t Value;
    std::string Name; ///< of what it points to
    ElementLayout Layout;
  };
  std::vector<TypedPointer> typedPointers() const;

  // Learning.cpp: what the original writes, and how it varies
  llvm::Error findWrites();
  llvm::Error findWritesOnVariedData(bool &Found);
  static void coverElements(Region &R);
  llvm::Error keepReferences();
  llvm::Error learnNoise();
  llvm::Error learnScales();
  llvm::Error checkPoison();
  llvm::Expected<uint64_t> countPoisonRead();
  llvm::Expected<std::vector<cudal1_state::RangeResult>>
  rangesOf(llvm::ArrayRef<cudal1_state::Field> Fields);

  // Comparing.cpp: variants against the original
  std::vector<Untouched> untouched() const;
  llvm::Expected<std::vector<uint64_t>> sumsOfUntouched();
  PlannedComparison plan(const Binding &B, llvm::ArrayRef<unsigned> Sets,
                         FpClass Class) const;
  llvm::Expected<std::vector<cudal1_state::CompareResult>>
  runPlan(PlannedComparison &Plan, const Binding &B,
          std::chrono::milliseconds Limit, bool Launching);
  llvm::Error
  describeMismatches(const PlannedComparison &Plan,
                     llvm::ArrayRef<cudal1_state::CompareResult> Results,
                     StateComparison &Result);

  ReplayDevice &Device;
  ReplayStateOptions Options;
  Binding Original;
  std::vector<Region> Regions;
  /// By data set: the sums of untouched() after the original's launch.
  std::vector<std::vector<uint64_t>> Sums;
  /// On the device: the VaryJobs of data set 1, then of 2, …
  uint64_t VaryJobs = 0;
  unsigned VaryJobsPerSet = 0;
  unsigned DataSets = 1;
  double OriginalUs = 0;
  uint64_t BytesWritten = 0;
  std::vector<std::string> Notes;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_STATE_H
