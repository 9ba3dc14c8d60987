//===- VectorizeAccess.cpp - float4 for four floats -----------------------===//
//
// Two or four neighbouring elements that a thread reads, or writes, in one run
// of statements are moved by one instruction. That the elements exist is shown
// by the original's own accesses; that the address is aligned has to be proved
// from the index and from where the pointer comes from.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/ElementInLoop.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// A scalar access that is a part of a statement of a block and bound to be
/// made when that is executed.
struct Member {
  const MemoryAccess *Access = nullptr;
  /// Number of the statement in its block.
  size_t Position = 0;
};

/// Neighbouring elements of one aligned group, by their place in it.
struct Group {
  std::vector<const Stmt *> Block;
  std::vector<Member> Lanes;
  bool Stores = false;
  Finding Proof;

  size_t first() const;
  size_t last() const;
  const MemoryAccess &lowest() const { return *Lanes.front().Access; }
};

size_t Group::first() const {
  size_t Least = Lanes.front().Position;
  for (const Member &M : Lanes)
    Least = std::min(Least, M.Position);
  return Least;
}

size_t Group::last() const {
  size_t Most = 0;
  for (const Member &M : Lanes)
    Most = std::max(Most, M.Position);
  return Most;
}

/// Finds groups in the blocks of one kernel.
class GroupFinder {
public:
  GroupFinder(const Kernel &K, const ProgramAnalysis &A,
              const StatementTree &Tree)
      : K(K), A(A), Tree(Tree) {}

  std::vector<Group> find();

private:
  void scan(const CompoundStmt &Block);
  void group(const std::vector<const Stmt *> &Block,
             const std::vector<Member> &Members, size_t Width, bool Stores);
  bool isCandidate(const MemoryAccess &Access, const Stmt *S) const;
  bool isLegal(Group &G) const;
  bool checkStatements(Group &G) const;
  void checkOther(Group &G, const MemoryAccess &Other) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  std::vector<Group> Groups;
  llvm::SmallPtrSet<const MemoryAccess *, 16> Taken;
};

} // namespace

/// `float` for float4, `uchar` for uchar4: the stem of CUDA's vector types; ""
/// where there is none of \p Width elements.
static llvm::StringRef vectorStem(QualType Type, size_t Width) {
  const auto *Builtin = Type->getAs<BuiltinType>();
  if (!Builtin)
    return "";
  switch (Builtin->getKind()) {
  case BuiltinType::Float:
    return "float";
  case BuiltinType::Int:
    return "int";
  case BuiltinType::UInt:
    return "uint";
  case BuiltinType::Short:
    return "short";
  case BuiltinType::UShort:
    return "ushort";
  case BuiltinType::UChar:
    return "uchar";
  case BuiltinType::Double:
    return Width == 2 ? "double" : "";
  case BuiltinType::LongLong:
    return Width == 2 ? "longlong" : "";
  case BuiltinType::ULongLong:
    return Width == 2 ? "ulonglong" : "";
  default:
    return "";
  }
}

/// The place of \p Index in its group of \p Width, when everything but the
/// constant is a multiple of Width; else nothing.
static std::optional<int64_t> laneOf(const Polynomial &Index, int64_t Width) {
  for (const auto &[Monomial, Coefficient] : Index.terms())
    if (!Monomial.empty() && Coefficient % Width != 0)
      return std::nullopt;
  return ((Index.constantTerm() % Width) + Width) % Width;
}

bool GroupFinder::isCandidate(const MemoryAccess &Access, const Stmt *S) const {
  return Access.Space == MemorySpace::Global && !Access.InCallee &&
         Access.Member.empty() && K.parameter(Access.Base) &&
         (Access.Kind == AccessKind::Read ||
          Access.Kind == AccessKind::Write) &&
         isa<ArraySubscriptExpr>(Access.Expression) &&
         !Access.Expression->getType().isVolatileQualified() &&
         K.isStable(Access.Index) &&
         K.Context->hasSameUnqualifiedType(Access.ElementType,
                                           Access.Expression->getType()) &&
         K.Context->hasSameUnqualifiedType(Access.ElementType,
                                           K.parameter(Access.Base)->Pointee) &&
         Tree.alwaysRunsIn(Access.Expression, S,
                           [](const Stmt *) { return false; });
}

/// Collects the complete groups among \p Members, all reads or all writes.
void GroupFinder::group(const std::vector<const Stmt *> &Block,
                        const std::vector<Member> &Members, size_t Width,
                        bool Stores) {
  for (const Member &Lowest : Members) {
    const MemoryAccess &Low = *Lowest.Access;
    if (Taken.contains(&Low) || laneOf(Low.Index, int64_t(Width)) != 0 ||
        vectorStem(Low.ElementType, Width).empty())
      continue;
    Group G;
    G.Block = Block;
    G.Stores = Stores;
    for (size_t Lane = 0; Lane < Width; ++Lane) {
      auto It = llvm::find_if(Members, [&](const Member &M) {
        return M.Access->Base == Low.Base && !Taken.contains(M.Access) &&
               M.Access->Index == Low.Index + Polynomial(int64_t(Lane));
      });
      if (It == Members.end())
        break;
      G.Lanes.push_back(*It);
    }
    if (G.Lanes.size() != Width || !isLegal(G))
      continue;
    for (const Member &M : G.Lanes)
      Taken.insert(M.Access);
    Groups.push_back(std::move(G));
  }
}

