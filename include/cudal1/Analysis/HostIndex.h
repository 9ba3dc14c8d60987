//===- HostIndex.h - Where host code keeps and changes pointers -*- C++ -*-===//
//
// A flow-insensitive index of the host side of a unit: every place that holds a
// pointer (a variable, a field, the elements of an array, what a `T **`
// parameter points to) with every way in which it gets its value; the callers
// of every function; and what can be changed by code that cannot be seen.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_HOSTINDEX_H
#define CUDAL1_ANALYSIS_HOSTINDEX_H

#include "cudal1/Frontend/Program.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PointerIntPair.h"
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// Names one kind of place: a variable, a field (of any object), the elements
/// of an array; with the flag set, what a `T **` or `T *&` parameter refers to.
using SlotKey = llvm::PointerIntPair<const clang::ValueDecl *, 1, bool>;

/// An lvalue of pointer type that is a slot.
struct Slot {
  SlotKey Key;
  /// Object of a field: `s` in `s.p`, `q` in `q->p`; null for variables.
  const clang::Expr *Base = nullptr;
  bool Arrow = false;
  /// Element of an array; null otherwise.
  const clang::Expr *Index = nullptr;
};

/// One way in which a slot gets a value.
struct SlotWrite {
  enum Kind {
    Value,       ///< `slot = E`, an initialiser.
    OutArgument, ///< Its address is argument number Argument of the call E.
    Step,        ///< `slot += n`, `++slot`: stays in its allocation.
    Exchange,    ///< Its value is exchanged with those of Partners.
    Unknown      ///< Anything; Why says so in a clause.
  };
  Kind K = Unknown;
  const clang::Expr *E = nullptr;
  unsigned Argument = 0;
  /// Element of an array that an initialiser list sets; -1 otherwise.
  int Element = -1;
  std::vector<SlotKey> Partners;
  /// Exchange: all sides are fields of one object.
  bool SameObject = true;
  /// Function that holds it, null at file scope.
  const clang::FunctionDecl *In = nullptr;
  clang::SourceLocation Loc;
  /// The statement list (or `for`) whose child number Position it is, when it
  /// is a declaration or an assignment that stands there by itself.
  const clang::Stmt *Scope = nullptr;
  unsigned Position = 0;
  /// The value was moved out of another slot, which is null afterwards.
  bool Moved = false;
  std::string Why;
};

/// A reason why unseen code may be involved: where, and a clause.
struct HostObstacle {
  clang::SourceLocation Loc;
  std::string Why;
};

struct CallSite {
  /// CallExpr or CXXConstructExpr.
  const clang::Expr *Call = nullptr;
  const clang::FunctionDecl *Caller = nullptr;
};

class HostIndex {
public:
  /// Indexes the host side of \p P, the project's own files only.
  explicit HostIndex(const Program &P);

  clang::ASTContext &context() const { return Context; }

  /// The slot that an lvalue names, if it is one.
  std::optional<Slot> slotOf(const clang::Expr *Lvalue) const;

  llvm::ArrayRef<SlotWrite> writesOf(SlotKey Key) const;
  llvm::ArrayRef<CallSite> callersOf(const clang::FunctionDecl *F) const;
  /// Function that holds a call (as a caller), null when not seen.
  const clang::FunctionDecl *callerOf(const clang::Expr *Call) const {
    return CallerOfCall.lookup(Call);
  }
  /// Values of the return statements of a function whose body was indexed.
  std::optional<llvm::ArrayRef<const clang::Expr *>>
  returnsOf(const clang::FunctionDecl *F) const;
  bool isIndexed(const clang::FunctionDecl *F) const {
    return F && Returns.count(F->getCanonicalDecl());
  }

