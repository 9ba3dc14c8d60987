//===- TensorContractionText.cpp - The lines of fragments' products -------===//

#include "TensorContraction.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static const char *const Components[] = {"x", "y", "z", "w"};
static const char Unroll[] = "#pragma unroll";

static std::string number(int64_t N) { return std::to_string(N); }

/// `[16][20]`, as elements from one row of a tile to the next.
std::string TensorContraction::stride(const Side &S) const {
  return (S.ContiguousAlongK ? BK
          : S.IsLeft         ? BM
                             : BN) +
         " + " + number(padding(S));
}

void TensorContraction::constants(Lines &Out,
                                  const WarpTileShape &Shape) const {
  Out.add("// A block computes " + BM + " x " + BN + " elements of " +
          Nest.Output->Base->getName() + ", a warp " + WM + " x " + WN +
          " of them on tensor cores.");
  Out.add("namespace " + Wmma + " = nvcuda::wmma;");
  Out.add("constexpr int " + BM + " = " + number(Shape.M) + ", " + BN + " = " +
          number(Shape.N) + ", " + BK + " = " + number(Shape.K) + ", " + WM +
          " = " + number(Shape.WarpM) + ", " + WN + " = " +
          number(Shape.WarpN) + ";");
  Out.add("constexpr int " + Threads + " = (" + BM + " / " + WM + ") * (" + BN +
          " / " + WN + ") * 32;");
  for (const Side *S : {&Left, &Right})
    Out.add("__shared__ __align__(32) " + S->Element + " " + S->Tile + "[2][" +
            (!S->ContiguousAlongK ? BK
             : S->IsLeft          ? BM
                                  : BN) +
            "][" + stride(*S) + "];");
  Out.add("__shared__ __align__(32) " + Kind->Sum + " " + Part + "[" + Threads +
          " / 32][" + number(Kind->M) + "][" + number(Kind->N) + " + 4];");
}

/// Uniform values, and where block and warp begin.
void TensorContraction::positions(Lines &Out,
                                  const WarpTileShape &Shape) const {
  uniformValues(Out);
  for (const Side *S : {&Left, &Right})
    Out.add("const " + Text.typeOf(S->Coordinate->Variables.front()) + " " +
            S->Blocks + " = blockIdx." + Components[S->Coordinate->Axis] +
            " * " + (S->IsLeft ? BM : BN) + ";");
  Out.add("const int " + Warp + " = threadIdx.x / 32;");
  for (const Side *S : {&Left, &Right})
    Out.add("const int " + S->Thread + " = " + Warp +
            (S->IsLeft ? " / " : " % ") + "(" + BN + " / " + WN + ") * " +
            (S->IsLeft ? WM : WN) + ";");
  std::string Known;
  for (const Side *S : {&Left, &Right}) {
    if (vectorWidth(*S, Shape) == 1 || S->WideCondition.empty() ||
        S->Wide == Known)
      continue;
    Out.add("const bool " + S->Wide + " = " + S->WideCondition + ";");
    Known = S->Wide;
  }
}

/// Opens the loop over a thread's share of a tile.
void TensorContraction::shareLoop(Lines &Out, const Side &S,
                                  const WarpTileShape &Shape) const {
  int64_t Width = vectorWidth(S, Shape);
  std::string Wide = Width == 1 ? "" : " * " + number(Width);
  Out.add(Unroll);
  Out.open("for (int " + I + " = 0; " + I + " < " + (S.IsLeft ? BM : BN) +
           " * " + BK + " / (" + Threads + Wide + "); ++" + I + ") {");
  std::string Place = I + " * " + Threads + " + threadIdx.x";
  Out.add("const int " + Offset + " = " +
          (Width == 1 ? Place : "(" + Place + ")" + Wide) + ";");
}

/// One factor's share of the next tile, from memory to registers.
void TensorContraction::load(Lines &Out, const Side &S,
                             const WarpTileShape &Shape) const {
  int64_t Width = vectorWidth(S, Shape);
  std::string Row = S.ContiguousAlongK ? BK : S.IsLeft ? BM : BN;
  std::string Slow = Offset + " / " + Row, Fast = Offset + " % " + Row;
  shareLoop(Out, S, Shape);
  std::vector<const VarDecl *> Needed = Text.needs({S.Factor->Value});
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
  loadVector(Out, S, Shape);
  Out.close();
}

