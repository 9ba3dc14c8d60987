//===- KernelNamesTest.cpp - One kernel under several names ---------------===//

#include "cudal1/Support/KernelNames.h"
#include "gtest/gtest.h"

using namespace cudal1;

namespace {

TEST(KernelNames, DropParametersAndReturnType) {
  EXPECT_EQ(displayKernelName("_Z6matmulPfPKfS1_i"), "matmul");
  EXPECT_EQ(displayKernelName("_ZN2ns6kernelIfLi4EEEvPT_"),
            "ns::kernel<float, 4>");
  EXPECT_EQ(plainKernelName("_ZN2ns6kernelIfLi4EEEvPT_"), "ns::kernel");
}

TEST(KernelNames, LeaveExternCNamesAlone) {
  EXPECT_EQ(displayKernelName("vecadd"), "vecadd");
  EXPECT_EQ(plainKernelName("vecadd"), "vecadd");
}

TEST(KernelNames, AreTheSameWithAndWithoutConst) {
  EXPECT_TRUE(isSameKernel("_Z4axpyPfS_i", "_Z4axpyPKfPfi"));
  EXPECT_FALSE(isSameKernel("_Z4axpyPfS_i", "_Z4axpxPKfPfi"));
}

TEST(KernelNames, TellInstantiationsApart) {
  EXPECT_FALSE(isSameKernel("_Z4axpyIfEvPT_", "_Z4axpyIdEvPT_"));
}

// Names as Clang 22 and nvcc 13 make them for one and the same source.
TEST(KernelNames, SeeThroughUnnamedNamespaces) {
  EXPECT_TRUE(isSameKernel("_ZN12_GLOBAL__N_14scanEPi",
                           "_ZN32_GLOBAL__N__4a7812cb_4_k_cu_main4scanEPi"));
  EXPECT_TRUE(isSameKernel("_ZN2ns12_GLOBAL__N_14deepEPi",
                           "_ZN2ns32_GLOBAL__N__4a7812cb_4_k_cu_main4deepEPi"));
  EXPECT_TRUE(isSameKernel("_ZN12_GLOBAL__N_12ttIfEEvPT_",
                           "_ZN32_GLOBAL__N__4a7812cb_4_k_cu_main2ttIfEEvPT_"));
}

TEST(KernelNames, SeeThroughStaticFunctions) {
  EXPECT_TRUE(isSameKernel("_ZL4statPi", "_Z4statPi"));
  // With relocatable device code.
  EXPECT_TRUE(isSameKernel("_ZL4statPi",
                           "__nv_static_21__4a7812cb_4_k_cu_main__Z4statPi"));
}

TEST(KernelNames, LoseTheFilesHashesAndNothingElse) {
  EXPECT_EQ(withoutFileHashes("_ZN29_GLOBAL__N__dd79b212_4_s_cu_z1kEPf"),
            "_ZN12_GLOBAL__N_11kEPf");
  EXPECT_EQ(withoutFileHashes("_ZN27_INTERNAL_dd79b212_4_s_cu_z29_GLOBAL__N__"
                              "dd79b212_4_s_cu_z1xE"),
            "_ZN10_INTERNAL_12_GLOBAL__N_11xE");
  EXPECT_EQ(withoutFileHashes("__nv_static_18__dd79b212_4_s_cu_z_y"), "y");
  for (const char *Same :
       {"_Z5scalePfS_fi", "vecadd", "", "7", "_ZN99_GLOBAL__N__x",
        "_Z1kILi12EEvPf", "18446744073709551616x"})
    EXPECT_EQ(withoutFileHashes(Same), Same);
}

TEST(KernelNames, OfNamespacesThatNvccInventsAreTheSame) {
  EXPECT_TRUE(isSameKernel("_ZN12_GLOBAL__N_14scanEPi",
                           "_ZN27_INTERNAL_dd79b212_4_s_cu_z29_GLOBAL__N__"
                           "dd79b212_4_s_cu_z4scanEPi"));
}

} // namespace
