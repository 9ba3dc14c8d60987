//===- TransposedTile.cpp - An element kernel through a tile --------------===//

#include "TransposedTile.h"

#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// Bytes of one sector of memory: neighbours that far apart share no access.
static constexpr int64_t SectorBytes = 32;
/// Bytes of one bank of shared memory.
static constexpr int64_t BankBytes = 4;
static const char *const Components[] = {"x", "y"};

TransposedTile::TransposedTile(const Kernel &K, const ProgramAnalysis &A,
                               const ElementKernel &E)
    : K(K), A(A), E(E), Text(K, A, {E.Along, E.Declarations, {}}), Tree(K),
      Changes(Assignments::of(K.Function->getBody())) {
  if (!isWellFormed() || !findAxes() || !findValues())
    return;
  chooseNames();
  for (const Stmt *S : E.Statements)
    if (Text.statement(S, patches({})).empty())
      no("what is loaded is part of what a macro makes");
  for (const Value &V : Values)
    if (Text.text(V.Expression).empty())
      no("what is loaded is part of what a macro makes");
}

/// Everything that is written again can be, and means the same anywhere.
bool TransposedTile::isWellFormed() {
  Statements All = work();
  llvm::append_range(All, guards());
  if (Text.usesRawIndices(All))
    return no("thread indices are used without a name for row or column");
  for (const Stmt *S : All)
    if (Text.patched(S, {}).empty())
      return no("part of the kernel is made by a macro");
  for (const VarDecl *V : E.Declarations)
    if (V->getInit() && !Assignments::of(V->getInit()).changed().empty())
      return no("a declaration changes another variable");
  for (const VarDecl *V : Text.needs(guards()))
    if (Changes.isAssigned(V))
      return no("a bound is changed");
  return true;
}

/// The axis along which neighbours touch neighbouring elements, when those
/// along the other are far apart.
std::optional<unsigned>
TransposedTile::contiguousAxis(const MemoryAccess &Access) const {
  auto It = E.Strides.find(&Access);
  if (It == E.Strides.end())
    return std::nullopt;
  for (unsigned Axis = 0; Axis < 2; ++Axis) {
    const Polynomial &Across = It->second[!Axis];
    auto Along = It->second[Axis].constant(), Far = Across.constant();
    if (Along && std::abs(*Along) == 1 && !Across.isZero() &&
        (!Far || std::abs(*Far) * int64_t(Access.ElementSize) >= SectorBytes))
      return Axis;
  }
  return std::nullopt;
}

bool TransposedTile::findAxes() {
  std::optional<unsigned> Stores;
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Access.writes())
      continue;
    std::optional<unsigned> Axis = contiguousAxis(Access);
    if (!Axis || (Stores && Stores != Axis))
      return no("not all stores follow one axis");
    Stores = Axis;
  }
  if (!Stores)
    return no("nothing is stored");
  StoreAxis = *Stores;
  LoadAxis = 1 - StoreAxis;
  return true;
}

/// The one of the statements of the kernel that holds \p S.
const Stmt *TransposedTile::statementOf(const Stmt *S) const {
  for (const Stmt *Whole : E.Statements)
    if (Tree.contains(Whole, S))
      return Whole;
  return nullptr;
}

/// \p E gives a value that a variable can hold.
static bool isValue(const Expr *E, const ASTContext &Context) {
  QualType Type = E->getType();
  const auto *Record = Type->getAsCXXRecordDecl();
  return Type->isArithmeticType() ||
         (Record && Type.isTriviallyCopyableType(Context) &&
          Record->hasTrivialDefaultConstructor());
}

/// The smallest expression around \p Load that has a value and is evaluated
/// whenever the statement that holds it is; null when there is none.
const Expr *TransposedTile::valueAround(const MemoryAccess &Load) {
  const Stmt *Whole = statementOf(Load.Expression);
  const Expr *Result = nullptr;
  if (isValue(Load.Expression, *K.Context))
    Result = Load.Expression;
  for (const Stmt *S = Load.Expression, *Parent = Tree.parent(S); S != Whole;
       S = Parent, Parent = Tree.parent(S)) {
    if (!Parent || !Whole)
      return nullptr;
    const auto *Around = dyn_cast<Expr>(Parent);
    if (!Around) {
      const auto *If = dyn_cast<IfStmt>(Parent);
      bool Evaluates = isa<DeclStmt>(Parent) || (If && If->getCond() == S);
      return Parent == Whole && Evaluates ? Result : nullptr;
    }
    const auto *Address = dyn_cast<UnaryOperator>(Around);
    if (Address && Address->getOpcode() == UO_AddrOf)
      Result = nullptr;
    const auto *Choice = dyn_cast<AbstractConditionalOperator>(Around);
    const auto *Logical = dyn_cast<BinaryOperator>(Around);
    bool Conditional =
        (Choice && Choice->getCond() != S) ||
        (Logical && Logical->isLogicalOp() && Logical->getRHS() == S);
    if (Conditional || !Result)
      Result = isValue(Around, *K.Context) ? Around : nullptr;
  }
  return Result;
}

