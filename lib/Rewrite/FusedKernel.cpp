//===- FusedKernel.cpp - Two kernels as one -------------------------------===//

#include "FusedKernel.h"
#include "KernelReferences.h"
#include "SourceLines.h"
#include "StoredProduct.h"
#include "cudal1/Rewrite/Spelling.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// Longer names than this say little.
static constexpr size_t LongestName = 48;
/// Where a line of a list breaks.
static constexpr size_t LineWidth = 80;

static bool accessesMemory(const Kernel &K, const Stmt *S) {
  return findIn(S, [&](const Stmt *Inner) {
    return isa<CallExpr>(Inner) ||
           llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
             return Access.Expression == Inner;
           });
  });
}

static bool leavesOnly(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return Block->size() == 1 && isa<ReturnStmt>(Block->body_front());
  return isa<ReturnStmt>(S);
}

KernelParts KernelParts::of(const Kernel &K) {
  KernelParts Parts;
  const auto *Body = cast<CompoundStmt>(K.Function->getBody());
  const auto *It = Body->body_begin(), *End = Body->body_end();
  for (; It != End && isa<DeclStmt>(*It) && !accessesMemory(K, *It); ++It)
    Parts.Numbers.push_back(cast<DeclStmt>(*It));
  const auto *If = It == End ? nullptr : dyn_cast<IfStmt>(*It);
  bool Plain = If && !If->getElse() && !If->getInit() &&
               !If->getConditionVariable() && !If->isConstexpr() &&
               !If->getBeginLoc().isMacroID() &&
               !If->getCond()->getBeginLoc().isMacroID() &&
               !accessesMemory(K, If->getCond()) &&
               !If->getCond()->HasSideEffects(*K.Context, false);
  if (Plain && leavesOnly(If->getThen())) {
    Parts.Guard = If;
    Parts.Leaves = true;
    ++It;
  } else if (Plain && std::next(It) == End) {
    Parts.Guard = If;
    if (const auto *Block = dyn_cast<CompoundStmt>(If->getThen()))
      Parts.Work.assign(Block->body_begin(), Block->body_end());
    else
      Parts.Work.push_back(If->getThen());
    return Parts;
  }
  Parts.Work.assign(It, End);
  return Parts;
}

FusedKernel::FusedKernel(const LaunchPair &Pair, const ThreadsOf &First,
                         const ThreadsOf &Second, const ProgramAnalysis &A)
    : Pair(Pair), First(First), Second(Second), A(A) {
  if (!isPlain(First.kernel()) || !isPlain(Second.kernel()))
    return;
  FirstParts = KernelParts::of(First.kernel());
  SecondParts = KernelParts::of(Second.kernel());
  auto Returns = [](const Stmt *S) {
    return findIn(S, [](const Stmt *Inner) { return isa<ReturnStmt>(Inner); });
  };
  if (First.kernel().Function->getDeclContext() !=
      Second.kernel().Function->getDeclContext())
    no("the kernels stand in different namespaces");
  if (FirstParts.Work.empty() || SecondParts.Work.empty())
    no("a kernel does nothing");
  if (llvm::any_of(FirstParts.Work, Returns))
    no("a thread of the first kernel may return before its end");
  Parameters.emplace(First, Second, A);
  no(Parameters->obstacle());
  Unit = EditBuilder(A.program(), Side::Device)
             .indentUnit(First.kernel().Function->getBody()->getBeginLoc());
}

/// A function of the main file that can be read and written as text.
bool FusedKernel::isPlain(const Kernel &K) {
  const Program &P = A.program();
  const SourceManager &SM = P.sources(Side::Device);
  const FunctionDecl *F = K.Function;
  EditBuilder Texts(P, Side::Device);
  auto No = [&](const char *Why) {
    no(K.Name + " " + Why);
    return false;
  };
  if (!K.Editable || K.IsTemplate || F != K.Pattern || F->isTemplated() ||
      isa<CXXMethodDecl>(F))
    return No("is a template or cannot be edited");
  if (P.pathOf(Side::Device, SM.getFileID(SM.getFileLoc(F->getLocation()))) !=
      P.file())
    return No("stands in a header");
  if (K.HasLaunchBounds || F->isExternC())
    return No("has attributes");
  if (!isa<CompoundStmt>(F->getBody()) ||
      F->getBody()->getBeginLoc().isMacroID() ||
      spansDirective(*K.Context, F->getSourceRange()))
    return No("holds preprocessor directives");
  if (!isVisible(K))
    return No("is defined behind the launch");
  return true;
}

