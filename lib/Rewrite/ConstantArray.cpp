//===- ConstantArray.cpp - A buffer that can be __constant__ --------------===//

#include "ConstantArray.h"

#include "IntegerRange.h"
#include "KernelReferences.h"
#include "LaunchArguments.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Rewrite/Spelling.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// An array beyond this would leave little to others, in bytes.
static constexpr int64_t MostArrayBytes = int64_t(16) * 1024;
/// Constant memory of a module, in bytes (CUDA C++ Programming Guide).
static constexpr int64_t ConstantMemoryBytes = int64_t(64) * 1024;

int64_t ConstantArray::bytes() const {
  return Elements *
         K->Context->getTypeSizeInChars(Parameter->Pointee).getQuantity();
}

namespace {

class ArrayFinder {
public:
  ArrayFinder(const Kernel &K, const KernelParameter &P,
              const ProgramAnalysis &A, std::string &Obstacle)
      : K(K), P(P), A(A), Obstacle(Obstacle), Tree(K),
        Host(A.program().context(Side::Host)) {
    Result.K = &K;
    Result.Parameter = &P;
  }

  std::optional<ConstantArray> find() {
    if (!isPlainKernel() || !isReadOnly() || !findReads() ||
        !readsUniformly() || !findBuffer() || !findCopies() ||
        !isEnteredOnce() || !findSize() || !findName())
      return std::nullopt;
    return std::move(Result);
  }

private:
  bool no(const llvm::Twine &Why) {
    Obstacle = Why.str();
    return false;
  }
  bool isPlainKernel();
  bool isReadOnly();
  bool findReads();
  bool isUniform(SymbolId Id, unsigned Depth) const;
  bool readsUniformly();
  bool findBuffer();
  bool findCopies();
  bool isEnteredOnce();
  bool findSize();
  bool findName();
  std::optional<int64_t> elementsRead() const;

  const Kernel &K;
  const KernelParameter &P;
  const ProgramAnalysis &A;
  std::string &Obstacle;
  StatementTree Tree;
  const ASTContext &Host;
  ConstantArray Result;
  const CallExpr *Allocation = nullptr;
};

} // namespace

/// Some `#if` or its like is open at \p Loc, or stands in \p Range.
static bool dependsOnConfiguration(const ASTContext &Context,
                                   SourceRange Range) {
  const SourceManager &SM = Context.getSourceManager();
  auto [File, Offset] =
      SM.getDecomposedLoc(SM.getExpansionLoc(Range.getBegin()));
  SourceLocation Start = SM.getLocForStartOfFile(File);
  if (spansDirective(Context, Range))
    return true;
  int Open = 0;
  llvm::StringRef Text = SM.getBufferData(File).take_front(Offset);
  llvm::SmallVector<llvm::StringRef> Rows;
  Text.split(Rows, '\n');
  for (llvm::StringRef Row : Rows) {
    Row = Row.ltrim();
    if (!Row.consume_front("#"))
      continue;
    Row = Row.ltrim();
    Open += Row.starts_with("if");
    Open -= Row.starts_with("endif");
  }
  return Start.isInvalid() || Open != 0;
}

bool ArrayFinder::isPlainKernel() {
  const FunctionDecl *F = K.Function;
  if (!K.Editable || K.IsTemplate || K.Pattern != F ||
      !F->getDeclContext()->isTranslationUnit() ||
      !F->getLexicalDeclContext()->isTranslationUnit())
    return no("the kernel is a template, or is declared in another scope");
  if (K.File != A.program().file())
    return no("the kernel stands in a header");
  if (auto Unseen = A.unseenLaunches(K))
    return no(*Unseen);
  KernelReferences References = findReferences(A.program(), K);
  if (References.escapes() || !References.ErasedType.empty())
    return no("the kernel is used other than in launches");
  if (dependsOnConfiguration(*K.Context, F->getSourceRange()))
    return no("a preprocessor directive decides what the kernel is");
  return true;
}

