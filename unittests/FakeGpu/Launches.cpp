// Launches: the threads of a kernel run one after the other.

#include "Gpu.h"
#include <algorithm>
#include <csetjmp>
#include <cstring>

using namespace fake;

namespace {

constexpr unsigned MaxIntegers = 6; ///< registers that arguments travel in
constexpr unsigned MaxFloats = 8;
constexpr int SharedWithoutOptIn = 48 << 10;
constexpr unsigned MaxThreads = 1024;
constexpr unsigned PortableCluster = 8;

std::jmp_buf AfterFault;

struct Launch {
  Function *Kernel;
  unsigned Grid[3], Block[3];
  std::string Arguments; ///< packed
};

/// A structure of two pointers takes two.
unsigned registersOf(const Parameter &P) {
  return P.Size > sizeof(uint64_t) ? 2 : 1;
}

/// A function of the System V ABI finds its integers in six registers and its
/// floating-point numbers in eight others, whichever way they are mixed.
struct Registers {
  uint64_t I[MaxIntegers] = {};
  double F[MaxFloats] = {};

  explicit Registers(const Launch &L) {
    unsigned Integers = 0, Floats = 0;
    for (const Parameter &P : L.Kernel->Parameters) {
      void *To = P.Floating ? static_cast<void *>(&F[Floats])
                            : static_cast<void *>(&I[Integers]);
      std::memcpy(To, L.Arguments.data() + P.Offset, P.Size);
      (P.Floating ? Floats : Integers) += registersOf(P);
    }
  }

  void call(void *Entry) const {
    using Type = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                          uint64_t, double, double, double, double, double,
                          double, double, double);
    reinterpret_cast<Type>(Entry)(I[0], I[1], I[2], I[3], I[4], I[5], F[0],
                                  F[1], F[2], F[3], F[4], F[5], F[6], F[7]);
  }
};

struct Index {
  unsigned x, y, z;
};

bool fits(const Function &F) {
  unsigned Integers = 0, Floats = 0;
  for (const Parameter &P : F.Parameters)
    (P.Floating ? Floats : Integers) += registersOf(P);
  return F.ParametersKnown && Floats <= MaxFloats && Integers <= MaxIntegers;
}

} // namespace

extern "C" Index threadIdx, blockIdx, blockDim, gridDim;
Index threadIdx, blockIdx, blockDim, gridDim;

namespace {

void runThreads(const Launch &L) {
  gridDim = {L.Grid[0], L.Grid[1], L.Grid[2]};
  blockDim = {L.Block[0], L.Block[1], L.Block[2]};
  Registers R(L);
  auto ForEach = [](Index Size, Index &At, auto Body) {
    for (At.z = 0; At.z < Size.z; ++At.z)
      for (At.y = 0; At.y < Size.y; ++At.y)
        for (At.x = 0; At.x < Size.x; ++At.x)
          Body();
  };
  if (setjmp(AfterFault) == 0)
    ForEach(gridDim, blockIdx, [&] {
      ForEach(blockDim, threadIdx, [&] { R.call(L.Kernel->Entry); });
    });
  else
    lostContext() = CUDA_ERROR_ILLEGAL_ADDRESS;
}

std::string packed(const Function &F, void **Arguments, void **Extra) {
  std::string Result;
  for (size_t I = 0; I < F.Parameters.size() && Arguments; ++I) {
    const Parameter &P = F.Parameters[I];
    Result.resize(P.Offset);
    Result.append(static_cast<const char *>(Arguments[I]), P.Size);
  }
  const char *From = nullptr;
  for (; Extra && *Extra != CU_LAUNCH_PARAM_END; Extra += 2) {
    if (Extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      From = static_cast<const char *>(Extra[1]);
    if (Extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && From)
      Result.assign(From, *static_cast<size_t *>(Extra[1]));
  }
  return Result;
}

CUfunction resolve(CUfunction Handle) {
  CUfunction Resolved = nullptr;
  return cuKernelGetFunction(&Resolved, reinterpret_cast<CUkernel>(Handle)) ==
                 CUDA_SUCCESS
             ? Resolved
             : Handle;
}

/// A grid is made of whole clusters, of up to eight blocks unless the function
/// allows for more.
bool mayHaveClusters(const CUlaunchConfig &C, Function &F) {
  for (unsigned I = 0; I < C.numAttrs; ++I) {
    if (C.attrs[I].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      continue;
    const auto &Cluster = C.attrs[I].value.clusterDim;
    if (!Cluster.x || !Cluster.y || !Cluster.z || C.gridDimX % Cluster.x ||
        C.gridDimY % Cluster.y || C.gridDimZ % Cluster.z)
      return false;
    if (Cluster.x * Cluster.y * Cluster.z > PortableCluster &&
        !F.OfClusters[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED])
      return false;
  }
  return true;
}

const char *symbolOf(CUfunction Handle) {
  CUmodule Of;
  CUfunction F = resolve(Handle);
  return cuFuncGetModule(&Of, F) == CUDA_SUCCESS
             ? reinterpret_cast<Function *>(F)->Name.c_str()
             : nullptr;
}

CUresult launch(const CUlaunchConfig &C, CUfunction Handle, void **Arguments,
                void **Extra) {
  CUmodule Of;
  CUfunction Resolved = resolve(Handle);
  if (cuFuncGetModule(&Of, Resolved) != CUDA_SUCCESS)
    return CUDA_ERROR_INVALID_HANDLE;
  auto &F = *reinterpret_cast<Function *>(Resolved);
  Launch L = {&F,
              {C.gridDimX, C.gridDimY, C.gridDimZ},
              {C.blockDimX, C.blockDimY, C.blockDimZ},
              packed(F, Arguments, Extra)};
  size_t Threads = size_t(L.Block[0]) * L.Block[1] * L.Block[2];
  size_t Blocks = size_t(L.Grid[0]) * L.Grid[1] * L.Grid[2];
  size_t Needed = F.Parameters.empty()
                      ? 0
                      : F.Parameters.back().Offset + F.Parameters.back().Size;
  if (!fits(F) || !mayHaveClusters(C, F) || Threads == 0 ||
      Threads > MaxThreads || Blocks == 0 || L.Arguments.size() < Needed ||
      int(C.sharedMemBytes) > std::max(SharedWithoutOptIn, F.MaxDynamicShared))
    return CUDA_ERROR_INVALID_VALUE;
  submit(C.hStream, [L] {
    if (lostContext() != CUDA_SUCCESS)
      return true;
    uint64_t Start = deviceClock();
    runOnDevice([&] { runThreads(L); });
    recordKernel(L.Kernel->Name, Start, deviceClock());
    return true;
  });
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

void fakeIllegalAddress() { std::longjmp(AfterFault, 1); }

CUresult cuLaunchKernel(CUfunction F, unsigned GX, unsigned GY, unsigned GZ,
                        unsigned BX, unsigned BY, unsigned BZ, unsigned Shared,
                        CUstream Stream, void **Arguments, void **Extra) {
  cuLaunchKernel_params P = {F,  GX,     GY,     GZ,        BX,   BY,
                             BZ, Shared, Stream, Arguments, Extra};
  CUlaunchConfig C = {GX, GY, GZ, BX, BY, BZ, Shared, Stream, nullptr, 0};
  return traced(
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", P,
      [&] { return launch(C, F, Arguments, Extra); }, symbolOf(F));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *C, CUfunction F,
                          void **Arguments, void **Extra) {
  return traced(
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx",
      cuLaunchKernelEx_params{C, F, Arguments, Extra},
      [&] { return launch(*C, F, Arguments, Extra); }, symbolOf(F));
}
}
