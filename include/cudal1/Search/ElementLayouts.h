//===- ElementLayouts.h - What kernels' pointers point to -------*- C++ -*-===//

#ifndef CUDAL1_SEARCH_ELEMENTLAYOUTS_H
#define CUDAL1_SEARCH_ELEMENTLAYOUTS_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Measure/ElementType.h"

namespace cudal1 {

/// The scalars of a type in memory order, padding included; empty for what has
/// no fixed meaning (unions, void) or is larger than a buffer comparison can
/// use.
ElementLayout layoutOf(clang::QualType Type, const clang::ASTContext &Context);

/// For every kernel of the program, by the names under which the driver may
/// know it.
KernelParameterTable parameterTableOf(const ProgramAnalysis &A);

/// The same for pointers that kernels get within structures.
PointerMemberTable memberTableOf(const ProgramAnalysis &A);

/// The same for what each kernel does with the memory behind its parameters.
WriteOnlyTable writeOnlyTableOf(const ProgramAnalysis &A);

} // namespace cudal1

#endif // CUDAL1_SEARCH_ELEMENTLAYOUTS_H
