//===- Warp.cpp - Where threads meet: warps, barriers, fences -------------===//

#include "Emitter.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// Predicates go to the runtime as 0 or 1 in 32 bits, and come back so.
Value *asArgument(Emitter &E, Value *Predicate) {
  return E.B.CreateZExt(Predicate, E.intType(32));
}

Value *predicateCall(Emitter &E, const Twine &Name,
                     ArrayRef<Value *> Arguments) {
  return E.B.CreateIsNotNull(E.runtime(Name, E.intType(32), Arguments));
}

/// shfl.sync.mode.b32 d|p, a, b, c, membermask
void shfl(Emitter &E, PtxInstruction &I) {
  bool IsSync = I.take("sync");
  StringRef Mode = I.takeOneOf({"up", "down", "bfly", "idx"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 5))
    return;
  if (!IsSync || Mode.empty() || !(T == B32))
    return E.fail("");
  SmallVector<Value *, 5> Arguments = {E.read(I[4], U32), E.read(I[1], T),
                                       E.read(I[2], U32), E.read(I[3], U32)};
  if (I[0].Kind != OperandKind::Pair)
    return E.write(I[0], E.runtime("shfl_sync_" + Mode + "_i32", E.intType(32),
                                   Arguments));
  Value *InRange = E.stackByte();
  Arguments.push_back(InRange);
  Value *R = E.runtime("shfl_sync_" + Mode + "_i32p", E.intType(32), Arguments);
  E.write(I[0].Elements[0], R);
  E.write(I[0].Elements[1],
          E.B.CreateIsNotNull(E.B.CreateLoad(E.intType(8), InRange)));
}

/// vote.sync.mode.type d, a, membermask
void vote(Emitter &E, PtxInstruction &I) {
  bool IsSync = I.take("sync");
  StringRef Mode = I.takeOneOf({"all", "any", "uni", "ballot"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (!IsSync || Mode.empty() || !(T == (Mode == "ballot" ? B32 : Pred)))
    return E.fail("");
  Value *Mask = E.read(I[2], U32);
  Value *Argument = asArgument(E, E.readPredicate(I[1]));
  if (Mode == "ballot")
    return E.write(
        I[0], E.runtime("vote_ballot_sync", E.intType(32), {Mask, Argument}));
  E.write(I[0], predicateCall(E, "vote_" + Mode + "_sync", {Mask, Argument}));
}

/// match.any.sync.type d, a, membermask; match.all.sync.type d|p, a, membermask
void match(Emitter &E, PtxInstruction &I) {
  bool IsSync = I.take("sync");
  StringRef Mode = I.takeOneOf({"any", "all"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (!IsSync || Mode.empty() || !(T == B32 || T == B64))
    return E.fail("");
  SmallVector<Value *, 3> Arguments = {E.read(I[2], U32), E.read(I[1], T)};
  StringRef Suffix = T == B32 ? "_sync_i32" : "_sync_i64";
  if (Mode == "any")
    return E.write(I[0],
                   E.runtime("match_any" + Suffix, E.intType(32), Arguments));
  Value *AllEqual = E.stackByte();
  Arguments.push_back(AllEqual);
  Value *R = E.runtime("match_all" + Suffix + "p", E.intType(32), Arguments);
  bool HasPredicate = I[0].Kind == OperandKind::Pair;
  E.write(HasPredicate ? I[0].Elements[0] : I[0], R);
  if (HasPredicate)
    E.write(I[0].Elements[1],
            E.B.CreateIsNotNull(E.B.CreateLoad(E.intType(8), AllEqual)));
}

/// redux.sync.op.type d, a, membermask
void redux(Emitter &E, PtxInstruction &I) {
  bool IsSync = I.take("sync");
  StringRef Op = I.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  bool IsLogic = Op == "and" || Op == "or" || Op == "xor";
  if (!IsSync || Op.empty() || T.bits() != 32 || !T.isInteger() ||
      T.Lanes != 1 || IsLogic != (T.Class == TypeClass::Bits))
    return E.fail("");
  bool IsUnsignedOrder = (Op == "min" || Op == "max") && !T.isSigned();
  E.write(I[0],
          E.runtime(Twine("redux_sync_") + (IsUnsignedOrder ? "u" : "") + Op,
                    E.intType(32), {E.read(I[1], T), E.read(I[2], U32)}));
}

void activemask(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 1))
    return;
  if (!(T == B32))
    return E.fail("");
  E.write(I[0], E.runtime("activemask", E.intType(32), {}));
}

/// elect.sync d|p, membermask
void elect(Emitter &E, PtxInstruction &I) {
  if (!I.take("sync") || !E.expect(I, 2) || I[0].Kind != OperandKind::Pair)
    return E.fail("");
  Value *IsElected = E.stackByte();
  Value *Leader =
      E.runtime("elect_sync", E.intType(32), {E.read(I[1], U32), IsElected});
  E.write(I[0].Elements[0], Leader);
  E.write(I[0].Elements[1],
          E.B.CreateIsNotNull(E.B.CreateLoad(E.intType(8), IsElected)));
}

/// bar{.cta}.sync a{, b}, bar.arrive a, b, bar.red.op.type d, a{, b}, c, and
/// bar.warp.sync membermask. `bar` is `barrier.aligned`.
void barrierOf(Emitter &E, PtxInstruction &I, bool IsAligned) {
  if (IsAligned && I.take("warp")) {
    if (!I.take("sync") || !E.expect(I, 1))
      return E.fail("");
    E.runtime("bar_warp_sync", E.B.getVoidTy(), {E.read(I[0], U32)});
    return;
  }
  I.take("cta");
  IsAligned |= I.take("aligned");
  StringRef Kind = I.takeOneOf({"sync", "arrive", "red"});
  StringRef Aligned = IsAligned ? "_aligned" : "";
  bool Reduces = Kind == "red";
  size_t Extra = Reduces ? 2 : 0;
  if (Kind.empty() || I.size() < 1 + Extra || I.size() > 2 + Extra)
    return E.fail("");
  size_t First = Reduces ? 1 : 0;
  SmallVector<Value *, 3> Arguments = {E.read(I[First], U32)};
  bool HasCount = I.size() == 2 + Extra;
  if (HasCount)
    Arguments.push_back(E.read(I[First + 1], U32));
  StringRef Who = HasCount ? "_count" : "_all";
  if (Kind == "arrive" && !HasCount)
    return E.fail("");
  if (!Reduces) {
    E.runtime("barrier_cta_" + Kind + Aligned + Who, E.B.getVoidTy(),
              Arguments);
    return;
  }
  StringRef Op = I.takeOneOf({"popc", "and", "or"});
  PtxType T = E.typeOf(I);
  if (Op.empty() || !(T == (Op == "popc" ? U32 : Pred)))
    return E.fail("");
  Arguments.push_back(asArgument(E, E.readPredicate(I[I.size() - 1])));
  std::string Name = ("barrier_cta_red_" + Op + Aligned + Who).str();
  E.write(I[0], Op == "popc" ? E.runtime(Name, E.intType(32), Arguments)
                             : predicateCall(E, Name, Arguments));
}

void bar(Emitter &E, PtxInstruction &I) { barrierOf(E, I, true); }
void barrier(Emitter &E, PtxInstruction &I) { barrierOf(E, I, false); }

void membar(Emitter &E, PtxInstruction &I) {
  StringRef Scope = I.takeOneOf({"cta", "gl", "sys"});
  if (Scope.empty() || !E.expect(I, 0))
    return E.fail("");
  emitFence(E, Scope);
}

void fence(Emitter &E, PtxInstruction &I) {
  if (!E.expect(I, 0))
    return;
  if (I.take("proxy")) {
    // Memory is the same by whatever way it is reached.
    if (I.takeOneOf({"async", "alias"}).empty())
      return E.fail("");
    I.takeOneOf({"global", "shared::cta", "shared::cluster"});
    return emitFence(E, "gl");
  }
  if (I.takeOneOf({"sc", "acq_rel", "acquire", "release"}).empty())
    return E.fail("");
  StringRef Scope = I.takeOneOf({"cta", "cluster", "gpu", "sys"});
  if (Scope.empty())
    return E.fail("");
  emitFence(E, Scope == "cta" || Scope == "sys" ? Scope : "gl");
}

void nanosleep(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 1))
    return;
  if (!(T == U32))
    return E.fail("");
  E.runtime("nanosleep", E.B.getVoidTy(), {E.read(I[0], U32)});
}

