//===- ApiTraceProgram.cpp - A program whose trace is known ---------------===//

#include "ApiTestKernels.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

using namespace cudal1::test;

namespace {

constexpr int Count = 64;
constexpr size_t Bytes = Count * sizeof(int);

int *zeros() {
  int *Device = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&Device), Bytes);
  cudaMemset(Device, 0, Bytes);
  return Device;
}

void copies() {
  int Host[Count] = {1, 2, 3};
  int *Device = zeros();
  cudaMemcpy(Device, Host, Bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(Host, Device, 16, cudaMemcpyDeviceToHost);
  cudaMemcpy2DAsync(Host, 8, Device, 16, 4, 2, cudaMemcpyDefault, nullptr);
  cudaFree(Device);
}

void launches() {
  int *Device = zeros();
  cudaStream_t Stream;
  cudaStreamCreate(&Stream);
  launch(AddOne, dim3(2, 3), 32, nullptr, Device, Count);
  launch(FillShort, 1, 32, Stream, reinterpret_cast<short *>(Device), short(-2),
         Big());
  cudaDeviceSynchronize();
}

void errors() {
  void *Pointer;
  // The trace of a process that did nothing is left out.
  zeros();
  cudaMalloc(&Pointer, size_t(1) << 60);
  cudaGetLastError();
  cudaMalloc(&Pointer, size_t(1) << 60);
  launch(AddOne, 0, 32, nullptr, nullptr, 0);
}

void shared() {
  int *Managed, *Pinned, *Unused;
  cudaMallocManaged(reinterpret_cast<void **>(&Managed), Bytes,
                    cudaMemAttachGlobal);
  cudaMallocHost(reinterpret_cast<void **>(&Pinned), Bytes);
  cudaMallocHost(reinterpret_cast<void **>(&Unused), Bytes);
  std::memset(Managed, 0, Bytes);
  std::memset(Pinned, 0, Bytes);
  launch(AddOne, 2, 32, nullptr, Pinned + 8, 8);
  cudaDeviceSynchronize();
  cudaDeviceSynchronize();
}

void graph() {
  int Host = 0;
  int *Device = zeros();
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  cudaStreamCreate(&Stream);
  cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal);
  launch(AddOne, 2, 32, Stream, Device, Count);
  cudaMemcpyAsync(&Host, Device, sizeof(int), cudaMemcpyDeviceToHost, Stream);
  cudaStreamEndCapture(Stream, &Graph);
  cudaGraphInstantiate(&Exec, Graph, 0);
  cudaGraphLaunch(Exec, Stream);
  cudaGraphLaunch(Exec, Stream);
}

void forked() {
  int *Device = zeros();
  if (::fork() == 0) {
    cudaFree(Device);
    std::exit(0);
  }
}

} // namespace

int main(int, char **Argv) {
  std::string Scenario = Argv[1];
  if (Scenario == "copies")
    copies();
  else if (Scenario == "launches")
    launches();
  else if (Scenario == "errors")
    errors();
  else if (Scenario == "shared")
    shared();
  else if (Scenario == "graph")
    graph();
  else if (Scenario == "fork")
    forked();
  return 0;
}
