//===- AsyncCopy.cpp - Asynchronous copies of PTX -------------------------===//
//
// A copy may be done by the time that it is asked for: here it always is.
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"
#include "Memory.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// What bulk copies demand of addresses and sizes.
const Align BulkAlign = Align::Constant<16>();

/// Copies the first \p Bytes (an i32, at most \p Size) and fills the rest of
/// \p Size bytes with zeros.
void copyPart(Emitter &E, Value *To, Value *From, unsigned Size, Value *Bytes) {
  Align Alignment(Size);
  E.B.CreateAlignedStore(Constant::getNullValue(E.intType(8 * Size)), To,
                         Alignment);
  E.B.CreateMemCpy(To, Alignment, From, Alignment,
                   E.B.CreateZExt(Bytes, E.intType(64)));
}

/// cp.async.ca.shared.global [to], [from], size{, size of the source}
void copy(Emitter &E, PtxInstruction &I) {
  if (I.takeOneOf({"ca", "cg"}).empty() ||
      I.takeOneOf({"shared", "shared::cta"}).empty() || !I.take("global") ||
      I.size() < 3 || I.size() > 4)
    return E.fail("");
  I.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  std::optional<int64_t> Size = E.constantOf(I[2]);
  if (!Size || (*Size != 4 && *Size != 8 && *Size != 16))
    return E.fail("its size is no constant that PTX knows");
  Value *To = addressOf(E, I[0], Space::Shared);
  Value *From = addressOf(E, I[1], Space::Global);
  if (E.failed())
    return;
  Value *Bytes = nullptr;
  if (I.size() == 4) {
    std::optional<int64_t> Given = E.constantOf(I[3]);
    if (Given && *Given != *Size && (*Given < 0 || *Given > *Size))
      return E.fail("it copies more than its size");
    if (E.width(I[3]) == 1) // a predicate: the source is ignored
      Bytes = E.B.CreateSelect(E.readPredicate(I[3]), E.constant(32, 0),
                               E.constant(32, *Size));
    else if (Given != Size)
      Bytes = E.read(I[3], U32);
  }
  if (Bytes)
    return copyPart(E, To, From, *Size, Bytes);
  llvm::Type *T = E.intType(8 * *Size);
  E.B.CreateAlignedStore(E.B.CreateAlignedLoad(T, From, Align(*Size)), To,
                         Align(*Size));
}

/// cp.async.bulk: to shared memory, counted by an mbarrier, or from it.
/// [to], [from], size{, [mbarrier]}
void copyBulk(Emitter &E, PtxInstruction &I) {
  if (I.take("commit_group")) {
    E.expect(I, 0);
    return;
  }
  if (I.take("wait_group")) {
    I.take("read");
    if (!E.expect(I, 1) || !E.constantOf(I[0]))
      E.fail("");
    return;
  }
  // The destination's space stands before the source's.
  const auto &Names = I.statement().Modifiers;
  bool ToShared = Names.size() > 2 && StringRef(Names[2]).starts_with("shared");
  bool CountsBytes = I.take("mbarrier::complete_tx::bytes");
  if (!I.take("global") || takeSpace(I) != Space::Shared ||
      (ToShared ? !CountsBytes : !I.take("bulk_group")) ||
      !E.expect(I, ToShared ? 4 : 3))
    return E.fail("");
  Value *To = addressOf(E, I[0], ToShared ? Space::Shared : Space::Global);
  Value *From = addressOf(E, I[1], ToShared ? Space::Global : Space::Shared);
  Value *Bytes = E.B.CreateZExt(E.read(I[2], U32), E.intType(64));
  if (E.failed())
    return;
  E.B.CreateMemCpy(To, BulkAlign, From, BulkAlign, Bytes);
  if (ToShared)
    emitTransfer(E, addressOf(E, I[3], Space::Shared), Bytes);
}

/// cp.async.mbarrier.arrive [address]: the copies before it are done. Without
/// .noinc it first raises the count by the one arrival that it then makes.
void arriveAfterCopies(Emitter &E, PtxInstruction &I) {
  bool Arrives = I.take("noinc");
  if (!I.take("arrive") || !E.expect(I, 1))
    return E.fail("");
  Space S = takeSpace(I);
  if (!I.take("b64") || (S != Space::Shared && S != Space::Generic))
    return E.fail("");
  Value *Pointer = addressOf(E, I[0], S);
  if (E.failed())
    return;
  if (Arrives)
    emitArrival(E, Pointer, E.constant(64, 1), /*Drops=*/false);
  else
    emitFence(E, "cta");
}

void cp(Emitter &E, PtxInstruction &I) {
  if (!I.take("async"))
    return E.fail("");
  if (I.take("bulk"))
    return copyBulk(E, I);
  if (I.take("mbarrier"))
    return arriveAfterCopies(E, I);
  if (I.take("commit_group") || I.take("wait_all")) {
    E.expect(I, 0);
    return;
  }
  if (I.take("wait_group")) {
    if (!E.expect(I, 1) || !E.constantOf(I[0]))
      E.fail("");
    return;
  }
  copy(E, I);
}

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::copyHandlers() {
  static constexpr HandlerEntry Handlers[] = {{"cp", cp, true}};
  return Handlers;
}
