//===- BlasCalls.cpp - A matrix product as a call of cuBLAS ---------------===//

#include "BlasCalls.h"
#include "KernelReferences.h"
#include "LinearTerms.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

//===----------------------------------------------------------------------===//
// What cuBLAS takes
//===----------------------------------------------------------------------===//

/// The parameter that is all of \p P.
static const ParmVarDecl *parameterOf(const Kernel &K, const Polynomial &P) {
  for (const KernelParameter &Parameter : K.Parameters)
    if (auto Symbol = K.Symbols.findVariable(Parameter.Decl))
      if (P == Polynomial::symbol(*Symbol))
        return Parameter.Decl;
  return nullptr;
}

/// \p P as host code over the kernel's parameters, all of them `int`: sizes in
/// cuBLAS are.
std::optional<std::string> BlasCalls::number(const Polynomial &P) const {
  if (auto Constant = P.constant())
    return *Constant >= 0 && *Constant <= INT32_MAX
               ? std::optional(std::to_string(*Constant))
               : std::nullopt;
  bool Foreign = P.usesAny([&](SymbolId Id) {
    const Symbol &S = K.Symbols[Id];
    return S.Kind != SymbolKind::Parameter ||
           !S.Decl->getType()->isSpecificBuiltinType(BuiltinType::Int);
  });
  if (Foreign)
    return std::nullopt;
  return P.str([&](SymbolId Id) { return K.Symbols.name(Id); });
}

/// A constant above 0, or one of the extents: without any row or column there
/// is no call.
bool BlasCalls::isPositive(const Polynomial &P) const {
  if (auto Constant = P.constant())
    return *Constant > 0;
  return (Product.Rows.Text.empty() && P == Product.Rows.Form) ||
         (Product.Columns.Text.empty() && P == Product.Columns.Form);
}

/// The value of an argument, seen through a variable that is never changed.
static const Expr *argumentValue(const Expr *E, const Launch &L) {
  E = E->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->isLocalVarDecl() || !V->hasLocalStorage() || !V->getInit() ||
      V->getType()->isReferenceType() || !L.HostFunction ||
      !L.HostFunction->hasBody() ||
      V->getParentFunctionOrMethod() != L.HostFunction->getDefinition() ||
      Assignments::of(L.HostFunction->getBody()).isAssigned(V))
    return E;
  return V->getInit();
}

/// Columns lie apart by no less than their length: the same number at every
/// launch, or constants.
bool BlasCalls::isAtLeast(const Polynomial &Leading,
                          const Polynomial &Length) const {
  if (Leading == Length)
    return true;
  auto Distance = Leading.constant(), Needed = Length.constant();
  if (Distance && Needed)
    return *Distance >= *Needed;
  const ASTContext &Host = A.program().context(Side::Host);
  const ParmVarDecl *First = parameterOf(K, Leading),
                    *Second = parameterOf(K, Length);
  auto ValueOf = [&](const ParmVarDecl *P, std::optional<int64_t> Constant,
                     const Launch &L) -> std::optional<int64_t> {
    Expr::EvalResult Result;
    if (!P)
      return Constant;
    const Expr *E = L.Arguments[P->getFunctionScopeIndex()];
    if (argumentValue(E, L)->EvaluateAsInt(Result, Host) &&
        Result.Val.getInt().getSignificantBits() <= 32)
      return Result.Val.getInt().getExtValue();
    return std::nullopt;
  };
  return (First || Distance) && (Second || Needed) &&
         llvm::all_of(Launches.All, [&](const Launch *L) {
           if (First && Second) {
             const Expr *One = L->Arguments[First->getFunctionScopeIndex()],
                        *Other = L->Arguments[Second->getFunctionScopeIndex()];
             if (!One->HasSideEffects(Host) &&
                 sameExpression(One->IgnoreParenImpCasts(),
                                Other->IgnoreParenImpCasts(), Host))
               return true;
           }
           auto Is = ValueOf(First, Distance, *L);
           auto Needs = ValueOf(Second, Needed, *L);
           return Is && Needs && *Is >= *Needs;
         });
}

