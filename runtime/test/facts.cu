// A program whose trace is known in advance; see README.md beside it.
//
// Each line of work below says what the injection library must see of it.

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      std::printf("%s: %s\n", #Call, cudaGetErrorString(Error));               \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

constexpr int N = 1 << 20;

__device__ int Symbol;

__global__ void scale(float *Out, const float *In, float Factor, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = In[I] * Factor;
}

__global__ void increment(int *Values, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Values[I] += 1;
}

__global__ void setSymbol(int Value) { Symbol = Value; }

int main(int Count, char **) {
  std::vector<float> Host(N, 1.5f);
  float *In, *Out;
  CHECK(cudaMalloc(&In, N * sizeof(float)));  // allocation 4 MiB
  CHECK(cudaMalloc(&Out, N * sizeof(float))); // allocation 4 MiB
  CHECK(cudaMemcpy(In, Host.data(), N * sizeof(float), cudaMemcpyHostToDevice));

  for (int I = 0; I < 3; ++I) // 3 launches of scale
    scale<<<N / 256, 256>>>(Out, In, 2.0f, N);
  CHECK(cudaGetLastError());
  // copy 4194304
  CHECK(cudaMemcpy(Host.data(), Out, N * sizeof(float), cudaMemcpyDefault));
  std::printf("scale %g\n", Host[N - 1]);

  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  float *Pinned;
  CHECK(cudaMallocHost(&Pinned, 1024));
  // asynchronous copy 1024
  CHECK(cudaMemcpyAsync(Pinned, Out, 1024, cudaMemcpyDeviceToHost, Stream));
  CHECK(cudaStreamSynchronize(Stream));

  // pitched copy 8 rows of 40 bytes = 320
  CHECK(cudaMemcpy2D(Host.data(), 64, Out, 128, 40, 8, cudaMemcpyDeviceToHost));

  setSymbol<<<1, 1>>>(42); // 1 launch
  int Value = 0;
  CHECK(cudaMemcpyFromSymbol(&Value, Symbol, sizeof(int))); // copy 4
  std::printf("symbol %d\n", Value);

  int *Managed;
  CHECK(cudaMallocManaged(&Managed, 4096));
  for (int I = 0; I < 1024; ++I)
    Managed[I] = I;
  increment<<<4, 256>>>(Managed, 1024); // 1 launch, then a shared view of 4096
  CHECK(cudaDeviceSynchronize());
  std::printf("managed %d\n", Managed[1023]);

  // A graph of one kernel and one copy, launched 5 times: 5 more kernels run,
  // 5 graph copies of 512 bytes.
  int *Counter;
  CHECK(cudaMalloc(&Counter, 512));
  CHECK(cudaMemset(Counter, 0, 512));
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  increment<<<1, 128, 0, Stream>>>(Counter, 128); // captured launch
  CHECK(cudaMemcpyAsync(Pinned, Counter, 512, cudaMemcpyDeviceToHost, Stream));
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  for (int I = 0; I < 5; ++I)
    CHECK(cudaGraphLaunch(Exec, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  std::printf("graph %d\n", reinterpret_cast<int *>(Pinned)[127]);

  // An error that the program ignores.
  scale<<<1, 4096>>>(Out, In, 2.0f, N);
  cudaGetLastError();

  CHECK(cudaFree(In)); // freed buffer 4194304, all 1.5
  CHECK(cudaFree(Out));
  CHECK(cudaFree(Counter));
  CHECK(cudaFree(Managed));
  CHECK(cudaFreeHost(Pinned));
  if (Count > 1) // with any argument: nothing is lost by a reset
    CHECK(cudaDeviceReset());
  return 0;
}
