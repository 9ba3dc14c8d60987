//===- UnifiedDiff.cpp - What changed, as diff -u prints it ---------------===//

#include "cudal1/Report/UnifiedDiff.h"
#include <algorithm>
#include <vector>

using namespace cudal1;

/// Lines with their newline. A last line without one stays without.
static std::vector<std::string> splitLines(llvm::StringRef Text) {
  std::vector<std::string> Lines;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    size_t Length = End == llvm::StringRef::npos ? Text.size() : End + 1;
    Lines.push_back(Text.take_front(Length).str());
    Text = Text.drop_front(Length);
  }
  return Lines;
}

static void printLine(char Sign, const std::string &Line, std::string &Out) {
  Out += Sign;
  Out += Line;
  if (!llvm::StringRef(Line).ends_with("\n"))
    Out += "\n\\ No newline at end of file\n";
}

/// "-12,3": a range of lines of one side. An empty range names the line before.
static std::string rangeOf(char Sign, size_t First, size_t Count) {
  std::string Text = Sign + std::to_string(Count == 0 ? First - 1 : First);
  if (Count != 1)
    Text += "," + std::to_string(Count);
  return Text;
}

namespace {

struct DiffLine {
  char Sign; ///< ' ', '-' or '+'
  const std::string *Text;
  size_t OldLine, NewLine; ///< 1-based, the next line of each side.
};

using Lines = std::vector<std::string>;

/// Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its
/// Variations", 1986) over the lines between a common head and tail.
class Aligner {
public:
  Aligner(const Lines &Old, const Lines &New) : Old(Old), New(New) {
    while (Head < std::min(Old.size(), New.size()) && Old[Head] == New[Head])
      ++Head;
    while (Tail < std::min(Old.size(), New.size()) - Head &&
           Old[Old.size() - 1 - Tail] == New[New.size() - 1 - Tail])
      ++Tail;
    OldCount = long(Old.size() - Head - Tail);
    NewCount = long(New.size() - Head - Tail);
  }

  std::vector<DiffLine> align();

private:
  bool same(long X, long Y) const { return Old[Head + X] == New[Head + Y]; }
  bool search();
  std::string backtrack() const;

  const Lines &Old, &New;
  size_t Head = 0, Tail = 0;
  long OldCount, NewCount;
  /// For each number of edits, the furthest old line on each diagonal.
  std::vector<std::vector<long>> Trace;
};

} // namespace

static constexpr size_t ContextLines = 3;
/// More edits than this are shown as one block; the search is quadratic.
static constexpr long MaxEdits = 3000;

/// Fills Trace; false when there are too many edits.
bool Aligner::search() {
  long Limit = std::min(OldCount + NewCount, MaxEdits);
  std::vector<long> Furthest(2 * Limit + 3, 0);
  for (long D = 0; D <= Limit; ++D) {
    for (long K = -D; K <= D; K += 2) {
      long *At = &Furthest[Limit + 1 + K];
      long X = K == -D || (K != D && At[-1] < At[1]) ? At[1] : At[-1] + 1;
      long Y = X - K;
      while (X < OldCount && Y < NewCount && same(X, Y))
        ++X, ++Y;
      At[0] = X;
      if (X >= OldCount && Y >= NewCount)
        return true;
    }
    Trace.emplace_back(Furthest.begin() + (Limit + 1 - D),
                       Furthest.begin() + (Limit + 2 + D));
  }
  return false;
}

/// The edits from the first line to the last, one sign each.
std::string Aligner::backtrack() const {
  std::string Signs;
  long X = OldCount, Y = NewCount;
  for (long D = long(Trace.size()); D > 0; --D) {
    const std::vector<long> &Before = Trace[D - 1];
    // Diagonal K of D - 1 edits is at index K + D - 1.
    auto At = [&](long K) {
      long I = K + D - 1;
      return I < 0 || I >= long(Before.size()) ? -1 : Before[I];
    };
    long K = X - Y;
    bool Down = K == -D || (K != D && At(K - 1) < At(K + 1));
    long PreviousX = Down ? At(K + 1) : At(K - 1);
    long PreviousY = PreviousX - (Down ? K + 1 : K - 1);
    while (X > PreviousX && Y > PreviousY && (X > PreviousX + !Down) &&
           (Y > PreviousY + Down))
      Signs += ' ', --X, --Y;
    Signs += Down ? '+' : '-';
    X = PreviousX;
    Y = PreviousY;
  }
  Signs.append(X, ' ');
  std::reverse(Signs.begin(), Signs.end());
  return Signs;
}

std::vector<DiffLine> Aligner::align() {
  std::string Signs(Head, ' ');
  if (search())
    Signs += backtrack();
  else
    Signs += std::string(OldCount, '-') + std::string(NewCount, '+');
  Signs.append(Tail, ' ');

  std::vector<DiffLine> Result;
  size_t OldLine = 0, NewLine = 0;
  for (char Sign : Signs) {
    const std::string *Text = Sign == '+' ? &New[NewLine] : &Old[OldLine];
    Result.push_back({Sign, Text, OldLine + 1, NewLine + 1});
    OldLine += Sign != '+';
    NewLine += Sign != '-';
  }
  return Result;
}

static void printHunk(const std::vector<DiffLine> &All, size_t Begin,
                      size_t End, std::string &Out) {
  size_t OldCount = 0, NewCount = 0;
  for (size_t I = Begin; I < End; ++I) {
    OldCount += All[I].Sign != '+';
    NewCount += All[I].Sign != '-';
  }
  Out += "@@ " + rangeOf('-', All[Begin].OldLine, OldCount) + " " +
         rangeOf('+', All[Begin].NewLine, NewCount) + " @@\n";
  for (size_t I = Begin; I < End; ++I)
    printLine(All[I].Sign, *All[I].Text, Out);
}

std::vector<LineChange> cudal1::changedLines(llvm::StringRef OldText,
                                             llvm::StringRef NewText) {
  Lines Old = splitLines(OldText), New = splitLines(NewText);
  std::vector<LineChange> Changes;
  bool InChange = false;
  for (const DiffLine &Line : Aligner(Old, New).align()) {
    if (Line.Sign == ' ') {
      InChange = false;
      continue;
    }
    if (!InChange)
      Changes.push_back({Line.OldLine, 0, {}});
    InChange = true;
    if (Line.Sign == '-')
      ++Changes.back().OldCount;
    else
      Changes.back().NewLines.push_back(*Line.Text);
  }
  return Changes;
}

std::string cudal1::unifiedDiff(llvm::StringRef OldName,
                                llvm::StringRef OldText,
                                llvm::StringRef NewName,
                                llvm::StringRef NewText) {
  if (OldText == NewText)
    return "";
  Lines Old = splitLines(OldText), New = splitLines(NewText);
  std::vector<DiffLine> All = Aligner(Old, New).align();

  std::string Out =
      "--- " + OldName.str() + "\n" + "+++ " + NewName.str() + "\n";
  for (size_t I = 0; I < All.size();) {
    if (All[I].Sign == ' ') {
      ++I;
      continue;
    }
    size_t Begin = I - std::min(I, ContextLines), End = I;
    // A hunk goes on while the next change is near enough to share context.
    for (size_t J = I; J < All.size() && J <= End + 2 * ContextLines + 1; ++J)
      if (All[J].Sign != ' ')
        End = J;
    size_t Stop = std::min(End + 1 + ContextLines, All.size());
    printHunk(All, Begin, Stop, Out);
    I = Stop;
  }
  return Out;
}
