//===- ParseCuda.h - Small CUDA sources as Programs -------------*- C++ -*-===//
//
// Parses sources that exist in memory only, against the tests' fake CUDA
// header, in about 10 ms a side.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_PARSECUDA_H
#define CUDAL1_UNITTESTS_PARSECUDA_H

#include "cudal1/Frontend/Program.h"
#include "gtest/gtest.h"

namespace cudal1::testing {

inline constexpr char MainFile[] = "/virtual/main.cu";

/// Parses the file \p File, seen through \p Overlay, with \p Flags of Clang
/// added for both sides. Null, and a failure of the test, if that fails.
inline std::unique_ptr<Program>
parseFile(const std::string &File, SourceOverlay Overlay = {},
          const std::vector<std::string> &Flags = {}) {
  ParseInput Input;
  Input.File = File;
  Input.Directory = "/";
  auto Command = [&](const char *Side) {
    std::vector<std::string> Args{"clang++",
                                  "-x",
                                  "cuda",
                                  "-std=c++17",
                                  "--cuda-gpu-arch=sm_80",
                                  Side,
                                  "-nocudainc",
                                  "-nocudalib",
                                  "-resource-dir",
                                  CUDAL1_CLANG_RESOURCE_DIR,
                                  "-isystem",
                                  CUDAL1_SOURCE_DIR "/test/Inputs/fake-cuda",
                                  "-include",
                                  "cuda.h"};
    Args.insert(Args.end(), Flags.begin(), Flags.end());
    Args.push_back(File);
    return Args;
  };
  Input.DeviceArgs = Command("--cuda-device-only");
  Input.HostArgs = Command("--cuda-host-only");
  llvm::Expected<std::unique_ptr<Program>> P =
      Program::parse(std::move(Input), std::move(Overlay));
  if (!P) {
    std::string Why;
    llvm::handleAllErrors(
        P.takeError(), [&](const ParseError &E) { Why = E.Diagnostics; },
        [&](const llvm::ErrorInfoBase &E) { Why = E.message(); });
    ADD_FAILURE() << Why;
    return nullptr;
  }
  return std::move(*P);
}

/// Parses \p Text as the main file beside \p Headers (by absolute path).
inline std::unique_ptr<Program>
parseCuda(llvm::StringRef Text, SourceOverlay Headers = {},
          const std::vector<std::string> &Flags = {}) {
  Headers[MainFile] = Text.str();
  return parseFile(MainFile, std::move(Headers), Flags);
}

} // namespace cudal1::testing

#endif // CUDAL1_UNITTESTS_PARSECUDA_H
