//===- AtomicTargets.cpp - Memory that a kernel only adds to --------------===//

#include "AtomicTargets.h"

#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

/// Static shared memory that every part grants a block, in bytes.
static constexpr int64_t MostStaticShared = int64_t(48) * 1024;

namespace {

/// Where an atomic goes, read off its first argument.
struct Address {
  const ValueDecl *Base = nullptr;
  const FieldDecl *Field = nullptr;
  /// The array or pointer that Index subscripts; the address itself where
  /// there is no Index.
  const Expr *Array = nullptr;
  const Expr *Index = nullptr;
};

class TargetFinder {
public:
  TargetFinder(const Kernel &K, const ProgramAnalysis &A,
               const StatementTree &Tree, std::vector<std::string> &Evidence,
               std::string &Obstacle)
      : K(K), A(A), Tree(Tree), Evidence(Evidence), Obstacle(Obstacle),
        Changes(Assignments::of(Tree.body())) {}

  std::vector<AtomicTarget> find();

private:
  bool no(const llvm::Twine &Why) {
    Obstacle = Why.str();
    return false;
  }
  bool isPlainKernel();
  const CallExpr *callOf(const MemoryAccess &Access) const;
  bool isSteady(const ValueDecl *Base) const;
  std::optional<AtomicTarget> read(const MemoryAccess &Access) const;
  void add(AtomicTarget T);
  std::optional<Address> addressOf(const Expr *E) const;
  bool isUniform(const Expr *E) const;
  bool readOperation(AtomicUpdate &Update, ReductionOp &Op) const;
  bool convertsAlike(const Expr *Value, QualType Type, ReductionOp Op) const;
  const Expr *statementOf(const CallExpr *Call) const;
  bool bound(AtomicTarget &T);
  bool isAlone(const AtomicTarget &T);
  const AtomicTarget *targetOf(const MemoryAccess &Access) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  std::vector<std::string> &Evidence;
  std::string &Obstacle;
  Assignments Changes;
  std::vector<AtomicTarget> Targets;
};

} // namespace

/// Nothing in the kernel lets other threads see what it has added so far.
bool TargetFinder::isPlainKernel() {
  if (!K.Barriers.empty() || !K.SharedArrays.empty() ||
      !K.WarpOperations.empty() || !K.UnknownCalls.empty() || K.HasAsm)
    return no("the kernel does more than arithmetic on memory");
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Space != MemorySpace::Local &&
        (!Access.Base || Access.Expression->getType().isVolatileQualified()))
      return no("an access cannot be followed");
  if (findIn(Tree.body(), [](const Stmt *S) {
        return isa<GotoStmt, IndirectGotoStmt, LabelStmt, LambdaExpr,
                   CXXTryStmt>(S);
      }))
    return no("jumps cannot be followed");
  return true;
}

/// The variable or parameter behind `p` in `p->f`, or `v` in `v.f`.
static const ValueDecl *objectOf(const MemberExpr *Member) {
  const auto *Ref =
      dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts());
  return Ref ? Ref->getDecl() : nullptr;
}

/// Base and field of an array, a pointer or a scalar as it is named.
static bool readName(const Expr *E, Address &To) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    To.Base = Ref->getDecl();
    return true;
  }
  const auto *Member = dyn_cast<MemberExpr>(E);
  To.Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  // A pointer in a struct may be any other pointer.
  if (!To.Field || To.Field->getType()->isPointerType())
    return false;
  To.Base = objectOf(Member);
  return To.Base;
}

std::optional<Address> TargetFinder::addressOf(const Expr *E) const {
  Address To;
  E = E->IgnoreParenImpCasts();
  To.Array = E;
  const auto *Op = dyn_cast<UnaryOperator>(E);
  const Expr *Object =
      Op && Op->getOpcode() == UO_AddrOf ? Op->getSubExpr()->IgnoreParens() : E;
  if (const auto *Sum = dyn_cast<BinaryOperator>(Object);
      Sum && Sum->getOpcode() == BO_Add &&
      Sum->getLHS()->getType()->isPointerType()) {
    To.Array = Sum->getLHS()->IgnoreParenImpCasts();
    To.Index = Sum->getRHS();
  } else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Object)) {
    To.Array = Subscript->getBase()->IgnoreParenImpCasts();
    To.Index = Subscript->getIdx();
  } else if (const auto *Deref = dyn_cast<UnaryOperator>(Object);
             Deref && Deref->getOpcode() == UO_Deref) {
    Object = Deref->getSubExpr();
  }
  if (!readName(To.Index ? To.Array : Object, To))
    return std::nullopt;
  return To;
}

/// One value for all threads: of constants and parameters.
bool TargetFinder::isUniform(const Expr *E) const {
  return !E->HasSideEffects(*K.Context) && !findIn(E, [&](const Stmt *S) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      return V && (!isa<ParmVarDecl>(V) || Changes.isAssigned(V));
    }
    return isa<ArraySubscriptExpr, MemberExpr, PseudoObjectExpr, CallExpr>(S) ||
           (isa<UnaryOperator>(S) &&
            cast<UnaryOperator>(S)->getOpcode() == UO_Deref);
  });
}

