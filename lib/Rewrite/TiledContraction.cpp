//===- TiledContraction.cpp - What the tiled form is made of --------------===//
//
// Names, paddings and vector loads of the tiled form of a contraction, and
// what stands in its way. TiledContractionText.cpp writes the lines.
//
//===----------------------------------------------------------------------===//

#include "TiledContraction.h"

#include "InlinedCall.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// Bytes of the widest load.
static constexpr int64_t WidestLoad = 16;

/// The vector of WidestLoad bytes over \p Element; "" when there is none.
static std::string vectorOf(QualType Element) {
  if (isSmallFloat(Element))
    return "uint4";
  const auto *Builtin = Element.getCanonicalType()->getAs<BuiltinType>();
  if (!Builtin)
    return "";
  switch (Builtin->getKind()) {
  case BuiltinType::Float:
    return "float4";
  case BuiltinType::Double:
    return "double2";
  case BuiltinType::Int:
    return "int4";
  case BuiltinType::UInt:
    return "uint4";
  default:
    return "";
  }
}

/// The type behind parameter number \p Index depends on a template's
/// parameters.
static bool isDependent(const Kernel &K, const ValueDecl *Base) {
  const KernelParameter *P = K.parameter(Base);
  return K.IsTemplate && P &&
         K.Pattern->getParamDecl(P->Index)->getType()->isDependentType();
}

bool outputIsDisjoint(const Kernel &K, const ProgramAnalysis &A,
                      const ContractionNest &Nest,
                      std::vector<std::string> &Evidence) {
  std::vector<const ValueDecl *> Seen;
  for (const MemoryAccess &Access : K.Accesses) {
    if (Access.Base == Nest.Output->Base ||
        llvm::is_contained(Seen, Access.Base))
      continue;
    Seen.push_back(Access.Base);
    OverlapAnswer Answer = A.basesMayOverlap(K, *Nest.Output, Access);
    if (!Answer.disjoint())
      return false;
    if (!llvm::is_contained(Evidence, Answer.Reason))
      Evidence.push_back(Answer.Reason);
  }
  return true;
}

void findContractionSites(
    const Rule &R, const Kernel &K, const ProgramAnalysis &A,
    llvm::function_ref<void(const Rule &, const Kernel &,
                            const ProgramAnalysis &, std::vector<Site> &)>
        Find,
    std::vector<Site> &Out) {
  size_t Before = Out.size();
  Find(R, K, A, Out);
  if (Out.size() != Before)
    return;
  std::shared_ptr<InlinedCall> Inlined = InlinedCall::of(K, A);
  if (!Inlined)
    return;
  Find(R, Inlined->kernel(), Inlined->analysis(), Out);
  for (Site &S : llvm::drop_begin(Out, Before)) {
    S.TheKernel = &K;
    S.Evidence.push_back("`" + Inlined->callee() +
                         "` changes nothing but its own variables, and stands "
                         "in place of its call");
    S.Apply = [Inlined, Inner = S.Apply](const RewriteParams &Params) {
      return Inlined->onOriginal(Inner(Params));
    };
  }
}

bool TiledContraction::dependsOnTemplate(const Side &S) const {
  return isDependent(K, S.Factor->Access->Base);
}

TiledContraction::TiledContraction(const Kernel &K, const ProgramAnalysis &A,
                                   const ContractionNest &Nest)
    : K(K), A(A), Nest(Nest), Text(K, A, ScopedVariables::of(Nest)) {
  Left = describe(true);
  Right = describe(false);
  chooseNames();
  choosePaddings();
  chooseVector(Left);
  chooseVector(Right);
  if (Left.WideCondition == Right.WideCondition)
    Left.Wide = Right.Wide = name({"wide"});
}

TiledContraction::Side TiledContraction::describe(bool IsLeft) {
  Side S;
  S.IsLeft = IsLeft;
  S.Factor = IsLeft ? &Nest.Left : &Nest.Right;
  S.Coordinate = IsLeft ? &Nest.Rows : &Nest.Columns;
  const MemoryAccess &Access = *S.Factor->Access;
  S.Element = spellElementType(Access.Base, Access.ElementType, *K.Context);
  S.ElementSize = S.MostBytes = int64_t(Access.ElementSize);
  if (isDependent(K, Access.Base))
    std::tie(S.ElementSize, S.MostBytes) = pointeeBytes(Access.Base);
  S.ContiguousAlongK = S.Factor->AlongK == Polynomial(1);
  S.ContiguousAlongCoordinate =
      !S.ContiguousAlongK && S.Factor->AlongCoordinate == Polynomial(1);
  return S;
}

