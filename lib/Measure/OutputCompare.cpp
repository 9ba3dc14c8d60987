//===- OutputCompare.cpp - Compare what programs print --------------------===//

#include "cudal1/Measure/OutputCompare.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <cstdlib>

using namespace cudal1;
using Kind = OutputToken::Kind;

namespace {

bool isWordCharacter(char C) { return llvm::isAlnum(C) || C == '_'; }

/// Length of the number at the start of \p Text, 0 if there is none.
size_t numberLength(llvm::StringRef Text, bool &IsReal) {
  size_t At = !Text.empty() && (Text[0] == '-' || Text[0] == '+') ? 1 : 0;
  IsReal = false;
  auto SkipDigits = [&] {
    size_t Begin = At;
    while (At < Text.size() && llvm::isDigit(Text[At]))
      ++At;
    return At - Begin;
  };
  size_t Digits = SkipDigits();
  if (At < Text.size() && Text[At] == '.' &&
      (Digits || (At + 1 < Text.size() && llvm::isDigit(Text[At + 1])))) {
    ++At;
    Digits += SkipDigits();
    IsReal = true;
  }
  if (!Digits)
    return 0;
  if (At < Text.size() && (Text[At] == 'e' || Text[At] == 'E')) {
    size_t Mantissa = At++;
    if (At < Text.size() && (Text[At] == '-' || Text[At] == '+'))
      ++At;
    if (SkipDigits())
      IsReal = true;
    else
      At = Mantissa;
  }
  return At;
}

/// `nan`, `-nan`, `inf` and the like, as printf and iostreams write them.
bool isSpecialNumber(llvm::StringRef Word) {
  llvm::StringRef Bare = Word.ltrim("+-");
  return Bare.equals_insensitive("nan") || Bare.equals_insensitive("inf") ||
         Bare.equals_insensitive("infinity");
}

class Tokenizer {
public:
  explicit Tokenizer(llvm::StringRef Text) : Rest(Text) {}

  std::vector<OutputToken> run() {
    while (!Rest.empty()) {
      if (Rest.front() == '\n')
        take(Kind::LineEnd, 1);
      else if (llvm::isSpace(Rest.front()))
        Rest = Rest.drop_front();
      else
        takeWord();
    }
    return std::move(Tokens);
  }

private:
  void take(Kind What, size_t Length) {
    OutputToken T{What, Rest.take_front(Length)};
    if (What == Kind::Integer || What == Kind::Real)
      T.Value = std::strtod(T.Text.str().c_str(), nullptr);
    Tokens.push_back(T);
    Rest = Rest.drop_front(Length);
  }

  void takeWord() {
    bool IsReal = false;
    // A sign right after a number or word is an operator or a dash.
    bool Signed = Rest.front() == '-' || Rest.front() == '+';
    bool AfterWord = !Tokens.empty() && !Tokens.back().Text.empty() &&
                     Tokens.back().Text.end() == Rest.begin() &&
                     isWordCharacter(Tokens.back().Text.back());
    size_t Hex = Rest.starts_with_insensitive("0x")
                     ? 2 + Rest.drop_front(2).find_if_not(llvm::isHexDigit)
                     : 0;
    if (Hex > 2)
      return take(Kind::Word, std::min(Hex, Rest.size()));
    if (!(Signed && AfterWord))
      if (size_t Length = numberLength(Rest, IsReal))
        return take(IsReal ? Kind::Real : Kind::Integer, Length);
    size_t Sign = Signed ? 1 : 0;
    size_t Length =
        Sign + Rest.drop_front(Sign).take_while(isWordCharacter).size();
    if (Length > Sign && isSpecialNumber(Rest.take_front(Length)))
      return take(Kind::Real, Length);
    if (isWordCharacter(Rest.front()))
      return take(Kind::Word, Length);
    take(Kind::Word, 1);
  }