/// The operation of an atomic by its name; none for those of other scopes.
bool TargetFinder::readOperation(AtomicUpdate &Update, ReductionOp &Op) const {
  const FunctionDecl *F = Update.Call->getDirectCallee();
  if (!F || !F->getIdentifier() || Update.Call->getNumArgs() != 2 ||
      classify(*F) != DeviceFunction::Atomic)
    return false;
  auto Found = llvm::StringSwitch<std::optional<ReductionOp>>(F->getName())
                   .Cases({"atomicAdd", "atomicSub"}, ReductionOp::Sum)
                   .Case("atomicMin", ReductionOp::Min)
                   .Case("atomicMax", ReductionOp::Max)
                   .Case("atomicAnd", ReductionOp::And)
                   .Case("atomicOr", ReductionOp::Or)
                   .Case("atomicXor", ReductionOp::Xor)
                   .Default(std::nullopt);
  Update.Subtracts = F->getName() == "atomicSub";
  if (Found)
    Op = *Found;
  return Found.has_value();
}

/// The value means the same combined by an operator as passed to the atomic,
/// which converts it to its own type first.
bool TargetFinder::convertsAlike(const Expr *Value, QualType Type,
                                 ReductionOp Op) const {
  QualType Given = Value->IgnoreParenImpCasts()->getType();
  if (Value->HasSideEffects(*K.Context, /*IncludePossibleEffects=*/false))
    return false;
  if (K.Context->hasSameUnqualifiedType(Given, Type))
    return true;
  if (Op == ReductionOp::Min || Op == ReductionOp::Max)
    return false;
  return Type->isIntegerType()
             ? Given->isIntegerType() &&
                   K.Context->getTypeSize(Given) <= K.Context->getTypeSize(Type)
             : Given->isIntegerType() || Given->isRealFloatingType();
}

/// The call stands by itself: nobody uses what was there before.
const Expr *TargetFinder::statementOf(const CallExpr *Call) const {
  const Stmt *S = Call;
  const Stmt *Parent = Tree.parent(S);
  while (Parent && (isa<ParenExpr, FullExpr>(Parent) ||
                    (isa<ExplicitCastExpr>(Parent) &&
                     cast<Expr>(Parent)->getType()->isVoidType()))) {
    S = Parent;
    Parent = Tree.parent(S);
  }
  bool Alone = false;
  if (const auto *If = dyn_cast_or_null<IfStmt>(Parent))
    Alone = S == If->getThen() || S == If->getElse();
  else if (const auto *For = dyn_cast_or_null<ForStmt>(Parent))
    Alone = S == For->getBody();
  else if (const auto *While = dyn_cast_or_null<WhileStmt>(Parent))
    Alone = S == While->getBody();
  else
    Alone = isa_and_nonnull<CompoundStmt>(Parent);
  return Alone ? cast<Expr>(S) : nullptr;
}

/// Types with atomics both in global and in shared memory.
static bool isGathered(QualType T, ReductionOp Op) {
  const auto *Builtin = T->getAs<BuiltinType>();
  if (!Builtin)
    return false;
  switch (Builtin->getKind()) {
  case BuiltinType::Int:
  case BuiltinType::UInt:
  case BuiltinType::LongLong:
  case BuiltinType::ULongLong:
    return true;
  case BuiltinType::Float:
  case BuiltinType::Double:
    return Op == ReductionOp::Sum;
  default:
    return false;
  }
}

/// The call whose address is \p Access.
const CallExpr *TargetFinder::callOf(const MemoryAccess &Access) const {
  for (const AtomicOperation &Atomic : K.Atomics)
    if (Atomic.Call->getNumArgs() > 0 &&
        Atomic.Call->getArg(0) == Access.Expression)
      return Atomic.Call;
  return nullptr;
}

/// A parameter that is what the launch passed, or a variable of the device. No
/// other variable of the kernel has its name.
bool TargetFinder::isSteady(const ValueDecl *Base) const {
  if (findIn(Tree.body(), [&](const Stmt *S) {
        const auto *Decls = dyn_cast<DeclStmt>(S);
        return Decls && llvm::any_of(Decls->decls(), [&](const Decl *D) {
                 const auto *Named = dyn_cast<NamedDecl>(D);
                 return Named && Named->getDeclName() == Base->getDeclName();
               });
      }))
    return false;
  if (const KernelParameter *P = K.parameter(Base))
    return !P->Reassigned && !P->Use.Escapes;
  const auto *V = dyn_cast<VarDecl>(Base);
  return V && !V->isLocalVarDeclOrParm();
}

