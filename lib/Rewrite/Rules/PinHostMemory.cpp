//===- PinHostMemory.cpp - pin-host-memory --------------------------------===//
//
// The GPU copies from and to page-locked memory by itself. Other memory goes
// through a buffer of the driver's, piece by piece, at half the rate or less.
// Locking costs time as well, some milliseconds for 64 MB, so it only pays for
// arrays that are copied again and again.
//
// Memory of malloc and new[] becomes memory of cudaMallocHost. Of a vector,
// the elements are registered for the time of the loop that copies them; where
// that fails they stay as they are, and copies are slower, not wrong.
//
// A cudaMemcpy waits whatever memory it is given. A cudaMemcpyAsync waits for
// pageable memory only: an array that is given to one is left alone.
//
//===----------------------------------------------------------------------===//

#include "../CudaCalls.h"
#include "../HostArrays.h"
#include "../HostLoop.h"
#include "../HostUnit.h"
#include "../LoopBuffers.h"
#include "../RepeatLoop.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Gives host arrays that are copied to or from the device again and again
/// page-locked memory, from which copies run faster.
class PinHostMemory : public Rule {
public:
  llvm::StringRef name() const override { return "pin-host-memory"; }
  llvm::StringRef summary() const override {
    return "Gives host arrays that are copied to or from the device again and "
           "again page-locked memory, from which copies run faster.";
  }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

/// An array that can be pinned.
struct HostArray {
  const VarDecl *Variable = nullptr;
  /// Around the copies, outermost.
  const Stmt *Loop = nullptr;
  /// Of a pointer: its declaration or the assignment that gives it memory, the
  /// value that it gets, and the statements that release it.
  const Stmt *Definition = nullptr;
  const Expr *Fresh = nullptr;
  std::vector<const Expr *> Releases;
  /// It is compared with null.
  bool IsTested = false;

  bool isVector() const { return !Fresh; }
};

class ArrayFinder {
public:
  ArrayFinder(const ProgramAnalysis &A, const FunctionDecl &F)
      : A(A), F(F), Context(A.program().context(Side::Host)),
        Calls(F.getBody(), Context), Uses(F, Context) {}

  std::vector<HostArray> find();
  CheckStyle style() const { return checkStyleOf(Calls, Context); }

private:
  std::optional<HostArray> read(const VarDecl *V, const DeclStmt *Declared);
  bool readVector(HostArray &H) const;
  bool readPointer(HostArray &H, const DeclStmt *Declared) const;
  bool readUses(HostArray &H) const;

  const ProgramAnalysis &A;
  const FunctionDecl &F;
  ASTContext &Context;
  CheckedCalls Calls;
  HostUses Uses;
  std::vector<const Stmt *> Loops;
};

} // namespace

static bool isInside(const Stmt *Inner, const Stmt *Outer) {
  return findIn(Outer, [Inner](const Stmt *S) { return S == Inner; });
}

static bool isCallOf(const Stmt *S, llvm::StringRef Name) {
  const auto *C = dyn_cast<CallExpr>(S);
  const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() && Callee->getName() == Name;
}

/// Every copy is one that waits, and some stand in one loop, which is not there
/// to time a kernel.
bool ArrayFinder::readUses(HostArray &H) const {
  for (const HostUse &Use : Uses.of(H.Variable)) {
    if (Use.K == HostUse::Kept || isCallOf(Use.At, "cudaHostRegister"))
      return false;
    if (Use.K == HostUse::Release)
      H.Releases.push_back(cast<Expr>(Use.At));
    H.IsTested |= Use.K == HostUse::Query && H.Fresh;
    if (Use.K != HostUse::CopyFrom && Use.K != HostUse::CopyTo)
      continue;
    if (!isCallOf(Use.At, "cudaMemcpy"))
      return false;
    for (const Stmt *Loop : Loops)
      if (!H.Loop && isInside(Use.At, Loop))
        H.Loop = Loop;
  }
  // Without a launch it times copies, or copies once.
  return H.Loop &&
         findIn(H.Loop,
                [](const Stmt *S) { return isa<CUDAKernelCallExpr>(S); }) &&
         !isRepeatLoop(H.Loop, A);
}

