//===- ReplayInterpreter.cpp - Does what a batch says ---------------------===//

#include "ReplayInterpreter.h"
#include "LaunchCall.h"

using namespace cudal1;
using namespace cudal1::runtime;
using replay::Decoder;
using replay::Op;

namespace {

/// What a malformed or misplaced operation is answered with; no call of the
/// driver was made.
CallResult refuse(const char *Why) { return {CUDA_ERROR_INVALID_VALUE, Why}; }

/// The operation was cut short.
CallResult malformed() { return refuse("operation of a batch (malformed)"); }

template <typename Handle> Handle handle(uint64_t Number) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): handles travel as numbers
  return reinterpret_cast<Handle>(Number);
}

template <typename Handle> uint64_t number(Handle Of) {
  return reinterpret_cast<uint64_t>(Of);
}

/// What only queues work: anything else may wait for the stream, which waits
/// for the dam.
bool mayBeDammed(Op Code) {
  return Code == Op::Copy || Code == Op::Fill || Code == Op::Launch ||
         Code == Op::Flow || Code == Op::Resume;
}

} // namespace

CallResult runtime::describeFunction(const ReplayDriver &D, CUfunction Function,
                                     replay::FunctionInfo &To) {
  To.Handle = number(Function);
  const std::pair<CUfunction_attribute, int32_t *> Attributes[] = {
      {CU_FUNC_ATTRIBUTE_NUM_REGS, &To.Registers},
      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &To.StaticSharedBytes},
      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &To.LocalBytes},
      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &To.MaxThreads},
      {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &To.MaxDynamicShared},
      {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &To.SharedCarveout}};
  for (auto [Attribute, Value] : Attributes)
    if (CUresult Code = D.FuncGetAttribute(Value, Attribute, Function))
      return {Code, "cuFuncGetAttribute"};
  // Drivers before clusters do not know these.
  const std::pair<CUfunction_attribute, int32_t *> OfClusters[] = {
      {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
       &To.NonPortableCluster},
      {CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
       &To.ClusterScheduling},
      {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &To.RequiredCluster[0]},
      {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &To.RequiredCluster[1]},
      {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &To.RequiredCluster[2]}};
  for (auto [Attribute, Value] : OfClusters)
    if (D.FuncGetAttribute(Value, Attribute, Function) != CUDA_SUCCESS)
      *Value = 0;
  To.Parameters = parametersOf(D, Function);
  return {};
}

std::optional<replay::Reply> ReplayInterpreter::run(const std::string &Batch,
                                                    bool Usable) {
  replay::Reply Answer;
  Out.Bytes.clear();
  Decoder In(Batch);
  for (uint32_t Index = 0; !In.atEnd(); ++Index) {
    auto Code = Op(In.number<uint8_t>());
    if (Code == Op::Resume)
      return std::nullopt;
    size_t Before = Out.Bytes.size();
    CallResult Result = Usable ? perform(Code, In)
                               : refuse("operation on a launch that cannot be "
                                        "replayed");
    if (!Result.failed())
      continue;
    if (Timer.isDammed())
      Timer.breakDam();
    Out.Bytes.resize(Before);
    Answer.Code = Result.Code;
    Answer.FailedOperation = Index;
    Answer.Problem = D.describe(Result);
    break;
  }
  Answer.Results.swap(Out.Bytes);
  return Answer;
}

CallResult ReplayInterpreter::perform(Op Code, Decoder &In) {
  if (Timer.isDammed() && !mayBeDammed(Code))
    return refuse("operation that waits, before the dam is open");
  switch (Code) {
  case Op::LoadModule:
    return loadModule(In);
  case Op::UnloadModule:
    return unloadModule(In);
  case Op::GetFunction:
    return getFunction(In);
  case Op::GetGlobal:
    return getGlobal(In);
  case Op::SetFunctionAttribute:
    return setFunctionAttribute(In);
  case Op::Allocate:
    return allocate(In);
  case Op::Free:
    return release(In);
  case Op::MemoryInfo:
    return memoryInfo();
  case Op::Copy:
    return copy(In);
  case Op::Fill:
    return fill(In);
  case Op::Write:
    return write(In);
  case Op::Read:
    return read(In);
  case Op::Launch:
    return launch(In);
  case Op::Synchronize:
    return Timer.synchronize();
  case Op::Dam:
    return Timer.dam();
  case Op::Flow:
    return Timer.flow(Out);
  case Op::ResetPersistingL2:
    return resetPersistingL2();
  case Op::Resume:
    break;
  }
  return refuse("unknown operation");
}

