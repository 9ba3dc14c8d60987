//===- NvccOptions.cpp - nvcc's command line ------------------------------===//

#include "NvccOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace cudal1;
using llvm::StringRef;

static constexpr NvccOption Options[] = {
    // What to make, and where.
    {"cuda", "cuda", NvccValue::None, NvccAction::Build},
    {"cubin", "cubin", NvccValue::None, NvccAction::Build},
    {"fatbin", "fatbin", NvccValue::None, NvccAction::Build},
    {"ptx", "ptx", NvccValue::None, NvccAction::Build},
    {"optix-ir", "optix-ir", NvccValue::None, NvccAction::Build},
    {"ltoir", "ltoir", NvccValue::None, NvccAction::Build},
    {"preprocess", "E", NvccValue::None, NvccAction::Build},
    {"generate-dependencies", "M", NvccValue::None, NvccAction::Build},
    {"generate-nonsystem-dependencies", "MM", NvccValue::None,
     NvccAction::Build},
    {"generate-dependencies-with-compile", "MD", NvccValue::None,
     NvccAction::Build},
    {"generate-nonsystem-dependencies-with-compile", "MMD", NvccValue::None,
     NvccAction::Build},
    {"dependency-output", "MF", NvccValue::One, NvccAction::Build},
    {"generate-dependency-targets", "MP", NvccValue::None, NvccAction::Build},
    {"dependency-target-name", "MT", NvccValue::One, NvccAction::Build},
    {"compile", "c", NvccValue::None, NvccAction::Build},
    {"device-w", "dw", NvccValue::None, NvccAction::Build},
    {"device-link", "dlink", NvccValue::None, NvccAction::Build},
    {"link", "link", NvccValue::None, NvccAction::Build},
    {"lib", "lib", NvccValue::None, NvccAction::Build},
    {"run", "run", NvccValue::None, NvccAction::Build},
    {"run-args", "run-args", NvccValue::List, NvccAction::Build},
    {"output-file", "o", NvccValue::One, NvccAction::Build},
    {"output-directory", "odir", NvccValue::One, NvccAction::Build},
    {"objdir-as-tempdir", "objtemp", NvccValue::None, NvccAction::Build},
    {"dryrun", "dryrun", NvccValue::None, NvccAction::Build},
    {"verbose", "v", NvccValue::None, NvccAction::Build},
    {"keep", "keep", NvccValue::None, NvccAction::Build},
    {"keep-dir", "keep-dir", NvccValue::One, NvccAction::Build},
    {"save-temps", "save-temps", NvccValue::None, NvccAction::Build},
    {"clean-targets", "clean", NvccValue::None, NvccAction::Build},
    {"time", "time", NvccValue::One, NvccAction::Build},
    {"fdevice-syntax-only", "fdevice-syntax-only", NvccValue::None,
     NvccAction::Build},
    {"fdevice-time-trace", "fdevice-time-trace", NvccValue::One,
     NvccAction::Build},
    {"list-gpu-code", "code-ls", NvccValue::None, NvccAction::Build},
    {"list-gpu-arch", "arch-ls", NvccValue::None, NvccAction::Build},
    {"help", "h", NvccValue::None, NvccAction::Build},
    {"version", "V", NvccValue::None, NvccAction::Build},
    // What changes the meaning of the source.
    {"gpu-architecture", "arch", NvccValue::One, NvccAction::Arch},
    {"gpu-code", "code", NvccValue::One, NvccAction::Arch},
    {"generate-code", "gencode", NvccValue::One, NvccAction::Arch},
    {"include-path", "I", NvccValue::List, NvccAction::Include},
    {"system-include", "isystem", NvccValue::List, NvccAction::SystemInclude},
    {"pre-include", "include", NvccValue::List, NvccAction::PreInclude},
    {"define-macro", "D", NvccValue::List, NvccAction::Define},
    {"undefine-macro", "U", NvccValue::List, NvccAction::Undefine},
    {"std", "std", NvccValue::One, NvccAction::Standard},
    {"optimize", "O", NvccValue::One, NvccAction::Optimize},
    {"x", "x", NvccValue::One, NvccAction::Language},
    {"compiler-options", "Xcompiler", NvccValue::List, NvccAction::HostFlags},
    {"compiler-bindir", "ccbin", NvccValue::One, NvccAction::HostCompiler},
    {"default-stream", "default-stream", NvccValue::One,
     NvccAction::DefaultStream},
    {"use_fast_math", "use_fast_math", NvccValue::None, NvccAction::FastMath},
    {"ftz", "ftz", NvccValue::One, NvccAction::Ftz},
    {"fmad", "fmad", NvccValue::One, NvccAction::Fmad},
    {"prec-div", "prec-div", NvccValue::One, NvccAction::PrecDiv},
    {"prec-sqrt", "prec-sqrt", NvccValue::One, NvccAction::PrecSqrt},
    {"relocatable-device-code", "rdc", NvccValue::One, NvccAction::Relocatable},
    {"device-c", "dc", NvccValue::None, NvccAction::DeviceC},
    {"device-debug", "G", NvccValue::None, NvccAction::DeviceDebug},
    {"restrict", "restrict", NvccValue::None, NvccAction::Restrict},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler",
     NvccValue::None, NvccAction::ForwardUnknown},
    {"forward-unknown-opts", "forward-unknown-opts", NvccValue::None,
     NvccAction::ForwardUnknown},
    // What only the build needs. Clang always allows device lambdas and
    // constexpr calls across sides.
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker",
     NvccValue::None, NvccAction::Keep},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", NvccValue::None,
     NvccAction::RelaxedConstexpr},
    {"extended-lambda", "extended-lambda", NvccValue::None, NvccAction::Keep},
    {"expt-extended-lambda", "expt-extended-lambda", NvccValue::None,
     NvccAction::Keep},
    {"no-host-device-initializer-list", "nohdinitlist", NvccValue::None,
     NvccAction::Keep},
    {"no-host-device-move-forward", "nohdmoveforward", NvccValue::None,
     NvccAction::Keep},
    {"library", "l", NvccValue::List, NvccAction::Keep},
    {"library-path", "L", NvccValue::List, NvccAction::Keep},
    {"allow-unsupported-compiler", "allow-unsupported-compiler",
     NvccValue::None, NvccAction::Keep},
    {"archiver-binary", "arbin", NvccValue::One, NvccAction::Keep},
    {"cudart", "cudart", NvccValue::One, NvccAction::Keep},
    {"cudadevrt", "cudadevrt", NvccValue::One, NvccAction::Keep},
    {"libdevice-directory", "ldir", NvccValue::One, NvccAction::Keep},
    {"target-directory", "target-dir", NvccValue::One, NvccAction::Keep},
    {"use-local-env", "use-local-env", NvccValue::None, NvccAction::Keep},
    {"force-cl-env-setup", "force-cl-env-setup", NvccValue::None,
     NvccAction::Keep},
    {"profile", "pg", NvccValue::None, NvccAction::Keep},
    {"debug", "g", NvccValue::None, NvccAction::Keep},
    {"generate-line-info", "lineinfo", NvccValue::None, NvccAction::Keep},
    {"optimization-info", "opt-info", NvccValue::List, NvccAction::Keep},
    {"Ofast-compile", "Ofc", NvccValue::One, NvccAction::Keep},
    {"dopt", "dopt", NvccValue::One, NvccAction::Keep},
    {"dlink-time-opt", "dlto", NvccValue::None, NvccAction::Keep},
    {"lto", "lto", NvccValue::None, NvccAction::Keep},
    {"gen-opt-lto", "gen-opt-lto", NvccValue::None, NvccAction::Keep},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", NvccValue::One,
     NvccAction::Keep},
    {"ftemplate-depth", "ftemplate-depth", NvccValue::One, NvccAction::Keep},
    {"no-exceptions", "noeh", NvccValue::None, NvccAction::Keep},
    {"shared", "shared", NvccValue::None, NvccAction::Keep},
    {"machine", "m", NvccValue::One, NvccAction::Keep},
    {"m64", "m64", NvccValue::None, NvccAction::Keep},
    {"linker-options", "Xlinker", NvccValue::List, NvccAction::Keep},
    {"archive-options", "Xarchive", NvccValue::List, NvccAction::Keep},
    {"ptxas-options", "Xptxas", NvccValue::List, NvccAction::Keep},
    {"nvlink-options", "Xnvlink", NvccValue::List, NvccAction::Keep},
    {"cudafe-options", "Xcudafe", NvccValue::List, NvccAction::Keep},
    {"nvvm-options", "Xcicc", NvccValue::List, NvccAction::Keep},
    {"static-global-template-stub", "static-global-template-stub",
     NvccValue::One, NvccAction::Keep},
    {"device-entity-has-hidden-visibility",
     "device-entity-has-hidden-visibility", NvccValue::One, NvccAction::Keep},
    {"dont-use-profile", "noprof", NvccValue::None, NvccAction::Keep},
    {"threads", "t", NvccValue::One, NvccAction::Keep},
    {"split-compile", "split-compile", NvccValue::One, NvccAction::Keep},
    {"split-compile-extended", "split-compile-extended", NvccValue::One,
     NvccAction::Keep},
    {"input-drive-prefix", "idp", NvccValue::One, NvccAction::Keep},
    {"dependency-drive-prefix", "ddp", NvccValue::One, NvccAction::Keep},
    {"drive-prefix", "dp", NvccValue::One, NvccAction::Keep},
    {"no-align-double", "no-align-double", NvccValue::None, NvccAction::Keep},
    {"no-device-link", "nodlink", NvccValue::None, NvccAction::Keep},
    {"entries", "e", NvccValue::List, NvccAction::Keep},
    {"maxrregcount", "maxrregcount", NvccValue::One, NvccAction::Keep},
    {"extra-device-vectorization", "extra-device-vectorization",
     NvccValue::None, NvccAction::Keep},
    {"disable-warnings", "w", NvccValue::None, NvccAction::Keep},
    {"keep-device-functions", "keep-device-functions", NvccValue::None,
     NvccAction::Keep},
    {"source-in-ptx", "src-in-ptx", NvccValue::None, NvccAction::Keep},
    {"Wreorder", "Wreorder", NvccValue::None, NvccAction::Keep},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", NvccValue::None,
     NvccAction::Keep},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", NvccValue::None,
     NvccAction::Keep},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", NvccValue::None,
     NvccAction::Keep},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations",
     NvccValue::None, NvccAction::Keep},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets",
     NvccValue::None, NvccAction::Keep},
    {"Werror", "Werror", NvccValue::List, NvccAction::Keep},
    {"resource-usage", "res-usage", NvccValue::None, NvccAction::Keep},
    {"extensible-whole-program", "ewp", NvccValue::None, NvccAction::Keep},
    {"no-compress", "no-compress", NvccValue::None, NvccAction::Keep},
    {"compress-mode", "compress-mode", NvccValue::One, NvccAction::Keep},
    {"qpp-config", "qpp-config", NvccValue::One, NvccAction::Keep},
    {"compile-as-tools-patch", "astoolspatch", NvccValue::None,
     NvccAction::Keep},
    {"display-error-number", "err-no", NvccValue::None, NvccAction::Keep},
    {"no-display-error-number", "no-err-no", NvccValue::None, NvccAction::Keep},
    {"diag-error", "diag-error", NvccValue::List, NvccAction::Keep},
    {"diag-suppress", "diag-suppress", NvccValue::List, NvccAction::Keep},
    {"diag-warn", "diag-warn", NvccValue::List, NvccAction::Keep},
    {"host-linker-script", "hls", NvccValue::One, NvccAction::Keep},
    {"augment-host-linker-script", "aug-hls", NvccValue::None,
     NvccAction::Keep},
    {"relocatable-link", "r", NvccValue::None, NvccAction::Keep},
    {"brief-diagnostics", "brief-diag", NvccValue::One, NvccAction::Keep},
    {"jump-table-density", "jtd", NvccValue::One, NvccAction::Keep},
    {"relocatable-ptx", "reloc-ptx", NvccValue::None, NvccAction::Keep},
    {"device-stack-protector", "device-stack-protector", NvccValue::One,
     NvccAction::Keep},
    {"frandom-seed", "frandom-seed", NvccValue::One, NvccAction::Keep},
    {"sanitize", "sanitize", NvccValue::One, NvccAction::Keep},
    {"jobserver", "jobserver", NvccValue::None, NvccAction::Keep},
};

