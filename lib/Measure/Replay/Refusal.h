//===- Refusal.h - Why a program cannot be replayed -------------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_REFUSAL_H
#define CUDAL1_LIB_MEASURE_REPLAY_REFUSAL_H

#include "llvm/Support/Error.h"
#include <string>

namespace cudal1 {

/// An Error of which it is known whether starting the program again can help.
class ReplayRefusal : public llvm::ErrorInfo<ReplayRefusal> {
public:
  enum class Cure {
    None,       ///< it will be the same in every start
    Restart,    ///< it came out otherwise than it did before
    LessPoison, ///< nothing may be filled with a pattern
  };

  ReplayRefusal(Cure What, std::string Sentence)
      : What(What), Sentence(std::move(Sentence)) {}

  Cure cure() const { return What; }
  void log(llvm::raw_ostream &Out) const override { Out << Sentence; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  static inline char ID = 0;

private:
  Cure What;
  std::string Sentence;
};

/// One that nothing helps against.
inline llvm::Error refusal(std::string Sentence) {
  return llvm::make_error<ReplayRefusal>(ReplayRefusal::Cure::None,
                                         std::move(Sentence));
}

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_REFUSAL_H
