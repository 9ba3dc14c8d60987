//===- ApiTestKernels.cpp - Kernels written by hand -----------------------===//

#include "ApiTestKernels.h"
#include "DeviceLibrary.h"
#include <cstdlib>

using namespace cudal1;
using namespace cudal1::emulator;

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
int __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                           void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int);
}

namespace {

template <typename T> T argument(void **Arguments, int Index) {
  return *static_cast<T *>(Arguments[Index]);
}

uint32_t globalThread() {
  const ThreadState &T = *cudal1_emu_thread;
  return T.BlockIdx[0] * T.BlockDim[0] + T.ThreadIdx[0];
}

void addOne(void **Arguments) {
  int *Data = argument<int *>(Arguments, 0);
  int Count = argument<int>(Arguments, 1);
  uint32_t I = globalThread();
  if (I >= static_cast<uint32_t>(Count))
    return;
  ++Data[I];
}

void fillShort(void **Arguments) {
  short *Data = argument<short *>(Arguments, 0);
  Data[globalThread()] = argument<short>(Arguments, 1);
}

void badStore(void **) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto *Nowhere = reinterpret_cast<volatile int *>(uintptr_t(16));
  *Nowhere = 1;
}

void trapping(void **) { cudal1_device_trap(); }
void nothing(void **) {}

constexpr uint32_t AddBytes[] = {8, 4};
constexpr uint32_t FillBytes[] = {8, 2, sizeof(test::Big)};
constexpr uint32_t PointerBytes[] = {8};

constexpr KernelInfo Kernels[] = {
    {"addOne", addOne, 0, 0, 0, 0, nullptr, 0, 2, AddBytes, "kernels.cu", 1},
    {"fillShort", fillShort, 0, 0, 0, 0, nullptr, 0, 3, FillBytes, "kernels.cu",
     1},
    {"badStore", badStore, 0, 0, 0, 0, nullptr, 0, 1, PointerBytes,
     "kernels.cu", 1},
    {"trapping", trapping, 0, 0, 0, 0, nullptr, 0, 0, nullptr, "kernels.cu", 1},
    {"bounded", nothing, 0, 0, 0, 128, nullptr, 0, 0, nullptr, "kernels.cu", 1},
    {"shared20K", nothing, 0, 20 << 10, 20 << 10, 0, nullptr, 0, 0, nullptr,
     "kernels.cu", 1},
};

const VariableInfo Variables[] = {
    {"symbol", test::DeviceSymbol, sizeof(test::DeviceSymbol), 0, 0}};

const ModuleInfo Module = {Kernels, std::size(Kernels), Variables,
                           std::size(Variables)};

char Handles[7];

[[maybe_unused]] const bool Registered = [] {
  cudal1_emu_register_module(&Module);
  void **Binary = __cudaRegisterFatBinary(nullptr);
  const char *Names[] = {"addOne",  "fillShort", "badStore", "trapping",
                         "bounded", "shared20K", "missing"};
  for (size_t I = 0; I < std::size(Names); ++I)
    __cudaRegisterFunction(Binary, &Handles[I], nullptr, Names[I], -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(Binary, reinterpret_cast<char *>(test::HostSymbol), nullptr,
                    "symbol", 0, sizeof(test::HostSymbol), 0, 0);
  __cudaRegisterFatBinaryEnd(Binary);
  return true;
}();

} // namespace

const void *const test::AddOne = &Handles[0];
const void *const test::FillShort = &Handles[1];
const void *const test::BadStore = &Handles[2];
const void *const test::Trapping = &Handles[3];
const void *const test::Bounded = &Handles[4];
const void *const test::Shared20K = &Handles[5];
const void *const test::Missing = &Handles[6];
int test::HostSymbol[4];
int test::DeviceSymbol[4];

test::ApiTest::ApiTest() {
  // Findings of one test must not be the exit code of all.
  ::setenv("CUDAL1_EMU_EXIT", "program", 1);
  cudaDeviceReset();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

test::ApiTest::~ApiTest() { cudaDeviceReset(); }
