//===- DropBuffer.cpp - drop-buffer ---------------------------------------===//
//
// Kernels that were made one of several still write each intermediate vector to
// memory: the compiler cannot know that nobody reads it. Where nobody does, the
// store is a fourth or a third of all the traffic of an element-wise kernel.
//
//===----------------------------------------------------------------------===//

#include "../HostUnit.h"
#include "../KernelReferences.h"
#include "../ListItems.h"
#include "../OwnValue.h"
#include "../PrivateBuffer.h"
#include "../StoredProduct.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Keeps in a variable what each thread of a kernel writes to its element of a
/// buffer and reads back, where nothing else reads that buffer.
class DropBuffer : public Rule {
public:
  llvm::StringRef name() const override { return "drop-buffer"; }
  llvm::StringRef summary() const override {
    return "Keeps in a variable what each thread of a kernel writes to its "
           "element of a buffer and reads back, where nothing else reads that "
           "buffer.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

/// A parameter of a kernel, and the buffer that its one launch passes.
struct Dropped {
  const Kernel *Of = nullptr;
  const Launch *At = nullptr;
  OwnValue Value;
  PrivateBuffer Buffer;
};

} // namespace

/// Puts the variable in the place of the element.
static void writeValue(EditBuilder &Builder, const Kernel &K,
                       const OwnValue &V) {
  Builder.setSide(Side::Device);
  const ParmVarDecl *P = V.Parameter->Decl;
  std::string Name = plainName(P);
  // The parameter's own name is free once it is gone.
  if (Name != P->getName())
    Name = freshName(K.Function, Name);
  std::string Type = spellElementType(P, V.Parameter->Pointee, *K.Context);
  if (Type.empty())
    return Builder.fail("the type of an element cannot be written");
  if (!V.IsAssignment)
    Builder.insertLinesBefore(V.Place, Type + " " + Name + ";");
  bool Declares = V.IsAssignment;
  for (const MemoryAccess *Access : V.Accesses)
    Builder.replace(Access->Expression->getSourceRange(),
                    std::exchange(Declares, false) ? Type + " " + Name : Name);
  replaceParameter(Builder, *K.Function, V.Parameter->Index, {});
}

static llvm::Expected<Edit> drop(const ProgramAnalysis &A, const Dropped &D) {
  EditBuilder Builder(A.program(), Side::Device);
  writeValue(Builder, *D.Of, D.Value);
  replaceArgument(Builder, *D.At, D.Value.Parameter->Index, {});
  D.Buffer.remove(Builder);
  return Builder.finish();
}

static std::optional<Dropped>
droppedAt(const Kernel &K, const KernelParameter &P, const ProgramAnalysis &A) {
  const Launch *L = K.Launches.front();
  std::string Obstacle;
  auto Threads = ThreadsOf::of({L, &K, nullptr}, Obstacle);
  if (!Threads || !P.IsPointer)
    return std::nullopt;
  auto Value = OwnValue::of(*Threads, P, StatementTree(K), Obstacle);
  const Expr *Argument = L->Arguments[P.Index]->IgnoreParenCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Argument);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!Value || !V || !L->HostFunction)
    return std::nullopt;
  auto Buffer = PrivateBuffer::of(V, *L->HostFunction, A, Obstacle);
  if (!Buffer || Buffer->uses().size() != 1)
    return std::nullopt;
  return Dropped{&K, L, std::move(*Value), std::move(*Buffer)};
}

static Site siteOf(const Rule &R, const ProgramAnalysis &A, const Dropped &D) {
  std::string Buffer = D.Buffer.pointer()->getName().str();
  Site S = hostSiteAt(R, A, D.At->Call->getBeginLoc());
  S.Subject = Buffer;
  S.Description = "keep in a variable what " + D.Of->Name + " writes to " +
                  Buffer + " and reads back";
  S.LoopDepth = D.At->HostLoop ? 1 : 0;
  S.HostLaunches = 1;
  S.Class = classOfStores(*D.Of, D.Value.Parameter->Decl);
  S.Evidence = {"each thread accesses its own element only, and writes it "
                "before it reads it",
                "the host does no more with " + Buffer +
                    " than make it, pass it to this launch and release it"};
  S.Apply = [&A, D](const RewriteParams &) { return drop(A, D); };
  return S;
}

void DropBuffer::findHostSites(const ProgramAnalysis &A,
                               std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  for (const std::unique_ptr<Kernel> &K : A.kernels()) {
    if (!mayChangeParameters(*K, A))
      continue;
    for (const KernelParameter &P : K->Parameters) {
      std::optional<Dropped> D = droppedAt(*K, P, A);
      // What cannot be written is no site.
      llvm::Expected<Edit> Trial =
          D ? drop(A, *D) : llvm::Expected<Edit>(Edit());
      if (!Trial)
        llvm::consumeError(Trial.takeError());
      else if (D)
        Out.push_back(siteOf(*this, A, *D));
    }
  }
}

std::unique_ptr<Rule> createDropBufferRule() {
  return std::make_unique<DropBuffer>();
}

} // namespace cudal1
