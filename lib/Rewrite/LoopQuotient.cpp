//===- LoopQuotient.cpp - Quotients that a loop can count -----------------===//

#include "LoopQuotient.h"
#include "DeviceCode.h"
#include "IntegerRange.h"

#include "cudal1/Analysis/BuiltinVariables.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace cudal1 {

namespace {

/// All `i / n` and `i % n` of one loop and one divisor.
struct LoopQuotient {
  const Loop *L = nullptr;
  CountedFor Parts;
  const VarDecl *Divisor = nullptr;
  QualType Type;
  std::vector<const BinaryOperator *> Uses;
  bool UsesQuotient = false, UsesRemainder = false;
  /// What only a run can confirm.
  std::vector<std::string> Conditions;
  std::vector<std::string> Facts;
};

} // namespace

//===----------------------------------------------------------------------===//
// What may be counted
//===----------------------------------------------------------------------===//

/// Neither side effects nor calls nor memory: may be written again elsewhere.
static bool isPlainArithmetic(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (asBuiltinVariable(E) || isa<IntegerLiteral>(E))
    return true;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return !Ref->getType().isVolatileQualified();
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return Cast->getType()->isIntegerType() &&
           isPlainArithmetic(Cast->getSubExpr());
  const auto *Op = dyn_cast<BinaryOperator>(E);
  return Op && (Op->isAdditiveOp() || Op->getOpcode() == BO_Mul) &&
         isPlainArithmetic(Op->getLHS()) && isPlainArithmetic(Op->getRHS());
}

/// The loop's shape lets lines stand before it and at the end of its body, and
/// those at the end run once an iteration.
static bool isSuitable(const Loop &L, const CountedFor &Parts) {
  if (L.HasContinue || L.Variable->getType().isVolatileQualified() ||
      !isPlainArithmetic(Parts.Start) ||
      (Parts.Step && !isPlainArithmetic(Parts.Step)))
    return false;
  bool Plain = true;
  walkEvaluated(L.body(), [&](const Stmt *S, Ancestors) {
    // Jumps may pass the end of the body by.
    if (isa<GotoStmt, IndirectGotoStmt, LabelStmt, LambdaExpr, AsmStmt>(S))
      Plain = false;
  });
  const auto *Body = dyn_cast<CompoundStmt>(L.body());
  return Plain && (!Body || !Body->body_empty());
}

/// Declarations may stand before the loop: no jump in the function passes them
/// by.
static bool mayDeclareBefore(const Loop &L, const FunctionDecl *Function) {
  bool Plain = true;
  walkEvaluated(Function->getBody(), [&](const Stmt *S, Ancestors Around) {
    if (isa<GotoStmt, IndirectGotoStmt>(S))
      Plain = false;
    bool InSwitch = S == L.Statement && Around.size() >= 2 &&
                    isa<SwitchStmt>(Around[Around.size() - 2]);
    if (InSwitch)
      Plain = false;
  });
  return Plain;
}

/// A variable that keeps its value in the loop, and is none that the compiler
/// knows: for constants it multiplies instead of dividing.
static const VarDecl *divisorOf(const BinaryOperator *Op, const Loop &L,
                                const Assignments &Changes,
                                const ASTContext &Context) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Op->getRHS()->IgnoreParenImpCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  Expr::EvalResult Value;
  if (!V || V == L.Variable || L.assigns(V) || V->hasGlobalStorage() ||
      V->getType().isVolatileQualified() ||
      Op->getRHS()->EvaluateAsInt(Value, Context))
    return nullptr;
  for (const Assignments::Change &C : Changes.changesOf(V))
    if (C.Escapes)
      return nullptr;
  // Declared in the body, it is another variable in each iteration.
  const SourceManager &SM = Context.getSourceManager();
  return SM.isBeforeInTranslationUnit(V->getLocation(),
                                      L.Statement->getBeginLoc())
             ? V
             : nullptr;
}

/// A variable of the body has the name of one that the lines at the end of the
/// body mention.
static bool isHiddenInBody(const LoopQuotient &Q) {
  llvm::StringSet<> Mentioned = {Q.Divisor->getName()};
  if (Q.Parts.Step)
    walkEvaluated(Q.Parts.Step, [&](const Stmt *S, Ancestors) {
      if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
        Mentioned.insert(Ref->getDecl()->getName());
    });
  bool Hidden = false;
  walkEvaluated(Q.L->body(), [&](const Stmt *S, Ancestors) {
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Decls->decls())
        if (const auto *Named = dyn_cast<NamedDecl>(D))
          Hidden |= Named->getDeclName().isIdentifier() &&
                    Mentioned.contains(Named->getName());
  });
  return Hidden;
}

