//===- ActivitySource.cpp - CUPTI's records of what ran -------------------===//

#include "ActivitySource.h"
#include <cstdlib>

using namespace cudal1::runtime;

ActivitySource *ActivitySource::Instance = nullptr;

namespace {
/// CUPTI fills buffers of this size; its documentation advises 1 to 10 MB.
constexpr size_t BufferBytes = size_t(4) << 20;
/// CUPTI wants its buffers aligned to eight bytes.
constexpr size_t BufferAlignment = 8;
} // namespace

CUptiResult
ActivitySource::start(std::initializer_list<CUpti_ActivityKind> Kinds) {
  Instance = this;
  CUptiResult Result =
      C.ActivityRegisterCallbacks(bufferRequested, bufferCompleted);
  for (CUpti_ActivityKind Kind : Kinds)
    if (Result == CUPTI_SUCCESS)
      Result = C.ActivityEnable(Kind);
  return Result;
}

void ActivitySource::stop(std::initializer_list<CUpti_ActivityKind> Kinds) {
  for (CUpti_ActivityKind Kind : Kinds)
    C.ActivityDisable(Kind);
}

void ActivitySource::flush(bool Forced) {
  C.ActivityFlushAll(Forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

void CUPTIAPI ActivitySource::bufferRequested(uint8_t **Buffer, size_t *Size,
                                              size_t *MaxRecords) {
  *Buffer =
      static_cast<uint8_t *>(std::aligned_alloc(BufferAlignment, BufferBytes));
  *Size = *Buffer ? BufferBytes : 0;
  *MaxRecords = 0; // as many as fit
}

void CUPTIAPI ActivitySource::bufferCompleted(CUcontext Context,
                                              uint32_t StreamId,
                                              uint8_t *Buffer, size_t,
                                              size_t ValidSize) {
  ActivitySource &Self = *Instance;
  CUpti_Activity *Record = nullptr;
  while (ValidSize > 0 && Self.C.ActivityGetNextRecord(
                              Buffer, ValidSize, &Record) == CUPTI_SUCCESS)
    Self.Out(*Record);
  size_t Dropped = 0;
  Self.C.ActivityGetNumDroppedRecords(Context, StreamId, &Dropped);
  Self.Dropped += Dropped;
  std::free(Buffer);
}
