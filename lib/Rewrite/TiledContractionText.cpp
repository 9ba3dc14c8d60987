//===- TiledContractionText.cpp - The lines of a tiled contraction --------===//

#include "TiledContraction.h"

#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// Bytes of the widest shared load.
static constexpr int64_t WidestLoad = 16;
static const char *const Components[] = {"x", "y", "z", "w"};
static const char Unroll[] = "#pragma unroll";

static std::string number(int64_t N) { return std::to_string(N); }

namespace {

/// Every mention of a variable.
class MentionFinder : public RecursiveASTVisitor<MentionFinder> {
public:
  explicit MentionFinder(const VarDecl *V) : V(V) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (V && E->getDecl() == V)
      Found.push_back(E);
    return true;
  }
  const VarDecl *V;
  std::vector<const Expr *> Found;
};

} // namespace

/// What stands for the sum in \p S.
static std::vector<Patch> sumPatches(const ContractionNest &Nest, const Stmt *S,
                                     const std::string &Text) {
  MentionFinder Finder(Nest.Sum);
  Finder.TraverseStmt(const_cast<Stmt *>(S));
  std::vector<Patch> Patches;
  Patches.reserve(Finder.Found.size());
  for (const Expr *E : Finder.Found)
    Patches.push_back({E->getSourceRange(), Text});
  return Patches;
}

/// Where element \p Index of a thread lies in the tile.
std::string TiledContraction::lane(const Side &S, llvm::StringRef Index,
                                   const TileShape &Shape) const {
  int64_t Group = group(S, Shape);
  std::string Result = S.Thread + " + " + Index.str();
  if (Group == (S.IsLeft ? Shape.ThreadM : Shape.ThreadN))
    return Result;
  std::string Step = S.IsLeft ? BM + " / " + TM : BN + " / " + TN;
  if (Group == 1)
    return Result + " * (" + Step + ")";
  return Result + " / " + number(Group) + " * (" + Step + " * " +
         number(Group) + ") + " + Index.str() + " % " + number(Group);
}

std::string TiledContraction::guard(const Side &S, int64_t Ahead,
                                    const TileShape &Shape) const {
  return Text.guard(*S.Coordinate, S.IsLeft ? Shape.M : Shape.N, Ahead);
}

std::string TiledContraction::bothGuards(const TileShape &Shape) const {
  return allOf({guard(Left, 0, Shape), guard(Right, 0, Shape)});
}

void TiledContraction::constants(Lines &Out, const TileShape &Shape) const {
  Out.add("// A block computes " + BM + " x " + BN + " elements of " +
          Nest.Output->Base->getName() + ", a thread " + TM + " x " + TN +
          " of them.");
  Out.add("constexpr int " + BM + " = " + number(Shape.M) + ", " + BN + " = " +
          number(Shape.N) + ", " + BK + " = " + number(Shape.K) + ", " + TM +
          " = " + number(Shape.ThreadM) + ", " + TN + " = " +
          number(Shape.ThreadN) + ";");
  Out.add("constexpr int " + Threads + " = (" + BM + " / " + TM + ") * (" + BN +
          " / " + TN + ");");
  for (const Side *S : {&Left, &Right}) {
    std::string Extent = S->IsLeft ? BM : BN;
    if (S->ContiguousAlongK)
      Extent += " + " + number(WidestLoad / S->ElementSize);
    Out.add("__shared__ __align__(16) " + S->Element + " " + S->Tile + "[2][" +
            BK + "][" + Extent + "];");
  }
}

/// Values that all threads know. Where nothing is added to what the output
/// holds, nothing is done.
void TiledContraction::uniformValues(Lines &Out) const {
  Statements All = Nest.Epilogue;
  llvm::append_range(All, Nest.Body);
  if (Nest.FirstValue)
    All.push_back(Nest.FirstValue);
  All.push_back(Nest.Bound);
  All.push_back(Nest.Output->Expression);
  for (const Side *S : {&Left, &Right})
    for (const CoordinateGuard &G : S->Coordinate->Guards)
      if (G.Bound)
        All.push_back(G.Bound);
  for (const VarDecl *V : Text.needs(All))
    if (Text.isUniform(V))
      Out.add(Text.declaration(V));
  if (!Nest.FirstValue) {
    bool Signed = Nest.Bound->getType()->isSignedIntegerType();
    std::string Bound = Text.compared(Nest.Bound);
    if (!Nest.Bound->isEvaluatable(*K.Context)) {
      Out.add("if (" + Bound + (Signed ? " <= 0)" : " == 0)"));
      Out.indent();
      Out.add("return;");
      Out.close("");
    }
  }
}