std::string TiledContraction::name(llvm::ArrayRef<llvm::StringRef> Words) {
  std::string Wanted =
      Words.size() == 1 ? Words.front().str() : joinWords(K, Words);
  std::string Name = freshName(K.Function, Wanted, Taken);
  Taken.push_back(Name);
  return Name;
}

void TiledContraction::chooseNames() {
  BM = name({"BM"});
  BN = name({"BN"});
  BK = name({"BK"});
  TM = name({"TM"});
  TN = name({"TN"});
  Threads = name({"threads"});
  LoadName = name({"load"});
  StoreName = name({"store"});
  CombineName = name({"combine"});
  for (const ContractionConstant &C : Nest.Constants)
    Constants.push_back(name({plainName(C.Access->Base), "value"}));
  for (auto [First, Second] :
       {std::pair("i", "j"), std::pair("r", "c"), std::pair("m", "n"),
        std::pair("u", "v"), std::pair("ii", "jj")}) {
    I = First;
    J = Second;
    if (freshName(K.Function, I) == I && freshName(K.Function, J) == J)
      break;
  }
  I = name({I});
  J = name({J});
  Offset = name({"e"});
  Value = name({"v"});
  Start = name({Nest.Reduction->Variable->getName(), "start"});
  Stage = name({"stage"});
  DepthType = Text.typeOf(Nest.Reduction->Variable);
  if (Nest.Sum) {
    Sum = Nest.Sum->getNameAsString();
    SumType = spellElementType(Nest.Sum, Nest.Sum->getType(), *K.Context);
  } else {
    Sum = name({"sum"});
    SumType = spellElementType(Nest.Output->Base, Nest.Output->ElementType,
                               *K.Context);
  }
  for (Side *S : {&Left, &Right}) {
    std::string Matrix = plainName(S->Factor->Access->Base);
    std::string Line = S->Coordinate->Variables.front()->getNameAsString();
    S->Tile = name({"tile", Matrix});
    S->Next = name({"next", Matrix});
    S->Register = name({"reg", Matrix});
    S->Wide = name({"wide", Matrix});
    S->Load = name({"load", Matrix});
    S->Blocks = name({"block", Line});
    S->Thread = name({"thread", Line});
  }
}

/// The last tile of k is filled up by values whose product is -0, or +0 where
/// it is subtracted: what x + -0 and x - 0 give is x, for every x.
void TiledContraction::choosePaddings() {
  auto IsFloating = [](const Side &S) {
    return S.Factor->Access->ElementType->isRealFloatingType();
  };
  auto Depends = [&](const Side &S) { return dependsOnTemplate(S); };
  // Instantiations for integers read as those for floating point do.
  bool None = !IsFloating(Left) && !IsFloating(Right);
  Side *Negative = (None ? Depends(Left) : IsFloating(Left)) ? &Left : &Right;
  for (Side *S : {&Left, &Right}) {
    QualType Type = S->Factor->Access->ElementType;
    bool IsNegative = S == Negative && !Nest.Subtracts && Nest.IsPlainProduct;
    if (Depends(*S)) {
      S->Padding = S->Element + (IsNegative ? "(-0.0f)" : "(0)");
      continue;
    }
    if (isSmallFloat(Type)) {
      S->Padding = Type->getAsCXXRecordDecl()->getName() == "__half"
                       ? "__float2half(0.0f)"
                       : "__float2bfloat16(0.0f)";
      continue;
    }
    S->Padding = spellZero(Type, S->Element);
    if (IsNegative && IsFloating(*S))
      S->Padding =
          "-" + spellZero(Type, Type->isSpecificBuiltinType(BuiltinType::Double)
                                    ? "double"
                                    : "float");
  }
}

/// `2 * lda * blockIdx.z`
std::string TiledContraction::product(const Polynomial::Monomial &M,
                                      int64_t Factor) const {
  std::vector<std::string> Parts;
  if (Factor != 1 || M.empty())
    Parts.push_back(std::to_string(Factor));
  for (SymbolId Id : M)
    Parts.push_back(K.Symbols.name(Id));
  return llvm::join(Parts, " * ");
}

/// The condition under which \p P is a multiple of \p Of: "" for always,
/// nothing when it cannot be written.
std::optional<std::string>
TiledContraction::multiple(const Polynomial &P, int64_t Of,
                           std::optional<SymbolId> Divided) const {
  std::string Sum;
  unsigned Terms = 0;
  for (const auto &[M, Factor] : P.terms()) {
    if (Factor % Of == 0 || (Divided && llvm::is_contained(M, *Divided)))
      continue;
    if (M.empty())
      return std::nullopt;
    for (SymbolId Id : M) {
      const Symbol &S = K.Symbols[Id];
      if (S.Kind != SymbolKind::Parameter && S.Kind != SymbolKind::BlockIdx)
        return std::nullopt;
    }
    Sum += (Sum.empty() ? "" : " + ") + product(M, Factor);
    ++Terms;
  }
  if (Sum.empty())
    return "";
  bool IsOneFactor = Terms == 1 && !llvm::StringRef(Sum).contains(' ');
  return (IsOneFactor ? Sum : "(" + Sum + ")") + " % " + std::to_string(Of) +
         " == 0";
}

