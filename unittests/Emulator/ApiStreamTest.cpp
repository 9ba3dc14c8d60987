//===- ApiStreamTest.cpp --------------------------------------------------===//

#include "ApiTestKernels.h"
#include <thread>
#include <vector>

using namespace cudal1::test;

namespace {

class StreamTest : public ApiTest {
protected:
  StreamTest() {
    cudaStreamCreate(&Stream);
    cudaMalloc(reinterpret_cast<void **>(&Device), 64 * sizeof(int));
    cudaMemset(Device, 0, 64 * sizeof(int));
  }
  ~StreamTest() override {
    cudaFree(Device);
    cudaStreamDestroy(Stream);
  }
  int first() {
    int Value = -1;
    EXPECT_EQ(cudaMemcpy(&Value, Device, sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return Value;
  }

  cudaStream_t Stream = nullptr;
  int *Device = nullptr;
};

TEST_F(StreamTest, WorkIsDoneInTheOrderOfItsIssue) {
  struct Seen {
    int *Device;
    int Value = -1;
  } S{Device};
  EXPECT_EQ(launch(AddOne, 2, 32, Stream, Device, 64), cudaSuccess);
  EXPECT_EQ(cudaLaunchHostFunc(
                Stream,
                [](void *Data) {
                  auto *S = static_cast<Seen *>(Data);
                  S->Value = *S->Device;
                },
                &S),
            cudaSuccess);
  EXPECT_EQ(launch(AddOne, 2, 32, Stream, Device, 64), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(Stream), cudaSuccess);
  EXPECT_EQ(S.Value, 1);
  EXPECT_EQ(first(), 2);
}

TEST_F(StreamTest, ACallbackHearsOfSuccess) {
  cudaError_t Status = cudaErrorUnknown;
  EXPECT_EQ(cudaStreamAddCallback(
                Stream,
                [](cudaStream_t, cudaError_t Error, void *Data) {
                  *static_cast<cudaError_t *>(Data) = Error;
                },
                &Status, 0),
            cudaSuccess);
  EXPECT_EQ(Status, cudaSuccess);
}

TEST_F(StreamTest, AStreamThatIsGoneIsNoHandle) {
  cudaStream_t Other;
  ASSERT_EQ(cudaStreamCreateWithFlags(&Other, cudaStreamNonBlocking),
            cudaSuccess);
  unsigned Flags = 0;
  EXPECT_EQ(cudaStreamGetFlags(Other, &Flags), cudaSuccess);
  EXPECT_EQ(Flags, unsigned(cudaStreamNonBlocking));
  EXPECT_EQ(cudaStreamQuery(Other), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(Other), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(Other), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(Other), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamTest, EventsTellTheTimeBetweenThem) {
  cudaEvent_t Start, End, Untimed;
  ASSERT_EQ(cudaEventCreate(&Start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&End), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&Untimed, cudaEventDisableTiming),
            cudaSuccess);
  float Milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&Milliseconds, Start, End),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(Start, Stream), cudaSuccess);
  EXPECT_EQ(launch(AddOne, 2, 32, Stream, Device, 64), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(End, Stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(Untimed, Stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(Stream, End, 0), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(End), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(End), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&Milliseconds, Start, End), cudaSuccess);
  EXPECT_GT(Milliseconds, 0);
  EXPECT_LT(Milliseconds, 10000);
  EXPECT_EQ(cudaEventElapsedTime(&Milliseconds, Start, Untimed),
            cudaErrorInvalidResourceHandle);
  for (cudaEvent_t Event : {Start, End, Untimed})
    EXPECT_EQ(cudaEventDestroy(Event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(Start, Stream), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamTest, ThreadsOfTheHostHaveErrorsAndStreamsOfTheirOwn) {
  constexpr int Threads = 4, Rounds = 50;
  int Sums[Threads] = {};
  auto Work = [&](int Index) {
    cudaStream_t Mine;
    int *Data;
    cudaStreamCreate(&Mine);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    for (int I = 0; I < Rounds; ++I) {
      cudaMallocAsync(reinterpret_cast<void **>(&Data), 64, Mine);
      cudaMemsetAsync(Data, 0, 64, Mine);
      launch(AddOne, 1, 16, Mine, Data, 16);
      int Value = 0;
      cudaMemcpyAsync(&Value, Data, 4, cudaMemcpyDeviceToHost, Mine);
      cudaStreamSynchronize(Mine);
      cudaFreeAsync(Data, Mine);
      Sums[Index] += Value;
    }
    cudaStreamDestroy(Mine);
  };
  cudaSetDevice(1);
  std::vector<std::thread> All;
  for (int I = 0; I < Threads; ++I)
    All.emplace_back(Work, I);
  for (std::thread &One : All)
    One.join();
  for (int Sum : Sums)
    EXPECT_EQ(Sum, Rounds);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

} // namespace