llvm::ArrayRef<NvccOption> cudal1::nvccOptions() { return Options; }

/// nvcc 13 knows these kinds of warning. A bare -Werror is the host's.
static bool isWerrorKind(StringRef Word) {
  return llvm::StringSwitch<bool>(
             Word.take_until([](char C) { return C == ','; }))
      .Cases({"all-warnings", "cross-execution-space-call", "reorder",
              "deprecated-declarations"},
             true)
      .Cases({"default-stream-launch", "missing-launch-bounds",
              "ext-lambda-captures-this"},
             true)
      .Default(false);
}

/// Options whose value may follow without a space or sign: -Idir, -O3, -t4.
static bool takesJoinedValue(const NvccOption &Option) {
  return Option.Short.size() == 1 &&
         StringRef("IDUlLOtx").contains(Option.Short.front());
}

/// Of these, -O3 and -t4: -Ofast and -tree are other flags.
static bool needsDigit(const NvccOption &Option) {
  return Option.Short == "O" || Option.Short == "t";
}

static const NvccOption *findOption(StringRef Name) {
  for (const NvccOption &Option : Options)
    if (Name == Option.Short || Name == Option.Long)
      return &Option;
  return nullptr;
}

std::vector<std::string> cudal1::splitNvccList(StringRef Text) {
  std::vector<std::string> Items(1);
  bool Quoted = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '"')
      Quoted = !Quoted;
    if (C == '\\' && I + 1 < Text.size() && Text[I + 1] == ',')
      Items.back() += Text[++I];
    else if (C == ',' && !Quoted)
      Items.emplace_back();
    else
      Items.back() += C;
  }
  llvm::erase_if(Items, [](const std::string &Item) { return Item.empty(); });
  return Items;
}