bool ArrayFinder::isReadOnly() {
  QualType T = P.Pointee;
  if (!P.IsPointer || P.Reassigned || T->isDependentType() ||
      !(T->isIntegerType() || T->isRealFloatingType()) ||
      T.isVolatileQualified() || P.Decl->getName().empty() ||
      P.Decl->getLocation().isMacroID())
    return no("it is no plain array of numbers");
  if (!P.Use.Read || P.Use.Written || P.Use.Atomic || P.Use.Escapes)
    return no("the kernel does more than read it");
  return true;
}

bool ArrayFinder::findReads() {
  unsigned Mentions = 0;
  bool OnlyReads = true;
  findIn(K.Function->getBody(), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref || Ref->getDecl() != P.Decl)
      return false;
    ++Mentions;
    const Stmt *Value = Tree.parentOfValue(Ref);
    const auto *Subscript = dyn_cast_or_null<ArraySubscriptExpr>(
        Value ? Tree.parentOfValue(Value) : nullptr);
    const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(
        Subscript ? Tree.parentOfValue(Subscript) : nullptr);
    if (Ref->getLocation().isMacroID() || !isa<ImplicitCastExpr>(Value) ||
        !Subscript || Subscript->getBase()->IgnoreParenImpCasts() != Ref ||
        !Load || Load->getCastKind() != CK_LValueToRValue)
      OnlyReads = false;
    else
      Result.Reads.push_back(Subscript);
    return false;
  });
  if (!OnlyReads || Mentions == 0)
    return no("it is used other than by `" + P.Decl->getName() + "[...]`");
  return true;
}

/// All threads of a warp that are at one place agree on the value.
bool ArrayFinder::isUniform(SymbolId Id, unsigned Depth) const {
  const Symbol &S = K.Symbols[Id];
  if (Depth > 8)
    return false;
  auto All = [&](const Polynomial &Form) {
    return !Form.usesAny(
        [&](SymbolId Part) { return !isUniform(Part, Depth + 1); });
  };
  switch (S.Kind) {
  case SymbolKind::BlockIdx:
  case SymbolKind::BlockDim:
  case SymbolKind::GridDim:
  case SymbolKind::Parameter:
    return true;
  case SymbolKind::LoopVariable:
    return llvm::any_of(K.Loops, [&](const auto &L) {
      return L->Variable == S.Decl && L->VariableSymbol == Id && L->Counted &&
             All(L->Lower) && All(L->StepForm);
    });
  case SymbolKind::Opaque:
    return !S.Volatile && !S.DependsOn.empty() &&
           llvm::all_of(S.DependsOn,
                        [&](SymbolId D) { return isUniform(D, Depth + 1); });
  default:
    return false;
  }
}

bool ArrayFinder::readsUniformly() {
  unsigned Reads = 0;
  for (const MemoryAccess &Access : K.Accesses) {
    if (Access.Base != P.Decl)
      continue;
    ++Reads;
    if (Access.InCallee || Access.Kind != AccessKind::Read ||
        Access.Index.usesAny([&](SymbolId Id) { return !isUniform(Id, 0); }))
      return no("the threads of a warp read different elements, which constant "
                "memory serves one after the other");
  }
  return Reads == Result.Reads.size() || no("a read of it is not understood");
}

/// The local pointer that every launch passes.
bool ArrayFinder::findBuffer() {
  for (const Launch *L : K.Launches) {
    const Expr *Passed = P.Index < L->Arguments.size()
                             ? L->Arguments[P.Index]->IgnoreParenCasts()
                             : nullptr;
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(Passed);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || !V->isLocalVarDecl() || !V->hasLocalStorage() ||
        !V->getType()->isPointerType() || (Result.Buffer && Result.Buffer != V))
      return no("the launches do not pass one local pointer");
    Result.Buffer = V;
  }
  Result.Host = dyn_cast_or_null<FunctionDecl>(
      Result.Buffer->getParentFunctionOrMethod());
  if (!Result.Host || !Result.Host->hasBody() ||
      Result.Host->isTemplateInstantiation() ||
      Result.Host->isDependentContext())
    return no("the function that launches is a template");
  const SourceManager &SM = Host.getSourceManager();
  SourceLocation At = SM.getExpansionLoc(Result.Host->getBeginLoc());
  unsigned KernelOffset =
      K.Context->getSourceManager()
          .getDecomposedExpansionLoc(K.Function->getBeginLoc())
          .second;
  if (!SM.isInMainFile(At) || SM.getFileOffset(At) < KernelOffset ||
      dependsOnConfiguration(Host, Result.Host->getSourceRange()))
    return no("the launching function stands before the kernel, or a "
              "preprocessor directive decides what it does");
  return true;
}

