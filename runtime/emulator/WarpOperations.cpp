//===- WarpOperations.cpp - Lanes of a warp meet --------------------------===//
///
/// \file
/// The results follow the PTX ISA: shfl.sync, vote.sync, match.sync, redux.sync
/// and elect.sync. All lanes of the mask that have not exited must come.
///
//===----------------------------------------------------------------------===//

#include "WarpOperations.h"
#include "Block.h"
#include "Findings.h"
#include "Races.h"
#include "Text.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace cudal1::emulator {

namespace {

/// The lanes that met, and their requests.
struct Meeting {
  uint32_t Lanes;
  WarpRequest *Requests[WarpLanes];

  template <typename Callback> void each(Callback Call) const {
    for (uint32_t Left = Lanes; Left; Left &= Left - 1)
      Call(std::countr_zero(Left));
  }
};

/// The lane that a shuffle reads; \p InSegment tells whether PTX's predicate
/// is true. Otherwise a lane gets its own value.
uint32_t shuffleSource(const WarpRequest &Request, uint32_t Lane,
                       bool &InSegment) {
  uint32_t Operand = Request.Operand & 31;
  uint32_t Segment = Request.Control >> 8 & 31;
  uint32_t Clamp = Request.Control & 31;
  uint32_t Last = (Lane & Segment) | (Clamp & ~Segment);
  uint32_t First = Lane & Segment;
  int32_t Source = 0;
  switch (Request.Kind) {
  case WarpKind::ShuffleUp:
    Source = static_cast<int32_t>(Lane) - static_cast<int32_t>(Operand);
    InSegment = Source >= static_cast<int32_t>(Last);
    break;
  case WarpKind::ShuffleDown:
    Source = static_cast<int32_t>(Lane + Operand);
    InSegment = Source <= static_cast<int32_t>(Last);
    break;
  case WarpKind::ShuffleXor:
    Source = static_cast<int32_t>(Lane ^ Operand);
    InSegment = Source <= static_cast<int32_t>(Last);
    break;
  default:
    Source = static_cast<int32_t>(First | (Operand & ~Segment));
    InSegment = Source <= static_cast<int32_t>(Last);
    break;
  }
  return InSegment ? static_cast<uint32_t>(Source) : Lane;
}

void shuffle(const Meeting &All) {
  uint64_t Values[WarpLanes];
  All.each([&](uint32_t Lane) { Values[Lane] = All.Requests[Lane]->Value; });
  All.each([&](uint32_t Lane) {
    WarpRequest &Request = *All.Requests[Lane];
    bool InSegment = false;
    uint32_t Source = shuffleSource(Request, Lane, InSegment);
    Request.Predicate = InSegment;
    // From a lane that does not take part the result is undefined: its own.
    Request.Value = Values[All.Lanes >> Source & 1 ? Source : Lane];
  });
}

void vote(const Meeting &All, WarpKind Kind) {
  uint32_t True = 0;
  All.each([&](uint32_t Lane) {
    True |= uint32_t(All.Requests[Lane]->Predicate) << Lane;
  });
  uint64_t Result = True;
  if (Kind == WarpKind::VoteAll)
    Result = True == All.Lanes;
  else if (Kind == WarpKind::VoteAny)
    Result = True != 0;
  else if (Kind == WarpKind::VoteUniform)
    Result = True == 0 || True == All.Lanes;
  All.each([&](uint32_t Lane) { All.Requests[Lane]->Value = Result; });
}

void matchAny(const Meeting &All) {
  uint64_t Values[WarpLanes];
  All.each([&](uint32_t Lane) { Values[Lane] = All.Requests[Lane]->Value; });
  All.each([&](uint32_t Lane) {
    uint32_t Equal = 0;
    All.each([&](uint32_t Other) {
      Equal |= uint32_t(Values[Other] == Values[Lane]) << Other;
    });
    All.Requests[Lane]->Value = Equal;
  });
}

void matchAll(const Meeting &All) {
  uint64_t First = All.Requests[std::countr_zero(All.Lanes)]->Value;
  bool Equal = true;
  All.each([&](uint32_t Lane) { Equal &= All.Requests[Lane]->Value == First; });
  All.each([&](uint32_t Lane) {
    All.Requests[Lane]->Value = Equal ? All.Lanes : 0;
    All.Requests[Lane]->Predicate = Equal;
  });
}

void elect(const Meeting &All) {
  uint32_t Leader = std::countr_zero(All.Lanes);
  All.each([&](uint32_t Lane) {
    All.Requests[Lane]->Value = Leader;
    All.Requests[Lane]->Predicate = Lane == Leader;
  });
}

uint32_t combineFloat(WarpKind Kind, uint32_t LeftBits, uint32_t RightBits) {
  float Left = std::bit_cast<float>(LeftBits);
  float Right = std::bit_cast<float>(RightBits);
  bool KeepsNan =
      Kind == WarpKind::FloatMinNan || Kind == WarpKind::FloatMaxNan;
  if (KeepsNan && (std::isnan(Left) || std::isnan(Right)))
    return 0x7fffffff; // PTX's canonical NaN
  bool Smaller = Kind == WarpKind::FloatMin || Kind == WarpKind::FloatMinNan;
  return std::bit_cast<uint32_t>(Smaller ? std::fmin(Left, Right)
                                         : std::fmax(Left, Right));
}

uint32_t combine(WarpKind Kind, uint32_t Left, uint32_t Right) {
  auto Signed = [](uint32_t Value) { return static_cast<int32_t>(Value); };
  switch (Kind) {
  case WarpKind::Add:
    return Left + Right;
  case WarpKind::Min:
    return Signed(Left) < Signed(Right) ? Left : Right;
  case WarpKind::Max:
    return Signed(Left) > Signed(Right) ? Left : Right;
  case WarpKind::UnsignedMin:
    return Left < Right ? Left : Right;
  case WarpKind::UnsignedMax:
    return Left > Right ? Left : Right;
  case WarpKind::And:
    return Left & Right;
  case WarpKind::Or:
    return Left | Right;
  case WarpKind::Xor:
    return Left ^ Right;
  default:
    return combineFloat(Kind, Left, Right);
  }
}

void reduce(const Meeting &All, WarpKind Kind) {
  uint32_t First = std::countr_zero(All.Lanes);
  auto Result = static_cast<uint32_t>(All.Requests[First]->Value);
  All.each([&](uint32_t Lane) {
    if (Lane != First)
      Result = combine(Kind, Result,
                       static_cast<uint32_t>(All.Requests[Lane]->Value));
  });
  All.each([&](uint32_t Lane) { All.Requests[Lane]->Value = Result; });
}

void perform(const Meeting &All, WarpKind Kind) {
  switch (Kind) {
  case WarpKind::Sync:
    return;
  case WarpKind::ShuffleUp:
  case WarpKind::ShuffleDown:
  case WarpKind::ShuffleXor:
  case WarpKind::ShuffleIndex:
    return shuffle(All);
  case WarpKind::VoteAll:
  case WarpKind::VoteAny:
  case WarpKind::VoteUniform:
  case WarpKind::Ballot:
    return vote(All, Kind);
  case WarpKind::MatchAny:
    return matchAny(All);
  case WarpKind::MatchAll:
    return matchAll(All);
  case WarpKind::Elect:
    return elect(All);
  case WarpKind::Multiply:
    return multiplyFragments(All.Lanes, All.Requests);
  default:
    return reduce(All, Kind);
  }
}

void performAlone(DeviceThread &Self) {
  Meeting Alone{Self.laneBit(), {}};
  Alone.Requests[Self.Lane] = &Self.Request;
  perform(Alone, Self.Request.Kind);
}

} // namespace

