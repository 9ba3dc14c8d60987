//===- InlinedCall.h - A kernel with a function's body in it ----*- C++ -*-===//
//
// A kernel may keep its only loop in a device function. Where that is a plain
// function, the same program with the function's text in place of the call is
// parsed and analysed, and edits of it are edits of the program as it stands.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_INLINEDCALL_H
#define CUDAL1_LIB_REWRITE_INLINEDCALL_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/Edit.h"

namespace cudal1 {

class InlinedCall {
public:
  /// \p K, which has no loop of its own, with the body of the one function
  /// that it calls in place of the call; null where there is no such function,
  /// or its text would mean something else there.
  static std::shared_ptr<InlinedCall> of(const Kernel &K,
                                         const ProgramAnalysis &A);

  /// The kernel in the changed program.
  const Kernel &kernel() const { return *Inner; }
  const ProgramAnalysis &analysis() const { return *Analysis; }
  /// Name of the function.
  const std::string &callee() const { return Callee; }
  /// An edit of the changed program as an edit of the program as it stands.
  llvm::Expected<Edit> onOriginal(llvm::Expected<Edit> OnInlined) const;

private:
  Edit Inlining;
  std::unique_ptr<Program> Changed;
  std::unique_ptr<ProgramAnalysis> Analysis;
  const Kernel *Inner = nullptr;
  std::string Callee;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_INLINEDCALL_H
