//===- ClangCommand.cpp - Clang's and GCC's command line ------------------===//

#include "ClangCommand.h"
#include "ClangFlagPurpose.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

using namespace cudal1;
using llvm::StringRef;
using llvm::opt::Arg;
namespace options = clang::options;

static std::vector<std::string> wordsOf(const Arg &A,
                                        const llvm::opt::ArgList &List) {
  llvm::opt::ArgStringList Words;
  A.render(List, Words);
  return {Words.begin(), Words.end()};
}

/// A flag for the host compiler as nvcc passes it on; commas would split it.
static std::string forHostCompiler(StringRef Flag) {
  std::string Escaped;
  for (char C : Flag) {
    if (C == ',')
      Escaped += '\\';
    Escaped += C;
  }
  return "-Xcompiler=" + Escaped;
}

/// Code-generation flags that GCC has under the same name.
static bool gccKnows(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"fPIC", "fpic", "fPIE", "fpie", "fno-pic", "fno-pie"}, true)
      .Cases({"fopenmp", "pthread", "fexceptions", "fno-exceptions"}, true)
      .Cases({"frtti", "fno-rtti", "fstrict-aliasing", "fno-strict-aliasing"},
             true)
      .Cases({"fwrapv", "fsigned-char", "funsigned-char", "fmath-errno"}, true)
      .Cases({"fno-math-errno", "fvisibility=", "fvisibility-inlines-hidden"},
             true)
      .Cases({"fno-inline", "fomit-frame-pointer", "fno-omit-frame-pointer"},
             true)
      .Cases({"fpermissive", "fshort-enums", "fsanitize="}, true)
      .Default(false);
}

/// Flags that say how Clang is to work, not what the program is.
static bool isClangInternal(const Arg &A) {
  switch (A.getOption().getID()) {
  case options::OPT_no_offload_inc:
  case options::OPT_no_offloadlib:
  case options::OPT_cuda_path_EQ:
  case options::OPT_cuda_path_ignore_env:
  case options::OPT_resource_dir:
  case options::OPT_ptxas_path_EQ:
  case options::OPT_Xclang:
  case options::OPT_Qunused_arguments:
  case options::OPT_stdlib_EQ:
  case options::OPT_gcc_toolchain:
  case options::OPT_gcc_install_dir_EQ:
    return true;
  default:
    return A.getOption().matches(options::OPT_internal_Group);
  }
}

ClangKnowledge cudal1::clangKnowledgeOf(llvm::ArrayRef<std::string> Flag) {
  llvm::SmallVector<const char *, 4> Pointers;
  for (const std::string &Word : Flag)
    Pointers.push_back(Word.c_str());
  unsigned MissingIndex = 0, MissingCount = 0;
  llvm::opt::InputArgList List = clang::getDriverOptTable().ParseArgs(
      Pointers, MissingIndex, MissingCount,
      llvm::opt::Visibility(options::ClangOption));
  for (const Arg *A : List) {
    if (A->getOption().matches(options::OPT_UNKNOWN))
      return ClangKnowledge::None;
    bool IsGpus =
        inAnyGroup(*A, {options::OPT_offload_Group, options::OPT_cuda_Group});
    return isClangInternal(*A) || IsGpus ? ClangKnowledge::Own
                                         : ClangKnowledge::Shared;
  }
  return ClangKnowledge::None;
}

size_t cudal1::clangFlagLength(llvm::ArrayRef<std::string> Words) {
  llvm::SmallVector<const char *, 8> Pointers;
  for (const std::string &Word : Words)
    Pointers.push_back(Word.c_str());
  llvm::opt::InputArgList List(Pointers.begin(), Pointers.end());
  unsigned Index = 0;
  std::unique_ptr<Arg> First = clang::getDriverOptTable().ParseOneArg(
      List, Index, llvm::opt::Visibility(options::ClangOption));
  bool Complete = First && Index >= 1 && Index <= Words.size();
  return Complete ? Index : 1;
}