/// Uniform values, and where block and thread begin.
void TiledContraction::positions(Lines &Out, const TileShape &Shape) const {
  uniformValues(Out);
  for (const Side *S : {&Left, &Right})
    Out.add("const " + Text.typeOf(S->Coordinate->Variables.front()) + " " +
            S->Blocks + " = blockIdx." + Components[S->Coordinate->Axis] +
            " * " + (S->IsLeft ? BM : BN) + ";");
  for (const Side *S : {&Left, &Right}) {
    int64_t Group = group(*S, Shape);
    Out.add("const int " + S->Thread + " = threadIdx.x " +
            (S->IsLeft ? "/" : "%") + " (" + BN + " / " + TN + ")" +
            (Group == 1 ? "" : " * " + number(Group)) + ";");
  }
  std::string Known;
  for (const Side *S : {&Left, &Right}) {
    if (width(*S, Shape) == 1 || S->WideCondition.empty() || S->Wide == Known)
      continue;
    Out.add("const bool " + S->Wide + " = " + S->WideCondition + ";");
    Known = S->Wide;
  }
}

/// One factor's share of the next tile, from memory to registers.
void TiledContraction::load(Lines &Out, const Side &S,
                            const TileShape &Shape) const {
  int64_t Width = width(S, Shape);
  std::string Extent = S.IsLeft ? BM : BN;
  std::string Row = S.ContiguousAlongK ? BK : Extent;
  std::string Slow = Offset + " / " + Row, Fast = Offset + " % " + Row;
  Out.add(Unroll);
  Out.open("for (int " + I + " = 0; " + I + " < " + Extent + " * " + BK +
           " / " + Threads + "; " +
           (Width == 1 ? "++" + I : I + " += " + number(Width)) + ") {");
  Out.add("const int " + Offset + " = " + I + " * " + Threads +
          " + threadIdx.x" + (Width == 1 ? "" : " * " + number(Width)) + ";");
  Statements Access{S.Factor->Value};
  std::vector<const VarDecl *> Needed = Text.needs(Access);
  for (const CoordinateGuard &G : S.Coordinate->Guards)
    if (!llvm::is_contained(Needed, G.Variable))
      Needed.push_back(G.Variable);
  bool MovesCoordinate = Width > 1 && !S.ContiguousAlongK;
  for (const VarDecl *V : Nest.Declarations)
    if (llvm::is_contained(Needed, V) && Text.isCoordinate(V, *S.Coordinate))
      Out.add(Text.declare(V, !MovesCoordinate) + S.Blocks + " + " +
              (S.ContiguousAlongK ? Slow : Fast) + ";");
    else if (llvm::is_contained(Needed, V) && !Text.isUniform(V))
      Out.add(Text.declaration(V));
  bool MovesDepth = Width > 1 && S.ContiguousAlongK;
  Out.add(Text.declare(Nest.Reduction->Variable, !MovesDepth) + Start + " + " +
          (S.ContiguousAlongK ? Fast : Slow) + ";");
  for (const VarDecl *V : Needed)
    if (Text.isTemporary(V))
      Out.add(Text.declaration(V));
  loadChunk(Out, S, Shape);
  Out.close();
}

void TiledContraction::loadChunk(Lines &Out, const Side &S,
                                 const TileShape &Shape) const {
  int64_t Width = width(S, Shape);
  std::string Depth = Nest.Reduction->Variable->getNameAsString();
  std::string Bound = " < " + Text.compared(Nest.Bound);
  std::string Element = Text.text(S.Factor->Value);
  bool Whole = neverEndsInside(Shape);
  std::string Inside = allOf({guard(S, 0, Shape), Whole ? "" : Depth + Bound});
  std::string Guarded =
      Inside.empty() ? Element + ";"
                     : Inside + " ? " + Element + " : " + S.Padding + ";";
  if (Width == 1)
    return Out.add(S.Next + "[" + I + "] = " + Guarded);
  std::string Moving = Depth;
  if (S.ContiguousAlongCoordinate)
    Moving = S.Coordinate->Variables.front()->getNameAsString();
  std::string Ahead = " + " + number(Width - 1);
  bool AlongK = S.ContiguousAlongK;
  std::string Condition =
      allOf({S.WideCondition.empty() ? "" : S.Wide,
             guard(S, AlongK ? 0 : Width - 1, Shape),
             Whole ? "" : Depth + (AlongK ? Ahead : "") + Bound});
  if (!Condition.empty())
    Out.open("if (" + Condition + ") {");
  const Expr *Place = S.Factor->Access->Expression;
  std::string Address =
      (Place == S.Factor->Value->IgnoreParens() ? "&" : "") + Text.text(Place);
  Out.add("const " + S.Vector + " " + Value + " = *reinterpret_cast<const " +
          S.Vector + " *>(" + Address + ");");
  for (int64_t L = 0; L < Width; ++L)
    Out.add(S.Next + "[" + I + (L ? " + " + number(L) : "") + "] = " + Value +
            "." + Components[L] + ";");
  if (Condition.empty())
    return;
  Out.close("} else {");
  Out.indent();
  Out.add("for (int " + J + " = 0; " + J + " < " + number(Width) + "; ++" + J +
          ", ++" + Moving + ")");
  Out.indent();
  Out.add(S.Next + "[" + I + " + " + J + "] = " + Guarded);
  Out.close("");
  Out.close();
}

