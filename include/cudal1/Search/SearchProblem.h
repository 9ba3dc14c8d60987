//===- SearchProblem.h - What a search works on -----------------*- C++ -*-===//
///
/// \file
/// The one interface that a Search sees: the sites of the current Variant, how
/// to make a new Variant of it, and how to measure one. ProgramProblem is the
/// real one; tests have their own.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_SEARCH_SEARCHPROBLEM_H
#define CUDAL1_SEARCH_SEARCHPROBLEM_H

#include "cudal1/Measure/Measurement.h"
#include "cudal1/Network/Decision.h"
#include "cudal1/Rewrite/Variant.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudal1 {

class SearchProblem {
public:
  virtual ~SearchProblem();

  /// The Variant whose sites are listed; the original at first.
  virtual const Variant &current() const = 0;
  /// Legal sites of current(). Dead after advance().
  virtual llvm::ArrayRef<Site> sites() const = 0;
  /// current() with one more Rewrite. An Error says why the rule could not
  /// make its edit after all.
  virtual llvm::Expected<Variant> apply(const Site &S,
                                        const RewriteParams &Params) = 0;
  /// Makes \p V the current Variant: parses it and lists its sites. On failure
  /// current() stays what it was.
  virtual llvm::Error advance(const Variant &V) = 0;

  /// Share of the kernel (by display name) in the GPU time of the original,
  /// 0 to 1. Absent when there is no profile. 0 for a kernel never launched.
  virtual std::optional<double> timeShare(llvm::StringRef Kernel) const = 0;

  /// Share of the original's time on the GPU, from the first to the last work,
  /// in which kernels run: what remains is copies and waiting for the host.
  /// 1 when it is not known.
  virtual double kernelShare() const { return 1; }

  /// What a policy may know of the kernel (by display name; empty: of host
  /// code) from the profile and of the GPU, by names of features.
  virtual const NamedValues &facts(llvm::StringRef Kernel) const;

  /// Mangled names of the kernels (all instantiations) that \p V touches, among
  /// those that the original launches; empty when it touches host code.
  virtual std::vector<std::string> touchedKernels(const Variant &V) const = 0;

  /// Measures against the original. The same source is measured once; later
  /// calls give the first answer.
  virtual Measurement measure(const Variant &V) = 0;
  /// A hint that measure() will be asked for these next, in this order. Judges
  /// as many of the first ones as there is room for at the same time.
  virtual void measureAhead(llvm::ArrayRef<Variant> Next) {}
  /// True when measure() would answer at once.
  virtual bool isMeasured(const Variant &V) const = 0;
  /// Measures anew, whatever is known already: what was chosen as the best of
  /// many is the likeliest to have been lucky.
  virtual Measurement confirm(const Variant &V) = 0;
  /// Compiles in parallel what will be measured soon.
  virtual void compileAhead(llvm::ArrayRef<Variant> Variants) {}
};

/// Names the text of a Variant: equal for equal sources.
std::string textKey(const Variant &V);

} // namespace cudal1

#endif // CUDAL1_SEARCH_SEARCHPROBLEM_H
