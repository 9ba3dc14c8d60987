//===- AggregatedAtomics.cpp - Atomics once a block -----------------------===//

#include "AggregatedAtomics.h"

#include "BuiltinUses.h"
#include "TileLaunches.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

AggregatedAtomics::AggregatedAtomics(const Kernel &K, const ProgramAnalysis &A,
                                     const StatementTree &Tree,
                                     const std::vector<AtomicTarget> &Targets,
                                     std::optional<ItemLaunches> Launches)
    : K(K), Tree(Tree), Launches(std::move(Launches)),
      Early(findReadAhead(K, A, Tree)) {
  readShape(A);
  for (const AtomicTarget &T : Targets) {
    Place P;
    P.Target = &T;
    const ValueDecl *D = T.Base;
    if (T.Field)
      D = T.Field;
    P.Text = {T.Op, T.Type, spellElementType(D, T.Type, *K.Context),
              K.IsTemplate};
    P.Block = fresh(joinWords(K, {"block", plainName(D)}));
    if (!T.Bins)
      P.Thread = fresh(joinWords(K, {"thread", plainName(D)}));
    if (P.Text.neutral().empty())
      Obstacle = "`" + T.Name + "` is of a type without a neutral value";
    Places.push_back(std::move(P));
  }
  Copy = fresh("copy");
  Copies = fresh("c");
  Bin = fresh("b");
  Sum = fresh("sum");
  Offset = fresh("offset");
  Item = fresh("item");
  Next = fresh("k");
  if (Early)
    for (const EarlyLoad &L : Early->Loads)
      EarlyNames.push_back(fresh(joinWords(K, {"next", plainName(L.Base)})));
  Unit = EditBuilder(A.program(), Side::Device)
             .indentUnit(K.Pattern->getBody()->getBeginLoc());
}

std::string AggregatedAtomics::fresh(llvm::StringRef Wanted) {
  Taken.push_back(freshName(K.Function, Wanted, Taken));
  return Taken.back();
}

/// How threads are numbered in a block, from the launches.
void AggregatedAtomics::readShape(const ProgramAnalysis &A) {
  if (auto Unseen = A.unseenLaunches(K))
    Obstacle = *Unseen;
  for (const Kernel *Instance : A.instancesOf(K))
    for (const Launch *L : Instance->Launches)
      if (L->BlockExtent[2].Value != 1)
        Obstacle = "a block may have threads along z";
  BlockExtents Block = TileLaunches::blockExtents(K, A);
  IsLine = Block[1] == 1;
  WholeWarps = Block[0] && Block[1] && *Block[0] * *Block[1] % WarpThreads == 0;
  Thread = IsLine ? "threadIdx.x" : fresh("thread");
  Threads = IsLine ? "blockDim.x" : fresh("threads");
}

bool AggregatedAtomics::hasBins() const {
  return llvm::any_of(
      Places, [](const Place &P) { return P.Target->Bins.has_value(); });
}