/// The target of one update, if that is one that can be gathered.
std::optional<AtomicTarget>
TargetFinder::read(const MemoryAccess &Access) const {
  AtomicUpdate Update;
  AtomicTarget T;
  Update.Call = callOf(Access);
  if (!Update.Call || Access.Space != MemorySpace::Global ||
      !readOperation(Update, T.Op))
    return std::nullopt;
  if (Update.Call->getBeginLoc().isMacroID() ||
      Update.Call->getEndLoc().isMacroID())
    return std::nullopt;
  Update.Statement = statementOf(Update.Call);
  auto To = addressOf(Access.Expression);
  Update.Value = Update.Call->getArg(1);
  T.Type = Access.Expression->getType()
               ->getPointeeType()
               .getCanonicalType()
               .getUnqualifiedType();
  if (!Update.Statement || !To || To->Base != Access.Base ||
      !isSteady(To->Base) || !isGathered(T.Type, T.Op) ||
      !convertsAlike(Update.Value, T.Type, T.Op))
    return std::nullopt;
  T.Base = To->Base;
  T.Field = To->Field;
  T.Name = (T.Field ? static_cast<const ValueDecl *>(T.Field) : T.Base)
               ->getNameAsString();
  if (To->Index && !isUniform(To->Index)) {
    Update.Index = To->Index;
    Update.Array = To->Array;
  }
  T.Text = spellOnOneLine(
      Update.Array ? Update.Array : Access.Expression->IgnoreParenImpCasts(),
      *K.Context);
  T.Updates.push_back(Update);
  return T.Text.empty() ? std::nullopt : std::optional(std::move(T));
}

void TargetFinder::add(AtomicTarget T) {
  for (AtomicTarget &Other : Targets)
    if (Other.Base == T.Base && Other.Field == T.Field &&
        Other.Text == T.Text && Other.Op == T.Op && Other.Type == T.Type &&
        !Other.Updates.front().Index == !T.Updates.front().Index) {
      Other.Updates.push_back(T.Updates.front());
      return;
    }
  Targets.push_back(std::move(T));
}

/// Finds the bins that all updates together need; false where they have no
/// bound.
bool TargetFinder::bound(AtomicTarget &T) {
  int64_t Size = K.Context->getTypeSizeInChars(T.Type).getQuantity();
  for (const AtomicUpdate &Update : T.Updates) {
    if (!Update.Index)
      continue;
    auto B = boundOfIndex(K, A, Tree, Update.Array, Update.Index,
                          MostStaticShared / Size);
    if (!B)
      return no("the number of bins of `" + T.Name + "` is not seen");
    if (!T.Bins) {
      T.Bins = std::move(B);
      continue;
    }
    bool Proved = T.Bins->Proved && B->Proved;
    bool NonNegative = T.Bins->NonNegative && B->NonNegative;
    if (B->Count > T.Bins->Count)
      T.Bins = std::move(B);
    T.Bins->Proved = Proved;
    T.Bins->NonNegative = NonNegative;
  }
  return true;
}

/// All that the kernel does with the memory of \p T is to gather by one
/// operation.
bool TargetFinder::isAlone(const AtomicTarget &T) {
  const MemoryAccess *Own = nullptr;
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Expression == T.Updates.front().Call->getArg(0))
      Own = &Access;
  std::vector<const ValueDecl *> Seen;
  for (const MemoryAccess &Other : K.Accesses) {
    if (Other.Space == MemorySpace::Local)
      continue;
    const AtomicTarget *Known = targetOf(Other);
    if (Known && Known->Op == T.Op && Known->Type == T.Type)
      continue;
    if (Other.Base == T.Base) {
      if (Known && Known->Field && T.Field && Known->Field != T.Field)
        continue;
      return no("`" + T.Name + "` is accessed in other ways too");
    }
    if (llvm::is_contained(Seen, Other.Base))
      continue;
    Seen.push_back(Other.Base);
    OverlapAnswer Answer = A.basesMayOverlap(K, *Own, Other);
    if (!Answer.disjoint())
      return no(Answer.Reason);
    if (!llvm::is_contained(Evidence, Answer.Reason))
      Evidence.push_back(Answer.Reason);
  }
  return true;
}

const AtomicTarget *TargetFinder::targetOf(const MemoryAccess &Access) const {
  if (Access.Kind != AccessKind::Atomic || Access.InCallee)
    return nullptr;
  for (const AtomicTarget &T : Targets)
    for (const AtomicUpdate &Update : T.Updates)
      if (Update.Call->getArg(0) == Access.Expression)
        return &T;
  return nullptr;
}

std::vector<AtomicTarget> TargetFinder::find() {
  if (!isPlainKernel())
    return {};
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Kind == AccessKind::Atomic && !Access.InCallee)
      if (auto T = read(Access))
        add(std::move(*T));
  llvm::erase_if(Targets, [&](AtomicTarget &T) { return !bound(T); });
  // What is not gathered is one more access for the others.
  while (true) {
    auto It = llvm::find_if(Targets,
                            [&](const AtomicTarget &T) { return !isAlone(T); });
    if (It == Targets.end())
      break;
    Targets.erase(It);
  }
  return std::move(Targets);
}

std::vector<AtomicTarget> findAtomicTargets(const Kernel &K,
                                            const ProgramAnalysis &A,
                                            const StatementTree &Tree,
                                            std::vector<std::string> &Evidence,
                                            std::string &Obstacle) {
  return TargetFinder(K, A, Tree, Evidence, Obstacle).find();
}

} // namespace cudal1
