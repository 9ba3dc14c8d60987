// The few calls of CUDA's runtime that fake-cuda.h offers, by the driver.

#include "Gpu.h"
#include <dlfcn.h>

using namespace fake;

namespace {

/// Where the program launches to.
CUstream Current = nullptr;
CUgraph LastGraph = nullptr;
std::vector<CUlaunchAttribute> NextAttributes;

CUdeviceptr address(const void *Pointer) {
  return reinterpret_cast<CUdeviceptr>(Pointer);
}

Function *functionOfKernel(const void *Kernel) {
  Dl_info Info;
  if (!dladdr(Kernel, &Info) || !Info.dli_sname)
    return nullptr;
  return functionIn(executable(), Info.dli_sname);
}

} // namespace

extern "C" {

int fakeMalloc(void **Address, size_t Bytes) {
  cuInit(0);
  return cuMemAlloc(reinterpret_cast<CUdeviceptr *>(Address), Bytes);
}
int fakeMallocManaged(void **Address, size_t Bytes) {
  cuInit(0);
  return cuMemAllocManaged(reinterpret_cast<CUdeviceptr *>(Address), Bytes, 1);
}
int fakeMallocHost(void **Address, size_t Bytes) {
  cuInit(0);
  return cuMemHostAlloc(Address, Bytes, 0);
}
int fakeFree(void *Address) { return cuMemFree(address(Address)); }
int fakeFreeHost(void *Address) { return cuMemFreeHost(Address); }

int fakeCopy(void *To, const void *From, size_t Bytes, int Kind) {
  enum { HostToDevice = 1 };
  return Kind == HostToDevice ? cuMemcpyHtoD(address(To), From, Bytes)
                              : cuMemcpyDtoH(To, address(From), Bytes);
}

int fakeSynchronize() {
  cuInit(0);
  return cuCtxSynchronize();
}

int fakeBeginCapture() {
  cuInit(0);
  if (!Current)
    cuStreamCreate(&Current, 0);
  return cuStreamBeginCapture(Current, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
int fakeEndCapture() { return cuStreamEndCapture(Current, &LastGraph); }
int fakeLaunchGraph() {
  return cuGraphLaunch(reinterpret_cast<CUgraphExec>(LastGraph), Current);
}

void fakeAttribute(unsigned Id, unsigned X, unsigned Y, unsigned Z) {
  CUlaunchAttribute A = {};
  A.id = CUlaunchAttributeID(Id);
  A.value.clusterDim = {X, Y, Z}; // all values begin where this one does
  NextAttributes.push_back(A);
}

int fakeFunctionAttribute(const void *Kernel, int What, int Value) {
  cuInit(0);
  Function *Found = functionOfKernel(Kernel);
  return Found ? cuFuncSetAttribute(reinterpret_cast<CUfunction>(Found),
                                    CUfunction_attribute(What), Value)
               : CUDA_ERROR_NOT_FOUND;
}

int fakeLaunchKernel(const void *Kernel, const unsigned *Grid,
                     const unsigned *Block, size_t SharedBytes,
                     void **Arguments) {
  cuInit(0);
  Function *Found = functionOfKernel(Kernel);
  if (!Found)
    return CUDA_ERROR_NOT_FOUND;
  if (!NextAttributes.empty()) {
    auto Attributes = std::move(NextAttributes);
    NextAttributes.clear();
    CUlaunchConfig Config = {Grid[0],
                             Grid[1],
                             Grid[2],
                             Block[0],
                             Block[1],
                             Block[2],
                             unsigned(SharedBytes),
                             Current,
                             Attributes.data(),
                             unsigned(Attributes.size())};
    return cuLaunchKernelEx(&Config, kernelHandle(*Found), Arguments, nullptr);
  }
  return cuLaunchKernel(kernelHandle(*Found), Grid[0], Grid[1], Grid[2],
                        Block[0], Block[1], Block[2], unsigned(SharedBytes),
                        Current, Arguments, nullptr);
}
}
