//===- BufferCompare.cpp - Compare two buffers by value -------------------===//

#include "cudal1/Measure/BufferCompare.h"
#include "Magnitudes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace cudal1;

namespace {

/// Distance of 1 to the next value of the type.
double epsilonOf(ElementType Type) {
  switch (Type) {
  case ElementType::Half:
    return 0x1p-10;
  case ElementType::BFloat16:
    return 0x1p-7;
  case ElementType::Float:
  case ElementType::FloatInDouble:
    return 0x1p-23;
  case ElementType::Double:
    return 0x1p-52;
  default:
    return 0;
  }
}

// Limits in epsilons. A sum of n terms in another order moves by about √n
// epsilons: 1024 covers a million terms. Half types are mostly stored results
// of wider sums, where only the last rounding differs.
constexpr double ReassociateEpsilons = 1024;
constexpr double ReassociateHalfEpsilons = 4;
// Intrinsics such as __expf lose up to some hundred ulp for large arguments,
// and errors add up on top of a changed order.
constexpr double ApproximateEpsilons = 8192;
constexpr double ApproximateHalfEpsilons = 8;
constexpr double ReducedHalfEpsilons = 16;
// Reduced precision: double computed in float, float in half or TF32.
constexpr double ReducedDoubleLimit = 1024 * 0x1p-23;
constexpr double ReducedFloatLimit = 16 * 0x1p-10;
/// The original's own noise was seen in one pair of runs; allow for worse.
constexpr double NoiseMargin = 4;

double decodeHalf(uint16_t Bits) {
  int Exponent = (Bits >> 10) & 31;
  double Mantissa = Bits & 1023;
  double Sign = Bits & 0x8000 ? -1 : 1;
  if (Exponent == 31)
    return Mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : Sign * std::numeric_limits<double>::infinity();
  if (Exponent == 0)
    return Sign * std::ldexp(Mantissa, -24);
  return Sign * std::ldexp(Mantissa + 1024, Exponent - 25);
}

template <typename T> T load(const char *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(Value));
  return Value;
}

double decode(ElementType Type, const char *From) {
  switch (Type) {
  case ElementType::Half:
    return decodeHalf(load<uint16_t>(From));
  case ElementType::BFloat16: {
    uint32_t Bits = uint32_t(load<uint16_t>(From)) << 16;
    return load<float>(reinterpret_cast<const char *>(&Bits));
  }
  case ElementType::Float:
    return load<float>(From);
  case ElementType::Double:
  case ElementType::FloatInDouble:
    return load<double>(From);
  default:
    return 0;
  }
}

int64_t decodeInteger(ElementType Type, const char *From) {
  switch (Type) {
  case ElementType::Integer16:
    return load<int16_t>(From);
  case ElementType::Integer32:
    return load<int32_t>(From);
  case ElementType::Integer64:
    return load<int64_t>(From);
  default:
    return static_cast<unsigned char>(*From);
  }
}

/// Calls Visit(Type, Index of the scalar, Original, Variant) for each scalar
/// that lies whole within a part.
template <typename Function>
void forEachScalar(llvm::ArrayRef<BufferPart> Parts,
                   const ElementLayout &Layout, uint64_t Phase,
                   Function Visit) {
  std::vector<uint64_t> Starts;
  uint64_t Stride = 0;
  for (ElementType Type : Layout) {
    Starts.push_back(Stride);
    Stride += sizeOf(Type);
  }
  for (const BufferPart &Part : Parts) {
    uint64_t Begin = Phase + Part.Offset;
    uint64_t Element = Begin / Stride;
    uint64_t Within = Begin % Stride;
    size_t Field = llvm::lower_bound(Starts, Within) - Starts.begin();
    if (Field == Starts.size()) {
      Field = 0;
      ++Element;
    }
    uint64_t At = Element * Stride + Starts[Field] - Begin;
    while (At + sizeOf(Layout[Field]) <= Part.Original.size()) {
      Visit(Layout[Field], Element * Layout.size() + Field,
            Part.Original.data() + At, Part.Variant.data() + At);
      At += sizeOf(Layout[Field]);
      if (++Field == Layout.size()) {
        Field = 0;
        ++Element;
      }
    }
  }
}

class Comparer {
public:
  Comparer(BufferComparison &Result, const Tolerance &Limits, double Scale)
      : Result(Result), Limits(Limits), Scale(Scale) {}

