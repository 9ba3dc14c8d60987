//===- MeasurementJson.cpp - Measurements as JSON, and back ---------------===//

#include "cudal1/Measure/Measurement.h"
#include <cmath>
#include <limits>

using namespace cudal1;
namespace json = llvm::json;

namespace {

constexpr llvm::StringLiteral Infinity = "infinity",
                              MinusInfinity = "-infinity", NotANumber = "nan";

json::Value number(double D) {
  if (std::isnan(D))
    return NotANumber;
  if (std::isinf(D))
    return D > 0 ? Infinity : MinusInfinity;
  return D;
}

/// Names and what programs print may be any bytes; JSON is UTF-8.
std::string text(llvm::StringRef Bytes) {
  return json::isUTF8(Bytes) ? Bytes.str() : json::fixUTF8(Bytes);
}

/// A number as number() writes it.
struct Number {
  double Value = 0;
};

bool fromJSON(const json::Value &From, Number &To, json::Path Path) {
  constexpr double Large = std::numeric_limits<double>::infinity();
  if (std::optional<llvm::StringRef> Word = From.getAsString()) {
    if (*Word != Infinity && *Word != MinusInfinity && *Word != NotANumber) {
      Path.report("expected a number");
      return false;
    }
    To.Value = *Word == NotANumber ? std::numeric_limits<double>::quiet_NaN()
               : *Word == Infinity ? Large
                                   : -Large;
    return true;
  }
  return json::fromJSON(From, To.Value, Path);
}

/// Reads the members of an object; every one must be there but those that
/// `optional` names.
class Members {
public:
  Members(const json::Value &From, json::Path Path) : Mapper(From, Path) {}

  bool isObject() const { return static_cast<bool>(Mapper); }
  bool number(llvm::StringLiteral Name, double &To) {
    Number N;
    if (!Mapper.map(Name, N))
      return false;
    To = N.Value;
    return true;
  }
  bool optionalNumber(llvm::StringLiteral Name, std::optional<double> &To) {
    std::optional<Number> N;
    if (!Mapper.map(Name, N))
      return false;
    if (N)
      To = N->Value;
    return true;
  }
  template <typename T> bool value(llvm::StringLiteral Name, T &To) {
    return Mapper.map(Name, To);
  }

private:
  json::ObjectMapper Mapper;
};

json::Value toJSON(const ErrorFigures &F) {
  return json::Object{{"valuesCompared", F.ValuesCompared},
                      {"mismatches", F.Mismatches},
                      {"differing", F.Differing},
                      {"maxAbsolute", number(F.MaxAbsolute)},
                      {"maxRelative", number(F.MaxRelative)},
                      {"maxUlp", number(F.MaxUlp)}};
}

} // namespace

// Found by the mapper through their namespace.
namespace cudal1 {

static bool fromJSON(const json::Value &From, ErrorFigures &F,
                     json::Path Path) {
  Members M(From, Path);
  return M.isObject() && M.value("valuesCompared", F.ValuesCompared) &&
         M.value("mismatches", F.Mismatches) &&
         M.value("differing", F.Differing) &&
         M.number("maxAbsolute", F.MaxAbsolute) &&
         M.number("maxRelative", F.MaxRelative) && M.number("maxUlp", F.MaxUlp);
}

static bool fromJSON(const json::Value &From, KernelTime &K, json::Path Path) {
  Members M(From, Path);
  return M.isObject() && M.value("name", K.Name) &&
         M.value("displayName", K.DisplayName) &&
         M.value("launches", K.Launches) && M.number("totalMs", K.TotalMs) &&
         M.number("medianMs", K.MedianMs) &&
         M.number("shortestMs", K.ShortestMs) &&
         M.number("longestMs", K.LongestMs);
}

} // namespace cudal1

json::Value cudal1::toJSON(const RunTimes &T) {
  json::Array Kernels;
  for (const KernelTime &K : T.Kernels)
    Kernels.push_back(json::Object{{"name", text(K.Name)},
                                   {"displayName", text(K.DisplayName)},
                                   {"launches", K.Launches},
                                   {"totalMs", number(K.TotalMs)},
                                   {"medianMs", number(K.MedianMs)},
                                   {"shortestMs", number(K.ShortestMs)},
                                   {"longestMs", number(K.LongestMs)}});
  return json::Object{
      {"kernels", std::move(Kernels)},    {"kernelMs", number(T.KernelMs)},
      {"copyMs", number(T.CopyMs)},       {"gpuBusyMs", number(T.GpuBusyMs)},
      {"gpuSpanMs", number(T.GpuSpanMs)}, {"wallMs", number(T.WallMs)}};
}

bool cudal1::fromJSON(const json::Value &Value, RunTimes &T, json::Path Path) {
  Members M(Value, Path);
  return M.isObject() && M.value("kernels", T.Kernels) &&
         M.number("kernelMs", T.KernelMs) && M.number("copyMs", T.CopyMs) &&
         M.number("gpuBusyMs", T.GpuBusyMs) &&
         M.number("gpuSpanMs", T.GpuSpanMs) && M.number("wallMs", T.WallMs);
}

json::Value cudal1::toJSON(const Measurement &M) {
  json::Array Evidence;
  for (const std::string &Sentence : M.Evidence)
    Evidence.push_back(text(Sentence));
  json::Object Result{{"verdict", toString(M.Outcome)},
                      {"engine", M.Engine},
                      {"pairs", M.Pairs},
                      {"evidence", std::move(Evidence)},
                      {"errors", ::toJSON(M.Errors)}};
  if (M.Part == TimedPart::GpuSpan)
    Result["speedupOf"] = "gpu-span";
  if (M.Original)
    Result["original"] = toJSON(*M.Original);
  if (M.Variant)
    Result["variant"] = toJSON(*M.Variant);
  if (M.Speedup)
    Result["speedup"] = number(*M.Speedup);
  if (M.SpeedupLow && M.SpeedupHigh)
    Result["speedupInterval"] =
        json::Array{number(*M.SpeedupLow), number(*M.SpeedupHigh)};
  return Result;
}

bool cudal1::fromJSON(const json::Value &Value, Measurement &M,
                      json::Path Path) {
  Members From(Value, Path);
  std::string Word;
  std::optional<std::string> Part;
  std::optional<std::vector<Number>> Interval;
  if (!From.isObject() || !From.value("verdict", Word) ||
      !From.value("engine", M.Engine) || !From.value("pairs", M.Pairs) ||
      !From.value("evidence", M.Evidence) || !From.value("errors", M.Errors) ||
      !From.value("original", M.Original) ||
      !From.value("variant", M.Variant) ||
      !From.optionalNumber("speedup", M.Speedup) ||
      !From.value("speedupOf", Part) ||
      !From.value("speedupInterval", Interval))
    return false;
  std::optional<Verdict> Outcome = parseVerdict(Word);
  if (!Outcome) {
    Path.field("verdict").report("unknown verdict");
    return false;
  }
  M.Outcome = *Outcome;
  M.Part = Part == "gpu-span" ? TimedPart::GpuSpan : TimedPart::Kernels;
  if (!Interval)
    return true;
  if (Interval->size() != 2) {
    Path.field("speedupInterval").report("expected two numbers");
    return false;
  }
  M.SpeedupLow = (*Interval)[0].Value;
  M.SpeedupHigh = (*Interval)[1].Value;
  return true;
}
