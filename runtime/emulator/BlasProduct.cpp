//===- BlasProduct.cpp - Products of matrices in device memory ------------===//

#include "BlasProduct.h"
#include "AddressSpace.h"
#include "ApiPlaces.h"
#include "DeviceMemory.h"
#include "Findings.h"
#include <algorithm>
#include <cuda_fp16.h>
#include <string>
#include <vector>

using namespace cudal1::emulator;
using namespace cudal1::emulator::blas;

namespace {

uint64_t bytesOf(Number Type) {
  return Type == Number::Double ? 8 : Type == Number::Float ? 4 : 2;
}

/// A column of a matrix as it lies in memory.
char *columnOf(const Matrix &M, int64_t Column, int64_t Which) {
  return static_cast<char *>(M.Data) +
         (Column * M.Leading + Which * M.Stride) * int64_t(bytesOf(M.Type));
}

template <typename T> T load(const char *Address, Number Type) {
  switch (Type) {
  case Number::Half:
    return T(__half2float(*reinterpret_cast<const __half *>(Address)));
  case Number::Float:
    return T(*reinterpret_cast<const float *>(Address));
  case Number::Double:
    return T(*reinterpret_cast<const double *>(Address));
  }
  return T();
}

template <typename T> void store(char *Address, Number Type, T Value) {
  switch (Type) {
  case Number::Half:
    *reinterpret_cast<__half *>(Address) = __float2half_rn(float(Value));
    break;
  case Number::Float:
    *reinterpret_cast<float *>(Address) = float(Value);
    break;
  case Number::Double:
    *reinterpret_cast<double *>(Address) = double(Value);
    break;
  }
}

/// Looks at the columns that a product touches.
class Checker {
public:
  explicit Checker(const char *Call) : Call(Call) {}

  /// \p Rows and \p Columns are those in memory.
  bool check(const Matrix &M, int64_t Rows, int64_t Columns, int64_t Count,
             bool Reads, const char *Action) {
    uint64_t Bytes = uint64_t(Rows) * bytesOf(M.Type);
    for (int64_t I = 0; I < Count; ++I)
      for (int64_t J = 0; J < Columns; ++J) {
        const char *Column = columnOf(M, J, I);
        if (!isOnDevice(Column, Action) ||
            !api::checkAccess(Call, Action, Column, Bytes))
          return false;
        if (Reads && !isInitialized(Column, Bytes))
          Reads = false; // Once is enough.
      }
    return true;
  }

private:
  bool isOnDevice(const char *Address, const char *Action) {
    if (api::isOnDevice(api::placeOf(Address)))
      return true;
    reportFinding(FindingKind::IllegalAddress, nullptr,
                  std::string(Call) + " " + Action +
                      " memory that is not the device's");
    return false;
  }

  bool isInitialized(const char *Address, uint64_t Bytes) {
    if (!space::contains(Address))
      return true;
    const uint8_t *Shadow = space::shadowOf(Address);
    const uint8_t *End = Shadow + Bytes;
    if (std::find(Shadow, End, uint8_t(ShadowUninitialized)) == End)
      return true;
    reportFinding(FindingKind::Uninitialized, nullptr,
                  std::string(Call) + " reads memory that nobody wrote");
    return false;
  }

  const char *Call;
};

template <typename T> class Multiplier {
public:
  explicit Multiplier(const Product &P)
      : P(P), Alpha(*static_cast<const T *>(P.Alpha)),
        Beta(*static_cast<const T *>(P.Beta)) {}

  bool check(const char *Call) const {
    Checker Check(Call);
    bool Multiplies = Alpha != T(0) && P.K > 0;
    auto Factor = [&](const Matrix &M, int64_t Rows, int64_t Columns) {
      return !Multiplies ||
             (M.Transposed
                  ? Check.check(M, Columns, Rows, P.Count, true, "reads")
                  : Check.check(M, Rows, Columns, P.Count, true, "reads"));
    };
    return Factor(P.A, P.M, P.K) && Factor(P.B, P.K, P.N) &&
           Check.check(P.C, P.M, P.N, P.Count, Beta != T(0), "writes");
  }

  void run() const {
    std::vector<T> Sums;
    Sums.resize(size_t(P.M));
    for (int64_t I = 0; I < P.Count; ++I)
      for (int64_t J = 0; J < P.N; ++J)
        column(I, J, Sums);
  }

private:
  T element(const Matrix &M, int64_t Row, int64_t Column, int64_t I) const {
    if (M.Transposed)
      std::swap(Row, Column);
    return load<T>(columnOf(M, Column, I) + Row * int64_t(bytesOf(M.Type)),
                   M.Type);
  }

  void column(int64_t I, int64_t J, std::vector<T> &Sums) const {
    std::fill(Sums.begin(), Sums.end(), T(0));
    if (Alpha != T(0))
      for (int64_t L = 0; L < P.K; ++L) {
        const T Right = element(P.B, L, J, I);
        for (int64_t Row = 0; Row < P.M; ++Row)
          Sums[size_t(Row)] += element(P.A, Row, L, I) * Right;
      }
    char *Out = columnOf(P.C, J, I);
    const auto Bytes = int64_t(bytesOf(P.C.Type));
    for (int64_t Row = 0; Row < P.M; ++Row) {
      char *Address = Out + Row * Bytes;
      T Value = Alpha * Sums[size_t(Row)];
      if (Beta != T(0))
        Value += Beta * load<T>(Address, P.C.Type);
      store(Address, P.C.Type, Value);
    }
    if (memory::isDevice(Out))
      memory::markInitialized(Out, uint64_t(P.M * Bytes));
  }

  const Product &P;
  T Alpha, Beta;
};

template <typename T> bool computeIn(const Product &P, const char *Call) {
  Multiplier<T> Work(P);
  if (!Work.check(Call))
    return false;
  Work.run();
  return true;
}

} // namespace

bool blas::compute(const Product &P, const char *Call) {
  return P.Compute == Number::Double ? computeIn<double>(P, Call)
                                     : computeIn<float>(P, Call);
}