/// Whatever \p V reads holds before the first store what it holds at any time.
bool TransposedTile::mayLoadEarly(const Value &V) {
  if (!Assignments::of(V.Expression).changed().empty())
    return no("what is loaded changes a variable");
  Statements Parts{V.Expression};
  for (const VarDecl *Needed : Text.needs({V.Expression})) {
    if (Changes.isAssigned(Needed))
      return no("what is loaded depends on a variable that changes");
    if (Needed->getInit() && !Text.isCoordinate(Needed))
      Parts.push_back(Needed->getInit());
  }
  for (const MemoryAccess &Read : K.Accesses) {
    if (llvm::none_of(Parts, [&](const Stmt *Part) {
          return Tree.contains(Part, Read.Expression);
        }))
      continue;
    if (contiguousAxis(Read) == StoreAxis)
      return no("what is loaded follows both axes");
    for (const MemoryAccess &Write : K.Accesses) {
      if (!Write.writes())
        continue;
      OverlapAnswer Answer = A.basesMayOverlap(K, Read, Write);
      if (!Answer.disjoint())
        return no("what is loaded may be stored by another thread");
      if (!llvm::is_contained(Evidence, Answer.Reason))
        Evidence.push_back(Answer.Reason);
    }
  }
  return true;
}

bool TransposedTile::chooseType(Value &V) {
  QualType Type = V.Expression->getType().getUnqualifiedType();
  const MemoryAccess &Load = *V.Load;
  bool IsElement = Load.Member.empty() &&
                   K.Context->hasSameUnqualifiedType(Type, Load.ElementType);
  if (IsElement) {
    V.Type = spellElementType(Load.Base, Load.ElementType, *K.Context);
  } else {
    if (K.IsTemplate)
      return no("what is loaded may be of another type in each instantiation");
    PrintingPolicy Policy(K.Context->getLangOpts());
    Policy.SuppressTagKeyword = true;
    V.Type = Type.getAsString(Policy);
  }
  V.Bytes = K.Context->getTypeSizeInChars(Type).getQuantity();
  V.Padding = std::max<int64_t>(1, BankBytes / V.Bytes);
  return true;
}

/// \p Load reads what \p Known has in its tile.
bool TransposedTile::isSameElement(const Value &Known,
                                   const MemoryAccess &Load) const {
  const auto *Address =
      dyn_cast_or_null<UnaryOperator>(Tree.parentOfValue(Load.Expression));
  bool Loads = !Address || Address->getOpcode() != UO_AddrOf;
  return Loads && isValue(Load.Expression, *K.Context) &&
         Known.Expression == Known.Load->Expression &&
         Known.Load->Base == Load.Base && Known.Load->Index == Load.Index &&
         Known.Load->Member == Load.Member && K.isStable(Load.Index);
}

bool TransposedTile::addValue(const MemoryAccess &Load) {
  for (const Value &Known : Values)
    if (Tree.contains(Known.Expression, Load.Expression))
      return true;
  for (Value &Known : Values)
    if (isSameElement(Known, Load)) {
      Known.Repeated.push_back(Load.Expression);
      return true;
    }
  Value V;
  V.Load = &Load;
  V.Expression = valueAround(Load);
  if (!V.Expression)
    return no("a load is not made by every thread within the bounds");
  llvm::erase_if(Values, [&](const Value &Known) {
    return Tree.contains(V.Expression, Known.Expression);
  });
  for (Value &Known : Values)
    llvm::erase_if(Known.Repeated, [&](const Expr *Same) {
      return Tree.contains(V.Expression, Same);
    });
  if (!mayLoadEarly(V) || !chooseType(V))
    return false;
  Values.push_back(std::move(V));
  return true;
}

bool TransposedTile::findValues() {
  for (const MemoryAccess &Access : K.Accesses)
    if (!Access.writes() && contiguousAxis(Access) == LoadAxis &&
        !addValue(Access))
      return false;
  if (Values.empty())
    return no("no load follows the other axis than the stores");
  // Reads that stay beside the stores see them only in their own thread.
  for (const MemoryAccess &Write : K.Accesses)
    for (const MemoryAccess &Other : K.Accesses) {
      if (!Write.writes() || &Write == &Other ||
          (Other.Base == Write.Base && Other.Index == Write.Index &&
           K.isStable(Write.Index)))
        continue;
      if (!A.basesMayOverlap(K, Other, Write).disjoint())
        return no("threads access what other threads write");
    }
  return true;
}

