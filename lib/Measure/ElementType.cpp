//===- ElementType.cpp - What the elements of a buffer are ----------------===//

#include "cudal1/Measure/ElementType.h"
#include "llvm/Support/ErrorHandling.h"

using namespace cudal1;

size_t cudal1::sizeOf(ElementType Type) {
  switch (Type) {
  case ElementType::Bytes:
  case ElementType::Padding:
    return 1;
  case ElementType::Integer16:
  case ElementType::Half:
  case ElementType::BFloat16:
    return 2;
  case ElementType::Integer32:
  case ElementType::Float:
    return 4;
  case ElementType::Integer64:
  case ElementType::Double:
  case ElementType::FloatInDouble:
    return 8;
  }
  llvm_unreachable("every element type has a size");
}

bool cudal1::isFloatingPoint(ElementType Type) {
  return Type == ElementType::Half || Type == ElementType::BFloat16 ||
         Type == ElementType::Float || Type == ElementType::Double ||
         Type == ElementType::FloatInDouble;
}

ElementType cudal1::formatOf(ElementType Type) {
  return Type == ElementType::FloatInDouble ? ElementType::Double : Type;
}

llvm::StringRef cudal1::toString(ElementType Type) {
  switch (Type) {
  case ElementType::Bytes:
    return "bytes";
  case ElementType::Padding:
    return "padding";
  case ElementType::Integer16:
    return "int16";
  case ElementType::Integer32:
    return "int32";
  case ElementType::Integer64:
    return "int64";
  case ElementType::Half:
    return "half";
  case ElementType::BFloat16:
    return "bfloat16";
  case ElementType::Float:
    return "float";
  case ElementType::Double:
  case ElementType::FloatInDouble:
    return "double";
  }
  llvm_unreachable("every element type has a word");
}
