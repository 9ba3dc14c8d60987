// A "CUDA program" without CUDA: loads the injection library as the driver
// would and makes the calls of a scenario through the fake CUPTI.
//
//   fake-program LIBRARY SCENARIO

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cupti.h>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
void fakeDeviceMemory(void *Address, size_t Bytes);
void fakeCapture(CUstream Stream);
int fakeSynchronizations();
void fakeCall(CUpti_CallbackDomain Domain, CUpti_CallbackId Id,
              const char *Name, const void *Parameters, int Result,
              const char *Symbol);
void fakeKernelRan(const char *Name, uint64_t Ns);
}

namespace {

template <typename T>
void driverCall(CUpti_CallbackId Id, const char *Name, const T &Parameters,
                int Result = 0, const char *Symbol = nullptr) {
  fakeCall(CUPTI_CB_DOMAIN_DRIVER_API, Id, Name, &Parameters, Result, Symbol);
}

void runtimeCall(CUpti_CallbackId Id, const char *Name, int Result) {
  fakeCall(CUPTI_CB_DOMAIN_RUNTIME_API, Id, Name, nullptr, Result, nullptr);
}

CUdeviceptr pointer(void *Address) {
  return reinterpret_cast<CUdeviceptr>(Address);
}

char Device[256];

void allocate() {
  fakeDeviceMemory(Device, sizeof(Device));
  for (size_t I = 0; I < sizeof(Device); ++I)
    Device[I] = char(I);
  CUdeviceptr Made = pointer(Device);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2",
             cuMemAlloc_v2_params{&Made, sizeof(Device)});
}

void launch(uintptr_t Handle, CUstream Stream, int Result = 0) {
  CUdeviceptr Argument = pointer(Device);
  int Count = 7;
  char Struct[24] = {};
  void *Arguments[] = {&Argument, &Count, Struct};
  cuLaunchKernel_params P = {};
  P.f = reinterpret_cast<CUfunction>(Handle);
  P.gridDimX = 3;
  P.gridDimY = P.gridDimZ = P.blockDimY = P.blockDimZ = 1;
  P.blockDimX = 64;
  P.hStream = Stream;
  P.kernelParams = Arguments;
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", P,
             Result, "_Z1kPfi");
}

void copies() {
  allocate();
  char Host[256] = {};
  std::memcpy(Host, Device, 16);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2",
             cuMemcpyDtoH_v2_params{Host, pointer(Device), 16});
  auto Stream = reinterpret_cast<CUstream>(0x50);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2,
             "cuMemcpyDtoHAsync_v2",
             cuMemcpyDtoHAsync_v2_params{Host, pointer(Device), 8, Stream});
  if (fakeSynchronizations() != 1)
    std::abort(); // an asynchronous copy must be waited for
  // By address alone: to the host is recorded, on the device is not.
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpy, "cuMemcpy",
             cuMemcpy_params{pointer(Host), pointer(Device), 4});
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpy, "cuMemcpy",
             cuMemcpy_params{pointer(Device + 128), pointer(Device), 4});
  // Two rows of 3 bytes, 10 apart on the host, from byte 1 of row 1 on.
  std::memcpy(Host + 11, "abc", 3);
  std::memcpy(Host + 21, "def", 3);
  CUDA_MEMCPY2D Rows = {};
  Rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  Rows.srcDevice = pointer(Device);
  Rows.srcPitch = 20;
  Rows.srcY = 2;
  Rows.dstMemoryType = CU_MEMORYTYPE_HOST;
  Rows.dstHost = Host;
  Rows.dstPitch = 10;
  Rows.dstXInBytes = 1;
  Rows.dstY = 1;
  Rows.WidthInBytes = 3;
  Rows.Height = 2;
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2, "cuMemcpy2D_v2",
             cuMemcpy2D_v2_params{&Rows});
  // A failed copy moved nothing.
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2",
             cuMemcpyDtoH_v2_params{Host, pointer(Device), 16},
             CUDA_ERROR_INVALID_VALUE);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2",
             cuMemFree_v2_params{pointer(Device)});
}

void launches() {
  allocate();
  launch(0x10, nullptr);                          // a CUkernel
  launch(0x21, reinterpret_cast<CUstream>(0x50)); // a CUfunction
  launch(0x10, nullptr, CUDA_ERROR_INVALID_VALUE);
  fakeCapture(reinterpret_cast<CUstream>(0x50));
  launch(0x10, reinterpret_cast<CUstream>(0x50));
}

void errors() {
  runtimeCall(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc", 2);
  runtimeCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
              "cudaGetLastError", 2);
  runtimeCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020, "cudaStreamQuery",
              600);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", 0,
             700);
}

void shared() {
  static char Managed[64];
  CUdeviceptr Made = pointer(Managed);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, "cuMemAllocManaged",
             cuMemAllocManaged_params{&Made, sizeof(Managed), 1});
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", 0);
  launch(0x10, nullptr);
  std::strcpy(Managed, "result");
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", 0);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", 0);
}

void graph() {
  allocate();
  auto Stream = reinterpret_cast<CUstream>(0x50);
  auto *Host = static_cast<char *>(std::malloc(8));
  fakeCapture(Stream);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2,
             "cuMemcpyDtoHAsync_v2",
             cuMemcpyDtoHAsync_v2_params{Host, pointer(Device), 8, Stream});
  fakeCapture(nullptr);
  std::memcpy(Host, "12345678", 8);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch",
             cuGraphLaunch_params{nullptr, Stream});
  std::memcpy(Host, "abcdefgh", 8);
  driverCall(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch",
             cuGraphLaunch_params{nullptr, Stream});
  std::free(Host);
}

void forked() {
  if (pid_t Child = ::fork()) {
    ::waitpid(Child, nullptr, 0);
    return;
  }
  launch(0x10, nullptr); // in the child: must not reach the parent's file
  std::exit(0);
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count != 3)
    return 2;
  void *Library = dlopen(Arguments[1], RTLD_NOW);
  auto *Initialize = reinterpret_cast<int (*)()>(
      Library ? dlsym(Library, "InitializeInjection") : nullptr);
  if (!Initialize || Initialize() != 1)
    return 3;
  std::string Scenario = Arguments[2];
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
  else if (Scenario == "vanish")
    ::_exit(0);
  if (Scenario != "nothing")
    fakeKernelRan("_Z1kPfi", 500);
  std::puts("done");
  return 0;
}
