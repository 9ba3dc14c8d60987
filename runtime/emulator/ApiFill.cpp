//===- ApiFill.cpp - The calls that fill memory ---------------------------===//

#include "ApiState.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// Fills \p Height x \p Depth rows of \p Width bytes with the low byte of
/// \p Value. Without a stream it is waited for.
cudaError_t fill(const char *Name, std::optional<cudaStream_t> Stream,
                 const cudaPitchedPtr &Memory, int Value,
                 const cudaExtent &Extent) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (Extent.height > 1 && Extent.width > Memory.pitch)
      return cudaErrorInvalidPitchValue;
    if (Extent.depth > 1 && Extent.height > Memory.ysize)
      return cudaErrorInvalidValue;
    FillWork Fill;
    Fill.Data = static_cast<char *>(Memory.ptr);
    Fill.Pitch = Memory.pitch;
    Fill.Slice = Memory.pitch * Memory.ysize;
    Fill.Value = static_cast<unsigned char>(Value);
    Fill.Width = Extent.width;
    Fill.Height = Extent.height;
    Fill.Depth = Extent.depth;
    return Stream ? submit(Fill, *Stream, Name) : submitAndWait(Fill, Name);
  });
}

} // namespace

extern "C" {

cudaError_t cudaMemset(void *Data, int Value, size_t Bytes) {
  return fill(__func__, std::nullopt, {Data, Bytes, Bytes, 1}, Value,
              {Bytes, 1, 1});
}

cudaError_t cudaMemsetAsync(void *Data, int Value, size_t Bytes,
                            cudaStream_t Stream) {
  return fill(__func__, Stream, {Data, Bytes, Bytes, 1}, Value, {Bytes, 1, 1});
}

cudaError_t cudaMemset2D(void *Data, size_t Pitch, int Value, size_t Width,
                         size_t Height) {
  return fill(__func__, std::nullopt, {Data, Pitch, Width, Height}, Value,
              {Width, Height, 1});
}

cudaError_t cudaMemset2DAsync(void *Data, size_t Pitch, int Value, size_t Width,
                              size_t Height, cudaStream_t Stream) {
  return fill(__func__, Stream, {Data, Pitch, Width, Height}, Value,
              {Width, Height, 1});
}

cudaError_t cudaMemset3D(cudaPitchedPtr Memory, int Value, cudaExtent Extent) {
  return fill(__func__, std::nullopt, Memory, Value, Extent);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr Memory, int Value,
                              cudaExtent Extent, cudaStream_t Stream) {
  return fill(__func__, Stream, Memory, Value, Extent);
}
}

CUDAL1_PER_THREAD_NAME(cudaMemset, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemsetAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemset2D, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemset2DAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemset3D, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemset3DAsync, _ptsz)
