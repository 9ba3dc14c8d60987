//===- DeviceIntegers.cpp - Bits and integers -----------------------------===//
///
/// \file
/// As the PTX ISA defines prmt, mul24, mul.hi, sad, dp4a, dp2a, fns, bfind,
/// bmsk, szext and shf.
///
//===----------------------------------------------------------------------===//

#include "DeviceLibrary.h"
#include <algorithm>
#include <bit>

namespace {

uint32_t permute(uint32_t A, uint32_t B, uint32_t Selector) {
  uint64_t Bytes = uint64_t(B) << 32 | A;
  uint32_t Result = 0;
  for (unsigned I = 0; I < 4; ++I) {
    unsigned Which = Selector >> (4 * I) & 15;
    auto Byte = static_cast<uint32_t>(Bytes >> (8 * (Which & 7)) & 0xff);
    if (Which & 8) // the sign, in all bits
      Byte = Byte & 0x80 ? 0xff : 0;
    Result |= Byte << (8 * I);
  }
  return Result;
}

/// prmt's special modes move a window of four bytes by \p Steps.
uint32_t window(uint32_t A, uint32_t B, const uint16_t (&Selectors)[4],
                uint32_t Steps) {
  return permute(A, B, Selectors[Steps & 3]);
}

template <typename T, typename U> U distance(T A, T B, U C) {
  return C + static_cast<U>(A < B ? static_cast<U>(B) - static_cast<U>(A)
                                  : static_cast<U>(A) - static_cast<U>(B));
}

template <typename Left> int32_t part(uint32_t Value, unsigned Index) {
  return static_cast<Left>(Value >> (8 * sizeof(Left) * Index));
}

template <typename A8, typename B8>
uint32_t dot4(uint32_t A, uint32_t B, uint32_t C) {
  for (unsigned I = 0; I < 4; ++I)
    C += static_cast<uint32_t>(part<A8>(A, I) * part<B8>(B, I));
  return C;
}

template <typename A16, typename B8>
uint32_t dot2(uint32_t A, uint32_t B, bool High, uint32_t C) {
  for (unsigned I = 0; I < 2; ++I)
    C += static_cast<uint32_t>(part<A16>(A, I)) *
         static_cast<uint32_t>(part<B8>(B, I + 2 * High));
  return C;
}

/// The place of the highest set bit, or how far up it must be shifted.
template <typename T> uint32_t findLeading(T Value, uint32_t Shift) {
  if (!Value)
    return 0xffffffff;
  auto Zeros = static_cast<uint32_t>(std::countl_zero(Value));
  return Shift ? Zeros : 8 * sizeof(T) - 1 - Zeros;
}

uint32_t lowBits(uint32_t Count) {
  return Count >= 32 ? 0xffffffff : (uint32_t(1) << Count) - 1;
}

uint32_t signExtend(uint32_t Value, uint32_t Bits) {
  if (Bits == 0)
    return 0;
  if (Bits >= 32)
    return Value;
  uint32_t Sign = uint32_t(1) << (Bits - 1);
  return ((Value & lowBits(Bits)) ^ Sign) - Sign;
}

} // namespace

uint32_t cudal1_nvvm_prmt(uint32_t A, uint32_t B, uint32_t C) {
  return permute(A, B, C);
}
uint32_t cudal1_nvvm_prmt_f4e(uint32_t A, uint32_t B, uint32_t C) {
  return window(A, B, {0x3210, 0x4321, 0x5432, 0x6543}, C);
}
uint32_t cudal1_nvvm_prmt_b4e(uint32_t A, uint32_t B, uint32_t C) {
  return window(A, B, {0x5670, 0x6701, 0x7012, 0x0123}, C);
}
uint32_t cudal1_nvvm_prmt_rc8(uint32_t A, uint32_t C) {
  return window(A, 0, {0x0000, 0x1111, 0x2222, 0x3333}, C);
}
uint32_t cudal1_nvvm_prmt_ecl(uint32_t A, uint32_t C) {
  return window(A, 0, {0x3210, 0x3211, 0x3222, 0x3333}, C);
}
uint32_t cudal1_nvvm_prmt_ecr(uint32_t A, uint32_t C) {
  return window(A, 0, {0x0000, 0x1110, 0x2210, 0x3210}, C);
}
uint32_t cudal1_nvvm_prmt_rc16(uint32_t A, uint32_t C) {
  return window(A, 0, {0x1010, 0x3232, 0x1010, 0x3232}, C);
}

int32_t cudal1_nvvm_mul24_i(int32_t A, int32_t B) {
  auto Low = [](int32_t Value) {
    return int64_t(static_cast<int32_t>(static_cast<uint32_t>(Value) << 8) >>
                   8);
  };
  return static_cast<int32_t>(Low(A) * Low(B));
}
uint32_t cudal1_nvvm_mul24_ui(uint32_t A, uint32_t B) {
  return (A & 0xffffff) * (B & 0xffffff);
}
int32_t cudal1_nvvm_mulhi_i(int32_t A, int32_t B) {
  return static_cast<int32_t>(int64_t(A) * B >> 32);
}
uint32_t cudal1_nvvm_mulhi_ui(uint32_t A, uint32_t B) {
  return static_cast<uint32_t>(uint64_t(A) * B >> 32);
}
int64_t cudal1_nvvm_mulhi_ll(int64_t A, int64_t B) {
  return static_cast<int64_t>(static_cast<__int128>(A) * B >> 64);
}
uint64_t cudal1_nvvm_mulhi_ull(uint64_t A, uint64_t B) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(A) * B >> 64);
}
uint32_t cudal1_nvvm_mulhi_s(uint32_t A, uint32_t B) {
  int32_t Product = static_cast<int16_t>(A) * static_cast<int16_t>(B);
  return static_cast<uint16_t>(Product >> 16);
}
uint32_t cudal1_nvvm_mulhi_us(uint32_t A, uint32_t B) {
  return (A & 0xffff) * (B & 0xffff) >> 16;
}

