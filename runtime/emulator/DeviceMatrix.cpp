//===- DeviceMatrix.cpp - Products of a warp's fragments ------------------===//
///
/// \file
/// wmma::mma_sync. CUDA leaves the order of the sums open and says that they
/// are at least as precise as float's. Here they go up by k, one product at a
/// time. Products of 16-bit and tf32 numbers are exact in float, but for bf16
/// and tf32 beyond its range; double is fused.
///
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "DeviceLibrary.h"
#include "Findings.h"
#include "WarpOperations.h"
#include <cmath>

namespace cudal1::emulator {

namespace {

/// No fragment's matrix has more elements: 32 x 16.
constexpr uint32_t MostElements = 512;

struct Product {
  uint32_t M, N, K;
  bool InDouble;
  double A[MostElements], B[MostElements], C[MostElements];

  void compute() {
    for (uint32_t Row = 0; Row < M; ++Row)
      for (uint32_t Column = 0; Column < N; ++Column) {
        double Sum = C[Row * N + Column];
        for (uint32_t I = 0; I < K; ++I)
          Sum = add(Sum, A[Row * K + I], B[I * N + Column]);
        C[Row * N + Column] = Sum;
      }
  }

private:
  double add(double Sum, double Left, double Right) const {
    if (InDouble)
      return std::fma(Left, Right, Sum);
    return static_cast<float>(Sum) + static_cast<float>(Left * Right);
  }
};

} // namespace

void multiplyFragments(uint32_t Lanes, WarpRequest *const *Requests) {
  uint32_t First = 0;
  while (!(Lanes >> First & 1))
    ++First;
  uint32_t Shape = Requests[First]->Operand;
  Product P{Shape & 255, Shape >> 8 & 255,
            Shape >> 16, Requests[First]->Control != 0,
            {},          {},
            {}};
  if (Lanes != ~uint32_t(0))
    reportFinding(FindingKind::DivergentBarrier, currentThread()->Site,
                  "a product of fragments needs all 32 lanes of the warp");
  auto Each = [&](auto Call) {
    for (uint32_t Lane = 0; Lane < WarpLanes; ++Lane) {
      if (!(Lanes >> Lane & 1))
        continue;
      auto *Registers = reinterpret_cast<double *>(Requests[Lane]->Value);
      for (auto [Matrix, Elements] :
           {std::pair(P.A, P.M * P.K), std::pair(P.B, P.K * P.N),
            std::pair(P.C, P.M * P.N)})
        for (uint32_t I = Lane; I < Elements; I += WarpLanes)
          Call(Matrix == P.C, Matrix[I], *Registers++);
    }
  };
  Each([](bool, double &Element, double &Register) { Element = Register; });
  P.compute();
  Each([](bool IsResult, double &Element, double &Register) {
    if (IsResult)
      Register = Element;
  });
}

} // namespace cudal1::emulator

using namespace cudal1::emulator;

void cudal1_nvvm_wmma_mma(uint32_t Shape, uint32_t InDouble,
                          double *Registers) {
  DeviceThread &Self = *currentThread();
  Self.Request = {~uint32_t(0), WarpKind::Multiply,
                  false,        reinterpret_cast<uint64_t>(Registers),
                  Shape,        InDouble};
  meetLanes(Self);
}