/// The definition of \p K stands before the function that launches it.
bool FusedKernel::isVisible(const Kernel &K) const {
  const Launch &L = First.launch();
  const SourceManager &SM = A.program().sources(Side::Host);
  for (const Launch *Each : K.Launches)
    if (const FunctionDecl *F =
            Each->Callee ? Each->Callee->getDefinition() : nullptr)
      return SM.isBeforeInTranslationUnit(
          SM.getExpansionLoc(F->getEndLoc()),
          SM.getExpansionLoc(L.HostFunction->getBeginLoc()));
  return false;
}

FpClass FusedKernel::fpClass() const { return classOfStores(First.kernel()); }

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The condition under which a thread works, with new names.
std::string FusedKernel::guardOf(const KernelParts &Parts, RenamedText &Text,
                                 const Kernel &K, const NewNames &Names) const {
  const Expr *Condition = Parts.Guard->getCond();
  if (!Parts.Leaves)
    return Text.of(Condition);
  std::string Negated = spellNegated(Condition, *K.Context), Result;
  // Its words are variables of the kernel, members and macros.
  for (size_t At = 0; At < Negated.size();) {
    size_t End = At;
    while (End < Negated.size() &&
           (llvm::isAlnum(Negated[End]) || Negated[End] == '_'))
      ++End;
    std::string Word = Negated.substr(At, std::max<size_t>(End - At, 1));
    bool Member = At > 0 && (Negated[At - 1] == '.' || Negated[At - 1] == '>');
    if (!Member)
      for (const auto &[V, Name] : Names)
        if (V->getName() == Word) {
          Result += Name;
          Word.clear();
          break;
        }
    Result += Word;
    At += std::max<size_t>(End - At, 1);
  }
  return Result;
}

/// Declarations in front; of the second kernel (\p Again) those of numbers that
/// the fused kernel does not have already.
void FusedKernel::addNumbers(const KernelParts &Parts, RenamedText &Text,
                             bool Again, std::vector<std::string> &Into) const {
  for (const DeclStmt *S : Parts.Numbers) {
    bool Known = Again && llvm::all_of(S->decls(), [&](const Decl *D) {
                   return Parameters->isInherited(cast<VarDecl>(D));
                 });
    if (!Known)
      Into.push_back(Text.between(Text.beginOf(S), Text.endOf(S)));
  }
}

/// The text of the work, comments included.
std::string FusedKernel::work(const KernelParts &Parts, const Kernel &K,
                              RenamedText &Text) const {
  const auto *Body = cast<CompoundStmt>(K.Function->getBody());
  if (Parts.Guard && !Parts.Leaves) {
    if (const auto *Block = dyn_cast<CompoundStmt>(Parts.Guard->getThen()))
      return Text.between(Text.offsetOf(Block->getLBracLoc()) + 1,
                          Text.offsetOf(Block->getRBracLoc()));
    return Text.between(Text.beginOf(Parts.Guard->getThen()),
                        Text.endOf(Parts.Guard->getThen()));
  }
  const Stmt *Before = Parts.Guard;
  if (!Before && !Parts.Numbers.empty())
    Before = Parts.Numbers.back();
  return Text.between(Before ? Text.endOf(Before)
                             : Text.offsetOf(Body->getLBracLoc()) + 1,
                      Text.offsetOf(Body->getRBracLoc()));
}

