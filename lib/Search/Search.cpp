//===- Search.cpp - How the space of Variants is walked -------------------===//

#include "cudal1/Search/Search.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/xxhash.h"

using namespace cudal1;

SearchProblem::~SearchProblem() = default;

const NamedValues &SearchProblem::facts(llvm::StringRef Kernel) const {
  static const NamedValues Nothing;
  return Nothing;
}
SearchObserver::~SearchObserver() = default;
Search::~Search() = default;

std::string cudal1::textKey(const Variant &V) {
  // Lengths keep the borders between paths and texts.
  std::string All;
  for (const auto &[Path, Text] : V.Texts) {
    All += Path + '\0' + std::to_string(Text.size()) + '\0';
    All += Text;
  }
  llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(All.data()), All.size()));
  return std::to_string(Hash.high64) + "-" + std::to_string(Hash.low64);
}

llvm::StringRef cudal1::toString(SearchEnd End) {
  switch (End) {
  case SearchEnd::Exhausted:
    return "nothing more was worth trying";
  case SearchEnd::OutOfTime:
    return "the time budget was spent";
  case SearchEnd::OutOfTrials:
    return "the number of variants was reached";
  case SearchEnd::Interrupted:
    return "interrupted";
  }
  llvm_unreachable("unknown SearchEnd");
}
