//===- FlagTranslation.cpp - One compile command, two compilers -----------===//

#include "cudal1/Frontend/FlagTranslation.h"
#include "ClangCommand.h"
#include "NvccOptions.h"
#include "OptionsFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace cudal1;
using llvm::StringRef;

CommandDialect cudal1::dialectOfCompiler(StringRef Compiler) {
  StringRef Name = llvm::sys::path::filename(Compiler);
  if (Name.starts_with("nvcc"))
    return CommandDialect::Nvcc;
  if (Name.contains("clang"))
    return CommandDialect::Clang;
  return CommandDialect::HostCompiler;
}

CommandDialect cudal1::dialectOfFlags(llvm::ArrayRef<std::string> Flags) {
  return llvm::any_of(Flags, isNvccOnlyFlag) ? CommandDialect::Mixed
                                             : CommandDialect::Clang;
}

namespace {

/// Reads an nvcc command.
class NvccTranslator {
public:
  NvccTranslator(bool Mixed, const TranslationOptions &Options)
      : Mixed(Mixed), Options(Options) {}

  llvm::Expected<TranslatedFlags> translate(llvm::ArrayRef<std::string> Flags) {
    llvm::function_ref<size_t(llvm::ArrayRef<std::string>)> Length = nullptr;
    if (Mixed)
      Length = clangFlagLength;
    auto Arguments = parseNvccCommand(Flags, Length);
    if (!Arguments)
      return Arguments.takeError();
    for (const NvccArgument &Argument : *Arguments)
      ForwardUnknown |= Argument.Option &&
                        Argument.Option->Action == NvccAction::ForwardUnknown;
    for (const NvccArgument &Argument : *Arguments)
      if (llvm::Error Err = read(Argument))
        return std::move(Err);
    finish();
    return std::move(Result);
  }

private:
  llvm::Error read(const NvccArgument &Argument) {
    if (Argument.isInput()) {
      Result.Inputs.push_back(Argument.Words.front());
      return llvm::Error::success();
    }
    if (!Argument.Option)
      return readUnknown(Argument);
    if (Argument.Option->Action != NvccAction::Build)
      llvm::append_range(Result.NvccArgs, Argument.Words);
    if (Argument.Option->Value == NvccValue::None) {
      readSwitch(Argument.Option->Action);
      return llvm::Error::success();
    }
    return readValue(Argument);
  }

  void readSwitch(NvccAction Action) {
    switch (Action) {
    case NvccAction::FastMath:
      Result.FastMath = true;
      break;
    case NvccAction::DeviceC:
      // A command of ours says itself what to make.
      Result.NvccArgs.back() = "-rdc=true";
      Result.RelocatableDeviceCode = true;
      break;
    case NvccAction::DeviceDebug:
      Result.DeviceDebug = true;
      Result.ClangArgs.push_back("-D__CUDACC_DEBUG__");
      Result.Notes.push_back(
          "-G builds device code without optimisation: times say little");
      break;
    case NvccAction::RelaxedConstexpr:
      // Clang always allows it. The macro of --extended-lambda is left out: by
      // it, CUDA's own headers ask for builtins that only nvcc has.
      Result.ClangArgs.push_back("-D__CUDACC_RELAXED_CONSTEXPR__");
      break;
    case NvccAction::Restrict:
      Result.RestrictPointers = true;
      break;
    default:
      break;
    }
  }

  llvm::Error readValue(const NvccArgument &Argument) {
    StringRef First = Argument.Values.empty()
                          ? StringRef()
                          : StringRef(Argument.Values.front());
    switch (Argument.Option->Action) {
    case NvccAction::Arch:
      return Archs.add(llvm::join(Argument.Words, " "), First);
    case NvccAction::Include:
      return toClang("-I", Argument);
    case NvccAction::Define:
      return toClang("-D", Argument);
    case NvccAction::Undefine:
      return toClang("-U", Argument);
    case NvccAction::SystemInclude:
      return toClang("-isystem", Argument);
    case NvccAction::PreInclude:
      return toClang("-include", Argument);
    case NvccAction::Standard:
      Result.ClangArgs.push_back("-std=" + First.str());
      return llvm::Error::success();
    case NvccAction::Optimize:
      // nvcc takes any number, Clang up to 3.
      Result.ClangArgs.push_back(
          First.size() == 1 && First <= "3" ? "-O" + First.str() : "-O3");
      return llvm::Error::success();
    case NvccAction::Language:
      Result.Language = First == "cu" ? "cuda" : First.str();
      return llvm::Error::success();
    case NvccAction::HostFlags:
      return readHostFlags(Argument.Values);
    case NvccAction::HostCompiler:
      readHostCompiler(First);
      return llvm::Error::success();
    case NvccAction::DefaultStream:
      if (First == "per-thread")
        Result.ClangArgs.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
      return llvm::Error::success();
    case NvccAction::Ftz:
      return readBool(Argument, First, Result.Ftz);
    case NvccAction::Fmad:
      return readBool(Argument, First, Result.Fmad);
    case NvccAction::PrecDiv:
      return readBool(Argument, First, Result.PrecDiv);
    case NvccAction::PrecSqrt:
      return readBool(Argument, First, Result.PrecSqrt);
    case NvccAction::Relocatable: {
      std::optional<bool> Value;
      if (llvm::Error Err = readBool(Argument, First, Value))
        return Err;
      Result.RelocatableDeviceCode = *Value;
      return llvm::Error::success();
    }
    default:
      return llvm::Error::success();
    }
  }

