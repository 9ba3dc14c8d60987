//===- SpecializeParameter.cpp - specialize-parameter ---------------------===//
//
// A kernel that gets its radius, stride or mode as an argument cannot have its
// loops unrolled, its divisions turned into multiplications or its branches
// decided by the compiler. Where every launch passes the same constant, the
// kernel may say so itself. The parameter stays, without a name, so that
// launches and declarations stay as they are.
//
//===----------------------------------------------------------------------===//

#include "../LaunchArguments.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Makes a parameter that has one compile-time value at all launches a constant
/// of the kernel.
class SpecializeParameter : public Rule {
public:
  llvm::StringRef name() const override { return "specialize-parameter"; }
  llvm::StringRef summary() const override {
    return "Makes a parameter that has one compile-time value at all launches "
           "a constant of the kernel.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// How the kernel uses a parameter.
struct ParameterMentions {
  /// A constant there lets the compiler do more than compare with a thread's
  /// number.
  bool Worthwhile = false;
  /// Loops around the innermost mention, its own head included.
  unsigned LoopDepth = 0;
};

} // namespace

static bool isLoop(const Stmt *S) {
  return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
}

/// An operator that is cheaper, or decided, with a constant.
static bool gainsFromConstant(const BinaryOperator *Op, const Kernel &K) {
  if (Op->isMultiplicativeOp() || Op->isShiftOp())
    return true;
  if (!Op->isComparisonOp() && !Op->isLogicalOp())
    return false;
  Expr::EvalResult Value;
  return Op->isLogicalOp() || Op->getLHS()->EvaluateAsInt(Value, *K.Context) ||
         Op->getRHS()->EvaluateAsInt(Value, *K.Context);
}

static ParameterMentions mentionsOf(const Kernel &K, const StatementTree &Tree,
                                    const ParmVarDecl *P) {
  ParameterMentions Result;
  findIn(Tree.body(), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref || Ref->getDecl() != P)
      return false;
    unsigned Depth = 0;
    bool InExpression = true;
    for (const Stmt *Around = Tree.parent(Ref); Around;
         Around = Tree.parent(Around)) {
      if (isLoop(Around))
        ++Depth;
      const auto *Op = dyn_cast<BinaryOperator>(Around);
      InExpression &= isa<Expr>(Around);
      if (InExpression && Op && gainsFromConstant(Op, K))
        Result.Worthwhile = true;
      if (isa<SwitchStmt, ConditionalOperator>(Around))
        Result.Worthwhile = true;
    }
    Result.Worthwhile |= Depth > 0;
    Result.LoopDepth = std::max(Result.LoopDepth, Depth);
    return false;
  });
  return Result;
}

/// Something in the text of the kernel asks for the type of a name, which would
/// be const.
static bool asksForTypes(const Kernel &K) {
  const SourceManager &SM = K.Context->getSourceManager();
  llvm::StringRef Text =
      Lexer::getSourceText(SM.getExpansionRange(K.Pattern->getSourceRange()),
                           SM, K.Context->getLangOpts());
  return Text.contains("decltype") || Text.contains("typeof") ||
         Text.contains("typeid");
}

/// The constant as it is written: `3`, `true`, `Mode::Sum`; nothing when it
/// cannot be written plainly.
static std::optional<std::string> spellValue(QualType Type, int64_t Value) {
  if (Type->isBooleanType())
    return std::string(Value ? "true" : "false");
  if (const auto *Enum = Type->getAs<EnumType>()) {
    for (const EnumConstantDecl *Constant :
         Enum->getDecl()->getDefinition()->enumerators())
      if (Constant->getInitVal().isRepresentableByInt64() &&
          Constant->getInitVal().getExtValue() == Value) {
        std::string Name = Constant->getQualifiedNameAsString();
        // `(anonymous namespace)::Sum`
        return Name.find('(') == std::string::npos ? std::optional(Name)
                                                   : std::nullopt;
      }
    return std::nullopt;
  }
  if (Value == INT64_MIN)
    return std::nullopt;
  return std::to_string(Value);
}

static const ParmVarDecl *patternOf(const Kernel &K, unsigned Index) {
  return Index < K.Pattern->getNumParams() ? K.Pattern->getParamDecl(Index)
                                           : nullptr;
}

