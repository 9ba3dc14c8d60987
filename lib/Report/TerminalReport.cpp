//===- TerminalReport.cpp - The report that a person reads ----------------===//

#include "cudal1/Report/TerminalReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <set>

using namespace cudal1;

/// Variants listed unless asked for all.
static constexpr size_t ListedVariants = 6;
/// Kernels listed; the rest are summed up.
static constexpr size_t ListedKernels = 12;
/// Columns for a kernel's name.
static constexpr size_t NameWidth = 32;

/// Three significant digits.
static std::string threeDigits(double Value) {
  double Size = std::fabs(Value);
  int Decimals = Size < 9.995 ? 2 : Size < 99.95 ? 1 : 0;
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("%.*f", Decimals, Value);
  return Text;
}

std::string cudal1::formatMs(double Ms) {
  if (Ms < 1)
    return threeDigits(Ms * 1000) + " µs";
  if (Ms < 1000)
    return threeDigits(Ms) + " ms";
  return threeDigits(Ms / 1000) + " s";
}

std::string cudal1::formatSpeedup(double Speedup) {
  return threeDigits(Speedup) + "x";
}

/// Columns that a terminal uses for \p Text, UTF-8 sequences counted once.
static size_t columns(llvm::StringRef Text) {
  return llvm::count_if(Text, [](char C) { return (C & 0xC0) != 0x80; });
}

static std::string padRight(llvm::StringRef Text, size_t Width) {
  size_t Have = columns(Text);
  return Text.str() + std::string(Have < Width ? Width - Have : 0, ' ');
}

static std::string padLeft(llvm::StringRef Text, size_t Width) {
  size_t Have = columns(Text);
  return std::string(Have < Width ? Width - Have : 0, ' ') + Text.str();
}

static std::string percent(double Share) {
  return Share < 0.0005 ? "<0.1 %" : threeDigits(Share * 100) + " %";
}

namespace {

class Printer {
public:
  Printer(const UnitReport &U, llvm::StringRef Gpu, const TerminalStyle &Style,
          llvm::raw_ostream &OS)
      : U(U), Gpu(Gpu), Style(Style), OS(OS) {}

  void print() {
    printHeadline();
    printMessages();
    printKernels();
    printRewrites();
    printVariants();
    for (const std::string &Path : U.Written)
      OS << "  written  " << Path << '\n';
  }

private:
  void printHeadline();
  void printMessages();
  void printKernels();
  void printKernel(const KernelReport &K, size_t Width);
  void printRewrites();
  void printVariants();
  void printVariant(const VariantReport &V);

  void inColor(llvm::raw_ostream::Colors Color, const llvm::Twine &Text,
               bool Bold = false) {
    if (Style.Color)
      OS.changeColor(Color, Bold);
    OS << Text;
    if (Style.Color)
      OS.resetColor();
  }

  const UnitReport &U;
  llvm::StringRef Gpu;
  const TerminalStyle &Style;
  llvm::raw_ostream &OS;
};

} // namespace

/// Which part of the program a speedup is of: "" when of all its kernels.
static std::string scopeOf(const UnitReport &U) {
  std::set<std::string> Touched;
  for (const Rewrite &R : U.Rewrites)
    Touched.insert(R.Kernel);
  if (!U.Speedup || U.SpeedupOf != TimedPart::Kernels ||
      Touched.size() >= U.Kernels.size())
    return "";
  return " in " + std::to_string(Touched.size()) + " of " +
         std::to_string(U.Kernels.size()) + " kernels";
}

