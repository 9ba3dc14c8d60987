//===- ApiArrays.cpp - Arrays and copies of them --------------------------===//

#include "ApiCopy.h"
#include "ApiMemory.h"
#include "ApiState.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

cudaError_t create(cudaArray_t *Result, const cudaChannelFormatDesc *Format,
                   const cudaExtent &Extent, unsigned Flags) {
  constexpr int BitsPerByte = 8;
  if (!Result || !Format || Extent.width == 0)
    return cudaErrorInvalidValue;
  auto Array = std::make_unique<cudaArray>();
  Array->Format = *Format;
  Array->Extent = Extent;
  Array->Flags = Flags;
  int Bits = Format->x + Format->y + Format->z + Format->w;
  if (Bits <= 0 || Bits % BitsPerByte)
    return cudaErrorInvalidChannelDescriptor;
  Array->ElementBytes = static_cast<uint64_t>(Bits / BitsPerByte);
  void *Data = nullptr;
  if (cudaError_t Error =
          allocate(&Data, Array->rowBytes() * Array->rows() * Array->slices(),
                   MemoryKind::Array))
    return Error;
  Array->Data = static_cast<char *>(Data);
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  *Result = Array.release();
  R.Arrays.insert(*Result);
  return cudaSuccess;
}

bool isArray(cudaArray_const_t Array) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return R.Arrays.count(Array) != 0;
}

/// The part of an array that a copy of \p Bytes bytes from (\p Column bytes,
/// \p Row) on takes up: whole rows, or a piece of one.
struct ArrayPart {
  cudaArray_const_t Array;
  uint64_t Column, Row;
};

/// Copies rows between memory and an array. Without a stream it is waited for.
cudaError_t rows(const char *Name, std::optional<cudaStream_t> Stream,
                 const ArrayPart &Part, void *Memory, uint64_t Pitch,
                 uint64_t Width, uint64_t Height, cudaMemcpyKind Kind,
                 bool ToArray) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (Height > 1 && Width > Pitch)
      return cudaErrorInvalidPitchValue;
    CopyWork Copy;
    Copy.Width = Width;
    Copy.Height = Height;
    Copy.Kind = Kind;
    CopySide &Linear = ToArray ? Copy.From : Copy.To;
    Linear = {static_cast<char *>(Memory), Pitch, Pitch * Height};
    if (cudaError_t Error =
            arraySide(Part.Array, Part.Column, Part.Row, 0, Width, Height, 1,
                      ToArray ? Copy.To : Copy.From))
      return Error;
    return Stream ? submit(Copy, *Stream, Name) : submitAndWait(Copy, Name);
  });
}

