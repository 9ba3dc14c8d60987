//===- HostPaths.cpp - What the host does after a statement ---------------===//

#include "HostPaths.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace cudal1 {

/// Functions of the program that are followed into each other.
static constexpr unsigned MaxDepth = 4;

//===----------------------------------------------------------------------===//
// Calls that do nothing but compute
//===----------------------------------------------------------------------===//

/// Of the standard library: functions that compute, and whatever containers do.
static bool isQuietLibraryFunction(const FunctionDecl *F) {
  if (const auto *Method = dyn_cast<CXXMethodDecl>(F)) {
    const IdentifierInfo *Id = Method->getParent()->getIdentifier();
    llvm::StringRef Class = Id ? Id->getName() : "";
    return llvm::StringSwitch<bool>(Class)
        .Cases({"vector", "array", "basic_string", "allocator", "pair",
                "unique_ptr", "initializer_list", "tuple"},
               true)
        .Cases({"__normal_iterator", "_Vector_base", "__wrap_iter"}, true)
        .Default(false);
  }
  if (F->isOverloadedOperator())
    return F->getNumParams() == 2 &&
           F->getParamDecl(0)
               ->getType()
               .getNonReferenceType()
               ->isRecordType() &&
           F->getOverloadedOperator() != OO_LessLess &&
           F->getOverloadedOperator() != OO_GreaterGreater;
  if (!F->getIdentifier())
    return false;
  return llvm::StringSwitch<bool>(F->getName())
      .Cases({"swap", "min", "max", "move", "forward", "clamp", "abs", "fill",
              "fill_n", "copy", "iota", "accumulate", "size", "data"},
             true)
      .Cases({"sqrt",  "sqrtf",  "pow",      "powf",  "exp",   "expf",
              "log",   "logf",   "log2",     "log2f", "sin",   "cos",
              "sinf",  "cosf",   "ceil",     "ceilf", "floor", "floorf",
              "fabs",  "fabsf",  "fmin",     "fmax",  "fminf", "fmaxf",
              "round", "lround", "isfinite", "isnan"},
             true)
      .Cases({"malloc", "calloc", "free", "memcpy", "memset", "rand", "srand",
              "strcmp", "strlen"},
             true)
      .Default(false);
}

bool isQuietFunction(const FunctionDecl *F, const ASTContext &Context,
                     unsigned Depth) {
  if (!F || Depth > MaxDepth)
    return false;
  const SourceManager &SM = Context.getSourceManager();
  if (SM.isInSystemHeader(F->getLocation()) || F->isImplicit() ||
      F->isDefaulted() || F->getBuiltinID()) {
    const auto *Constructor = dyn_cast<CXXConstructorDecl>(F);
    const auto *Method = dyn_cast<CXXMethodDecl>(F);
    return (Constructor && (Constructor->isTrivial() ||
                            Constructor->getParent()->getName() == "dim3")) ||
           (Method && Method->isTrivial()) || isQuietLibraryFunction(F);
  }
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    Finder(const ASTContext &Context, unsigned Depth)
        : Context(Context), Depth(Depth) {}
    bool VisitCallExpr(CallExpr *C) {
      const FunctionDecl *Callee = C->getDirectCallee();
      return Quiet = !isa<CUDAKernelCallExpr>(C) &&
                     isQuietFunction(Callee, Context, Depth + 1);
    }
    bool VisitCXXConstructExpr(CXXConstructExpr *C) {
      return Quiet = isQuietFunction(C->getConstructor(), Context, Depth + 1);
    }
    bool VisitAsmStmt(AsmStmt *) { return Quiet = false; }
    bool VisitCXXThrowExpr(CXXThrowExpr *) { return Quiet = false; }
    const ASTContext &Context;
    unsigned Depth;
    bool Quiet = true;
  };
  // dim3 of the small headers that tests use is no system header.
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(F))
    if (Constructor->getParent()->getIdentifier() &&
        Constructor->getParent()->getName() == "dim3")
      return true;
  const FunctionDecl *Definition = nullptr;
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (!F->hasBody(Definition) || (Method && Method->isVirtual()))
    return false;
  Finder Search(Context, Depth);
  Search.TraverseStmt(Definition->getBody());
  return Search.Quiet;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

HostPaths::HostPaths(const FunctionDecl &F, ASTContext &Context)
    : F(F), Context(Context), Calls(F.getBody(), Context) {
  const Stmt *Jump = findIn(F.getBody(), [](const Stmt *S) {
    return isa<GotoStmt, IndirectGotoStmt, CXXTryStmt, AsmStmt>(S);
  });
  if (Jump)
    return;
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  Options.AddImplicitDtors = true;
  Graph = CFG::buildCFG(&F, F.getBody(), &Context, Options);
  if (!Graph)
    return;
  for (const CFGBlock *Block : *Graph)
    for (size_t I = 0; I < Block->size(); ++I)
      if (auto S = (*Block)[I].getAs<CFGStmt>())
        Places.try_emplace(S->getStmt(), std::pair(Block, I));
}

HostPaths::Effect HostPaths::shows(const Stmt *S,
                                   const llvm::Twine &What) const {
  const SourceManager &SM = Context.getSourceManager();
  return {Effect::Shows, false,
          ("line " + llvm::Twine(SM.getExpansionLineNumber(S->getBeginLoc())) +
           " " + What)
              .str()};
}