static std::string headline(const UnitReport &U) {
  size_t Count = U.Rewrites.size();
  std::string Rewrites =
      std::to_string(Count) + (Count == 1 ? " rewrite" : " rewrites");
  switch (U.Result) {
  case UnitResult::Faster:
    return "faster" + (U.Speedup ? " " + formatSpeedup(*U.Speedup) : "") +
           scopeOf(U) + ", " + Rewrites;
  case UnitResult::NothingBetter:
    return "nothing faster found, source unchanged";
  case UnitResult::Judged: {
    size_t Right = llvm::count_if(
        U.Variants, [](const VariantReport &V) { return isRight(V.Outcome); });
    return std::to_string(U.VariantsTried) + " judged in " +
           formatMs(U.SearchSeconds * 1000) + ", " + std::to_string(Right) +
           " right";
  }
  case UnitResult::Verified:
    return Count ? Rewrites + ", verified by emulation, not timed"
                 : "nothing to rewrite, not timed";
  case UnitResult::NotTimed:
    return Count ? Rewrites + ", not timed" : "nothing to rewrite, not timed";
  case UnitResult::NotRun:
    return "could not be measured, source unchanged";
  case UnitResult::NotParsed:
    return "not parsed, source unchanged";
  case UnitResult::Failed:
    return "failed";
  }
  llvm_unreachable("unknown UnitResult");
}

void Printer::printHeadline() {
  using llvm::raw_ostream;
  raw_ostream::Colors Color = raw_ostream::YELLOW;
  if (U.Result == UnitResult::Faster)
    Color = raw_ostream::GREEN;
  else if (U.Result == UnitResult::Failed || U.Result == UnitResult::NotRun ||
           U.Result == UnitResult::NotParsed)
    Color = raw_ostream::RED;
  OS << llvm::sys::path::filename(U.File) << ": ";
  inColor(Color, headline(U), /*Bold=*/true);
  if (U.SpeedupLow && U.SpeedupHigh && U.Result == UnitResult::Faster)
    OS << llvm::formatv(" (95 %: {0} to {1})", formatSpeedup(*U.SpeedupLow),
                        formatSpeedup(*U.SpeedupHigh));
  if (!U.Engine.empty() && U.Original)
    OS << " [" << U.Engine << " engine" << (Gpu.empty() ? "" : ", ") << Gpu
       << ']';
  OS << '\n';
}

void Printer::printMessages() {
  for (const std::string &Message : U.Messages) {
    auto [First, Rest] = llvm::StringRef(Message).rtrim().split('\n');
    OS << "  note: " << First << '\n';
    for (llvm::StringRef Line : llvm::split(Rest, '\n'))
      if (!Line.empty())
        OS << "    " << Line << '\n';
  }
}

void Printer::printKernel(const KernelReport &K, size_t Width) {
  OS << "    " << padRight(K.Name, Width) << "  "
     << padLeft(K.OriginalMs ? formatMs(*K.OriginalMs) : "", 9);
  if (K.BestMs) {
    OS << " → " << padLeft(formatMs(*K.BestMs), 9) << "  ";
    double Ratio =
        *K.BestMs > 0 && K.OriginalMs ? *K.OriginalMs / *K.BestMs : 1;
    std::string Text = padLeft(formatSpeedup(Ratio), 6);
    if (Ratio > 1.01)
      inColor(llvm::raw_ostream::GREEN, Text);
    else if (Ratio < 0.99)
      inColor(llvm::raw_ostream::RED, Text);
    else
      OS << Text;
  }
  if (K.Share)
    OS << "  " << padLeft(percent(*K.Share), 6);
  if (K.Launches > 1)
    OS << "  " << K.Launches << " launches";
  OS << '\n';
}

