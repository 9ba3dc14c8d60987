//===- DeviceLibraryTest.cpp ----------------------------------------------===//

#include "DeviceLibrary.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();

TEST(DeviceRounding, EachModeRoundsItsOwnWay) {
  // 1 + 2^-30 lies between 1 and the next float.
  float Tiny = 0x1p-30f, Above = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(cudal1_nvvm_add_rn_f(1, Tiny), 1.0f);
  EXPECT_EQ(cudal1_nvvm_add_rz_f(1, Tiny), 1.0f);
  EXPECT_EQ(cudal1_nvvm_add_rm_f(1, Tiny), 1.0f);
  EXPECT_EQ(cudal1_nvvm_add_rp_f(1, Tiny), Above);
  EXPECT_EQ(cudal1_nvvm_add_rm_f(-1, -Tiny), -Above);
  EXPECT_EQ(cudal1_nvvm_add_rz_f(-1, -Tiny), -1.0f);
  EXPECT_LT(cudal1_nvvm_div_rm_f(1, 3), cudal1_nvvm_div_rp_f(1, 3));
  EXPECT_EQ(cudal1_nvvm_fma_rp_f(1, 1, Tiny), Above);
  EXPECT_EQ(cudal1_nvvm_fma_rz_f(1, 1, Tiny), 1.0f);
  EXPECT_LT(cudal1_nvvm_sqrt_rm_d(2), cudal1_nvvm_sqrt_rp_d(2));
  EXPECT_EQ(cudal1_nvvm_d2f_rp(1.0 + 0x1p-40), Above);
  EXPECT_EQ(cudal1_nvvm_mul_rz_d(1 + 0x1p-52, 1 + 0x1p-52), 1 + 0x1p-51);
  // The mode of the caller is as before.
  EXPECT_EQ(1.0f + Tiny, 1.0f);
}

TEST(DeviceRounding, FlushesAndSaturates) {
  float Subnormal = 0x1p-140f;
  EXPECT_EQ(cudal1_nvvm_add_rn_ftz_f(Subnormal, 0), 0.0f);
  EXPECT_TRUE(std::signbit(cudal1_nvvm_mul_rn_ftz_f(-Subnormal, 1)));
  EXPECT_EQ(cudal1_nvvm_add_rn_sat_f(0.75f, 0.75f), 1.0f);
  EXPECT_EQ(cudal1_nvvm_fma_rz_sat_f(-1, 2, 1), 0.0f);
  EXPECT_EQ(cudal1_nvvm_saturate_f(std::nanf("")), 0.0f);
}

TEST(DeviceConversion, FromIntegersInEachMode) {
  uint64_t Odd = (uint64_t(1) << 24) + 1; // between two floats
  EXPECT_EQ(cudal1_nvvm_ull2f_rn(Odd), 0x1p24f);
  EXPECT_EQ(cudal1_nvvm_ull2f_rz(Odd), 0x1p24f);
  EXPECT_EQ(cudal1_nvvm_ull2f_rp(Odd), 0x1p24f + 2);
  EXPECT_EQ(cudal1_nvvm_i2f_rm(-(1 << 24) - 1), -0x1p24f - 2);
  EXPECT_EQ(cudal1_nvvm_ull2f_rn(~uint64_t(0)), 0x1p64f);
  EXPECT_EQ(cudal1_nvvm_ull2d_rz(~uint64_t(0)), 0x1p64 - 2048);
  EXPECT_EQ(cudal1_nvvm_ll2f_rn(INT64_MIN), -0x1p63f);
  EXPECT_EQ(cudal1_nvvm_ui2d_rn(0xffffffffu), 4294967295.0);
  for (int32_t Value : {0, 1, -1, 16777217, -16777219, INT32_MAX, INT32_MIN})
    EXPECT_EQ(cudal1_nvvm_i2f_rn(Value), static_cast<float>(Value));
}

