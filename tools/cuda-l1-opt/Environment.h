//===- Environment.h - One program for a learner to act on ------*- C++ -*-===//
///
/// \file
/// The optimiser as an environment: a program whose kernels are rewritten step
/// by step, with features of every legal step and the measured outcome of those
/// that are asked for. Serve.h speaks its protocol.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_TOOL_ENVIRONMENT_H
#define CUDAL1_TOOL_ENVIRONMENT_H

#include "EmulatedCheck.h"
#include "ResolvedUnit.h"
#include "cudal1/Search/ProgramProblem.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/JSON.h"

namespace cudal1 {

class Environment {
public:
  /// Parses \p File. \p RunArgs, where given, stand in for those of the
  /// settings.
  static llvm::Expected<std::unique_ptr<Environment>>
  open(const Setup &S, llvm::StringRef File,
       std::optional<std::vector<std::string>> RunArgs);

  /// Name, launches and share of each kernel; times where there is a GPU.
  llvm::Expected<llvm::json::Value> kernels();

  /// Back to the original, looking at this kernel (by display name; "" is the
  /// host code). An Error lists the kernels that there are.
  llvm::Error reset(llvm::StringRef Kernel);
  /// The current Variant: node, rewrites, features of the kernel and of each
  /// legal step. reset() comes first.
  llvm::Expected<llvm::json::Value> describe();
  /// Takes step number \p Index of describe().
  llvm::Error apply(uint64_t Index);
  /// Goes to a Variant that was current before, or was measured.
  llvm::Error go(llvm::StringRef Node);
  /// Outcomes of these steps of describe(), each from the current Variant.
  llvm::Expected<llvm::json::Value> measure(llvm::ArrayRef<uint64_t> Indices);
  /// What \p P makes of each step of describe(), with all that was measured
  /// since reset().
  llvm::Expected<llvm::json::Value> scores(const Policy &P);
  /// The current Variant against the original in the emulator.
  llvm::Expected<llvm::json::Value> emulate();
  /// Text of the main file in the current Variant.
  llvm::StringRef text() const { return Session->program().text(); }

private:
  Environment(const Setup &S, CommandLine OwnLine);
  llvm::Error prepareEngine();
  void listActions();
  PolicyState state() const;
  void remember(const Variant &V, const llvm::json::Object &Outcome);
  llvm::Expected<const Action *> action(uint64_t Index) const;
  llvm::json::Object outcomeOf(const Variant &V);
  double currentLogSpeedup() const;

  CommandLine Line;
  ResolvedUnit Input;
  std::unique_ptr<RewriteSession> Session;
  std::unique_ptr<TemporaryFolder> Folder;
  std::unique_ptr<MeasureEngine> Engine;
  std::optional<Baseline> Original;
  std::unique_ptr<ProgramProblem> Problem;
  std::unique_ptr<EmulatedCheck> Emulated;
  Variant Start;

  /// Set by reset().
  std::optional<std::string> KernelName;
  std::vector<Action> Actions;
  llvm::StringMap<Variant> Nodes;
  /// By node: ln(original time ÷ time), where it was right and timed.
  llvm::StringMap<double> LogSpeedups;
  /// What was measured of the kernel since reset().
  std::vector<Exemplar> Exemplars;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_ENVIRONMENT_H
