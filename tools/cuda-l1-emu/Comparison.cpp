//===- Comparison.cpp - Two versions of a program, emulated ---------------===//

#include "Comparison.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Measure/EmulatorEngine.h"
#include "cudal1/Search/ElementLayouts.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace cudal1;

static llvm::Expected<std::vector<std::string>>
build(EmulationSpec Spec, llvm::ArrayRef<SourceReplacement> Sources,
      const std::string &OutputPath) {
  SourceOverlay Overlay;
  for (const SourceReplacement &Source : Sources)
    Overlay[Source.OriginalPath] = Source.Text;
  Spec.Checks = EmulationChecks::Races;
  llvm::Expected<EmulatedProgram> Program =
      buildEmulated(Spec, Overlay, OutputPath);
  if (!Program)
    return Program.takeError();
  return Program->Unsupported;
}

llvm::Expected<Measurement>
cudal1::compareEmulated(const ComparisonSpec &Spec) {
  auto Variant = llvm::MemoryBuffer::getFile(Spec.VariantFile);
  if (!Variant)
    return llvm::createStringError(Variant.getError(), "cannot read '%s': %s",
                                   Spec.VariantFile.c_str(),
                                   Variant.getError().message().c_str());
  // The types of the kernels' parameters, to compare buffers by.
  llvm::Expected<std::unique_ptr<Program>> Parsed =
      Program::parse(Spec.Original.Input);
  if (!Parsed)
    return Parsed.takeError();
  EmulatorEngineOptions Options;
  Options.Parameters = parameterTableOf(*ProgramAnalysis::analyze(**Parsed));
  Options.Build = [&](llvm::ArrayRef<SourceReplacement> Sources,
                      const std::string &OutputPath) {
    return build(Spec.Original, Sources, OutputPath);
  };
  EmulationSpec AsWritten = Spec.Original;
  AsWritten.KeepAccesses = true;
  Options.BuildAsWritten = [&](llvm::ArrayRef<SourceReplacement> Sources,
                               const std::string &OutputPath) {
    return build(AsWritten, Sources, OutputPath);
  };
  Options.Run.Arguments = Spec.Arguments;
  Options.WorkFolder = Spec.WorkFolder;
  std::unique_ptr<MeasureEngine> Engine =
      makeEmulatorEngine(std::move(Options));
  llvm::Expected<Baseline> Original = Engine->prepare();
  if (!Original)
    return Original.takeError();
  Candidate C;
  C.Id = "variant";
  C.Class = Spec.Class;
  C.Sources = {{Spec.Original.Input.File, (*Variant)->getBuffer().str()}};
  return Engine->measure(C);
}