/// Reads the option that starts at Flags[At], with its value.
static llvm::Expected<NvccArgument> parseOne(llvm::ArrayRef<std::string> Flags,
                                             size_t At) {
  NvccArgument Argument;
  Argument.Words.push_back(Flags[At]);
  StringRef Word = Flags[At];
  if (!Word.starts_with("-"))
    return Argument;
  auto [Name, Value] =
      Word.drop_front(Word.starts_with("--") ? 2 : 1).split('=');
  bool HasValue = Word.contains('=');
  const NvccOption *Option = findOption(Name);
  if (!Option && !Word.starts_with("--") && Name.size() > 1) {
    // -Ifoo=bar and -DX=1 also come here.
    Option = findOption(Word.substr(1, 1));
    if (!Option || !takesJoinedValue(*Option) ||
        (needsDigit(*Option) && !llvm::isDigit(Word[2])))
      return Argument;
    Value = Word.drop_front(2);
    HasValue = true;
  }
  if (!Option)
    return Argument;
  bool IsWerror = Option->Short == "Werror";
  if (IsWerror &&
      !isWerrorKind(HasValue                ? Value
                    : At + 1 < Flags.size() ? StringRef(Flags[At + 1])
                                            : StringRef()))
    return Argument; // The host compiler's -Werror or -Werror=kind.
  if (Option->Value == NvccValue::None) {
    if (!HasValue)
      Argument.Option = Option;
    return Argument;
  }
  if (!HasValue) {
    if (At + 1 >= Flags.size())
      return llvm::createStringError("flag '" + Word +
                                     "' of nvcc needs a value");
    Argument.Words.push_back(Flags[At + 1]);
    Value = Flags[At + 1];
  }
  Argument.Option = Option;
  Argument.Values = Option->Value == NvccValue::List
                        ? splitNvccList(Value)
                        : std::vector<std::string>{Value.str()};
  return Argument;
}

