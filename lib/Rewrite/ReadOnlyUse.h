//===- ReadOnlyUse.h - May a pointer's pointee become const? ----*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_READONLYUSE_H
#define CUDAL1_LIB_REWRITE_READONLYUSE_H

#include "clang/AST/Decl.h"

namespace cudal1 {

/// True when \p Function still compiles, and calls the same functions, with the
/// pointee of \p Parameter made const: each use of it loads an element,
/// compares, or hands it on as a pointer or reference to const. Copies into
/// other pointers and template arguments are no such use.
bool acceptsConstPointee(const clang::FunctionDecl &Function,
                         const clang::ParmVarDecl &Parameter);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_READONLYUSE_H
