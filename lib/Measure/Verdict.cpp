//===- Verdict.cpp - The outcome of measuring a Variant -------------------===//

#include "cudal1/Measure/Verdict.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace cudal1;

llvm::StringRef cudal1::toString(Verdict V) {
  switch (V) {
  case Verdict::Faster:
    return "faster";
  case Verdict::Same:
    return "same";
  case Verdict::Slower:
    return "slower";
  case Verdict::Ambiguous:
    return "ambiguous";
  case Verdict::Verified:
    return "verified";
  case Verdict::WrongResult:
    return "wrong-result";
  case Verdict::CompileError:
    return "compile-error";
  case Verdict::RunError:
    return "run-error";
  case Verdict::Timeout:
    return "timeout";
  case Verdict::Unsupported:
    return "unsupported";
  }
  llvm_unreachable("every verdict has a word");
}

std::optional<Verdict> cudal1::parseVerdict(llvm::StringRef Word) {
  return llvm::StringSwitch<std::optional<Verdict>>(Word)
      .Case("faster", Verdict::Faster)
      .Case("same", Verdict::Same)
      .Case("slower", Verdict::Slower)
      .Case("ambiguous", Verdict::Ambiguous)
      .Case("verified", Verdict::Verified)
      .Case("wrong-result", Verdict::WrongResult)
      .Case("compile-error", Verdict::CompileError)
      .Case("run-error", Verdict::RunError)
      .Case("timeout", Verdict::Timeout)
      .Case("unsupported", Verdict::Unsupported)
      .Default(std::nullopt);
}
