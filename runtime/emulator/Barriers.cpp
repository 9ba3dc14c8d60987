//===- Barriers.cpp - Barriers of a block ---------------------------------===//

#include "Block.h"
#include "Findings.h"
#include "Races.h"
#include "Text.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

namespace cudal1::emulator {

namespace {

bool samePlace(const SourceSite *A, const SourceSite *B) {
  return A == B || (A && B && A->Line == B->Line && A->File && B->File &&
                    !std::strcmp(A->File, B->File));
}

std::string spellPlace(const SourceSite *Site) {
  if (!Site || !Site->File)
    return "a place without debug information";
  return format("%s:%u", Site->File, Site->Line);
}

} // namespace

void Block::noteSite(Barrier &Point, const DeviceThread &Self, bool All) {
  if (!Point.Arrived) {
    Point.Site = Self.Site;
    Point.OtherSite = nullptr;
    return;
  }
  // A barrier of some of the warps is meant to join different places.
  if (All && !Point.OtherSite && !samePlace(Point.Site, Self.Site))
    Point.OtherSite = Self.Site;
}

BarrierVotes Block::meetAtBarrier(DeviceThread &Self, const BarrierCall &Call) {
  uint32_t Id = Call.Id < BarrierCount ? Call.Id : 0;
  Barrier &Point = Barriers[Id];
  noteSite(Point, Self, !Call.Count);
  ++Point.Arrived;
  Point.Expected = Call.Count;
  Point.Votes += Call.Predicate;
  Point.Came[Self.Warp] |= Self.laneBit();
  Point.WarpMask |= uint32_t(1) << Self.Warp;
  ActiveBarriers |= uint32_t(1) << Id;
  uint32_t Kept = Point.Generation % Barrier::KeptResults;
  if (Run->Races && Call.Count)
    races::arriveAtBarrier(*this, Self, Id);
  if (isComplete(Point)) {
    release(Point, Id);
  } else if (Call.Waits) {
    Point.Waiting[Self.Warp] |= Self.laneBit();
    pause(Self);
    leave(Self);
  }
  if (Run->Races && Call.Waits && Call.Count)
    races::leaveBarrier(*this, Self, Id);
  return {Point.PastVotes[Kept], Point.PastArrived[Kept]};
}

/// Hardware counts whole warps: lanes that have exited (or never were) count
/// where a barrier names a number of threads.
bool Block::isComplete(const Barrier &Point) const {
  if (!Point.Expected)
    return Point.Arrived >= AliveCount;
  uint32_t Count = Point.Arrived;
  if (Count >= Point.Expected)
    return true;
  for (uint32_t Left = Point.WarpMask; Left; Left &= Left - 1) {
    uint32_t WarpIndex = std::countr_zero(Left);
    uint32_t Came = Point.Came[WarpIndex];
    if ((Warps[WarpIndex].Alive & ~Came) == 0)
      Count += WarpLanes - std::popcount(Came);
  }
  return Count >= Point.Expected;
}

void Block::release(Barrier &Point, uint32_t Id) {
  if (Point.OtherSite)
    reportFinding(
        FindingKind::DivergentBarrier, Point.OtherSite,
        format("threads of one block meet at different barriers: some at "
               "this one, others at %s",
               spellPlace(Point.Site).c_str()));
  bool All = !Point.Expected || Point.Arrived >= AliveCount;
  if (Run->Races)
    races::completeBarrier(*this, All);
  for (uint32_t Left = Point.WarpMask; Left; Left &= Left - 1) {
    uint32_t WarpIndex = std::countr_zero(Left);
    setReady(WarpIndex, Point.Waiting[WarpIndex]);
    Point.Waiting[WarpIndex] = 0;
    Point.Came[WarpIndex] = 0;
  }
  uint32_t Kept = Point.Generation++ % Barrier::KeptResults;
  Point.PastVotes[Kept] = Point.Votes;
  Point.PastArrived[Kept] = Point.Arrived;
  Point.WarpMask = Point.Arrived = Point.Votes = 0;
  ActiveBarriers &= ~(uint32_t(1) << Id);
  ++BarriersPassed;
}

/// A thread has exited: that may have been the last one waited for.
void Block::checkBarriers() {
  for (uint32_t Left = ActiveBarriers; Left; Left &= Left - 1) {
    uint32_t Id = std::countr_zero(Left);
    if (Barriers[Id].Arrived && isComplete(Barriers[Id]))
      release(Barriers[Id], Id);
  }
}

const SourceSite *Block::firstWaitSite() const {
  for (uint32_t I = 0; I < Run->Threads; ++I)
    if ((Warps[I / WarpLanes].Alive >> (I % WarpLanes) & 1) && Threads[I].Site)
      return Threads[I].Site;
  return nullptr;
}

std::string Block::describeWaits() const {
  std::map<std::string, uint32_t> Places;
  for (uint32_t I = 0; I < Run->Threads; ++I) {
    const DeviceThread &Thread = Threads[I];
    const Warp &Mine = Warps[Thread.Warp];
    if (!(Mine.Alive & Thread.laneBit()))
      continue;
    std::string How = "in an operation of its warp";
    if (Mine.Spinning & Thread.laneBit())
      How = "in a loop that waits for a value";
    for (uint32_t Id = 0; Id < BarrierCount; ++Id)
      if (Barriers[Id].Waiting[Thread.Warp] & Thread.laneBit())
        How = format("at barrier %u", Id);
    if (How[0] == 'i' && How[3] == 'a' && Mine.PendingCount)
      How += format(" with the lanes 0x%08x", Thread.Request.Mask);
    ++Places[How + " at " + spellPlace(Thread.Site)];
  }
  std::string Result;
  for (const auto &[Place, Count] : Places)
    Result += format("%s%u %s %s", Result.empty() ? "" : ", ", Count,
                     Count == 1 ? "thread" : "threads", Place.c_str());
  return Result;
}

} // namespace cudal1::emulator
