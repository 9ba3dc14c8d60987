//===- RemoveSync.cpp - remove-sync ---------------------------------------===//
//
// The GPU works through what the host gives it in order, so a program that
// waits after each launch only keeps the next launch from being queued: the GPU
// stands idle for the time that it takes to wake the host and to launch again
// (5 to 10 us), where a queued kernel follows after 1 or 2. A wait can go when
// the host waits again on every path, by another synchronisation or by a copy
// from the device, before it does anything that depends on time or that others
// see. In a loop behind which no such wait comes, one moves behind the loop.
//
// Memory that both sides see, other streams, devices and threads, and kernels
// that print would show the difference: a unit with any of them is left alone.
//
//===----------------------------------------------------------------------===//

#include "../HostPaths.h"
#include "../HostUnit.h"
#include "../RepeatLoop.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/StatementTree.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Removes a wait for the GPU that nothing in the program can tell from no
/// wait, such as a synchronisation after each launch of a loop.
class RemoveSync : public Rule {
public:
  llvm::StringRef name() const override { return "remove-sync"; }
  llvm::StringRef summary() const override {
    return "Removes a wait for the GPU that nothing in the program can tell "
           "from no wait, such as a synchronisation after each launch of a "
           "loop.";
  }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

/// Waits that go together: those of one loop, or one that stands in none.
struct Group {
  std::vector<const CheckedCall *> Waits;
  /// The loops around all of them, outermost first.
  std::vector<const Stmt *> Loops;
};

class SyncFinder {
public:
  SyncFinder(const Rule &R, const ProgramAnalysis &A, const FunctionDecl &F)
      : R(R), A(A), Context(A.program().context(Side::Host)),
        Paths(F, Context) {
    if (!Paths.isKnown())
      return;
    std::vector<const Stmt *> Loops;
    collect(F.getBody(), Loops);
  }

  void findSites(std::vector<Site> &Out) const {
    for (const Group &G : Groups)
      if (std::optional<Site> S = siteOf(G))
        Out.push_back(std::move(*S));
  }

private:
  void collect(const Stmt *S, std::vector<const Stmt *> &Loops);
  void add(const CheckedCall &Wait, llvm::ArrayRef<const Stmt *> Loops);
  std::vector<const CheckedCall *> missable(const Group &G,
                                            const Stmt *Sunk) const;
  std::optional<Site> siteOf(const Group &G) const;
  unsigned lineOf(const Stmt *S) const {
    return Context.getSourceManager().getExpansionLineNumber(S->getBeginLoc());
  }

  const Rule &R;
  const ProgramAnalysis &A;
  ASTContext &Context;
  HostPaths Paths;
  std::vector<Group> Groups;
};

} // namespace

static bool isLoop(const Stmt *S) {
  return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
}

/// `do { ... } while (0)`, as macros have it, is no loop.
static bool isRealLoop(const Stmt *S, const ASTContext &Context) {
  const auto *Do = dyn_cast<DoStmt>(S);
  bool Again = true;
  return isLoop(S) &&
         !(Do && !Do->getCond()->isValueDependent() &&
           Do->getCond()->EvaluateAsBooleanCondition(Again, Context) && !Again);
}

void SyncFinder::collect(const Stmt *S, std::vector<const Stmt *> &Loops) {
  for (const CheckedCall &Call : Paths.calls().all())
    if (Call.Statement == S) {
      CudaCall What = classifyCudaCall(Call.Call, Context);
      if (What == CudaCall::Wait || What == CudaCall::WaitStream)
        add(Call, Loops);
      return;
    }
  if (isa<Expr>(S))
    return;
  bool Loop = isRealLoop(S, Context);
  if (Loop)
    Loops.push_back(S);
  for (const Stmt *Child : S->children())
    if (Child)
      collect(Child, Loops);
  if (Loop)
    Loops.pop_back();
}

/// Waits of one outermost loop make up a group, with the loops that they share.
void SyncFinder::add(const CheckedCall &Wait,
                     llvm::ArrayRef<const Stmt *> Loops) {
  if (!Loops.empty() && !Groups.empty() && !Groups.back().Loops.empty() &&
      Groups.back().Loops.front() == Loops.front()) {
    Group &G = Groups.back();
    G.Waits.push_back(&Wait);
    size_t Shared = 0;
    while (Shared < std::min(G.Loops.size(), Loops.size()) &&
           G.Loops[Shared] == Loops[Shared])
      ++Shared;
    G.Loops.resize(Shared);
    return;
  }
  Groups.push_back({{&Wait}, Loops.vec()});
}

