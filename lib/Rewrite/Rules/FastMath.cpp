//===- FastMath.cpp - Intrinsics in place of precise functions ------------===//
//
// The special function unit computes exponentials, logarithms, sines and
// reciprocals in a few cycles, with an error of some units in the last place;
// the functions of the library are built around it with range reductions and
// corrections. Errors in this file are those of the CUDA C++ Programming Guide,
// "Mathematical Functions Appendix".
//
//===----------------------------------------------------------------------===//

#include "../DeviceCode.h"
#include "../MathFunction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Replaces precise float functions and divisions by fast intrinsics.
class FastMath : public Rule {
public:
  llvm::StringRef name() const override { return "fast-math"; }
  llvm::StringRef summary() const override {
    return "Replaces precise float functions and divisions by fast intrinsics.";
  }
  FpClass fpClass() const override { return FpClass::Approximate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// One function with an intrinsic.
struct FastFunction {
  const char *Base;
  const char *Subject;
  const char *Intrinsic;
  const char *Error;
  /// What a run has to confirm; null where the error is bounded everywhere.
  const char *Condition;
};

} // namespace

static constexpr FastFunction Functions[] = {
    {"exp", "expf", "__expf", "at most 2 + |1.173 x| ulp", nullptr},
    {"exp10", "exp10f", "__exp10f", "at most 2 + |2.97 x| ulp", nullptr},
    {"log", "logf", "__logf", "2^-21.41 near 1, else at most 3 ulp", nullptr},
    {"log2", "log2f", "__log2f", "2^-22 near 1, else at most 2 ulp", nullptr},
    {"log10", "log10f", "__log10f", "2^-24 near 1, else at most 3 ulp",
     nullptr},
    {"sin", "sinf", "__sinf", "2^-21.41 in [-pi, pi], more outside",
     "the arguments of sinf stay near [-pi, pi]"},
    {"cos", "cosf", "__cosf", "2^-21.19 in [-pi, pi], more outside",
     "the arguments of cosf stay near [-pi, pi]"},
    {"sincos", "sincosf", "__sincosf", "that of __sinf and __cosf",
     "the arguments of sincosf stay near [-pi, pi]"},
    {"tan", "tanf", "__tanf", "that of __sinf(x) / __cosf(x)",
     "the arguments of tanf stay near [-pi, pi]"},
    {"pow", "powf", "__powf", "that of exp2(y * __log2f(x))",
     "the bases of powf are positive"}};

static constexpr FastFunction Division = {
    "", "division", "__fdividef", "at most 2 ulp",
    "the divisors stay below 2^126 in magnitude"};
static constexpr FastFunction ReciprocalRoot = {
    "", "rsqrt", "rsqrt", "at most 2 ulp (float) or 1 ulp (double)", nullptr};

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool allArgumentsAreFloat(const CallExpr *Call) {
  return llvm::all_of(Call->arguments(),
                      [](const Expr *Arg) { return isFloat(Arg->getType()); });
}

/// sincosf(x, &s, &c), or sincos of a float.
static bool isFloatSincos(const CallExpr *Call, const Program &P) {
  const FunctionDecl *F = Call->getDirectCallee();
  if (!F || !F->getIdentifier() || F->getNumParams() != 3 ||
      !F->getDeclContext()->getRedeclContext()->isTranslationUnit() ||
      (F->getName() != "sincosf" && F->getName() != "sincos"))
    return false;
  const FunctionDecl *Definition = nullptr;
  const SourceManager &SM = P.sources(Side::Device);
  if (F->hasBody(Definition) &&
      P.isEditable(Side::Device,
                   SM.getFileID(SM.getExpansionLoc(Definition->getLocation()))))
    return false;
  return isFloat(F->getParamDecl(0)->getType());
}

/// A power that strength-reduction writes as a product or a root, which is both
/// faster and more accurate.
static bool isSmallPower(const CallExpr *Call, const ASTContext &Context) {
  std::optional<double> Exponent = constantValue(Call->getArg(1), Context);
  return Exponent &&
         llvm::is_contained({2.0, 3.0, 4.0, 0.5, -0.5, -1.0}, *Exponent);
}

static const FastFunction *fastFormOf(const CallExpr *Call, const Program &P) {
  std::string Base;
  if (isFloatSincos(Call, P)) {
    Base = "sincos";
  } else {
    std::optional<MathFunction> Function = mathFunctionOf(Call, P);
    if (!Function || !Function->IsFloat || !allArgumentsAreFloat(Call))
      return nullptr;
    Base = Function->Base;
    if (Base == "pow" && isSmallPower(Call, P.context(Side::Device)))
      return nullptr;
  }
  for (const FastFunction &F : Functions)
    if (Base == F.Base)
      return &F;
  return nullptr;
}

static Place placeOfCall(const CallExpr *Call, const FastFunction &F,
                         const ASTContext &Context) {
  Place At;
  At.Range = Call->getSourceRange();
  At.Form = F.Intrinsic;
  At.Class = FpClass::Approximate;
  bool PositiveBase = false;
  if (StringRef(F.Base) == "pow")
    if (auto Base = constantValue(Call->getArg(0), Context))
      PositiveBase = *Base > 0;
  if (F.Condition && !PositiveBase)
    At.Condition = F.Condition;
  At.Change = [Call, Name = F.Intrinsic](EditBuilder &Builder) {
    if (Call->getCallee()->getBeginLoc().isMacroID())
      return Builder.fail("the call is made by a macro");
    Builder.replace(Call->getCallee()->getSourceRange(), Name);
  };
  return At;
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

/// Only white space and the operator stand between the operands: nothing of the
/// author's is lost when they become arguments.
static bool isPlainOperation(const BinaryOperator *Op, const SourceManager &SM,
                             const LangOptions &Options) {
  SourceLocation LeftEnd = Op->getLHS()->getEndLoc();
  SourceLocation RightBegin = Op->getRHS()->getBeginLoc();
  for (SourceLocation Loc : {Op->getBeginLoc(), LeftEnd, Op->getOperatorLoc(),
                             RightBegin, Op->getEndLoc()})
    if (!Loc.isFileID())
      return false;
  LeftEnd = Lexer::getLocForEndOfToken(LeftEnd, 0, SM, Options);
  StringRef Between = Lexer::getSourceText(
      CharSourceRange::getCharRange(LeftEnd, RightBegin), SM, Options);
  return Between.trim() == Op->getOpcodeStr();
}

/// The call in `x / sqrtf(y)` or `x / sqrt(y)` of doubles.
static const CallExpr *rootBelow(const BinaryOperator *Op, const Program &P) {
  const auto *Call = dyn_cast<CallExpr>(Op->getRHS()->IgnoreParens());
  std::optional<MathFunction> F = Call ? mathFunctionOf(Call, P) : std::nullopt;
  if (!F || F->Base != "sqrt" || F->IsFloat != isFloat(Op->getType()) ||
      Call->getCallee()->getBeginLoc().isMacroID() ||
      constantValue(Call, P.context(Side::Device)))
    return nullptr;
  return Call;
}

static bool isFloatDivision(const BinaryOperator *Op, const Program &P) {
  if ((Op->getOpcode() != BO_Div && Op->getOpcode() != BO_DivAssign) ||
      !isFloat(Op->getLHS()->getType()) || !isFloat(Op->getRHS()->getType()) ||
      // The compiler multiplies by the reciprocal of many a constant.
      constantValue(Op->getRHS(), P.context(Side::Device)))
    return false;
  return isPlainOperation(Op, P.sources(Side::Device),
                          P.context(Side::Device).getLangOpts());
}

static Place placeOfRoot(const BinaryOperator *Op, const CallExpr *Root,
                         const Program &P) {
  std::string Name = isFloat(Op->getType()) ? "rsqrtf" : "rsqrt";
  std::optional<double> Numerator =
      constantValue(Op->getLHS(), P.context(Side::Device));
  bool IsReciprocal =
      Numerator == 1.0 && Op->getRHS()->IgnoreImpCasts() == Root;
  Place At;
  At.Range = Op->getSourceRange();
  At.Form = Name + (IsReciprocal ? "(1)" : "*");
  At.Class = FpClass::Approximate;
  At.Change = [=](EditBuilder &Builder) {
    SourceRange Callee = Root->getCallee()->getSourceRange();
    if (IsReciprocal)
      return Builder.replace({Op->getBeginLoc(), Callee.getEnd()}, Name);
    Builder.replace({Op->getOperatorLoc(), Op->getOperatorLoc()}, "*");
    Builder.replace(Callee, Name);
  };
  return At;
}

namespace {

/// Writes divisions as calls, those inside of operands included.
class DivisionText {
public:
  DivisionText(const EditBuilder &Builder, const Program &P)
      : Builder(Builder), P(P) {}

  std::string call(const BinaryOperator *Op) const {
    return std::string(Division.Intrinsic) + "(" + argument(Op->getLHS()) +
           ", " + argument(Op->getRHS()) + ")";
  }
  /// The text of \p E with its divisions written as calls.
  std::string of(const Expr *E) const;

private:
  std::string argument(const Expr *E) const {
    const auto *Paren = dyn_cast<ParenExpr>(E->IgnoreImpCasts());
    const auto *Comma =
        Paren ? dyn_cast<BinaryOperator>(Paren->getSubExpr()) : nullptr;
    bool Redundant = Paren && !(Comma && Comma->isCommaOp());
    return of(Redundant ? Paren->getSubExpr() : E);
  }

  const EditBuilder &Builder;
  const Program &P;
};

} // namespace

/// The outermost divisions in \p S that become calls.
static void outermostDivisions(const Stmt *S, const Program &P,
                               std::vector<const BinaryOperator *> &Out) {
  if (!S || isa<PseudoObjectExpr, LambdaExpr>(S))
    return;
  if (const auto *Op = dyn_cast<BinaryOperator>(S);
      Op && Op->getOpcode() == BO_Div && isFloatDivision(Op, P) &&
      !rootBelow(Op, P)) {
    Out.push_back(Op);
    return;
  }
  for (const Stmt *Child : S->children())
    outermostDivisions(Child, P, Out);
}

std::string DivisionText::of(const Expr *E) const {
  std::vector<const BinaryOperator *> Inner;
  outermostDivisions(E, P, Inner);
  std::string Text = Builder.text(E->getSourceRange()).str();
  const SourceManager &SM = P.sources(Side::Device);
  const LangOptions &Options = P.context(Side::Device).getLangOpts();
  unsigned Start = SM.getFileOffset(E->getBeginLoc());
  for (const BinaryOperator *Op : llvm::reverse(Inner)) {
    unsigned Begin = SM.getFileOffset(Op->getBeginLoc());
    unsigned End = SM.getFileOffset(
        Lexer::getLocForEndOfToken(Op->getEndLoc(), 0, SM, Options));
    Text.replace(Begin - Start, End - Begin, call(Op));
  }
  return Text;
}

/// `a / b`, or `a /= b` with an `a` that may be written twice.
static std::optional<Place> placeOfDivision(const BinaryOperator *Op,
                                            const Program &P) {
  bool Assigns = Op->getOpcode() == BO_DivAssign;
  if (Assigns && !isa<DeclRefExpr>(Op->getLHS()))
    return std::nullopt;
  Place At;
  At.Range = Op->getSourceRange();
  At.Form = Division.Intrinsic;
  At.Class = FpClass::Approximate;
  At.Condition = Division.Condition;
  At.Change = [=, &P](EditBuilder &Builder) {
    DivisionText Text(Builder, P);
    std::string Call = Text.call(Op);
    if (Assigns)
      Call = Builder.text(Op->getLHS()->getSourceRange()).str() + " = " + Call;
    Builder.replace(Op->getSourceRange(), Call);
  };
  return At;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

/// The places in \p F where \p Fast can be used.
static std::vector<Place> placesOf(const FastFunction &Fast,
                                   const FunctionDecl *F, const Program &P) {
  std::vector<Place> Result;
  const ASTContext &Context = P.context(Side::Device);
  llvm::SmallPtrSet<const Stmt *, 16> InDivision;
  walkEvaluated(F->getBody(), [&](const Stmt *S, Ancestors Around) {
    // An inner division is rewritten together with the outer one.
    bool Nested = !Around.empty() && InDivision.contains(Around.back());
    if (Nested)
      InDivision.insert(S);
    if (const auto *Call = dyn_cast<CallExpr>(S)) {
      if (fastFormOf(Call, P) == &Fast)
        Result.push_back(placeOfCall(Call, Fast, Context));
      return;
    }
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op || !Op->getType()->isRealFloatingType())
      return;
    const CallExpr *Root =
        Op->getOpcode() == BO_Div ? rootBelow(Op, P) : nullptr;
    if (Root && &Fast == &ReciprocalRoot &&
        isPlainOperation(Op, P.sources(Side::Device), Context.getLangOpts()))
      Result.push_back(placeOfRoot(Op, Root, P));
    if (Root || &Fast != &Division || Nested || !isFloatDivision(Op, P))
      return;
    if (std::optional<Place> At = placeOfDivision(Op, P)) {
      Result.push_back(std::move(*At));
      InDivision.insert(S);
    }
  });
  return Result;
}

static std::vector<const FastFunction *> everyFastFunction() {
  std::vector<const FastFunction *> Result;
  for (const FastFunction &F : Functions)
    Result.push_back(&F);
  Result.push_back(&Division);
  Result.push_back(&ReciprocalRoot);
  return Result;
}

void FastMath::findSites(const Kernel &K, const ProgramAnalysis &A,
                         std::vector<Site> &Out) const {
  const Program &P = A.program();
  if (deviceArithmetic(P).Approximate)
    return;
  for (const FunctionDecl *F : rewritableFunctions(K, A)) {
    for (const FastFunction *Fast : everyFastFunction()) {
      std::vector<Place> Places =
          commonPlaces(K, A, F, [&](const Kernel &, const FunctionDecl *Body) {
            return placesOf(*Fast, Body, P);
          });
      if (Places.empty())
        continue;
      size_t Count = Places.size();
      Site S = siteOfPlaces(*this, K, A, F, std::move(Places));
      S.Subject = Fast->Subject;
      S.Description = std::string("use ") + Fast->Intrinsic + " for " +
                      S.Subject + " " + inFunction(F) + " (" +
                      std::to_string(Count) +
                      (Count == 1 ? " place)" : " places)");
      S.Evidence = {"every operand is a float after overload resolution",
                    std::string("the error is ") + Fast->Error};
      if (Fast == &ReciprocalRoot)
        S.Evidence[0] = "the root and the quotient have one type";
      Out.push_back(std::move(S));
    }
  }
}

std::unique_ptr<Rule> createFastMathRule() {
  return std::make_unique<FastMath>();
}

} // namespace cudal1
