//===- DeviceWarp.cpp - Warp intrinsics -----------------------------------===//

#include "Block.h"
#include "DeviceLibrary.h"
#include "WarpOperations.h"
#include <bit>
#include <cmath>

using namespace cudal1::emulator;

namespace {

WarpRequest &meet(const WarpRequest &Request) {
  DeviceThread &Self = *currentThread();
  Self.Request = Request;
  meetLanes(Self);
  return Self.Request;
}

WarpRequest &shuffle(WarpKind Kind, uint32_t Mask, uint32_t Value,
                     uint32_t Operand, uint32_t Control) {
  return meet({Mask, Kind, false, Value, Operand, Control});
}

uint32_t vote(WarpKind Kind, uint32_t Mask, uint32_t Predicate) {
  return static_cast<uint32_t>(meet({Mask, Kind, Predicate != 0}).Value);
}

uint32_t reduce(WarpKind Kind, uint32_t Value, uint32_t Mask) {
  return static_cast<uint32_t>(meet({Mask, Kind, false, Value}).Value);
}

float reduceFloat(WarpKind Kind, float Value, uint32_t Mask) {
  return std::bit_cast<float>(
      reduce(Kind, std::bit_cast<uint32_t>(Value), Mask));
}

} // namespace

void cudal1_nvvm_bar_warp_sync(uint32_t Mask) { meet({Mask, WarpKind::Sync}); }

uint32_t cudal1_nvvm_activemask() {
  DeviceThread &Self = *currentThread();
  return Self.Owner ? Self.Owner->converge(Self) : Self.laneBit();
}

#define SHUFFLE(Mode, Kind)                                                    \
  uint32_t cudal1_nvvm_shfl_sync_##Mode##_i32(                                 \
      uint32_t Mask, uint32_t Value, uint32_t Operand, uint32_t Control) {     \
    return static_cast<uint32_t>(                                              \
        shuffle(WarpKind::Kind, Mask, Value, Operand, Control).Value);         \
  }                                                                            \
  uint32_t cudal1_nvvm_shfl_sync_##Mode##_i32p(                                \
      uint32_t Mask, uint32_t Value, uint32_t Operand, uint32_t Control,       \
      uint8_t *Predicate) {                                                    \
    WarpRequest &Met = shuffle(WarpKind::Kind, Mask, Value, Operand, Control); \
    *Predicate = Met.Predicate;                                                \
    return static_cast<uint32_t>(Met.Value);                                   \
  }                                                                            \
  float cudal1_nvvm_shfl_sync_##Mode##_f32(                                    \
      uint32_t Mask, float Value, uint32_t Operand, uint32_t Control) {        \
    return std::bit_cast<float>(cudal1_nvvm_shfl_sync_##Mode##_i32(            \
        Mask, std::bit_cast<uint32_t>(Value), Operand, Control));              \
  }                                                                            \
  float cudal1_nvvm_shfl_sync_##Mode##_f32p(                                   \
      uint32_t Mask, float Value, uint32_t Operand, uint32_t Control,          \
      uint8_t *Predicate) {                                                    \
    return std::bit_cast<float>(cudal1_nvvm_shfl_sync_##Mode##_i32p(           \
        Mask, std::bit_cast<uint32_t>(Value), Operand, Control, Predicate));   \
  }

SHUFFLE(up, ShuffleUp)
SHUFFLE(down, ShuffleDown)
SHUFFLE(bfly, ShuffleXor)
SHUFFLE(idx, ShuffleIndex)

uint32_t cudal1_nvvm_vote_all_sync(uint32_t Mask, uint32_t Predicate) {
  return vote(WarpKind::VoteAll, Mask, Predicate);
}
uint32_t cudal1_nvvm_vote_any_sync(uint32_t Mask, uint32_t Predicate) {
  return vote(WarpKind::VoteAny, Mask, Predicate);
}
uint32_t cudal1_nvvm_vote_uni_sync(uint32_t Mask, uint32_t Predicate) {
  return vote(WarpKind::VoteUniform, Mask, Predicate);
}
uint32_t cudal1_nvvm_vote_ballot_sync(uint32_t Mask, uint32_t Predicate) {
  return vote(WarpKind::Ballot, Mask, Predicate);
}

uint32_t cudal1_nvvm_match_any_sync_i32(uint32_t Mask, uint32_t Value) {
  return cudal1_nvvm_match_any_sync_i64(Mask, Value);
}
uint32_t cudal1_nvvm_match_any_sync_i64(uint32_t Mask, uint64_t Value) {
  return static_cast<uint32_t>(
      meet({Mask, WarpKind::MatchAny, false, Value}).Value);
}
uint32_t cudal1_nvvm_match_all_sync_i32p(uint32_t Mask, uint32_t Value,
                                         uint8_t *Predicate) {
  return cudal1_nvvm_match_all_sync_i64p(Mask, Value, Predicate);
}
uint32_t cudal1_nvvm_match_all_sync_i64p(uint32_t Mask, uint64_t Value,
                                         uint8_t *Predicate) {
  WarpRequest &Met = meet({Mask, WarpKind::MatchAll, false, Value});
  *Predicate = Met.Predicate;
  return static_cast<uint32_t>(Met.Value);
}

uint32_t cudal1_nvvm_elect_sync(uint32_t Mask, uint8_t *Predicate) {
  WarpRequest &Met = meet({Mask, WarpKind::Elect});
  *Predicate = Met.Predicate;
  return static_cast<uint32_t>(Met.Value);
}

#define REDUCE(Name, Kind)                                                     \
  uint32_t cudal1_nvvm_redux_sync_##Name(uint32_t Value, uint32_t Mask) {      \
    return reduce(WarpKind::Kind, Value, Mask);                                \
  }
REDUCE(add, Add)
REDUCE(min, Min)
REDUCE(max, Max)
REDUCE(umin, UnsignedMin)
REDUCE(umax, UnsignedMax)
REDUCE(and, And)
REDUCE(or, Or)
REDUCE(xor, Xor)

#define REDUCE_FLOAT(Name, Kind, Change)                                       \
  float cudal1_nvvm_redux_sync_##Name(float Value, uint32_t Mask) {            \
    return reduceFloat(WarpKind::Kind, Change(Value), Mask);                   \
  }
REDUCE_FLOAT(fmin, FloatMin, )
REDUCE_FLOAT(fmax, FloatMax, )
REDUCE_FLOAT(fmin_abs, FloatMin, std::fabs)
REDUCE_FLOAT(fmax_abs, FloatMax, std::fabs)
REDUCE_FLOAT(fmin_NaN, FloatMinNan, )
REDUCE_FLOAT(fmax_NaN, FloatMaxNan, )
REDUCE_FLOAT(fmin_abs_NaN, FloatMinNan, std::fabs)
REDUCE_FLOAT(fmax_abs_NaN, FloatMaxNan, std::fabs)
