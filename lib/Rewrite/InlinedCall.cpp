//===- InlinedCall.cpp - A kernel with a function's body in it ------------===//

#include "InlinedCall.h"

#include "ScopedText.h"
#include "SourceLines.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace cudal1 {

namespace {

/// The call, and what it calls.
struct Candidate {
  const CallExpr *Call = nullptr;
  /// The statement that holds the call, between braces.
  const Stmt *Around = nullptr;
  const FunctionDecl *Callee = nullptr;
  const CompoundStmt *Body = nullptr;
  const ReturnStmt *Return = nullptr;
};

/// Writes the function's text into the kernel.
class Inliner {
public:
  Inliner(const Kernel &K, const ProgramAnalysis &A, Candidate C)
      : K(K), SM(K.Context->getSourceManager()), C(C),
        Builder(A.program(), Side::Device) {}

  llvm::Expected<Edit> inlined();

private:
  bool chooseNames();
  std::string renamed(SourceLocation Begin, SourceLocation End) const;

  const Kernel &K;
  const SourceManager &SM;
  Candidate C;
  EditBuilder Builder;
  /// Names of the function's parameters and variables in the kernel.
  std::map<std::string, std::string> Names;
};

} // namespace

static bool isAssignmentTo(const Stmt *S, const Expr *&Target) {
  Target = nullptr;
  if (const auto *Op = dyn_cast<BinaryOperator>(S); Op && Op->isAssignmentOp())
    Target = Op->getLHS();
  if (const auto *Op = dyn_cast<UnaryOperator>(S);
      Op && Op->isIncrementDecrementOp())
    Target = Op->getSubExpr();
  return Target;
}

/// It changes nothing but its own variables, and comes to one return at its
/// end.
static bool isPlainFunction(const FunctionDecl &F, Candidate &C) {
  C.Body = dyn_cast_or_null<CompoundStmt>(F.getBody());
  if (!C.Body || C.Body->body_empty() || F.isVariadic() || F.isTemplated() ||
      F.isFunctionTemplateSpecialization() || isa<CXXMethodDecl>(F) ||
      !F.hasAttr<CUDADeviceAttr>() || F.getBeginLoc().isInvalid() ||
      C.Body->getLBracLoc().isMacroID())
    return false;
  C.Return = dyn_cast<ReturnStmt>(C.Body->body_back());
  const Expr *Value = C.Return ? C.Return->getRetValue() : nullptr;
  if (!Value || !F.getReturnType()->isArithmeticType())
    return false;
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Value);
      Cast && Cast->getCastKind() != CK_LValueToRValue)
    return false;
  for (const ParmVarDecl *P : F.parameters())
    if (!P->getType()->isScalarType() || P->getType().isVolatileQualified())
      return false;
  unsigned Loops = 0;
  const Stmt *Obstacle = findIn(C.Body, [&](const Stmt *S) {
    Loops += isa<ForStmt>(S);
    if (isa<WhileStmt, DoStmt, CXXForRangeStmt, GotoStmt, LabelStmt, AsmStmt,
            LambdaExpr, SwitchStmt>(S) ||
        (isa<ReturnStmt>(S) && S != C.Return))
      return true;
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      return llvm::any_of(Decls->decls(), [](const Decl *D) {
        const auto *V = dyn_cast<VarDecl>(D);
        return !V || !V->hasLocalStorage() || !V->getType()->isScalarType();
      });
    const Expr *Target = nullptr;
    if (isAssignmentTo(S, Target)) {
      const auto *Ref = dyn_cast<DeclRefExpr>(Target->IgnoreParens());
      const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
      return !V || !V->hasLocalStorage();
    }
    const auto *Inner = dyn_cast<CallExpr>(S);
    const FunctionDecl *Called = Inner ? Inner->getDirectCallee() : nullptr;
    return Inner && (!Called || (classify(*Called) != DeviceFunction::Pure &&
                                 classify(*Called) != DeviceFunction::Load));
  });
  return !Obstacle && Loops == 1;
}

