// A small matrix and a vector for each element of a mesh: x of the block is the
// row in the element, y the element.
#include "../corpus.h"

const int NODES = 12;

__global__ void elementMatvec(const double *stiffness, const double *u,
                              double *force, int elements) {
  int row = threadIdx.x;
  int e = blockIdx.x * blockDim.y + threadIdx.y;
  if (e < elements) {
    double f = 0.0;
    for (int j = 0; j < NODES; j++)
      f += stiffness[(e * NODES + row) * NODES + j] * u[e * NODES + j];
    force[e * NODES + row] = f;
  }
}

int main(int argc, char **argv) {
  int elements = 60000;
  corpus::parseSize(argc, argv, "--n", &elements, 75);
  double *stiffness, *u, *force;
  size_t rows = (size_t)elements * NODES;
  CUDA_CHECK(cudaMalloc(&stiffness, rows * NODES * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&u, rows * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&force, rows * sizeof(double)));
  corpus::fill(stiffness, rows * NODES, 0.0, 1.0, 1);
  corpus::fill(u, rows, 0.0, 1.0, 2);
  dim3 block(NODES, 10);
  for (int i = 0; i < 3; i++)
    elementMatvec<<<(elements + 9) / 10, block>>>(stiffness, u, force,
                                                  elements);
  corpus::printChecksum("force", force, rows);
  CUDA_CHECK(cudaFree(stiffness));
  CUDA_CHECK(cudaFree(u));
  CUDA_CHECK(cudaFree(force));
}
