//===- FusedKernel.h - Two kernels as one -----------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_FUSEDKERNEL_H
#define CUDAL1_LIB_REWRITE_FUSEDKERNEL_H

#include "FusedParameters.h"
#include "cudal1/Support/FpClass.h"
#include "cudal1/Support/KernelMerge.h"

namespace cudal1 {

/// The parts of an element kernel's body: declarations, perhaps a condition
/// that bounds the thread's number, and the work under it.
struct KernelParts {
  std::vector<const clang::DeclStmt *> Numbers;
  /// Null where there is none; reads no memory.
  const clang::IfStmt *Guard = nullptr;
  /// The guard is `if (i >= n) return;`.
  bool Leaves = false;
  std::vector<const clang::Stmt *> Work;

  static KernelParts of(const Kernel &K);
};

/// A kernel in which each thread does the work of two, one after the other.
class FusedKernel {
public:
  /// \p Pair, \p First, \p Second and \p A must outlive it.
  FusedKernel(const LaunchPair &Pair, const ThreadsOf &First,
              const ThreadsOf &Second, const ProgramAnalysis &A);

  /// Why it cannot be written, as a clause; "" when it can.
  const std::string &obstacle() const { return Obstacle; }
  /// Reassociate where a product of the first kernel may now be added by the
  /// second one without being rounded in between.
  FpClass fpClass() const;
  /// The kernel, and its launch in place of the two.
  void write(EditBuilder &Builder);
  /// Which launches become launches of which kernel.
  std::vector<KernelMerge> merges() const;

private:
  void no(const llvm::Twine &Why) {
    if (Obstacle.empty())
      Obstacle = Why.str();
  }
  bool isPlain(const Kernel &K);
  bool isVisible(const Kernel &K) const;
  std::string guardOf(const KernelParts &Parts, RenamedText &Text,
                      const Kernel &K, const NewNames &Names) const;
  void addNumbers(const KernelParts &Parts, RenamedText &Text, bool Again,
                  std::vector<std::string> &Into) const;
  std::string work(const KernelParts &Parts, const Kernel &K,
                   RenamedText &Text) const;
  std::string body();
  std::string name() const;
  std::string head(llvm::StringRef Name) const;
  void writeKernel(EditBuilder &Builder, llvm::StringRef Name);
  void writeLaunch(EditBuilder &Builder, llvm::StringRef Name) const;

  const LaunchPair &Pair;
  const ThreadsOf &First, &Second;
  const ProgramAnalysis &A;
  KernelParts FirstParts, SecondParts;
  std::optional<FusedParameters> Parameters;
  std::string Obstacle, Unit;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_FUSEDKERNEL_H
