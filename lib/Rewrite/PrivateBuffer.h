//===- PrivateBuffer.h - A buffer that only kernels see ---------*- C++ -*-===//
//
// Device memory of which the host knows no more than a variable: made once,
// given to launches, released. What it holds shows in nothing but what those
// kernels do with it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_PRIVATEBUFFER_H
#define CUDAL1_LIB_REWRITE_PRIVATEBUFFER_H

#include "CudaCalls.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// A launch that gets the buffer as its argument number Argument.
struct BufferUse {
  const Launch *To = nullptr;
  unsigned Argument = 0;
};

class PrivateBuffer {
public:
  /// The buffer of the local pointer \p V of the function \p F, where its every
  /// mention is its declaration without a value, one `cudaMalloc(&p, n)` as a
  /// statement, `cudaFree(p)` as statements, or `p` as an argument of a launch.
  /// Nothing otherwise; \p Obstacle says why, as a clause. For units of which
  /// whyNotPlain says nothing.
  static std::optional<PrivateBuffer> of(const clang::VarDecl *V,
                                         const clang::FunctionDecl &F,
                                         const ProgramAnalysis &A,
                                         std::string &Obstacle);

  const clang::VarDecl *pointer() const { return V; }
  llvm::ArrayRef<BufferUse> uses() const { return Uses; }
  /// Takes away the declaration and the calls that make and release it.
  void remove(EditBuilder &Builder) const;

private:
  const clang::VarDecl *V = nullptr;
  const clang::DeclStmt *Declaration = nullptr;
  /// Those of cudaMalloc and cudaFree.
  std::vector<const clang::Stmt *> Calls;
  std::vector<BufferUse> Uses;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_PRIVATEBUFFER_H
