//===- Fuzzer.h - One random program, rewritten and judged ------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_FUZZ_FUZZER_H
#define CUDAL1_UNITTESTS_FUZZ_FUZZER_H

#include "cudal1/Emulator/EmulatedProgram.h"
#include "cudal1/Measure/EmulatorEngine.h"
#include "cudal1/Search/ProgramProblem.h"
#include "cudal1/Search/RewriteSession.h"
#include "cudal1/Support/TemporaryFolder.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::fuzz {

/// Where the things lie that a generated program is built with.
struct BuildSetup {
  std::string ResourceDir;    ///< Clang's own headers
  std::string RuntimeLibrary; ///< libcudal1_emulator.a
  std::string HostCompiler;   ///< links, e.g. `c++`
};

/// The spec of an emulation of the generated program at \p File. It includes a
/// small header of this tool's own, no toolkit's.
EmulationSpec emulationOf(const std::string &File, const BuildSetup &Setup);

/// Builds the program of \p Spec with \p Sources in place, but for what a
/// variant replaces.
EmulationBuild buildFunction(EmulationSpec Spec, SourceOverlay Sources);

/// What one program came to.
struct Outcome {
  unsigned Sequences = 0; ///< kernels that at least one rewrite changed
  unsigned Skipped = 0;   ///< kernels that no rewrite can be judged by
  std::map<std::string, unsigned> Rewrites; ///< how many of each rule
  std::string Problem;                      ///< empty if the variant is right
};

/// Generates programs, applies random rewrites to them, and compares.
class Fuzzer {
public:
  /// \p Rules and \p Folder must outlive it.
  Fuzzer(const RuleList &Rules, SiteFilter Filter,
         const TemporaryFolder &Folder, BuildSetup Setup)
      : Rules(Rules), Filter(Filter), Folder(Folder), Setup(std::move(Setup)) {}

  /// Makes every variant wrong, to see that it is noticed.
  void plantFaults() { PlantFault = true; }

  /// Checks the program of these kernels, rewritten at random. Kernels whose
  /// source races, or whose results depend on the order of threads, are left
  /// out: where no answer is right, none is wrong. An Error if the original
  /// cannot be built or run.
  llvm::Expected<Outcome> check(const std::vector<uint64_t> &KernelSeeds);

  /// The counterexample that \p KernelSeed gives, if it does so alone, with as
  /// few rewrites as show it; else empty.
  llvm::Expected<std::string> explain(uint64_t KernelSeed);

private:
  llvm::Error begin(const std::vector<uint64_t> &KernelSeeds);
  void rewriteKernel(const std::string &Kernel, uint64_t Seed, Outcome &O);
  llvm::Error replay(const std::vector<Rewrite> &Steps);
  std::string judge(const Variant &V);

  const RuleList &Rules;
  SiteFilter Filter;
  const TemporaryFolder &Folder;
  BuildSetup Setup;
  bool PlantFault = false;
  EmulationSpec Spec;
  std::string Text;
  std::unique_ptr<RewriteSession> Session;
  std::unique_ptr<MeasureEngine> Engine;
  std::optional<Baseline> Original;
  std::unique_ptr<ProgramProblem> Problem;
};

/// An Error as one text: of a ParseError, Clang's diagnostics.
std::string describe(llvm::Error E);

} // namespace cudal1::fuzz

#endif // CUDAL1_UNITTESTS_FUZZ_FUZZER_H