bool BlasCalls::isRight(std::string &Obstacle) const {
  auto No = [&](llvm::StringRef Why) {
    Obstacle = Why.str();
    return false;
  };
  for (const ProductMatrix *M :
       {&Product.First, &Product.Second, &Product.Output}) {
    if (!isAtLeast(M->Leading, M->ColumnLength))
      return No("rows of a matrix may overlap");
    if (!number(M->Leading))
      return No("a distance between rows is no int of the launch");
  }
  for (const ProductExtent *E : {&Product.Rows, &Product.Columns})
    if (!number(E->Form))
      return No("a size is no int of the launch");
  if (!number(Product.Depth))
    return No("a size is no int of the launch");
  const SourceManager &SM = A.program().sources(Side::Host);
  for (const Launch *L : Launches.Places) {
    if (L->Form != LaunchForm::Chevron || L->GridExtent[2].Value != 1 ||
        L->Arguments.size() != K.Function->getNumParams())
      return No("a launch is more than a grid of rows and columns");
    SourceLocation At = SM.getExpansionLoc(L->Call->getBeginLoc());
    if (SM.getFileID(At) != SM.getMainFileID())
      return No("a launch stands in a header");
  }
  return true;
}

std::optional<BlasCalls>
BlasCalls::of(const Kernel &K, const ProgramAnalysis &A, MatrixProduct Product,
              LaunchSet Launches, std::string &Obstacle) {
  BlasCalls Result(K, A, std::move(Product), std::move(Launches));
  const SourceManager &SM = K.Context->getSourceManager();
  if (K.IsTemplate || !isa<TranslationUnitDecl>(K.Pattern->getDeclContext()) ||
      !isa<TranslationUnitDecl>(K.Pattern->getLexicalDeclContext()) ||
      SM.getFileID(SM.getExpansionLoc(K.Pattern->getBeginLoc())) !=
          SM.getMainFileID()) {
    Obstacle = "the kernel is no plain function of the main file";
    return std::nullopt;
  }
  if (!Result.isRight(Obstacle))
    return std::nullopt;
  return Result;
}

/// The factor may be 0 at some launch.
bool BlasCalls::mayBeZero(const ProductScale &Scale) const {
  const ASTContext &Host = A.program().context(Side::Host);
  return llvm::any_of(Scale.Parts, [&](const Expr *Part) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Part->IgnoreParenImpCasts());
    const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    if (!P)
      return false; // A constant, and none of 0.
    return llvm::any_of(Launches.All, [&](const Launch *L) {
      const Expr *E =
          argumentValue(L->Arguments[P->getFunctionScopeIndex()], *L);
      llvm::APFloat Value(0.0);
      Expr::EvalResult Number;
      if (E->getType()->isIntegerType() && E->EvaluateAsInt(Number, Host))
        return Number.Val.getInt().isZero();
      return !E->getType()->isRealFloatingType() ||
             !E->EvaluateAsFloat(Value, Host) || Value.isZero();
    });
  });
}

