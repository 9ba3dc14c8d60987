//===- Cupti.cpp - CUPTI and the driver, found at run time ----------------===//

#include "Cupti.h"
#include "cudal1/Measure/TraceFormat.h"
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <vector>

using namespace cudal1::runtime;

namespace {

/// The name that the toolkit of these headers gives the library, then whatever
/// is installed: callback and activity records only ever grow at their end.
std::vector<std::string> libraryNames() {
  return {"libcupti.so." + std::to_string(CUDA_VERSION / 1000), "libcupti.so",
          "libcupti.so.13", "libcupti.so.12"};
}

/// Appends the folders where the toolkit at \p Root may keep CUPTI.
void addToolkit(std::vector<std::string> &Folders, const std::string &Root) {
  Folders.push_back(Root + "/lib64");
  Folders.push_back(Root + "/extras/CUPTI/lib64");
  Folders.push_back(Root + "/lib");
}

int addFolderOfCudart(dl_phdr_info *Info, size_t, void *Folders) {
  std::string Path = Info->dlpi_name ? Info->dlpi_name : "";
  if (Path.find("/libcudart.so") == std::string::npos)
    return 0;
  std::string Folder = Path.substr(0, Path.rfind('/'));
  auto &List = *static_cast<std::vector<std::string> *>(Folders);
  List.push_back(Folder);
  List.push_back(Folder + "/../extras/CUPTI/lib64");
  return 1;
}

void *open(std::string &Problem) {
  std::vector<std::string> Candidates;
  if (const char *Path = std::getenv(cudal1::trace::CuptiVariable))
    Candidates.push_back(Path);
  std::vector<std::string> Folders;
  dl_iterate_phdr(addFolderOfCudart, &Folders);
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *Root = std::getenv(Variable))
      addToolkit(Folders, Root);
  addToolkit(Folders, "/usr/local/cuda");
  for (const std::string &Name : libraryNames())
    for (const std::string &Folder : Folders)
      Candidates.push_back(std::string(Folder).append("/").append(Name));
  for (const std::string &Name : libraryNames())
    Candidates.push_back(Name);
  for (const std::string &Path : Candidates)
    if (void *Handle = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return Handle;
  Problem = "libcupti was not found; tried";
  for (const std::string &Path : Candidates)
    Problem += " " + Path;
  return nullptr;
}

template <typename Function>
bool resolve(void *Handle, Function &Target, const char *Name) {
  Target = reinterpret_cast<Function>(dlsym(Handle, Name));
  return Target != nullptr;
}

} // namespace

bool Cupti::load(std::string &Problem) {
  void *Handle = open(Problem);
  if (!Handle)
    return false;
  bool Complete =
      resolve(Handle, Subscribe, "cuptiSubscribe") &&
      resolve(Handle, EnableCallback, "cuptiEnableCallback") &&
      resolve(Handle, EnableDomain, "cuptiEnableDomain") &&
      resolve(Handle, GetTimestamp, "cuptiGetTimestamp") &&
      resolve(Handle, GetResultString, "cuptiGetResultString") &&
      resolve(Handle, ActivityEnable, "cuptiActivityEnable") &&
      resolve(Handle, ActivityDisable, "cuptiActivityDisable") &&
      resolve(Handle, ActivityFlushAll, "cuptiActivityFlushAll") &&
      resolve(Handle, ActivityRegisterCallbacks,
              "cuptiActivityRegisterCallbacks") &&
      resolve(Handle, ActivityGetNextRecord, "cuptiActivityGetNextRecord") &&
      resolve(Handle, ActivityGetNumDroppedRecords,
              "cuptiActivityGetNumDroppedRecords");
  if (!Complete)
    Problem = "this libcupti lacks an entry point; it is too old";
  return Complete;
}

bool Driver::load() {
  void *Handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!Handle)
    return false;
  resolve(Handle, KernelGetFunction, "cuKernelGetFunction");
  resolve(Handle, FuncGetParamInfo, "cuFuncGetParamInfo");
  resolve(Handle, StreamSynchronize, "cuStreamSynchronize");
  resolve(Handle, StreamIsCapturing, "cuStreamIsCapturing");
  resolve(Handle, ExchangeCaptureMode, "cuThreadExchangeStreamCaptureMode");
  resolve(Handle, CtxSynchronize, "cuCtxSynchronize");
  resolve(Handle, PointerGetAttribute, "cuPointerGetAttribute");
  resolve(Handle, MemcpyDtoH, "cuMemcpyDtoH_v2");
  resolve(Handle, CtxGetDevice, "cuCtxGetDevice");
  resolve(Handle, DeviceGetAttribute, "cuDeviceGetAttribute");
  return StreamSynchronize && CtxSynchronize && PointerGetAttribute &&
         MemcpyDtoH;
}