llvm::Expected<std::vector<NvccArgument>> cudal1::parseNvccCommand(
    llvm::ArrayRef<std::string> Flags,
    llvm::function_ref<size_t(llvm::ArrayRef<std::string>)> UnknownLength) {
  std::vector<NvccArgument> Result;
  for (size_t At = 0; At < Flags.size();) {
    if (Flags[At].empty()) {
      ++At;
      continue;
    }
    auto Argument = parseOne(Flags, At);
    if (!Argument)
      return Argument.takeError();
    if (!Argument->Option && !Argument->isInput() && UnknownLength) {
      size_t Length = UnknownLength(Flags.drop_front(At));
      Argument->Words.assign(Flags.begin() + At, Flags.begin() + At + Length);
    }
    At += Argument->Words.size();
    Result.push_back(std::move(*Argument));
  }
  return Result;
}

bool cudal1::isNvccOnlyFlag(StringRef Word) {
  if (!Word.starts_with("-"))
    return false;
  StringRef Name =
      Word.drop_front(Word.starts_with("--") ? 2 : 1).split('=').first;
  if (Name == "options-file" || Name == "optf")
    return true;
  const NvccOption *Option = findOption(Name);
  if (!Option)
    return false;
  // What Clang or GCC reads as well, with the same meaning or another.
  return !llvm::StringSwitch<bool>(Name)
              .Cases({"E", "M", "MM", "MD", "MMD", "MF", "MP", "MT", "c", "o"},
                     true)
              .Cases({"v", "I", "D", "U", "l", "L", "isystem", "include", "std",
                      "O", "x"},
                     true)
              .Cases(
                  {"pg", "g", "shared", "m", "m64", "Xlinker", "e", "w", "r"},
                  true)
              .Cases({"save-temps", "ftemplate-backtrace-limit",
                      "ftemplate-depth", "verbose"},
                     true)
              .Cases({"Wreorder", "Wno-deprecated-declarations", "Werror",
                      "frandom-seed", "time"},
                     true)
              .Cases({"optimize", "debug", "help", "version", "compile",
                      "preprocess", "include"},
                     true)
              .Cases({"h", "V", "t", "G", "link", "lib", "cuda", "profile",
                      "machine"},
                     true)
              .Default(false);
}