  /// Why a function may be called from places that are not in callersOf.
  std::optional<HostObstacle> unseenCallers(const clang::FunctionDecl *F) const;
  /// Why a kernel may be launched from places that are not seen.
  std::optional<HostObstacle>
  unseenLaunches(const clang::FunctionDecl *Kernel) const;
  /// Why a variable may be changed by another unit.
  std::optional<HostObstacle> unseenWriters(const clang::VarDecl *V) const;
  /// Why objects of a record may be changed or made by code not seen.
  std::optional<HostObstacle> unseenObjects(const clang::RecordDecl *R) const;
  /// Where objects of a record are copied member by member, if anywhere.
  std::optional<clang::SourceLocation> copyOf(const clang::RecordDecl *R) const;
  /// Where a container variable or field may exchange its buffer with another.
  std::optional<clang::SourceLocation>
  bufferMoves(const clang::ValueDecl *Container) const;
  /// How often the value of a local variable is stored through a parameter.
  unsigned storedThroughParameter(const clang::ValueDecl *V) const {
    return StoredOut.lookup(V);
  }
  /// Statement that holds a local variable's declaration.
  const clang::Stmt *scopeOf(const clang::VarDecl *V) const {
    return ScopeOfVariable.lookup(V);
  }
  bool hasJumps(const clang::FunctionDecl *F) const {
    return Jumps.count(F->getCanonicalDecl());
  }
  /// A `void *args[] = {&a, &b}` used for nothing but launches.
  bool isLaunchArguments(const clang::VarDecl *V) const;

  /// "main.cu:12"
  std::string where(clang::SourceLocation Loc) const;

private:
  friend class HostIndexVisitor;
  bool isIndexedFile(clang::SourceLocation Loc) const;
  void escapeRecord(const clang::RecordDecl *R, clang::SourceLocation Loc,
                    const llvm::Twine &Why);
  bool isClosed(const clang::NamedDecl *D) const;
  bool isDeclaredElsewhere(const clang::NamedDecl *D) const;

  clang::ASTContext &Context;
  bool HasMain = false;
  llvm::DenseSet<clang::FileID> Files;
  llvm::DenseMap<SlotKey, std::vector<SlotWrite>> Writes;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<CallSite>> Callers;
  llvm::DenseMap<const clang::Expr *, const clang::FunctionDecl *> CallerOfCall;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<const clang::Expr *>>
      Returns;
  llvm::DenseMap<const clang::FunctionDecl *, clang::SourceLocation>
      AddressTaken;
  llvm::DenseMap<const clang::RecordDecl *, HostObstacle> EscapedRecords;
  llvm::DenseMap<const clang::RecordDecl *, clang::SourceLocation>
      CopiedRecords;
  /// Records that a template of a system header is instantiated with.
  llvm::DenseMap<const clang::RecordDecl *, clang::SourceLocation>
      InLibraryTemplates;
  llvm::DenseMap<const clang::ValueDecl *, clang::SourceLocation> BufferMoves;
  llvm::DenseMap<const clang::ValueDecl *, unsigned> StoredOut;
  llvm::DenseMap<const clang::VarDecl *, const clang::Stmt *> ScopeOfVariable;
  llvm::DenseSet<const clang::FunctionDecl *> Jumps;
  /// Arrays of addresses, with a use that is no launch (or an invalid one).
  llvm::DenseMap<const clang::VarDecl *, clang::SourceLocation> ArgumentArrays;
};

/// A pointer value without the casts, parentheses and offsets around it that do
/// not change which allocation it points into.
const clang::Expr *stripPointer(const clang::Expr *E);
/// std::forward or std::move: the argument itself.
bool passesThrough(const clang::CallExpr *Call);
/// The argument that initialises parameter \p Index of the callee of a call or
/// constructor; null when there is none.
const clang::Expr *argumentOf(const clang::Expr *Call, unsigned Index);
/// Reads alike: the same variables, fields and constants.
bool sameExpression(const clang::Expr *A, const clang::Expr *B,
                    const clang::ASTContext &Context);
/// The function called, when it is known and not virtual.
const clang::FunctionDecl *calleeOf(const clang::Expr *Call);
/// nullptr, NULL, 0, or a value-initialised pointer.
bool isNullPointer(const clang::Expr *E, const clang::ASTContext &Context);
/// A vector of the standard library or of Thrust with the library's own
/// allocator: it owns its buffer and copies it when it is copied.
bool isOwningContainer(clang::QualType T, const clang::SourceManager &SM);

/// cudaMalloc and its kin: which argument receives the address of fresh memory.
std::optional<unsigned> allocatedArgument(const clang::FunctionDecl &Callee);
/// malloc and its kin: the result is fresh memory.
bool returnsAllocation(const clang::FunctionDecl &Callee);
/// cudaLaunchKernel and its kin, which take arguments through a `void **`.
bool isLaunchFunction(const clang::FunctionDecl &Callee);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_HOSTINDEX_H
