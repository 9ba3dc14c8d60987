//===- LearnedPolicy.h - The trained network as a policy --------*- C++ -*-===//

#ifndef CUDAL1_POLICY_LEARNEDPOLICY_H
#define CUDAL1_POLICY_LEARNEDPOLICY_H

#include "cudal1/Network/PolicyNetwork.h"
#include "cudal1/Policy/Policy.h"
#include "llvm/Support/Error.h"

namespace cudal1 {

/// Scores are the network's logits, that of stopping included.
class LearnedPolicy : public Policy {
public:
  /// Reads weights from \p Path. The Error says what is wrong with the file.
  static llvm::Expected<std::unique_ptr<LearnedPolicy>>
  load(llvm::StringRef Path);
  /// The weights that were built into this program
  /// (policy/default.safetensors); null where it was built without.
  static llvm::Expected<std::unique_ptr<LearnedPolicy>> embedded();
  /// \p Bytes of a safetensors file; \p Name for messages.
  static llvm::Expected<std::unique_ptr<LearnedPolicy>>
  parse(llvm::StringRef Bytes, llvm::StringRef Name);

  llvm::StringRef name() const override { return "learned"; }
  PolicyScores score(const PolicyState &State) const override;

private:
  explicit LearnedPolicy(PolicyNetwork Network) : Network(std::move(Network)) {}
  PolicyNetwork Network;
};

} // namespace cudal1

#endif // CUDAL1_POLICY_LEARNEDPOLICY_H
