//===- Setup.cpp - What all inputs of one call share ----------------------===//

#include "Setup.h"

using namespace cudal1;

/// The weights of --policy; null where there are none.
static llvm::Expected<std::unique_ptr<LearnedPolicy>>
loadPolicy(const CommandLine &Line) {
  if (Line.PolicyFile == "none")
    return nullptr;
  if (Line.PolicyFile.empty())
    return LearnedPolicy::embedded();
  return LearnedPolicy::load(Line.PolicyFile);
}

llvm::Expected<Setup> cudal1::prepare(const CommandLine &Line, Console &Out,
                                      const std::atomic<bool> &Stop,
                                      llvm::StringRef Executable) {
  Setup S{Line, Out, Stop, Executable.str(), {}, {}, {}, {}, {}};
  auto ResourceDir = findResourceDir(
      ResourceDirSearch::forExecutable(Executable, Line.ResourceDir));
  if (!ResourceDir)
    return ResourceDir.takeError();
  S.ResourceDir = *ResourceDir;

  auto Toolkit = findCudaToolkit(ToolkitSearch::fromEnvironment(Line.CudaPath));
  if (Toolkit)
    S.Toolkit = std::move(*Toolkit);
  else if (Line.CudaPath.empty())
    S.NoToolkit = llvm::toString(Toolkit.takeError());
  else
    return Toolkit.takeError();

  llvm::Expected<std::unique_ptr<LearnedPolicy>> Learned = loadPolicy(Line);
  if (!Learned)
    return Learned.takeError();
  S.Learned = std::move(*Learned);
  if (Line.What == Task::Optimise || Line.What == Task::Judge ||
      Line.What == Task::Serve) {
    llvm::Expected<GpuInfo> Gpu = detectGpu();
    if (Gpu)
      S.Gpu = std::move(*Gpu);
    else
      S.NoGpu = llvm::toString(Gpu.takeError());
  }
  return std::move(S);
}

llvm::Expected<CompileUnit> cudal1::resolveInput(const Setup &S,
                                                 const Settings &Chosen,
                                                 llvm::StringRef Input) {
  UnitOptions Options;
  Options.BuildDir = S.Line.BuildDir;
  Options.Flags = S.Line.Flags;
  Options.ExtraArgs = Chosen.ExtraArgs;
  Options.ArchOverride = Chosen.Arch;
  if (S.Gpu) {
    Options.DefaultArch = S.Gpu->arch();
    Options.NativeArch = S.Gpu->arch();
  }
  llvm::Expected<UnitResolver> Resolver = UnitResolver::create(Options);
  if (!Resolver)
    return Resolver.takeError();
  return Resolver->resolve(Input);
}