  void visit(ElementType Type, uint64_t Index, const char *Original,
             const char *Variant) {
    if (Type == ElementType::Padding)
      return;
    ++Result.Figures.ValuesCompared;
    bool SameBits = std::memcmp(Original, Variant, sizeOf(Type)) == 0;
    if (!SameBits)
      ++Result.Figures.Differing;
    if (!isFloatingPoint(Type)) {
      if (!SameBits) {
        Result.MaxScaled = std::numeric_limits<double>::infinity();
        mismatch(Type, Index, Original, Variant);
      }
      return;
    }
    double A = decode(Type, Original);
    Result.OriginalHasNan |= std::isnan(A);
    if (SameBits)
      return;
    double Limit = Limits.relativeLimit(Type);
    double B = decode(Type, Variant);
    if (!std::isfinite(A) || !std::isfinite(B)) {
      bool Same = (std::isnan(A) && std::isnan(B)) || A == B;
      if (!Same)
        Result.MaxScaled = std::numeric_limits<double>::infinity();
      if (!Same || Limit == 0)
        mismatch(Type, Index, Original, Variant);
      return;
    }
    double Absolute = std::abs(B - A);
    double Reference = std::max(std::abs(A), Scale);
    double Scaled =
        Reference > 0 ? Absolute / Reference : (Absolute > 0 ? 1.0 : 0.0);
    record(Type, A, Absolute);
    Result.MaxScaled = std::max(Result.MaxScaled, Scaled);
    if (Limit == 0 || Scaled > Limit)
      mismatch(Type, Index, Original, Variant);
  }

private:
  void record(ElementType Type, double A, double Absolute) {
    ErrorFigures &F = Result.Figures;
    F.MaxAbsolute = std::max(F.MaxAbsolute, Absolute);
    if (A == 0)
      return;
    F.MaxRelative = std::max(F.MaxRelative, Absolute / std::abs(A));
    double Ulp = std::ldexp(epsilonOf(formatOf(Type)), std::ilogb(A));
    F.MaxUlp = std::max(F.MaxUlp, Absolute / Ulp);
  }

  void mismatch(ElementType Type, uint64_t Index, const char *Original,
                const char *Variant) {
    if (++Result.Figures.Mismatches > 1)
      return;
    llvm::raw_string_ostream Out(Result.FirstMismatch);
    Out << "element " << Index << " (" << toString(Type) << "): ";
    if (isFloatingPoint(Type))
      Out << llvm::format("%.9g became %.9g", decode(Type, Original),
                          decode(Type, Variant));
    else
      Out << decodeInteger(Type, Original) << " became "
          << decodeInteger(Type, Variant);
  }

  BufferComparison &Result;
  const Tolerance &Limits;
  double Scale;
};

/// What the original's floating-point values are like; see Magnitudes.
double scaleOf(llvm::ArrayRef<BufferPart> Parts, const ElementLayout &Layout,
               uint64_t Phase) {
  Magnitudes Seen;
  forEachScalar(
      Parts, Layout, Phase,
      [&](ElementType Type, uint64_t, const char *Original, const char *) {
        if (isFloatingPoint(Type))
          Seen.add(decode(Type, Original));
      });
  return Seen.scale();
}

} // namespace

double Tolerance::relativeLimit(ElementType Type) const {
  if (Relative && Class != FpClass::Exact)
    return std::max(*Relative, NoiseMargin * OriginalNoise);
  bool Half = Type == ElementType::Half || Type == ElementType::BFloat16;
  double Epsilon = epsilonOf(Type);
  double Reassociated =
      Epsilon * (Half ? ReassociateHalfEpsilons : ReassociateEpsilons);
  double Limit = 0;
  switch (Class) {
  case FpClass::Exact:
    if (OriginalNoise == 0)
      return 0;
    Limit = Reassociated;
    break;
  case FpClass::Reassociate:
    Limit = Reassociated;
    break;
  case FpClass::Approximate:
    Limit = Epsilon * (Half ? ApproximateHalfEpsilons : ApproximateEpsilons);
    break;
  case FpClass::ReducedPrecision:
    Limit = Half                          ? Epsilon * ReducedHalfEpsilons
            : Type == ElementType::Double ? ReducedDoubleLimit
                                          : ReducedFloatLimit;
    break;
  }
  return std::max(Limit, NoiseMargin * OriginalNoise);
}

BufferComparison cudal1::compareBuffers(llvm::ArrayRef<BufferPart> Parts,
                                        const ElementLayout &Layout,
                                        uint64_t Phase,
                                        const Tolerance &Limits) {
  static const ElementLayout AsBytes = {ElementType::Bytes};
  const ElementLayout &Used = Layout.empty() ? AsBytes : Layout;
  BufferComparison Result;
  double Scale =
      llvm::any_of(Used, isFloatingPoint) ? scaleOf(Parts, Used, Phase) : 0;
  Comparer C(Result, Limits, Scale);
  forEachScalar(
      Parts, Used, Phase,
      [&](ElementType Type, uint64_t Index, const char *Original,
          const char *Variant) { C.visit(Type, Index, Original, Variant); });
  return Result;
}
