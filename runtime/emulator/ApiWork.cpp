//===- ApiWork.cpp - What a stream can be given to do ---------------------===//

#include "ApiWork.h"
#include "ApiCapture.h"
#include "ApiMemory.h"
#include "ApiState.h"
#include "ApiTrace.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

template <typename... Fs> struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs> Overloaded(Fs...) -> Overloaded<Fs...>;

/// The code that a GPU reports for what a grid ended with.
cudaError_t errorOf(LaunchResult Result) {
  switch (Result) {
  case LaunchResult::Done:
    return cudaSuccess;
  case LaunchResult::IllegalAddress:
    return cudaErrorIllegalAddress;
  case LaunchResult::Assert:
    return cudaErrorAssert;
  case LaunchResult::Trap:
  case LaunchResult::Deadlock:
    return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

} // namespace

std::vector<void *> KernelWork::pointers() const {
  std::vector<void *> Result;
  Result.reserve(Arguments.size());
  for (const std::vector<char> &Argument : Arguments)
    Result.push_back(const_cast<char *>(Argument.data()));
  return Result;
}

cudaError_t api::performLaunch(const KernelInfo &Info, const LaunchShape &Shape,
                               void **Arguments) {
  cudaError_t Result = errorOf(runGrid(Info, Shape, Arguments));
  if (Result != cudaSuccess) {
    int None = cudaSuccess;
    runtime().Sticky.compare_exchange_strong(None, Result);
  }
  return Result;
}

cudaError_t api::perform(const Work &W, const char *Name, bool InGraph) {
  return std::visit(
      Overloaded{
          [InGraph](const KernelWork &K) {
            std::vector<void *> Arguments = K.pointers();
            // With no times of kernels, runs are counted by launches.
            if (ApiTracer *T = InGraph ? tracer() : nullptr)
              T->launch(*K.Info, K.Shape, Arguments.data(), 0, false);
            performLaunch(*K.Info, K.Shape, Arguments.data());
            // As on a GPU, later calls tell what became of it.
            return cudaSuccess;
          },
          [&](const CopyWork &C) { return performCopy(C, Name, InGraph); },
          [&](const FillWork &F) { return performFill(F, Name); },
          [](const HostWork &H) {
            H.Call();
            return cudaSuccess;
          },
          [](const EventWork &E) {
            if (!E.Wait)
              recordNow(*E.Event);
            return cudaSuccess;
          },
          [](const AllocationWork &A) { return A.Memory->take(); },
          [Name](const FreeWork &F) { return release(F.Address, false, Name); },
          // What a graph in a node does follows as steps of their own.
          [](const ChildWork &) { return cudaSuccess; },
          [](const EmptyWork &) { return cudaSuccess; }},
      W);
}

cudaError_t api::submit(Work W, cudaStream_t Handle, const char *Name) {
  CUstream_st *Stream = lookupStream(Handle);
  if (!Stream)
    return cudaErrorInvalidResourceHandle;
  if (std::optional<cudaError_t> Captured = capture(*Stream, W))
    return *Captured;
  if (Stream == &runtime().NullStream)
    if (cudaError_t Error = checkImplicitSync())
      return Error;
  return perform(W, Name, false);
}

cudaError_t api::submitAndWait(Work W, const char *Name) {
  return submit(std::move(W), nullptr, Name);
}