/// Evaluated twice it gives the same and changes nothing: no calls but those
/// that ask a container for its elements or their number.
static bool mayRepeat(const Expr *E) {
  return !findIn(E, [](const Stmt *S) {
    if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(S))
      return Op->getOperator() != OO_Subscript;
    if (const auto *Call = dyn_cast<CXXMemberCallExpr>(S)) {
      const CXXMethodDecl *Method = Call->getMethodDecl();
      return !Method || !Method->getIdentifier() ||
             (Method->getName() != "data" && Method->getName() != "size");
    }
    const auto *Op = dyn_cast<UnaryOperator>(S);
    const auto *Binary = dyn_cast<BinaryOperator>(S);
    return isa<CallExpr, CXXNewExpr, CXXDeleteExpr, LambdaExpr, StmtExpr>(S) ||
           (Op && Op->isIncrementDecrementOp()) ||
           (Binary && Binary->isAssignmentOp());
  });
}

/// std::min may be used.
static bool hasMin(const Program &P) {
  return P.text().contains("#include <algorithm>");
}

/// Every mention of the buffer makes it, frees it, fills it from the host or
/// passes it to the kernel.
bool ArrayFinder::findCopies() {
  const VarDecl *V = Result.Buffer;
  auto Names = [V](const Expr *E) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    return Ref && Ref->getDecl() == V;
  };
  unsigned Known = 0, All = 0, Allocations = 0;
  findIn(Result.Host->getBody(), [&](const Stmt *S) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
      All += Ref->getDecl() == V;
    const auto *C = dyn_cast<CallExpr>(S);
    if (!C)
      return false;
    if (isa<CUDAKernelCallExpr>(C)) {
      Known += llvm::any_of(K.Launches,
                            [&](const Launch *L) { return L->Call == C; });
      return false;
    }
    if (C->getNumArgs() == 0)
      return false;
    CudaCall What = classifyCudaCall(C, Host);
    const auto *Address =
        dyn_cast<UnaryOperator>(C->getArg(0)->IgnoreParenCasts());
    if (What == CudaCall::Allocate && Address &&
        Address->getOpcode() == UO_AddrOf && Names(Address->getSubExpr())) {
      ++Known, ++Allocations;
      Allocation = C;
    } else if (What == CudaCall::Free && Names(C->getArg(0))) {
      ++Known;
    } else if (What == CudaCall::CopyToDevice && Names(C->getArg(0)) &&
               C->getNumArgs() == 4) {
      ++Known;
      Result.Copies.push_back({C, nullptr, false});
    }
    return false;
  });
  if (Known != All || Allocations != 1 || Result.Copies.empty() ||
      Allocation->getNumArgs() < 2)
    return no("`" + V->getName() +
              "` is used for more than one allocation, copies from the host "
              "and launches of the kernel");
  CheckedCalls Calls(Result.Host->getBody(), Host);
  EditBuilder Text(A.program(), Side::Host);
  for (CheckedCall &Copy : Result.Copies) {
    const CheckedCall *Whole = Calls.find(Copy.Call);
    if (!Whole || Calls.isAfterFailure(Whole->Statement) ||
        !Text.canInsertAround(Whole->Statement))
      return no("a copy is part of a larger statement");
    Copy = *Whole;
    for (unsigned I : {1, 2})
      if (Text.text(Copy.Call->getArg(I)->getSourceRange()).empty() ||
          !mayRepeat(Copy.Call->getArg(I)))
        return no("the arguments of a copy cannot be written twice");
  }
  return true;
}

