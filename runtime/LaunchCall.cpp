//===- LaunchCall.cpp - A call that launches a kernel ---------------------===//

#include "LaunchCall.h"

using namespace cudal1;
using namespace cudal1::runtime;

namespace {

/// Kernels have far fewer parameters; a bound for drivers that never say stop.
constexpr size_t MaxParameters = 4096;

/// Takes over what all launch functions call the same.
template <typename Call> void setShape(LaunchCall &To, const Call &From) {
  To.Config.Grid[0] = From.gridDimX;
  To.Config.Grid[1] = From.gridDimY;
  To.Config.Grid[2] = From.gridDimZ;
  To.Config.Block[0] = From.blockDimX;
  To.Config.Block[1] = From.blockDimY;
  To.Config.Block[2] = From.blockDimZ;
  To.Config.SharedBytes = From.sharedMemBytes;
  To.Stream = From.hStream;
}

void setAttributes(LaunchCall &To, const CUlaunchConfig &From) {
  To.Attributes = From.attrs;
  To.AttributeCount = From.attrs ? From.numAttrs : 0;
  for (unsigned I = 0; I < To.AttributeCount; ++I) {
    const CUlaunchAttribute &A = To.Attributes[I];
    if (A.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      To.Config.Cooperative = A.value.cooperative != 0;
    if (A.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      To.Config.Cluster[0] = A.value.clusterDim.x;
      To.Config.Cluster[1] = A.value.clusterDim.y;
      To.Config.Cluster[2] = A.value.clusterDim.z;
    }
  }
}

/// The variants of calls in which a null stream is the thread's own.
bool isPerThread(CUpti_CallbackId Id) {
  return Id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
         Id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
         Id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

} // namespace

std::optional<LaunchCall> runtime::launchOf(CUpti_CallbackId Id,
                                            const void *Parameters) {
  LaunchCall L;
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
    const auto &P = *static_cast<const cuLaunchKernel_params *>(Parameters);
    setShape(L, P);
    L.Function = P.f;
    L.Arguments = P.kernelParams;
    L.Extra = P.extra;
    break;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
    const auto &P = *static_cast<const cuLaunchKernelEx_params *>(Parameters);
    if (!P.config)
      return std::nullopt;
    setShape(L, *P.config);
    setAttributes(L, *P.config);
    L.Function = P.f;
    L.Arguments = P.kernelParams;
    L.Extra = P.extra;
    break;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
    const auto &P =
        *static_cast<const cuLaunchCooperativeKernel_params *>(Parameters);
    setShape(L, P);
    L.Function = P.f;
    L.Arguments = P.kernelParams;
    L.Config.Cooperative = 1;
    break;
  }
  default:
    return std::nullopt;
  }
  if (!L.Stream && isPerThread(Id))
    L.Stream = CU_STREAM_PER_THREAD;
  return L;
}

const char *LaunchCall::argument(size_t Index, uint32_t Offset) const {
  if (Arguments)
    return static_cast<const char *>(Arguments[Index]);
  for (void **Entry = Extra; Entry && *Entry != CU_LAUNCH_PARAM_END; Entry += 2)
    if (*Entry == CU_LAUNCH_PARAM_BUFFER_POINTER)
      return static_cast<const char *>(Entry[1]) + Offset;
  return nullptr;
}

CUfunction runtime::resolveFunction(const Driver &D, CUfunction Launched) {
  CUfunction Resolved = nullptr;
  if (!D.KernelGetFunction ||
      D.KernelGetFunction(&Resolved, reinterpret_cast<CUkernel>(Launched)) !=
          CUDA_SUCCESS)
    return Launched;
  return Resolved;
}

std::vector<replay::ParameterLayout>
runtime::parametersOf(const Driver &D, CUfunction Function) {
  std::vector<replay::ParameterLayout> Layout;
  size_t Offset, Size;
  while (D.FuncGetParamInfo && Layout.size() < MaxParameters &&
         D.FuncGetParamInfo(Function, Layout.size(), &Offset, &Size) ==
             CUDA_SUCCESS)
    Layout.push_back({uint32_t(Offset), uint32_t(Size)});
  return Layout;
}
