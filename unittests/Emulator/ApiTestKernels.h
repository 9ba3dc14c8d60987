//===- ApiTestKernels.h - Kernels written by hand ---------------*- C++ -*-===//
///
/// \file
/// What a compiled unit would bring along: a table of kernels and variables,
/// and their registration by host code.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_EMULATOR_APITESTKERNELS_H
#define CUDAL1_UNITTESTS_EMULATOR_APITESTKERNELS_H

#include "Abi.h"
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace cudal1::test {

/// How host code names each kernel: any address that is its own.
extern const void *const AddOne;    ///< (int *Data, int Count)
extern const void *const FillShort; ///< (short *Data, short Value, Big)
extern const void *const BadStore;  ///< (int *Data)
extern const void *const Trapping;  ///< ()
extern const void *const Bounded;   ///< () with __launch_bounds__(128)
extern const void *const Shared20K; ///< () with 20 KiB of __shared__
extern const void *const Missing;   ///< registered, but its code is not there

/// A parameter of more than eight bytes.
struct Big {
  double Values[3];
};

/// A device variable of four ints, as host code names it.
extern int HostSymbol[4];
/// Where the device has it.
extern int DeviceSymbol[4];

/// What each test starts and ends with: no error, no finding that it did not
/// name.
class ApiTest : public testing::Test {
protected:
  ApiTest();
  ~ApiTest() override;
};

/// cudaLaunchKernel with arguments.
template <typename... Args>
cudaError_t launch(const void *Kernel, dim3 Grid, dim3 Block,
                   cudaStream_t Stream, Args... Arguments) {
  void *Pointers[] = {&Arguments..., nullptr};
  return cudaLaunchKernel(Kernel, Grid, Block, Pointers, 0, Stream);
}

} // namespace cudal1::test

#endif // CUDAL1_UNITTESTS_EMULATOR_APITESTKERNELS_H