int64_t AggregatedAtomics::bytes(const AggregationShape &Shape) const {
  int64_t Sum = 0;
  for (const Place &P : Places)
    Sum += K.Context->getTypeSizeInChars(P.Target->Type).getQuantity() *
           (P.Target->Bins ? P.Target->Bins->Count * Shape.Copies : 1);
  return Sum;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

std::string AggregatedAtomics::atomic(const Place &P,
                                      const std::string &Address,
                                      const std::string &Value) const {
  const char *Name = "";
  switch (P.Text.Op) {
  case ReductionOp::Sum:
    Name = "atomicAdd";
    break;
  case ReductionOp::Min:
    Name = "atomicMin";
    break;
  case ReductionOp::Max:
    Name = "atomicMax";
    break;
  case ReductionOp::And:
    Name = "atomicAnd";
    break;
  case ReductionOp::Or:
    Name = "atomicOr";
    break;
  case ReductionOp::Xor:
    Name = "atomicXor";
    break;
  case ReductionOp::Product:
    llvm_unreachable("no atomic multiplies");
  }
  return std::string(Name) + "(" + Address + ", " + Value + ")";
}

std::string AggregatedAtomics::size(const Place &P,
                                    const AggregationShape &Shape) const {
  std::string Count = P.Target->Bins->Text;
  return Shape.Copies == 1 ? Count
                           : Count + " * " + std::to_string(Shape.Copies);
}

/// The subscript of a thread's own copy of bin \p Index.
std::string AggregatedAtomics::element(const std::string &Index, bool Primary,
                                       const AggregationShape &Shape) const {
  if (Shape.Copies == 1)
    return Index;
  return (Primary ? Index : "(" + Index + ")") + " * " +
         std::to_string(Shape.Copies) + " + " + Copy;
}

std::string AggregatedAtomics::eachElement(const std::string &Count) const {
  return "for (int " + Bin + " = " + Thread + "; " + Bin + " < " + Count +
         "; " + Bin + " += " + Threads + ")";
}

/// "bins", "words and lines", "words, lines and letters".
static std::string listed(const std::vector<std::string> &Names) {
  std::string Result;
  for (size_t I = 0; I < Names.size(); ++I)
    Result += (I == 0 ? "" : I + 1 == Names.size() ? " and " : ", ") + Names[I];
  return Result;
}

/// \p Lines under \p Head, in braces where there are several.
static std::string under(const std::string &Head,
                         const std::vector<std::string> &Lines,
                         const std::string &Unit) {
  std::string Text = Head + (Lines.size() > 1 ? " {\n" : "\n");
  for (const std::string &Line : Lines)
    Text += Unit + Line + "\n";
  return Text + (Lines.size() > 1 ? "}\n" : "");
}

//===----------------------------------------------------------------------===//
// Before and after the author's statements
//===----------------------------------------------------------------------===//

std::string
AggregatedAtomics::declarations(const AggregationShape &Shape) const {
  std::vector<std::string> Names;
  for (const Place &P : Places)
    if (!llvm::is_contained(Names, P.Target->Name))
      Names.push_back(P.Target->Name);
  std::string Text = "// What the block adds to " + listed(Names) +
                     " is gathered here first.\n";
  if (llvm::any_of(Places, [](const Place &P) {
        return P.Target->Op != ReductionOp::Sum;
      }))
    Text = "// What the block does to " + listed(Names) +
           " is gathered here first.\n";
  for (const Place &P : Places)
    Text += "__shared__ " + P.Text.Spelled + " " + P.Block +
            (P.Target->Bins ? "[" + size(P, Shape) + "]" : "") + ";\n";
  if (!IsLine) {
    Text +=
        "const int " + Thread + " = threadIdx.y * blockDim.x + threadIdx.x;\n";
    if (hasBins())
      Text += "const int " + Threads + " = blockDim.x * blockDim.y;\n";
  }
  if (Shape.Copies > 1)
    Text += "const int " + Copy + " = " + Thread + " % " +
            std::to_string(Shape.Copies) + ";\n";
  return Text;
}

std::string AggregatedAtomics::head(const AggregationShape &Shape) const {
  std::string Text = declarations(Shape), Registers;
  std::vector<std::string> Counters;
  for (const Place &P : Places) {
    std::string Neutral = P.Text.neutral();
    if (P.Target->Bins) {
      Text += eachElement(size(P, Shape)) + "\n" + Unit + P.Block + "[" + Bin +
              "] = " + Neutral + ";\n";
      continue;
    }
    Counters.push_back(P.Block + " = " + Neutral + ";");
    Registers += P.Text.Spelled + " " + P.Thread + " = " + Neutral + ";\n";
  }
  if (!Counters.empty())
    Text += under("if (" + Thread + " == 0)", Counters, Unit);
  return Text + "__syncthreads();\n" + Registers;
}

/// What threads keep in registers comes to shared memory, by warps where all
/// lanes are there.
std::string AggregatedAtomics::gatherCounters() const {
  std::vector<std::string> Lanes, Adds;
  std::string Single;
  for (const Place &P : Places) {
    if (P.Target->Bins)
      continue;
    Lanes.push_back(P.Text.combineWithLane(P.Thread, Offset));
    Adds.push_back(atomic(P, "&" + P.Block, P.Thread) + ";");
    Single += "if (" + P.Thread + " != " + P.Text.neutral() + ")\n" + Unit +
              Adds.back() + "\n";
  }
  if (Lanes.empty())
    return "";
  if (!WholeWarps)
    return Single;
  return under("for (" + ReductionText::lanesLoop(Offset) + ")", Lanes, Unit) +
         under("if (" + Thread + " % 32 == 0)", Adds, Unit);
}

/// Adds what the block has gathered, if anything.
std::string AggregatedAtomics::flush(const Place &P,
                                     const AggregationShape &Shape) const {
  const AtomicTarget &T = *P.Target;
  std::string Neutral = P.Text.neutral();
  if (!T.Bins)
    return "if (" + Thread + " == 0 && " + P.Block + " != " + Neutral + ")\n" +
           Unit + atomic(P, T.Text, P.Block) + ";\n";
  std::string Target = "&" + T.Text + "[" + Bin + "]";
  std::string Own = P.Block + "[" + Bin + "]";
  std::string Each = eachElement(T.Bins->Text);
  if (Shape.Copies == 1)
    return Each + "\n" + Unit + "if (" + Own + " != " + Neutral + ")\n" + Unit +
           Unit + atomic(P, Target, Own) + ";\n";
  std::string Count = std::to_string(Shape.Copies);
  std::string One = P.Block + "[" + Bin + " * " + Count + " + " + Copies + "]";
  return Each + " {\n" + Unit + P.Text.Spelled + " " + Sum + " = " + Neutral +
         ";\n" + Unit + "for (int " + Copies + " = 0; " + Copies + " < " +
         Count + "; ++" + Copies + ")\n" + Unit + Unit +
         P.Text.combine(Sum, One) + "\n" + Unit + "if (" + Sum +
         " != " + Neutral + ")\n" + Unit + Unit + atomic(P, Target, Sum) +
         ";\n}\n";
}

std::string AggregatedAtomics::tail(const AggregationShape &Shape) const {
  std::string Text = gatherCounters() + "__syncthreads();\n";
  for (const Place &P : Places)
    Text += flush(P, Shape);
  return Text;
}

//===----------------------------------------------------------------------===//
// The author's statements
//===----------------------------------------------------------------------===//

static bool isOne(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult Value;
  return isa<IntegerLiteral>(E->IgnoreParenImpCasts()) &&
         E->EvaluateAsInt(Value, Context) && Value.Val.getInt() == 1;
}

/// The statement that takes the place of one atomic, without its semicolon; ""
/// when it cannot be written.
std::string AggregatedAtomics::update(const BodyText &Body, const Place &P,
                                      const AtomicUpdate &Update,
                                      const AggregationShape &Shape,
                                      std::vector<std::string> &Used) const {
  const AtomicTarget &T = *P.Target;
  std::string Value = Body.changedText(Update.Value->getSourceRange());
  if (Value.empty())
    return "";
  if (!T.Bins) {
    if (T.Op == ReductionOp::Sum && T.Type->isIntegerType() && !K.IsTemplate &&
        isOne(Update.Value, *K.Context))
      return (Update.Subtracts ? "--" : "++") + P.Thread;
    if (Update.Subtracts)
      return P.Thread + " -= " + Value;
    std::string Text = P.Text.combine(P.Thread, Value);
    Text.pop_back();
    return Text;
  }
  auto Atomic = [&](const std::string &Element) {
    std::string Address = "&" + Element;
    return Update.Subtracts ? "atomicSub(" + Address + ", " + Value + ")"
                            : atomic(P, Address, Value);
  };
  const Expr *Index = Update.Index->IgnoreParenImpCasts();
  std::string Text = Body.changedText(Index->getSourceRange());
  if (Text.empty())
    return "";
  bool Primary = spellOperand(Index, *K.Context) == spell(Index, *K.Context);
  if (T.Bins->Proved)
    return Atomic(P.Block + "[" + element(Text, Primary, Shape) + "]");
  std::string Before;
  if (!isa<DeclRefExpr>(Index)) {
    PrintingPolicy Policy(K.Context->getLangOpts());
    Used.push_back(freshName(K.Function, "bin", Used));
    Before = "const " +
             Index->getType().getUnqualifiedType().getAsString(Policy) + " " +
             Used.back() + " = " + Text + ";\n";
    Text = Used.back();
  }
  std::string Inside = Text + " < " + T.Bins->Text;
  if (!T.Bins->NonNegative)
    Inside = Text + " >= 0 && " + Inside;
  return Before + "if (" + Inside + ")\n" + Unit +
         Atomic(P.Block + "[" + element(Text, true, Shape) + "]") +
         ";\nelse\n" + Unit + Atomic(T.Text + "[" + Text + "]");
}

void AggregatedAtomics::updates(BodyText &Body, EditBuilder &Builder,
                                const AggregationShape &Shape) const {
  std::vector<std::string> Used = Taken;
  for (const Place &P : Places)
    for (const AtomicUpdate &Update : P.Target->Updates) {
      std::string Text = update(Body, P, Update, Shape, Used);
      if (Text.empty())
        return Builder.fail("an argument of an atomic is made by a macro");
      Body.replaceStatement(Tree.parent(Update.Statement), Update.Statement,
                            Text);
    }
}

/// A return before the end would keep a thread from the barriers: in the loop
/// over elements it goes on to the next one, else what follows it becomes
/// conditional.
void AggregatedAtomics::returns(BodyText &Body, EditBuilder &Builder,
                                bool InLoop) const {
  if (InLoop)
    return Body.continueAtReturns(Tree);
  std::vector<const Stmt *> Returns;
  findIn(Tree.body(), [&](const Stmt *S) {
    if (isa<ReturnStmt>(S))
      Returns.push_back(S);
    return false;
  });
  for (const Stmt *Return : Returns) {
    const Stmt *Around = Tree.parent(Return);
    if (const auto *Block = dyn_cast<CompoundStmt>(Around);
        Block && Block->size() == 1)
      Around = Tree.parent(Block);
    const auto *If = dyn_cast_or_null<IfStmt>(Around);
    if (!If || If->getElse() || If->getInit() || If->getConditionVariable() ||
        If->isConstexpr() || Tree.parent(If) != Tree.body() ||
        If->getBeginLoc().isMacroID() ||
        If->getCond()->getBeginLoc().isMacroID() ||
        If->getCond()->getEndLoc().isMacroID())
      return Builder.fail("a return is no guard at the head of the kernel");
    Body.openBlock(If, "if (" + spellNegated(If->getCond(), *K.Context) + ")");
  }
}

/// Numbers of blocks along the axis count through what a block now does.
void AggregatedAtomics::blocks(BodyText &Body, EditBuilder &Builder,
                               const AggregationShape &Shape) const {
  std::string Why;
  auto Uses = builtinUses(K, Builder, Why);
  if (!Uses)
    return Builder.fail(Why);
  std::string Number = " * " + std::to_string(Shape.Items) + " + " + Item;
  if (Shape.Ahead > 1)
    Number += " + " + Next;
  for (const BuiltinUse &Use : *Uses)
    if (Use.Kind == SymbolKind::BlockIdx && Use.Axis == Launches->axis())
      Body.replace(Use.Expression->getSourceRange(),
                   "(" + spell(Use.Expression, *K.Context) + Number + ")");
}

static std::string deeper(llvm::StringRef Lines, const std::string &Unit) {
  std::string Result;
  llvm::SmallVector<llvm::StringRef> Parts;
  Lines.split(Parts, '\n');
  for (llvm::StringRef Part : Parts)
    Result +=
        (Part.empty() || Part.starts_with("#") ? "" : Unit) + Part.str() + "\n";
  return Result;
}

/// A loop that reads what the elements of the next one need, which from then on
/// name where it is kept.
std::string AggregatedAtomics::readAhead(BodyText &Body, EditBuilder &Builder,
                                         const AggregationShape &Shape) const {
  std::string Count = std::to_string(Shape.Ahead), Lines, Reads;
  for (size_t I = 0; I < EarlyNames.size(); ++I) {
    const EarlyLoad &L = Early->Loads[I];
    Lines += spellElementType(L.Base, L.Type, *K.Context) + " " +
             EarlyNames[I] + "[" + Count + "];\n";
    Reads += Unit + Unit + EarlyNames[I] + "[" + Next + "] = " + L.Text + ";\n";
  }
  Lines += "#pragma unroll\nfor (int " + Next + " = 0; " + Next + " < " +
           Count + "; ++" + Next + ") {\n";
  for (const DeclStmt *Numbers : Early->Numbers) {
    std::string Text = Body.changedText(Numbers->getSourceRange());
    if (llvm::StringRef(Text).contains('\n'))
      Builder.fail("a declaration does not stand on one line");
    Lines += Unit + Text + "\n";
  }
  for (size_t I = 0; I < EarlyNames.size(); ++I)
    for (const Expr *Mention : Early->Loads[I].Mentions)
      Body.replace(Mention->getSourceRange(), EarlyNames[I] + "[" + Next + "]");
  bool Several = EarlyNames.size() > 1;
  return Lines + Unit + "if (" + Early->Guard + ")" +
         (Several ? " {\n" : "\n") + Reads + (Several ? Unit + "}\n" : "") +
         "}\n";
}

/// The author's statements, \p Lines, in a loop over the elements of a thread;
/// \p First stands before those of several elements that are read ahead.
std::string AggregatedAtomics::loop(const std::string &Lines,
                                    const std::string &First,
                                    const AggregationShape &Shape) const {
  auto Head = [](const std::string &Variable, int64_t End, int64_t Step) {
    return "for (int " + Variable + " = 0; " + Variable + " < " +
           std::to_string(End) + "; " +
           (Step == 1 ? "++" + Variable
                      : Variable + " += " + std::to_string(Step)) +
           ") {\n";
  };
  if (Shape.Ahead == 1)
    return Head(Item, Shape.Items, 1) + deeper(Lines, Unit) + "}\n";
  std::string Second = "#pragma unroll\n" + Head(Next, Shape.Ahead, 1) +
                       deeper(Lines, Unit) + "}";
  return "// Several elements are read before the first of them is used.\n" +
         Head(Item, Shape.Items, Shape.Ahead) + deeper(First + Second, Unit) +
         "}\n";
}

void AggregatedAtomics::write(EditBuilder &Builder,
                              const AggregationShape &Shape) const {
  bool InLoop = Shape.Items > 1 && Launches->form() == ItemLaunches::Form::Loop;
  if (Shape.Ahead > 1 && (!InLoop || !Early || Shape.Items % Shape.Ahead))
    return Builder.fail("no elements can be read ahead");
  BodyText Body(K, Builder);
  if (Builder.failed())
    return;
  returns(Body, Builder, InLoop);
  std::string First;
  if (InLoop)
    blocks(Body, Builder, Shape);
  if (Shape.Ahead > 1)
    First = readAhead(Body, Builder, Shape);
  updates(Body, Builder, Shape);
  std::string Lines = Body.lines();
  Lines = InLoop ? loop(Lines, First, Shape) : Lines + "\n";
  Lines = head(Shape) + Lines + tail(Shape);
  Builder.replaceBody(
      cast<CompoundStmt>(K.Pattern->getBody()),
      llvm::StringRef(deeper(llvm::StringRef(Lines).rtrim('\n'), Unit))
          .rtrim('\n'));
  if (Launches)
    Launches->write(Builder, Shape.Items);
}

} // namespace cudal1