std::string BlasCalls::condition() const {
  std::vector<std::string> Conditions;
  if (mayBeZero(Product.Alpha))
    Conditions.push_back("the factors hold no NaN and no infinity where the "
                         "scale of the product is 0");
  if (Product.Beta && mayBeZero(*Product.Beta))
    Conditions.push_back(Product.Output.Pointer->getNameAsString() +
                         " holds no NaN and no infinity where its scale is 0");
  return llvm::join(Conditions, " and ") +
         (Conditions.empty() ? "" : ": cuBLAS does not read it then");
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

std::string BlasCalls::function() const {
  return Product.Element->isSpecificBuiltinType(BuiltinType::Double)
             ? "cublasDgemm"
             : "cublasSgemm";
}

static bool isDefaultStream(const Launch &L, const ASTContext &Host) {
  if (!L.Stream || isa<CXXDefaultArgExpr>(L.Stream))
    return true;
  Expr::EvalResult Value;
  return isNullPointer(L.Stream, Host) ||
         (!L.Stream->isValueDependent() &&
          L.Stream->EvaluateAsInt(Value, Host) && Value.Val.getInt() == 0);
}

/// Some launch of the unit, or a product that was one, has a stream.
bool BlasCalls::hasStreams() const {
  const ASTContext &Host = A.program().context(Side::Host);
  return A.program().text().contains("cublasSetStream(") ||
         llvm::any_of(A.launches(), [&](const std::unique_ptr<Launch> &L) {
           return !isDefaultStream(*L, Host);
         });
}

bool BlasCalls::takesStream() const {
  const ASTContext &Host = A.program().context(Side::Host);
  return llvm::any_of(Launches.All, [&](const Launch *L) {
    return !isDefaultStream(*L, Host);
  });
}

std::string BlasCalls::extent(const ProductExtent &E) const {
  return E.Text.empty() ? number(E.Form).value_or("") : E.Text;
}

std::string BlasCalls::depth() const {
  std::string Text = number(Product.Depth).value_or("");
  if (Product.Depth.constant() || isPositive(Product.Depth))
    return Text;
  return Text + " > 0 ? " + Text + " : 0";
}

std::string BlasCalls::leading(const ProductMatrix &M) const {
  std::string Text = number(M.Leading).value_or("");
  // A distance that is at least a positive length is one.
  if (isPositive(M.Leading) || isPositive(M.ColumnLength))
    return Text;
  return Text + " > 1 ? " + Text + " : 1";
}

std::string BlasCalls::constantText(const Expr *E) const {
  const Expr *Plain = E->IgnoreParenImpCasts();
  if (isa<FloatingLiteral, IntegerLiteral>(Plain) &&
      !Plain->getBeginLoc().isMacroID()) {
    std::string Text = EditBuilder(A.program(), Side::Device)
                           .text(Plain->getSourceRange())
                           .str();
    if (!Text.empty())
      return Text;
  }
  auto Value = LinearTerms(K, Product.Element, [](const Expr *) {
                 return 0U;
               }).constant(E);
  if (!Value)
    return "";
  bool Single = Product.Element->isSpecificBuiltinType(BuiltinType::Float);
  llvm::SmallString<32> Digits;
  Value->toString(Digits, Single ? 9 : 17);
  if (Digits.find_first_of(".E") == llvm::StringRef::npos)
    Digits += ".0";
  return (Digits + (Single ? "f" : "")).str();
}

std::string BlasCalls::scaleValue(const ProductScale &Scale) const {
  std::string Text = Scale.Negative ? "-" : "";
  if (Scale.Parts.empty())
    return Text + (function() == "cublasSgemm" ? "1.0f" : "1.0");
  for (const Expr *Part : Scale.Parts) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Part->IgnoreParenImpCasts());
    bool IsParameter = Ref && isa<ParmVarDecl>(Ref->getDecl());
    std::string One =
        IsParameter ? Ref->getDecl()->getNameAsString() : constantText(Part);
    if (Part != Scale.Parts.front())
      Text += " * ";
    Text += llvm::StringRef(One).starts_with("-") && !Text.empty()
                ? "(" + One + ")"
                : One;
  }
  return Text;
}

/// `matmulKernel` makes matmulCublas, `gemm_kernel` gemm_cublas.
static std::string productName(const Kernel &K) {
  llvm::StringRef Name = K.Pattern->getName();
  bool Underscores = Name.contains('_');
  for (llvm::StringRef Ending : {"_kernel", "Kernel", "kernel"})
    if (Name.size() > Ending.size() && Name.consume_back(Ending))
      break;
  return (Name.rtrim('_') + (Underscores ? "_cublas" : "Cublas")).str();
}

