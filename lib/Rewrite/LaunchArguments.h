//===- LaunchArguments.h - What launches pass, at compile time --*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_LAUNCHARGUMENTS_H
#define CUDAL1_LIB_REWRITE_LAUNCHARGUMENTS_H

#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// The value of the integer, bool or enum parameter number \p Index of \p K
/// that every launch of this instantiation passes: a constant expression, or
/// one over local variables of the launching function that keep the constant
/// that they are initialised with. Nothing when some launch may pass another,
/// or when the value does not fit an int64_t; \p Obstacle says why, as one
/// clause.
std::optional<int64_t> constantArgument(const Kernel &K,
                                        const ProgramAnalysis &A,
                                        unsigned Index, std::string &Obstacle);

/// The value of the integer expression \p E of the host function \p Function,
/// told in the same way; nothing when only a run knows it.
std::optional<int64_t> hostConstant(const clang::Expr *E,
                                    const clang::FunctionDecl *Function,
                                    const clang::ASTContext &Context);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LAUNCHARGUMENTS_H
