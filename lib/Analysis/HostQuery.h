//===- HostQuery.h - One question about host pointers -----------*- C++ -*-===//

#ifndef CUDAL1_LIB_ANALYSIS_HOSTQUERY_H
#define CUDAL1_LIB_ANALYSIS_HOSTQUERY_H

#include "cudal1/Analysis/HostPointers.h"

namespace cudal1 {

inline OverlapAnswer disjoint(const llvm::Twine &Why) {
  return {OverlapAnswer::Disjoint, Why.str()};
}
inline OverlapAnswer cannotTell(const llvm::Twine &Why) {
  return {OverlapAnswer::Unknown, Why.str()};
}

/// The answer for "either of two cases": the worse one.
inline OverlapAnswer worse(const OverlapAnswer &A, const OverlapAnswer &B) {
  return B.Answer > A.Answer ? B : A;
}

class HostPointers::Query {
public:
  explicit Query(const HostIndex &Index) : Index(Index) {}

  OverlapAnswer compare(const clang::Expr *A, const clang::Expr *B,
                        const HostContext &In, unsigned Depth = 0);
  PointsTo pointsTo(const clang::Expr *E, const HostContext &In);

private:
  // Where a pointer comes from (HostPointsTo.cpp).
  PointsTo pointsToSlot(const Slot &S, const HostContext &In);
  PointsTo pointsToParameter(const clang::ParmVarDecl *P,
                             const HostContext &In);
  PointsTo pointsToWrite(SlotKey Key, const SlotWrite &W,
                         const HostContext &In);
  PointsTo pointsToCall(const clang::CallExpr *C, const HostContext &In);
  std::optional<PointsTo> objectOf(const clang::Expr *E, const HostContext &In);
  const clang::Expr *containerOf(const clang::Expr *E) const;
  PointsTo fresh(const clang::Expr *Call, const HostContext &In) const;
  PointsTo unknown(const llvm::Twine &Why) const;
  HostContext contextOf(const clang::ValueDecl *V, const HostContext &In) const;
  HostContext entering(const clang::Expr *Call, const clang::FunctionDecl *F,
                       const HostContext &In) const;
  bool isInert(const SlotWrite &W) const;

  // Who owns a buffer (HostOwnership.cpp).
  std::vector<SlotKey> exchangeClass(SlotKey Key) const;
  bool owns(SlotKey Key, bool SameObject, bool MayHandOut = false);
  bool isFresh(SlotKey Key, const SlotWrite &W);
  bool isFreshValue(const clang::Expr *E, const clang::FunctionDecl *In);
  bool isFreshArgument(const clang::Expr *Call, unsigned Argument);
  bool fieldIsOwned(const clang::FieldDecl *F, bool SameObject) const;
  bool differentObjects(const clang::Expr *A, const clang::Expr *B,
                        const HostContext &In, unsigned Depth);
  bool differentIndices(const clang::Expr *A, const clang::Expr *B) const;
  bool isMadeInside(SlotKey Key, const clang::ParmVarDecl &P);
  bool isSnapshot(const Slot &S, const HostContext &In) const;

  // Two pointers at once (HostPointers.cpp, HostExchanged.cpp).
  OverlapAnswer compareSlots(const clang::Expr *A, const Slot &SlotA,
                             const clang::Expr *B, const Slot &SlotB,
                             const HostContext &In, unsigned Depth);
  OverlapAnswer compareAtCallers(const clang::ParmVarDecl *A,
                                 const clang::ParmVarDecl *B, unsigned Depth);
  OverlapAnswer compareBuffers(const clang::Expr *A, const clang::Expr *B,
                               const HostContext &In);
  std::optional<OverlapAnswer> comparePairedWrites(SlotKey A, SlotKey B,
                                                   const HostContext &In,
                                                   unsigned Depth);
  std::optional<OverlapAnswer> compareElements(const Slot &A, const Slot &B,
                                               const HostContext &In,
                                               unsigned Depth);
  std::optional<OverlapAnswer>
  compareExchanged(SlotKey A, SlotKey B, const HostContext &In, unsigned Depth);
  struct Start {
    SlotKey Key;
    const SlotWrite *W;
    bool Fresh;
  };
  std::optional<std::vector<Start>> startsOf(llvm::ArrayRef<SlotKey> Class,
                                             const clang::FunctionDecl *F);
  OverlapAnswer compareFresh(const Start &A, const Start &B,
                             const HostContext &In);
  OverlapAnswer compareStarts(SlotKey A, const SlotWrite *WA, SlotKey B,
                              const SlotWrite *WB, const HostContext &In,
                              unsigned Depth);
  bool evaluatedTogether(const SlotWrite &A, const SlotWrite &B) const;
  const clang::ParmVarDecl *unchangedParameter(const clang::Expr *E) const;
  std::string describe(const clang::Expr *E) const;
  std::string describe(const HostBuffer &B) const;

  const HostIndex &Index;
  /// Slots being resolved, with the number of known calls around.
  std::set<std::pair<void *, size_t>> Resolving;
  std::set<std::pair<void *, bool>> Owning;
  std::set<const clang::FunctionDecl *> Returning;
  /// Pairs of parameters being compared at their callers.
  std::set<std::pair<const clang::ParmVarDecl *, const clang::ParmVarDecl *>>
      AtCallers;
};

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_HOSTQUERY_H
