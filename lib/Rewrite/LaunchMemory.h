//===- LaunchMemory.h - Device memory that launches and calls touch -------===//

#ifndef CUDAL1_LIB_REWRITE_LAUNCHMEMORY_H
#define CUDAL1_LIB_REWRITE_LAUNCHMEMORY_H

#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// Device buffers that host code has read and written, by the pointer
/// expressions that name them.
struct TouchedMemory {
  std::vector<const clang::Expr *> Read;
  std::vector<const clang::Expr *> Written;
  /// It may touch memory that no argument names.
  bool Unknown = false;

  /// Adds what the kernel of \p L does.
  void addLaunch(const Launch &L, const ProgramAnalysis &A);
  /// Adds what every launch, copy and fill inside \p S does. A call of the CUDA
  /// runtime or of the program that is not understood makes it Unknown.
  void addAllIn(const clang::Stmt *S, const ProgramAnalysis &A);

  /// May the buffer behind \p Pointer, evaluated in \p F, be written (or read)?
  bool mayWrite(const clang::Expr *Pointer, const clang::FunctionDecl &F,
                const ProgramAnalysis &A) const;
  bool mayRead(const clang::Expr *Pointer, const clang::FunctionDecl &F,
               const ProgramAnalysis &A) const;
  bool mayTouch(const clang::Expr *Pointer, const clang::FunctionDecl &F,
                const ProgramAnalysis &A) const {
    return mayRead(Pointer, F, A) || mayWrite(Pointer, F, A);
  }
};

/// \p S itself, not what it holds, may give the GPU work or call the CUDA
/// runtime for more than an answer.
bool mayUseCuda(const clang::Stmt *S, const clang::ASTContext &Context);

/// The kernel that \p L launches, null when it is not seen.
const Kernel *kernelOf(const Launch &L, const ProgramAnalysis &A);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LAUNCHMEMORY_H