/// `static cublasHandle_t NAME()`, as this writes it.
static bool isHandleFunction(const FunctionDecl *F) {
  if (!F->getIdentifier() || F->getNumParams() != 0 ||
      F->getStorageClass() != SC_Static || !F->getBody() ||
      F->getReturnType().getAsString() != "cublasHandle_t")
    return false;
  return findIn(F->getBody(), [](const Stmt *S) {
    const auto *D = dyn_cast<DeclStmt>(S);
    const auto *V = D && D->isSingleDecl()
                        ? dyn_cast<VarDecl>(D->getSingleDecl())
                        : nullptr;
    return V && V->isStaticLocal();
  });
}

static bool isCheckFunction(const FunctionDecl *F) {
  return F->getIdentifier() && F->getNumParams() == 1 &&
         F->getStorageClass() == SC_Static &&
         F->getReturnType()->isVoidType() &&
         F->getParamDecl(0)->getType().getAsString() == "cublasStatus_t";
}

BlasCalls::Names BlasCalls::names() const {
  Names N;
  const Program &P = A.program();
  const SourceManager &SM = P.sources(Side::Host);
  SmallVector<Decl *, 64> Decls;
  P.ast(Side::Host)
      .findFileRegionDecls(SM.getMainFileID(), 0,
                           SM.getFileIDSize(SM.getMainFileID()), Decls);
  for (const Decl *D : Decls)
    if (const auto *F = dyn_cast<FunctionDecl>(D)) {
      if (isHandleFunction(F))
        N.Handle = F->getNameAsString();
      else if (isCheckFunction(F))
        N.Check = F->getNameAsString();
    }
  N.Exist = !N.Handle.empty() && !N.Check.empty();
  if (!N.Exist) {
    N.Check = freshName(K.Function, "checkCublas");
    N.Handle = freshName(K.Function, "cublasHandle");
  }
  N.Product = freshName(K.Function, productName(K), {N.Check, N.Handle});
  return N;
}

/// The check and the handle, which all products of the unit share.
std::string BlasCalls::support(const Names &N, llvm::StringRef Unit) const {
  std::string U = Unit.str();
  return "// Ends the program when a call of cuBLAS has failed.\n"
         "static void " +
         N.Check + "(cublasStatus_t status) {\n" + U +
         "if (status == CUBLAS_STATUS_SUCCESS)\n" + U + U + "return;\n" + U +
         "fprintf(stderr, \"cuBLAS: %s\\n\", "
         "cublasGetStatusString(status));\n" +
         U +
         "exit(EXIT_FAILURE);\n}\n\n"
         "// The handle of all calls of cuBLAS, made at the first. Any of them "
         "may be the\n// last, so it lives until the program ends.\n"
         "static cublasHandle_t " +
         N.Handle + "() {\n" + U + "static cublasHandle_t handle = nullptr;\n" +
         U + "if (!handle)\n" + U + U + N.Check + "(cublasCreate(&handle));\n" +
         U + "return handle;\n}\n\n";
}

std::string BlasCalls::emptyGuard(llvm::StringRef Unit) const {
  std::vector<std::string> Empty;
  for (const ProductExtent *E : {&Product.Rows, &Product.Columns})
    if (!E->Text.empty() || !E->Form.constant())
      if (std::string Test = extent(*E) + " <= 0";
          !llvm::is_contained(Empty, Test))
        Empty.push_back(Test);
  if (Empty.empty())
    return "";
  return (Unit + "if (" + llvm::join(Empty, " || ") + ")\n" + Unit + Unit +
          "return;\n")
      .str();
}

/// \p Text, whose first line moves from one column to another, with the lines
/// that are aligned with it.
static std::string realigned(llvm::StringRef Text, size_t From, size_t To) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  std::string Result = Lines.front().str();
  for (llvm::StringRef Line : llvm::drop_begin(Lines)) {
    llvm::StringRef Rest = Line.ltrim(' ');
    size_t Indent = Line.size() - Rest.size();
    if (Indent >= From)
      Indent = Indent - From + To;
    Result += "\n" + std::string(Indent, ' ') + Rest.str();
  }
  return Result;
}

