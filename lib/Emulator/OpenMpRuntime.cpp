//===- OpenMpRuntime.cpp --------------------------------------------------===//

#include "OpenMpRuntime.h"
#include "cudal1/Support/Process.h"
#include "clang/Basic/Version.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using namespace llvm;

/// Without the package for developers, the library has only the second name.
static constexpr const char *LibraryNames[] = {"libomp.so", "libomp.so.5"};

bool cudal1::usesOpenMp(ArrayRef<std::string> Args) {
  bool Uses = false;
  for (StringRef Arg : Args)
    if (Arg == "-fopenmp" || Arg.starts_with("-fopenmp="))
      Uses = true;
    else if (Arg == "-fno-openmp")
      Uses = false;
  return Uses;
}

/// Empty if \p HostCompiler knows no library of that name.
static std::string askCompiler(StringRef HostCompiler, StringRef Name) {
  Command Ask;
  Ask.Argv = {HostCompiler.str(), ("-print-file-name=" + Name).str()};
  Expected<ProcessResult> Answer = runCommand(Ask);
  if (!Answer) {
    consumeError(Answer.takeError()); // The link will tell.
    return "";
  }
  StringRef Path = StringRef(Answer->Stdout).trim();
  return sys::path::is_absolute(Path) && sys::fs::exists(Path) ? Path.str()
                                                               : "";
}

Expected<std::string> cudal1::findOpenMpRuntime(StringRef HostCompiler,
                                                ArrayRef<std::string> Args) {
  for (const char *Name : LibraryNames) {
    std::string Path = askCompiler(HostCompiler, Name);
    if (!Path.empty())
      return Path;
  }
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    for (const char *Name : LibraryNames) {
      if (Args[I] != "-resource-dir")
        break;
      SmallString<256> Path(Args[I + 1]); // lib/clang/22
      sys::path::append(Path, "..", "..", Name);
      sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
      if (sys::fs::exists(Path))
        return Path.str().str();
    }
  return createStringError(
      "-fopenmp needs LLVM's OpenMP runtime (libomp.so), which '%s' does not "
      "find, and GCC's cannot stand in for it: install "
      "libomp-" CLANG_VERSION_MAJOR_STRING "-dev, or leave -fopenmp out, so "
      "that host code runs in one thread",
      HostCompiler.str().c_str());
}
