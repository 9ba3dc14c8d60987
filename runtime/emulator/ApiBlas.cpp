//===- ApiBlas.cpp - The calls of cuBLAS that multiply matrices -----------===//
///
/// \file
/// What raised programs call of cuBLAS, so that they run without a GPU. As all
/// work, a product is done when its stream is given it. Other functions of the
/// library are not there: the linker names them.
///
//===----------------------------------------------------------------------===//

#include "ApiPlaces.h"
#include "ApiState.h"
#include "BlasProduct.h"
#include <cstring>
#include <cublas_v2.h>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;
using cudal1::emulator::blas::Matrix;
using cudal1::emulator::blas::Number;
using cudal1::emulator::blas::Product;

/// What a handle is.
struct cublasContext {
  cudaStream_t Stream = nullptr;
  cublasPointerMode_t Mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t Math = CUBLAS_DEFAULT_MATH;
};

namespace {

std::optional<Number> numberOf(cudaDataType Type) {
  switch (Type) {
  case CUDA_R_16F:
    return Number::Half;
  case CUDA_R_32F:
    return Number::Float;
  case CUDA_R_64F:
    return Number::Double;
  default:
    return std::nullopt;
  }
}

/// A matrix as a call names it; \p Rows and \p Columns are what the product
/// takes of it.
bool isValid(const Matrix &M, int64_t Rows, int64_t Columns) {
  return M.Leading >= std::max<int64_t>(1, M.Transposed ? Columns : Rows);
}

Matrix matrix(const void *Data, Number Type, int64_t Leading,
              cublasOperation_t Operation = CUBLAS_OP_N, int64_t Stride = 0) {
  return {const_cast<void *>(Data), Type, Leading, Operation != CUBLAS_OP_N,
          Stride};
}

/// Copies a scale of the host; one of the device is read when its turn comes.
struct Scale {
  alignas(8) char Bytes[8] = {};
  const void *Device = nullptr;

