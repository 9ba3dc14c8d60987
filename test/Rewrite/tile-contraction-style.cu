// The author's manner: tabs, names_like_this, a type of his own, k declared
// before its loop, a grid computed from the block, casts.
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all -- %fake_cuda | FileCheck %s --strict-whitespace

typedef float DATA_TYPE;

// CHECK:{{^}}__global__ void __launch_bounds__(256, 2) rank_k_update(int ni, int nj, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE *a, DATA_TYPE *c)
// CHECK-NEXT:{{^}}{
__global__ void rank_k_update(int ni, int nj, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE *a, DATA_TYPE *c)
{
// CHECK-NEXT:{{^}}	// A block computes BM x BN elements of c, a thread TM x TN of them.
// CHECK:{{^}}	__shared__ __align__(16) DATA_TYPE tile_a[2][BK][BM + 4];
// CHECK-NEXT:{{^}}	__shared__ __align__(16) DATA_TYPE tile_a2[2][BK][BN + 4];
// CHECK-NEXT:{{^}}	const int block_i = blockIdx.y * BM;
// CHECK:{{^}}	const bool wide = nj % 4 == 0;
// CHECK:{{^}}	auto load = [&](int k_start) {
// CHECK:{{^}}			if (wide && i < ni && k + 3 < nj) {
// CHECK-NEXT:{{^}}				const float4 v = *reinterpret_cast<const float4 *>(&a[i * nj + k]);
// CHECK:{{^}}				sum[m][n] = c[i * ni + j] * beta;
// CHECK:{{^}}		auto combine = [&](int k) {
// CHECK-NEXT:{{^}}			DATA_TYPE reg_a[TM], reg_a2[TN];
// CHECK:{{^}}					sum[m][n] += alpha * reg_a[m] * reg_a2[n];
// CHECK:{{^}}				c[i * ni + j] = sum[m][n];
// CHECK-NEXT:{{^}}		}
// CHECK-NEXT:{{^}}	}
// CHECK-NEXT:{{^}}}
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if ((i < ni) && (j < ni))
	{
		c[i * ni + j] *= beta;
		int k;
		for(k=0; k< nj; k++)
		{
			c[i * ni + j] += alpha * a[i * nj + k] * a[j * nj + k];
		}
	}
}

int main(int argc, char **argv) {
	int n = argc * 100, m = 3;
	DATA_TYPE *a, *c;
	cudaMalloc(&a, n);
	cudaMalloc(&c, n);
// CHECK:{{^}}	dim3 block(256);
// CHECK-NEXT:{{^}}	dim3 grid((n + 127) / 128, (n + 127) / 128);
// CHECK-NEXT:{{^}}	rank_k_update<<<grid, block>>>(n, m, 1.0f, 2.0f, a, c);
	dim3 block(32, 8);
	dim3 grid((size_t)(ceil((double)n / ((double)block.x))), (unsigned int)((n + block.y - 1) / block.y));
	rank_k_update<<<grid, block>>>(n, m, 1.0f, 2.0f, a, c);
	return 0;
}
