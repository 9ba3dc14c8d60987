// Words, lines and letters of a text, turned to upper case in place, as an
// expert writes it: one kernel, 16 bytes at a time, four bytes to a word in
// every step but the letters' table. That one is a byte a thread and letter in
// shared memory, a thread's counters in one bank: no atomics, no conflicts.
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

constexpr int THREADS = 256, BINS = 32; // bin 0: no letter
constexpr int MOST_PARTS = 15; // of 16 bytes a thread: a byte holds 255

// 0x80 in each byte of V that equals C; bytes are below 0x80.
__device__ unsigned int equalBytes(unsigned int v, unsigned int c) {
  unsigned int different = v ^ (c * 0x01010101u);
  return (0x80808080u - different) & 0x80808080u;
}

// 0x80 in each byte of V that is at least C; bytes and C are below 0x80.
__device__ unsigned int atLeast(unsigned int v, unsigned int c) {
  return ((v | 0x80808080u) - c * 0x01010101u) & 0x80808080u;
}

struct Tally {
  unsigned int words = 0, lines = 0;
};

// Four bytes: counts them, returns them in upper case. BEFORE is 0x80 if white
// space stands before the first of them; set to what stands before the next.
__device__ unsigned int four(unsigned int v, unsigned int &before, Tally &tally,
                             unsigned char *mine) {
  unsigned int lower = atLeast(v, 'a') & ~atLeast(v, 'z' + 1);
  v -= lower >> 2; // 0x20 less
  unsigned int newline = equalBytes(v, '\n');
  unsigned int space = equalBytes(v, ' ') | newline;
  unsigned int afterSpace = space << 8 | before;
  tally.words += __popc(~space & 0x80808080u & afterSpace);
  tally.lines += __popc(newline);
  before = space >> 24;
  unsigned int letter = atLeast(v, 'A') & ~atLeast(v, 'Z' + 1);
  unsigned int bins = v & ((letter >> 7) * 0x1f);
#pragma unroll
  for (int b = 0; b < 4; b++) {
    unsigned int bin = bins >> (8 * b) & 0x1f;
    mine[(bin / 4) * (THREADS * 4) + bin % 4]++;
  }
  return v;
}

__device__ unsigned int isSpace(char c) {
  return c == ' ' || c == '\n' ? 0x80u : 0u;
}

__device__ unsigned int warpSum(unsigned int v) {
  for (int s = 16; s > 0; s /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, s);
  return v;
}

// PARTS of 16 bytes, and LEFT bytes after them. The byte before a part may
// already be in upper case: white space stays white space.
__global__ void __launch_bounds__(THREADS)
    countText(char *text, int parts, int left, Counts *counts) {
  __shared__ unsigned int counters[BINS / 4 * THREADS];
  int tid = threadIdx.x;
  for (int i = tid; i < BINS / 4 * THREADS; i += THREADS)
    counters[i] = 0;
  __syncthreads();
  unsigned char *mine = reinterpret_cast<unsigned char *>(counters) + 4 * tid;
  volatile const char *bytes = text;
  Tally tally;
  int first = blockIdx.x * THREADS + tid;
  int lane = tid % 32;
  for (int p = first; p - lane < parts; p += gridDim.x * THREADS) {
    uint4 *at = reinterpret_cast<uint4 *>(text) + p;
    uint4 v = p < parts ? *at : make_uint4(0, 0, 0, 0);
    // The last byte of the part before: the neighbour has it.
    unsigned int before = __shfl_up_sync(0xffffffffu, isSpace(v.w >> 24), 1);
    if (p >= parts)
      continue;
    if (lane == 0)
      before = p == 0 ? 0x80u : isSpace(bytes[16 * p - 1]);
    v.x = four(v.x, before, tally, mine);
    v.y = four(v.y, before, tally, mine);
    v.z = four(v.z, before, tally, mine);
    v.w = four(v.w, before, tally, mine);
    *at = v;
  }
  if (first < left) { // at most 15 bytes
    int i = 16 * parts + first;
    char c = text[i];
    c -= c >= 'a' && c <= 'z' ? 'a' - 'A' : 0;
    tally.words += !isSpace(c) && (i == 0 || isSpace(bytes[i - 1]));
    tally.lines += c == '\n';
    if (c >= 'A' && c <= 'Z')
      mine[((c & 31) / 4) * (THREADS * 4) + (c & 31) % 4]++;
    text[i] = c;
  }

  unsigned int words = warpSum(tally.words), lines = warpSum(tally.lines);
  if (tid % 32 == 0 && words > 0)
    atomicAdd(&counts->words, words);
  if (tid % 32 == 0 && lines > 0)
    atomicAdd(&counts->lines, lines);
  __syncthreads();
  // A warp adds the counters of four letters over all threads.
  unsigned int even = 0, odd = 0;
  for (int j = lane; j < THREADS; j += 32) {
    unsigned int w = counters[tid / 32 * THREADS + j];
    even += w & 0x00ff00ffu;
    odd += w >> 8 & 0x00ff00ffu;
  }
  unsigned int sums[4] = {warpSum(even & 0xffff), warpSum(odd & 0xffff),
                          warpSum(even >> 16), warpSum(odd >> 16)};
  unsigned int sum = lane == 0   ? sums[0]
                     : lane == 1 ? sums[1]
                     : lane == 2 ? sums[2]
                                 : sums[3];
  int letter = tid / 32 * 4 + lane - 1;
  if (lane < 4 && letter >= 0 && letter < 26 && sum > 0)
    atomicAdd(&counts->letters[letter], sum);
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

  // As many blocks as run at once, more if a byte could overflow.
  int sms, parts = length / 16;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  int most = THREADS * (MOST_PARTS - 1);
  int blocks = std::max((parts + most - 1) / most, 8 * sms);
  blocks = std::max(1, std::min(blocks, (parts + THREADS - 1) / THREADS));
  countText<<<blocks, THREADS>>>(dText, parts, length % 16, dCounts);
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