/// Vector loads need rows that begin at multiples of the vector's size.
void TiledContraction::chooseVector(Side &S) {
  const MemoryAccess &Access = *S.Factor->Access;
  std::string Vector = vectorOf(Access.ElementType);
  if (Vector.empty() || dependsOnTemplate(S) ||
      (!S.ContiguousAlongK && !S.ContiguousAlongCoordinate) ||
      S.Coordinate->Variables.size() != 1)
    return;
  // Nothing else may have to move along with the elements of a vector.
  for (const VarDecl *V : Text.needs({S.Factor->Value}))
    if (Text.isTemporary(V) ||
        (S.ContiguousAlongCoordinate && !Text.isUniform(V) &&
         !Text.isCoordinate(V, *S.Coordinate)))
      return;
  int64_t Width = WidestLoad / S.ElementSize;
  std::vector<std::string> Conditions;
  const Polynomial &Across =
      S.ContiguousAlongK ? S.Factor->AlongCoordinate : S.Factor->AlongK;
  // With rows of n elements, n * n is a multiple where n is.
  std::optional<SymbolId> Divided;
  if (Across.terms().size() == 1 && Across.terms().begin()->first.size() == 1)
    if (Across.terms().begin()->second == 1)
      Divided = Across.terms().begin()->first.front();
  for (const Polynomial *P : {&Across, &S.Factor->Rest}) {
    std::optional<std::string> Condition =
        multiple(*P, Width, P == &Across ? std::nullopt : Divided);
    if (!Condition)
      return;
    if (!Condition->empty())
      Conditions.push_back(*Condition);
  }
  unsigned Index = K.parameter(Access.Base)->Index;
  bool Aligned = llvm::all_of(A.instancesOf(K), [&](const Kernel *Instance) {
    return A.isWholeAllocation(*Instance, Instance->Parameters[Index]);
  });
  if (!Aligned)
    Conditions.push_back("reinterpret_cast<size_t>(" +
                         Access.Base->getNameAsString() + ") % " +
                         std::to_string(WidestLoad) + " == 0");
  S.Vector = Vector;
  S.VectorWidth = Width;
  S.WideCondition = llvm::join(Conditions, " && ");
}

/// The sum begins at +0: that is what an array initialised by {} holds.
bool TiledContraction::startsAtZero() const {
  if (!Nest.FirstValue || Nest.FirstUpdate ||
      Nest.FirstValue->isValueDependent())
    return false;
  Expr::EvalResult Value;
  if (!Nest.FirstValue->EvaluateAsRValue(Value, *K.Context) ||
      Value.HasSideEffects)
    return false;
  return (Value.Val.isFloat() && Value.Val.getFloat().isPosZero()) ||
         (Value.Val.isInt() && Value.Val.getInt().isZero());
}

int64_t TiledContraction::sharedBytes(const TileShape &Shape) const {
  int64_t Pad = Left.ContiguousAlongK ? WidestLoad / Left.ElementSize : 0;
  int64_t PadRight =
      Right.ContiguousAlongK ? WidestLoad / Right.ElementSize : 0;
  return 2 * Shape.K *
         ((Shape.M + Pad) * Left.MostBytes +
          (Shape.N + PadRight) * Right.MostBytes);
}

/// Bytes of an element behind a parameter: least and most of all
/// instantiations.
std::pair<int64_t, int64_t>
TiledContraction::pointeeBytes(const ValueDecl *Base) const {
  unsigned Index = K.parameter(Base)->Index;
  std::vector<int64_t> Sizes;
  for (const Kernel *Instance : A.instancesOf(K)) {
    QualType Element =
        K.Context->getBaseElementType(Instance->Parameters[Index].Pointee);
    Sizes.push_back(K.Context->getTypeSizeInChars(Element).getQuantity());
  }
  auto [Least, Most] = std::minmax_element(Sizes.begin(), Sizes.end());
  return {*Least, *Most};
}

int64_t TiledContraction::sumBytes() const {
  QualType Type = Nest.Sum ? Nest.Sum->getType() : Nest.Output->ElementType;
  return std::max(K.Context->getTypeSizeInChars(Type).getQuantity(),
                  pointeeBytes(Nest.Output->Base).second);
}

/// A constant number of whole tiles never ends inside of one.
bool TiledContraction::neverEndsInside(const TileShape &Shape) const {
  uint64_t Trips = Nest.Reduction->TripCount.value_or(0);
  return Trips && Trips % uint64_t(Shape.K) == 0;
}

