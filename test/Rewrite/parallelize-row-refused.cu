// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --needs-check -- %fake_cuda | diff %s -

float *found();
void keep(void (*kernel)(const float *, float *, int, int));
#define LAUNCH(kernel) kernel<<<(rows + 127) / 128, 128>>>(a, b, rows, cols)

// A scan: each iteration stores what the sum is so far.
__global__ void scan(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k) {
      sum += a[row * cols + k];
      b[row * cols + k] = sum;
    }
  }
}

// A recurrence that is no associative operation.
__global__ void recurrence(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float x = 0.0f;
    for (int k = 0; k < cols; ++k)
      x = 0.5f * x + a[row * cols + k];
    b[row] = x;
  }
}

// A store is carried to the next iteration.
__global__ void carriedStore(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    b[row * cols] = a[row * cols];
    for (int k = 1; k < cols; ++k)
      b[row * cols + k] = b[row * cols + k - 1] + a[row * cols + k];
  }
}

// One pass reads what another lane wrote in the pass before.
__global__ void neighbour(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[row * cols + k] = 2.0f * a[row * cols + k];
    float sum = 0.0f;
    for (int k = 1; k < cols; ++k)
      sum += b[row * cols + k - 1];
    b[row * cols] = sum;
  }
}

// Loops that begin at different elements give an element to different lanes.
__global__ void shifted(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[row * cols + k] = 2.0f * a[row * cols + k];
    for (int k = 1; k < cols; ++k)
      b[row * cols + k] += a[row * cols + k];
  }
}

// Another loop reads the row in another order.
__global__ void reversed(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[row * cols + k] = 2.0f * a[row * cols + k];
    for (int k = 0; k < cols; ++k)
      b[row * cols + k] += b[row * cols + cols - 1 - k];
  }
}

// The sum decides about what is added.
__global__ void usesSum(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      if (sum < 10.0f)
        sum += a[row * cols + k];
    b[row] = sum;
  }
}

// Where the maximum is depends on the order.
__global__ void argMax(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float most = a[row * cols];
    int where = 0;
    for (int k = 1; k < cols; ++k)
      if (a[row * cols + k] > most) {
        most = a[row * cols + k];
        where = k;
      }
    b[row] = where;
  }
}

// Two operations on one value.
__global__ void twoOperations(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float x = 1.0f;
    for (int k = 0; k < cols; ++k) {
      x += a[row * cols + k];
      x *= 0.5f;
    }
    b[row] = x;
  }
}

// Each step rounds to an integer.
__global__ void rounds(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    int total = 0;
    for (int k = 0; k < cols; ++k)
      total += a[row * cols + k] * 0.3f;
    b[row] = total;
  }
}

// A number that compares with nothing takes the place of the maximum, or not, as the order will have it.
__global__ void unordered(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float most = a[row * cols];
    for (int k = 1; k < cols; ++k)
      most = most > a[row * cols + k] ? most : a[row * cols + k];
    b[row] = most;
  }
}

// The last value stays.
__global__ void last(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float x = 0.0f;
    for (int k = 0; k < cols; ++k)
      if (a[row * cols + k] > 0.0f)
        x = a[row * cols + k];
    b[row] = x;
  }
}

// The loop ends early.
__global__ void breaks(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k) {
      if (a[row * cols + k] < 0.0f)
        break;
      sum += a[row * cols + k];
    }
    b[row] = sum;
  }
}

// It leaves the kernel.
__global__ void returns(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k) {
      if (a[row * cols + k] < 0.0f)
        return;
      sum += a[row * cols + k];
    }
    b[row] = sum;
  }
}

// The end moves.
__global__ void movingEnd(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    int end = cols;
    for (int k = 0; k < end; ++k) {
      sum += a[row * cols + k];
      if (a[row * cols + k] < 0.0f)
        end = end - 1;
    }
    b[row] = sum;
  }
}

// The end lies in memory that the kernel writes.
__global__ void writtenEnd(const float *a, float *b, int *p, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    p[row] = cols;
    float sum = 0.0f;
    for (int k = 0; k < p[row]; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// The variable would wrap.
__global__ void narrow(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (unsigned char k = 0; k < 200; ++k)
      sum += a[row * 200 + k];
    b[row] = sum + cols;
  }
}

// The variable is used after its loop.
__global__ void usedAfter(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    int k;
    for (k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum / k;
  }
}

// Not all steps are of one element, and a `!=` would be stepped over.
__global__ void stepsOver(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k != cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// A loop that does not count.
__global__ void whileLoop(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    int k = 0;
    while (k < cols) {
      sum += a[row * cols + k];
      ++k;
    }
    b[row] = sum;
  }
}

// A local array outlives an iteration.
__global__ void localArray(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float part[2] = {0.0f, 0.0f};
    for (int k = 0; k < cols; ++k)
      part[k % 2] += a[row * cols + k];
    b[row] = part[0] - part[1];
  }
}

// Iterations store to one element.
__global__ void sameElement(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[row] = a[row * cols + k];
  }
}

// Iterations may store to one element.
__global__ void scattered(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[(int)a[row * cols + k]] = 1.0f;
  }
}