std::string BlasCalls::functionText(const Names &N,
                                    EditBuilder &Builder) const {
  std::string U = Builder.indentUnit(K.Pattern->getLocation());
  FunctionTypeLoc Type = K.Pattern->getFunctionTypeLoc();
  std::string Parameters =
      Builder
          .text({Type.getParam(0)->getBeginLoc(),
                 Type.getParam(Type.getNumParams() - 1)->getEndLoc()})
          .str();
  if (Parameters.empty())
    Builder.fail("the parameters of `" + K.Name + "` are made by a macro");
  bool Streams = takesStream();
  std::vector<std::string> Taken = {N.Check, N.Handle, N.Product};
  std::string Stream = freshName(K.Function, "stream", Taken);
  std::string Element = Product.Element.getAsString();
  auto Operand = [&](const std::optional<ProductScale> &Scale,
                     llvm::StringRef Wanted, std::string &Declared) {
    if (Scale && !Scale->Negative && Scale->Parts.size() == 1)
      if (const auto *Ref = dyn_cast<DeclRefExpr>(
              Scale->Parts.front()->IgnoreParenImpCasts()))
        if (isa<ParmVarDecl>(Ref->getDecl()))
          return "&" + Ref->getDecl()->getNameAsString();
    std::string Name = freshName(K.Function, Wanted, Taken);
    Declared += (Declared.empty() ? "" : ", ") + Name + " = " +
                (Scale ? scaleValue(*Scale)
                       : (function() == "cublasSgemm" ? "0.0f" : "0.0"));
    return "&" + Name;
  };
  std::string Declared;
  std::string Alpha = Operand(Product.Alpha, "alpha", Declared);
  std::string Beta = Operand(Product.Beta, "beta", Declared);
  auto Operation = [](const ProductMatrix &M) {
    return M.Transposed ? "CUBLAS_OP_T" : "CUBLAS_OP_N";
  };
  auto Matrix = [&](const ProductMatrix &M) {
    return M.Pointer->getNameAsString() + ", " + leading(M);
  };
  std::string Text = "static void " + N.Product + "(";
  unsigned Column = K.Context->getSourceManager().getExpansionColumnNumber(
      Type.getParam(0)->getBeginLoc());
  Parameters = realigned(Parameters, Column - 1, Text.size());
  Text += (Streams ? "cudaStream_t " + Stream + ", " : "") + Parameters +
          ") {\n" + emptyGuard(U);
  if (!Declared.empty())
    Text += U + "const " + Element + " " + Declared + ";\n";
  if (hasStreams())
    Text += U + N.Check + "(cublasSetStream(" + N.Handle + "(), " +
            (Streams ? Stream : "nullptr") + "));\n";
  std::string Open = U + N.Check + "(" + function() + "(";
  std::string Next = ",\n" + std::string(Open.size(), ' ');
  Text += U +
          "// In the order of cuBLAS, by columns, these are the transposed "
          "matrices.\n" +
          Open + N.Handle + "(), " + Operation(Product.First) + ", " +
          Operation(Product.Second) + Next + extent(Product.Columns) + ", " +
          extent(Product.Rows) + ", " + depth() + Next + Alpha + ", " +
          Matrix(Product.First) + ", " + Matrix(Product.Second) + Next + Beta +
          ", " + Matrix(Product.Output) + "));\n}";
  return Text;
}

//===----------------------------------------------------------------------===//
// The edit
//===----------------------------------------------------------------------===//

