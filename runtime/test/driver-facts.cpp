// The same for the driver API: a kernel of a module, whose handle is a
// CUfunction and no CUkernel, launched with an array of argument pointers and
// with a packed argument buffer.
//
// The trace must hold two launches of `fill`, both with the arguments at
// offset 0 (8 bytes, the allocation's address) and 8 (4 bytes, 7 and 9), and a
// copy of 128 bytes after each.

#include <cstdio>
#include <cstdlib>
#include <cuda.h>

#define CHECK(Call)                                                            \
  do {                                                                         \
    CUresult Error = (Call);                                                   \
    if (Error != CUDA_SUCCESS) {                                               \
      std::printf("%s: error %d\n", #Call, int(Error));                        \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

static const char Ptx[] = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .entry fill(.param .u64 Out, .param .u32 Value) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [Out];
  ld.param.u32 %r1, [Value];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

int main() {
  CUdevice Device;
  CUcontext Context;
  CUmodule Module;
  CUfunction Fill;
  CUdeviceptr Out;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&Device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&Context, Device));
  CHECK(cuCtxSetCurrent(Context));
  CHECK(cuModuleLoadData(&Module, Ptx));
  CHECK(cuModuleGetFunction(&Fill, Module, "fill"));
  CHECK(cuMemAlloc(&Out, 128));
  int Host[32], Value = 7;
  void *Arguments[] = {&Out, &Value};
  CHECK(
      cuLaunchKernel(Fill, 1, 1, 1, 32, 1, 1, 0, nullptr, Arguments, nullptr));
  CHECK(cuMemcpyDtoH(Host, Out, sizeof(Host)));
  std::printf("pointers %d\n", Host[31]);

  struct {
    CUdeviceptr Out;
    int Value;
  } Packed = {Out, 9};
  size_t Size = 12;
  void *Extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &Packed,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &Size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(Fill, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, Extra));
  CHECK(cuMemcpyDtoH(Host, Out, sizeof(Host)));
  std::printf("packed %d\n", Host[31]);
  CHECK(cuMemFree(Out));
  return 0;
}
