// Stands in for libcuda.so.1: "device" memory is memory of the process, and
// handles are numbers.

#include <cstring>
#include <cuda.h>
#include <map>

namespace {
std::map<CUdeviceptr, size_t> &deviceBlocks() {
  static std::map<CUdeviceptr, size_t> Blocks;
  return Blocks;
}
CUstream Capturing = nullptr;
int Synchronizations = 0;
} // namespace

extern "C" {
void fakeDeviceMemory(void *Address, size_t Bytes) {
  deviceBlocks()[reinterpret_cast<CUdeviceptr>(Address)] = Bytes;
}
void fakeCapture(CUstream Stream) { Capturing = Stream; }
int fakeSynchronizations() { return Synchronizations; }

// Even handles are kernels, odd ones functions; a kernel's function follows it.
CUresult cuKernelGetFunction(CUfunction *Function, CUkernel Kernel) {
  auto Number = reinterpret_cast<uintptr_t>(Kernel);
  if (Number % 2)
    return CUDA_ERROR_INVALID_HANDLE;
  *Function = reinterpret_cast<CUfunction>(Number + 1);
  return CUDA_SUCCESS;
}

// Every function has the parameters (pointer, int, struct of 24 bytes).
CUresult cuFuncGetParamInfo(CUfunction Function, size_t Index, size_t *Offset,
                            size_t *Size) {
  static const size_t Offsets[] = {0, 8, 16}, Sizes[] = {8, 4, 24};
  if (reinterpret_cast<uintptr_t>(Function) % 2 == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  if (Index >= 3)
    return CUDA_ERROR_INVALID_VALUE;
  *Offset = Offsets[Index];
  *Size = Sizes[Index];
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream) {
  ++Synchronizations;
  return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream Stream, CUstreamCaptureStatus *Status) {
  *Status = Stream && Stream == Capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                          : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *) {
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
CUresult cuPointerGetAttribute(void *Data, CUpointer_attribute,
                               CUdeviceptr Address) {
  auto Above = deviceBlocks().upper_bound(Address);
  if (Above == deviceBlocks().begin() ||
      Address - std::prev(Above)->first >= std::prev(Above)->second)
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<CUmemorytype *>(Data) = CU_MEMORYTYPE_DEVICE;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *Host, CUdeviceptr Device, size_t Bytes) {
  std::memcpy(Host, reinterpret_cast<const void *>(Device), Bytes);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *Device) {
  *Device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute, CUdevice) {
  *Value = 1;
  return CUDA_SUCCESS;
}
}
