//===- KernelReferences.h - How a unit speaks of a kernel -------*- C++ -*-===//
//
// A launch shows how a kernel is used. A function pointer does not: what it is
// compared with, stored as or called with cannot be seen. Rules that change a
// kernel's signature or limits ask here whether launches are all there is.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_KERNELREFERENCES_H
#define CUDAL1_LIB_REWRITE_KERNELREFERENCES_H

#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

struct KernelReferences {
  /// Where the kernel is named other than in a launch, a call of the CUDA
  /// runtime (cudaFuncSetAttribute ...) or a cast to `void *`; "" when nowhere.
  std::string Escape;
  /// Where the kernel is cast to `void *` outside of a launch; "" when nowhere.
  std::string ErasedType;

  bool escapes() const { return !Escape.empty(); }
};

/// Looks through the host code of every editable file.
KernelReferences findReferences(const Program &P, const Kernel &K);

/// Why nothing outside of this unit can launch \p K, as one clause of evidence;
/// empty when something might: the kernel stands in a header, or has external
/// linkage in a unit that is not a whole program.
std::string whyOnlyLaunchedHere(const Program &P, const Kernel &K);

/// Every declaration of the kernel's text: of the function, or of the pattern
/// for a template. The definition is among them.
std::vector<const clang::FunctionDecl *> declarationsOf(const Kernel &K);

/// \p K is launched by `<<<>>>` at one place that is seen, by its own name and
/// not in a macro, is no template, and is declared once: parameters and
/// arguments may change together.
bool mayChangeParameters(const Kernel &K, const ProgramAnalysis &A);

/// Nothing but its definition and one launch names \p K: without that launch,
/// it can go.
bool isNamedByLaunchAlone(const Kernel &K, const ProgramAnalysis &A);

/// The definition of \p K with the comment lines right above it.
clang::SourceRange withComments(const Kernel &K);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_KERNELREFERENCES_H
