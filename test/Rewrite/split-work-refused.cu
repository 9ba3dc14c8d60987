// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,split-work' --apply-all --needs-check -- %fake_cuda | diff %s -

// The first value is read from memory, which threads beyond the last column
// must not do.
__global__ void firstValue(const float *a, float *b, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    float sum = a[c];
    for (int r = 1; r < rows; ++r)
      sum += a[r * columns + c];
    b[c] = sum;
  }
}

// Every part would count the first value.
__global__ void notNeutral(const float *a, float *b, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    float sum = 1.0f;
    for (int r = 0; r < rows; ++r)
      sum += a[r * columns + c];
    b[c] = sum;
  }
}

// What is loaded before the loop belongs to a column.
__global__ void loadedBefore(const float *a, const float *w, float *b, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  float weight = w[c];
  float sum = 0.0f;
  for (int r = 0; r < rows; ++r)
    sum += weight * a[r * columns + c];
  b[c] = sum;
}

// The loop stores as it goes.
__global__ void running(const float *a, float *b, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r) {
      sum += a[r * columns + c];
      b[r * columns + c] = sum;
    }
  }
}

// A thread may leave in two places.
__global__ void twoExits(const float *a, float *b, int rows, int columns, int flag) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  if (flag)
    return;
  float sum = 0.0f;
  for (int r = 0; r < rows; ++r)
    sum += a[r * columns + c];
  b[c] = sum;
}

// The loop is not reached by all threads of a column's guard.
__global__ void condition(const float *a, float *b, int rows, int columns, int flag) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    float sum = 0.0f;
    if (flag)
      for (int r = 0; r < rows; ++r)
        sum += a[r * columns + c];
    b[c] = sum;
  }
}

// Along the rows: parallelize-row knows better.
__global__ void along(const float *a, float *b, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r)
      sum += a[c * rows + r];
    b[c] = sum;
  }
}

// The result may be one of the inputs.
__global__ void inPlace(float *a, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r)
      sum += a[r * columns + c];
    a[c] = sum;
  }
}

int main(int rows, char **) {
  int columns = 1000;
  float *a, *b, *w;
  cudaMalloc(&a, sizeof(float) * rows * columns);
  cudaMalloc(&b, sizeof(float) * rows * columns);
  cudaMalloc(&w, sizeof(float) * columns);
  firstValue<<<(columns + 127) / 128, 128>>>(a, b, rows, columns);
  notNeutral<<<(columns + 127) / 128, 128>>>(a, b, rows, columns);
  loadedBefore<<<(columns + 127) / 128, 128>>>(a, w, b, rows, columns);
  running<<<(columns + 127) / 128, 128>>>(a, b, rows, columns);
  twoExits<<<(columns + 127) / 128, 128>>>(a, b, rows, columns, 0);
  condition<<<(columns + 127) / 128, 128>>>(a, b, rows, columns, 1);
  along<<<(columns + 127) / 128, 128>>>(a, b, rows, columns);
  inPlace<<<(columns + 127) / 128, 128>>>(a, rows, columns);
}
