//===- ReplayBench.h - A program to replay on the fake GPU ------*- C++ -*-===//
///
/// \file
/// The compiler is fake-nvcc, the driver the fake one of unittests/FakeGpu: the
/// program, its variants and the state kernels run on the CPU, in processes
/// that are held as on a GPU.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_MEASURE_REPLAYBENCH_H
#define CUDAL1_UNITTESTS_MEASURE_REPLAYBENCH_H

#include "../FakeGpu/FakeCubin.h"
#include "TestFolder.h"
#include "cudal1/Measure/ReplayEngine.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace cudal1 {

inline constexpr char Scale[] = "_Z5scalePfPKffi";
inline constexpr char Shift[] = "_Z5shiftPfi";

/// fakeWork is where the time goes; it leaves no trace in the results.
inline constexpr char Program[] = R"cuda(
#include <cstdio>
#include <unistd.h>

__device__ float offsets[4] = {1, 2, 3, 4};
__device__ int launches;

__global__ void scale(float *out, const float *in, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  fakeWork(60);
  if (i == 0)
    launches += 1;
  out[i] = in[i] * a + offsets[i % 4];
}

__global__ void shift(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = data[i] + 1;
}

int main() {
  if (const char *path = getenv("PID_FILE")) {
    FILE *file = fopen(path, "a");
    fprintf(file, "%d\n", int(getpid()));
    fclose(file);
  }
  const int n = 1001; // ends between two words of eight bytes
  float host[n];
  for (int i = 0; i < n; ++i)
    host[i] = 0.5f * float(i % 37) + 1;
  float *in, *out, *bystander;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&bystander, sizeof(host));
  for (float *to : {in, out, bystander})
    cudaMemcpy(to, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i) {
    scale<<<(n + 127) / 128, 128>>>(out, in, 2.0f, n);
    scale<<<4, 64>>>(out, in, 3.0f, 256);
    shift<<<(n + 127) / 128, 128>>>(in, n);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float value : host)
    sum += value;
  printf("sum %.2f\n", sum);
}
)cuda";

inline std::string with(llvm::StringRef From, llvm::StringRef To,
                        std::string Text = Program) {
  size_t At = Text.find(From);
  EXPECT_NE(At, std::string::npos) << From.str();
  return Text.replace(At, From.size(), To);
}

inline std::string evidence(const Measurement &M) {
  return llvm::join(M.Evidence, "\n");
}

#define EXPECT_VERDICT(M, Expected)                                            \
  EXPECT_EQ(toString((M).Outcome).str(), toString(Expected).str())             \
      << evidence(M)

/// An engine for the program, in a folder of its own.
struct Bench {
  Bench() {
    ProgramEngineOptions &P = ForProgram;
    P.Build.MainFile = Folder.write("user/file.cu", Program);
    P.Build.Compiler = CUDAL1_FAKE_GPU "/fake-nvcc";
    P.Run.WorkingDirectory = Folder / "user";
    P.Injection = {CUDAL1_INJECTION_LIBRARY, CUDAL1_FAKE_GPU "/libcupti.so"};
    P.WorkFolder = Folder / "work";
    P.BaselineRuns = 1;
    P.Rechecks = 0;
    P.TimingBudget = std::chrono::seconds(2);
    P.Parameters[Scale] = {{ElementType::Float}, {ElementType::Float}, {}, {}};
    P.Parameters[Shift] = {{ElementType::Float}, {}};
    ReplayEngineOptions &R = ForReplay;
    R.Cubins.MainFile = P.Build.MainFile;
    R.Cubins.Compiler = P.Build.Compiler;
    R.Cubins.Arch = "sm_90";
    R.Cubins.Directory = Folder / "user";
    R.Injection = P.Injection;
    R.Parameters = P.Parameters;
    R.WriteOnly[Scale] = {true, false, false, false};
    R.ReadImage = readFakeCubin;
    R.WorkFolder = P.WorkFolder;
    R.TimingBudget = std::chrono::seconds(2);
    R.LaunchTimeConstant = std::chrono::milliseconds(500);
    std::error_code Code = llvm::sys::fs::create_directories(P.WorkFolder);
    EXPECT_FALSE(Code);
  }

  Baseline prepare() {
    ForReplay.Run = ForProgram.Run;
    Engine = makeReplayEngine(ForReplay, makeProgramEngine(ForProgram));
    llvm::Expected<Baseline> Result = Engine->prepare();
    if (Result)
      return *Result;
    ADD_FAILURE() << llvm::toString(Result.takeError());
    return Baseline();
  }

  Candidate candidate(std::string Text, FpClass Class = FpClass::Exact) {
    Candidate C;
    C.Id = "v" + std::to_string(++Count);
    C.Sources = {{ForProgram.Build.MainFile, std::move(Text)}};
    C.Class = Class;
    return C;
  }

  Measurement measure(std::string Text, FpClass Class = FpClass::Exact) {
    return Engine->measure(candidate(std::move(Text), Class));
  }

  TestFolder Folder;
  ProgramEngineOptions ForProgram;
  ReplayEngineOptions ForReplay;
  std::unique_ptr<MeasureEngine> Engine;
  int Count = 0;
};

/// The verdict of a variant that does less work, where replay is refused.
inline std::string whyNotReplayed(Bench &S, const std::string &Text) {
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_NE(M.Engine, "replay");
  return evidence(M);
}

} // namespace cudal1

#endif // CUDAL1_UNITTESTS_MEASURE_REPLAYBENCH_H