void trap(Emitter &E, PtxInstruction &I) {
  if (E.expect(I, 0))
    E.B.CreateIntrinsic(Intrinsic::trap, ArrayRef<Type *>(), {});
}

/// Ends the thread: the call does not return.
void exitThread(Emitter &E, PtxInstruction &I) {
  if (E.expect(I, 0))
    E.runtime("exit", E.B.getVoidTy(), {});
}

/// Instructions for a debugger or the hardware's scheduler.
void nothing(Emitter &E, PtxInstruction &I) {
  if (I.statement().Opcode == "griddepcontrol" &&
      I.takeOneOf({"launch_dependents", "wait"}).empty())
    return E.fail("");
  if (I.statement().Opcode != "pmevent")
    E.expect(I, 0);
}

} // namespace

// All fences order everything; the runtime is told how far they reach.
void cudal1::ptx::emitFence(Emitter &E, StringRef Scope) {
  E.B.CreateFence(AtomicOrdering::SequentiallyConsistent);
  E.runtime("membar_" + Scope, E.B.getVoidTy(), {});
}

ArrayRef<HandlerEntry> cudal1::ptx::warpHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"shfl", shfl, true},
      {"vote", vote, true},
      {"match", match, true},
      {"redux", redux, true},
      {"activemask", activemask, true},
      {"elect", elect, true},
      {"bar", bar, true},
      {"barrier", barrier, true},
      {"membar", membar, true},
      {"fence", fence, true},
      {"nanosleep", nanosleep, true},
      {"trap", trap, true},
      {"exit", exitThread, true},
      {"brkpt", nothing, false},
      {"pmevent", nothing, false},
      {"griddepcontrol", nothing, false},
  };
  return Handlers;
}