/// The call is made whenever its statement is executed, and nothing else in the
/// statement changes what it reads.
static bool isEvaluatedOnce(const StatementTree &Tree, const Candidate &C) {
  for (const Stmt *S = Tree.parent(C.Call); S && S != C.Around;
       S = Tree.parent(S)) {
    if (isa<AbstractConditionalOperator, LambdaExpr, StmtExpr>(S))
      return false;
    if (const auto *Op = dyn_cast<BinaryOperator>(S);
        Op && (Op->isLogicalOp() || Op->getOpcode() == BO_Comma))
      return false;
  }
  if (const auto *Decls = dyn_cast<DeclStmt>(C.Around))
    return Decls->isSingleDecl();
  return isa<BinaryOperator>(C.Around) && !findIn(C.Around, [&](const Stmt *S) {
           const Expr *Target = nullptr;
           return S != C.Around && isAssignmentTo(S, Target);
         });
}

static std::optional<Candidate> candidateIn(const Kernel &K,
                                            const ProgramAnalysis &A,
                                            const StatementTree &Tree) {
  Candidate Found;
  unsigned Count = 0;
  findIn(Tree.body(), [&](const Stmt *S) {
    const auto *Call = dyn_cast<CallExpr>(S);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    const FunctionDecl *Definition = nullptr;
    Candidate C;
    if (!Callee || !Callee->hasBody(Definition) ||
        Call->getNumArgs() != Definition->getNumParams() ||
        !isPlainFunction(*Definition, C))
      return false;
    C.Call = Call;
    C.Callee = Definition;
    C.Around = Call;
    while (C.Around && !Tree.block(C.Around))
      C.Around = Tree.parent(C.Around);
    ++Count;
    Found = C;
    return false;
  });
  if (Count != 1 || !Found.Around || !isEvaluatedOnce(Tree, Found))
    return std::nullopt;
  for (const Expr *Argument : Found.Call->arguments())
    if (isa<CXXDefaultArgExpr>(Argument))
      return std::nullopt;
  const SourceManager &SM = K.Context->getSourceManager();
  FileID Id = SM.getFileID(Found.Body->getLBracLoc());
  if (!A.program().isEditable(Side::Device, Id) ||
      spansDirective(*K.Context, Found.Callee->getSourceRange()) ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()))
    return std::nullopt;
  return Found;
}

/// The identifiers of a text, other than keywords.
static std::vector<std::string> identifiersIn(llvm::StringRef Text,
                                              const ASTContext &Context) {
  std::vector<std::string> Result;
  SourceLines Lines(Text);
  for (const RawToken &T : Lines.tokens()) {
    std::string Word = Lines.spelling(T).str();
    if (T.Kind == tok::raw_identifier &&
        !Context.Idents.get(Word).isKeyword(Context.getLangOpts()))
      Result.push_back(Word);
  }
  return Result;
}

/// What the function declares gets names that are new in the kernel; what it
/// names besides must mean the same there.
bool Inliner::chooseNames() {
  std::string Text = Lexer::getSourceText(CharSourceRange::getTokenRange(
                                              C.Body->getSourceRange()),
                                          SM, K.Context->getLangOpts())
                         .str();
  std::vector<std::string> Words = identifiersIn(Text, *K.Context);
  for (const std::string &Word : Words)
    if (K.Context->Idents.get(Word).hadMacroDefinition())
      return false;
  std::vector<const VarDecl *> Declared(C.Callee->param_begin(),
                                        C.Callee->param_end());
  findIn(C.Body, [&](const Stmt *S) {
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Decls->decls())
        Declared.push_back(cast<VarDecl>(D));
    return false;
  });
  llvm::StringSet<> Own;
  for (const VarDecl *V : Declared)
    if (!V->getDeclName() || !Own.insert(V->getName()).second)
      return false; // two of one name
  std::vector<std::string> Taken;
  for (const std::string &Word : Words)
    if (!Own.contains(Word))
      Taken.push_back(Word);
  for (const Decl *D : K.Function->decls())
    if (const auto *Named = dyn_cast<NamedDecl>(D);
        Named && llvm::is_contained(Taken, Named->getNameAsString()))
      return false;
  for (const VarDecl *V : Declared) {
    std::string Name = V->getNameAsString();
    std::vector<std::string> Others = Taken;
    for (const VarDecl *Other : Declared)
      if (Other != V)
        Others.push_back(Other->getNameAsString());
    Names[Name] = freshName(K.Function, Name, Others);
    Taken.push_back(Names[Name]);
  }
  return true;
}

