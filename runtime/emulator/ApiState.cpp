//===- ApiState.cpp - What the CUDA runtime knows of a process ------------===//

#include "ApiState.h"
#include "ApiTrace.h"
#include "DeviceMemory.h"
#include "Findings.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

thread_local cudaError_t LastError = cudaSuccess;

/// "Not ready" is the usual answer of a query, and these report an error
/// without causing one.
bool isTraced(const char *Name, cudaError_t Result) {
  return Result != cudaErrorNotReady &&
         std::strcmp(Name, "cudaGetLastError") != 0 &&
         std::strcmp(Name, "cudaPeekAtLastError") != 0;
}

bool isSetTo(const char *Variable, const char *Value) {
  const char *Text = std::getenv(Variable);
  return Text && std::strcmp(Text, Value) == 0;
}

void reportLeaks() {
  if (uint64_t Bytes = memory::bytesInUse())
    reportFinding(FindingKind::Leak, nullptr,
                  "device memory of " + std::to_string(Bytes) +
                      " bytes was not freed before the process ended");
}

/// Runs after all that the program does at its exit, since it is registered
/// before anything of the program ran.
void atExit(int Status, void *) {
  Runtime &R = runtime();
  if (R.Tracer)
    R.Tracer->end();
  if (isSetTo(LeaksVariable, "1"))
    reportLeaks();
  if (isSetTo(ExitVariable, "program"))
    return;
  int Code = Status;
  if (R.Unsupported)
    Code = ExitUnsupported;
  else if (Status == 0 && findingCount() > 0)
    Code = ExitFindings;
  if (Code == Status)
    return;
  std::fflush(nullptr);
  ::_exit(Code);
}

/// First of the constructors that an ordinary program may have.
__attribute__((constructor(101))) void beforeProgram() {
  runtime().Tracer = ApiTracer::fromEnvironment();
  ::on_exit(atExit, nullptr);
}

} // namespace

Runtime &api::runtime() {
  // Never destroyed: destructors of static objects may still call the API.
  static Runtime &TheRuntime = *[] {
    auto *R = new Runtime;
    R->PerThreadStream.Id = 1;
    return R;
  }();
  return TheRuntime;
}

cudaError_t api::finishCall(const char *Name, cudaError_t Result) {
  if (Result == cudaSuccess)
    return Result;
  LastError = Result;
  if (ApiTracer *T = tracer(); T && isTraced(Name, Result))
    T->apiError(Name, Result);
  return Result;
}

cudaError_t api::lastError() { return LastError; }

cudaError_t api::takeLastError() {
  return std::exchange(LastError, cudaSuccess);
}

cudaError_t api::unsupported(const std::string &What) {
  runtime().Unsupported = true;
  reportFinding(FindingKind::Unsupported, nullptr, What + " is not emulated");
  return cudaErrorNotSupported;
}

Kernel *api::lookupKernel(const void *Function) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  auto Entry = R.Kernels.find(Function);
  if (Entry == R.Kernels.end())
    return nullptr;
  Kernel &K = Entry->second;
  if (!K.Info)
    K.Info = findKernel(K.Name.c_str());
  return K.Info ? &K : nullptr;
}

const VariableInfo *api::lookupVariable(const void *Symbol) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  auto Entry = R.Variables.find(Symbol);
  if (Entry == R.Variables.end())
    return nullptr;
  Variable &V = Entry->second;
  if (!V.Info)
    V.Info = findVariable(V.Name.c_str());
  return V.Info;
}

CUstream_st *api::lookupStream(cudaStream_t Handle) {
  Runtime &R = runtime();
  if (!Handle || Handle == cudaStreamLegacy)
    return &R.NullStream;
  if (Handle == cudaStreamPerThread)
    return &R.PerThreadStream;
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return R.Streams.count(Handle) ? Handle : nullptr;
}