void TensorContraction::loadVector(Lines &Out, const Side &S,
                                   const WarpTileShape &Shape) const {
  int64_t Width = vectorWidth(S, Shape);
  TileShape Tile = Shape.loads();
  std::string Depth = Nest.Reduction->Variable->getNameAsString();
  std::string Bound = " < " + Text.compared(Nest.Bound);
  std::string Element = Text.text(S.Factor->Value);
  bool Whole = neverEndsInside(Tile);
  std::string Inside = allOf({guard(S, 0, Tile), Whole ? "" : Depth + Bound});
  std::string Guarded =
      Inside.empty() ? Element + ";"
                     : Inside + " ? " + Element + " : " + S.Padding + ";";
  std::string Next = S.Next + "[" + I + "]";
  if (Width == 1)
    return Out.add(Next + " = " + Guarded);
  bool AlongK = S.ContiguousAlongK;
  std::string Moving =
      AlongK ? Depth : S.Coordinate->Variables.front()->getNameAsString();
  std::string Ahead = " + " + number(Width - 1);
  std::string Condition =
      allOf({S.WideCondition.empty() ? "" : S.Wide,
             guard(S, AlongK ? 0 : Width - 1, Tile),
             Whole ? "" : Depth + (AlongK ? Ahead : "") + Bound});
  if (!Condition.empty())
    Out.open("if (" + Condition + ") {");
  const Expr *Place = S.Factor->Access->Expression;
  std::string Address =
      (Place == S.Factor->Value->IgnoreParens() ? "&" : "") + Text.text(Place);
  Out.add(Next + " = *reinterpret_cast<const " + S.Vector + " *>(" + Address +
          ");");
  if (Condition.empty())
    return;
  Out.close("} else {");
  Out.indent();
  Out.add(S.Element + " " + Value + "[" + number(Width) + "];");
  Out.add("for (int " + J + " = 0; " + J + " < " + number(Width) + "; ++" + J +
          ", ++" + Moving + ")");
  Out.indent();
  Out.add(Value + "[" + J + "] = " + Guarded);
  Out.close("");
  Out.add("memcpy(&" + Next + ", " + Value + ", sizeof(" + S.Vector + "));");
  Out.close();
}

/// The share of a tile, from registers to shared memory. What fills up the last
/// tile stays zero, whatever it would be multiplied by.
void TensorContraction::store(Lines &Out, const Side &S,
                              const WarpTileShape &Shape) const {
  int64_t Width = vectorWidth(S, Shape);
  std::string Row = S.ContiguousAlongK ? BK : S.IsLeft ? BM : BN;
  std::string Slow = Offset + " / " + Row, Fast = Offset + " % " + Row;
  std::string Place = S.Tile + "[" + Stage + "][" + Slow + "][" + Fast + "]";
  std::string Next = S.Next + "[" + I + "]";
  shareLoop(Out, S, Shape);
  bool Scales = S.IsLeft && !Nest.Scalars.empty();
  std::string Depth = Nest.Reduction->Variable->getNameAsString();
  bool Tests = Scales && !neverEndsInside(Shape.loads());
  if (Tests)
    Out.add(Text.declare(Nest.Reduction->Variable, true) + Start + " + " +
            (S.ContiguousAlongK ? Fast : Slow) + ";");
  auto Stored = [&](const std::string &From, int64_t Lane) {
    std::string To = scaled(S, From);
    if (!Tests)
      return To;
    std::string K = Depth;
    if (S.ContiguousAlongK && Lane)
      K += " + " + number(Lane);
    return K + " < " + Text.compared(Nest.Bound) + " ? " + To + " : " +
           S.Padding;
  };
  bool Changes = Scales || roundsFactors();
  if (Width == 1) {
    Out.add(Place + " = " + (Changes ? Stored(Next, 0) : Next) + ";");
  } else {
    if (Changes)
      for (int64_t Lane = 0; Lane < Width; ++Lane) {
        std::string One = Next + "." + Components[Lane];
        Out.add(One + " = " + Stored(One, Lane) + ";");
      }
    Out.add("*reinterpret_cast<" + S.Vector + " *>(&" + Place + ") = " + Next +
            ";");
  }
  Out.close();
}

void TensorContraction::loopOver(Lines &Out, const std::string &Index,
                                 const std::string &Count,
                                 llvm::StringRef Brace) const {
  Out.add(Unroll);
  Out.open("for (int " + Index + " = 0; " + Index + " < " + Count + "; ++" +
           Index + ")" + Brace.str());
}