/// The loop leaves the vector where it is, and is left by its end or a break.
bool ArrayFinder::readVector(HostArray &H) const {
  if (!H.Variable->hasLocalStorage() || isa<ParmVarDecl>(H.Variable) ||
      H.Variable->getType()->isReferenceType())
    return false;
  for (const HostUse &Use : Uses.of(H.Variable))
    if (Use.K == HostUse::Resize && isInside(Use.Mention, H.Loop))
      return false;
  return !findIn(H.Loop, [&](const Stmt *S) {
    const auto *Declares = dyn_cast<DeclStmt>(S);
    if (Declares && llvm::is_contained(Declares->decls(), H.Variable))
      return true;
    return isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt, CXXThrowExpr,
               LambdaExpr, AsmStmt>(S) &&
           !Calls.isAfterFailure(S);
  });
}

bool ArrayFinder::readPointer(HostArray &H, const DeclStmt *Declared) const {
  const VarDecl *V = H.Variable;
  if (!Uses.isOwnMemory(V) || V->getType().isConstQualified() ||
      V->getType()->getContainedAutoType())
    return false;
  if (V->hasInit() && freshHostMemory(V->getInit())) {
    H.Definition = Declared->isSingleDecl() ? Declared : nullptr;
    H.Fresh = freshHostMemory(V->getInit());
  }
  for (const HostUse &Use : Uses.of(V))
    if (Use.K == HostUse::Define)
      if (const auto *Sets = dyn_cast<BinaryOperator>(Use.At)) {
        H.Definition = Sets;
        H.Fresh = freshHostMemory(Sets->getRHS());
      }
  if (!H.Definition || !H.Fresh || llvm::any_of(Loops, [&](const Stmt *Loop) {
        return isInside(H.Definition, Loop);
      }))
    return false;
  const auto *New = dyn_cast<CXXNewExpr>(H.Fresh);
  return New ? !New->hasInitializer() : isCallOf(H.Fresh, "malloc");
}

std::optional<HostArray> ArrayFinder::read(const VarDecl *V,
                                           const DeclStmt *Declared) {
  HostArray H;
  H.Variable = V;
  QualType T = V->getType();
  bool Vector = isVectorOfNumbers(T, Context);
  if (!Vector &&
      !(T->isPointerType() && T->getPointeeType()->isArithmeticType() &&
        !T->getPointeeType().isConstQualified() && readPointer(H, Declared)))
    return std::nullopt;
  if (!readUses(H) || (Vector && !readVector(H)))
    return std::nullopt;
  bool New = H.Fresh && isa<CXXNewExpr>(H.Fresh);
  for (const Expr *Release : H.Releases) {
    const auto *Delete = dyn_cast<CXXDeleteExpr>(Release);
    if (Vector ||
        (New ? !Delete || !Delete->isArrayForm() : !isCallOf(Release, "free")))
      return std::nullopt;
  }
  return H;
}

std::vector<HostArray> ArrayFinder::find() {
  std::vector<HostArray> Found;
  collectOuterLoops(F.getBody(), Loops);
  findIn(F.getBody(), [&](const Stmt *S) {
    if (const auto *Declares = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Declares->decls())
        if (const auto *V = dyn_cast<VarDecl>(D))
          if (std::optional<HostArray> H = read(V, Declares))
            Found.push_back(std::move(*H));
    return false;
  });
  return Found;
}

//===----------------------------------------------------------------------===//
// The edit
//===----------------------------------------------------------------------===//

/// Bytes of the memory that `malloc(n)` or `new T[n]` makes.
static std::string bytesText(const HostArray &H, const ASTContext &Context) {
  const auto *New = dyn_cast<CXXNewExpr>(H.Fresh);
  if (!New)
    return spell(cast<CallExpr>(H.Fresh)->getArg(0)->IgnoreImpCasts(), Context);
  std::optional<const Expr *> Count = New->getArraySize();
  if (!Count || !*Count)
    return "";
  std::string Text = spellOperand((*Count)->IgnoreImpCasts(), Context);
  return Text.empty()
             ? ""
             : Text + " * sizeof(*" + H.Variable->getNameAsString() + ")";
}