llvm::Error ListedArchs::add(StringRef Flag, StringRef Value) {
  if (Value == "native") {
    Native = true;
    return llvm::Error::success();
  }
  if (Value == "all" || Value == "all-major") {
    All = true;
    return llvm::Error::success();
  }
  std::vector<GpuArch> Found = findGpuArchs(Value);
  if (Found.empty())
    return llvm::createStringError(
        "no GPU architecture in '" + Flag +
        "': expected one such as sm_90 or compute_90");
  llvm::append_range(Archs, Found);
  return llvm::Error::success();
}

/// 90 for "sm_90".
static unsigned archNumber(StringRef Name) {
  std::optional<GpuArch> Arch = parseGpuArch(Name);
  return Arch ? Arch->Number : 0;
}

void ListedArchs::choose(const TranslationOptions &Options,
                         TranslatedFlags &Result) const {
  Result.ArchGiven = Native || All || !Archs.empty();
  if (Archs.empty()) {
    StringRef Fallback = (Native || All) && !Options.NativeArch.empty()
                             ? Options.NativeArch
                             : Options.DefaultArch;
    std::optional<GpuArch> Arch = parseGpuArch(Fallback);
    Result.Arch = Arch ? clangArchName(*Arch) : DefaultGpuArch.str();
    Result.LeastArch = All ? 0 : archNumber(Result.Arch);
    if (Native && Options.NativeArch.empty())
      Result.Notes.push_back(
          "'native' names the GPU of this machine, which has none: read for " +
          Result.Arch);
    return;
  }
  GpuArch Highest = *llvm::max_element(Archs);
  Result.Arch = clangArchName(Highest);
  Result.LeastArch =
      All ? 0
          : std::min(llvm::min_element(Archs)->Number, archNumber(Result.Arch));
  if (Result.Arch != Highest.name())
    Result.Notes.push_back("this Clang does not know " + Highest.name() +
                           ": read for " + Result.Arch);
}

namespace {

/// Takes in one parsed list of Clang-style flags.
class ClangFlagReader {
public:
  ClangFlagReader(const llvm::opt::ArgList &List, ClangFlagOwner Owner,
                  bool ForNvcc, ListedArchs &Archs, TranslatedFlags &Result)
      : List(List), Owner(Owner), ForNvcc(ForNvcc), Archs(Archs),
        Result(Result) {}

  llvm::Error read(const Arg &A) {
    Words = wordsOf(A, List);
    switch (purposeOf(A)) {
    case Purpose::Unknown:
      return readUnknown(A);
    case Purpose::Input:
      Result.Inputs.push_back(A.getValue());
      return llvm::Error::success();
    case Purpose::Output:
    case Purpose::Side:
      return llvm::Error::success();
    case Purpose::Arch:
      return readArch(A);
    case Purpose::Linker:
      if (A.getOption().matches(options::OPT_l) ||
          A.getOption().matches(options::OPT_L))
        toNvcc();
      else
        toHostCompiler();
      return llvm::Error::success();
    case Purpose::DebugInfo:
      if (Words.front() == "-g")
        toNvcc();
      return llvm::Error::success();
    case Purpose::Warning:
      readWarning();
      return llvm::Error::success();
    case Purpose::Instrument:
      if (gccKnows(A.getOption().getName()))
        toHostCompiler();
      return llvm::Error::success();
    case Purpose::FastMath:
      readFastMath(A);
      return llvm::Error::success();
    case Purpose::Machine:
      if (A.getOption().matches(options::OPT_m64))
        return llvm::Error::success();
      forHostSide();
      toHostCompiler();
      return llvm::Error::success();
    case Purpose::Parse:
      readParse(A);
      return llvm::Error::success();
    }
    llvm_unreachable("every purpose is handled");
  }

private:
  /// Gives the words to nvcc as they are.
  void toNvcc() {
    if (ForNvcc)
      llvm::append_range(Result.NvccArgs, Words);
  }
  /// Gives the words to nvcc for its host compiler.
  void toHostCompiler() {
    if (!ForNvcc)
      return;
    for (const std::string &Word : Words)
      Result.NvccArgs.push_back(forHostCompiler(Word));
  }
  void tellNvcc(StringRef Word) {
    if (ForNvcc)
      Result.NvccArgs.push_back(Word.str());
  }
  void toClang() { llvm::append_range(Result.ClangArgs, Words); }
  void forHostSide() {
    for (const std::string &Word : Words) {
      Result.ClangArgs.push_back("-Xarch_host");
      Result.ClangArgs.push_back(Word);
    }
  }
  void note(const llvm::Twine &Text) { Result.Notes.push_back(Text.str()); }

