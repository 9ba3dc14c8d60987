//===- ApiCopy.cpp - The calls that copy ----------------------------------===//

#include "ApiCopy.h"
#include "ApiState.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// Does a copy that \p Make describes. Without a stream it is waited for.
template <typename Maker>
cudaError_t copyCall(const char *Name, std::optional<cudaStream_t> Stream,
                     Maker &&Make) {
  return apiCall(Name, [&]() -> cudaError_t {
    CopyWork Copy;
    if (cudaError_t Error = Make(Copy))
      return Error;
    return Stream ? submit(Copy, *Stream, Name) : submitAndWait(Copy, Name);
  });
}

cudaError_t linear(const char *Name, std::optional<cudaStream_t> Stream,
                   void *To, const void *From, uint64_t Bytes,
                   cudaMemcpyKind Kind) {
  return copyCall(Name, Stream, [&](CopyWork &Copy) {
    Copy = linearCopy(To, From, Bytes, Kind);
    return cudaSuccess;
  });
}

cudaError_t rows(const char *Name, std::optional<cudaStream_t> Stream, void *To,
                 uint64_t ToPitch, const void *From, uint64_t FromPitch,
                 uint64_t Width, uint64_t Height, cudaMemcpyKind Kind) {
  return copyCall(Name, Stream, [&](CopyWork &Copy) -> cudaError_t {
    if (Width > ToPitch || Width > FromPitch)
      return cudaErrorInvalidPitchValue;
    cudaMemcpy3DParms P = {};
    P.srcPtr = {const_cast<void *>(From), FromPitch, Width, Height};
    P.dstPtr = {To, ToPitch, Width, Height};
    P.extent = {Width, Height, 1};
    P.kind = Kind;
    return makeCopy(P, Copy);
  });
}

cudaError_t symbol(const char *Name, std::optional<cudaStream_t> Stream,
                   const void *Symbol, void *Other, uint64_t Bytes,
                   uint64_t Offset, cudaMemcpyKind Kind, bool ToSymbol) {
  return copyCall(Name, Stream, [&](CopyWork &Copy) {
    return symbolCopy(Symbol, Other, Bytes, Offset, Kind, ToSymbol, Copy);
  });
}

cudaError_t volume(const char *Name, std::optional<cudaStream_t> Stream,
                   const cudaMemcpy3DParms *Params) {
  return copyCall(Name, Stream, [&](CopyWork &Copy) -> cudaError_t {
    return Params ? makeCopy(*Params, Copy) : cudaErrorInvalidValue;
  });
}

cudaError_t peerVolume(const char *Name, std::optional<cudaStream_t> Stream,
                       const cudaMemcpy3DPeerParms *P) {
  return copyCall(Name, Stream, [&](CopyWork &Copy) -> cudaError_t {
    if (!P)
      return cudaErrorInvalidValue;
    if (P->srcDevice != 0 || P->dstDevice != 0)
      return cudaErrorInvalidDevice;
    cudaMemcpy3DParms Plain = {
        P->srcArray, P->srcPos, P->srcPtr, P->dstArray,
        P->dstPos,   P->dstPtr, P->extent, cudaMemcpyDeviceToDevice};
    return makeCopy(Plain, Copy);
  });
}

cudaError_t peer(const char *Name, std::optional<cudaStream_t> Stream, void *To,
                 int ToDevice, const void *From, int FromDevice,
                 uint64_t Bytes) {
  return copyCall(Name, Stream, [&](CopyWork &Copy) -> cudaError_t {
    if (ToDevice != 0 || FromDevice != 0)
      return cudaErrorInvalidDevice;
    Copy = linearCopy(To, From, Bytes, cudaMemcpyDeviceToDevice);
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes,
                       cudaMemcpyKind Kind) {
  return linear(__func__, std::nullopt, To, From, Bytes, Kind);
}

cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Bytes,
                            cudaMemcpyKind Kind, cudaStream_t Stream) {
  return linear(__func__, Stream, To, From, Bytes, Kind);
}

cudaError_t cudaMemcpyPeer(void *To, int ToDevice, const void *From,
                           int FromDevice, size_t Bytes) {
  return peer(__func__, std::nullopt, To, ToDevice, From, FromDevice, Bytes);
}

cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From,
                                int FromDevice, size_t Bytes,
                                cudaStream_t Stream) {
  return peer(__func__, Stream, To, ToDevice, From, FromDevice, Bytes);
}

cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From,
                         size_t FromPitch, size_t Width, size_t Height,
                         cudaMemcpyKind Kind) {
  return rows(__func__, std::nullopt, To, ToPitch, From, FromPitch, Width,
              Height, Kind);
}

cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From,
                              size_t FromPitch, size_t Width, size_t Height,
                              cudaMemcpyKind Kind, cudaStream_t Stream) {
  return rows(__func__, Stream, To, ToPitch, From, FromPitch, Width, Height,
              Kind);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *Params) {
  return volume(__func__, std::nullopt, Params);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *Params,
                              cudaStream_t Stream) {
  return volume(__func__, Stream, Params);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *Params) {
  return peerVolume(__func__, std::nullopt, Params);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *Params,
                                  cudaStream_t Stream) {
  return peerVolume(__func__, Stream, Params);
}

cudaError_t cudaMemcpyToSymbol(const void *Symbol, const void *From,
                               size_t Bytes, size_t Offset,
                               cudaMemcpyKind Kind) {
  return symbol(__func__, std::nullopt, Symbol, const_cast<void *>(From), Bytes,
                Offset, Kind, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *Symbol, const void *From,
                                    size_t Bytes, size_t Offset,
                                    cudaMemcpyKind Kind, cudaStream_t Stream) {
  return symbol(__func__, Stream, Symbol, const_cast<void *>(From), Bytes,
                Offset, Kind, true);
}

cudaError_t cudaMemcpyFromSymbol(void *To, const void *Symbol, size_t Bytes,
                                 size_t Offset, cudaMemcpyKind Kind) {
  return symbol(__func__, std::nullopt, Symbol, To, Bytes, Offset, Kind, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *To, const void *Symbol,
                                      size_t Bytes, size_t Offset,
                                      cudaMemcpyKind Kind,
                                      cudaStream_t Stream) {
  return symbol(__func__, Stream, Symbol, To, Bytes, Offset, Kind, false);
}
}

CUDAL1_PER_THREAD_NAME(cudaMemcpy, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpyAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpy2D, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpy2DAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpy3D, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpy3DAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpy3DPeer, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpy3DPeerAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpyToSymbol, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpyToSymbolAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMemcpyFromSymbol, _ptds)
CUDAL1_PER_THREAD_NAME(cudaMemcpyFromSymbolAsync, _ptsz)