std::string TransposedTile::name(llvm::ArrayRef<llvm::StringRef> Choices) {
  std::string Name;
  for (llvm::StringRef Wanted : Choices) {
    Name = freshName(K.Function, Wanted, Taken);
    if (Name == Wanted)
      break;
  }
  Taken.push_back(Name);
  return Name;
}

void TransposedTile::chooseNames() {
  Edge = name({"TILE_DIM", "TILE", "TILE_EDGE"});
  Rows = name({"BLOCK_ROWS", "TILE_ROWS"});
  Columns = name({"BLOCK_COLUMNS", "TILE_COLUMNS"});
  I = name({"i", "r", "step"});
  J = name({"j", "c", "across"});
  for (Value &V : Values) {
    std::string Plain = plainName(V.Load->Base);
    V.Tile = Values.size() == 1 ? name({"tile"})
                                : name({joinWords(K, {"tile", Plain})});
  }
}

std::string TransposedTile::loaded() const {
  std::vector<std::string> Names;
  for (const Value &V : Values)
    if (!llvm::is_contained(Names, V.Load->Base->getNameAsString()))
      Names.push_back(V.Load->Base->getNameAsString());
  return llvm::join(Names, ", ");
}

int64_t TransposedTile::sharedBytes(const TransposedShape &Shape) const {
  int64_t Total = 0;
  for (const Value &V : Values)
    Total += Shape.Edge * (Shape.Edge + V.Padding) * V.Bytes;
  return Total;
}

Statements TransposedTile::work() const {
  Statements Result;
  for (const Stmt *S : E.Statements)
    if (!isa<DeclStmt>(S))
      Result.push_back(S);
  return Result;
}

Statements TransposedTile::replaced() const {
  Statements Result;
  for (const Value &V : Values) {
    Result.push_back(V.Expression);
    llvm::append_range(Result, V.Repeated);
  }
  return Result;
}

Statements TransposedTile::guards() const {
  Statements Result;
  for (const ContractionCoordinate &C : E.Along)
    for (const CoordinateGuard &G : C.Guards)
      if (G.Bound)
        Result.push_back(G.Bound);
  return Result;
}

/// \p V has one value for all threads, which it costs nothing to compute
/// outside of the conditions.
bool TransposedTile::standsAtTop(const VarDecl *V) const {
  if (!Text.isUniform(V) || Changes.isAssigned(V))
    return false;
  return !findIn(V->getInit(), [](const Stmt *S) {
    const auto *Star = dyn_cast<UnaryOperator>(S);
    return isa<ArraySubscriptExpr, CallExpr>(S) ||
           (Star && Star->getOpcode() == UO_Deref);
  });
}

/// The place of a thread in a row of the tile.
std::string TransposedTile::column(const TransposedShape &Shape) const {
  return Shape.walksRows() ? "threadIdx.x + " + J : "threadIdx.x";
}

std::vector<Patch> TransposedTile::patches(const TransposedShape &Shape) const {
  std::vector<Patch> Result;
  for (const Value &V : Values) {
    std::string Element =
        V.Tile + "[" + column(Shape) + "][threadIdx.y + " + I + "]";
    Result.push_back({V.Expression->getSourceRange(), Element});
    for (const Expr *Same : V.Repeated)
      Result.push_back({Same->getSourceRange(), Element});
  }
  return Result;
}

/// The author's comments stay above what they speak of, where it stands first.
void TransposedTile::comments(Lines &Out, const Stmt *S) const {
  if (Commented.insert(S).second)
    for (const std::string &Line : Text.comments(S))
      Out.add(Line);
}

/// Declares those of \p Of that depend on the coordinates.
void TransposedTile::declarations(Lines &Out,
                                  const std::vector<const VarDecl *> &Of,
                                  const std::vector<Patch> &Patches) const {
  for (const Stmt *S : E.Statements) {
    const auto *Decls = dyn_cast<DeclStmt>(S);
    if (!Decls)
      continue;
    for (const Decl *D : Decls->decls()) {
      const auto *V = cast<VarDecl>(D);
      if (!llvm::is_contained(Of, V) || Text.isCoordinate(V) || standsAtTop(V))
        continue;
      comments(Out, S);
      if (Decls->isSingleDecl())
        Out.addBlock(Text.statement(S, Patches), Text.indentation(S));
      else
        Out.add(Text.declare(V, V->getType().isConstQualified()) +
                Text.patched(V->getInit(), Patches) + ";");
    }
  }
}