  llvm::Error readUnknown(const Arg &A) {
    std::string Flag = A.getAsString(List);
    if (Owner == ClangFlagOwner::Clang) {
      std::string Nearest;
      unsigned Distance = clang::getDriverOptTable().findNearest(Flag, Nearest);
      return llvm::createStringError("unknown flag '" + Flag + "'" +
                                     (Distance <= 2
                                          ? "; did you mean '" + Nearest + "'?"
                                          : std::string()));
    }
    note("'" + Flag +
         "' is for the host compiler; Clang does not know it and reads the "
         "source without it");
    toHostCompiler();
    return llvm::Error::success();
  }

  llvm::Error readArch(const Arg &A) {
    for (StringRef Value : A.getValues()) {
      if (llvm::Error Err = Archs.add(A.getAsString(List), Value))
        return Err;
      if (std::optional<GpuArch> Arch = parseGpuArch(Value); Arch && ForNvcc) {
        std::string Number = Arch->name().substr(3);
        tellNvcc("-gencode=arch=compute_" + Number + ",code=sm_" + Number);
      } else
        tellNvcc("-arch=" + Value.str());
    }
    return llvm::Error::success();
  }

  /// Warnings do not change the meaning, but some errors of Clang's are
  /// warnings that a -Wno- takes away.
  void readWarning() {
    StringRef Word = Words.front();
    if (Word.starts_with("-Wno-") && !Word.starts_with("-Wno-error"))
      toClang();
    if (Word.starts_with("-Wno-") || Word == "-Wall" || Word == "-Wextra")
      toHostCompiler();
    else if (Word == "-w")
      toNvcc();
  }

  void readFastMath(const Arg &A) {
    bool Host = Owner != ClangFlagOwner::Clang;
    if (Host) {
      forHostSide();
      toHostCompiler();
      return;
    }
    toClang();
    Result.FastMath = true;
    if (A.getOption().matches(options::OPT_Ofast))
      tellNvcc("-O3");
    tellNvcc("--use_fast_math");
  }

  void readParse(const Arg &A) {
    if (A.getOption().matches(options::OPT_x)) {
      StringRef Language = A.getValue();
      Result.Language = Language == "cu" ? "cuda" : Language.str();
      return;
    }
    if (A.getOption().matches(options::OPT_cuda_path_EQ)) {
      Result.CudaPath = A.getValue();
      return;
    }
    toClang();
    readMeaning(A);
    toNvccParse(A);
  }

  void readMeaning(const Arg &A) {
    switch (A.getOption().getID()) {
    case options::OPT_fgpu_rdc:
      Result.RelocatableDeviceCode = true;
      break;
    case options::OPT_fno_gpu_rdc:
      Result.RelocatableDeviceCode = false;
      break;
    case options::OPT_fgpu_flush_denormals_to_zero:
      Result.Ftz = true;
      break;
    case options::OPT_fno_gpu_flush_denormals_to_zero:
      Result.Ftz = false;
      break;
    case options::OPT_ffp_contract:
      if (Owner == ClangFlagOwner::Clang)
        Result.Fmad = StringRef(A.getValue()) != "off";
      break;
    default:
      break;
    }
  }