/// The parameter can be a constant as far as the kernel's text goes.
static bool isConstantInKernel(const KernelParameter &P, const Kernel &K,
                               const Assignments &Changes) {
  const ParmVarDecl *Written = patternOf(K, P.Index);
  QualType Type = P.Decl->getType();
  return Written && !Written->isParameterPack() && !Written->hasDefaultArg() &&
         !Written->hasAttrs() && !Written->getName().empty() &&
         Written->getName() == P.Decl->getName() && !P.Reassigned &&
         Type->isIntegralOrEnumerationType() && !Type->isAnyCharacterType() &&
         !Type->isBitIntType() && !Type.isVolatileQualified() &&
         !Changes.isAssigned(P.Decl);
}

/// Puts the declaration \p Text at the beginning of the body of \p K.
static void insertFirst(EditBuilder &Builder, const Kernel &K,
                        llvm::StringRef Text) {
  const auto *Body = cast<CompoundStmt>(K.Pattern->getBody());
  const Stmt *First = Body->body_front();
  const SourceManager &SM = K.Context->getSourceManager();
  SourceLocation Brace = Body->getLBracLoc();
  bool Invalid = false;
  const char *Behind = SM.getCharacterData(Brace, &Invalid);
  const std::string Line = Text.str() + " // All launches pass this.";
  // A comment above the first statement stays with it.
  if (!Invalid && Brace.isFileID() && Behind[0] == '{' && Behind[1] == '\n')
    Builder.insertAfterToken(Brace,
                             "\n" + indentationOf(First, *K.Context) + Line);
  else if (SM.getExpansionLineNumber(Brace) ==
           SM.getExpansionLineNumber(First->getBeginLoc()))
    Builder.insertBefore(First->getBeginLoc(), Text.str() + " ");
  else
    Builder.insertLinesBefore(First, Line);
}

static llvm::Expected<Edit> specialize(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const ParmVarDecl *P,
                                       llvm::StringRef Value) {
  EditBuilder Builder(A.program(), Side::Device);
  std::string Name = P->getNameAsString();
  std::string Type = spellElementType(P, P->getType(), *K.Context);
  if (Type.empty())
    Builder.fail("the type of `" + Name + "` cannot be written");
  Builder.replace(P->getLocation(), "/*" + Name + "*/");
  insertFirst(Builder, K,
              "constexpr " + Type + " " + Name + " = " + Value.str() + ";");
  return Builder.finish();
}

void SpecializeParameter::findSites(const Kernel &K, const ProgramAnalysis &A,
                                    std::vector<Site> &Out) const {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(K.Pattern->getBody());
  if (!K.Editable || !Body || Body->body_empty() || asksForTypes(K))
    return;
  StatementTree Tree(K);
  Assignments Changes = Assignments::of(K.Function->getBody());
  for (const KernelParameter &P : K.Parameters) {
    if (!isConstantInKernel(P, K, Changes))
      continue;
    ParameterMentions Mentions = mentionsOf(K, Tree, P.Decl);
    if (!Mentions.Worthwhile)
      continue;
    std::string Obstacle;
    auto Value = constantArgument(K, A, P.Index, Obstacle);
    auto Text = Value ? spellValue(P.Decl->getType(), *Value) : std::nullopt;
    if (!Text)
      continue;
    const ParmVarDecl *Written = patternOf(K, P.Index);
    Site S = siteAt(*this, K, A, Written->getLocation());
    S.Subject = Written->getNameAsString();
    S.Description = "make `" + S.Subject + "` the constant " + *Text;
    S.Evidence = {"every launch of " + K.Name + " is in this unit and passes " +
                      *Text + " for `" + S.Subject + "`",
                  "the kernel does not change `" + S.Subject + "`"};
    S.LoopDepth = Mentions.LoopDepth;
    S.Apply = [&K, &A, Written, Text = *Text](const RewriteParams &) {
      return specialize(K, A, Written, Text);
    };
    if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
      Out.push_back(std::move(S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createSpecializeParameterRule() {
  return std::make_unique<SpecializeParameter>();
}

} // namespace cudal1
