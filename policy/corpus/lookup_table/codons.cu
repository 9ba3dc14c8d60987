// Bases to amino acids, three bases a thread, by a table of 64 letters; the
// bases are looked up in a table of their own.
#include "../corpus.h"

__global__ void translate(const char *bases, const int *code, const char *acids,
                          char *protein, int codons) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < codons) {
    int codon = 0;
    for (int k = 0; k < 3; k++)
      codon = codon * 4 + code[bases[c * 3 + k] - 'A'];
    protein[c] = acids[codon];
  }
}

int main(int argc, char **argv) {
  int codons = 10000000;
  corpus::parseSize(argc, argv, "--n", &codons, 2222);
  const char *table = "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSS"
                      "*CWCLFLF";
  int codeOf[26] = {0};
  codeOf['C' - 'A'] = 1;
  codeOf['G' - 'A'] = 2;
  codeOf['T' - 'A'] = 3;
  char *bases, *acids, *protein;
  int *code;
  CUDA_CHECK(cudaMalloc(&bases, 3 * (size_t)codons));
  CUDA_CHECK(cudaMalloc(&protein, codons));
  CUDA_CHECK(cudaMalloc(&acids, 64));
  CUDA_CHECK(cudaMalloc(&code, sizeof(codeOf)));
  CUDA_CHECK(cudaMemcpy(acids, table, 64, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(code, codeOf, sizeof(codeOf), cudaMemcpyHostToDevice));
  std::vector<char> strand(3 * (size_t)codons);
  corpus::Lcg random(9);
  for (char &base : strand)
    base = "ACGT"[random.bits() >> 22];
  CUDA_CHECK(
      cudaMemcpy(bases, strand.data(), strand.size(), cudaMemcpyHostToDevice));
  for (int i = 0; i < 3; i++)
    translate<<<(codons + 127) / 128, 128>>>(bases, code, acids, protein,
                                             codons);
  corpus::printChecksum("protein", protein, codons);
  cudaFree(bases);
  cudaFree(acids);
  cudaFree(protein);
  cudaFree(code);
}