  Scale(const void *Value, uint64_t Size, cublasPointerMode_t Mode) {
    if (Mode == CUBLAS_POINTER_MODE_DEVICE)
      Device = Value;
    else
      std::memcpy(Bytes, Value, Size);
  }
  const void *value() const { return Device ? Device : Bytes; }
};

void fail(cudaError_t Error) {
  int None = cudaSuccess;
  runtime().Sticky.compare_exchange_strong(None, Error);
}

/// Gives \p P to the handle's stream.
cublasStatus_t multiply(cublasHandle_t Handle, Product P, const char *Name) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (P.M < 0 || P.N < 0 || P.K < 0 || P.Count < 0 || !isValid(P.A, P.M, P.K) ||
      !isValid(P.B, P.K, P.N) || !isValid(P.C, P.M, P.N) || !P.Alpha || !P.Beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (runtime().Sticky.load() != cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (P.M == 0 || P.N == 0 || P.Count == 0)
    return CUBLAS_STATUS_SUCCESS;
  const uint64_t Size = P.Compute == Number::Double ? 8 : 4;
  HostWork Work;
  Work.Call = [P, Name, Size, Mode = Handle->Mode,
               Alpha = Scale(P.Alpha, Size, Handle->Mode),
               Beta = Scale(P.Beta, Size, Handle->Mode)] {
    Product Now = P;
    Now.Alpha = Alpha.value();
    Now.Beta = Beta.value();
    bool Reads = Mode == CUBLAS_POINTER_MODE_HOST ||
                 (checkAccess(Name, "reads", Now.Alpha, Size) &&
                  checkAccess(Name, "reads", Now.Beta, Size));
    if (!Reads || !blas::compute(Now, Name))
      fail(cudaErrorIllegalAddress);
  };
  return submit(std::move(Work), Handle->Stream, Name) == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// The product of a matrix and a vector, each element of which is a column.
Product matrixVector(cublasOperation_t Operation, int64_t M, int64_t N,
                     Number Type, const void *Alpha, const void *A,
                     int64_t Leading, const void *X, int64_t StepX,
                     const void *Beta, void *Y, int64_t StepY) {
  // Transposed all through: y^T = x^T * op(A)^T.
  Product P;
  bool Transposed = Operation != CUBLAS_OP_N;
  P.M = 1;
  P.N = Transposed ? N : M;
  P.K = Transposed ? M : N;
  P.A = matrix(X, Type, StepX);
  P.B = matrix(A, Type, Leading, Transposed ? CUBLAS_OP_N : CUBLAS_OP_T);
  P.C = matrix(Y, Type, StepY);
  P.Compute = Type;
  P.Alpha = Alpha;
  P.Beta = Beta;
  return P;
}

cublasStatus_t multiplyTyped(cublasHandle_t Handle, Product P,
                             cudaDataType TypeA, cudaDataType TypeB,
                             cudaDataType TypeC, cublasComputeType_t Compute,
                             const char *Name) {
  auto A = numberOf(TypeA), B = numberOf(TypeB), C = numberOf(TypeC);
  bool Single =
      Compute == CUBLAS_COMPUTE_32F || Compute == CUBLAS_COMPUTE_32F_PEDANTIC;
  bool Double =
      Compute == CUBLAS_COMPUTE_64F || Compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  bool Fits =
      A && B && C && *A == *B &&
      (Double ? *A == Number::Double && *C == Number::Double
              : Single && *A != Number::Double && *C != Number::Double &&
                    (*A == Number::Half || *C == Number::Float));
  if (!Fits) {
    unsupported(std::string(Name) + " with these types");
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  P.A.Type = *A;
  P.B.Type = *B;
  P.C.Type = *C;
  P.Compute = Double ? Number::Double : Number::Float;
  return multiply(Handle, P, Name);
}

Product product(int64_t M, int64_t N, int64_t K, Number Type, const void *Alpha,
                const Matrix &A, const Matrix &B, const void *Beta,
                const Matrix &C, int64_t Count = 1) {
  return {M, N, K, A, B, C, Type, Alpha, Beta, Count};
}

} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *Handle) {
  if (!Handle)
    return CUBLAS_STATUS_INVALID_VALUE;
  *Handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t Handle) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  delete Handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t Handle, cudaStream_t Stream) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  Handle->Stream = Stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t Handle, cudaStream_t *Stream) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *Stream = Handle->Stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t Handle,
                                       cublasPointerMode_t Mode) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  Handle->Mode = Mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t Handle,
                                       cublasPointerMode_t *Mode) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *Mode = Handle->Mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t Handle, cublasMath_t Mode) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  Handle->Math = Mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t Handle, cublasMath_t *Mode) {
  if (!Handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *Mode = Handle->Math;
  return CUBLAS_STATUS_SUCCESS;
}

/// All that a product needs is on the host: the program's own room is unused.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t Handle, void *, size_t) {
  return Handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *Version) {
  *Version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusName(cublasStatus_t Status) {
  switch (Status) {
  case CUBLAS_STATUS_SUCCESS:
    return "CUBLAS_STATUS_SUCCESS";
  case CUBLAS_STATUS_NOT_INITIALIZED:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_EXECUTION_FAILED:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "another status of cuBLAS";
  }
}

const char *cublasGetStatusString(cublasStatus_t Status) {
  return cublasGetStatusName(Status);
}

cublasStatus_t cublasGemmEx(cublasHandle_t Handle, cublasOperation_t OpA,
                            cublasOperation_t OpB, int M, int N, int K,
                            const void *Alpha, const void *A,
                            cudaDataType TypeA, int LeadingA, const void *B,
                            cudaDataType TypeB, int LeadingB, const void *Beta,
                            void *C, cudaDataType TypeC, int LeadingC,
                            cublasComputeType_t Compute, cublasGemmAlgo_t) {
  return multiplyTyped(Handle,
                       product(M, N, K, Number::Float, Alpha,
                               matrix(A, Number::Float, LeadingA, OpA),
                               matrix(B, Number::Float, LeadingB, OpB), Beta,
                               matrix(C, Number::Float, LeadingC)),
                       TypeA, TypeB, TypeC, Compute, __func__);
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t Handle, cublasOperation_t OpA, cublasOperation_t OpB, int M,
    int N, int K, const void *Alpha, const void *A, cudaDataType TypeA,
    int LeadingA, long long StrideA, const void *B, cudaDataType TypeB,
    int LeadingB, long long StrideB, const void *Beta, void *C,
    cudaDataType TypeC, int LeadingC, long long StrideC, int Count,
    cublasComputeType_t Compute, cublasGemmAlgo_t) {
  return multiplyTyped(
      Handle,
      product(M, N, K, Number::Float, Alpha,
              matrix(A, Number::Float, LeadingA, OpA, StrideA),
              matrix(B, Number::Float, LeadingB, OpB, StrideB), Beta,
              matrix(C, Number::Float, LeadingC, CUBLAS_OP_N, StrideC), Count),
      TypeA, TypeB, TypeC, Compute, __func__);
}

// The same functions for float and double.
#define CUDAL1_BLAS(Letter, T, TypeOf)                                         \
  cublasStatus_t cublas##Letter##gemm_v2(                                      \
      cublasHandle_t Handle, cublasOperation_t OpA, cublasOperation_t OpB,     \
      int M, int N, int K, const T *Alpha, const T *A, int LeadingA,           \
      const T *B, int LeadingB, const T *Beta, T *C, int LeadingC) {           \
    return multiply(Handle,                                                    \
                    product(M, N, K, TypeOf, Alpha,                            \
                            matrix(A, TypeOf, LeadingA, OpA),                  \
                            matrix(B, TypeOf, LeadingB, OpB), Beta,            \
                            matrix(C, TypeOf, LeadingC)),                      \
                    __func__);                                                 \
  }                                                                            \
  cublasStatus_t cublas##Letter##gemmStridedBatched(                           \
      cublasHandle_t Handle, cublasOperation_t OpA, cublasOperation_t OpB,     \
      int M, int N, int K, const T *Alpha, const T *A, int LeadingA,           \
      long long StrideA, const T *B, int LeadingB, long long StrideB,          \
      const T *Beta, T *C, int LeadingC, long long StrideC, int Count) {       \
    return multiply(Handle,                                                    \
                    product(M, N, K, TypeOf, Alpha,                            \
                            matrix(A, TypeOf, LeadingA, OpA, StrideA),         \
                            matrix(B, TypeOf, LeadingB, OpB, StrideB), Beta,   \
                            matrix(C, TypeOf, LeadingC, CUBLAS_OP_N, StrideC), \
                            Count),                                            \
                    __func__);                                                 \
  }                                                                            \
  cublasStatus_t cublas##Letter##gemv_v2(                                      \
      cublasHandle_t Handle, cublasOperation_t Operation, int M, int N,        \
      const T *Alpha, const T *A, int Leading, const T *X, int StepX,          \
      const T *Beta, T *Y, int StepY) {                                        \
    if (StepX < 1 || StepY < 1) {                                              \
      unsupported(std::string(__func__) + " with a vector that runs back");    \
      return CUBLAS_STATUS_NOT_SUPPORTED;                                      \
    }                                                                          \
    if (M < 0 || N < 0 || Leading < std::max(1, M))                            \
      return CUBLAS_STATUS_INVALID_VALUE;                                      \
    return multiply(Handle,                                                    \
                    matrixVector(Operation, M, N, TypeOf, Alpha, A, Leading,   \
                                 X, StepX, Beta, Y, StepY),                    \
                    __func__);                                                 \
  }

CUDAL1_BLAS(S, float, Number::Float)
CUDAL1_BLAS(D, double, Number::Double)
#undef CUDAL1_BLAS
}