/// The most waits of \p G that can go together.
std::vector<const CheckedCall *> SyncFinder::missable(const Group &G,
                                                      const Stmt *Sunk) const {
  std::vector<const CheckedCall *> Waits = G.Waits;
  for (bool Changed = true; Changed;) {
    CallSet Removed;
    for (const CheckedCall *Wait : Waits)
      Removed.insert(Wait->Call);
    size_t Before = Waits.size();
    llvm::erase_if(Waits, [&](const CheckedCall *Wait) {
      return !Paths.whyMissed(*Wait, Removed, Sunk).empty();
    });
    Changed = Waits.size() != Before;
  }
  return Waits;
}

static llvm::Expected<Edit> removeWaits(const ProgramAnalysis &A,
                                        llvm::ArrayRef<const Stmt *> Waits,
                                        const Stmt *Sunk) {
  EditBuilder B(A.program(), Side::Host);
  for (const Stmt *Wait : Waits)
    B.removeStatement(Wait);
  if (Sunk) {
    std::string Text = B.text(Waits.back()->getSourceRange()).str();
    if (Text.empty())
      B.fail("the synchronisation is made by a macro");
    if (!llvm::StringRef(Text).ends_with(";"))
      Text += ";";
    B.insertAround(Sunk, "", Text);
  }
  return B.finish();
}

std::optional<Site> SyncFinder::siteOf(const Group &G) const {
  if (!G.Loops.empty() && isRepeatLoop(G.Loops.back(), A))
    return std::nullopt;
  std::vector<const CheckedCall *> Waits = missable(G, nullptr);
  const Stmt *Sunk = nullptr;
  for (const Stmt *Loop : G.Loops) {
    if (Waits.size() == G.Waits.size())
      break;
    std::vector<const CheckedCall *> Others = missable(G, Loop);
    if (Others.size() > Waits.size()) {
      Waits = std::move(Others);
      Sunk = Loop;
    }
  }
  if (Waits.empty())
    return std::nullopt;
  Site S = hostSiteAt(R, A, Waits.front()->Statement->getBeginLoc());
  S.LoopDepth = G.Loops.size();
  for (const std::unique_ptr<Launch> &L : A.launches())
    S.HostLaunches +=
        !G.Loops.empty() && findIn(G.Loops.front(), [&](const Stmt *Child) {
          return Child == L->Call;
        });
  std::string Where =
      G.Loops.empty()
          ? ""
          : " in the loop at line " + std::to_string(lineOf(G.Loops.front()));
  S.Description =
      (Waits.size() == 1 ? "do not wait for the GPU"
                         : "do not wait for the GPU at " +
                               std::to_string(Waits.size()) + " places") +
      Where;
  if (Sunk)
    S.Description +=
        ", but once behind the loop at line " + std::to_string(lineOf(Sunk));
  S.Evidence = {
      "all work goes to the default stream, which keeps its order",
      "no memory is shared with the host, and no kernel prints",
      Sunk ? "on every path the host waits behind the loop before it does "
             "anything that shows"
           : "on every path the host waits again before it does anything that "
             "shows"};
  if (llvm::any_of(Waits, [](const CheckedCall *W) { return W->Checked; }))
    S.Evidence.push_back("errors are checked at that wait");
  std::vector<const Stmt *> Statements;
  Statements.reserve(Waits.size());
  for (const CheckedCall *Wait : Waits)
    Statements.push_back(Wait->Statement);
  S.Apply = [&A = A, Statements, Sunk](const RewriteParams &) {
    return removeWaits(A, Statements, Sunk);
  };
  return S;
}

void RemoveSync::findHostSites(const ProgramAnalysis &A,
                               std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  for (const FunctionDecl *F : hostFunctions(A.program()))
    SyncFinder(*this, A, *F).findSites(Out);
}

std::unique_ptr<Rule> createRemoveSyncRule() {
  return std::make_unique<RemoveSync>();
}

} // namespace cudal1