HostPaths::Effect HostPaths::effectOfCall(const CallExpr *C,
                                          const CallSet &Removed) const {
  if (isa<CUDAKernelCallExpr>(C) || Removed.contains(C))
    return {};
  const CheckedCall *Known = Calls.find(C);
  switch (classifyCudaCall(C, Context)) {
  case CudaCall::Wait:
  case CudaCall::WaitStream:
  case CudaCall::CopyToHost:
    return {Effect::Waits, Known && Known->Checked, ""};
  case CudaCall::ErrorQuery:
    return {Effect::AsksForErrors, Known && Known->Checked, ""};
  case CudaCall::Configure:
  case CudaCall::CopyToDevice:
  case CudaCall::CopyOnDevice:
  case CudaCall::Fill:
  case CudaCall::Allocate:
  case CudaCall::Query:
    return {};
  case CudaCall::Free:
    return shows(C, "frees memory that may be in use");
  case CudaCall::Other:
    return shows(C, "calls " + C->getDirectCallee()->getName());
  case CudaCall::None:
    break;
  }
  const FunctionDecl *Callee = C->getDirectCallee();
  if (isQuietFunction(Callee, Context))
    return {};
  // A function that only looks at a result, with no failure to look at.
  for (const CheckedCall &Checked : Calls.all())
    if (findIn(Checked.Statement, [&](const Stmt *S) { return S == C; }))
      return {};
  return shows(C, Callee && Callee->getIdentifier()
                      ? "calls " + Callee->getName()
                      : llvm::Twine("calls what is not seen"));
}

/// A destructor of the program's own may do anything.
static bool isQuietDestruction(QualType T, const ASTContext &Context) {
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return !R || R->hasTrivialDestructor() ||
         (R->isInStdNamespace() &&
          isQuietFunction(R->getDestructor(), Context));
}

HostPaths::Effect HostPaths::effectOf(const CFGElement &E,
                                      const CallSet &Removed) const {
  if (auto Destroys = E.getAs<CFGAutomaticObjDtor>()) {
    if (isQuietDestruction(Destroys->getVarDecl()->getType(), Context))
      return {};
    return shows(Destroys->getTriggerStmt(), "destroys an object");
  }
  auto Step = E.getAs<CFGStmt>();
  if (!Step)
    return {};
  const Stmt *S = Step->getStmt();
  if (const auto *C = dyn_cast<CallExpr>(S))
    return effectOfCall(C, Removed);
  if (const auto *C = dyn_cast<CXXConstructExpr>(S))
    return isQuietFunction(C->getConstructor(), Context)
               ? Effect()
               : shows(S, "makes an object");
  if (isa<ReturnStmt>(S))
    return shows(S, "returns");
  if (isa<CXXThrowExpr>(S))
    return shows(S, "throws");
  if (const auto *Lvalue = dyn_cast<DeclRefExpr>(S))
    if (Lvalue->getType().isVolatileQualified())
      return shows(S, "uses a volatile variable");
  return {};
}

bool HostPaths::walkBlock(Position &From, const CallSet &Removed,
                          const StmtSet *Inside, std::string &Why) const {
  for (size_t I = From.Element; I < From.Block->size(); ++I) {
    const CFGElement Element = (*From.Block)[I];
    auto Step = Element.getAs<CFGStmt>();
    if (Step && Calls.isAfterFailure(Step->getStmt()))
      return false;
    // The graph makes declarations of its own where one declares several.
    if (Inside && Step && !isa<DeclStmt>(Step->getStmt()) &&
        !Inside->contains(Step->getStmt()))
      return false;
    Effect Does = effectOf(Element, Removed);
    switch (Does.K) {
    case Effect::Nothing:
      break;
    case Effect::AsksForErrors:
      From.NeedsCheck |= Does.Checked;
      break;
    case Effect::Waits:
      if (From.NeedsCheck && !Does.Checked)
        Why = "an error that the next wait finds would not be noticed";
      return false;
    case Effect::Shows:
      Why = Does.Why;
      return false;
    }
  }
  return true;
}

std::string HostPaths::whyMissed(const CheckedCall &Wait,
                                 const CallSet &Removed,
                                 const Stmt *Sunk) const {
  auto Start = Places.find(Wait.Call);
  if (!Graph || Start == Places.end())
    return "its paths cannot be told";
  auto [Block, Element] = Start->second;
  StmtSet Inside;
  findIn(Sunk, [&](const Stmt *S) {
    Inside.insert(S);
    return false;
  });
  std::vector<Position> Open{{Block, Element + 1, Wait.Checked}};
  std::set<std::pair<const CFGBlock *, bool>> Seen;
  std::string Why;
  while (!Open.empty()) {
    Position At = Open.back();
    Open.pop_back();
    if (!walkBlock(At, Removed, Sunk ? &Inside : nullptr, Why)) {
      if (!Why.empty())
        return Why;
      continue;
    }
    // A return shows; by any other way out \p Sunk has been left.
    if (At.Block == &Graph->getExit() && Sunk)
      continue;
    if (At.Block == &Graph->getExit())
      return F.getNameAsString() + " ends before the host waits again";
    for (const CFGBlock *Next : At.Block->succs())
      if (Next && Seen.insert({Next, At.NeedsCheck}).second)
        Open.push_back({Next, 0, At.NeedsCheck});
  }
  return "";
}

} // namespace cudal1
