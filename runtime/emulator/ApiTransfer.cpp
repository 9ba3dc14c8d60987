//===- ApiTransfer.cpp - Copies and fills, done ---------------------------===//

#include "ApiPlaces.h"
#include "ApiState.h"
#include "ApiTrace.h"
#include "DeviceMemory.h"
#include <cstring>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// Bytes from the first to the last of \p Depth slices of \p Height rows.
uint64_t spanOf(uint64_t Pitch, uint64_t Slice, uint64_t Width, uint64_t Height,
                uint64_t Depth) {
  return (Depth - 1) * Slice + (Height - 1) * Pitch + Width;
}

/// The places that the direction of a copy names are what it says they are.
bool directionFits(const CopyWork &W, Place To, Place From) {
  bool ToDevice = W.To.IsArray || isOnDevice(To);
  bool FromDevice = W.From.IsArray || isOnDevice(From);
  switch (W.Kind) {
  case cudaMemcpyHostToDevice:
    return ToDevice;
  case cudaMemcpyDeviceToHost:
    return FromDevice;
  case cudaMemcpyDeviceToDevice:
    return ToDevice && FromDevice;
  case cudaMemcpyHostToHost:
    return To != Place::Device && From != Place::Device;
  default:
    return true;
  }
}

void copyRow(char *To, const char *From, uint64_t Bytes) {
  std::memmove(To, From, Bytes);
  if (!memory::isDevice(To))
    return;
  if (memory::isDevice(From))
    memory::copyShadow(To, From, Bytes);
  else
    memory::markInitialized(To, Bytes);
}

void traceCopy(const CopyWork &W, Place To, Place From, bool InGraph) {
  ApiTracer *T = tracer();
  if (!T)
    return;
  bool FromDevice = W.From.IsArray || isOnlyDevice(From);
  bool ToHost = !W.To.IsArray && !isOnlyDevice(To);
  if (W.Kind == cudaMemcpyDeviceToHost || (FromDevice && ToHost))
    T->copiedToHost(W, InGraph);
  else if (W.Kind == cudaMemcpyHostToDevice)
    T->copiedToDevice();
}

void fillRow(char *Data, uint32_t Value, uint32_t ElementBytes,
             uint64_t Elements) {
  if (ElementBytes == 1)
    std::memset(Data, static_cast<int>(Value), Elements);
  else
    for (uint64_t I = 0; I < Elements; ++I)
      std::memcpy(Data + I * ElementBytes, &Value, ElementBytes);
  if (memory::isDevice(Data))
    memory::markInitialized(Data, Elements * ElementBytes);
}

} // namespace

cudaError_t api::performCopy(const CopyWork &W, const char *Name,
                             bool InGraph) {
  if (W.Kind < cudaMemcpyHostToHost || W.Kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (W.Width == 0 || W.Height == 0 || W.Depth == 0)
    return cudaSuccess;
  if (!W.To.Data || !W.From.Data)
    return cudaErrorInvalidValue;
  Place To = placeOf(W.To.Data), From = placeOf(W.From.Data);
  if (!directionFits(W, To, From))
    return cudaErrorInvalidValue;
  bool MayRead = checkAccess(
      Name, "reads", W.From.Data,
      spanOf(W.From.Pitch, W.From.Slice, W.Width, W.Height, W.Depth));
  bool MayWrite =
      checkAccess(Name, "writes", W.To.Data,
                  spanOf(W.To.Pitch, W.To.Slice, W.Width, W.Height, W.Depth));
  if (!MayRead || !MayWrite)
    return cudaErrorInvalidValue;
  for (uint64_t Z = 0; Z < W.Depth; ++Z)
    for (uint64_t Y = 0; Y < W.Height; ++Y)
      copyRow(W.To.Data + Z * W.To.Slice + Y * W.To.Pitch,
              W.From.Data + Z * W.From.Slice + Y * W.From.Pitch, W.Width);
  traceCopy(W, To, From, InGraph);
  return cudaSuccess;
}

cudaError_t api::performFill(const FillWork &W, const char *Name) {
  if (W.Width == 0 || W.Height == 0 || W.Depth == 0)
    return cudaSuccess;
  if (!W.Data || !isOnDevice(placeOf(W.Data)))
    return cudaErrorInvalidValue;
  if (!checkAccess(Name, "writes", W.Data,
                   spanOf(W.Pitch, W.Slice, W.Width * W.ElementBytes, W.Height,
                          W.Depth)))
    return cudaErrorInvalidValue;
  for (uint64_t Z = 0; Z < W.Depth; ++Z)
    for (uint64_t Y = 0; Y < W.Height; ++Y)
      fillRow(W.Data + Z * W.Slice + Y * W.Pitch, W.Value, W.ElementBytes,
              W.Width);
  return cudaSuccess;
}