/// The fragments of one factor for some products, from shared memory.
void TensorContraction::fragment(Lines &Out, const Side &S) const {
  std::string Type =
      Kind->Factor.empty() ? S.Element : Wmma + "::" + Kind->Factor;
  const std::string &Name = S.IsLeft ? FragmentLeft : FragmentRight;
  const std::string &Index = S.IsLeft ? I : J;
  std::string Count =
      S.IsLeft ? WM + " / " + number(Kind->M) : WN + " / " + number(Kind->N);
  std::string Line =
      S.Thread + " + " + Index + " * " + number(S.IsLeft ? Kind->M : Kind->N);
  std::string Depth = Nest.Reduction->Variable->getNameAsString();
  // A row of the left matrix and a column of the right one go along k.
  bool ByRows = S.ContiguousAlongK == S.IsLeft;
  Out.add(Wmma + "::fragment<" + Wmma + "::matrix_" + (S.IsLeft ? "a" : "b") +
          ", " + number(Kind->M) + ", " + number(Kind->N) + ", " +
          number(Kind->K) + ", " + Type + ", " + Wmma +
          (ByRows ? "::row_major> " : "::col_major> ") + Name + "[" + Count +
          "];");
  loopOver(Out, Index, Count, "");
  Out.add(Wmma + "::load_matrix_sync(" + Name + "[" + Index + "], &" + S.Tile +
          "[" + Stage + "][" + (S.ContiguousAlongK ? Line : Depth) + "][" +
          (S.ContiguousAlongK ? Depth : Line) + "], " + stride(S) + ");");
  Out.close("");
}

/// All products of a tile.
void TensorContraction::multiply(Lines &Out) const {
  std::string Depth = Nest.Reduction->Variable->getNameAsString();
  Out.add(Unroll);
  Out.open("for (int " + Depth + " = 0; " + Depth + " < " + BK + "; " + Depth +
           " += " + number(Kind->K) + ") {");
  fragment(Out, Left);
  fragment(Out, Right);
  loopOver(Out, I, WM + " / " + number(Kind->M), "");
  loopOver(Out, J, WN + " / " + number(Kind->N), "");
  std::string Sum = Sums + "[" + I + "][" + J + "]";
  Out.add(Wmma + "::mma_sync(" + Sum + ", " + FragmentLeft + "[" + I + "], " +
          FragmentRight + "[" + J + "], " + Sum + ");");
  Out.close("");
  Out.close("");
  Out.close();
}

void TensorContraction::mainLoop(Lines &Out) const {
  std::string Bound = Text.compared(Nest.Bound);
  std::string Following = Start + " + " + BK;
  std::string More = "if (" + Following + " < " + Bound + ")";
  bool OneType = DepthType == "int";
  if (!OneType)
    Out.add("int " + Stage + " = 0;");
  Out.open("for (" + DepthType + " " + Start + " = 0" +
           (OneType ? ", " + Stage + " = 0; " : "; ") + Start + " < " + Bound +
           "; " + Start + " += " + BK + ", " + Stage + " ^= 1) {");
  Out.add(More);
  Out.indent();
  Out.add(LoadName + "(" + Following + ");");
  Out.close("");
  multiply(Out);
  Out.add(More);
  Out.indent();
  Out.add(StoreName + "(" + Stage + " ^ 1" +
          (Nest.Scalars.empty() ? "" : ", " + Following) + ");");
  Out.close("");
  Out.add("__syncthreads();");
  Out.close();
}

/// The sum of one element: what it begins with, and \p Part.
void TensorContraction::sum(Lines &Out, const std::string &Part) const {
  std::string Adds = Nest.Subtracts ? " -= " : " += ";
  bool FromZero = startsAtZero() && !Nest.Subtracts;
  if (Nest.Sum) {
    std::string First = FromZero ? Part : Text.text(Nest.FirstValue);
    Out.add(SumType + " " + Sum + " = " + First + ";");
    if (!FromZero)
      Out.add(Sum + Adds + Part + ";");
    return;
  }
  std::string Output = Text.text(Nest.Output->Expression);
  if (FromZero)
    return Out.add(Output + " = " + Part + ";");
  if (Nest.FirstValue)
    Out.add(
        Output + " " +
        (Nest.FirstUpdate
             ? BinaryOperator::getOpcodeStr(Nest.FirstUpdate->getOpcode()).str()
             : "=") +
        " " + Text.text(Nest.FirstValue) + ";");
  Out.add(Output + Adds + Part + ";");
}

