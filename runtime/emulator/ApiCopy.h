//===- ApiCopy.h - Copies as the program describes them ---------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APICOPY_H
#define CUDAL1_RUNTIME_EMULATOR_APICOPY_H

#include "ApiWork.h"

namespace cudal1::emulator::api {

/// A copy of \p Bytes bytes in a row.
CopyWork linearCopy(void *To, const void *From, uint64_t Bytes,
                    cudaMemcpyKind Kind);

/// A copy of rows, between pitched memory or arrays. Puts it into \p Result or
/// returns what is wrong with \p Params.
cudaError_t makeCopy(const cudaMemcpy3DParms &Params, CopyWork &Result);

/// One side of a copy that is a part of an array, from element \p Column of
/// row \p Row of slice \p Depth on. Fails if \p Bytes x \p Rows x \p Slices
/// there are not all in the array.
cudaError_t arraySide(cudaArray_const_t Array, uint64_t ColumnBytes,
                      uint64_t Row, uint64_t Depth, uint64_t Bytes,
                      uint64_t Rows, uint64_t Slices, CopySide &Result);

/// A copy to or from a device variable; the other side is \p Host.
cudaError_t symbolCopy(const void *Symbol, void *Other, uint64_t Bytes,
                       uint64_t Offset, cudaMemcpyKind Kind, bool ToSymbol,
                       CopyWork &Result);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APICOPY_H