/// The head of the loop over the rows of the tile, with the coordinates that
/// \p For needs when the threads of a warp follow \p FastAxis.
void TransposedTile::phase(Lines &Out, unsigned FastAxis,
                           const TransposedShape &Shape,
                           const Statements &For) const {
  Out.open("for (int " + I + " = 0; " + I + " < " + Edge + "; " + I +
           " += " + Rows + ") {");
  if (Shape.walksRows())
    Out.open("for (int " + J + " = 0; " + J + " < " + Edge + "; " + J +
             " += " + Columns + ") {");
  std::vector<const VarDecl *> Needed = Text.needs(For, replaced());
  if (FastAxis == LoadAxis)
    Needed = Text.needs(For);
  for (const ContractionCoordinate &C : E.Along)
    if (!Text.guard(C, Shape.Edge).empty())
      for (const CoordinateGuard &G : C.Guards)
        Needed.push_back(G.Variable);
  for (const VarDecl *V : E.Declarations)
    for (const ContractionCoordinate &C : E.Along)
      if (Text.isCoordinate(V, C) && llvm::is_contained(Needed, V)) {
        comments(Out, Text.statementOf(V));
        Out.add(Text.declare(V, V->getType().isConstQualified()) + "blockIdx." +
                Components[C.Axis] + " * " + Edge +
                (C.Axis == FastAxis ? " + " + column(Shape) + ";"
                                    : " + threadIdx.y + " + I + ";"));
      }
}

void TransposedTile::loadPhase(Lines &Out, const TransposedShape &Shape) const {
  Statements Loads;
  for (const Value &V : Values)
    Loads.push_back(V.Expression);
  phase(Out, LoadAxis, Shape, Loads);
  std::vector<const VarDecl *> Needed = Text.needs(Loads);
  std::string Guard = allOf(
      {Text.guard(E.Along[0], Shape.Edge), Text.guard(E.Along[1], Shape.Edge)});
  bool Braces =
      Values.size() > 1 || llvm::any_of(Needed, [&](const VarDecl *V) {
        return !Text.isCoordinate(V) && !standsAtTop(V);
      });
  if (!Guard.empty())
    Out.open("if (" + Guard + ")" + (Braces ? " {" : ""));
  declarations(Out, Needed, {});
  for (const Value &V : Values)
    Out.add(V.Tile + "[threadIdx.y + " + I + "][" + column(Shape) +
            "] = " + Text.text(V.Expression) + ";");
  if (!Guard.empty())
    Out.close(Braces ? "}" : "");
  close(Out, Shape);
}

/// Ends the loops of a phase.
void TransposedTile::close(Lines &Out, const TransposedShape &Shape) const {
  if (Shape.walksRows())
    Out.close();
  Out.close();
}

void TransposedTile::storePhase(Lines &Out,
                                const TransposedShape &Shape) const {
  phase(Out, StoreAxis, Shape, work());
  std::string Guard = allOf(
      {Text.guard(E.Along[0], Shape.Edge), Text.guard(E.Along[1], Shape.Edge)});
  std::vector<const VarDecl *> Needed = Text.needs(work(), replaced());
  bool Braces =
      work().size() > 1 || llvm::any_of(Needed, [&](const VarDecl *V) {
        return !Text.isCoordinate(V) && !standsAtTop(V);
      });
  if (!Guard.empty())
    Out.open("if (" + Guard + ")" + (Braces ? " {" : ""));
  declarations(Out, Needed, patches(Shape));
  for (const Stmt *S : work()) {
    comments(Out, S);
    Out.addBlock(Text.statement(S, patches(Shape)), Text.indentation(S));
  }
  if (!Guard.empty())
    Out.close(Braces ? "}" : "");
  close(Out, Shape);
}

std::string TransposedTile::body(const TransposedShape &Shape) const {
  Commented.clear();
  Lines Out(Text.unit());
  Out.add("// A block moves " + Edge + " x " + Edge +
          " elements through shared memory, so that");
  Out.add("// neighbouring threads both load and store neighbouring elements.");
  Out.add("constexpr int " + Edge + " = " + std::to_string(Shape.Edge) + ", " +
          Rows + " = " + std::to_string(Shape.Rows) +
          (Shape.walksRows()
               ? ", " + Columns + " = " + std::to_string(Shape.Columns)
               : "") +
          ";");
  for (const Value &V : Values)
    Out.add("__shared__ " + V.Type + " " + V.Tile + "[" + Edge + "][" + Edge +
            " + " + std::to_string(V.Padding) + "];");
  Statements All = work();
  llvm::append_range(All, guards());
  for (const VarDecl *V : Text.needs(All))
    if (standsAtTop(V)) {
      comments(Out, Text.statementOf(V));
      Out.add(Text.declaration(V));
    }
  loadPhase(Out, Shape);
  Out.add("__syncthreads();");
  storePhase(Out, Shape);
  return Out.take();
}

} // namespace cudal1
