//===- ApiCapture.h - Recording a stream's work into a graph ----*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APICAPTURE_H
#define CUDAL1_RUNTIME_EMULATOR_APICAPTURE_H

#include "ApiObjects.h"

namespace cudal1::emulator::api {

/// True if work of \p Stream is not done now but becomes part of a graph.
bool isCapturing(const CUstream_st &Stream);

/// Makes \p W a node after \p Stream's frontier, if the stream is captured.
/// Nothing: it is not.
std::optional<cudaError_t> capture(CUstream_st &Stream, Work &W);

/// Ends the capture of \p Stream as a failure.
void invalidateCapture(CUstream_st &Stream);

/// The error for a call that waits for all work, or that works in the null
/// stream, while a capture under way forbids it. Such a call ends the capture.
/// cudaSuccess: nothing forbids it.
cudaError_t checkImplicitSync();

/// True if \p Stream is captured: \p Event then stands for its frontier.
bool captureEvent(CUstream_st &Stream, CUevent_st &Event);

/// Makes the capture of \p Event spread to \p Stream. No work is waited for.
cudaError_t captureWait(CUstream_st &Stream, CUevent_st &Event);

/// Last recorded in a stream that is being captured.
bool isCaptured(const CUevent_st &Event);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APICAPTURE_H
