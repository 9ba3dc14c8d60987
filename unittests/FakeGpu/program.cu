// A program for the fake GPU: launches two kernels several times in two shapes
// and prints a sum of the results. What it does on the way is its argument:
//
//   plain      nothing else
//   idle       launches nothing
//   captured   launches into a graph only
//   fork       a child makes calls first
//   exec       starts itself anew first
//   leave      ends with code 3 before the launches
//   killed     is killed before the launches
//   full       takes all of the device's memory
//   thread     a second thread goes on making calls and counts them
//   unseen     a kernel is given memory whose making no call shows
//   cluster, cooperative, serialized
//              the first launch has this attribute
//   endless    waits for ever before the launches

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" int fakeBeginCapture();
extern "C" int fakeEndCapture();
extern "C" void fakeAttribute(unsigned, unsigned, unsigned, unsigned);
extern "C" int fakeUnseenMemory(void **Address, size_t Bytes);

__device__ float bias[4] = {1, 2, 3, 4};
__device__ int calls;

__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i] + bias[i % 4];
  if (i == 0)
    calls = calls + 1;
}

__global__ void multiply(float *c, const float *a, const float *b, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= n || row >= n)
    return;
  c[row * n + col] = 0;
  for (int k = 0; k < n; ++k)
    c[row * n + col] += a[row * n + k] * b[k * n + col];
}

__global__ void touch(float *unseen) { unseen[threadIdx.x] += 1; }

std::atomic<bool> Done{false};
std::atomic<int> Calls{0};

void callForEver() {
  while (!Done) {
    void *p = nullptr;
    cudaMalloc(&p, 64);
    cudaFree(p);
    ++Calls;
  }
}

/// A buffer of values that follow from their index.
float *filled(int count, float step) {
  std::vector<float> host(count);
  for (int i = 0; i < count; ++i)
    host[i] = step * float(i % 97) + 1;
  float *device = nullptr;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host.data(), count * sizeof(float),
             cudaMemcpyHostToDevice);
  return device;
}

double sumOf(const float *device, int count) {
  std::vector<float> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(float),
             cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float value : host)
    sum += value;
  return sum;
}

void takeAllMemory() {
  for (size_t bytes = size_t(1) << 28; bytes >= 512;) {
    void *p = nullptr;
    if (cudaMalloc(&p, bytes) != cudaSuccess)
      bytes /= 2;
  }
}

void work(bool full) {
  const int n = 1000, m = 24;
  float *x = filled(n, 0.5f), *y = filled(n, 0.25f);
  float *a = filled(m * m, 0.125f), *b = filled(m * m, 0.5f);
  float *c = filled(m * m, 0);
  float *gone = filled(64, 1);
  cudaFree(gone);
  if (full)
    takeAllMemory();
  for (int i = 0; i < 3; ++i) {
    saxpy<<<(n + 127) / 128, 128>>>(y, x, 2.0f, n);
    multiply<<<dim3(3, 3), dim3(8, 8)>>>(c, a, b, m);
    saxpy<<<1, 64>>>(y, x, 0.5f, 64);
  }
  cudaDeviceSynchronize();
  std::printf("sum %.3f %.3f\n", sumOf(y, n), sumOf(c, m * m));
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "plain";
  auto is = [&](const char *name) { return std::strcmp(mode, name) == 0; };
  if (is("exec")) {
    cudaDeviceSynchronize(); // the library is loaded here, and once more below
    execl(arguments[0], arguments[0], "plain", (char *)nullptr);
    return 4;
  }
  cudaDeviceSynchronize();
  if (is("idle"))
    return 0;
  if (is("leave"))
    return 3;
  if (is("killed"))
    kill(getpid(), SIGKILL);
  while (is("endless"))
    sleep(1);
  if (is("fork")) {
    pid_t child = fork();
    if (child == 0) {
      work(false);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  if (is("unseen")) {
    void *p = nullptr;
    fakeUnseenMemory(&p, 256);
    touch<<<1, 64>>>((float *)p);
  }
  enum { cooperative = 2, cluster = 4, serialization = 6 }; // CUDA's numbers
  if (is("cluster"))
    fakeAttribute(cluster, 2, 1, 1);
  if (is("cooperative"))
    fakeAttribute(cooperative, 1, 0, 0);
  if (is("serialized"))
    fakeAttribute(serialization, 1, 0, 0);
  std::thread other;
  if (is("thread"))
    other = std::thread(callForEver);
  while (is("thread") && Calls == 0)
    std::this_thread::yield();
  if (is("captured"))
    fakeBeginCapture();
  work(is("full"));
  if (is("captured"))
    fakeEndCapture();
  Done = true;
  if (other.joinable())
    other.join();
  return 0;
}
