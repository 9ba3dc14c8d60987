//===- PeelBounds.cpp - peel-bounds ---------------------------------------===//
//
// A filter tests the bounds of its input in each iteration, though they hold in
// all of them for all threads but those at the border. Without the tests the
// loop is unrolled into loads and arithmetic, and its loads overlap.
//
//===----------------------------------------------------------------------===//

#include "../BoundsTests.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// A loop of more lines is not written twice.
static constexpr size_t MostLines = 60;

namespace {

/// Runs a loop without its bounds tests where they hold in all iterations, and
/// as it is elsewhere.
class PeelBounds : public Rule {
public:
  llvm::StringRef name() const override { return "peel-bounds"; }
  llvm::StringRef summary() const override {
    return "Runs a loop without its bounds tests where they hold in all "
           "iterations, and as it is elsewhere.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// The text of a loop, with and without its tests.
class LoopText {
public:
  LoopText(const Kernel &K, const StatementTree &Tree, const BoundsTests &Tests)
      : K(K), Tree(Tree), Tests(Tests), SM(K.Context->getSourceManager()) {
    Valid = place(Tests.Root->Statement, Begin, End);
    if (Valid) {
      File = SM.getDecomposedLoc(
                   SM.getFileLoc(Tests.Root->Statement->getBeginLoc()))
                 .first;
      Buffer = SM.getBufferData(File);
    }
  }

  std::string original() const {
    return Valid ? Buffer.slice(Begin, End).str() : "";
  }
  /// "" when some part is made by a macro.
  std::string withoutTests() {
    std::string Text = Valid ? render(Begin, End) : "";
    return Valid ? Text : "";
  }
  /// The tokens of the loop, its semicolon included.
  SourceRange range() const {
    SourceLocation Start = SM.getLocForStartOfFile(File);
    SourceLocation Last = Lexer::GetBeginningOfToken(
        Start.getLocWithOffset(int(End) - 1), SM, K.Context->getLangOpts());
    return {Start.getLocWithOffset(int(Begin)), Last};
  }

private:
  bool place(const Stmt *S, unsigned &From, unsigned &To) const;
  std::string render(unsigned From, unsigned To);
  std::string renderTest(const BoundsTest &Test, unsigned From, unsigned To);
  std::string renderBranch(const BoundsTest &Test, const Stmt *Branch);
  std::string restOf(const BoundsTest &Test);
  unsigned indentAt(unsigned Offset) const;

  const Kernel &K;
  const StatementTree &Tree;
  const BoundsTests &Tests;
  const SourceManager &SM;
  FileID File;
  llvm::StringRef Buffer;
  unsigned Begin = 0, End = 0;
  bool Valid = false;
};

} // namespace

/// Offsets of \p S in its file, the semicolon of a statement included.
bool LoopText::place(const Stmt *S, unsigned &From, unsigned &To) const {
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(S->getSourceRange()), SM,
      K.Context->getLangOpts());
  if (Range.isInvalid())
    return false;
  From = SM.getFileOffset(Range.getBegin());
  To = SM.getFileOffset(Range.getEnd());
  const Stmt *Parent = Tree.parent(S);
  if (isa<Expr>(S) && Parent && isa<Expr, DeclStmt>(Parent))
    return true;
  auto Next = Lexer::findNextToken(Range.getEnd().getLocWithOffset(-1), SM,
                                   K.Context->getLangOpts());
  if (Next && Next->is(tok::semi) && !isa<CompoundStmt>(S) &&
      SM.getCharacterData(Range.getEnd())[-1] != ';' &&
      SM.getCharacterData(Range.getEnd())[-1] != '}')
    To = SM.getFileOffset(Next->getEndLoc());
  return true;
}

unsigned LoopText::indentAt(unsigned Offset) const {
  size_t Line = Buffer.rfind('\n', Offset);
  Line = Line == llvm::StringRef::npos ? 0 : Line + 1;
  return Buffer.substr(Line).take_while([](char C) { return C == ' '; }).size();
}

/// The text from \p From to \p To without the tests that begin there.
std::string LoopText::render(unsigned From, unsigned To) {
  std::string Out;
  for (const BoundsTest &Test : Tests.Tests) {
    unsigned First = 0, Last = 0;
    if (!place(Test.Where, First, Last)) {
      Valid = false;
      return "";
    }
    if (First < From || Last > To)
      continue;
    Out += Buffer.slice(From, First);
    std::string Text = renderTest(Test, First, Last);
    if (Text.empty()) {
      // A statement that goes takes its line along.
      llvm::StringRef Kept = llvm::StringRef(Out).rtrim(" \t");
      Kept.consume_back("\n");
      Out = Kept.str();
    }
    Out += Text;
    From = Last;
  }
  Out += Buffer.slice(From, To);
  return Out;
}

/// What is left of a condition.
std::string LoopText::restOf(const BoundsTest &Test) {
  std::string Text;
  for (const Expr *Part : Test.Rest) {
    unsigned From = 0, To = 0;
    if (!place(Part, From, To))
      Valid = false;
    if (!Text.empty())
      Text += Test.Continues ? " || " : " && ";
    Text += Buffer.slice(From, To);
  }
  return Text;
}

/// The branch that is always taken, in place of the statement.
std::string LoopText::renderBranch(const BoundsTest &Test, const Stmt *Branch) {
  unsigned From = 0, To = 0, Own = 0, OwnEnd = 0;
  if (!place(Branch, From, To) || !place(Test.Where, Own, OwnEnd)) {
    Valid = false;
    return "";
  }
  std::string Text = render(From, To);
  unsigned Deeper = indentAt(From), Here = indentAt(Own);
  if (isa<CompoundStmt>(Branch) || Deeper <= Here)
    return Text;
  // Further lines of the branch move with its first.
  std::string Result;
  llvm::SmallVector<llvm::StringRef> Rows;
  llvm::StringRef(Text).split(Rows, '\n');
  for (llvm::StringRef Row : Rows) {
    if (!Result.empty())
      Result += '\n';
    if (Row.data() != Text.data() &&
        Row.take_front(Deeper - Here).trim(' ').empty())
      Row = Row.drop_front(std::min<size_t>(Deeper - Here, Row.size()));
    Result += Row;
  }
  return Result;
}

std::string LoopText::renderTest(const BoundsTest &Test, unsigned From,
                                 unsigned To) {
  const auto *If = dyn_cast<IfStmt>(Test.Where);
  const auto *Choice = dyn_cast<ConditionalOperator>(Test.Where);
  const Expr *Condition = If ? If->getCond() : Choice->getCond();
  if (!Test.Rest.empty()) {
    unsigned First = 0, Last = 0;
    if (!place(Condition, First, Last))
      Valid = false;
    return Buffer.slice(From, First).str() + restOf(Test) + render(Last, To);
  }
  if (Choice) {
    const Expr *Value = Choice->getTrueExpr();
    unsigned First = 0, Last = 0;
    if (!place(Value, First, Last))
      Valid = false;
    std::string Text = render(First, Last);
    return isa<ArraySubscriptExpr, DeclRefExpr, ParenExpr, CallExpr,
               IntegerLiteral, FloatingLiteral>(Value->IgnoreImpCasts())
               ? Text
               : "(" + Text + ")";
  }
  if (!Test.Continues)
    return renderBranch(Test, If->getThen());
  return isa_and_nonnull<CompoundStmt>(Tree.parent(If)) ? "" : ";";
}

/// \p Text, which begins at the indentation \p Base, one level deeper.
static std::string deeper(llvm::StringRef Text, llvm::StringRef Base,
                          llvm::StringRef Unit) {
  std::string Result;
  llvm::SmallVector<llvm::StringRef> Rows;
  Text.split(Rows, '\n');
  for (llvm::StringRef Row : Rows) {
    if (Result.empty())
      Result += (Base + Unit).str();
    else if (!Row.trim().empty())
      Result += Unit;
    Result += Row;
    Result += '\n';
  }
  return Result;
}

/// The loop is what an earlier rewrite left for where the tests do not hold:
/// the other branch has a loop over the same variable.
static bool isGuardedRest(const StatementTree &Tree, const Loop &L) {
  const Stmt *Child = L.Statement;
  for (const Stmt *Parent = Tree.parent(Child); Parent;
       Child = Parent, Parent = Tree.parent(Child)) {
    const auto *If = dyn_cast<IfStmt>(Parent);
    if (!If || Child != If->getElse())
      continue;
    bool Same = findIn(If->getThen(), [&](const Stmt *S) {
      const auto *For = dyn_cast<ForStmt>(S);
      const auto *Init =
          For ? dyn_cast_or_null<DeclStmt>(For->getInit()) : nullptr;
      return Init && Init->isSingleDecl() &&
             cast<NamedDecl>(Init->getSingleDecl())->getDeclName() ==
                 L.Variable->getDeclName();
    });
    if (Same)
      return true;
  }
  return false;
}

/// Both forms of the loop; "" when they cannot be written.
static std::string peeledText(const Kernel &K, LoopText &Text,
                              const BoundsTests &Tests, llvm::StringRef Unit) {
  std::string Fast = Text.withoutTests(), Slow = Text.original();
  if (Fast.empty() || Slow.empty() ||
      llvm::StringRef(Slow).count('\n') > MostLines ||
      Slow.find("R\"") != std::string::npos ||
      Slow.find('\r') != std::string::npos)
    return "";
  std::string Base = indentationOf(Tests.Root->Statement, *K.Context);
  return "if (" + llvm::join(Tests.Conditions, " && ") + ") {\n" +
         deeper(Fast, Base, Unit) + Base + "} else {\n" +
         deeper(Slow, Base, Unit) + Base + "}";
}

static llvm::Expected<Edit> peel(const Kernel &K, const ProgramAnalysis &A,
                                 const StatementTree &Tree,
                                 const BoundsTests &Tests) {
  EditBuilder Builder(A.program(), Side::Device);
  LoopText Text(K, Tree, Tests);
  std::string Peeled = peeledText(
      K, Text, Tests, Builder.indentUnit(Tests.Root->Statement->getBeginLoc()));
  if (Peeled.empty())
    Builder.fail("the loop over " + Tests.Root->Variable->getName() +
                 " cannot be written twice");
  else
    Builder.replace(Text.range(), Peeled);
  return Builder.finish();
}

void PeelBounds::findSites(const Kernel &K, const ProgramAnalysis &A,
                           std::vector<Site> &Out) const {
  if (!K.Editable || K.Loops.empty() || K.HasAsm)
    return;
  auto Tree = std::make_shared<StatementTree>(K);
  Assignments Changes = Assignments::of(K.Function->getBody());
  EditBuilder Probe(A.program(), Side::Device);
  std::vector<const Loop *> Roots;
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    bool InRoot = llvm::any_of(
        Roots, [&](const Loop *Root) { return L->isInside(Root); });
    if (InRoot || !L->Counted || isGuardedRest(*Tree, *L) ||
        Probe.hasLoopPragma(L->Statement) ||
        spansDirective(*K.Context, L->Statement->getSourceRange()))
      continue;
    BoundsTests Tests = findBoundsTests(K, *Tree, Changes, *L);
    if (Tests.Tests.empty())
      continue;
    Roots.push_back(L.get());
    Site S = siteAt(*this, K, A, L->Statement->getBeginLoc());
    S.Subject = L->Variable->getNameAsString();
    S.Description = "run the loop over " + S.Subject +
                    " without tests where all of them hold";
    S.Evidence = {"the tests are linear in " +
                      llvm::join(Tests.Variables, ", ") +
                      ", so they hold in all iterations where they hold for "
                      "the extreme ones",
                  "the loop does not change what they compare",
                  "no barrier, warp operation or jump out of the loop"};
    S.LoopDepth = L->Depth;
    S.Apply = [&K, &A, Tree, Tests](const RewriteParams &) {
      return peel(K, A, *Tree, Tests);
    };
    if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
      Out.push_back(std::move(S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createPeelBoundsRule() {
  return std::make_unique<PeelBounds>();
}

} // namespace cudal1
