//===- DeviceCode.h - The bodies that a kernel runs -------------*- C++ -*-===//
//
// Rules that look at single expressions (literals, calls, divisions) see a
// kernel and the device functions that it calls alike. What they find has to
// hold in every instantiation that shares the text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_DEVICECODE_H
#define CUDAL1_LIB_REWRITE_DEVICECODE_H

#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cudal1 {

/// The statements around one, outermost first.
using Ancestors = llvm::ArrayRef<const clang::Stmt *>;

/// Calls \p Visit for every statement and expression of \p Body that is
/// evaluated at run time: not for constant expressions, operands of sizeof and
/// the insides of threadIdx and its kin.
void walkEvaluated(
    const clang::Stmt *Body,
    llvm::function_ref<void(const clang::Stmt *, Ancestors)> Visit);

/// The closest ancestor that is no parenthesis and no implicit conversion.
const clang::Stmt *significantParent(Ancestors Around);

/// The kernel itself, then the device functions that it calls, directly or not,
/// as far as their text may be rewritten on its behalf: defined in a file of
/// the project's own, device only, no template.
std::vector<const clang::FunctionDecl *>
rewritableFunctions(const Kernel &K, const ProgramAnalysis &A);

/// A template in a header: other units may instantiate it with other arguments.
bool isTemplateOfHeader(const Kernel &K, const ProgramAnalysis &A);

/// One place that a rule may rewrite in the text of a function.
struct Place {
  /// Identifies the place in every instantiation.
  clang::SourceRange Range;
  /// What it becomes, in words that are equal only for equal rewrites.
  std::string Form;
  FpClass Class = FpClass::Exact;
  /// needs-check, or empty.
  std::string Condition;
  /// Adds the changes of this place to the edit.
  std::function<void(EditBuilder &)> Change;
};

using PlaceFinder = llvm::function_ref<std::vector<Place>(
    const Kernel &, const clang::FunctionDecl *)>;

/// What \p Find finds in \p Function, a kernel's or a function's that it calls,
/// without what EditBuilder would refuse to change. Of a template's places only
/// those are kept that every instantiation has; and of a template in a header,
/// which other units may instantiate with other types, only those without a
/// type that depends on its parameters.
std::vector<Place> commonPlaces(const Kernel &K, const ProgramAnalysis &A,
                                const clang::FunctionDecl *Function,
                                PlaceFinder Find);

/// Puts \p Places together as one Site at the head of \p Function: class and
/// condition are the weakest, conditions are joined.
Site siteOfPlaces(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
                  const clang::FunctionDecl *Function,
                  std::vector<Place> Places);

/// "in kernel 'f'" or "in device function 'g'".
std::string inFunction(const clang::FunctionDecl *Function);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_DEVICECODE_H