  /// nvcc's form of a flag that Clang's parse needs.
  void toNvccParse(const Arg &A) {
    if (!ForNvcc || isClangInternal(A))
      return;
    switch (A.getOption().getID()) {
    case options::OPT_I:
    case options::OPT_D:
    case options::OPT_U:
    case options::OPT_isystem:
    case options::OPT_include:
      return toNvccPreprocessor(A);
    case options::OPT_std_EQ:
      return toNvccStandard(A.getValue());
    case options::OPT_O:
      return llvm::all_of(StringRef(A.getValue()), llvm::isDigit)
                 ? toNvcc()
                 : toHostCompiler();
    case options::OPT_O0:
      return toNvcc();
    case options::OPT_fgpu_rdc:
      return tellNvcc("-rdc=true");
    case options::OPT_fgpu_flush_denormals_to_zero:
      return tellNvcc("--ftz=true");
    case options::OPT_ffp_contract:
      return tellNvcc(StringRef(A.getValue()) == "off" ? "--fmad=false"
                                                       : "--fmad=true");
    case options::OPT_fgpu_default_stream_EQ:
      return tellNvcc("--default-stream=" + std::string(A.getValue()));
    case options::OPT_Xcuda_ptxas:
      return tellNvcc("-Xptxas=" + std::string(A.getValue()));
    case options::OPT_Xarch_host:
      return tellNvcc(forHostCompiler(A.getValue()));
    case options::OPT_idirafter:
    case options::OPT_iquote:
    case options::OPT_isysroot:
      return toHostCompiler();
    default:
      break;
    }
    if (gccKnows(A.getOption().getName()))
      return toHostCompiler();
    if (A.getOption().matches(options::OPT_clang_ignored_f_Group))
      return;
    note("'" + A.getAsString(List) + "' is Clang's: nvcc builds without it");
  }

  /// nvcc splits the values of these at commas, outside of double quotes.
  void toNvccPreprocessor(const Arg &A) {
    std::string Flag = A.getOption().getPrefixedName().str();
    std::string Value;
    bool Quoted = false;
    for (char C : StringRef(A.getValue())) {
      Quoted ^= C == '"';
      if (C == ',' && !Quoted)
        Value += '\\';
      Value += C;
    }
    bool Joined = Flag.size() == 2;
    if (Joined) {
      Result.NvccArgs.push_back(Flag + Value);
      return;
    }
    Result.NvccArgs.push_back(Flag);
    Result.NvccArgs.push_back(Value);
  }

  /// nvcc knows ISO's names only, up to c++20.
  void toNvccStandard(StringRef Standard) {
    std::string Iso = Standard.starts_with("gnu++")
                          ? "c++" + Standard.drop_front(5).str()
                          : Standard.str();
    Iso = llvm::StringSwitch<std::string>(Iso)
              .Case("c++98", "c++03")
              .Case("c++0x", "c++11")
              .Case("c++1y", "c++14")
              .Case("c++1z", "c++17")
              .Cases({"c++2a", "c++23", "c++2b", "c++26", "c++2c"}, "c++20")
              .Default(Iso);
    if (!StringRef(Iso).starts_with("c++"))
      return;
    if (Iso != Standard)
      note("'-std=" + Standard + "' is not nvcc's: it builds with -std=" + Iso);
    tellNvcc("-std=" + Iso);
  }

  const llvm::opt::ArgList &List;
  ClangFlagOwner Owner;
  bool ForNvcc;
  ListedArchs &Archs;
  TranslatedFlags &Result;
  std::vector<std::string> Words; ///< Of the flag being read, as rendered.
};

} // namespace

llvm::Error cudal1::addClangFlags(llvm::ArrayRef<std::string> Flags,
                                  ClangFlagOwner Owner, bool ForNvcc,
                                  ListedArchs &Archs, TranslatedFlags &Result) {
  llvm::SmallVector<const char *, 32> Pointers;
  for (const std::string &Flag : Flags)
    Pointers.push_back(Flag.c_str());
  unsigned MissingIndex = 0, MissingCount = 0;
  llvm::opt::InputArgList List = clang::getDriverOptTable().ParseArgs(
      Pointers, MissingIndex, MissingCount,
      llvm::opt::Visibility(options::ClangOption));
  if (MissingCount)
    return llvm::createStringError("flag '" + Flags[MissingIndex] +
                                   "' needs a value");
  ClangFlagReader Reader(List, Owner, ForNvcc, Archs, Result);
  for (const Arg *A : List)
    if (llvm::Error Err = Reader.read(*A))
      return Err;
  return llvm::Error::success();
}
