//===- StateKernels.h - What the kernels of the replay work on --*- C++ -*-===//
///
/// \file
/// The structures that StateKernels.cu and the tool share. The file is compiled
/// with the user's nvcc, from its text, which is part of the tool; so it
/// includes nothing and uses only built-in types.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_STATEKERNELS_H
#define CUDAL1_LIB_MEASURE_REPLAY_STATEKERNELS_H

namespace cudal1_state {

using u32 = unsigned int;
using u64 = unsigned long long;

/// One field of an array of structures: Count scalars, Stride bytes apart.
/// Type is the format of an ElementType.
struct Field {
  u64 Address;
  u64 Count;
  u32 Type;
  u32 Stride;
};

/// Compare the variant's field with the original's.
struct CompareJob {
  Field Original;
  u64 Variant;  ///< address of its first scalar
  double Limit; ///< see Tolerance::relativeLimit; 0: bit-identical
  double Scale; ///< what the original's values are like; see Magnitudes
};

/// Non-negative doubles are kept by their bits, which are in the same order.
struct CompareResult {
  u64 Differing;      ///< scalars whose bits differ
  u64 Mismatches;     ///< of these, outside the limit
  u64 FirstDiffering; ///< index; ~0: none
  u64 LastDiffering;  ///< index + 1; 0: none
  u64 FirstMismatch;  ///< index; ~0: none
  u64 MaxAbsolute, MaxRelative, MaxUlp, MaxScaled;
  u64 OriginalNan; ///< scalars that are NaN in the original
};

/// What a field's values are like.
struct RangeResult {
  u64 Finite;   ///< scalars that are neither NaN nor infinite
  u64 Min, Max; ///< of the finite ones; keys in the order of the doubles
};

/// Values whose absolute values have the same exponent as doubles. The rest is
/// the largest of their bits, and of the complements: that of the smallest.
struct MagnitudeBin {
  u64 Count;
  u64 Largest, SmallestInverted;
};
/// Of more values, so many are looked at, here and there.
constexpr u64 MaxMagnitudes = 65536;

/// Change each floating-point value a little, within the field's own range; or,
/// with a Spread, add up to that much.
struct VaryJob {
  Field What;
  double Anchor; ///< values move towards it
  double Spread;
  u64 Seed;
};

/// Sum up the contents of memory, or fill it.
struct SumJob {
  u64 Address;
  u64 Bytes;
};

/// Compare what the original made of poisoned memory with what it makes of the
/// program's own.
struct PoisonJob {
  Field Poisoned;
  u64 Plain;  ///< address of the first scalar, after a launch without poison
  u64 Before; ///< and before it
  u32 Noisy;  ///< finite values may differ
};

struct PoisonResult {
  u64 Read;         ///< scalars that the poison has changed
  u64 BytesChanged; ///< by the launch without poison
};

/// Look in some memory for addresses within others.
struct PointerJob {
  SumJob Where;
  u64 Targets; ///< address of SumJobs
  u64 TargetCount;
  u64 Low, High; ///< all targets lie between these
};

} // namespace cudal1_state

#endif // CUDAL1_LIB_MEASURE_REPLAY_STATEKERNELS_H