CallResult ReplayInterpreter::loadModule(Decoder &In) {
  uint64_t Size;
  const char *Image = In.blob(Size);
  if (!Image)
    return malformed();
  // The driver wants an image aligned as its header is.
  std::string Aligned(Image, Size);
  CUmodule Module = nullptr;
  if (CUresult Code = D.ModuleLoadData(&Module, Aligned.c_str()))
    return {Code, "cuModuleLoadData"};
  Out.number(number(Module));
  return {};
}

CallResult ReplayInterpreter::unloadModule(Decoder &In) {
  auto Module = In.number<uint64_t>();
  if (In.failed())
    return malformed();
  return {D.ModuleUnload(handle<CUmodule>(Module)), "cuModuleUnload"};
}

CallResult ReplayInterpreter::getFunction(Decoder &In) {
  auto Module = In.number<uint64_t>();
  std::string Name = In.string();
  if (In.failed())
    return malformed();
  if (Module == 0) {
    // Asked anew: its attributes may have been changed.
    replay::FunctionInfo Info;
    CallResult Result =
        describeFunction(D, handle<CUfunction>(Of.Function.Handle), Info);
    Info.encode(Out);
    return Result;
  }
  CUfunction Function = nullptr;
  if (CUresult Code = D.ModuleGetFunction(&Function, handle<CUmodule>(Module),
                                          Name.c_str()))
    return {Code, "cuModuleGetFunction"};
  // Under lazy loading the first launch would load it, and may have to wait
  // for the device: not behind a dam.
  if (D.FuncLoad)
    if (CUresult Code = D.FuncLoad(Function))
      return {Code, "cuFuncLoad"};
  replay::FunctionInfo Info;
  CallResult Result = describeFunction(D, Function, Info);
  Info.encode(Out);
  return Result;
}

CallResult ReplayInterpreter::getGlobal(Decoder &In) {
  auto Number = In.number<uint64_t>();
  std::string Name = In.string();
  if (In.failed())
    return malformed();
  CUmodule Module = Number ? handle<CUmodule>(Number) : Of.Module;
  CUdeviceptr Address = 0;
  size_t Bytes = 0;
  CUresult Code =
      Module ? D.ModuleGetGlobal(&Address, &Bytes, Module, Name.c_str())
             : CUDA_ERROR_NOT_FOUND;
  if (Code != CUDA_SUCCESS && Code != CUDA_ERROR_NOT_FOUND)
    return {Code, "cuModuleGetGlobal"};
  bool Found = Code == CUDA_SUCCESS;
  Out.number(uint64_t(Found ? Address : 0));
  Out.number(uint64_t(Found ? Bytes : 0));
  return {};
}

CallResult ReplayInterpreter::setFunctionAttribute(Decoder &In) {
  auto Function = In.number<uint64_t>();
  auto Attribute = In.number<int32_t>();
  auto Value = In.number<int32_t>();
  if (In.failed())
    return malformed();
  return {D.FuncSetAttribute(handle<CUfunction>(Function),
                             CUfunction_attribute(Attribute), Value),
          "cuFuncSetAttribute"};
}