  llvm::StringRef Rest;
  std::vector<OutputToken> Tokens;
};

bool isNumber(const OutputToken &T) {
  return T.What == Kind::Integer || T.What == Kind::Real;
}

/// Units of time, of work and of data per second.
bool isTimeUnit(llvm::StringRef Word) {
  static const llvm::StringSet<> Units = {
      "s",     "sec",        "secs",    "second",      "seconds",
      "ms",    "msec",       "msecs",   "millisecond", "milliseconds",
      "us",    "usec",       "usecs",   "microsecond", "microseconds",
      "µs",    "ns",         "nsec",    "nanosecond",  "nanoseconds",
      "fps",   "hz",         "khz",     "mhz",         "ghz",
      "flops", "mflops",     "gflops",  "tflops",      "gflop",
      "tflop", "gb",         "gib",     "mb",          "mib",
      "tb",    "kb",         "gbps",    "mpixels",     "mop",
      "mops",  "gops",       "gups",    "mups",        "mlups",
      "glups", "iterations", "updates", "cycles",      "ticks"};
  return Units.contains(Word.lower());
}

/// Units that are a rate only when `/s` or `per second` follows.
bool needsPerSecond(llvm::StringRef Word) {
  static const llvm::StringSet<> Units = {
      "gb",         "gib",     "mb",    "mib",   "tb", "kb",
      "iterations", "updates", "gflop", "tflop", "mop"};
  return Units.contains(Word.lower());
}

/// Words that announce a time or a rate.
bool announcesTime(llvm::StringRef Word) {
  static const llvm::StringSet<> Words = {
      "time",        "times",   "timing",    "elapsed",    "duration",
      "runtime",     "latency", "bandwidth", "throughput", "speedup",
      "gflops",      "tflops",  "mflops",    "flops",      "fps",
      "performance", "wall",    "walltime"};
  return Words.contains(Word.lower());
}

/// Words that announce how far a result lies from the program's own check.
bool announcesError(llvm::StringRef Word) {
  std::string Lower = Word.lower();
  for (llvm::StringRef Part : {"error", "err", "diff", "residual", "deviation",
                               "rmse", "mse", "norm", "delta"})
    if (llvm::StringRef(Lower).contains(Part))
      return true;
  return false;
}

/// The indices of one line's tokens.
struct Line {
  size_t Begin, End;
};

bool unitFollows(llvm::ArrayRef<OutputToken> Tokens, size_t At, Line L) {
  size_t Next = At + 1;
  // "12.5 (ms)", "12.5 [ms]"
  if (Next < L.End && (Tokens[Next].Text == "(" || Tokens[Next].Text == "["))
    ++Next;
  if (Next >= L.End || !isTimeUnit(Tokens[Next].Text))
    return false;
  if (!needsPerSecond(Tokens[Next].Text))
    return true;
  return Next + 1 < L.End &&
         (Tokens[Next + 1].Text == "/" || Tokens[Next + 1].Text == "per");
}

/// True if the number at \p At is announced as a time: "Elapsed: 3.2",
/// "time (ms) = 3.2", "bandwidth 812.5". Only reals: step counts are integers.
bool timeAnnounced(llvm::ArrayRef<OutputToken> Tokens, size_t At, Line L) {
  if (Tokens[At].What != Kind::Real)
    return false;
  bool Announced = false;
  for (size_t I = L.Begin; I < At; ++I) {
    if (isNumber(Tokens[I]))
      Announced = false; // that number took the announcement
    else if (announcesTime(Tokens[I].Text))
      Announced = true;
    else if (I > L.Begin && isTimeUnit(Tokens[I].Text) &&
             (Tokens[I - 1].Text == "(" || Tokens[I - 1].Text == "["))
      Announced = true;
  }
  return Announced;
}

template <typename Function>
void forEachLine(llvm::ArrayRef<OutputToken> Tokens, Function Visit) {
  size_t Begin = 0;
  for (size_t I = 0; I <= Tokens.size(); ++I)
    if (I == Tokens.size() || Tokens[I].What == Kind::LineEnd) {
      Visit(Line{Begin, I});
      Begin = I + 1;
    }
}

/// One unit in the last printed place.
double lastPlace(llvm::StringRef Number) {
  auto [Mantissa, Exponent] = Number.split('e');
  if (Exponent.empty())
    std::tie(Mantissa, Exponent) = Number.split('E');
  int Power = 0;
  Exponent.consume_front("+");
  Exponent.getAsInteger(10, Power); // no exponent: 0
  Power -= int(Mantissa.split('.').second.size());
  return std::pow(10.0, Power);
}

/// An error figure may grow this much before it says that something is wrong:
/// errors of rounding are themselves noise.
constexpr double ErrorFigureGrowth = 10;

/// The last place may flip where it is no more than this share of the number:
/// in `0.5` it is 20 %, and no rounding.
constexpr double MaxPlaceShare = 0.01;

bool realsAgree(const OutputToken &A, const OutputToken &B, bool IsErrorFigure,
                const Tolerance &Limits) {
  bool FiniteA = std::isfinite(A.Value), FiniteB = std::isfinite(B.Value);
  if (!FiniteA || !FiniteB)
    return (std::isnan(A.Value) && std::isnan(B.Value)) || A.Value == B.Value;
  if (Limits.Class == FpClass::Exact)
    return A.Text == B.Text;
  double Limit = Limits.relativeLimit(ElementType::Float);
  if (IsErrorFigure &&
      std::abs(B.Value) <=
          std::max(ErrorFigureGrowth * std::abs(A.Value), Limit))
    return true;
  double Allowed = Limit * std::abs(A.Value);
  // A rounding that flips moves the last printed place by one.
  double Place = std::min(lastPlace(A.Text), lastPlace(B.Text));
  if (Place <= MaxPlaceShare * std::abs(A.Value))
    Allowed = std::max(Allowed, Place);
  constexpr double DecimalNoise = 1e-9; // of the subtraction of decimals
  return std::abs(A.Value - B.Value) <= Allowed * (1 + DecimalNoise);
}

} // namespace