static void addLines(llvm::StringRef Text, llvm::StringRef Indent,
                     std::string &To) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Text.split(Parts, '\n');
  for (llvm::StringRef Part : Parts)
    To += (Part.empty() ? "" : Indent.str() + Part.str()) + "\n";
}

std::string FusedKernel::body() {
  RenamedText Producer(First.kernel(), Parameters->ofFirst());
  RenamedText Consumer(Second.kernel(), Parameters->ofSecond());
  std::vector<std::string> Ours, Theirs;
  addNumbers(FirstParts, Producer, false, Ours);
  addNumbers(SecondParts, Consumer, true, Theirs);
  std::string OurGuard, TheirGuard;
  if (FirstParts.Guard)
    OurGuard =
        guardOf(FirstParts, Producer, First.kernel(), Parameters->ofFirst());
  if (SecondParts.Guard)
    TheirGuard =
        guardOf(SecondParts, Consumer, Second.kernel(), Parameters->ofSecond());
  std::string OurWork = work(FirstParts, First.kernel(), Producer);
  std::string TheirWork = work(SecondParts, Second.kernel(), Consumer);
  no(Producer.obstacle());
  no(Consumer.obstacle());
  std::string Result;
  for (const std::string &Number : Ours)
    addLines(Number, Unit, Result);
  bool Together = OurGuard == TheirGuard;
  bool Leaves = Together && FirstParts.Leaves;
  std::string Inner = OurGuard.empty() || Leaves ? Unit : Unit + Unit;
  if (Leaves)
    addLines(Producer.between(Producer.beginOf(FirstParts.Guard),
                              Producer.endOf(FirstParts.Guard)),
             Unit, Result);
  else if (!OurGuard.empty())
    Result += Unit + "if (" + OurGuard + ") {\n";
  addLines(OurWork, Inner, Result);
  bool Closed = !Together && !OurGuard.empty();
  if (Closed) {
    Result += Unit + "}\n";
    Inner = Unit;
  }
  for (const std::string &Number : Theirs)
    addLines(Number, Inner, Result);
  if (!Together && !TheirGuard.empty()) {
    Result += Unit + "if (" + TheirGuard + ") {\n";
    Inner = Unit + Unit;
  }
  addLines(TheirWork, Inner, Result);
  if (Inner != Unit)
    Result += Unit + "}\n";
  return Result;
}

/// \p Head with \p Items behind it, in lines that begin below the first item.
static std::string listed(llvm::StringRef Head,
                          llvm::ArrayRef<std::string> Items, size_t Column) {
  std::string Result = Head.str();
  size_t Begin = Column + Head.size(), At = Begin;
  for (auto [I, Item] : llvm::enumerate(Items)) {
    bool Last = I + 1 == Items.size();
    if (I && At + Item.size() + 2 > LineWidth) {
      Result = llvm::StringRef(Result).rtrim().str() + "\n" +
               std::string(Begin, ' ');
      At = Begin;
    }
    Result += Item + (Last ? "" : ", ");
    At += Item.size() + 2;
  }
  return Result;
}

std::string FusedKernel::head(llvm::StringRef Name) const {
  std::vector<std::string> Items;
  for (const FusedParameter &P : Parameters->all())
    Items.push_back(P.Text);
  const FunctionDecl *Of[] = {First.kernel().Function,
                              Second.kernel().Function};
  bool Static = llvm::all_of(Of, [](const FunctionDecl *F) {
    return F->getStorageClass() == SC_Static;
  });
  return listed((Static ? "static __global__ void " : "__global__ void ") +
                    Name.str() + "(",
                Items, 0) +
         ")";
}

std::string FusedKernel::name() const {
  std::string Name =
      joinWords(First.kernel(), {First.kernel().Function->getName(),
                                 Second.kernel().Function->getName()});
  if (Name.size() > LongestName)
    Name = joinWords(First.kernel(), {"fused", "steps"});
  return freshName(First.kernel().Function, Name);
}

