//===- NvrtcArguments.cpp - nvcc's flags in NVRTC's words -----------------===//

#include "NvccOptions.h"
#include "cudal1/Frontend/DeviceSlice.h"
#include "llvm/Support/Path.h"

using namespace cudal1;

namespace {

/// Options that say nothing of device code, beside those that only say what to
/// write.
constexpr llvm::StringLiteral HostOnly[] = {"library",
                                            "library-path",
                                            "debug",
                                            "linker-options",
                                            "archive-options",
                                            "cudart",
                                            "cudadevrt",
                                            "machine",
                                            "m64",
                                            "no-exceptions",
                                            "disable-warnings",
                                            "threads",
                                            "allow-unsupported-compiler",
                                            "expt-relaxed-constexpr",
                                            "diag-suppress",
                                            "Wno-deprecated-declarations",
                                            "Wno-deprecated-gpu-targets",
                                            "resource-usage"};

std::string absolute(llvm::StringRef Path, llvm::StringRef Directory) {
  llvm::SmallString<128> Full(Path);
  if (!Directory.empty())
    llvm::sys::path::make_absolute(Directory, Full);
  return std::string(Full);
}

class Translator {
public:
  Translator(llvm::StringRef Directory) : Directory(Directory) {}

  std::vector<std::string> Result;

  /// False where NVRTC cannot be told.
  bool add(const NvccArgument &A) {
    if (!A.Option)
      return A.isInput();
    switch (A.Option->Action) {
    case NvccAction::Build:
    case NvccAction::Arch:
    case NvccAction::Optimize:
    case NvccAction::HostFlags:
    case NvccAction::HostCompiler:
    case NvccAction::DefaultStream:
    case NvccAction::ForwardUnknown:
    case NvccAction::RelaxedConstexpr:
      return true;
    case NvccAction::Language:
      return A.Values == std::vector<std::string>{"cu"};
    case NvccAction::Include:
    case NvccAction::SystemInclude:
      for (const std::string &Folder : A.Values)
        Result.push_back("-I" + absolute(Folder, Directory));
      return true;
    case NvccAction::Define:
      return addEach("-D", A);
    case NvccAction::Undefine:
      return addEach("-U", A);
    case NvccAction::Standard:
      return addEach("--std=", A);
    case NvccAction::FastMath:
      Result.push_back("--use_fast_math");
      return true;
    case NvccAction::Ftz:
      return addEach("--ftz=", A);
    case NvccAction::Fmad:
      return addEach("--fmad=", A);
    case NvccAction::PrecDiv:
      return addEach("--prec-div=", A);
    case NvccAction::PrecSqrt:
      return addEach("--prec-sqrt=", A);
    case NvccAction::Restrict:
      Result.push_back("--restrict");
      return true;
    case NvccAction::Relocatable:
      return A.Values == std::vector<std::string>{"false"};
    case NvccAction::Keep:
      return addKept(A);
    case NvccAction::PreInclude:
    case NvccAction::DeviceC:
    case NvccAction::DeviceDebug:
      return false;
    }
    return false;
  }

private:
  bool addEach(llvm::StringRef Prefix, const NvccArgument &A) {
    for (const std::string &Value : A.Values)
      Result.push_back((Prefix + Value).str());
    return true;
  }

  bool addKept(const NvccArgument &A) {
    llvm::StringRef Name = A.Option->Long;
    if (llvm::is_contained(HostOnly, Name))
      return true;
    if (Name == "generate-line-info") {
      Result.push_back("--generate-line-info");
      return true;
    }
    if (Name == "maxrregcount")
      return addEach("--maxrregcount=", A);
    if (Name == "ptxas-options")
      return addEach("--ptxas-options=", A);
    return false;
  }

  llvm::StringRef Directory;
};

} // namespace

std::optional<std::vector<std::string>>
cudal1::nvrtcArguments(llvm::ArrayRef<std::string> NvccArgs,
                       llvm::StringRef Directory) {
  llvm::Expected<std::vector<NvccArgument>> Arguments =
      parseNvccCommand(NvccArgs);
  if (!Arguments) {
    llvm::consumeError(Arguments.takeError());
    return std::nullopt;
  }
  Translator T(Directory);
  for (const NvccArgument &A : *Arguments)
    if (!T.add(A))
      return std::nullopt;
  return std::move(T.Result);
}
