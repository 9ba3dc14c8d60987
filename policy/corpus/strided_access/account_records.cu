// Interest on records of mixed members with padding between them, updated in
// place by a member function.
#include "../corpus.h"

struct Account {
  int id;
  double balance;
  short years;
  unsigned char grade;
  float rate;

  __host__ __device__ void accrue(double base) {
    double r = base + rate + 0.001 * grade;
    for (int y = 0; y < years; y++)
      balance += balance * r;
  }
};

__global__ void accrueAll(Account *accounts, double base, double *paid, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double before = accounts[i].balance;
    accounts[i].accrue(base);
    paid[i] = accounts[i].balance - before;
  }
}

int main(int argc, char **argv) {
  int n = 600000;
  corpus::parseSize(argc, argv, "--n", &n, 700);

  std::vector<Account> host(n);
  corpus::Lcg random(3);
  for (int i = 0; i < n; i++)
    host[i] = {i, 1000 * random.uniform(), (short)(random.bits() % 8),
               (unsigned char)(random.bits() % 5), 0.01f};
  Account *accounts;
  double *paid;
  CUDA_CHECK(cudaMalloc(&accounts, n * sizeof(Account)));
  CUDA_CHECK(cudaMalloc(&paid, n * sizeof(double)));
  CUDA_CHECK(cudaMemcpy(accounts, host.data(), n * sizeof(Account),
                        cudaMemcpyHostToDevice));
  for (int quarter = 0; quarter < 4; quarter++)
    accrueAll<<<(n + 159) / 160, 160>>>(accounts, 0.002, paid, n);
  corpus::printChecksum("paid", paid, n);
  CUDA_CHECK(cudaFree(accounts));
  CUDA_CHECK(cudaFree(paid));
  return 0;
}
