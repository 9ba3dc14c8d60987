// Words, lines and letters of a text, which is turned to upper case in place.
// Naive: a thread per byte, a global atomic for each find, a table of letters
// in global memory, letters read again after they were written.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(err));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

struct Counts {
  unsigned int words, lines, letters[26];
};

__global__ void toUpper(char *text, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) {
    if (text[i] >= 'a' && text[i] <= 'z')
      text[i] = text[i] - 'a' + 'A';
  }
}

__device__ bool isSpace(char c) { return c == ' ' || c == '\n'; }

__global__ void countText(char *text, int length, Counts *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length)
    return;
  if (!isSpace(text[i]) && (i == 0 || isSpace(text[i - 1])))
    atomicAdd(&counts->words, 1u);
  if (text[i] == '\n')
    atomicAdd(&counts->lines, 1u);
  if (text[i] >= 'A' && text[i] <= 'Z')
    atomicAdd(&counts->letters[text[i] - 'A'], 1u);
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
};

static void parseArgs(int argc, char **argv, int maxSize, int *size,
                      bool *check) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--check") == 0) {
      *check = true;
      continue;
    }
    char *end = nullptr;
    long value = strtol(argv[i], &end, 10);
    if (end == argv[i] || *end != '\0' || value < 1 || value > maxSize) {
      fprintf(stderr, "usage: %s [SIZE, 1 to %d] [--check]\n", argv[0],
              maxSize);
      exit(2);
    }
    *size = (int)value;
  }
}

static Counts referenceCounts(const std::vector<char> &text) {
  Counts counts = {};
  char before = ' ';
  for (char c : text) {
    bool space = c == ' ' || c == '\n';
    counts.words += !space && (before == ' ' || before == '\n');
    counts.lines += c == '\n';
    if (!space)
      counts.letters[(c | 32) - 'a']++;
    before = c;
  }
  return counts;
}

int main(int argc, char **argv) {
  int length = 1 << 23;
  bool check = false;
  parseArgs(argc, argv, 1 << 28, &length, &check);

  std::vector<char> text(length), upper(length);
  Lcg random;
  for (char &c : text) {
    unsigned int bits = random.bits() % 160;
    c = bits < 25 ? ' ' : bits < 28 ? '\n' : (bits & 1 ? 'a' : 'A') + bits % 26;
  }

  char *dText;
  Counts *dCounts, counts;
  CUDA_CHECK(cudaMalloc(&dText, length));
  CUDA_CHECK(cudaMalloc(&dCounts, sizeof(Counts)));
  CUDA_CHECK(cudaMemcpy(dText, text.data(), length, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dCounts, 0, sizeof(Counts)));

  int blocks = (length + 255) / 256;
  toUpper<<<blocks, 256>>>(dText, length);
  countText<<<blocks, 256>>>(dText, length, dCounts);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(
      cudaMemcpy(&counts, dCounts, sizeof(Counts), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(upper.data(), dText, length, cudaMemcpyDeviceToHost));

  printf("words %u lines %u\n", counts.words, counts.lines);
  for (int l = 0; l < 26; l += 5)
    printf("letter %d %u\n", l, counts.letters[l]);
  unsigned int sum = 0;
  for (char c : upper)
    sum = sum * 31u + (unsigned char)c;
  printf("text %u\n", sum);
  if (check) {
    Counts want = referenceCounts(text);
    double worst = memcmp(&want, &counts, sizeof(Counts)) == 0 ? 0.0 : 1.0;
    for (int i = 0; i < length; i++)
      if (upper[i] != (text[i] >= 'a' ? text[i] - 32 : text[i]))
        worst = 1;
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dText));
  CUDA_CHECK(cudaFree(dCounts));
  return 0;
}