static bool isUseOf(const BinaryOperator *Op, const Loop &L) {
  if (Op->getOpcode() != BO_Div && Op->getOpcode() != BO_Rem)
    return false;
  const auto *Ref = dyn_cast<DeclRefExpr>(Op->getLHS()->IgnoreParenImpCasts());
  return Ref && Ref->getDecl() == L.Variable && Op->getBeginLoc().isFileID() &&
         Op->getEndLoc().isFileID() && Op->getOperatorLoc().isFileID();
}

static std::vector<LoopQuotient> candidatesIn(const Kernel &K, const Loop &L,
                                              const CountedFor &Parts,
                                              const Assignments &Changes) {
  std::vector<LoopQuotient> Result;
  const ASTContext &Context = *K.Context;
  QualType Type = L.Variable->getType().getUnqualifiedType();
  walkEvaluated(L.body(), [&](const Stmt *S, Ancestors) {
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op || !isUseOf(Op, L))
      return;
    const VarDecl *Divisor = divisorOf(Op, L, Changes, Context);
    // One type throughout: nothing is converted before it is divided.
    if (!Divisor || !Context.hasSameUnqualifiedType(Op->getType(), Type) ||
        !Context.hasSameUnqualifiedType(Divisor->getType(), Type))
      return;
    auto It = llvm::find_if(
        Result, [&](const LoopQuotient &Q) { return Q.Divisor == Divisor; });
    if (It == Result.end()) {
      LoopQuotient New;
      New.L = &L;
      New.Parts = Parts;
      New.Divisor = Divisor;
      New.Type = Type.getCanonicalType();
      It = Result.insert(Result.end(), std::move(New));
    }
    It->Uses.push_back(Op);
    (Op->getOpcode() == BO_Div ? It->UsesQuotient : It->UsesRemainder) = true;
  });
  return Result;
}

//===----------------------------------------------------------------------===//
// Proof
//===----------------------------------------------------------------------===//

static bool isZero(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult Value;
  return E->EvaluateAsInt(Value, Context) && Value.Val.getInt() == 0;
}

static bool stepsByOne(const LoopQuotient &Q) { return Q.L->Step == 1; }

/// Fills conditions and facts; false when the counters would be wrong.
static bool prove(LoopQuotient &Q, const Kernel &K,
                  const RangeAnalysis &Ranges) {
  std::string I = Q.L->Variable->getNameAsString();
  std::string N = Q.Divisor->getNameAsString();
  bool Signed = Q.Type->isSignedIntegerType();
  std::optional<IntegerRange> Start = Ranges.of(Q.Parts.Start);
  if (Signed && (!Start || Start->Min < 0))
    return false;
  if (Q.Parts.Step) {
    std::optional<IntegerRange> Step = Ranges.of(Q.Parts.Step);
    if (!Step || Step->Min < 0)
      return false;
  }
  Q.Facts = {"`" + N + "` does not change in the loop",
             "`" + I + "` changes by its step only and starts at 0 or above"};
  if (Ranges.stepsWithoutWrapping(*Q.L))
    Q.Facts.push_back("`" + I + "` cannot wrap around");
  else
    Q.Conditions.push_back("`" + I + "` does not wrap around");

  std::optional<IntegerRange> Divisor = Ranges.of(Q.Divisor);
  // The compiler knows such a constant, too, and multiplies.
  if (Divisor && Divisor->Min == Divisor->Max && !K.parameter(Q.Divisor))
    return false;
  bool Divides = !isZero(Q.Parts.Start, *K.Context) || !stepsByOne(Q);
  if (Divisor && Divisor->Min >= 1)
    Q.Facts.push_back("`" + N + "` is positive: at least " +
                      std::to_string(Divisor->Min));
  else if (Signed || Divides)
    // Negative, it is never reached by the count; zero, the division before
    // the loop may be one that never happened.
    Q.Conditions.push_back("`" + N + "` is positive");
  else
    Q.Facts.push_back("`" + N + "` has no sign");
  return true;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

/// The lines before the loop and at the end of its body.
struct CounterText {
  std::string Before, AtEnd;
  std::string Quotient, Remainder;
};

} // namespace

/// `E` as an operand of a division, in the counters' type.
static std::string operand(const Expr *E, const LoopQuotient &Q,
                           const EditBuilder &Builder, const ASTContext &C) {
  E = E->IgnoreImpCasts();
  std::string Text = Builder.text(E->getSourceRange()).str();
  if (isa<BinaryOperator>(E))
    Text = "(" + Text + ")";
  if (!C.hasSameUnqualifiedType(E->getType(), Q.Type) &&
      !isa<IntegerLiteral>(E))
    Text = "(" + Q.Type.getAsString(C.getPrintingPolicy()) + ")" + Text;
  return Text;
}