/// One element of the output, under its guards.
void TensorContraction::element(Lines &Out, const WarpTileShape &Shape) const {
  Statements For = Nest.Epilogue;
  if (Nest.FirstValue)
    For.push_back(Nest.FirstValue);
  if (!Nest.Sum)
    For.push_back(Nest.Output->Expression);
  std::vector<const VarDecl *> Needed = Text.needs(For);
  for (const Side *S : {&Left, &Right})
    for (const CoordinateGuard &G : S->Coordinate->Guards)
      Needed.push_back(G.Variable);
  std::string Row = Offset + " / " + number(Kind->N),
              Column = Offset + " % " + number(Kind->N);
  for (const VarDecl *V : Nest.Declarations)
    for (const Side *S : {&Left, &Right})
      if (llvm::is_contained(Needed, V) && Text.isCoordinate(V, *S->Coordinate))
        Out.add(Text.declare(V, true) + S->Blocks + " + " + S->Thread + " + " +
                (S->IsLeft ? I : J) + " * " +
                number(S->IsLeft ? Kind->M : Kind->N) + " + " +
                (S->IsLeft ? Row : Column) + ";");
  std::string Guards = bothGuards(Shape.loads());
  if (!Guards.empty())
    Out.open("if (" + Guards + ") {");
  for (const std::string &Declared : dependents(For))
    Out.add(Declared);
  sum(Out, Part + "[" + Warp + "][" + Row + "][" + Column + "]");
  if (!Nest.Epilogue.empty())
    Out.addBlock(epilogueText(Sum), Text.indentation(Nest.Epilogue.back()));
  if (!Guards.empty())
    Out.close();
}

/// Each warp lays out its sums, a fragment at a time, and its lanes go on as
/// the author's threads did.
void TensorContraction::finish(Lines &Out, const WarpTileShape &Shape) const {
  loopOver(Out, I, WM + " / " + number(Kind->M), " {");
  loopOver(Out, J, WN + " / " + number(Kind->N), " {");
  Out.add(Wmma + "::store_matrix_sync(&" + Part + "[" + Warp + "][0][0], " +
          Sums + "[" + I + "][" + J + "], " + number(Kind->N) + " + 4, " +
          Wmma + "::mem_row_major);");
  Out.add("__syncwarp();");
  Out.open("for (int " + Offset + " = threadIdx.x % 32; " + Offset + " < " +
           number(Kind->M) + " * " + number(Kind->N) + "; " + Offset +
           " += 32) {");
  element(Out, Shape);
  Out.close();
  Out.add("__syncwarp();");
  Out.close();
  Out.close();
}

std::string TensorContraction::body(const WarpTileShape &Shape) const {
  Lines Out(Text.unit());
  constants(Out, Shape);
  positions(Out, Shape);
  Out.blank();
  for (const Side *S : {&Left, &Right}) {
    int64_t Width = vectorWidth(*S, Shape);
    std::string Extent = S->IsLeft ? BM : BN;
    Out.add(
        (Width == 1 ? S->Element : S->Vector) + " " + S->Next + "[" + Extent +
        " * " + BK + " / " +
        (Width == 1 ? Threads : "(" + Threads + " * " + number(Width) + ")") +
        "];");
  }
  constantsOfLoop(Out);
  Out.open("auto " + LoadName + " = [&](" + DepthType + " " + Start + ") {");
  load(Out, Left, Shape);
  load(Out, Right, Shape);
  Out.close("};");
  bool Scales = !Nest.Scalars.empty();
  Out.open("auto " + StoreName + " = [&](int " + Stage +
           (Scales ? ", " + DepthType + " " + Start : "") + ") {");
  store(Out, Left, Shape);
  store(Out, Right, Shape);
  Out.close("};");
  Out.blank();
  Out.add(Wmma + "::fragment<" + Wmma + "::accumulator, " + number(Kind->M) +
          ", " + number(Kind->N) + ", " + number(Kind->K) + ", " + Kind->Sum +
          "> " + Sums + "[" + WM + " / " + number(Kind->M) + "][" + WN + " / " +
          number(Kind->N) + "];");
  loopOver(Out, I, WM + " / " + number(Kind->M), "");
  loopOver(Out, J, WN + " / " + number(Kind->N), "");
  Out.add(Wmma + "::fill_fragment(" + Sums + "[" + I + "][" + J + "], " +
          (Kind->Sum == "double" ? "0.0" : "0.0f") + ");");
  Out.close("");
  Out.close("");
  Out.add(LoadName + "(0);");
  Out.add(StoreName + (Scales ? "(0, 0);" : "(0);"));
  Out.add("__syncthreads();");
  mainLoop(Out);
  Out.blank();
  finish(Out, Shape);
  return Out.take();
}

} // namespace cudal1