uint32_t cudal1_nvvm_sad_s(uint32_t A, uint32_t B, uint32_t C) {
  return distance<int32_t, uint32_t>(static_cast<int16_t>(A),
                                     static_cast<int16_t>(B), C) &
         0xffff;
}
uint32_t cudal1_nvvm_sad_us(uint32_t A, uint32_t B, uint32_t C) {
  return distance(A & 0xffff, B & 0xffff, C) & 0xffff;
}
uint32_t cudal1_nvvm_sad_i(int32_t A, int32_t B, uint32_t C) {
  return distance(A, B, C);
}
uint32_t cudal1_nvvm_sad_ui(uint32_t A, uint32_t B, uint32_t C) {
  return distance(A, B, C);
}
uint64_t cudal1_nvvm_sad_ll(int64_t A, int64_t B, uint64_t C) {
  return distance(A, B, C);
}
uint64_t cudal1_nvvm_sad_ull(uint64_t A, uint64_t B, uint64_t C) {
  return distance(A, B, C);
}

#define DOT_PRODUCT(Signs, A8, B8, A16)                                        \
  uint32_t cudal1_nvvm_idp4a_##Signs(uint32_t A, uint32_t B, uint32_t C) {     \
    return dot4<A8, B8>(A, B, C);                                              \
  }                                                                            \
  uint32_t cudal1_nvvm_idp2a_##Signs(uint32_t A, uint32_t B, uint32_t High,    \
                                     uint32_t C) {                             \
    return dot2<A16, B8>(A, B, High != 0, C);                                  \
  }
DOT_PRODUCT(s_s, int8_t, int8_t, int16_t)
DOT_PRODUCT(s_u, int8_t, uint8_t, int16_t)
DOT_PRODUCT(u_s, uint8_t, int8_t, uint16_t)
DOT_PRODUCT(u_u, uint8_t, uint8_t, uint16_t)

uint32_t cudal1_nvvm_fns(uint32_t Mask, uint32_t Base, int32_t Offset) {
  if (Base > 31)
    return 0xffffffff;
  if (Offset == 0)
    return Mask >> Base & 1 ? Base : 0xffffffff;
  int32_t Step = Offset > 0 ? 1 : -1;
  int32_t Left = Offset > 0 ? Offset : -Offset;
  for (auto Bit = static_cast<int32_t>(Base); Bit >= 0 && Bit < 32; Bit += Step)
    if ((Mask >> Bit & 1) && --Left == 0)
      return static_cast<uint32_t>(Bit);
  return 0xffffffff;
}

uint32_t cudal1_nvvm_flo_u_i32(uint32_t A, uint32_t Shift) {
  return findLeading(A, Shift);
}
uint32_t cudal1_nvvm_flo_u_i64(uint64_t A, uint32_t Shift) {
  return findLeading(A, Shift);
}
uint32_t cudal1_nvvm_flo_s_i32(int32_t A, uint32_t Shift) {
  return findLeading(static_cast<uint32_t>(A < 0 ? ~A : A), Shift);
}
uint32_t cudal1_nvvm_flo_s_i64(int64_t A, uint32_t Shift) {
  return findLeading(static_cast<uint64_t>(A < 0 ? ~A : A), Shift);
}

uint32_t cudal1_nvvm_bmsk_clamp(uint32_t A, uint32_t B) {
  return A >= 32 ? 0 : lowBits(B) << A;
}
uint32_t cudal1_nvvm_bmsk_wrap(uint32_t A, uint32_t B) {
  return lowBits(B & 31) << (A & 31);
}
uint32_t cudal1_nvvm_zext_clamp(uint32_t A, uint32_t B) {
  return A & lowBits(B);
}
uint32_t cudal1_nvvm_zext_wrap(uint32_t A, uint32_t B) {
  return A & lowBits(B & 31);
}
uint32_t cudal1_nvvm_sext_clamp(uint32_t A, uint32_t B) {
  return signExtend(A, B);
}
uint32_t cudal1_nvvm_sext_wrap(uint32_t A, uint32_t B) {
  return signExtend(A, B & 31);
}

uint32_t cudal1_nvvm_fshl_clamp_i32(uint32_t A, uint32_t B, uint32_t C) {
  uint64_t Both = uint64_t(A) << 32 | B;
  return static_cast<uint32_t>(Both << std::min(C, uint32_t(32)) >> 32);
}
uint32_t cudal1_nvvm_fshr_clamp_i32(uint32_t A, uint32_t B, uint32_t C) {
  uint64_t Both = uint64_t(A) << 32 | B;
  return static_cast<uint32_t>(Both >> std::min(C, uint32_t(32)));
}