TEST(DeviceConversion, ToIntegersClampsAndKnowsNan) {
  EXPECT_EQ(cudal1_nvvm_f2i_rn(2.5f), 2);
  EXPECT_EQ(cudal1_nvvm_f2i_rp(2.1f), 3);
  EXPECT_EQ(cudal1_nvvm_f2i_rm(-2.1f), -3);
  EXPECT_EQ(cudal1_nvvm_f2i_rz(-2.9f), -2);
  EXPECT_EQ(cudal1_nvvm_f2i_rz(1e20f), INT32_MAX);
  EXPECT_EQ(cudal1_nvvm_f2ui_rz(-1.0f), 0u);
  EXPECT_EQ(cudal1_nvvm_f2ull_rz(Infinity), UINT64_MAX);
  EXPECT_EQ(cudal1_nvvm_f2i_rn(std::nanf("")), 0);
  EXPECT_EQ(cudal1_nvvm_f2ll_rn(std::nanf("")), INT64_MIN);
  EXPECT_EQ(cudal1_nvvm_d2i_rn(std::nan("")), INT32_MIN);
}

TEST(DeviceMath, ApproximatesAndKnowsSpecialValues) {
  EXPECT_EQ(cudal1_nvvm_ex2_approx_f(3), 8.0f);
  EXPECT_EQ(cudal1_nvvm_lg2_approx_ftz_f(0x1p-140f), -Infinity);
  EXPECT_EQ(cudal1_nvvm_rsqrt_approx_f(4), 0.5f);
  EXPECT_EQ(cudal1_nvvm_div_approx_f(1, 0x1p127f), 0.0f);
  EXPECT_EQ(cudal1_nvvm_div_full(1, 4), 0.25f);
  EXPECT_EQ(cudal1_nvvm_fmin_f(std::nanf(""), 2), 2.0f);
  EXPECT_TRUE(std::isnan(cudal1_nvvm_fmin_nan_f(std::nanf(""), 2)));
  EXPECT_TRUE(std::signbit(cudal1_nvvm_fmin_f(0.0f, -0.0f)));
  EXPECT_EQ(cudal1_nvvm_round_f(2.5f), 2.0f);
}

TEST(DeviceIntegers, FollowPtx) {
  EXPECT_EQ(cudal1_nvvm_prmt(0x33221100, 0x77665544, 0x7210), 0x77221100u);
  EXPECT_EQ(cudal1_nvvm_prmt(0x00000080, 0, 0x0008), 0x808080ffu);
  EXPECT_EQ(cudal1_nvvm_prmt_f4e(0x33221100, 0x77665544, 1), 0x44332211u);
  EXPECT_EQ(cudal1_nvvm_mul24_i(-1, 3), -3);
  EXPECT_EQ(cudal1_nvvm_mulhi_ui(0xffffffff, 0xffffffff), 0xfffffffeu);
  EXPECT_EQ(cudal1_nvvm_sad_i(-5, 5, 1), 11u);
  EXPECT_EQ(cudal1_nvvm_idp4a_s_s(0xff02ff02, 0x01010101, 10), 12u);
  EXPECT_EQ(cudal1_nvvm_idp2a_u_u(0x00030002, 0x04050607, 1, 0), 22u);
  EXPECT_EQ(cudal1_nvvm_fns(0b101100, 0, 2), 3u);
  EXPECT_EQ(cudal1_nvvm_fns(0b101100, 31, -1), 5u);
  EXPECT_EQ(cudal1_nvvm_flo_u_i32(0x00800000, 0), 23u);
  EXPECT_EQ(cudal1_nvvm_flo_s_i32(-1, 0), 0xffffffffu);
  EXPECT_EQ(cudal1_nvvm_sext_clamp(0xff, 8), 0xffffffffu);
  EXPECT_EQ(cudal1_nvvm_fshl_clamp_i32(0x12345678, 0x9abcdef0, 8), 0x3456789au);
  EXPECT_EQ(cudal1_nvvm_fshr_clamp_i32(1, 2, 99), 1u);
}

TEST(DevicePrintf, PrintsWhatTheHostWould) {
  struct {
    int A = -5;
    char Padding[4] = {};
    long B = 1L << 40;
    const char *C = "text";
    double D = 2.5;
    int E = 'x';
    unsigned F = 255;
    int G = 8;
    char More[4] = {};
    double H = 3.14159;
  } Values;
  testing::internal::CaptureStdout();
  int Count =
      cudal1_device_vprintf("%d %ld [%6s] %.2f %c %#x 100%% %*.3g\n", &Values);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "-5 1099511627776 [  text] 2.50 x 0xff 100%     3.14\n");
  EXPECT_EQ(Count, 8);
}

} // namespace