  llvm::Error readBool(const NvccArgument &Argument, StringRef Text,
                       std::optional<bool> &Value) {
    if (Text != "true" && Text != "false")
      return llvm::createStringError("flag '" +
                                     llvm::join(Argument.Words, " ") +
                                     "' of nvcc expects true or false");
    Value = Text == "true";
    return llvm::Error::success();
  }

  llvm::Error toClang(StringRef Flag, const NvccArgument &Argument) {
    for (const std::string &Value : Argument.Values) {
      if (Flag.size() == 2) {
        Result.ClangArgs.push_back(Flag.str() + Value);
        continue;
      }
      Result.ClangArgs.push_back(Flag.str());
      Result.ClangArgs.push_back(Value);
    }
    return llvm::Error::success();
  }

  /// -Xcompiler: the host compiler sees its words after a shell has split them,
  /// and preprocesses for both sides.
  llvm::Error readHostFlags(llvm::ArrayRef<std::string> Values) {
    std::vector<std::string> Flags;
    for (const std::string &Value : Values) {
      llvm::BumpPtrAllocator Allocator;
      llvm::StringSaver Saver(Allocator);
      llvm::SmallVector<const char *, 8> Tokens;
      llvm::cl::TokenizeGNUCommandLine(Value, Saver, Tokens);
      Flags.insert(Flags.end(), Tokens.begin(), Tokens.end());
    }
    return addClangFlags(Flags, ClangFlagOwner::Nvcc, /*ForNvcc=*/false, Archs,
                         Result);
  }

  /// Clang takes the C++ library of the newest GCC; a numbered one can be had.
  void readHostCompiler(StringRef Compiler) {
    StringRef Name = llvm::sys::path::filename(Compiler);
    unsigned Version = 0;
    bool Numbered =
        (Name.consume_front("g++-") || Name.consume_front("gcc-")) &&
        !Name.getAsInteger(10, Version);
    if (Numbered) {
      for (StringRef Triple :
           {"x86_64-linux-gnu", "aarch64-linux-gnu", "x86_64-redhat-linux"}) {
        std::string Folder =
            ("/usr/lib/gcc/" + Triple + "/" + llvm::Twine(Version)).str();
        if (!llvm::sys::fs::is_directory(Folder))
          continue;
        Result.ClangArgs.push_back("--gcc-install-dir=" + Folder);
        return;
      }
    }
    if (!Name.contains("clang") && Name != "g++" && Name != "gcc" &&
        Name != "c++" && Name != "cc" && !llvm::sys::fs::is_directory(Compiler))
      Result.Notes.push_back("host compiler '" + Compiler.str() +
                             "': Clang reads the source with the C++ library "
                             "that it finds itself");
  }

  /// Flags of code generation and warnings: GCC has many that Clang has not.
  static bool looksLikeHostFlag(StringRef Flag) {
    return Flag.starts_with("-f") || Flag.starts_with("-W") ||
           Flag.starts_with("-m");
  }

  llvm::Error readUnknown(const NvccArgument &Argument) {
    StringRef Flag = Argument.Words.front();
    ClangKnowledge Known = clangKnowledgeOf(Argument.Words);
    if (Mixed && Known == ClangKnowledge::Own)
      return addClangFlags(Argument.Words, ClangFlagOwner::Clang,
                           /*ForNvcc=*/true, Archs, Result);
    if (!ForwardUnknown && !looksLikeHostFlag(Flag) &&
        Known == ClangKnowledge::None)
      return llvm::createStringError("unknown flag '" + Flag +
                                     "': neither nvcc nor Clang has it; pass a "
                                     "flag of the host compiler with "
                                     "-Xcompiler, or take it out");
    if (ForwardUnknown)
      llvm::append_range(Result.NvccArgs, Argument.Words);
    return addClangFlags(Argument.Words, ClangFlagOwner::Nvcc,
                         /*ForNvcc=*/!ForwardUnknown, Archs, Result);
  }

