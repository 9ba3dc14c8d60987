//===- CudaGraph.cpp - cuda-graph -----------------------------------------===//
//
// A launch costs the host 2 to 5 us. Where the kernels are shorter, the GPU
// waits for the host. A graph of several iterations costs one launch, and the
// GPU goes from node to node by itself in about 1.5 us. Recording and
// instantiating a graph costs about twice what launching its kernels does, so
// it pays only if it is launched again and again: a loop that runs once is
// recorded for some of its iterations, never as a whole.
//
// The iterations must ask for the same work. Pointers may change places, as in
// double buffering: the graph then holds a multiple of the iterations after
// which they are back. The default stream cannot be recorded, so recording
// goes through a new stream; it is one that waits for the default stream and is
// waited for by it, which keeps the order with the work around the loop.
//
//===----------------------------------------------------------------------===//

#include "../HostUnit.h"
#include "../RepeatLoop.h"
#include "../SteadyLoop.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Iterations that a graph should hold: few graphs of many nodes are slower
/// than some of these (measured on an H200: 10 to 50 are alike).
constexpr int64_t WantedIterations[] = {10, 2, 50};
/// A graph that is launched less often does not pay: to make one costs as much
/// as to launch each of its kernels three times.
constexpr int64_t FewestLaunches = 4;

/// Records several iterations of a host loop that queues the same small kernels
/// each time in a CUDA graph, and launches that instead of each kernel.
class CudaGraph : public Rule {
public:
  llvm::StringRef name() const override { return "cuda-graph"; }
  llvm::StringRef summary() const override {
    return "Records several iterations of a host loop that queues the same "
           "small kernels each time in a CUDA graph, and launches that instead "
           "of each kernel.";
  }
  void findHostSites(const ProgramAnalysis &A,
                     std::vector<Site> &Out) const override;
};

/// A text put in at an offset of the loop's body in place of some bytes.
struct BodyPatch {
  unsigned Begin;
  unsigned End;
  std::string Text;
};

/// Writes the graph for one loop.
class GraphWriter {
public:
  GraphWriter(const ProgramAnalysis &A, const FunctionDecl &F,
              const SteadyLoop &Loop, CheckStyle Style)
      : P(A.program()), F(F), Loop(Loop), Style(std::move(Style)),
        Context(P.context(Side::Host)), SM(Context.getSourceManager()),
        B(P, Side::Host) {}

  llvm::Expected<Edit> write(int64_t Iterations);

private:
  std::string name(llvm::StringRef Wanted);
  std::string body();
  void patchLaunch(const CUDAKernelCallExpr *Launch,
                   std::vector<BodyPatch> &Patches);
  void patchTransfer(const CallExpr *C, std::vector<BodyPatch> &Patches);
  std::optional<unsigned> offsetOf(SourceLocation Loc) const;
  void line(unsigned Level, const llvm::Twine &Text) {
    for (unsigned I = 0; I < Level; ++I)
      Lines += Unit;
    Lines += (Text + "\n").str();
  }
  void call(unsigned Level, const llvm::Twine &Text) {
    line(Level, Style.Before + Text + Style.After);
  }

  const Program &P;
  const FunctionDecl &F;
  const SteadyLoop &Loop;
  CheckStyle Style;
  ASTContext &Context;
  const SourceManager &SM;
  EditBuilder B;
  std::vector<std::string> Taken;
  std::string Stream, Unit, Lines;
};

} // namespace

std::string GraphWriter::name(llvm::StringRef Wanted) {
  Taken.push_back(freshName(&F, Wanted, Taken));
  return Taken.back();
}

/// Offset in the file of the body; nothing for a place in a macro's body.
std::optional<unsigned> GraphWriter::offsetOf(SourceLocation Loc) const {
  FileID File = SM.getFileID(Loop.Statement->getBeginLoc());
  SourceLocation Written =
      SM.isMacroArgExpansion(Loc) ? SM.getSpellingLoc(Loc) : Loc;
  if (Written.isMacroID() || SM.getFileID(Written) != File)
    return std::nullopt;
  return SM.getFileOffset(Written);
}