/// The text between two places in the function, with the new names.
std::string Inliner::renamed(SourceLocation Begin, SourceLocation End) const {
  llvm::StringRef Text = Lexer::getSourceText(
      CharSourceRange::getCharRange(Begin, End), SM, K.Context->getLangOpts());
  std::string Result;
  unsigned At = 0;
  SourceLines Lines(Text);
  for (const RawToken &T : Lines.tokens()) {
    auto It = Names.find(Lines.spelling(T).str());
    llvm::StringRef Before = Text.take_front(T.Offset).rtrim();
    if (T.Kind != tok::raw_identifier || It == Names.end() ||
        Before.ends_with(".") || Before.ends_with("->"))
      continue;
    Result += Text.slice(At, T.Offset).str() + It->second;
    At = T.End;
  }
  return Result + Text.drop_front(At).str();
}

llvm::Expected<Edit> Inliner::inlined() {
  if (!chooseNames()) {
    Builder.fail("the function's text would mean something else in the kernel");
    return Builder.finish();
  }
  Lines Out(Builder.indentUnit(C.Around->getBeginLoc()));
  Out.close("");
  for (unsigned I = 0; I < C.Call->getNumArgs(); ++I) {
    const ParmVarDecl *P = C.Callee->getParamDecl(I);
    std::string Argument =
        Builder.text(C.Call->getArg(I)->getSourceRange()).str();
    if (Argument.empty())
      Builder.fail("an argument is made by a macro");
    std::string Declaration;
    llvm::raw_string_ostream Stream(Declaration);
    PrintingPolicy Policy(K.Context->getLangOpts());
    P->getType().getUnqualifiedType().print(Stream, Policy,
                                            Names[P->getNameAsString()]);
    Out.add(Declaration + " = " + Argument + ";");
  }
  SourceLocation First = C.Body->getLBracLoc().getLocWithOffset(1);
  std::string Body = renamed(First, C.Return->getBeginLoc());
  Out.addBlock(llvm::StringRef(Body).trim(),
               indentationOf(C.Body->body_front(), *K.Context));
  const Expr *Value = C.Return->getRetValue();
  SourceLocation End = Lexer::getLocForEndOfToken(Value->getEndLoc(), 0, SM,
                                                  K.Context->getLangOpts());
  std::string Result = renamed(Value->getBeginLoc(), End);
  if (!isa<DeclRefExpr>(Value->IgnoreImpCasts()))
    Result = "(" + Result + ")";
  Builder.insertLinesBefore(C.Around, Out.take());
  Builder.replace(C.Call->getSourceRange(), Result);
  return Builder.finish();
}

std::shared_ptr<InlinedCall> InlinedCall::of(const Kernel &K,
                                             const ProgramAnalysis &A) {
  if (!K.Editable || K.IsTemplate || !K.Loops.empty() || K.Launches.empty() ||
      !K.SharedArrays.empty() || !K.Barriers.empty())
    return nullptr;
  StatementTree Tree(K);
  std::optional<Candidate> C = candidateIn(K, A, Tree);
  if (!C)
    return nullptr;
  auto Give = [](llvm::Error E) {
    llvm::consumeError(std::move(E));
    return nullptr;
  };
  llvm::Expected<Edit> First = Inliner(K, A, *C).inlined();
  if (!First)
    return Give(First.takeError());
  auto Result = std::make_shared<InlinedCall>();
  Result->Inlining = std::move(*First);
  Result->Callee = C->Callee->getNameAsString();
  SourceOverlay Texts = A.program().overlay();
  for (const auto &[Path, Replacements] : Result->Inlining.Files) {
    llvm::Expected<std::string> Text =
        tooling::applyAllReplacements(A.program().textOf(Path), Replacements);
    if (!Text)
      return Give(Text.takeError());
    Texts[Path] = std::move(*Text);
  }
  auto Parsed = Program::parse(A.program().input(), std::move(Texts));
  if (!Parsed)
    return Give(Parsed.takeError());
  Result->Changed = std::move(*Parsed);
  Result->Analysis = ProgramAnalysis::analyze(*Result->Changed);
  for (const std::unique_ptr<Kernel> &Inner : Result->Analysis->kernels())
    if (Inner->MangledName == K.MangledName)
      Result->Inner = Inner.get();
  return Result->Inner ? Result : nullptr;
}

llvm::Expected<Edit>
InlinedCall::onOriginal(llvm::Expected<Edit> OnInlined) const {
  if (!OnInlined)
    return OnInlined.takeError();
  Edit Result;
  Result.Launch = OnInlined->Launch;
  Result.Files = Inlining.Files;
  for (const auto &[Path, Later] : OnInlined->Files) {
    tooling::Replacements &Mine = Result.Files[Path];
    Mine = Mine.merge(Later);
  }
  return Result;
}

} // namespace cudal1