/// While the function runs, no other activation of it fills the array.
bool ArrayFinder::isEnteredOnce() {
  const HostIndex &Index = A.hostIndex();
  const FunctionDecl *Start = Result.Host->getCanonicalDecl();
  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen{Start};
  llvm::SmallVector<const FunctionDecl *, 8> Left{Start};
  while (!Left.empty()) {
    const FunctionDecl *F = Left.pop_back_val();
    if (F->isMain())
      continue;
    if (auto Unseen = Index.unseenCallers(F))
      return no(Unseen->Why);
    for (const CallSite &Site : Index.callersOf(F)) {
      if (!Site.Caller || Site.Caller->getCanonicalDecl() == Start)
        return no("the launching function may call itself");
      if (Seen.insert(Site.Caller->getCanonicalDecl()).second)
        Left.push_back(Site.Caller->getCanonicalDecl());
    }
  }
  return true;
}

/// One more than the largest element that the kernel can read.
std::optional<int64_t> ArrayFinder::elementsRead() const {
  Assignments Changes = Assignments::of(K.Function->getBody());
  RangeAnalysis Ranges(K, A, Changes);
  int64_t Elements = 0;
  for (const ArraySubscriptExpr *Read : Result.Reads) {
    auto Range = Ranges.of(Read->getIdx());
    if (!Range || !Range->within(0, MostArrayBytes))
      return std::nullopt;
    Elements = std::max(Elements, Range->Max + 1);
  }
  return Elements;
}

/// Bytes of the arrays that are in constant memory already.
static int64_t constantBytesOf(const ASTContext &Context) {
  int64_t Bytes = 0;
  for (const Decl *D : Context.getTranslationUnitDecl()->decls())
    if (const auto *V = dyn_cast<VarDecl>(D))
      if (V->hasAttr<CUDAConstantAttr>() && !V->getType()->isIncompleteType() &&
          !V->getType()->isDependentType())
        Bytes += Context.getTypeSizeInChars(V->getType()).getQuantity();
  return Bytes;
}

bool ArrayFinder::findSize() {
  int64_t Size = K.Context->getTypeSizeInChars(P.Pointee).getQuantity();
  auto Bytes = hostConstant(Allocation->getArg(1), Result.Host, Host);
  if (Bytes && *Bytes > 0 && *Bytes % Size == 0) {
    Result.Elements = *Bytes / Size;
    Result.IsWholeBuffer = true;
  } else if (auto Read = elementsRead(); Read && *Read > 0) {
    Result.Elements = *Read;
  } else {
    return no("its size is known at run time only");
  }
  if (Result.Elements > MostArrayBytes / Size ||
      Result.bytes() + constantBytesOf(*K.Context) > ConstantMemoryBytes)
    return no("it is too large for constant memory");
  return true;
}

bool ArrayFinder::findName() {
  std::string Plain = plainName(P.Decl);
  Result.Name = freshName(K.Function, joinWords(K, {"constant", Plain}));
  return freshName(Result.Host, Result.Name) == Result.Name ||
         no("its name would mean something else where it is filled");
}

std::optional<ConstantArray> findConstantArray(const Kernel &K,
                                               const KernelParameter &P,
                                               const ProgramAnalysis &A,
                                               std::string &Obstacle) {
  return ArrayFinder(K, P, A, Obstacle).find();
}

/// Where the comment lines right above the kernel begin, or the kernel itself.
static SourceLocation aboveComments(const Kernel &K) {
  const SourceManager &SM = K.Context->getSourceManager();
  SourceLocation At = SM.getExpansionLoc(K.Function->getBeginLoc());
  auto [File, Offset] = SM.getDecomposedLoc(At);
  llvm::StringRef Text = SM.getBufferData(File);
  size_t Line = Text.rfind('\n', Offset);
  Line = Line == llvm::StringRef::npos ? 0 : Line + 1;
  if (!Text.slice(Line, Offset).trim().empty())
    return At;
  while (Line > 1) {
    size_t Above = Text.rfind('\n', Line - 1);
    Above = Above == llvm::StringRef::npos ? 0 : Above + 1;
    if (!Text.slice(Above, Line).ltrim().starts_with("//"))
      break;
    Line = Above;
  }
  return At.getLocWithOffset(int(Line) - int(Offset));
}