/// `<<<grid, block>>>` becomes `<<<grid, block, 0, stream>>>`.
void GraphWriter::patchLaunch(const CUDAKernelCallExpr *Launch,
                              std::vector<BodyPatch> &Patches) {
  const CallExpr *Config = Launch->getConfig();
  unsigned Written = 0;
  while (Written < Config->getNumArgs() &&
         !Config->getArg(Written)->isDefaultArgument())
    ++Written;
  if (Written < 2)
    return B.fail("the shape of a launch cannot be read");
  const Expr *Last = Config->getArg(Written - 1);
  CharSourceRange Range = SM.getExpansionRange(Last->getSourceRange());
  SourceLocation After =
      Lexer::getLocForEndOfToken(Range.getEnd(), 0, SM, Context.getLangOpts());
  std::optional<unsigned> Begin = offsetOf(Range.getBegin()),
                          End = offsetOf(After);
  if (!Begin || !End)
    return B.fail("a launch is made by a macro");
  if (Written == 4)
    Patches.push_back({*Begin, *End, Stream});
  else
    Patches.push_back({*End, *End, (Written == 2 ? ", 0, " : ", ") + Stream});
}

/// `cudaMemset(p, 0, n)` becomes `cudaMemsetAsync(p, 0, n, stream)`.
void GraphWriter::patchTransfer(const CallExpr *C,
                                std::vector<BodyPatch> &Patches) {
  std::string Name = C->getDirectCallee()->getName().str();
  std::optional<unsigned> Callee = offsetOf(C->getCallee()->getBeginLoc()),
                          Close = offsetOf(C->getRParenLoc());
  if (!Callee || !Close)
    return B.fail("a copy is made by a macro");
  Patches.push_back({*Callee, unsigned(*Callee + Name.size()), Name + "Async"});
  Patches.push_back({*Close, *Close, ", " + Stream});
}

/// The body with the new stream, as it follows the head of a loop; one level
/// further in than it stands.
std::string GraphWriter::body() {
  const Stmt *Body = Loop.Statement->getBody();
  std::string Text = B.text(Body->getSourceRange()).str();
  std::optional<unsigned> Start = offsetOf(Body->getBeginLoc());
  if (Text.empty() || !Start) {
    B.fail("the loop's body is made by a macro");
    return "";
  }
  std::vector<BodyPatch> Patches;
  for (const CUDAKernelCallExpr *Launch : Loop.Launches)
    patchLaunch(Launch, Patches);
  for (const CallExpr *C : Loop.Transfers)
    patchTransfer(C, Patches);
  llvm::sort(Patches, [](const BodyPatch &X, const BodyPatch &Y) {
    return X.Begin > Y.Begin;
  });
  for (const BodyPatch &Each : Patches) {
    if (Each.Begin < *Start || Each.End > *Start + Text.size()) {
      B.fail("a launch stands outside of its loop");
      return "";
    }
    Text.replace(Each.Begin - *Start, Each.End - Each.Begin, Each.Text);
  }
  bool Braces = isa<CompoundStmt>(Body);
  std::string Indent = indentationOf(Loop.Statement, Context), Result;
  llvm::SmallVector<llvm::StringRef> Parts;
  llvm::StringRef(Text).split(Parts, '\n');
  for (auto [I, Part] : llvm::enumerate(Parts)) {
    if (I) {
      Part.consume_front(Indent);
      Result += Part.trim().empty() ? "\n" : "\n" + Unit;
    }
    Result += Part.rtrim('\r');
  }
  return Braces ? " " + Result : "\n" + Unit + Unit + Result + ";";
}