// Two iterations share an element.
__global__ void halved(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[row * cols + k / 2] = a[row * cols + k];
  }
}

// What is stored outside of the loop is read by all lanes.
__global__ void readsStore(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    b[row] = a[row * cols];
    b[row + rows] = a[row * cols + 1];
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k] * b[row + rows];
    b[row] = sum;
  }
}

// The sum continues what memory holds, and the loop may not run at all.
__global__ void continues(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[row] += a[row * cols + k];
  }
}

// The kernel leaves between the first value and the last.
__global__ void leavesBetween(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    b[row] = 0.0f;
    for (int k = 0; k < cols; ++k)
      b[row] += a[row * cols + k];
    if (cols > 100)
      return;
    b[row] *= 2.0f;
  }
}

// A barrier.
__global__ void barrier(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    __syncthreads();
    b[row] = sum;
  }
}

// An atomic operation in the loop.
__global__ void atomic(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k) {
      sum += a[row * cols + k];
      atomicAdd(b, sum);
    }
  }
}

// What an atomic operation finds decides for all threads of the row.
__global__ void ticket(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    if (atomicAdd(b, 1.0f) > 10.0f)
      return;
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row + 1] = sum;
  }
}

// An element is used between the loops that write it.
__global__ void between(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (int k = 0; k < cols; ++k)
      b[row * cols + k] = a[row * cols + k];
    b[row * cols] = 0.0f;
    for (int k = 0; k < cols; ++k)
      b[row * cols + k] += 1.0f;
  }
}

// The index in the block is used by itself.
__global__ void threadIndex(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum + threadIdx.x;
  }
}

// The block is part of the arithmetic.
__global__ void blockIndex(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
    if (cols > 5)
      b[row] += blockDim.x;
  }
}

// Neighbouring threads read neighbouring elements already.
__global__ void columns(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[k * rows + row];
    b[row] = sum;
  }
}

// All rows read the same elements.
__global__ void common(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[k] * row;
    b[row] = sum;
  }
}

// A volatile element.
__global__ void isVolatile(const volatile float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// The author fixed the block.
__global__ void __launch_bounds__(128) bounded(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// The output may be the input.
__global__ void sameBuffer(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// What the buffers are cannot be seen.
__global__ void unknownBuffers(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// The grid covers some of the rows.
__global__ void partly(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// Rows at one launch are more than its threads.
__global__ void otherCount(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// A grid of two dimensions.
__global__ void plane(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// The size of the block is not known.
__global__ void anyBlock(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// There may be more rows than a grid has blocks.
__global__ void manyRows(const float *a, float *b, long rows, long cols) {
  long row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// A launch in a macro.
__global__ void inMacro(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// Surplus threads are not kept out.
__global__ void unguarded(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < cols; ++k)
    sum += a[row * cols + k];
  b[row] = sum;
}

// The kernel is also launched from code that cannot be seen.
__global__ void handedOn(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
      sum += a[row * cols + k];
    b[row] = sum;
  }
}

// Another configuration may do something else.
__global__ void configured(const float *a, float *b, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
#ifdef SQUARES
      sum += a[row * cols + k] * a[row * cols + k];
#else
      sum += a[row * cols + k];
#endif
    b[row] = sum;
  }
}

int main(int rows, char **arguments) {
  int cols = 100, threads = 32 * rows;
  long many = rows;
  float *a, *b;
  int *p;
  cudaMalloc(&a, 1000 * cols * sizeof(float));
  cudaMalloc(&b, 1000 * cols * sizeof(float));
  cudaMalloc(&p, 1000 * cols * sizeof(int));
  scan<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  recurrence<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  carriedStore<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  neighbour<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  shifted<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  reversed<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  usesSum<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  argMax<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  twoOperations<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  rounds<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  unordered<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  last<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  breaks<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  returns<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  movingEnd<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  writtenEnd<<<(rows + 127) / 128, 128>>>(a, b, p, rows, cols);
  narrow<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  usedAfter<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  stepsOver<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  whileLoop<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  localArray<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  sameElement<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  scattered<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  halved<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  readsStore<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  continues<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  leavesBetween<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  barrier<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  atomic<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  ticket<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  between<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  threadIndex<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  blockIndex<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  columns<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  common<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  isVolatile<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  bounded<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  sameBuffer<<<(rows + 127) / 128, 128>>>(a, a, rows, cols);
  unknownBuffers<<<(rows + 127) / 128, 128>>>(found(), found(), rows, cols);
  partly<<<rows / 128, 128>>>(a, b, rows, cols);
  otherCount<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  otherCount<<<(rows + 127) / 128, 128>>>(a, b, 2 * rows, cols);
  plane<<<dim3((rows + 127) / 128, cols), 128>>>(a, b, rows, cols);
  anyBlock<<<(rows + threads - 1) / threads, threads>>>(a, b, rows, cols);
  manyRows<<<(many + 127) / 128, 128>>>(a, b, many, cols);
  LAUNCH(inMacro);
  unguarded<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  handedOn<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  keep(handedOn);
  configured<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
}