/// In place of the kernel where nothing else names it, else behind it.
void BlasCalls::writeDefinition(EditBuilder &Builder, UnitWriter &Unit,
                                const Names &N) const {
  const SourceManager &Device = A.program().sources(Side::Device);
  unsigned Begin =
      Device.getFileOffset(Device.getExpansionLoc(K.Pattern->getBeginLoc()));
  unsigned End = Device.getFileOffset(
      Device.getExpansionLoc(K.Pattern->getBody()->getEndLoc()));
  Builder.setSide(Side::Device);
  std::string Text = functionText(N, Builder);
  Builder.setSide(Side::Host);
  std::optional<unsigned> Place;
  if (!N.Exist) {
    Place = Unit.firstFunction(Begin);
    if (!Place)
      return Builder.fail("there is no place for the handle of cuBLAS");
    std::string U = Builder.indentUnit(Unit.at(Begin));
    Builder.insertBefore(Unit.at(*Place), support(N, U));
  }
  for (const Launch *L : Launches.Places)
    if (Unit.offsetOf(L->Call->getBeginLoc()) < Begin)
      return Builder.fail("`" + K.Name + "` is launched above its definition");
  bool Goes =
      !whyOnlyLaunchedHere(A.program(), K).empty() &&
      Unit.mentions(K.Pattern->getName()) == 1 + Launches.Places.size() &&
      Unit.beginsDeclaration(Begin) &&
      Builder.canEdit({Unit.at(Begin), Unit.at(End)});
  if (Goes)
    return Builder.replace({Unit.at(Begin), Unit.at(End)}, Text);
  if (!Unit.isUnconditional(Begin))
    return Builder.fail("`" + K.Name + "` stands in a conditional part");
  Builder.insertAfterToken(Unit.at(End), "\n\n" + Text);
}

void BlasCalls::writeLaunches(EditBuilder &Builder, const Names &N) const {
  const ASTContext &Host = A.program().context(Side::Host);
  for (const Launch *L : Launches.Places) {
    std::string Text = N.Product + "(";
    if (takesStream())
      Text += (isDefaultStream(*L, Host)
                   ? "nullptr"
                   : Builder.text(L->Stream->getSourceRange()).str()) +
              ", ";
    if (Text.find("(,") != std::string::npos)
      return Builder.fail("the stream of a launch is made by a macro");
    for (const Expr *Argument : L->Arguments) {
      if (isa<CXXDefaultArgExpr>(Argument))
        break;
      std::string One = Builder.text(Argument->getSourceRange()).str();
      if (One.empty())
        return Builder.fail("an argument of a launch is made by a macro");
      Text += (Argument == L->Arguments.front() ? "" : ", ") + One;
    }
    Builder.replace(L->Call->getSourceRange(), Text + ")");
  }
}

/// Takes away the shapes that served nothing but the launches.
void BlasCalls::removeShapes(EditBuilder &Builder) const {
  std::vector<SourceRange> Gone;
  for (bool OfGrid : {true, false})
    for (const Launch *L : Launches.Places) {
      auto G = geometryOf(OfGrid ? L->Grid : L->Block, A);
      if (!G || !G->Variable || !G->Constructor || !L->HostFunction ||
          !isOnlyLaunchConfiguration(G->Variable, Launches, A, Gone))
        continue;
      const Stmt *Declares =
          findIn(L->HostFunction->getBody(), [&](const Stmt *S) {
            const auto *D = dyn_cast<DeclStmt>(S);
            return D && D->isSingleDecl() && D->getSingleDecl() == G->Variable;
          });
      if (!Declares || !Builder.canInsertAround(Declares) ||
          llvm::any_of(Gone, [&](SourceRange R) {
            return R == Declares->getSourceRange();
          }))
        continue;
      Gone.push_back(Declares->getSourceRange());
      Builder.removeStatement(Declares);
    }
}

llvm::Expected<Edit> BlasCalls::apply() const {
  EditBuilder Builder(A.program(), Side::Host);
  UnitWriter Unit(A.program(), Builder);
  Names N = names();
  Unit.include("cublas_v2.h");
  if (!N.Exist) {
    for (auto [New, Old] :
         {std::pair("cstdio", "stdio.h"), std::pair("cstdlib", "stdlib.h")})
      if (!A.program().text().contains(("<" + llvm::Twine(Old) + ">").str()))
        Unit.include(New);
  }
  writeDefinition(Builder, Unit, N);
  writeLaunches(Builder, N);
  removeShapes(Builder);
  if (!N.Exist)
    if (const Stmt *First = firstUseOfCuda(A.program());
        First && Builder.canInsertAround(First))
      Builder.insertLinesBefore(
          First, N.Handle + "(); // Made before the work begins.");
  return Builder.finish();
}

} // namespace cudal1
