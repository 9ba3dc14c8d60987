//===- FlagTranslationTest.cpp - nvcc's and Clang's flags -----------------===//

#include "cudal1/Frontend/FlagTranslation.h"
#include "TestFolder.h"
#include "cudal1/Frontend/GpuArch.h"
#include "llvm/ADT/SmallVector.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

namespace {

std::vector<std::string> words(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 16> Parts;
  Text.split(Parts, ' ', -1, /*KeepEmpty=*/false);
  return {Parts.begin(), Parts.end()};
}

TranslatedFlags translate(CommandDialect Dialect,
                          const std::vector<std::string> &Flags,
                          TranslationOptions Options = {}) {
  auto Result = translateFlags(Dialect, Flags, Options);
  if (Result)
    return *Result;
  ADD_FAILURE() << llvm::toString(Result.takeError());
  return {};
}

TranslatedFlags nvcc(llvm::StringRef Flags) {
  return translate(CommandDialect::Nvcc, words(Flags));
}

TranslatedFlags clang(llvm::StringRef Flags) {
  return translate(CommandDialect::Clang, words(Flags));
}

std::string failure(CommandDialect Dialect, llvm::StringRef Flags,
                    const std::string &Directory = "") {
  TranslationOptions Options;
  Options.Directory = Directory;
  return messageOf(translateFlags(Dialect, words(Flags), Options));
}

// --- Architectures ----------------------------------------------------------

TEST(NvccFlags, TheHighestListedArchitectureIsTaken) {
  EXPECT_EQ(nvcc("-arch=sm_80").Arch, "sm_80");
  EXPECT_EQ(nvcc("-arch sm_90a").Arch, "sm_90a");
  EXPECT_EQ(nvcc("-arch compute_70 -code sm_70,sm_75").Arch, "sm_75");
  EXPECT_EQ(nvcc("--gpu-architecture=compute_80 --gpu-code=sm_86").Arch,
            "sm_86");
  EXPECT_EQ(nvcc("--generate-code=arch=compute_80,code=[compute_80,sm_80] "
                 "--generate-code=arch=compute_90,code=[compute_90]")
                .Arch,
            "sm_90");
  EXPECT_EQ(nvcc("-gencode arch=compute_80,code=\"sm_80,compute_80\" -gencode "
                 "arch=compute_75,code=sm_75")
                .Arch,
            "sm_80");
}

TEST(NvccFlags, WithoutAnArchitectureTheDefaultIsTakenAndSaidSo) {
  TranslatedFlags Flags = nvcc("-O3");
  EXPECT_FALSE(Flags.ArchGiven);
  EXPECT_EQ(Flags.Arch, DefaultGpuArch);
}

TEST(NvccFlags, NativeIsTheGpuOfThisMachine) {
  TranslationOptions Options;
  Options.NativeArch = "sm_89";
  EXPECT_EQ(translate(CommandDialect::Nvcc, {"-arch=native"}, Options).Arch,
            "sm_89");
  TranslatedFlags None = nvcc("-arch=native");
  EXPECT_EQ(None.Arch, DefaultGpuArch);
  EXPECT_THAT(None.Notes, Contains(HasSubstr("native")));
  EXPECT_TRUE(nvcc("-arch=all-major").ArchGiven);
}

TEST(NvccFlags, AnArchitectureNewerThanClangIsReadAsTheNewestKnown) {
  TranslatedFlags Flags = nvcc("-arch=sm_999");
  EXPECT_NE(Flags.Arch, "sm_999");
  EXPECT_TRUE(parseGpuArch(Flags.Arch));
  EXPECT_THAT(Flags.Notes, Contains(HasSubstr("sm_999")));
}

TEST(NvccFlags, AnArchitectureThatIsNoneIsAnError) {
  EXPECT_THAT(failure(CommandDialect::Nvcc, "-arch=turing"),
              HasSubstr("-arch=turing"));
}

// --- What the parse needs ---------------------------------------------------

TEST(NvccFlags, MacrosAndFoldersPassInEverySpelling) {
  EXPECT_THAT(
      nvcc("-Iinc -I other -I=third --include-path=a,b -isystem sys "
           "--system-include=sys2 -DX -D Y=1 --define-macro=Z -UW -include p.h")
          .ClangArgs,
      ElementsAre("-Iinc", "-Iother", "-Ithird", "-Ia", "-Ib", "-isystem",
                  "sys", "-isystem", "sys2", "-DX", "-DY=1", "-DZ", "-UW",
                  "-include", "p.h"));
}

TEST(NvccFlags, ListsAreCutAtCommasAsNvccCutsThem) {
  EXPECT_THAT(translate(CommandDialect::Nvcc,
                        {"-DX=1,Y=2", "-DZ=f(1\\,2)", "-DW=\"a,b\""})
                  .ClangArgs,
              ElementsAre("-DX=1", "-DY=2", "-DZ=f(1,2)", "-DW=\"a,b\""));
}

TEST(NvccFlags, TheStandardPassesInEverySpelling) {
  for (llvm::StringRef Flag : {"-std=c++20", "-std c++20", "--std=c++20"})
    EXPECT_THAT(nvcc(Flag).ClangArgs, ElementsAre("-std=c++20"));
}

TEST(NvccFlags, OptimisationLevelsPassAsFarAsClangHasThem) {
  EXPECT_THAT(nvcc("-O3").ClangArgs, ElementsAre("-O3"));
  EXPECT_THAT(nvcc("-O 2").ClangArgs, ElementsAre("-O2"));
  EXPECT_THAT(nvcc("-O4").ClangArgs, ElementsAre("-O3"));
}

TEST(NvccFlags, FastMathIsNeverReadAsUndefinition) {
  for (llvm::StringRef Flag : {"--use_fast_math", "-use_fast_math"}) {
    TranslatedFlags Flags = nvcc(Flag);
    EXPECT_TRUE(Flags.FastMath);
    EXPECT_EQ(Flags.Ftz, true);
    EXPECT_EQ(Flags.PrecDiv, false);
    EXPECT_EQ(Flags.PrecSqrt, false);
    EXPECT_EQ(Flags.Fmad, true);
    EXPECT_THAT(Flags.ClangArgs, Contains("-fgpu-approx-transcendentals"));
    EXPECT_THAT(Flags.ClangArgs, Not(Contains("-ffast-math")));
    EXPECT_THAT(Flags.NvccArgs, ElementsAre(Flag.str()));
  }
  EXPECT_EQ(nvcc("--use_fast_math --ftz=false").Ftz, false);
}

TEST(NvccFlags, FloatingPointSwitchesAreRead) {
  TranslatedFlags Flags =
      nvcc("--ftz=true -fmad=false -prec-div false --prec-sqrt=true");
  EXPECT_EQ(Flags.Ftz, true);
  EXPECT_EQ(Flags.Fmad, false);
  EXPECT_EQ(Flags.PrecDiv, false);
  EXPECT_EQ(Flags.PrecSqrt, true);
  EXPECT_FALSE(Flags.FastMath);
  EXPECT_THAT(Flags.ClangArgs,
              ElementsAre("-fgpu-flush-denormals-to-zero", "-Xarch_device",
                          "-ffp-contract=off"));
  EXPECT_THAT(failure(CommandDialect::Nvcc, "--fmad=on"),
              HasSubstr("true or false"));
}

TEST(NvccFlags, RelocatableDeviceCodeIsUnderstoodInAllForms) {
  for (llvm::StringRef Flag :
       {"-rdc=true", "-rdc true", "--relocatable-device-code=true", "-dc"}) {
    TranslatedFlags Flags = nvcc(Flag);
    EXPECT_TRUE(Flags.RelocatableDeviceCode) << Flag.str();
    EXPECT_THAT(Flags.ClangArgs, ElementsAre("-fgpu-rdc"));
  }
  EXPECT_FALSE(nvcc("-rdc=false").RelocatableDeviceCode);
  EXPECT_THAT(nvcc("-dc").NvccArgs, ElementsAre("-rdc=true"));
}

TEST(NvccFlags, DeviceDebugTakesNoValue) {
  TranslatedFlags Flags = nvcc("-G -DX");
  EXPECT_TRUE(Flags.DeviceDebug);
  EXPECT_THAT(Flags.ClangArgs, Contains("-DX"));
  EXPECT_THAT(Flags.Notes, Contains(HasSubstr("-G")));
}

TEST(NvccFlags, PerThreadStreamsDefineTheirMacro) {
  EXPECT_THAT(nvcc("--default-stream per-thread").ClangArgs,
              ElementsAre("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"));
  EXPECT_THAT(nvcc("--default-stream=legacy").ClangArgs, IsEmpty());
}

TEST(NvccFlags, RelaxedConstexprDefinesItsMacro) {
  EXPECT_THAT(nvcc("--expt-relaxed-constexpr").ClangArgs,
              ElementsAre("-D__CUDACC_RELAXED_CONSTEXPR__"));
}

TEST(NvccFlags, LanguageIsReadAndRestrictNoted) {
  EXPECT_EQ(nvcc("-x cu").Language, "cuda");
  EXPECT_EQ(nvcc("-x=c++").Language, "c++");
  EXPECT_TRUE(nvcc("-restrict").RestrictPointers);
}

// --- Flags for the host compiler --------------------------------------------

TEST(NvccFlags, HostFlagsThatMatterReachClang) {
  TranslatedFlags Flags = translate(
      CommandDialect::Nvcc, {"-Xcompiler=-fopenmp,-Wall", "-Xcompiler",
                             "-DA=1 -Iq", "--compiler-options=-fPIC,-O3"});
  EXPECT_THAT(Flags.ClangArgs,
              ElementsAre("-fopenmp", "-D", "A=1", "-I", "q", "-fPIC", "-O3"));
  EXPECT_THAT(Flags.NvccArgs,
              ElementsAre("-Xcompiler=-fopenmp,-Wall", "-Xcompiler",
                          "-DA=1 -Iq", "--compiler-options=-fPIC,-O3"));
}

TEST(NvccFlags, HostOnlyCodeGenerationStaysOnTheHostSide) {
  EXPECT_THAT(nvcc("-Xcompiler=-march=native,-ffast-math").ClangArgs,
              ElementsAre("-Xarch_host", "-march=native", "-Xarch_host",
                          "-ffast-math"));
  EXPECT_FALSE(nvcc("-Xcompiler=-ffast-math").FastMath);
}

TEST(NvccFlags, AHostFlagUnknownToClangIsNoted) {
  TranslatedFlags Flags = nvcc("-Xcompiler=-fno-such-thing-in-clang");
  EXPECT_THAT(Flags.ClangArgs, IsEmpty());
  EXPECT_THAT(Flags.Notes, ElementsAre(HasSubstr("-fno-such-thing-in-clang")));
}

TEST(NvccFlags, UnknownFlagsGoToTheHostCompilerWhenNvccForwardsThem) {
  TranslatedFlags Flags =
      nvcc("-forward-unknown-to-host-compiler -Wall -fopenmp -pthread");
  EXPECT_THAT(Flags.ClangArgs, ElementsAre("-fopenmp", "-pthread"));
  EXPECT_THAT(Flags.NvccArgs, ElementsAre("-forward-unknown-to-host-compiler",
                                          "-Wall", "-fopenmp", "-pthread"));
}

TEST(NvccFlags, AnUnknownFlagIsAnErrorThatNamesIt) {
  EXPECT_THAT(failure(CommandDialect::Nvcc, "--no-such-flag"),
              HasSubstr("'--no-such-flag'"));
  EXPECT_THAT(failure(CommandDialect::Nvcc, "-arch"), HasSubstr("needs"));
}

TEST(NvccFlags, AnotherHostCompilerIsNoted) {
  EXPECT_THAT(nvcc("-ccbin=icpx").Notes, ElementsAre(HasSubstr("icpx")));
  EXPECT_THAT(nvcc("-ccbin g++").Notes, IsEmpty());
}

// --- Flags without meaning for the source -----------------------------------

TEST(NvccFlags, WhatOnlyTheBuildNeedsIsKeptForItAndSilent) {
  llvm::StringRef Build =
      "--extended-lambda -extended-lambda -Xptxas -v "
      "-Xptxas=-O3,-v -Xcudafe --diag_suppress=177 -Xlinker -rpath -Xnvlink=-v "
      "-maxrregcount=64 --maxrregcount 32 --threads 4 -t4 -cudart=shared "
      "-res-usage -lineinfo -g -w -m64 -lcublas -L/lib64 -diag-suppress 20012 "
      "-Werror=all-warnings -Werror all-warnings --split-compile=0 -dlto "
      "-allow-unsupported-compiler -Wno-deprecated-gpu-targets "
      "--compress-mode=size --ptxas-options=-v -Xarchive=q";
  TranslatedFlags Flags = nvcc(Build);
  EXPECT_THAT(Flags.ClangArgs, IsEmpty());
  EXPECT_THAT(Flags.Notes, IsEmpty());
  EXPECT_EQ(Flags.NvccArgs, words(Build));
}

TEST(NvccFlags, OutputsAndDependencyFilesAreDropped) {
  TranslatedFlags Flags = nvcc("-MD -MT a.o -MF a.d -c a.cu -o a.o -keep "
                               "--keep-dir k -v --dryrun -odir x helper.o");
  EXPECT_THAT(Flags.ClangArgs, IsEmpty());
  EXPECT_THAT(Flags.NvccArgs, IsEmpty());
  EXPECT_THAT(Flags.Inputs, ElementsAre("a.cu", "helper.o"));
}

TEST(NvccFlags, EmptyWordsDoNoHarm) {
  EXPECT_THAT(translate(CommandDialect::Nvcc, {"", "a.cu"}).Inputs,
              ElementsAre("a.cu"));
}

// --- Options files ----------------------------------------------------------

TEST(OptionsFiles, AreReadRelativeToTheDirectory) {
  TestFolder Folder;
  Folder.write("flags/inc.rsp", "-I\"with space\" -Iinc\n--options-file "
                                "flags/more.rsp\n");
  Folder.write("flags/more.rsp", "\xEF\xBB\xBF-DMORE\n");
  TranslationOptions Options;
  Options.Directory = Folder.path();
  for (const std::vector<std::string> &Flags :
       {std::vector<std::string>{"--options-file", "flags/inc.rsp"},
        {"-optf", "flags/inc.rsp"},
        {"--options-file=" + Folder.path("flags/inc.rsp")}})
    EXPECT_THAT(translate(CommandDialect::Nvcc, Flags, Options).ClangArgs,
                ElementsAre("-Iwith space", "-Iinc", "-DMORE"));
}

TEST(OptionsFiles, QuotesAreTakenOffAsNvccDoes) {
  TestFolder Folder;
  Folder.write("a.rsp", "-DB=\"x y\" -DC=\\\"q\\\" -DD='1'\r\n-DE=1");
  TranslationOptions Options;
  Options.Directory = Folder.path();
  EXPECT_THAT(
      translate(CommandDialect::Nvcc, {"-optf", "a.rsp"}, Options).ClangArgs,
      ElementsAre("-DB=x y", "-DC=q", "-DD='1'", "-DE=1"));
}

TEST(OptionsFiles, AMissingFileIsNamed) {
  std::string Message =
      failure(CommandDialect::Nvcc, "--options-file gone.rsp", "/nowhere");
  EXPECT_THAT(Message, HasSubstr("/nowhere/gone.rsp"));
  EXPECT_THAT(Message, HasSubstr("build the project"));
}

TEST(OptionsFiles, ACircleIsAnError) {
  TestFolder Folder;
  Folder.write("a.rsp", "-optf b.rsp");
  Folder.write("b.rsp", "-optf a.rsp");
  EXPECT_THAT(failure(CommandDialect::Nvcc, "-optf a.rsp", Folder.path()),
              HasSubstr("includes itself"));
  Folder.write("c.rsp", "@c.rsp");
  EXPECT_THAT(failure(CommandDialect::Clang, "@c.rsp", Folder.path()),
              HasSubstr("includes itself"));
}

TEST(OptionsFiles, ClangsAreReadToo) {
  TestFolder Folder;
  Folder.write("c.rsp", "-DX='a b' --cuda-gpu-arch=sm_80");
  TranslationOptions Options;
  Options.Directory = Folder.path();
  TranslatedFlags Flags = translate(CommandDialect::Clang, {"@c.rsp"}, Options);
  EXPECT_THAT(Flags.ClangArgs, ElementsAre("-D", "X=a b"));
  EXPECT_EQ(Flags.Arch, "sm_80");
}

// --- Clang's own ------------------------------------------------------------

TEST(ClangFlags, AreGivenToNvccInItsForm) {
  TranslatedFlags Flags =
      clang("--cuda-gpu-arch=sm_80 -fgpu-rdc -ffast-math -std=c++17 -Iinc -DX "
            "-O3 -fopenmp -Wno-unused -L/lib -lcudart --cuda-path=/opt/cuda "
            "-x cuda -c a.cu -o a.o -MD -MF a.d --cuda-device-only");
  EXPECT_EQ(Flags.Arch, "sm_80");
  EXPECT_TRUE(Flags.ArchGiven);
  EXPECT_TRUE(Flags.FastMath);
  EXPECT_TRUE(Flags.RelocatableDeviceCode);
  EXPECT_EQ(Flags.Language, "cuda");
  EXPECT_EQ(Flags.CudaPath, "/opt/cuda");
  EXPECT_THAT(Flags.Inputs, ElementsAre("a.cu"));
  EXPECT_THAT(Flags.NvccArgs,
              ElementsAre("-gencode=arch=compute_80,code=sm_80", "-rdc=true",
                          "--use_fast_math", "-std=c++17", "-Iinc", "-DX",
                          "-O3", "-Xcompiler=-fopenmp",
                          "-Xcompiler=-Wno-unused", "-L/lib", "-lcudart"));
  EXPECT_THAT(Flags.ClangArgs,
              ElementsAre("-fgpu-rdc", "-ffast-math", "-std=c++17", "-I", "inc",
                          "-D", "X", "-O3", "-fopenmp", "-Wno-unused"));
  EXPECT_THAT(Flags.Notes, IsEmpty());
}

TEST(ClangFlags, ContractionAndDenormalsAreRead) {
  TranslatedFlags Flags =
      clang("-ffp-contract=off -fgpu-flush-denormals-to-zero");
  EXPECT_EQ(Flags.Fmad, false);
  EXPECT_EQ(Flags.Ftz, true);
  EXPECT_THAT(Flags.NvccArgs, ElementsAre("--fmad=false", "--ftz=true"));
}

TEST(ClangFlags, WhatNvccCannotBeToldIsNoted) {
  TranslatedFlags Flags = clang("-fms-extensions -std=gnu++17");
  EXPECT_THAT(Flags.Notes, ElementsAre(HasSubstr("-fms-extensions"),
                                       HasSubstr("-std=c++17")));
  EXPECT_THAT(Flags.NvccArgs, ElementsAre("-std=c++17"));
}

TEST(ClangFlags, CommasInMacrosSurviveNvcc) {
  TranslatedFlags Flags = clang("-DF(a,b)=a");
  EXPECT_THAT(Flags.NvccArgs, ElementsAre("-DF(a\\,b)=a"));
  EXPECT_THAT(translate(CommandDialect::Nvcc, Flags.NvccArgs).ClangArgs,
              ElementsAre("-DF(a,b)=a"));
}

TEST(ClangFlags, AnUnknownFlagIsAnErrorWithASuggestion) {
  std::string Message = failure(CommandDialect::Clang, "-fgpu-rdcc");
  EXPECT_THAT(Message, HasSubstr("-fgpu-rdcc"));
  EXPECT_THAT(Message, HasSubstr("did you mean '-fgpu-rdc'"));
  EXPECT_THAT(failure(CommandDialect::Clang, "-o"), HasSubstr("needs a value"));
}

TEST(HostCompilerFlags, UnknownOnesAreNotedOnly) {
  TranslatedFlags Flags = translate(CommandDialect::HostCompiler,
                                    {"-fno-gcc-only-thing", "-Iinc", "-Wall"});
  EXPECT_THAT(Flags.ClangArgs, ElementsAre("-I", "inc"));
  EXPECT_THAT(Flags.Notes, ElementsAre(HasSubstr("-fno-gcc-only-thing")));
}

// --- Which dialect ----------------------------------------------------------

TEST(Dialects, AreToldFromTheCompilersName) {
  EXPECT_EQ(dialectOfCompiler("/usr/local/cuda/bin/nvcc"),
            CommandDialect::Nvcc);
  EXPECT_EQ(dialectOfCompiler("clang++-22"), CommandDialect::Clang);
  EXPECT_EQ(dialectOfCompiler("/usr/bin/c++"), CommandDialect::HostCompiler);
}

TEST(Dialects, AreToldFromTheFlagsWhereNoCompilerIsNamed) {
  for (llvm::StringRef Flags :
       {"-arch=sm_80", "--use_fast_math", "-Xcompiler -Wall", "-rdc=true",
        "--extended-lambda", "-gencode arch=compute_80,code=sm_80",
        "--options-file x.rsp", "-maxrregcount=32", "-dc"})
    EXPECT_EQ(dialectOfFlags(words(Flags)), CommandDialect::Mixed)
        << Flags.str();
  for (llvm::StringRef Flags :
       {"-I. -DX -O3", "--cuda-gpu-arch=sm_80", "-std=c++17", "-fgpu-rdc",
        "-nocudainc -nocudalib -isystem x -include cuda.h", ""})
    EXPECT_EQ(dialectOfFlags(words(Flags)), CommandDialect::Clang)
        << Flags.str();
}

TEST(Dialects, NvccsAndClangsFlagsMayBeMixed) {
  TranslatedFlags Flags =
      translate(CommandDialect::Mixed,
                words("-arch=sm_80 -nocudainc -nocudalib --use_fast_math "
                      "-idirafter last -Wall -fopenmp -Xclang -fallow-half"));
  EXPECT_EQ(Flags.Arch, "sm_80");
  EXPECT_THAT(Flags.ClangArgs,
              IsSupersetOf({"--no-offload-inc", "--no-offloadlib", "-idirafter",
                            "last", "-fopenmp", "-fgpu-approx-transcendentals",
                            "-Xclang", "-fallow-half"}));
  EXPECT_THAT(Flags.NvccArgs, IsSupersetOf({"-arch=sm_80", "--use_fast_math",
                                            "-Xcompiler=-fopenmp"}));
  EXPECT_THAT(Flags.Inputs, IsEmpty());
}

// --- Putting flags together -------------------------------------------------

TEST(AddedFlags, PrevailOverTheOnesBefore) {
  TranslatedFlags Flags = nvcc("-arch=sm_70 -DX --fmad=true");
  addFlags(Flags, nvcc("-gencode arch=compute_80,code=sm_80 --fmad=false -DY"));
  EXPECT_EQ(Flags.Arch, "sm_80");
  EXPECT_EQ(Flags.Fmad, false);
  EXPECT_THAT(Flags.ClangArgs, IsSupersetOf({"-DX", "-DY"}));
  EXPECT_THAT(Flags.NvccArgs, Not(Contains("-arch=sm_70")));
  addFlags(Flags, nvcc(""));
  EXPECT_EQ(Flags.Arch, "sm_80");
}

TEST(NvccArgsForArch, ReplacesEveryArchitecture) {
  EXPECT_THAT(nvccArgsForArch(words("-O3 -gencode arch=compute_80,code=sm_80 "
                                    "--gpu-code=sm_90 -arch sm_70 -DX"),
                              "sm_90"),
              ElementsAre("-O3", "-DX", "-arch=sm_90"));
}

TEST(GpuArchs, AreReadAndOrdered) {
  EXPECT_EQ(parseGpuArch("sm_90a")->name(), "sm_90a");
  EXPECT_EQ(parseGpuArch("compute_120f")->name(), "sm_120f");
  for (llvm::StringRef Bad : {"", "sm_", "sm_9x", "90", "sm_90ab", "sm_-1"})
    EXPECT_FALSE(parseGpuArch(Bad)) << Bad.str();
  EXPECT_LT(*parseGpuArch("sm_90"), *parseGpuArch("sm_90a"));
  EXPECT_LT(*parseGpuArch("sm_90a"), *parseGpuArch("sm_100"));
}

} // namespace