CallResult ReplayInterpreter::allocate(Decoder &In) {
  auto Bytes = In.number<uint64_t>();
  auto Host = In.number<uint8_t>();
  if (In.failed())
    return malformed();
  CUdeviceptr Address = 0;
  CUresult Code;
  if (Host) {
    void *Memory = nullptr;
    Code = D.MemHostAlloc(&Memory, Bytes,
                          CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    Address = number(Memory);
  } else {
    Code = D.MemAlloc(&Address, Bytes);
  }
  if (Code != CUDA_SUCCESS && Code != CUDA_ERROR_OUT_OF_MEMORY)
    return {Code, Host ? "cuMemHostAlloc" : "cuMemAlloc"};
  Out.number(uint64_t(Code == CUDA_SUCCESS ? Address : 0));
  return {};
}

CallResult ReplayInterpreter::release(Decoder &In) {
  auto Address = In.number<uint64_t>();
  auto Host = In.number<uint8_t>();
  if (In.failed())
    return malformed();
  if (Host)
    return {D.MemFreeHost(handle<void *>(Address)), "cuMemFreeHost"};
  return {D.MemFree(Address), "cuMemFree"};
}

CallResult ReplayInterpreter::memoryInfo() {
  size_t Free = 0, Total = 0;
  CallResult Result = {D.MemGetInfo(&Free, &Total), "cuMemGetInfo"};
  Out.number(uint64_t(Free));
  Out.number(uint64_t(Total));
  return Result;
}

CallResult ReplayInterpreter::resetPersistingL2() {
  if (!D.CtxResetPersistingL2)
    return {};
  // GPUs without such a cache have nothing to reset.
  CUresult Code = D.CtxResetPersistingL2();
  return {Code == CUDA_ERROR_NOT_SUPPORTED ? CUDA_SUCCESS : Code,
          "cuCtxResetPersistingL2Cache"};
}

CallResult ReplayInterpreter::copy(Decoder &In) {
  auto To = In.number<uint64_t>();
  auto From = In.number<uint64_t>();
  auto Bytes = In.number<uint64_t>();
  if (In.failed())
    return malformed();
  if (!Timer.admit(/*TimedLaunch=*/false))
    return refuse("more operations than the dam can hold");
  return {D.MemcpyAsync(To, From, Bytes, Timer.stream()), "cuMemcpyAsync"};
}

CallResult ReplayInterpreter::fill(Decoder &In) {
  auto To = In.number<uint64_t>();
  auto Bytes = In.number<uint64_t>();
  auto Value = In.number<uint8_t>();
  if (In.failed())
    return malformed();
  if (!Timer.admit(/*TimedLaunch=*/false))
    return refuse("more operations than the dam can hold");
  return {D.MemsetD8Async(To, Value, Bytes, Timer.stream()), "cuMemsetD8Async"};
}

CallResult ReplayInterpreter::write(Decoder &In) {
  auto To = In.number<uint64_t>();
  uint64_t Bytes;
  const char *Data = In.blob(Bytes);
  if (!Data)
    return malformed();
  if (CUresult Code = D.MemcpyAsync(To, number(Data), Bytes, Timer.stream()))
    return {Code, "cuMemcpyAsync"};
  return Timer.synchronize();
}

CallResult ReplayInterpreter::read(Decoder &In) {
  auto From = In.number<uint64_t>();
  auto Bytes = In.number<uint64_t>();
  if (In.failed() || Bytes > replay::MaxFrameBytes)
    return malformed();
  Out.number(Bytes);
  size_t Offset = Out.Bytes.size();
  Out.Bytes.resize(Offset + Bytes);
  if (CUresult Code = D.MemcpyAsync(number(Out.Bytes.data() + Offset), From,
                                    Bytes, Timer.stream()))
    return {Code, "cuMemcpyAsync"};
  return Timer.synchronize();
}

CallResult ReplayInterpreter::launch(Decoder &In) {
  auto Function = In.number<uint64_t>();
  replay::LaunchConfig Config;
  Config.decode(In);
  std::string Arguments = In.string();
  bool Timed = In.number<uint8_t>();
  if (In.failed())
    return malformed();
  if (!Timer.admit(Timed))
    return refuse("more operations than the dam can hold");

  CUlaunchAttribute Attributes[2] = {};
  CUlaunchConfig Launch = {Config.Grid[0],     Config.Grid[1],
                           Config.Grid[2],     Config.Block[0],
                           Config.Block[1],    Config.Block[2],
                           Config.SharedBytes, Timer.stream(),
                           Attributes,         0};
  if (Config.Cluster[0]) {
    CUlaunchAttribute &A = Attributes[Launch.numAttrs++];
    A.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    A.value.clusterDim = {Config.Cluster[0], Config.Cluster[1],
                          Config.Cluster[2]};
  }
  if (Config.Cooperative) {
    CUlaunchAttribute &A = Attributes[Launch.numAttrs++];
    A.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    A.value.cooperative = 1;
  }
  size_t Bytes = Arguments.size();
  void *Extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, Arguments.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &Bytes, CU_LAUNCH_PARAM_END};
  if (CallResult Result = Timer.beforeLaunch(Timed); Result.failed())
    return Result;
  if (CUresult Code = D.LaunchKernelEx(&Launch, handle<CUfunction>(Function),
                                       nullptr, Bytes ? Extra : nullptr))
    return {Code, "cuLaunchKernelEx"};
  return Timer.afterLaunch(Timed);
}