/// Copies \p Bytes bytes that may go over several whole rows of an array.
cudaError_t linear(const char *Name, std::optional<cudaStream_t> Stream,
                   const ArrayPart &Part, void *Memory, uint64_t Bytes,
                   cudaMemcpyKind Kind, bool ToArray) {
  if (!isArray(Part.Array))
    return finishCall(Name, cudaErrorInvalidResourceHandle);
  uint64_t Row = Part.Array->rowBytes();
  if (Part.Column == 0 && Bytes > Row && Bytes % Row == 0)
    return rows(Name, Stream, Part, Memory, Row, Row, Bytes / Row, Kind,
                ToArray);
  return rows(Name, Stream, Part, Memory, Bytes, Bytes, 1, Kind, ToArray);
}

} // namespace

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t *Result,
                            const cudaChannelFormatDesc *Format, size_t Width,
                            size_t Height, unsigned Flags) {
  return apiCall(__func__, [&] {
    return create(Result, Format, {Width, Height, 0}, Flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t *Result,
                              const cudaChannelFormatDesc *Format,
                              cudaExtent Extent, unsigned Flags) {
  return apiCall(__func__,
                 [&] { return create(Result, Format, Extent, Flags); });
}

cudaError_t cudaFreeArray(cudaArray_t Array) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Array)
      return cudaSuccess;
    Runtime &R = runtime();
    {
      std::lock_guard<std::mutex> Lock(R.Mutex);
      if (!R.Arrays.erase(Array))
        return cudaErrorInvalidValue;
    }
    memory::release(Array->Data);
    delete Array;
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *Format, cudaExtent *Extent,
                             unsigned *Flags, cudaArray_t Array) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!isArray(Array))
      return cudaErrorInvalidResourceHandle;
    if (Format)
      *Format = Array->Format;
    if (Extent)
      *Extent = Array->Extent;
    if (Flags)
      *Flags = Array->Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *Format,
                               cudaArray_const_t Array) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!isArray(Array))
      return cudaErrorInvalidResourceHandle;
    if (!Format)
      return cudaErrorInvalidValue;
    *Format = Array->Format;
    return cudaSuccess;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int X, int Y, int Z, int W,
                                            cudaChannelFormatKind Kind) {
  return {X, Y, Z, W, Kind};
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t To, size_t Column, size_t Row,
                                const void *From, size_t Pitch, size_t Width,
                                size_t Height, cudaMemcpyKind Kind) {
  return rows(__func__, std::nullopt, {To, Column, Row},
              const_cast<void *>(From), Pitch, Width, Height, Kind, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t To, size_t Column, size_t Row,
                                     const void *From, size_t Pitch,
                                     size_t Width, size_t Height,
                                     cudaMemcpyKind Kind, cudaStream_t Stream) {
  return rows(__func__, Stream, {To, Column, Row}, const_cast<void *>(From),
              Pitch, Width, Height, Kind, true);
}

cudaError_t cudaMemcpy2DFromArray(void *To, size_t Pitch,
                                  cudaArray_const_t From, size_t Column,
                                  size_t Row, size_t Width, size_t Height,
                                  cudaMemcpyKind Kind) {
  return rows(__func__, std::nullopt, {From, Column, Row}, To, Pitch, Width,
              Height, Kind, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *To, size_t Pitch,
                                       cudaArray_const_t From, size_t Column,
                                       size_t Row, size_t Width, size_t Height,
                                       cudaMemcpyKind Kind,
                                       cudaStream_t Stream) {
  return rows(__func__, Stream, {From, Column, Row}, To, Pitch, Width, Height,
              Kind, false);
}

cudaError_t cudaMemcpyToArray(cudaArray_t To, size_t Column, size_t Row,
                              const void *From, size_t Bytes,
                              cudaMemcpyKind Kind) {
  return linear(__func__, std::nullopt, {To, Column, Row},
                const_cast<void *>(From), Bytes, Kind, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t To, size_t Column, size_t Row,
                                   const void *From, size_t Bytes,
                                   cudaMemcpyKind Kind, cudaStream_t Stream) {
  return linear(__func__, Stream, {To, Column, Row}, const_cast<void *>(From),
                Bytes, Kind, true);
}

cudaError_t cudaMemcpyFromArray(void *To, cudaArray_const_t From, size_t Column,
                                size_t Row, size_t Bytes, cudaMemcpyKind Kind) {
  return linear(__func__, std::nullopt, {From, Column, Row}, To, Bytes, Kind,
                false);
}

cudaError_t cudaMemcpyFromArrayAsync(void *To, cudaArray_const_t From,
                                     size_t Column, size_t Row, size_t Bytes,
                                     cudaMemcpyKind Kind, cudaStream_t Stream) {
  return linear(__func__, Stream, {From, Column, Row}, To, Bytes, Kind, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t To, size_t ToColumn,
                                     size_t ToRow, cudaArray_const_t From,
                                     size_t FromColumn, size_t FromRow,
                                     size_t Width, size_t Height,
                                     cudaMemcpyKind Kind) {
  return apiCall(__func__, [&]() -> cudaError_t {
    CopyWork Copy;
    Copy.Width = Width;
    Copy.Height = Height;
    Copy.Kind = Kind;
    if (cudaError_t Error = arraySide(From, FromColumn, FromRow, 0, Width,
                                      Height, 1, Copy.From))
      return Error;
    if (cudaError_t Error =
            arraySide(To, ToColumn, ToRow, 0, Width, Height, 1, Copy.To))
      return Error;
    return submitAndWait(Copy, "cudaMemcpy2DArrayToArray");
  });
}

/// Device code that reads textures is not emulated, so neither are these.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *,
                                    const cudaResourceDesc *,
                                    const cudaTextureDesc *,
                                    const cudaResourceViewDesc *) {
  return apiCall(__func__,
                 [] { return unsupported("cudaCreateTextureObject"); });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) {
  return apiCall(__func__,
                 [] { return unsupported("cudaDestroyTextureObject"); });
}
}

CUDAL1_PER_THREAD_NAME(cudaMemcpy2DToArray, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpy2DToArrayAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpy2DFromArray, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpy2DFromArrayAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpyToArray, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpyToArrayAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpyFromArray, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpyFromArrayAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpy2DArrayToArray, _ptds)