void Printer::printKernels() {
  if (U.Kernels.empty())
    return;
  bool Both = llvm::any_of(
      U.Kernels, [](const KernelReport &K) { return K.BestMs.has_value(); });
  OS << (Both ? "  kernels, before → after, share of GPU time\n"
              : "  kernels, share of GPU time\n");
  size_t Width = 0;
  llvm::ArrayRef<KernelReport> Shown(U.Kernels);
  Shown = Shown.take_front(Style.Verbose ? Shown.size() : ListedKernels);
  for (const KernelReport &K : Shown)
    Width = std::max(Width, std::min(columns(K.Name), NameWidth));
  for (const KernelReport &K : Shown)
    printKernel(K, Width);
  if (size_t Left = U.Kernels.size() - Shown.size())
    OS << "    and " << Left << " more\n";
  if (U.Original && U.Best && U.Kernels.size() > 1 && U.Best->KernelMs > 0)
    OS << "    " << padRight("all kernels", Width) << "  "
       << padLeft(formatMs(U.Original->KernelMs), 9) << " → "
       << padLeft(formatMs(U.Best->KernelMs), 9) << "  "
       << padLeft(formatSpeedup(U.Original->KernelMs / U.Best->KernelMs), 6)
       << '\n';
  if (U.Original) {
    OS << "    " << padRight("whole process", Width) << "  "
       << padLeft(formatMs(U.Original->WallMs), 9);
    if (U.Best)
      OS << " → " << padLeft(formatMs(U.Best->WallMs), 9);
    OS << '\n';
    if (U.Best && U.SpeedupOf == TimedPart::GpuSpan)
      OS << "    " << padRight("first to last work on the GPU", Width) << "  "
         << padLeft(formatMs(U.Original->GpuSpanMs), 9) << " → "
         << padLeft(formatMs(U.Best->GpuSpanMs), 9) << '\n';
    if (U.PredictedGpuSpeedup && U.MeasuredGpuSpeedup)
      OS << "    GPU time of the whole program: predicted "
         << formatSpeedup(*U.PredictedGpuSpeedup) << ", measured "
         << formatSpeedup(*U.MeasuredGpuSpeedup) << '\n';
  }
}

void Printer::printRewrites() {
  if (U.Rewrites.empty())
    return;
  OS << "  rewrites\n";
  for (const Rewrite &R : U.Rewrites) {
    OS << "    ";
    std::string Name = R.Rule;
    if (!R.Params.empty())
      Name += "[" + toString(R.Params) + "]";
    inColor(llvm::raw_ostream::CYAN, Name);
    OS << "  " << llvm::sys::path::filename(R.File) << ':' << R.Line;
    if (!R.Kernel.empty())
      OS << " in " << R.Kernel;
    OS << ": " << R.Description;
    if (R.Class != FpClass::Exact)
      OS << " (" << toString(R.Class) << ')';
    OS << '\n';
    if (!R.Condition.empty())
      OS << "      holds only if " << R.Condition << '\n';
    for (const std::string &Library : R.Libraries)
      OS << "      has to be linked with -l" << Library << '\n';
  }
}

void Printer::printVariant(const VariantReport &V) {
  std::string Speedup = V.Speedup ? formatSpeedup(*V.Speedup) : "";
  OS << "    " << padLeft(Speedup, 6) << "  "
     << padRight(toString(V.Outcome), 13) << "  "
     << llvm::join(V.Rewrites, ", ");
  if (!V.Reason.empty())
    OS << ": " << llvm::StringRef(V.Reason).split('\n').first;
  OS << '\n';
}

void Printer::printVariants() {
  if (!U.SearchEnd.empty())
    OS << "  tried " << U.VariantsTried
       << (U.VariantsTried == 1 ? " variant" : " variants") << " in "
       << formatMs(U.SearchSeconds * 1000) << "; " << U.SearchEnd << '\n';
  std::vector<const VariantReport *> Lost;
  for (const VariantReport &V : U.Variants)
    if (!V.Reason.empty())
      Lost.push_back(&V);
  // Equal ones in the order in which they were tried.
  llvm::sort(Lost, [](const VariantReport *A, const VariantReport *B) {
    return std::make_pair(-A->Speedup.value_or(0), A) <
           std::make_pair(-B->Speedup.value_or(0), B);
  });
  size_t Shown = Style.Verbose || U.Result == UnitResult::Judged
                     ? Lost.size()
                     : std::min(Lost.size(), ListedVariants);
  for (size_t I = 0; I < Shown; ++I)
    printVariant(*Lost[I]);
  if (Shown < Lost.size())
    OS << "    and " << Lost.size() - Shown
       << " more (--verbose or --report list them)\n";
}

void cudal1::printReport(const UnitReport &U, llvm::StringRef Gpu,
                         const TerminalStyle &Style, llvm::raw_ostream &OS) {
  Printer(U, Gpu, Style, OS).print();
}