static void pinPointer(const HostArray &H, const CheckStyle &Style,
                       const ASTContext &Context, EditBuilder &B) {
  std::string Name = H.Variable->getNameAsString();
  std::string Bytes = bytesText(H, Context);
  if (Bytes.empty())
    B.fail("the size of " + Name + " is made by a macro");
  std::string Before = Style.Before, After = Style.After;
  // The statement's own semicolon follows what is replaced.
  After.pop_back();
  std::string Make =
      Before + "cudaMallocHost((void **)&" + Name + ", " + Bytes + ")" + After;
  if (isa<DeclStmt>(H.Definition)) {
    B.replace(SourceRange(H.Variable->getLocation(),
                          H.Variable->getInit()->getEndLoc()),
              Name + (H.IsTested ? " = nullptr" : ""));
    B.insertLinesAfter(H.Definition, Make + ";");
  } else {
    B.replace(H.Definition->getSourceRange(), Make);
  }
  for (const Expr *Release : H.Releases)
    B.replace(Release->getSourceRange(),
              Before + "cudaFreeHost(" + Name + ")" + After);
}

static void pinVector(const HostArray &H, const FunctionDecl &F,
                      const CheckStyle &Style, EditBuilder &B) {
  std::string Name = H.Variable->getNameAsString();
  std::string Pinned = freshName(&F, Name + "Pinned");
  std::string Unit = B.indentUnit(H.Loop->getBeginLoc());
  B.insertLinesBefore(H.Loop,
                      "// Where this fails, copies are slower.\n"
                      "const bool " +
                          Pinned + " =\n" + Unit + Unit + "cudaHostRegister(" +
                          Name + ".data(), " + Name + ".size() * sizeof(" +
                          Name + "[0]),\n" + Unit + Unit +
                          "                 "
                          "cudaHostRegisterDefault) == cudaSuccess;\n"
                          "if (!" +
                          Pinned + ")\n" + Unit + "cudaGetLastError();");
  B.insertLinesAfter(H.Loop, "if (" + Pinned + ")\n" + Unit + Style.Before +
                                 "cudaHostUnregister(" + Name + ".data())" +
                                 Style.After);
}

static llvm::Expected<Edit> pin(const ProgramAnalysis &A, const FunctionDecl &F,
                                const HostArray &H, const CheckStyle &Style) {
  EditBuilder B(A.program(), Side::Host);
  if (H.isVector())
    pinVector(H, F, Style, B);
  else
    pinPointer(H, Style, A.program().context(Side::Host), B);
  return B.finish();
}

/// cudaDeviceReset takes page-locked memory away.
static bool resetsDevice(const Program &P) {
  return llvm::any_of(hostFunctions(P), [](const FunctionDecl *F) {
    return findIn(F->getBody(), [](const Stmt *S) {
      return isCallOf(S, "cudaDeviceReset") || isCallOf(S, "cudaThreadExit");
    });
  });
}

static Site siteOf(const Rule &R, const ProgramAnalysis &A,
                   const FunctionDecl &F, const HostArray &H,
                   const CheckStyle &Style) {
  std::string Name = H.Variable->getNameAsString();
  Site S = hostSiteAt(R, A, H.Variable->getLocation());
  S.Subject = Name;
  S.LoopDepth = 1;
  S.Description = H.isVector() ? "lock the pages of " + Name +
                                     " for the time of the loop that copies it"
                               : "page-locked memory for " + Name;
  S.Evidence = {"every use of " + Name +
                    " is seen, and none lets another name lead to it",
                "all of its copies wait, whatever memory they are given"};
  S.Evidence.push_back(
      H.isVector() ? "it stays where it is in the loop"
                   : "it gets memory once, and that is released as such");
  S.Apply = [&A, &F, H, Style](const RewriteParams &) {
    return pin(A, F, H, Style);
  };
  return S;
}

void PinHostMemory::findHostSites(const ProgramAnalysis &A,
                                  std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty() ||
      resetsDevice(A.program()))
    return;
  EditBuilder B(A.program(), Side::Host);
  for (const FunctionDecl *F : hostFunctions(A.program())) {
    ArrayFinder Finder(A, *F);
    for (const HostArray &H : Finder.find())
      if (!H.isVector() || B.canInsertAround(H.Loop))
        Out.push_back(siteOf(*this, A, *F, H, Finder.style()));
  }
}

std::unique_ptr<Rule> createPinHostMemoryRule() {
  return std::make_unique<PinHostMemory>();
}

} // namespace cudal1