/// What another access between the group's statements means for it.
void GroupFinder::checkOther(Group &G, const MemoryAccess &Other) const {
  const MemoryAccess &Low = G.lowest();
  if (llvm::any_of(G.Lanes,
                   [&](const Member &M) { return M.Access == &Other; }))
    return;
  // A flag between threads: what it stands for must not move past it.
  if (Other.Expression->getType().isVolatileQualified())
    return G.Proof.refuse();
  if (!G.Stores && !Other.writes())
    return;
  if (Other.Base == Low.Base) {
    // Indices of two element types do not count alike.
    if (Other.InCallee || !isWholeElement(K, Other) ||
        !K.Context->hasSameUnqualifiedType(Other.ElementType, Low.ElementType))
      return G.Proof.refuse();
    // One array at two indices: the same only if the difference can be zero.
    auto Apart = [&](const Member &M) {
      std::optional<int64_t> Distance =
          (M.Access->Index - Other.Index).constant();
      return Distance && *Distance != 0 && K.isStable(Other.Index);
    };
    if (!llvm::all_of(G.Lanes, Apart))
      G.Proof.refuse();
    return;
  }
  OverlapAnswer Overlap = A.basesMayOverlap(K, Low, Other);
  if (Overlap.disjoint()) {
    if (Other.Space != MemorySpace::Local)
      G.Proof.addEvidence(Overlap.Reason);
  } else if (Overlap.Answer == OverlapAnswer::Overlap || !Other.Base) {
    G.Proof.refuse();
  } else {
    G.Proof.addCondition(Low.Base->getNameAsString() + " and " +
                         Other.Base->getNameAsString() + " do not overlap (" +
                         Overlap.Reason + ")");
  }
}

/// From the first to the last statement of the group nothing leaves, waits,
/// or changes what the accesses name.
bool GroupFinder::checkStatements(Group &G) const {
  // Values of stores are computed later than they were: in the last statement,
  // with nothing but the group's own in between.
  if (G.Stores && G.last() - G.first() + 1 != G.Lanes.size())
    return false;
  VariableSet Named;
  for (const Member &M : G.Lanes)
    for (const VarDecl *V : variablesReadIn(M.Access->Expression))
      Named.insert(V);
  for (size_t I = G.first(); I <= G.last(); ++I) {
    const Stmt *S = G.Block[I];
    if (hasJump(S) || !callsLeaveMemoryAlone(K, S))
      return false;
    VariableSet Changed = variablesChangedIn(S);
    // The values of a store are computed in no certain order.
    if (G.Stores && !Changed.empty())
      return false;
    for (const VarDecl *V : Changed)
      if (Named.contains(V))
        return false;
    for (const MemoryAccess *Other : accessesIn(K, Tree, S))
      checkOther(G, *Other);
  }
  return G.Proof.Legal;
}

bool GroupFinder::isLegal(Group &G) const {
  if (spansDirective(*K.Context, {G.Block[G.first()]->getBeginLoc(),
                                  G.Block[G.last()]->getEndLoc()}) ||
      !checkStatements(G))
    return false;
  const MemoryAccess &Low = G.lowest();
  std::string Name = Low.Base->getNameAsString();
  std::string Width = std::to_string(G.Lanes.size());
  std::string Bytes = std::to_string(G.Lanes.size() * Low.ElementSize);
  G.Proof.addEvidence("the original accesses all " + Width + " elements");
  G.Proof.addEvidence("the index " + K.Symbols.str(Low.Index) +
                      " is a multiple of " + Width);
  if (A.isWholeAllocation(K, *K.parameter(Low.Base)))
    G.Proof.addEvidence("every launch passes for " + Name +
                        " the pointer of a whole allocation");
  else
    G.Proof.addCondition(Name + " is aligned to " + Bytes + " bytes");
  return true;
}

void GroupFinder::scan(const CompoundStmt &Block) {
  std::vector<const Stmt *> Statements(Block.body_begin(), Block.body_end());
  std::vector<Member> Reads, Writes;
  for (size_t I = 0; I < Statements.size(); ++I) {
    const Stmt *S = Statements[I];
    if (!isa<Expr, DeclStmt>(S))
      continue;
    for (const MemoryAccess *Access : accessesIn(K, Tree, S)) {
      if (!isCandidate(*Access, S))
        continue;
      const auto *Assign = dyn_cast<BinaryOperator>(S);
      if (Access->Kind == AccessKind::Read)
        Reads.push_back({Access, I});
      else if (Assign && Assign->getOpcode() == BO_Assign &&
               Assign->getLHS()->IgnoreParens() == Access->Expression)
        Writes.push_back({Access, I});
    }
  }
  for (size_t Width : {4, 2}) {
    group(Statements, Reads, Width, false);
    group(Statements, Writes, Width, true);
  }
}

