//===- PrivateBuffer.cpp - A buffer that only kernels see -----------------===//

#include "PrivateBuffer.h"
#include "LaunchPairs.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static bool names(const Expr *E, const VarDecl *V) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  return Ref && Ref->getDecl() == V;
}

/// `cudaMalloc(&p, n)` for \p V, its size without side effects.
static bool allocates(const CallExpr *C, const VarDecl *V,
                      const ASTContext &Context) {
  if (C->getNumArgs() < 2)
    return false;
  const auto *Address =
      dyn_cast<UnaryOperator>(C->getArg(0)->IgnoreParenCasts());
  return Address && Address->getOpcode() == UO_AddrOf &&
         names(Address->getSubExpr(), V) &&
         isSteadyValue(C->getArg(1), Context);
}

std::optional<PrivateBuffer> PrivateBuffer::of(const VarDecl *V,
                                               const FunctionDecl &F,
                                               const ProgramAnalysis &A,
                                               std::string &Obstacle) {
  const ASTContext &Context = A.program().context(Side::Host);
  PrivateBuffer B;
  B.V = V;
  auto No = [&](const char *Why) {
    Obstacle = V->getName().str() + " " + Why;
    return std::nullopt;
  };
  if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) ||
      !V->getType()->isPointerType())
    return No("is no local pointer");
  if (V->hasInit() &&
      !V->getInit()->isNullPointerConstant(const_cast<ASTContext &>(Context),
                                           Expr::NPC_ValueDependentIsNotNull))
    return No("gets its memory in another way");
  findIn(F.getBody(), [&](const Stmt *S) {
    const auto *Declares = dyn_cast<DeclStmt>(S);
    if (Declares && llvm::is_contained(Declares->decls(), V))
      B.Declaration = Declares;
    return false;
  });
  if (!B.Declaration)
    return No("is declared in another way");
  unsigned Known = 0, Made = 0;
  CheckedCalls Calls(F.getBody(), Context);
  for (const CheckedCall &C : Calls.all()) {
    CudaCall What = classifyCudaCall(C.Call, Context);
    bool Makes = What == CudaCall::Allocate && allocates(C.Call, V, Context);
    bool Frees = What == CudaCall::Free && C.Call->getNumArgs() == 1 &&
                 names(C.Call->getArg(0), V);
    // The check may mention it too.
    if ((!Makes && !Frees) || mentionsIn(C.Statement, V) != 1)
      continue;
    B.Calls.push_back(C.Statement);
    Made += Makes;
    ++Known;
  }
  if (Made != 1)
    return No("is not made once");
  for (const std::unique_ptr<Launch> &L : A.launches()) {
    if (L->HostFunction != &F || L->Form != LaunchForm::Chevron)
      continue;
    for (auto [I, Argument] : llvm::enumerate(L->Arguments))
      if (names(Argument, V)) {
        B.Uses.push_back({L.get(), unsigned(I)});
        ++Known;
      }
  }
  if (Known != mentionsIn(F.getBody(), V))
    return No("is used by the host in another way");
  return B;
}

/// \p Text, `float *a, *b, *c;` without the declarator number \p Index of
/// \p Count; "" where it cannot be told apart.
static std::string withoutDeclarator(llvm::StringRef Text, unsigned Index,
                                     unsigned Count) {
  if (Text.find_first_of("()[]{}<>/\"#") != llvm::StringRef::npos)
    return "";
  llvm::SmallVector<llvm::StringRef> Parts;
  Text.rtrim("; \t\r\n").split(Parts, ',');
  size_t Star = Parts.front().find('*');
  if (Parts.size() != Count || Star == llvm::StringRef::npos)
    return "";
  std::string Result = Parts.front().take_front(Star).str();
  Parts.front() = Parts.front().drop_front(Star);
  bool First = true;
  for (auto [I, Part] : llvm::enumerate(Parts)) {
    if (I == Index)
      continue;
    Result += (First ? "" : ", ") + Part.trim().str();
    First = false;
  }
  return Result;
}

void PrivateBuffer::remove(EditBuilder &Builder) const {
  Builder.setSide(Side::Host);
  for (const Stmt *S : Calls)
    Builder.removeStatement(S);
  if (Declaration->isSingleDecl())
    return Builder.removeStatement(Declaration);
  unsigned Count = 0, Index = 0;
  for (const Decl *D : Declaration->decls()) {
    Index = D == V ? Count : Index;
    ++Count;
  }
  // Up to the last declarator, without the semicolon.
  SourceRange Range = Declaration->getSourceRange();
  std::string Text = Builder.text(Range).str();
  bool Semicolon = llvm::StringRef(Text).ends_with(";");
  std::string Left = withoutDeclarator(Text, Index, Count);
  if (Left.empty())
    return Builder.fail("a buffer is declared in an unusual form");
  Builder.replace(Range, Left + (Semicolon ? ";" : ""));
}

} // namespace cudal1
