//===- LearnedPolicy.cpp - The trained network as a policy ----------------===//

#include "cudal1/Policy/LearnedPolicy.h"
#include "EmbeddedWeights.h"
#include "cudal1/Policy/Decisions.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace cudal1;

/// The latest examples are the ones that the network is shown: more would only
/// dilute them.
static constexpr size_t MostExamples = 64;

llvm::Expected<std::unique_ptr<LearnedPolicy>>
LearnedPolicy::parse(llvm::StringRef Bytes, llvm::StringRef Name) {
  std::string Why;
  std::optional<SafeTensors> File = parseSafeTensors(Bytes, Why);
  std::optional<PolicyNetwork> Network;
  if (File)
    Network = PolicyNetwork::create(*File, Why);
  if (!Network)
    return llvm::createStringError("cannot use the policy '" + Name +
                                   "': " + Why);
  return std::unique_ptr<LearnedPolicy>(new LearnedPolicy(std::move(*Network)));
}

llvm::Expected<std::unique_ptr<LearnedPolicy>>
LearnedPolicy::load(llvm::StringRef Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return llvm::createStringError("cannot read the policy '" + Path +
                                   "': " + Buffer.getError().message());
  return parse((*Buffer)->getBuffer(), Path);
}

llvm::Expected<std::unique_ptr<LearnedPolicy>> LearnedPolicy::embedded() {
  std::string_view Bytes = embeddedWeights();
  if (Bytes.empty())
    return nullptr;
  return parse(Bytes, "built in");
}

PolicyScores LearnedPolicy::score(const PolicyState &State) const {
  Decision D = decisionOf(State);
  if (D.Examples.size() > MostExamples)
    D.Examples.erase(D.Examples.begin(), D.Examples.end() - MostExamples);
  NetworkOutput Out = Network.evaluate(encode(D));
  PolicyScores Result;
  Result.Actions.assign(Out.Actions.begin(), Out.Actions.end());
  Result.Stop = Out.Stop;
  return Result;
}