/// The bytes that a copy brings to the array: no more than it holds.
static std::string copiedBytes(const ConstantArray &Array, const CallExpr &Copy,
                               const EditBuilder &Text, const Program &P) {
  const ASTContext &Host = P.context(Side::Host);
  std::string Bytes = Text.text(Copy.getArg(2)->getSourceRange()).str();
  if (Array.IsWholeBuffer ||
      hostConstant(Copy.getArg(2), Array.Host, Host).value_or(INT64_MAX) <=
          Array.bytes())
    return Bytes;
  std::string Most = "sizeof(" + Array.Name + ")";
  if (hasMin(P))
    return "std::min<size_t>(" + Bytes + ", " + Most + ")";
  std::string Operand = spellOperand(Copy.getArg(2), Host);
  if (Operand.empty())
    Operand = "(" + Bytes + ")";
  return Operand + " < " + Most + " ? " + Operand + " : " + Most;
}

/// The statement of \p Copy, with a copy to the array in place of its call.
static std::string copyText(const ConstantArray &Array, const CheckedCall &Copy,
                            const EditBuilder &Text, const Program &P) {
  const SourceManager &SM = P.sources(Side::Host);
  const LangOptions &Options = P.context(Side::Host).getLangOpts();
  auto RangeOf = [&](const Stmt *S) {
    return Lexer::makeFileCharRange(
        CharSourceRange::getTokenRange(S->getSourceRange()), SM, Options);
  };
  CharSourceRange Whole = RangeOf(Copy.Statement), Call = RangeOf(Copy.Call);
  if (Whole.isInvalid() || Call.isInvalid())
    return "";
  llvm::StringRef Source = Lexer::getSourceText(Whole, SM, Options);
  unsigned Start = SM.getFileOffset(Whole.getBegin());
  unsigned Begin = SM.getFileOffset(Call.getBegin()) - Start;
  unsigned End = SM.getFileOffset(Call.getEnd()) - Start;
  if (Begin > End || End > Source.size())
    return "";
  std::string Line =
      (Source.take_front(Begin) + "cudaMemcpyToSymbol(" + Array.Name + ", " +
       Text.text(Copy.Call->getArg(1)->getSourceRange()) + ", " +
       copiedBytes(Array, *Copy.Call, Text, P) + ")" + Source.substr(End))
          .str();
  if (Line.find('"') != std::string::npos)
    return llvm::StringRef(Line).ends_with(";") ? Line : Line + ";";
  // On one line, without what broke the author's.
  std::string Result;
  for (char C : Line)
    if (C != '\n' && C != ' ')
      Result += C;
    else if (!Result.empty() && Result.back() != ' ' && Result.back() != '(')
      Result += ' ';
  return llvm::StringRef(Result).ends_with(";") ? Result : Result + ";";
}

void writeConstantArray(const ConstantArray &Array, const ProgramAnalysis &A,
                        EditBuilder &Builder) {
  const Kernel &K = *Array.K;
  const ParmVarDecl *P = Array.Parameter->Decl;
  Builder.setSide(Side::Device);
  std::string Type = spellElementType(P, Array.Parameter->Pointee, *K.Context);
  Builder.insertBefore(aboveComments(K),
                       "__constant__ " + Type + " " + Array.Name + "[" +
                           std::to_string(Array.Elements) + "];\n\n");
  const SourceManager &SM = K.Context->getSourceManager();
  const char *Name = SM.getCharacterData(P->getLocation());
  Builder.replace(P->getLocation(), (Name[-1] == '*' ? " /*" : "/*") +
                                        P->getNameAsString() + "*/");
  for (const ArraySubscriptExpr *Read : Array.Reads)
    Builder.replace(Read->getBase()->IgnoreParenImpCasts()->getSourceRange(),
                    Array.Name);
  Builder.setSide(Side::Host);
  for (const CheckedCall &Copy : Array.Copies) {
    std::string Line = copyText(Array, Copy, Builder, A.program());
    if (Line.empty())
      Builder.fail("a copy to `" + Array.Buffer->getName() +
                   "` is made by a macro");
    else
      Builder.insertLinesAfter(Copy.Statement, Line);
  }
}

} // namespace cudal1