void FusedKernel::writeKernel(EditBuilder &Builder, llvm::StringRef Name) {
  Builder.setSide(Side::Device);
  const Kernel &K = First.kernel(), &L = Second.kernel();
  const SourceManager &SM = K.Context->getSourceManager();
  std::string Text = head(Name) + " {\n" + body() + "}";
  if (!Obstacle.empty())
    return Builder.fail(Obstacle);
  bool Later = SM.isBeforeInTranslationUnit(K.Function->getBeginLoc(),
                                            L.Function->getBeginLoc());
  const Kernel &Last = Later ? L : K, &Earlier = Later ? K : L;
  SourceRange OfLast = withComments(Last), OfEarlier = withComments(Earlier);
  auto Comments = [&](const Kernel &Of, SourceRange Range) {
    unsigned Begin = SM.getFileOffset(Range.getBegin());
    unsigned End =
        SM.getFileOffset(SM.getExpansionLoc(Of.Function->getBeginLoc()));
    return SM.getBufferData(SM.getFileID(Range.getBegin()))
        .slice(Begin, End)
        .str();
  };
  std::string Above =
      &K == &L ? ""
               : Comments(K, withComments(K)) + Comments(L, withComments(L));
  if (&K != &L && isNamedByLaunchAlone(Earlier, A)) {
    // The blank lines behind it go with it, if nothing else stands there.
    SourceLocation End = OfEarlier.getEnd();
    llvm::StringRef Rest =
        SM.getBufferData(SM.getFileID(End)).substr(SM.getFileOffset(End) + 1);
    size_t Next = Rest.find_first_not_of(" \t\r\n");
    bool Adjacent =
        Next != llvm::StringRef::npos &&
        SM.getFileOffset(End) + 1 + Next == SM.getFileOffset(OfLast.getBegin());
    if (Adjacent && isNamedByLaunchAlone(Last, A))
      return Builder.replace(SourceRange(OfEarlier.getBegin(), OfLast.getEnd()),
                             Above + Text);
    Builder.replace(OfEarlier, "");
  }
  if (&K != &L && isNamedByLaunchAlone(Last, A))
    return Builder.replace(OfLast, Above + Text);
  Builder.insertAfterToken(OfLast.getEnd(), "\n\n" + Above + Text);
}

void FusedKernel::writeLaunch(EditBuilder &Builder,
                              llvm::StringRef Name) const {
  Builder.setSide(Side::Host);
  const auto *Call = cast<CUDAKernelCallExpr>(First.launch().Call);
  std::vector<std::string> Items;
  for (const FusedParameter &P : Parameters->all()) {
    std::string Text = Builder.text(P.Argument->getSourceRange()).str();
    if (Text.empty() || Text.find("//") != std::string::npos)
      return Builder.fail("an argument of a launch is made by a macro");
    Items.push_back(Text);
  }
  const SourceManager &SM = A.program().sources(Side::Host);
  SourceRange Callee = Call->getCallee()->getSourceRange();
  SourceLocation Begin = First.launch().Arguments.front()->getBeginLoc();
  Builder.replace(Callee, Name);
  Builder.replace(
      SourceRange(Begin, First.launch().Arguments.back()->getEndLoc()),
      listed("", Items,
             SM.getExpansionColumnNumber(Begin) - 1 + Name.size() -
                 Builder.text(Callee).size()));
  Builder.removeStatement(Pair.Second.Statement);
  if (Pair.AskedTwice)
    Builder.removeStatement(Pair.AskedTwice);
}

std::vector<KernelMerge> FusedKernel::merges() const {
  const std::string &Old = First.kernel().Name;
  size_t Scope = Old.rfind("::");
  std::string Into =
      (Scope == std::string::npos ? "" : Old.substr(0, Scope + 2)) + name();
  if (Old == Second.kernel().Name)
    return {{Old, Into, 2}};
  return {{Old, Into, 1}, {Second.kernel().Name, Into, 1}};
}

void FusedKernel::write(EditBuilder &Builder) {
  std::string Name = name();
  writeLaunch(Builder, Name);
  writeKernel(Builder, Name);
}

} // namespace cudal1
