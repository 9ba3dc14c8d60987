//===- ReductionText.cpp - How a reduction is written ---------------------===//

#include "ReductionText.h"

#include "cudal1/Rewrite/Spelling.h"

using namespace clang;

namespace cudal1 {

llvm::StringRef ReductionText::word() const {
  switch (Op) {
  case ReductionOp::Sum:
    return "sum";
  case ReductionOp::Product:
    return "product";
  case ReductionOp::Min:
    return "least";
  case ReductionOp::Max:
    return "greatest";
  case ReductionOp::And:
  case ReductionOp::Or:
  case ReductionOp::Xor:
    return "bits";
  }
  return "value";
}

std::string ReductionText::combine(const std::string &Name,
                                   const std::string &Other) const {
  switch (Op) {
  case ReductionOp::Sum:
    return Name + " += " + Other + ";";
  case ReductionOp::Product:
    return Name + " *= " + Other + ";";
  case ReductionOp::And:
    return Name + " &= " + Other + ";";
  case ReductionOp::Or:
    return Name + " |= " + Other + ";";
  case ReductionOp::Xor:
    return Name + " ^= " + Other + ";";
  case ReductionOp::Min:
  case ReductionOp::Max:
    break;
  }
  std::string Function = Op == ReductionOp::Min ? "min" : "max";
  // The overloads of CUDA serve every type of a template.
  if (Type->isFloatingType() && !InTemplate)
    Function = "f" + Function +
               (Type->isSpecificBuiltinType(BuiltinType::Float) ? "f" : "");
  return Name + " = " + Function + "(" + Name + ", " + Other + ");";
}

/// The least or the greatest value of an integer type.
static std::string limit(const BuiltinType &Type, bool Greatest) {
  switch (Type.getKind()) {
  case BuiltinType::Int:
    return Greatest ? "0x7fffffff" : "-0x7fffffff - 1";
  case BuiltinType::UInt:
    return Greatest ? "0xffffffffu" : "0";
  case BuiltinType::LongLong:
    return Greatest ? "0x7fffffffffffffffll" : "-0x7fffffffffffffffll - 1";
  case BuiltinType::ULongLong:
    return Greatest ? "0xffffffffffffffffull" : "0";
  default:
    return "";
  }
}

std::string ReductionText::neutral() const {
  std::string Zero = spellZero(Type, Spelled);
  // One text for every type that a template's parameter stands for.
  if (InTemplate && Type.getAsString() != Spelled)
    Zero = Spelled + "(0)";
  const auto *Builtin = Type->getAs<BuiltinType>();
  switch (Op) {
  case ReductionOp::Sum:
  case ReductionOp::Or:
  case ReductionOp::Xor:
    return Zero;
  case ReductionOp::Product:
    if (size_t At = Zero.find('0'); At != std::string::npos)
      Zero[At] = '1';
    return Zero;
  case ReductionOp::And:
    return "~" + Zero +
           (Zero == "0" && Type->isUnsignedIntegerType() ? "u" : "") +
           (Zero == "0" && Builtin &&
                    (Builtin->getKind() == BuiltinType::LongLong ||
                     Builtin->getKind() == BuiltinType::ULongLong)
                ? "ll"
                : "");
  case ReductionOp::Min:
  case ReductionOp::Max:
    return Builtin && !InTemplate ? limit(*Builtin, Op == ReductionOp::Min)
                                  : "";
  }
  return "";
}

std::string ReductionText::lanesLoop(const std::string &Offset) {
  return "int " + Offset + " = 16; " + Offset + " > 0; " + Offset + " /= 2";
}

std::string ReductionText::combineWithLane(const std::string &Name,
                                           const std::string &Offset) const {
  return combine(Name,
                 "__shfl_xor_sync(0xffffffff, " + Name + ", " + Offset + ")");
}

} // namespace cudal1
