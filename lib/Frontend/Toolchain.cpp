//===- Toolchain.cpp - The CUDA toolkit and Clang's own headers -----------===//

#include "cudal1/Frontend/Toolchain.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <optional>
#include <vector>

using namespace cudal1;
using llvm::SmallString;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string CudaToolkit::version() const {
  return std::to_string(Major) + "." + std::to_string(Minor);
}

static std::string pathIn(StringRef Folder, const Twine &Name) {
  SmallString<256> Result(Folder);
  path::append(Result, Name);
  return std::string(Result);
}

static std::string resolved(StringRef Path) {
  SmallString<256> Real;
  return fs::real_path(Path, Real) ? Path.str() : std::string(Real);
}

/// Reads CUDA_VERSION (1000 * major + 10 * minor), which every cuda.h defines.
static bool readVersion(StringRef CudaHeader, CudaToolkit &Toolkit) {
  auto Buffer = llvm::MemoryBuffer::getFile(CudaHeader);
  if (!Buffer)
    return false;
  StringRef Text = (*Buffer)->getBuffer();
  size_t At = Text.find("#define CUDA_VERSION ");
  unsigned Version = 0;
  if (At == StringRef::npos)
    return false;
  StringRef Number =
      Text.drop_front(At + StringRef("#define CUDA_VERSION ").size()).ltrim();
  if (Number.consumeInteger(10, Version) || Version < 1000)
    return false;
  Toolkit.Major = Version / 1000;
  Toolkit.Minor = Version % 1000 / 10;
  return true;
}

static std::string nvccIn(StringRef Folder) {
  std::string Nvcc = pathIn(Folder, "nvcc");
  return fs::can_execute(Nvcc) ? Nvcc : std::string();
}

/// A toolkit at \p Root, in the layout of NVIDIA's installers or, below
/// targets/, in that of the package managers that follow it.
static std::optional<CudaToolkit> toolkitAt(StringRef Root) {
  if (Root.empty())
    return std::nullopt;
  for (StringRef Below : {"", "targets/x86_64-linux", "targets/sbsa-linux"}) {
    std::string Base = Below.empty() ? Root.str() : pathIn(Root, Below);
    CudaToolkit Toolkit;
    if (!readVersion(pathIn(Base, "include/cuda.h"), Toolkit))
      continue;
    Toolkit.Path = resolved(Base);
    Toolkit.NvccPath = nvccIn(pathIn(Root, "bin"));
    return Toolkit;
  }
  return std::nullopt;
}

static std::string nvccOnPath(StringRef Path) {
  llvm::SmallVector<StringRef, 32> Folders;
  Path.split(Folders, ':', -1, /*KeepEmpty=*/false);
  for (StringRef Folder : Folders)
    if (std::string Nvcc = nvccIn(Folder); !Nvcc.empty())
      return Nvcc;
  return {};
}

/// The toolkit that an nvcc belongs to: the folder above its bin. A
/// distribution that puts nvcc into /usr/bin keeps the rest in /usr/lib/cuda.
static std::optional<CudaToolkit> toolkitOfNvcc(const std::string &Nvcc) {
  if (Nvcc.empty())
    return std::nullopt;
  for (const std::string &Candidate : {Nvcc, resolved(Nvcc)}) {
    StringRef Root = path::parent_path(path::parent_path(Candidate));
    for (const std::string &Folder : {Root.str(), pathIn(Root, "lib/cuda")})
      if (std::optional<CudaToolkit> Toolkit = toolkitAt(Folder)) {
        if (Toolkit->NvccPath.empty())
          Toolkit->NvccPath = Nvcc;
        return Toolkit;
      }
  }
  return std::nullopt;
}

ToolkitSearch ToolkitSearch::fromEnvironment(StringRef Option) {
  auto Variable = [](StringRef Name) {
    return llvm::sys::Process::GetEnv(Name).value_or("");
  };
  ToolkitSearch Search;
  Search.CudaPathOption = Option.str();
  Search.CudaPathVariable = Variable("CUDA_PATH");
  Search.CudaHomeVariable = Variable("CUDA_HOME");
  Search.Path = Variable("PATH");
  return Search;
}

llvm::Expected<CudaToolkit>
cudal1::findCudaToolkit(const ToolkitSearch &Search) {
  if (!Search.CudaPathOption.empty()) {
    if (std::optional<CudaToolkit> Toolkit = toolkitAt(Search.CudaPathOption))
      return *Toolkit;
    return llvm::createStringError(
        "no CUDA toolkit in '" + Search.CudaPathOption +
        "' (--cuda-path): it holds no include/cuda.h; name the folder above "
        "nvcc's bin");
  }
  for (StringRef Root :
       {StringRef(Search.CudaPathVariable), StringRef(Search.CudaHomeVariable)})
    if (std::optional<CudaToolkit> Toolkit = toolkitAt(Root))
      return *Toolkit;
  if (std::optional<CudaToolkit> Toolkit =
          toolkitOfNvcc(nvccOnPath(Search.Path)))
    return *Toolkit;
  if (std::optional<CudaToolkit> Toolkit = toolkitAt(Search.DefaultRoot))
    return *Toolkit;
  std::vector<std::string> Tried;
  if (!Search.CudaPathVariable.empty())
    Tried.push_back("CUDA_PATH=" + Search.CudaPathVariable);
  if (!Search.CudaHomeVariable.empty())
    Tried.push_back("CUDA_HOME=" + Search.CudaHomeVariable);
  Tried.push_back("nvcc on PATH");
  Tried.push_back(Search.DefaultRoot);
  return llvm::createStringError("no CUDA toolkit found (tried " +
                                 llvm::join(Tried, ", ") +
                                 "): install NVIDIA's CUDA Toolkit 12 or 13, "
                                 "or pass its folder with --cuda-path");
}

ResourceDirSearch ResourceDirSearch::forExecutable(StringRef ExecutablePath,
                                                   StringRef Option) {
  ResourceDirSearch Search;
  Search.Option = Option.str();
  Search.ExecutablePath = ExecutablePath.str();
  Search.Configured = CUDAL1_CLANG_RESOURCE_DIR;
  return Search;
}

static bool isResourceDir(StringRef Folder) {
  return !Folder.empty() &&
         fs::exists(pathIn(Folder, "include/cuda_wrappers/new"));
}

llvm::Expected<std::string>
cudal1::findResourceDir(const ResourceDirSearch &Search) {
  if (!Search.Option.empty()) {
    if (isResourceDir(Search.Option))
      return resolved(Search.Option);
    return llvm::createStringError(
        "'" + Search.Option +
        "' (--resource-dir) is not Clang's resource directory: it holds no "
        "include/cuda_wrappers/new; `clang-" CLANG_VERSION_MAJOR_STRING
        " -print-resource-dir` prints the right one");
  }
  std::string Beside;
  if (!Search.ExecutablePath.empty()) {
    std::string Executable = resolved(Search.ExecutablePath);
    Beside = pathIn(path::parent_path(path::parent_path(Executable)),
                    "lib/clang/" CLANG_VERSION_MAJOR_STRING);
  }
  for (const std::string &Folder : {Beside, Search.Configured})
    if (isResourceDir(Folder))
      return resolved(Folder);
  return llvm::createStringError(
      "Clang's CUDA headers (cuda_wrappers) are neither in '" + Beside +
      "' nor in '" + Search.Configured +
      "': install libclang-common-" CLANG_VERSION_MAJOR_STRING
      "-dev, or pass the folder that `clang-" CLANG_VERSION_MAJOR_STRING
      " -print-resource-dir` prints with --resource-dir");
}
