//===- FpClass.cpp - What a rewrite may do to floating point --------------===//

#include "cudal1/Support/FpClass.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace cudal1;

llvm::StringRef cudal1::toString(FpClass Class) {
  switch (Class) {
  case FpClass::Exact:
    return "exact";
  case FpClass::Reassociate:
    return "reassociate";
  case FpClass::Approximate:
    return "approximate";
  case FpClass::ReducedPrecision:
    return "reduced-precision";
  }
  llvm_unreachable("every fp class has a word");
}

std::optional<FpClass> cudal1::parseFpClass(llvm::StringRef Word) {
  return llvm::StringSwitch<std::optional<FpClass>>(Word)
      .Case("exact", FpClass::Exact)
      .Case("reassociate", FpClass::Reassociate)
      .Case("approximate", FpClass::Approximate)
      .Case("reduced-precision", FpClass::ReducedPrecision)
      .Default(std::nullopt);
}