/// \p C can be read once, before the loop.
bool TiledContraction::isKept(const ContractionConstant &C) const {
  const Expr *E = C.Mentions.front();
  return !Text.text(E).empty() && !Text.usesRawIndices({E}) &&
         llvm::all_of(Text.needs({E}),
                      [&](const VarDecl *V) { return Text.isUniform(V); });
}

/// What the loop reads in every turn; nothing is read where it has none.
void TiledContraction::constantsOfLoop(Lines &Out) const {
  std::string Condition = "0 < " + Text.compared(Nest.Bound) + " ? ";
  if (Nest.Bound->isEvaluatable(*K.Context))
    Condition.clear();
  for (auto [C, Name] : llvm::zip(Nest.Constants, Constants)) {
    if (!isKept(C))
      continue;
    const MemoryAccess &Access = *C.Access;
    std::string Type =
        spellElementType(Access.Base, Access.ElementType, *K.Context);
    Out.add("const " + Type + " " + Name + " = " + Condition +
            Text.text(C.Mentions.front()) +
            (Condition.empty() ? "" : " : " + Type + "(0)") + ";");
  }
}

bool TiledContraction::fits(const TileShape &Shape) const {
  return Shape.M * Shape.K % Shape.threads() == 0 &&
         Shape.N * Shape.K % Shape.threads() == 0;
}

/// Elements of one load of \p S; 1 where a thread's share is no whole vector.
int64_t TiledContraction::width(const Side &S, const TileShape &Shape) const {
  if (S.Vector.empty())
    return 1;
  int64_t Extent = S.IsLeft ? Shape.M : Shape.N;
  int64_t Along = S.ContiguousAlongK ? Shape.K : Extent;
  int64_t Share = Extent * Shape.K / Shape.threads();
  return Share % S.VectorWidth == 0 && Along % S.VectorWidth == 0
             ? S.VectorWidth
             : 1;
}

/// Neighbouring elements of one thread: what one shared load takes.
int64_t TiledContraction::group(const Side &S, const TileShape &Shape) const {
  return std::min(S.IsLeft ? Shape.ThreadM : Shape.ThreadN,
                  std::max<int64_t>(1, WidestLoad / S.ElementSize));
}

/// Declarations of what depends on row and column. They may read memory, so
/// they have to stand inside the guards.
std::vector<std::string>
TiledContraction::dependents(const Statements &For) const {
  std::vector<const VarDecl *> Needed = Text.needs(For);
  std::vector<std::string> Result;
  for (const VarDecl *V : Nest.Declarations)
    if (llvm::is_contained(Needed, V) && !Text.isUniform(V) &&
        !Text.isCoordinate(V, Nest.Rows) && !Text.isCoordinate(V, Nest.Columns))
      Result.push_back(Text.declaration(V));
  return Result;
}

std::string TiledContraction::obstacle() const {
  Statements Factors{Nest.Left.Value, Nest.Right.Value};
  Statements All = Nest.Epilogue;
  llvm::append_range(All, Nest.Body);
  if (Nest.FirstValue)
    All.push_back(Nest.FirstValue);
  for (const ContractionCoordinate *C : {&Nest.Rows, &Nest.Columns}) {
    if (C->Guards.empty())
      return "no condition bounds the rows or the columns";
    for (const CoordinateGuard &G : C->Guards)
      if (G.Bound)
        All.push_back(G.Bound);
  }
  All.push_back(Nest.Bound);
  All.push_back(Nest.Output->Expression);
  if (Text.usesRawIndices(All))
    return "thread indices are used without a name for row or column";
  for (const Stmt *S : All)
    if (Text.patched(S, {}).empty())
      return "part of the kernel is made by a macro";
  if (Text.dependsOn({Factors[0]}, Nest.Columns) ||
      Text.dependsOn({Factors[1]}, Nest.Rows))
    return "a factor mentions both row and column";
  Statements Replaced(Nest.SumElements.begin(), Nest.SumElements.end());
  llvm::append_range(Replaced, Nest.Left.Mentions);
  llvm::append_range(Replaced, Nest.Right.Mentions);
  for (const ContractionCoordinate *C : {&Nest.Rows, &Nest.Columns})
    if (Text.dependsOn({Nest.Body.back()}, *C, Replaced))
      return "the loop uses another value that depends on the thread";
  for (const Stmt *S : Nest.Body)
    if (Text.patched(S, updatePatches()).empty())
      return "part of the loop is made by a macro";
  if (!Nest.Epilogue.empty() && epilogueText("").empty())
    return "part of the kernel is made by a macro";
  if (!Nest.FirstValue && !Nest.Epilogue.empty())
    return "the loop continues what the output holds, and more follows";
  return "";
}

} // namespace cudal1