/// The share of a tile, from registers to shared memory.
void TiledContraction::store(Lines &Out, const Side &S,
                             const TileShape &Shape) const {
  int64_t Width = width(S, Shape);
  std::string Extent = S.IsLeft ? BM : BN;
  std::string Row = S.ContiguousAlongK ? BK : Extent;
  std::string Slow = Offset + " / " + Row, Fast = Offset + " % " + Row;
  std::string Index = I;
  if (Width > 1) {
    Fast += " + " + J;
    Index += " + " + J;
  }
  Out.add(Unroll);
  Out.open("for (int " + I + " = 0; " + I + " < " + Extent + " * " + BK +
           " / " + Threads + "; " +
           (Width == 1 ? "++" + I : I + " += " + number(Width)) + ") {");
  Out.add("const int " + Offset + " = " + I + " * " + Threads +
          " + threadIdx.x" + (Width == 1 ? "" : " * " + number(Width)) + ";");
  if (Width > 1) {
    Out.add("for (int " + J + " = 0; " + J + " < " + number(Width) + "; ++" +
            J + ")");
    Out.indent();
  }
  Out.add(S.Tile + "[" + Stage + "][" + (S.ContiguousAlongK ? Fast : Slow) +
          "][" + (S.ContiguousAlongK ? Slow : Fast) + "] = " + S.Next + "[" +
          Index + "];");
  if (Width > 1)
    Out.close("");
  Out.close();
}

void TiledContraction::registers(Lines &Out, const Side &S,
                                 const TileShape &Shape) const {
  const std::string &Index = S.IsLeft ? I : J;
  Out.add(Unroll);
  Out.add("for (int " + Index + " = 0; " + Index + " < " +
          (S.IsLeft ? TM : TN) + "; ++" + Index + ")");
  Out.indent();
  Out.add(S.Register + "[" + Index + "] = " + S.Tile + "[" + Stage + "][" +
          Nest.Reduction->Variable->getNameAsString() + "][" +
          lane(S, Index, Shape) + "];");
  Out.close("");
}

/// The two loops over the elements of a thread.
void TiledContraction::elementLoops(Lines &Out, bool Braces) const {
  std::string Brace = Braces ? " {" : "";
  Out.add(Unroll);
  Out.open("for (int " + I + " = 0; " + I + " < " + TM + "; ++" + I + ")" +
           Brace);
  Out.add(Unroll);
  Out.open("for (int " + J + " = 0; " + J + " < " + TN + "; ++" + J + ")" +
           Brace);
}

/// What stands for factors and sum in the author's loop.
std::vector<Patch> TiledContraction::updatePatches() const {
  std::vector<Patch> Patches;
  std::string Element = Sum + "[" + I + "][" + J + "]";
  for (const Side *S : {&Left, &Right})
    for (const Expr *Mention : S->Factor->Mentions)
      Patches.push_back({Text.written(Mention),
                         S->Register + "[" + (S->IsLeft ? I : J) + "]"});
  for (auto [C, Name] : llvm::zip(Nest.Constants, Constants))
    if (isKept(C))
      for (const Expr *Mention : C.Mentions)
        Patches.push_back({Text.written(Mention), Name});
  for (const Expr *E : Nest.SumElements)
    Patches.push_back({Text.written(E), Element});
  for (const Stmt *S : Nest.Body)
    llvm::append_range(Patches, sumPatches(Nest, S, Element));
  return Patches;
}

