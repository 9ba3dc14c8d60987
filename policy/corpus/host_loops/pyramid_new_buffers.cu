// Image pyramids of several frames: each level gets a buffer half as wide, made
// in the loop, and the level before is freed.
#include "../corpus.h"

__global__ void halve(const float *fine, float *coarse, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width / 2 && y < height / 2)
    coarse[y * (width / 2) + x] =
        0.25f * (fine[2 * y * width + 2 * x] + fine[2 * y * width + 2 * x + 1] +
                 fine[(2 * y + 1) * width + 2 * x] +
                 fine[(2 * y + 1) * width + 2 * x + 1]);
}

int main(int argc, char **argv) {
  int side = 1024, frames = 8;
  corpus::parseSize(argc, argv, "--side", &side, 60);
  corpus::parseSize(argc, argv, "--frames", &frames, 2);
  std::vector<float> picture((size_t)side * side), top(frames);
  corpus::Lcg random(31);
  for (float &p : picture)
    p = (float)random.uniform();
  for (int frame = 0; frame < frames; frame++) {
    float *level;
    CUDA_CHECK(cudaMalloc(&level, picture.size() * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(level, picture.data(), picture.size() * sizeof(float),
                          cudaMemcpyHostToDevice));
    for (int width = side; width > 1; width /= 2) {
      float *smaller;
      int half = width / 2;
      CUDA_CHECK(cudaMalloc(&smaller, sizeof(float) * half * half));
      dim3 block(16, 16), grid((half + 15) / 16, (half + 15) / 16);
      halve<<<grid, block>>>(level, smaller, width, width);
      CUDA_CHECK(cudaFree(level));
      level = smaller;
    }
    CUDA_CHECK(
        cudaMemcpy(&top[frame], level, sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(level));
    picture[frame] += 1.0f;
  }
  for (int frame = 0; frame < frames; frame++)
    printf("frame %d: %.5f\n", frame, top[frame]);
}