std::vector<OutputToken> cudal1::tokenizeOutput(llvm::StringRef Text) {
  return Tokenizer(Text).run();
}

ReferenceOutput::ReferenceOutput(std::string FirstRun)
    : Text(std::move(FirstRun)), Tokens(tokenizeOutput(Text)),
      Varies(Tokens.size()), SometimesNan(Tokens.size()), IsTime(Tokens.size()),
      IsErrorFigure(Tokens.size()) {
  forEachLine(Tokens, [&](Line L) {
    bool Error = false;
    for (size_t I = L.Begin; I < L.End; ++I) {
      if (!isNumber(Tokens[I])) {
        Error |= announcesError(Tokens[I].Text);
        continue;
      }
      SometimesNan[I] = std::isnan(Tokens[I].Value);
      IsTime[I] = unitFollows(Tokens, I, L) || timeAnnounced(Tokens, I, L);
      IsErrorFigure[I] = Error;
    }
  });
}

void ReferenceOutput::addRun(llvm::StringRef Run) {
  std::vector<OutputToken> Other = tokenizeOutput(Run);
  if (Other.size() != Tokens.size()) {
    StructureVaries = true;
    return;
  }
  for (size_t I = 0; I < Tokens.size(); ++I) {
    if (Tokens[I].Text == Other[I].Text)
      continue;
    if (isNumber(Tokens[I]) && isNumber(Other[I])) {
      Varies[I] = true;
      if (std::isnan(Other[I].Value))
        SometimesNan[I] = true;
    } else
      StructureVaries = true;
  }
}

uint64_t ReferenceOutput::varyingNumbers() const {
  uint64_t Count = 0;
  for (size_t I = 0; I < Tokens.size(); ++I)
    Count += Varies[I] && !IsTime[I];
  return Count;
}

bool ReferenceOutput::hasNan() const {
  return llvm::any_of(Tokens, [](const OutputToken &T) {
    return isNumber(T) && std::isnan(T.Value);
  });
}

OutputComparison ReferenceOutput::compare(llvm::StringRef Variant,
                                          const Tolerance &Limits) const {
  OutputComparison Result;
  std::vector<OutputToken> Other = tokenizeOutput(Variant);
  uint64_t LineNumber = 1;
  size_t Common = std::min(Tokens.size(), Other.size());
  for (size_t I = 0; I < Common && Result.equal(); ++I) {
    const OutputToken &A = Tokens[I], &B = Other[I];
    bool Numbers = isNumber(A) && isNumber(B);
    bool Agree = A.Text == B.Text;
    if (Numbers && IsTime[I]) {
      ++Result.IgnoredTimes;
      Agree = true;
    } else if (Numbers && Varies[I]) {
      ++Result.IgnoredVarying;
      // A NaN is no number that merely varies, unless the original prints one.
      Agree = SometimesNan[I] || !std::isnan(B.Value);
    } else if (Numbers && !Agree &&
               (A.What == Kind::Real || B.What == Kind::Real)) {
      // %g prints 1 and 1.5: one real is enough.
      ++Result.Figures.Differing;
      Agree = realsAgree(A, B, IsErrorFigure[I], Limits);
      double Absolute = std::abs(A.Value - B.Value);
      if (std::isfinite(Absolute)) {
        ErrorFigures &F = Result.Figures;
        F.MaxAbsolute = std::max(F.MaxAbsolute, Absolute);
        if (A.Value != 0)
          F.MaxRelative = std::max(F.MaxRelative, Absolute / std::abs(A.Value));
      }
    }
    if (isNumber(A))
      ++Result.Figures.ValuesCompared;
    if (!Agree) {
      ++Result.Figures.Mismatches;
      auto Show = [](const OutputToken &T) {
        return T.What == Kind::LineEnd ? std::string("end of line")
                                       : "'" + T.Text.str() + "'";
      };
      Result.FirstDifference = "line " + std::to_string(LineNumber) + ": " +
                               Show(A) + " became " + Show(B);
    }
    if (A.What == Kind::LineEnd)
      ++LineNumber;
  }
  if (Result.equal() && Tokens.size() != Other.size())
    Result.FirstDifference =
        "line " + std::to_string(LineNumber) +
        (Other.size() < Tokens.size() ? ": the variant prints less"
                                      : ": the variant prints more");
  return Result;
}