  /// What depends on the command as a whole.
  void finish() {
    Archs.choose(Options, Result);
    // --use_fast_math stands for these four; one given by itself has its say.
    if (Result.FastMath) {
      Result.Ftz = Result.Ftz.value_or(true);
      Result.PrecDiv = Result.PrecDiv.value_or(false);
      Result.PrecSqrt = Result.PrecSqrt.value_or(false);
      Result.Fmad = Result.Fmad.value_or(true);
      // Not Clang's -ffast-math: it defines __FAST_MATH__ and takes all numbers
      // to be finite, on both sides. nvcc defines no macro, touches device code
      // only, and calls the fast form of sinf and its kin; so does this flag.
      Result.ClangArgs.push_back("-fgpu-approx-transcendentals");
    }
    if (Result.Ftz.value_or(false))
      Result.ClangArgs.push_back("-fgpu-flush-denormals-to-zero");
    if (!Result.Fmad.value_or(true)) {
      Result.ClangArgs.push_back("-Xarch_device");
      Result.ClangArgs.push_back("-ffp-contract=off");
    }
    if (Result.RelocatableDeviceCode)
      Result.ClangArgs.push_back("-fgpu-rdc");
  }

  bool Mixed;
  const TranslationOptions &Options;
  bool ForwardUnknown = false;
  ListedArchs Archs;
  TranslatedFlags Result;
};

} // namespace

llvm::Expected<TranslatedFlags>
cudal1::translateFlags(CommandDialect Dialect,
                       llvm::ArrayRef<std::string> Flags,
                       const TranslationOptions &Options) {
  std::vector<std::string> Expanded = Flags.vec();
  bool IsNvcc =
      Dialect == CommandDialect::Nvcc || Dialect == CommandDialect::Mixed;
  if (IsNvcc) {
    auto Words = expandNvccOptionsFiles(Expanded, Options.Directory);
    if (!Words)
      return Words.takeError();
    Expanded = std::move(*Words);
  }
  if (Dialect != CommandDialect::Nvcc) {
    auto Words = expandResponseFiles(Expanded, Options.Directory);
    if (!Words)
      return Words.takeError();
    Expanded = std::move(*Words);
  }
  if (IsNvcc)
    return NvccTranslator(Dialect == CommandDialect::Mixed, Options)
        .translate(Expanded);
  TranslatedFlags Result;
  ListedArchs Archs;
  ClangFlagOwner Owner = Dialect == CommandDialect::Clang
                             ? ClangFlagOwner::Clang
                             : ClangFlagOwner::Host;
  if (llvm::Error Err =
          addClangFlags(Expanded, Owner, /*ForNvcc=*/true, Archs, Result))
    return std::move(Err);
  Archs.choose(Options, Result);
  return Result;
}

template <typename T>
static void override(std::optional<T> &Value, const std::optional<T> &More) {
  if (More)
    Value = More;
}

static void override(std::string &Value, const std::string &More) {
  if (!More.empty())
    Value = More;
}

void cudal1::addFlags(TranslatedFlags &Flags, const TranslatedFlags &More) {
  llvm::append_range(Flags.ClangArgs, More.ClangArgs);
  llvm::append_range(Flags.Inputs, More.Inputs);
  llvm::append_range(Flags.Notes, More.Notes);
  if (More.ArchGiven) {
    // nvcc refuses a second -arch.
    Flags.NvccArgs = nvccArgsForArch(Flags.NvccArgs, {});
    Flags.Arch = More.Arch;
    Flags.LeastArch = More.LeastArch;
    Flags.ArchGiven = true;
  }
  llvm::append_range(Flags.NvccArgs, More.NvccArgs);
  Flags.FastMath |= More.FastMath;
  Flags.RelocatableDeviceCode |= More.RelocatableDeviceCode;
  Flags.DeviceDebug |= More.DeviceDebug;
  Flags.RestrictPointers |= More.RestrictPointers;
  override(Flags.Fmad, More.Fmad);
  override(Flags.Ftz, More.Ftz);
  override(Flags.PrecDiv, More.PrecDiv);
  override(Flags.PrecSqrt, More.PrecSqrt);
  override(Flags.Language, More.Language);
  override(Flags.CudaPath, More.CudaPath);
}

std::vector<std::string>
cudal1::nvccArgsForArch(llvm::ArrayRef<std::string> NvccArgs, StringRef Arch) {
  std::vector<std::string> Result;
  auto Arguments = parseNvccCommand(NvccArgs);
  if (!Arguments) {
    // Only a flag that misses its value ends here; nvcc will say so itself.
    llvm::consumeError(Arguments.takeError());
    Result = NvccArgs.vec();
  } else {
    for (const NvccArgument &Argument : *Arguments)
      if (!Argument.Option || Argument.Option->Action != NvccAction::Arch)
        llvm::append_range(Result, Argument.Words);
  }
  if (!Arch.empty())
    Result.push_back("-arch=" + Arch.str());
  return Result;
}
