//===- ListItems.h - Parameters and arguments in their lists ----*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_LISTITEMS_H
#define CUDAL1_LIB_REWRITE_LISTITEMS_H

#include "cudal1/Analysis/Launch.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// Puts the declarations \p Text in the place of parameter number \p Index of
/// \p F; without any the parameter goes away.
void replaceParameter(EditBuilder &Builder, const clang::FunctionDecl &F,
                      unsigned Index, llvm::ArrayRef<std::string> Text);

/// Does the same with an argument of a launch.
void replaceArgument(EditBuilder &Builder, const Launch &L, unsigned Index,
                     llvm::ArrayRef<std::string> Text);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LISTITEMS_H