std::vector<Group> GroupFinder::find() {
  findIn(Tree.body(), [&](const Stmt *S) {
    if (const auto *Block = dyn_cast<CompoundStmt>(S);
        Block && !Block->body_empty() &&
        Tree.canDeclareBefore(Block->body_front()))
      scan(*Block);
    return isa<LambdaExpr>(S);
  });
  return std::move(Groups);
}

static const char Components[] = {'x', 'y', 'z', 'w'};

/// Reads: one vector before the first statement, a component at each use.
static void editLoads(EditBuilder &Builder, const Kernel &K, const Group &G,
                      llvm::StringRef Vector, llvm::StringRef Address) {
  std::string Name = freshName(K.Function, plainName(G.lowest().Base) +
                                               std::to_string(G.Lanes.size()));
  for (auto [I, M] : llvm::enumerate(G.Lanes))
    Builder.replace(M.Access->Expression->getSourceRange(),
                    Name + "." + Components[I]);
  Builder.insertLinesBefore(G.Block[G.first()],
                            ("const " + Vector + " " + Name +
                             " = *reinterpret_cast<const " + Vector + " *>(&" +
                             Address + ");")
                                .str());
}

/// Writes: the last assignment becomes one of a vector, the others go.
static void editStores(EditBuilder &Builder, const Kernel &K, const Group &G,
                       llvm::StringRef Vector, llvm::StringRef Address) {
  std::string Values;
  for (const Member &M : G.Lanes) {
    const Expr *Value = cast<BinaryOperator>(G.Block[M.Position])->getRHS();
    std::string Text = spellOnOneLine(Value, *K.Context);
    if (Text.empty())
      Builder.fail("a value is made by a macro");
    Values += (Values.empty() ? "" : ", ") + Text;
    if (M.Position != G.last())
      Builder.removeStatement(G.Block[M.Position]);
  }
  Builder.replace(G.Block[G.last()]->getSourceRange(),
                  ("*reinterpret_cast<" + Vector + " *>(&" + Address +
                   ") = make_" + Vector + "(" + Values + ")")
                      .str());
}

static llvm::Expected<Edit> vectorize(const Kernel &K, const ProgramAnalysis &A,
                                      const Group &G) {
  EditBuilder Builder(A.program(), Side::Device);
  const MemoryAccess &Low = G.lowest();
  std::string Vector = vectorStem(Low.ElementType, G.Lanes.size()).str() +
                       std::to_string(G.Lanes.size());
  std::string Address = spellOnOneLine(Low.Expression, *K.Context);
  if (Address.empty())
    Builder.fail("the element is made by a macro");
  if (G.Stores)
    editStores(Builder, K, G, Vector, Address);
  else
    editLoads(Builder, K, G, Vector, Address);
  return Builder.finish();
}

namespace {

/// Moves two or four neighbouring elements by one instruction.
class VectorizeAccess : public Rule {
public:
  llvm::StringRef name() const override { return "vectorize-access"; }
  llvm::StringRef summary() const override {
    return "Moves two or four neighbouring elements by one vector load or "
           "store.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

void VectorizeAccess::findSites(const Kernel &K, const ProgramAnalysis &A,
                                std::vector<Site> &Out) const {
  // The vector's type would have to depend on the template's.
  if (K.IsTemplate)
    return;
  StatementTree Tree(K);
  for (Group &G : GroupFinder(K, A, Tree).find()) {
    if (llvm::Expected<Edit> Trial = vectorize(K, A, G); !Trial) {
      llvm::consumeError(Trial.takeError());
      continue;
    }
    const MemoryAccess &Low = G.lowest();
    Site S = siteAt(*this, K, A, Low.Expression->getBeginLoc());
    S.Subject = spellOnOneLine(Low.Expression, *K.Context);
    S.Description = std::string(G.Stores ? "store " : "load ") +
                    std::to_string(G.Lanes.size()) + " elements from " +
                    S.Subject + " on at once";
    S.Evidence = G.Proof.Evidence;
    S.Condition = llvm::join(G.Proof.Conditions, "; ");
    S.LoopDepth = Low.InLoop ? Low.InLoop->Depth : 0;
    S.Apply = [&K, &A, G = std::move(G)](const RewriteParams &) {
      return vectorize(K, A, G);
    };
    Out.push_back(std::move(S));
  }
}

std::unique_ptr<Rule> createVectorizeAccessRule() {
  return std::make_unique<VectorizeAccess>();
}

} // namespace cudal1
