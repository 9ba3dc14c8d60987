//===- ApiCopyWork.cpp - Copies as the program describes them -------------===//

#include "ApiCopy.h"
#include "ApiState.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// One side of a three-dimensional copy, before the extent is known in bytes.
cudaError_t sideOf(cudaArray_const_t Array, const cudaPos &At,
                   const cudaPitchedPtr &Memory, const CopyWork &Copy,
                   CopySide &Result) {
  if (Array)
    return arraySide(Array, At.x * Array->ElementBytes, At.y, At.z, Copy.Width,
                     Copy.Height, Copy.Depth, Result);
  if (!Memory.ptr)
    return cudaErrorInvalidValue;
  bool SeveralRows = Copy.Height > 1 || Copy.Depth > 1;
  if (SeveralRows && At.x + Copy.Width > Memory.pitch)
    return cudaErrorInvalidPitchValue;
  if (Copy.Depth > 1 && At.y + Copy.Height > Memory.ysize)
    return cudaErrorInvalidValue;
  Result.Pitch = Memory.pitch;
  Result.Slice = Memory.pitch * Memory.ysize;
  Result.Data = static_cast<char *>(Memory.ptr) + At.z * Result.Slice +
                At.y * Result.Pitch + At.x;
  return cudaSuccess;
}

bool isArray(cudaArray_const_t Handle) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return R.Arrays.count(Handle) != 0;
}

} // namespace

CopyWork api::linearCopy(void *To, const void *From, uint64_t Bytes,
                         cudaMemcpyKind Kind) {
  CopyWork Result;
  Result.To = {static_cast<char *>(To), Bytes, Bytes};
  Result.From = {const_cast<char *>(static_cast<const char *>(From)), Bytes,
                 Bytes};
  Result.Width = Bytes;
  Result.Kind = Kind;
  Result.Params.srcPtr = {const_cast<void *>(From), Bytes, Bytes, 1};
  Result.Params.dstPtr = {To, Bytes, Bytes, 1};
  Result.Params.extent = {Bytes, 1, 1};
  Result.Params.kind = Kind;
  return Result;
}

cudaError_t api::arraySide(cudaArray_const_t Array, uint64_t ColumnBytes,
                           uint64_t Row, uint64_t Depth, uint64_t Bytes,
                           uint64_t Rows, uint64_t Slices, CopySide &Result) {
  if (!isArray(Array))
    return cudaErrorInvalidResourceHandle;
  if (ColumnBytes + Bytes > Array->rowBytes() || Row + Rows > Array->rows() ||
      Depth + Slices > Array->slices())
    return cudaErrorInvalidValue;
  Result.IsArray = true;
  Result.Pitch = Array->rowBytes();
  Result.Slice = Result.Pitch * Array->rows();
  Result.Data =
      Array->Data + Depth * Result.Slice + Row * Result.Pitch + ColumnBytes;
  return cudaSuccess;
}

cudaError_t api::makeCopy(const cudaMemcpy3DParms &P, CopyWork &Result) {
  // With an array on one side the extent counts its elements.
  uint64_t ElementBytes = 1;
  for (cudaArray_const_t Array : {P.srcArray, P.dstArray})
    if (Array && !isArray(Array))
      return cudaErrorInvalidResourceHandle;
    else if (Array)
      ElementBytes = Array->ElementBytes;
  Result.Width = P.extent.width * ElementBytes;
  Result.Height = P.extent.height;
  Result.Depth = P.extent.depth;
  Result.Kind = P.kind;
  Result.Params = P;
  if (Result.Width == 0 || Result.Height == 0 || Result.Depth == 0)
    return cudaSuccess;
  if (cudaError_t Error =
          sideOf(P.srcArray, P.srcPos, P.srcPtr, Result, Result.From))
    return Error;
  return sideOf(P.dstArray, P.dstPos, P.dstPtr, Result, Result.To);
}

cudaError_t api::symbolCopy(const void *Symbol, void *Other, uint64_t Bytes,
                            uint64_t Offset, cudaMemcpyKind Kind, bool ToSymbol,
                            CopyWork &Result) {
  const VariableInfo *V = lookupVariable(Symbol);
  if (!V)
    return cudaErrorInvalidSymbol;
  cudaMemcpyKind Wrong =
      ToSymbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
  if (Kind == Wrong || Kind == cudaMemcpyHostToHost)
    return cudaErrorInvalidMemcpyDirection;
  if (Offset > V->Bytes || Bytes > V->Bytes - Offset)
    return cudaErrorInvalidValue;
  char *Address = static_cast<char *>(V->Address) + Offset;
  Result = ToSymbol ? linearCopy(Address, Other, Bytes, Kind)
                    : linearCopy(Other, Address, Bytes, Kind);
  return cudaSuccess;
}