void meetLanes(DeviceThread &Self) {
  WarpRequest &Request = Self.Request;
  if (!(Request.Mask & Self.laneBit())) {
    reportFinding(FindingKind::DivergentBarrier, Self.Site,
                  format("lane %u is not in the mask 0x%08x of its own warp "
                         "operation",
                         Self.Lane, Request.Mask));
    Request.Mask = Self.laneBit();
  }
  if (Self.Owner)
    return Self.Owner->meetInWarp(Self);
  if (Request.Mask != Self.laneBit())
    cudal1_emu_unsupported("a warp operation in a kernel that was compiled as "
                           "one without",
                           Self.Site);
  performAlone(Self);
}

void Block::meetInWarp(DeviceThread &Self) {
  Warp &Mine = Warps[Self.Warp];
  const WarpRequest &Request = Self.Request;
  if ((Request.Mask & Mine.Alive) == Self.laneBit())
    return performAlone(Self);
  uint32_t Index = 0;
  while (Index < Mine.PendingCount &&
         (Mine.Pending[Index].Mask != Request.Mask ||
          Mine.Pending[Index].Kind != Request.Kind))
    ++Index;
  if (Index == Mine.PendingCount)
    Mine.Pending[Mine.PendingCount++] = {Request.Mask, 0, Request.Kind};
  Mine.Pending[Index].Arrived |= Self.laneBit();
  // Those who waited become ready; this lane still is.
  if (tryComplete(Self.Warp, Index))
    return;
  pause(Self);
  leave(Self);
}

bool Block::tryComplete(uint32_t WarpIndex, uint32_t Index) {
  Warp &Mine = Warps[WarpIndex];
  Rendezvous Met = Mine.Pending[Index];
  if ((Met.Mask & Mine.Alive & ~Met.Arrived) != 0)
    return false;
  Mine.Pending[Index] = Mine.Pending[--Mine.PendingCount];
  Meeting All{Met.Arrived, {}};
  All.each([&](uint32_t Lane) {
    All.Requests[Lane] = &lane(WarpIndex, Lane).Request;
  });
  perform(All, Met.Kind);
  if (Run->Races)
    races::meetInWarp(*this, WarpIndex, Met.Arrived);
  setReady(WarpIndex, Met.Arrived);
  return true;
}

/// A lane has exited: that may have been the last one waited for.
void Block::checkRendezvous(uint32_t WarpIndex) {
  for (uint32_t I = Warps[WarpIndex].PendingCount; I-- > 0;)
    tryComplete(WarpIndex, I);
}

} // namespace cudal1::emulator
