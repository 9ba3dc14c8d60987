//===- Judge.cpp - Measure versions that the user wrote -------------------===//

#include "Judge.h"
#include "Engines.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The files that --judge names, folders by their sources in order.
static llvm::Expected<std::vector<std::string>>
listVersions(llvm::ArrayRef<std::string> Named) {
  std::vector<std::string> Files;
  for (const std::string &Name : Named) {
    if (!fs::is_directory(Name)) {
      Files.push_back(Name);
      continue;
    }
    std::vector<std::string> Inside;
    std::error_code Code;
    for (fs::directory_iterator I(Name, Code), End; I != End && !Code;
         I.increment(Code))
      if (path::extension(I->path()) == ".cu")
        Inside.push_back(I->path());
    if (Code)
      return llvm::createStringError(Code, "cannot read the folder '" + Name +
                                               "': " + Code.message());
    llvm::sort(Inside);
    Files.insert(Files.end(), Inside.begin(), Inside.end());
  }
  if (Files.empty())
    return llvm::createStringError("--judge: there is no .cu file in '" +
                                   Named.front() + "'");
  return Files;
}

static llvm::Expected<std::vector<Candidate>>
readVersions(const Setup &S, const Settings &Chosen, const CompileUnit &Unit) {
  llvm::Expected<std::vector<std::string>> Files = listVersions(S.Line.Judged);
  if (!Files)
    return Files.takeError();
  std::vector<Candidate> Versions;
  for (const std::string &File : *Files) {
    auto Text = llvm::MemoryBuffer::getFile(File, /*IsText=*/true);
    if (!Text)
      return llvm::createStringError(Text.getError(),
                                     "cannot read '" + File +
                                         "': " + Text.getError().message());
    Candidate C;
    C.Id = path::filename(File).str();
    C.Sources.push_back({Unit.File, (*Text)->getBuffer().str()});
    C.Class = Chosen.Weakest.value_or(FpClass::Reassociate);
    Versions.push_back(std::move(C));
  }
  return Versions;
}

llvm::Error cudal1::judgeVersions(const Setup &S, const Settings &Chosen,
                                  const CompileUnit &Unit,
                                  RewriteSession &Session, UnitReport &Report) {
  llvm::Expected<std::vector<Candidate>> Versions =
      readVersions(S, Chosen, Unit);
  if (!Versions)
    return Versions.takeError();
  llvm::Expected<TemporaryFolder> Folder =
      TemporaryFolder::make(S.Line.WorkDir);
  if (!Folder)
    return Folder.takeError();
  std::unique_ptr<MeasureEngine> Engine =
      makeEngine(S, Chosen, Unit, Session.analysis(), Folder->path());
  llvm::Expected<Baseline> B = Engine->prepare();
  if (!B)
    return B.takeError();
  Report.Engine = B->Engine;
  Report.Original = B->Times;
  for (const auto *Sentences : {&B->NonDeterminism, &B->Notes})
    Report.Messages.insert(Report.Messages.end(), Sentences->begin(),
                           Sentences->end());
  Report.Kernels = compareKernels(B->Times, std::nullopt);

  auto Start = std::chrono::steady_clock::now();
  Engine->compileAhead(*Versions);
  std::vector<Measurement> Results = Engine->measureAll(*Versions);
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  for (size_t I = 0; I < Results.size(); ++I) {
    const Measurement &M = Results[I];
    VariantReport V;
    V.Rewrites = {(*Versions)[I].Id};
    V.Engine = M.Engine;
    V.Outcome = M.Outcome;
    V.Speedup = M.Speedup;
    V.SpeedupLow = M.SpeedupLow;
    V.SpeedupHigh = M.SpeedupHigh;
    V.Reason = mainFinding(M).str();
    V.Evidence = M.Evidence;
    Report.Variants.push_back(std::move(V));
  }
  Report.VariantsTried = Results.size();
  Report.SearchSeconds = Took.count();
  Report.Result = UnitResult::Judged;
  return llvm::Error::success();
}
