/// What every program of the corpus needs beside its kernels: sizes from the
/// command line, the same input on every machine, a checksum of the output.
///
/// There is no kernel in here on purpose: what an optimiser finds in a program
/// of the corpus is that program's own code.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

/// Ends the program with exit code 1 if a CUDA call failed.
#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(err));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

namespace corpus {

/// Reads one size from the command line into `*value`, which holds the size for
/// a GPU: `small` if `--small` is given, N if `NAME N` is, wherever it stands.
/// Ends the program with exit code 2 if an argument is neither `--small` nor a
/// name with a positive integer. A call for each size, each with the variable's
/// own address, since an analysis can follow that.
inline void parseSize(int argc, char **argv, const char *name, int *value,
                      int small) {
  int parsed = *value;
  bool given = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--small") == 0) {
      if (!given)
        parsed = small;
      continue;
    }
    const char *text = i + 1 < argc ? argv[i + 1] : "";
    char *end = nullptr;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 1 || number > (1L << 30)) {
      fprintf(stderr, "usage: %s [--small] [%s N] ...\n", argv[0], name);
      exit(2);
    }
    if (strcmp(argv[i], name) == 0) {
      parsed = (int)number;
      given = true;
    }
    i++;
  }
  *value = parsed;
}

/// A linear congruential generator: the same numbers on every machine.
struct Lcg {
  unsigned state;
  explicit Lcg(unsigned seed) : state(seed * 2654435761u + 12345u) {}
  unsigned bits() { // 24 of them
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  double uniform() { return bits() * (1.0 / 16777216.0); } // [0, 1)
};

/// Elements after which the values of `fill` repeat: a prime, so that no two
/// rows of a matrix are alike.
constexpr size_t fillPeriod = 262147;

/// Fills `count` elements of device memory with numbers from `low` up to, and
/// without, `high`. Works for every type that can be made from a double or a
/// float (`__half` and `__nv_bfloat16` too); integers are rounded down.
template <typename T>
void fill(T *device, size_t count, double low, double high, unsigned seed = 1) {
  std::vector<T> values(std::min(count, fillPeriod));
  Lcg random(seed);
  for (T &value : values) {
    double number = low + (high - low) * random.uniform();
    if constexpr (std::is_integral_v<T>)
      value = (T)(long long)std::floor(number);
    else if constexpr (std::is_arithmetic_v<T>)
      value = (T)number;
    else
      value = T((float)number);
  }
  CUDA_CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T),
                        cudaMemcpyHostToDevice));
  for (size_t done = values.size(); done < count;) { // done: whole periods
    size_t part = std::min(done, count - done);
    CUDA_CHECK(cudaMemcpy(device + done, device, part * sizeof(T),
                          cudaMemcpyDeviceToDevice));
    done += part;
  }
}

template <typename T> double toDouble(const T &value) {
  if constexpr (std::is_arithmetic_v<T>)
    return (double)value;
  else
    return (double)(float)value;
}

/// Waits for the GPU, copies `count` elements back and prints two sums of their
/// magnitudes, the second weighted by place. Magnitudes, since a sum in which
/// large terms cancel would differ between two right versions of a kernel.
template <typename T>
void printChecksum(const char *name, const T *device, size_t count) {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<T> values(count);
  CUDA_CHECK(cudaMemcpy(values.data(), device, count * sizeof(T),
                        cudaMemcpyDeviceToHost));
  double sum = 0, weighted = 0;
  for (size_t i = 0; i < count; i++) {
    double magnitude = std::fabs(toDouble(values[i]));
    sum += magnitude;
    weighted += magnitude * (double)(1 + i % 97);
  }
  printf("%s: sum %.6e weighted %.6e\n", name, sum, weighted);
}

} // namespace corpus