/// Adds the products of one k to the sums.
void TiledContraction::update(Lines &Out) const {
  Statements Replaced(Nest.SumElements.begin(), Nest.SumElements.end());
  for (const Side *S : {&Left, &Right})
    llvm::append_range(Replaced, S->Factor->Mentions);
  std::vector<Patch> Patches = updatePatches();
  std::vector<const VarDecl *> Needed =
      Text.needs({Nest.Body.back()}, Replaced);
  auto IsNeeded = [&](const Stmt *S) {
    const auto *Decls = dyn_cast<DeclStmt>(S);
    return !Decls || llvm::any_of(Decls->decls(), [&](const Decl *D) {
      return llvm::is_contained(Needed, D);
    });
  };
  bool Braces = llvm::count_if(Nest.Body, IsNeeded) > 1;
  elementLoops(Out, Braces);
  for (const Stmt *S : Nest.Body) {
    if (!IsNeeded(S))
      continue;
    Out.add(Text.patched(S, Patches) + (isa<DeclStmt>(S) ? "" : ";"));
  }
  Out.close(Braces ? "}" : "");
  Out.close(Braces ? "}" : "");
}

/// What one k adds to the sums.
void TiledContraction::combineOne(Lines &Out, const TileShape &Shape) const {
  if (Left.Element == Right.Element) {
    Out.add(Left.Element + " " + Left.Register + "[" + TM + "], " +
            Right.Register + "[" + TN + "];");
  } else {
    Out.add(Left.Element + " " + Left.Register + "[" + TM + "];");
    Out.add(Right.Element + " " + Right.Register + "[" + TN + "];");
  }
  registers(Out, Left, Shape);
  registers(Out, Right, Shape);
  update(Out);
}

/// All k of a tile. Where nothing that fills up a tile leaves the sums as they
/// are, the last tile ends where k does.
void TiledContraction::combineTile(Lines &Out, const TileShape &Shape) const {
  std::string Depth = Nest.Reduction->Variable->getNameAsString();
  std::string Whole = "for (int " + Depth + " = 0; " + Depth + " < " + BK +
                      "; ++" + Depth + ")";
  if (Nest.IsPlainProduct || neverEndsInside(Shape)) {
    Out.add(Unroll);
    Out.open(Whole + " {");
    combineOne(Out, Shape);
    return Out.close();
  }
  std::string Bound = Text.compared(Nest.Bound);
  std::string Call = CombineName + "(" + Depth + ");";
  Out.open("auto " + CombineName + " = [&](int " + Depth + ") {");
  combineOne(Out, Shape);
  Out.close("};");
  Out.open("if (" + Start + " + " + BK + " <= " + Bound + ") {");
  Out.add(Unroll);
  Out.open(Whole);
  Out.add(Call);
  Out.close("");
  Out.close("} else {");
  Out.indent();
  Out.open("for (int " + Depth + " = 0; " + Start + " + " + Depth + " < " +
           Bound + "; ++" + Depth + ")");
  Out.add(Call);
  Out.close("");
  Out.close();
}

void TiledContraction::mainLoop(Lines &Out, const TileShape &Shape) const {
  constantsOfLoop(Out);
  std::string Bound = Text.compared(Nest.Bound);
  std::string More = "if (" + Start + " + " + BK + " < " + Bound + ")";
  bool OneType = DepthType == "int";
  if (!OneType)
    Out.add("int " + Stage + " = 0;");
  Out.open("for (" + DepthType + " " + Start + " = 0" +
           (OneType ? ", " + Stage + " = 0; " : "; ") + Start + " < " + Bound +
           "; " + Start + " += " + BK + ", " + Stage + " ^= 1) {");
  Out.add(More);
  Out.indent();
  Out.add(LoadName + "(" + Start + " + " + BK + ");");
  Out.close("");
  combineTile(Out, Shape);
  Out.add(More);
  Out.indent();
  Out.add(StoreName + "(" + Stage + " ^ 1);");
  Out.close("");
  Out.add("__syncthreads();");
  Out.close();
}

/// Row and column of one element of a thread.
void TiledContraction::coordinates(Lines &Out, const Statements &For,
                                   const TileShape &Shape) const {
  std::vector<const VarDecl *> Needed = Text.needs(For);
  for (const Side *S : {&Left, &Right})
    for (const CoordinateGuard &G : S->Coordinate->Guards)
      Needed.push_back(G.Variable);
  for (const VarDecl *V : Nest.Declarations)
    for (const Side *S : {&Left, &Right})
      if (llvm::is_contained(Needed, V) && Text.isCoordinate(V, *S->Coordinate))
        Out.add(Text.declare(V, true) + S->Blocks + " + " +
                lane(*S, S->IsLeft ? I : J, Shape) + ";");
}

