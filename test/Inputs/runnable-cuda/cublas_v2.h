// The part of cuBLAS that rewritten programs call, without a toolkit. As in the
// library's own header, names stand for functions with a version.
#ifndef CUDAL1_TEST_CUBLAS_V2_H
#define CUDAL1_TEST_CUBLAS_V2_H
struct cublasContext;
typedef cublasContext *cublasHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
#define cublasCreate cublasCreate_v2
#define cublasSetStream cublasSetStream_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t *);
cublasStatus_t cublasSetStream(cublasHandle_t, struct CUstream_st *);
const char *cublasGetStatusString(cublasStatus_t);
cublasStatus_t cublasSgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                           int, int, int, const float *, const float *, int,
                           const float *, int, const float *, float *, int);
cublasStatus_t cublasDgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                           int, int, int, const double *, const double *, int,
                           const double *, int, const double *, double *, int);
cublasStatus_t cublasSgemmStridedBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
    const float *, const float *, int, long long, const float *, int, long long,
    const float *, float *, int, long long, int);
cublasStatus_t cublasDgemmStridedBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
    const double *, const double *, int, long long, const double *, int,
    long long, const double *, double *, int, long long, int);
}
#endif // CUDAL1_TEST_CUBLAS_V2_H
