//===- ResolvedUnit.cpp - An input with all that says how to read it ------===//

#include "ResolvedUnit.h"
#include "cudal1/Frontend/ParseSetup.h"

using namespace cudal1;

/// The globs of the settings; a step that names a rule turns it on.
std::string ResolvedUnit::rulesWanted() const {
  std::string Globs = Chosen.Rules;
  for (const StepSpec &Step : S.Line.Steps)
    if (const Rule *R = Rules.find(Step.Rule); R && R->isOptIn())
      Globs += (Globs.empty() ? "*," : ",") + Step.Rule;
  return Globs;
}

llvm::Error ResolvedUnit::resolve(llvm::StringRef File) {
  if (llvm::Error E = checkSourceFile(File))
    return E;
  llvm::Expected<Settings> Found = Settings::forInput(S.Line, File);
  if (!Found)
    return Found.takeError();
  Chosen = std::move(*Found);
  if (llvm::Error E = Rules.select(rulesWanted()))
    return E;
  if (S.Line.CudaPath.empty() && !Chosen.CudaPath.empty()) {
    auto Toolkit =
        findCudaToolkit(ToolkitSearch::fromEnvironment(Chosen.CudaPath));
    if (!Toolkit)
      return Toolkit.takeError();
    S.Toolkit = std::move(*Toolkit);
  }
  llvm::Expected<CompileUnit> Resolved = resolveInput(S, Chosen, File);
  if (!Resolved)
    return Resolved.takeError();
  Unit = std::move(*Resolved);
  for (const auto *Notes : {&Chosen.Notes, &Unit.Flags.Notes})
    for (const std::string &Note : *Notes)
      S.Out.note(Note);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>> ResolvedUnit::parse() const {
  if (Unit.needsToolkit() && !S.Toolkit)
    return llvm::createStringError(S.NoToolkit);
  return Program::parse(
      parseInputFor(Unit, S.Toolkit ? &*S.Toolkit : nullptr, S.ResourceDir));
}

bool ResolvedUnit::canMeasure() const {
  bool CanBuild = !Chosen.BuildCommand.empty() ||
                  (S.Toolkit && !S.Toolkit->NvccPath.empty());
  return S.Gpu && CanBuild;
}

std::string ResolvedUnit::whyNotMeasured() const {
  return S.Gpu ? "nvcc was not found" : S.NoGpu;
}