/// The sums as they are before the first product.
void TiledContraction::firstValues(Lines &Out, const TileShape &Shape) const {
  Out.add(SumType + " " + Sum + "[" + TM + "][" + TN + "] = {};");
  if (startsAtZero())
    return;
  std::string Output = Text.text(Nest.Output->Expression);
  std::string First = Nest.FirstValue ? Text.text(Nest.FirstValue) : Output;
  if (Nest.FirstUpdate)
    First =
        Output + " " +
        BinaryOperator::getOpcodeStr(BinaryOperator::getOpForCompoundAssignment(
                                         Nest.FirstUpdate->getOpcode()))
            .str() +
        " " + spellOperand(Nest.FirstValue, *K.Context);
  Statements For;
  if (Nest.FirstValue)
    For.push_back(Nest.FirstValue);
  if (!Nest.FirstValue || Nest.FirstUpdate)
    For.push_back(Nest.Output->Expression);
  elementLoops(Out);
  coordinates(Out, For, Shape);
  std::string Guards = bothGuards(Shape);
  std::vector<std::string> Values = dependents(For);
  if (!Guards.empty())
    Out.open("if (" + Guards + ")" + (Values.empty() ? "" : " {"));
  for (const std::string &Value : Values)
    Out.add(Value);
  Out.add(Sum + "[" + I + "][" + J + "] = " + First + ";");
  if (!Guards.empty())
    Out.close(Values.empty() ? "" : "}");
  Out.close();
  Out.close();
}

/// The author's statements behind the loop, for one element of a thread.
std::string TiledContraction::epilogueText(const std::string &Element) const {
  std::vector<Patch> Patches;
  for (const Stmt *S : Nest.Epilogue)
    llvm::append_range(Patches, sumPatches(Nest, S, Element));
  return Text.following(Nest.Reduction->Statement, Nest.Epilogue.back(),
                        Patches);
}

void TiledContraction::epilogue(Lines &Out, const TileShape &Shape) const {
  std::string Element = Sum + "[" + I + "][" + J + "]";
  elementLoops(Out);
  Statements For = Nest.Epilogue;
  if (!Nest.Sum)
    For.push_back(Nest.Output->Expression);
  coordinates(Out, For, Shape);
  std::string Guards = bothGuards(Shape);
  std::vector<std::string> Values = dependents(For);
  bool Single = Values.empty() &&
                Nest.Epilogue.size() + (Nest.Sum ? 0 : 1) == 1 &&
                (!Nest.Sum || isa<Expr>(Nest.Epilogue.front()));
  if (!Guards.empty())
    Out.open("if (" + Guards + ")" + (Single ? "" : " {"));
  for (const std::string &Value : Values)
    Out.add(Value);
  if (!Nest.Sum)
    Out.add(Text.text(Nest.Output->Expression) + " = " + Element + ";");
  if (!Nest.Epilogue.empty())
    Out.addBlock(epilogueText(Element), Text.indentation(Nest.Epilogue.back()));
  if (!Guards.empty())
    Out.close(Single ? "" : "}");
  Out.close();
  Out.close();
}

std::string TiledContraction::body(const TileShape &Shape) const {
  Lines Out(Text.unit());
  constants(Out, Shape);
  positions(Out, Shape);
  Out.blank();
  for (const Side *S : {&Left, &Right})
    Out.add(S->Element + " " + S->Next + "[" + (S->IsLeft ? BM : BN) + " * " +
            BK + " / " + Threads + "];");
  Out.open("auto " + LoadName + " = [&](" + DepthType + " " + Start + ") {");
  load(Out, Left, Shape);
  load(Out, Right, Shape);
  Out.close("};");
  Out.open("auto " + StoreName + " = [&](int " + Stage + ") {");
  store(Out, Left, Shape);
  store(Out, Right, Shape);
  Out.close("};");
  Out.blank();
  firstValues(Out, Shape);
  Out.add(LoadName + "(0);");
  Out.add(StoreName + "(0);");
  Out.add("__syncthreads();");
  mainLoop(Out, Shape);
  Out.blank();
  epilogue(Out, Shape);
  return Out.take();
}

} // namespace cudal1
