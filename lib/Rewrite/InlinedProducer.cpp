//===- InlinedProducer.cpp - An element computed where it is read ---------===//

#include "InlinedProducer.h"
#include "FusedKernel.h"
#include "KernelReferences.h"
#include "LaunchCoverage.h"
#include "ListItems.h"
#include "StoredProduct.h"
#include "cudal1/Analysis/HostPointers.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace clang;

namespace cudal1 {

static const VarDecl *variableIn(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// The parameter n of the guard `if (i < n)`, or `if (i >= n) return;`.
static const KernelParameter *countOf(const ThreadsOf &Threads,
                                      const KernelParts &Parts) {
  const auto *Test =
      Parts.Guard
          ? dyn_cast<BinaryOperator>(Parts.Guard->getCond()->IgnoreParens())
          : nullptr;
  if (!Test || Test->getOpcode() != (Parts.Leaves ? BO_GE : BO_LT))
    return nullptr;
  const VarDecl *Number = variableIn(Test->getLHS());
  const VarDecl *Bound = variableIn(Test->getRHS());
  const KernelParameter *P = Threads.kernel().parameter(Bound);
  bool Alike =
      P && Number && !P->Reassigned &&
      llvm::is_contained(Threads.elements().Along[0].Variables, Number) &&
      Threads.kernel().Context->hasSameUnqualifiedType(Number->getType(),
                                                       Bound->getType());
  return Alike ? P : nullptr;
}

/// Evaluating \p E, with other numbers in place of the variables \p Numbers,
/// needs no more than the kernel's parameters.
static bool needsParametersAlone(const Expr *E, const Kernel &K,
                                 llvm::ArrayRef<const VarDecl *> Numbers) {
  return !findIn(E, [&](const Stmt *S) {
    if (const auto *Op = dyn_cast<BinaryOperator>(S))
      return Op->isAssignmentOp();
    if (const auto *Op = dyn_cast<UnaryOperator>(S))
      return Op->isIncrementDecrementOp() || Op->getOpcode() == UO_AddrOf;
    if (isa<LambdaExpr, StmtExpr, PseudoObjectExpr>(S))
      return true;
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && !K.parameter(V) && !llvm::is_contained(Numbers, V);
  });
}

std::optional<ElementProducer> ElementProducer::of(const ThreadsOf &Threads,
                                                   std::string &Obstacle) {
  const Kernel &K = Threads.kernel();
  auto No = [&](const char *Why) {
    Obstacle = K.Name + " " + Why;
    return std::nullopt;
  };
  KernelParts Parts = KernelParts::of(K);
  if (Threads.elements().isPlane() || Parts.Work.size() != 1 ||
      Parts.Numbers.size() != 1)
    return No("does more than one assignment");
  ElementProducer E;
  E.Count = countOf(Threads, Parts);
  const auto *Work = dyn_cast<Expr>(Parts.Work.front());
  const auto *Sets =
      Work ? dyn_cast<BinaryOperator>(Work->IgnoreImplicit()) : nullptr;
  if (!E.Count || !Sets || Sets->getOpcode() != BO_Assign)
    return No("does more than one assignment under a bound");
  for (const MemoryAccess &Access : K.Accesses) {
    if (Access.Expression->IgnoreParens() == Sets->getLHS()->IgnoreParens())
      E.Store = &Access;
    else if (Access.writes() || Access.InCallee)
      return No("writes more than one element");
  }
  const auto Own = E.Store ? Threads.ownElement(*E.Store) : std::nullopt;
  E.Into = E.Store ? K.parameter(E.Store->Base) : nullptr;
  if (!E.Into || !Own || Own->PerThread != 1 || Own->Width ||
      !E.Store->Member.empty())
    return No("does not write its own element");
  if (E.Into->Use.Read || E.Into->Use.Escapes || E.Into->Reassigned)
    return No("reads what it writes");
  E.Value = Sets->getRHS();
  if (!needsParametersAlone(E.Value, K,
                            Threads.elements().Along[0].Variables) ||
      llvm::any_of(K.Parameters,
                   [](const KernelParameter &P) { return P.Reassigned; }))
    return No("computes with variables of its own");
  return E;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// `r[index]` once, and nothing else of the parameter.
std::string InlinedProducer::whyNotRead() {
  const Kernel &K = consumer();
  for (const BufferUse &Use : Buffer.uses())
    if (Use.To == Pair.Second.What)
      From = &K.Parameters[Use.Argument];
  if (!From || !From->IsPointer || From->Use.Written || From->Use.Escapes ||
      From->Use.Atomic || From->Reassigned ||
      From->Decl->getType()->getPointeeType().isVolatileQualified() ||
      mentionsIn(K.Function->getBody(), From->Decl) != 1)
    return K.Name + " does more with the buffer than read an element";
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Base == From->Decl)
      Read = &Access;
  const auto *Subscript =
      Read ? dyn_cast<ArraySubscriptExpr>(Read->Expression->IgnoreParens())
           : nullptr;
  if (!Subscript || Read->InCallee || !Read->Member.empty() ||
      variableIn(Subscript->getBase()) != From->Decl)
    return K.Name + " reads the buffer in an unusual form";
  const ASTContext &Context = *K.Context;
  QualType Number = First.elements().Along[0].Variables.front()->getType();
  const Expr *Index = Subscript->getIdx()->IgnoreImplicit();
  if (!Context.hasSameUnqualifiedType(Index->getType(), Number))
    return "the index has another type than the number of a thread";
  if (findIn(Index, [](const Stmt *S) {
        const auto *Op = dyn_cast<UnaryOperator>(S);
        const auto *B = dyn_cast<BinaryOperator>(S);
        return isa<CallExpr, LambdaExpr>(S) ||
               (Op && Op->isIncrementDecrementOp()) ||
               (B && B->isAssignmentOp());
      }))
    return "the index does more than compute";
  if (!Context.hasSameUnqualifiedType(From->Pointee, Of.Into->Pointee))
    return "the kernels take elements of the buffer for different types";
  return "";
}

/// Every element read is one that the first kernel writes.
std::string InlinedProducer::whyOutside(const StatementTree &Tree) const {
  const Kernel &K = consumer();
  const ASTContext &Context = A.program().context(Side::Host);
  Guards Known(K, Tree, Read->Expression);
  if (!Known.provesNonNegative(Read->Index))
    return "the index may be negative";
  const Expr *Count = First.argumentOf(*Of.Count->Decl);
  for (const KernelParameter &P : K.Parameters) {
    auto Id = K.Symbols.findVariable(P.Decl);
    if (P.Reassigned || !Id || !isSameValue(argument(P), Count, Context))
      continue;
    if (Known.provesNonNegative(Polynomial::symbol(*Id) - Read->Index - 1))
      return "";
  }
  return "the index may be no less than what bounds the elements";
}

/// Nothing that the second kernel writes goes into the elements.
std::string InlinedProducer::whyChanged() const {
  HostPointers Pointers(A.hostIndex());
  const Kernel &K = consumer();
  for (const MemoryAccess &Y : K.Accesses) {
    if (!Y.writes() || Y.Space == MemorySpace::Shared ||
        Y.Space == MemorySpace::Local)
      continue;
    const KernelParameter *To = Y.Base ? K.parameter(Y.Base) : nullptr;
    if (!To)
      return K.Name + " may write anywhere";
    for (const MemoryAccess &X : producer().Accesses) {
      const Expr *Input = First.bufferOf(X);
      if (X.writes() || !Input)
        continue;
      if (!Pointers
               .mayOverlap(Input, argument(*To),
                           {Pair.First.What->HostFunction, {}})
               .disjoint())
        return K.Name + " may write what the elements are made of";
    }
  }
  return "";
}

/// What the value names means the same in the second kernel.
std::string InlinedProducer::whyNamed() const {
  const Kernel &P = producer(), &K = consumer();
  const SourceManager &SM = P.Context->getSourceManager();
  if (!SM.isBeforeInTranslationUnit(P.Function->getEndLoc(),
                                    K.Function->getBeginLoc()) ||
      P.Function->getDeclContext() != K.Function->getDeclContext())
    return "the kernels stand in another order";
  if (spansDirective(*P.Context, SourceRange(P.Function->getBeginLoc(),
                                             K.Function->getEndLoc())))
    return "preprocessor directives stand between the kernels";
  std::set<std::string> Hidden;
  findIn(K.Function->getBody(), [&](const Stmt *S) {
    if (const auto *Declares = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Declares->decls())
        if (const auto *Named = dyn_cast<NamedDecl>(D))
          Hidden.insert(Named->getNameAsString());
    return false;
  });
  for (const ParmVarDecl *Each : K.Function->parameters())
    Hidden.insert(Each->getName().str());
  bool Found = findIn(Of.Value, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return Ref && !isa<VarDecl>(Ref->getDecl()) &&
           Hidden.count(Ref->getDecl()->getNameAsString());
  });
  return Found ? "a name means something else in " + K.Name : "";
}

std::optional<InlinedProducer> InlinedProducer::of(const LaunchPair &Pair,
                                                   const ProgramAnalysis &A,
                                                   std::string &Obstacle) {
  const Kernel &P = *Pair.First.Of, &K = *Pair.Second.Of;
  const Launch &L = *Pair.First.What;
  auto Threads = ThreadsOf::of(Pair.First, Obstacle);
  auto E = Threads ? ElementProducer::of(*Threads, Obstacle) : std::nullopt;
  const auto *V =
      E ? variableIn(L.Arguments[E->Into->Index]->IgnoreParenCasts()) : nullptr;
  if (!E || !V || &P == &K)
    return std::nullopt;
  if (!mayChangeParameters(K, A) || !K.UnknownCalls.empty() || K.HasAsm) {
    Obstacle = K.Name + " cannot get other parameters";
    return std::nullopt;
  }
  if (!coversBound(*E->Count->Decl, 0, {{&L}, {&L}}, A)) {
    Obstacle = "the launch of " + P.Name + " may leave out elements";
    return std::nullopt;
  }
  auto Buffer = PrivateBuffer::of(V, *L.HostFunction, A, Obstacle);
  if (!Buffer || Buffer->uses().size() != 2)
    return std::nullopt;
  InlinedProducer Result(Pair, *Threads, *E, *Buffer, A);
  Obstacle = Result.whyNotRead();
  if (Obstacle.empty())
    Obstacle = Result.whyOutside(StatementTree(K));
  if (Obstacle.empty())
    Obstacle = Result.whyChanged();
  if (Obstacle.empty())
    Obstacle = Result.whyNamed();
  return Obstacle.empty() ? std::optional(Result) : std::nullopt;
}

FpClass InlinedProducer::fpClass() const {
  return classOfStores(producer(), Of.Into->Decl);
}

unsigned InlinedProducer::loopDepth() const {
  return Read->InLoop ? Read->InLoop->Depth : 0;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Names for what the value needs: the second kernel's parameters that get the
/// same, and new ones.
NewNames InlinedProducer::nameInputs(EditBuilder &Builder,
                                     std::vector<std::string> &Declared,
                                     std::vector<std::string> &Passed) const {
  const ASTContext &Host = A.program().context(Side::Host);
  NewNames Names;
  std::vector<std::string> Taken;
  for (const KernelParameter &P : producer().Parameters) {
    if (mentionsIn(Of.Value, P.Decl) == 0)
      continue;
    const Expr *Argument = First.argumentOf(*P.Decl);
    for (const KernelParameter &Known : consumer().Parameters) {
      QualType T = P.Decl->getType(), Theirs = Known.Decl->getType();
      bool Alike = P.IsPointer == Known.IsPointer && !Known.Reassigned &&
                   &Known != From &&
                   consumer().Context->hasSameUnqualifiedType(
                       P.IsPointer ? P.Pointee : T,
                       P.IsPointer ? Known.Pointee : Theirs) &&
                   isSameValue(argument(Known), Argument, Host);
      if (Alike)
        Names[P.Decl] = Known.Decl->getName().str();
    }
    if (Names.count(P.Decl))
      continue;
    std::string Name = P.Decl->getName().str();
    if (Name != From->Decl->getName())
      Name = freshName(consumer().Function, Name, Taken);
    Taken.push_back(Name);
    Names[P.Decl] = Name;
    Builder.setSide(Side::Device);
    llvm::StringRef Text = Builder.text(P.Decl->getSourceRange());
    if (!Text.ends_with(P.Decl->getName()) || Text.contains('\n') ||
        P.Decl->hasDefaultArg())
      Builder.fail("a parameter is declared in an unusual form");
    Declared.push_back(Text.drop_back(P.Decl->getName().size()).str() + Name);
    Builder.setSide(Side::Host);
    Passed.push_back(Builder.text(Argument->getSourceRange()).str());
    if (Passed.back().empty() || Passed.back().find("//") != std::string::npos)
      Builder.fail("an argument of a launch is made by a macro");
  }
  return Names;
}

/// \p E is all of what is assigned.
static bool isWholeValue(const Expr *E, const StatementTree &Tree) {
  const Stmt *Inner = E, *Parent = Tree.parent(E);
  while (isa_and_nonnull<ImplicitCastExpr>(Parent))
    Parent = Tree.parent(Inner = Parent);
  const auto *Op = dyn_cast_or_null<BinaryOperator>(Parent);
  return Op && Op->isAssignmentOp() && Op->getRHS() == Inner;
}

/// The value, rounded to the element's type, at the consumer's index.
std::string InlinedProducer::valueText(EditBuilder &Builder,
                                       const NewNames &Names) const {
  const Kernel &P = producer();
  const auto *Subscript =
      cast<ArraySubscriptExpr>(Read->Expression->IgnoreParens());
  std::string Index =
      spellOperand(Subscript->getIdx()->IgnoreImplicit(), *consumer().Context);
  if (Index.empty() || llvm::StringRef(Index).contains('\n') ||
      llvm::StringRef(Index).contains("//"))
    Builder.fail("an index is made by a macro");
  NewNames All = Names;
  for (const VarDecl *Number : First.elements().Along[0].Variables)
    All[Number] = Index;
  RenamedText Text(P, All);
  std::string Value = Text.of(Of.Value);
  if (!Text.obstacle().empty())
    Builder.fail(Text.obstacle());
  const Expr *E = Of.Value->IgnoreImplicit();
  if (P.Context->hasSameUnqualifiedType(E->getType(), Of.Into->Pointee))
    return isa<CallExpr, DeclRefExpr, ArraySubscriptExpr, ParenExpr>(E) ||
                   isWholeValue(Read->Expression, StatementTree(consumer()))
               ? Value
               : "(" + Value + ")";
  std::string Type =
      spellElementType(Of.Into->Decl, Of.Into->Pointee, *P.Context);
  if (Type.empty() || Of.Into->Pointee->isRecordType())
    Builder.fail("the type of an element cannot be written");
  return "(" + Type + ")(" + Value + ")";
}

llvm::Expected<Edit> InlinedProducer::write() const {
  EditBuilder Builder(A.program(), Side::Device);
  std::vector<std::string> Declared, Passed;
  NewNames Names = nameInputs(Builder, Declared, Passed);
  Builder.setSide(Side::Device);
  Builder.replace(Read->Expression->getSourceRange(),
                  valueText(Builder, Names));
  replaceParameter(Builder, *consumer().Function, From->Index, Declared);
  if (isNamedByLaunchAlone(producer(), A))
    Builder.removeDefinition(withComments(producer()));
  replaceArgument(Builder, *Pair.Second.What, From->Index, Passed);
  Builder.removeStatement(Pair.First.Statement);
  if (Pair.AskedTwice)
    Builder.removeStatement(Pair.AskedTwice);
  Buffer.remove(Builder);
  return Builder.finish();
}

} // namespace cudal1
