//===- Worker.h - Judges variants in held processes of one GPU --*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_WORKER_H
#define CUDAL1_LIB_MEASURE_REPLAY_WORKER_H

#include "HeldCase.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace cudal1 {

/// A kernel of the original that a variant changes.
struct ChangedKernel {
  std::string Name;        ///< the driver's, in the original
  std::string VariantName; ///< in the variant's cubin
  std::string CodeHash;    ///< of the variant
  /// Null: launched as the original is.
  std::vector<const LaunchTransform *> Transforms;
};

/// A variant that compiled.
struct CompiledVariant {
  const Candidate *Source = nullptr;
  std::string Image;
  Cubin Contents;
  bool ByNvrtc = false;
  std::vector<ChangedKernel> Kernels;
  /// Changed kernels, by the original's names, that the program never launches.
  std::vector<std::string> NotLaunched;
};

/// Holds processes on one GPU, one for each case of each kernel that it was
/// asked about. For use by one thread.
class ReplayWorker {
public:
  /// \p Turn is shared by all workers of one GPU. \p Cases holds every
  /// kernel of the original.
  ReplayWorker(const ReplayContext &Context,
               const llvm::StringMap<KernelCases> &Cases, std::string Gpu,
               std::mutex &Turn)
      : Context(Context), Cases(Cases), Gpu(std::move(Gpu)), Turn(Turn) {}

  /// Verifies, times, and verifies what is faster once more. `unsupported`
  /// when replay cannot judge it.
  Measurement judge(const CompiledVariant &V);

  /// Ends all held processes, which leave little memory to others.
  void closeAll() { closeOthers({}, 0); }

private:
  /// A case and the variant's function in it.
  struct Loaded {
    const ChangedKernel *Kernel;
    HeldCase *Case;
    Binding Function;
  };

  std::vector<std::unique_ptr<HeldCase>> *casesOf(llvm::StringRef Kernel,
                                                  Measurement &M);
  bool openAll(const CompiledVariant &V, std::vector<Loaded> &Functions,
               Measurement &M);
  bool load(const CompiledVariant &V, Loaded &L, Measurement &M);
  bool setAttributes(Loaded &L, const replay::FunctionInfo &Info,
                     Measurement &M);
  bool fits(const Loaded &L, const replay::FunctionInfo &Info, Measurement &M);
  bool verify(const CompiledVariant &V, Loaded &L, llvm::StringRef When,
              bool AllSets, Measurement &M);
  bool time(const CompiledVariant &V, std::vector<Loaded> &Functions,
            Measurement &M);
  bool timeAlone(const CompiledVariant &V, std::vector<Loaded> &Functions,
                 Measurement &M);
  bool addPairs(std::vector<Loaded> &Functions, unsigned Count,
                class ReplayTimings &Timings, Measurement &M);
  void rejectImpossible(const Loaded &L, double Us, Measurement &M) const;
  bool isSound(HeldCase &Case) const;
  Measurement judgeOnce(const CompiledVariant &V, bool &Spoilt);
  void timeHot(std::vector<Loaded> &Functions, Measurement &M);
  void unload(std::vector<Loaded> &Functions);
  void blame(llvm::Error E, HeldCase &Case, llvm::StringRef Doing,
             Measurement &M);
  bool closeOthers(llvm::ArrayRef<Loaded> Needed, size_t Most);

  const ReplayContext &Context;
  const llvm::StringMap<KernelCases> &Cases;
  std::string Gpu;
  std::mutex &Turn;
  llvm::StringMap<std::vector<std::unique_ptr<HeldCase>>> Held;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_WORKER_H
