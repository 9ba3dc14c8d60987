//===- ProgressLine.cpp - One line that follows the search ----------------===//

#include "cudal1/Report/ProgressLine.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Report/TerminalReport.h"

using namespace cudal1;

/// Longer lines would wrap, and a wrapped line cannot be rewritten in place.
static constexpr size_t MaxColumns = 78;

ProgressLine::ProgressLine(llvm::raw_ostream &OS, Mode M, SearchBudget Budget,
                           std::function<double()> Now)
    : OS(OS), TheMode(M), Budget(Budget), Now(std::move(Now)),
      Start(this->Now()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (LineShown)
    OS << "\r\033[K";
  OS.flush();
  LineShown = false;
}

void ProgressLine::status(llvm::StringRef What) {
  if (TheMode != Mode::InPlace)
    return;
  std::string Line = "[" + std::to_string(long(Now() - Start)) + " s";
  Line += ", " + std::to_string(Tried) + " tried";
  if (BestSpeedup)
    Line += ", best " + formatSpeedup(*BestSpeedup);
  Line += "] " + What.str();
  if (Line.size() > MaxColumns)
    Line = Line.substr(0, MaxColumns - 3) + "...";
  OS << "\r\033[K" << Line;
  OS.flush();
  LineShown = true;
}

void ProgressLine::compiling(unsigned Count) {
  status("compiling " + std::to_string(Count) + " variants");
}

void ProgressLine::measured(const Attempt &A, unsigned Count) {
  Tried = Count;
  std::string Speedup =
      A.Result.Speedup ? " " + formatSpeedup(*A.Result.Speedup) : "";
  std::string Text =
      toString(A.Result.Outcome).str() + Speedup + ": " + A.What.str();
  if (TheMode != Mode::EachVariant)
    return status(Text);
  OS << "  " << Count << ". " << Text << '\n';
  llvm::StringRef Finding = mainFinding(A.Result);
  if (!isRight(A.Result.Outcome) && !Finding.empty())
    OS << "     " << Finding.split('\n').first << '\n';
}

void ProgressLine::improved(const Attempt &Best) {
  BestSpeedup = Best.Result.Speedup;
}

void ProgressLine::confirming(const Variant &V) {
  status("confirming the best: " + V.str());
}

void ProgressLine::note(llvm::StringRef Sentence) {
  if (TheMode == Mode::EachVariant)
    OS << "  note: " << Sentence << '\n';
}