static CounterText counterText(const LoopQuotient &Q, const Kernel &K,
                               const EditBuilder &Builder) {
  CounterText T;
  const ASTContext &C = *K.Context;
  std::string I = Q.L->Variable->getNameAsString();
  std::string N = Q.Divisor->getNameAsString();
  std::string Type = Q.Type.getAsString(C.getPrintingPolicy());
  T.Quotient = freshName(K.Function, I + "Quotient");
  T.Remainder = freshName(K.Function, I + "Remainder", {T.Quotient});
  bool Zero = isZero(Q.Parts.Start, C);
  std::string Start = Zero ? "" : operand(Q.Parts.Start, Q, Builder, C);
  std::string Line = Type + " ";
  if (Q.UsesQuotient)
    Line += T.Quotient + " = " + (Zero ? "0" : Start + " / " + N) + ", ";
  Line += T.Remainder + " = " + (Zero ? "0" : Start + " % " + N) + ";";
  T.Before = Line;
  std::string R = T.Remainder;
  if (stepsByOne(Q)) {
    T.AtEnd = "if (++" + R + " == " + N + ") {\n  " + R + " = 0;\n";
    if (Q.UsesQuotient)
      T.AtEnd += "  ++" + T.Quotient + ";\n";
    T.AtEnd += "}";
    return T;
  }
  std::string Step = operand(Q.Parts.Step, Q, Builder, C);
  std::string StepQuotient =
      freshName(K.Function, I + "StepQuotient", {T.Quotient, R});
  std::string StepRemainder =
      freshName(K.Function, I + "StepRemainder", {T.Quotient, R, StepQuotient});
  Line = "const " + Type + " ";
  if (Q.UsesQuotient) {
    Line += StepQuotient + " = " + Step + " / " + N + ", ";
    T.AtEnd = T.Quotient + " += " + StepQuotient + ";\n";
  }
  T.Before += "\n" + Line + StepRemainder + " = " + Step + " % " + N + ";";
  // R + StepRemainder might be too large for the type.
  T.AtEnd += "if (" + R + " >= " + N + " - " + StepRemainder + ") {\n  " + R +
             " -= " + N + " - " + StepRemainder + ";\n";
  if (Q.UsesQuotient)
    T.AtEnd += "  ++" + T.Quotient + ";\n";
  T.AtEnd += "} else {\n  " + R + " += " + StepRemainder + ";\n}";
  return T;
}

static llvm::Expected<Edit> apply(const LoopQuotient &Q, const Kernel &K,
                                  const Program &P) {
  EditBuilder Builder(P, Side::Device);
  CounterText T = counterText(Q, K, Builder);
  const Stmt *Last = Q.L->body();
  if (const auto *Body = dyn_cast<CompoundStmt>(Last))
    Last = Body->body_back();
  // The inner one first: braces of both may close at one place.
  Builder.insertAround(Last, "", T.AtEnd);
  Builder.insertAround(Q.L->Statement, T.Before, "");
  for (const BinaryOperator *Use : Q.Uses)
    Builder.replace(Use->getSourceRange(),
                    Use->getOpcode() == BO_Div ? T.Quotient : T.Remainder);
  return Builder.finish();
}

void findLoopQuotients(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
                       std::vector<Site> &Out) {
  if (!K.Editable || !K.Function->hasBody() || isTemplateOfHeader(K, A))
    return;
  const Program &P = A.program();
  Assignments Changes = Assignments::of(K.Function->getBody());
  RangeAnalysis Ranges(K, A, Changes);
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    std::optional<CountedFor> Parts = partsOf(*L);
    if (!Parts || !isSuitable(*L, *Parts) || !mayDeclareBefore(*L, K.Function))
      continue;
    for (LoopQuotient &Q : candidatesIn(K, *L, *Parts, Changes)) {
      if (isHiddenInBody(Q) || !prove(Q, K, Ranges))
        continue;
      llvm::Expected<Edit> Trial = apply(Q, K, P);
      if (!Trial) {
        llvm::consumeError(Trial.takeError());
        continue;
      }
      Site S = siteAt(R, K, A, L->Statement->getBeginLoc());
      S.Class = FpClass::Exact;
      std::string I = L->Variable->getNameAsString();
      std::string N = Q.Divisor->getNameAsString();
      S.Subject = I + " / " + N;
      S.Description = "count " +
                      (Q.UsesQuotient ? "`" + I + " / " + N + "`" : "") +
                      (Q.UsesQuotient && Q.UsesRemainder ? " and " : "") +
                      (Q.UsesRemainder ? "`" + I + " % " + N + "`" : "") +
                      " along with the loop over " + I;
      S.Evidence = Q.Facts;
      S.Condition = llvm::join(Q.Conditions, "; ");
      S.LoopDepth = L->Depth;
      S.Apply = [Q, &K, &P](const RewriteParams &) { return apply(Q, K, P); };
      Out.push_back(std::move(S));
    }
  }
}

} // namespace cudal1