llvm::Expected<Edit> GraphWriter::write(int64_t Iterations) {
  Unit = B.indentUnit(Loop.Statement->getBeginLoc());
  std::string Bound = spellOperand(Loop.Bound, Context);
  std::string First = spell(Loop.First, Context);
  std::string Type = Loop.Counter->getType().getUnqualifiedType().getAsString(
      Context.getPrintingPolicy());
  if (Bound.empty() || First.empty())
    B.fail("a bound of the loop is made by a macro");
  std::string Done = name("done"), Graph = name("graph"),
              Exec = name("graphExec");
  Stream = name("stream");
  bool Declared = isa<DeclStmt>(Loop.Statement->getInit());
  std::string Counter =
      Declared ? Loop.Counter->getName().str() : name("recorded");
  int64_t Room = Iterations - Loop.Inclusive;
  line(0, Type + " " + Done + " = " + First + ";");
  line(0, "if (" + Bound + " - " + Done + " >= " +
              llvm::Twine(FewestLaunches * Iterations - Loop.Inclusive) +
              ") {");
  line(1, "cudaStream_t " + Stream + ";");
  call(1, "cudaStreamCreate(&" + Stream + ")");
  call(1, "cudaStreamBeginCapture(" + Stream +
              ", cudaStreamCaptureModeThreadLocal)");
  line(1, "for (" + Type + " " + Counter + " = 0; " + Counter + " < " +
              llvm::Twine(Iterations) + "; " + Counter + "++)" + body());
  line(1, "cudaGraph_t " + Graph + ";");
  call(1, "cudaStreamEndCapture(" + Stream + ", &" + Graph + ")");
  line(1, "cudaGraphExec_t " + Exec + ";");
  call(1, "cudaGraphInstantiate(&" + Exec + ", " + Graph + ", 0)");
  line(1, "for (; " + Bound + " - " + Done + " >= " + llvm::Twine(Room) + "; " +
              Done + " += " + llvm::Twine(Iterations) + ")");
  call(2, "cudaGraphLaunch(" + Exec + ", " + Stream + ")");
  call(1, "cudaStreamSynchronize(" + Stream + ")");
  call(1, "cudaGraphExecDestroy(" + Exec + ")");
  call(1, "cudaGraphDestroy(" + Graph + ")");
  call(1, "cudaStreamDestroy(" + Stream + ")");
  Lines += "}";
  B.insertLinesBefore(Loop.Statement, Lines);
  B.replace(Loop.First->getSourceRange(), Done);
  return B.finish();
}

/// The `for` loops of \p S that no other loop holds.
static void collectLoops(const Stmt *S, std::vector<const ForStmt *> &Out) {
  if (!S || isa<LambdaExpr>(S))
    return;
  if (const auto *For = dyn_cast<ForStmt>(S))
    Out.push_back(For);
  if (isa<ForStmt, WhileStmt, CXXForRangeStmt>(S))
    return;
  for (const Stmt *Child : S->children())
    collectLoops(Child, Out);
}

/// The numbers of iterations to offer, each a multiple of the period.
static std::vector<RewriteParams> choicesFor(const SteadyLoop &Loop) {
  std::vector<RewriteParams> Choices;
  for (int64_t Wanted : WantedIterations) {
    int64_t Iterations = (Wanted + Loop.Period - 1) / Loop.Period * Loop.Period;
    RewriteParams Params{{"iterations", Iterations}};
    if ((!Loop.Trips || *Loop.Trips >= FewestLaunches * Iterations) &&
        !llvm::is_contained(Choices, Params))
      Choices.push_back(Params);
  }
  return Choices;
}

static Site siteOf(const Rule &R, const ProgramAnalysis &A,
                   const FunctionDecl &F, const SteadyLoop &Loop,
                   const CheckStyle &Style) {
  Site S = hostSiteAt(R, A, Loop.Statement->getBeginLoc());
  S.Description = "launch several iterations of the loop as one graph";
  S.LoopDepth = 1;
  S.HostLaunches = Loop.Launches.size();
  S.Choices = choicesFor(Loop);
  S.Evidence = {
      "all work goes to the default stream, for which a new blocking stream "
      "waits and which waits for it",
      "each iteration asks for the same work" +
          (Loop.Period == 1 ? std::string()
                            : ", and " + std::to_string(Loop.Period) +
                                  " of them put the pointers back")};
  S.Apply = [&A, &F, Loop, Style](const RewriteParams &Params) {
    return GraphWriter(A, F, Loop, Style).write(Params.at("iterations"));
  };
  return S;
}

void CudaGraph::findHostSites(const ProgramAnalysis &A,
                              std::vector<Site> &Out) const {
  if (A.launches().empty() || !whyNotPlain(A).empty())
    return;
  ASTContext &Context = A.program().context(Side::Host);
  for (const FunctionDecl *F : hostFunctions(A.program())) {
    CheckedCalls Calls(F->getBody(), Context);
    std::vector<const ForStmt *> Loops;
    collectLoops(F->getBody(), Loops);
    EditBuilder B(A.program(), Side::Host);
    for (const ForStmt *Each : Loops) {
      std::optional<SteadyLoop> Loop = readSteadyLoop(Each, Calls, Context);
      if (!Loop || isRepeatLoop(Each, A) || choicesFor(*Loop).empty() ||
          !B.canInsertAround(Each))
        continue;
      Out.push_back(siteOf(*this, A, *F, *Loop, checkStyleOf(Calls, Context)));
    }
  }
}

std::unique_ptr<Rule> createCudaGraphRule() {
  return std::make_unique<CudaGraph>();
}

} // namespace cudal1
