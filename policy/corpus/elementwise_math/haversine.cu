// Great-circle distance of each place from one station, in kilometres.
#include "../corpus.h"

#define EARTH_RADIUS 6371.0088
#define DEG2RAD(a) ((a) * 3.14159265358979323846 / 180.0)

__global__ void distance_km(float *lat, float *lon, float lat0, float lon0,
                            float *km, unsigned int total) {
  unsigned int gid = blockIdx.x * blockDim.x + threadIdx.x;
  if (gid < total) {
    float dlat = DEG2RAD(lat[gid] - lat0);
    float dlon = DEG2RAD(lon[gid] - lon0);
    float a = pow(sin(dlat / 2), 2) + cos(DEG2RAD(lat0)) *
                                          cos(DEG2RAD(lat[gid])) *
                                          pow(sin(dlon / 2), 2);
    km[gid] = 2 * EARTH_RADIUS * asin(sqrt(a));
  }
}

int main(int argc, char **argv) {
  int total = 1500000;
  corpus::parseSize(argc, argv, "--n", &total, 1111);

  float *lat, *lon, *km;
  CUDA_CHECK(cudaMalloc(&lat, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&lon, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&km, total * sizeof(float)));
  corpus::fill(lat, total, -80.0, 80.0, 21);
  corpus::fill(lon, total, -180.0, 180.0, 22);

  const dim3 threads(1024);
  const dim3 blocks((total + threads.x - 1) / threads.x);
  for (int pass = 0; pass < 3; pass++) {
    distance_km<<<blocks, threads>>>(lat, lon, 47.27f, 11.39f, km, total);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("km", km, total);
  cudaFree(lat), cudaFree(lon), cudaFree(km);
  return 0;
}
