//===- ProgramAnalysis.cpp - Kernels and launches of a Program ------------===//

#include "cudal1/Analysis/ProgramAnalysis.h"

#include "KernelAnalysis.h"
#include "cudal1/Analysis/HostIndex.h"

using namespace clang;

namespace cudal1 {

/// The pattern of an instantiation, or the function itself.
static const FunctionDecl *patternOf(const FunctionDecl *Function) {
  const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
  return Pattern ? Pattern : Function;
}

/// Finds the kernel that a launch names. The launch is in the host AST, the
/// kernel in the device AST: the linker's name joins them. Types that have no
/// linkage (lambdas) may be mangled differently on the two sides; then the
/// position of the pattern and the arguments as printed decide.
static Kernel *kernelOf(const Launch &L,
                        const std::vector<std::unique_ptr<Kernel>> &Kernels,
                        const Program &P) {
  std::string Mangled = mangledName(L.Callee);
  for (const auto &K : Kernels)
    if (K->MangledName == Mangled)
      return K.get();
  const SourceManager &Sources = P.sources(Side::Host);
  const FunctionDecl *Pattern = patternOf(L.Callee);
  SourceLocation Where = Sources.getExpansionLoc(Pattern->getLocation());
  std::string File = P.pathOf(Side::Host, Sources.getFileID(Where));
  unsigned Line = Sources.getExpansionLineNumber(Where);
  std::string Name = Pattern->getQualifiedNameAsString();
  for (const auto &K : Kernels)
    if (K->Name == Name && K->File == File && K->Line == Line)
      return K.get();
  return nullptr;
}

std::unique_ptr<ProgramAnalysis> ProgramAnalysis::analyze(const Program &P) {
  std::unique_ptr<ProgramAnalysis> A(new ProgramAnalysis(P));
  A->Kernels = analyzeKernels(P);
  A->Launches = analyzeLaunches(P);
  for (const auto &L : A->Launches)
    if (L->Callee)
      if (Kernel *K = kernelOf(*L, A->Kernels, P))
        K->Launches.push_back(L.get());
  return A;
}

std::vector<const Kernel *>
ProgramAnalysis::instancesOf(const Kernel &K) const {
  std::vector<const Kernel *> Instances;
  for (const auto &Other : Kernels)
    if (Other->Pattern == K.Pattern)
      Instances.push_back(Other.get());
  return Instances;
}

} // namespace cudal1
