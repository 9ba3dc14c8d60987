//===- ReferenceRun.cpp - What the original program does ------------------===//

#include "ReferenceRun.h"
#include "cudal1/Measure/BufferCompare.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace cudal1;

ReferenceRun::ReferenceRun(ProgramRun First, const ProgramRun &Second,
                           std::vector<ResultFile> Files,
                           const KernelParameterTable &Table,
                           std::optional<double> Relative)
    : Original(std::move(First)), OutputFiles(std::move(Files)), Table(Table),
      Relative(Relative), Record(recordRun(Original.Traces, Table)),
      Variation(learnVariation(Record, recordRun(Second.Traces, Table))),
      Stdout(Original.Process.Stdout) {
  for (const auto &[Path, Contents] : Original.Files)
    if (isText(Contents))
      TextFiles[Path] = std::make_unique<ReferenceOutput>(Contents);
  addOutputs(Second);
}

bool ReferenceRun::isText(llvm::StringRef Contents) {
  return !Contents.contains('\0');
}

void ReferenceRun::addOutputs(const ProgramRun &Run) {
  Stdout.addRun(Run.Process.Stdout);
  for (const auto &[Path, Contents] : Original.Files) {
    auto Other = Run.Files.find(Path);
    if (Other == Run.Files.end())
      continue;
    auto Text = TextFiles.find(Path);
    if (Text != TextFiles.end())
      Text->second->addRun(Other->second);
    else if (Other->second != Contents)
      FileVaries[Path] = true;
  }
}

void ReferenceRun::addTraced(const ProgramRun &Run) {
  addVariation(Variation, Record, recordRun(Run.Traces, Table));
  addOutputs(Run);
}

void ReferenceRun::describe(Baseline &B) const {
  B.NonDeterminism = Variation.Sentences;
  auto DescribeText = [&](const std::string &What, const ReferenceOutput &R) {
    if (R.structureVaries())
      B.NonDeterminism.push_back("the words of " + What +
                                 " change from run to run; it is not compared");
    else if (uint64_t Count = R.varyingNumbers())
      B.NonDeterminism.push_back(
          std::to_string(Count) + " numbers of " + What +
          " change from run to run; they are not compared");
    if (R.hasNan())
      B.Notes.push_back("the original prints NaN in " + What);
  };
  DescribeText("stdout", Stdout);
  for (const auto &[Path, Reference] : TextFiles)
    DescribeText("'" + Path + "'", *Reference);
  for (const auto &Entry : FileVaries)
    B.NonDeterminism.push_back("the file '" + Entry.first +
                               "' changes from run to run; it is not compared");
  for (const ResultFile &File : OutputFiles)
    if (!Original.Files.count(File.Path))
      B.Notes.push_back("the original does not write '" + File.Path + "'");
  if (Variation.HasNan)
    B.Notes.push_back("a buffer of the original that the host reads holds NaN");
  for (const auto &[Key, Count] : Record.ApiErrors)
    B.Notes.push_back("in the original " + Key.first + " fails with error " +
                      std::to_string(Key.second) + ", " +
                      std::to_string(Count) + " times");
  if (!Record.Complete)
    B.Notes.push_back("the original leaves by _exit; what it did last may not "
                      "have been recorded");
  if (Relative) {
    std::string Note;
    llvm::raw_string_ostream(Note)
        << "results of rewrites that are not exact are compared with the given "
           "relative tolerance of "
        << llvm::format("%g", *Relative);
    B.Notes.push_back(std::move(Note));
  }
  for (const Trace &T : Original.Traces)
    for (const std::string &Note : T.Notes)
      B.Notes.push_back("injection library: " + Note);
}

bool ReferenceRun::compareFile(const ResultFile &File, const ProgramRun &Run,
                               FpClass Class, Measurement &M) const {
  auto Before = Original.Files.find(File.Path);
  if (Before == Original.Files.end() || FileVaries.count(File.Path))
    return true;
  auto After = Run.Files.find(File.Path);
  if (After == Run.Files.end()) {
    M.Evidence.push_back("the variant does not write '" + File.Path + "'");
    return false;
  }
  auto Text = TextFiles.find(File.Path);
  if (Text != TextFiles.end()) {
    if (Text->second->structureVaries())
      return true;
    OutputComparison Result =
        Text->second->compare(After->second, limitsOf(Class));
    M.Errors.merge(Result.Figures);
    if (!Result.equal())
      M.Evidence.push_back("'" + File.Path + "' " + Result.FirstDifference);
    return Result.equal();
  }
  if (Before->second.size() != After->second.size()) {
    M.Evidence.push_back("'" + File.Path + "' has " +
                         std::to_string(After->second.size()) + " bytes, " +
                         std::to_string(Before->second.size()) +
                         " in the original");
    return false;
  }
  BufferPart Whole{0, Before->second, After->second};
  BufferComparison Result =
      compareBuffers(Whole, File.Layout, 0, limitsOf(Class));
  M.Errors.merge(Result.Figures);
  if (!Result.equal())
    M.Evidence.push_back("'" + File.Path + "' " + Result.FirstMismatch);
  return Result.equal();
}

bool ReferenceRun::compareOutputs(const ProgramRun &Run, FpClass Class,
                                  Measurement &M) const {
  bool Right = true;
  if (!Stdout.structureVaries()) {
    OutputComparison Result =
        Stdout.compare(Run.Process.Stdout, limitsOf(Class));
    M.Errors.merge(Result.Figures);
    if (!Result.equal())
      M.Evidence.push_back("stdout, " + Result.FirstDifference);
    Right = Result.equal();
  }
  for (const ResultFile &File : OutputFiles)
    Right &= compareFile(File, Run, Class, M);
  return Right;
}

bool ReferenceRun::compareTraced(const ProgramRun &Run, const Candidate &C,
                                 Measurement &M) const {
  bool Right = compareOutputs(Run, C.Class, M);
  RunComparison Result = compareRuns(
      Record, recordRun(Run.Traces, Table), Variation, limitsOf(C.Class),
      C.ChangesHostCode ? CopyCount::LastOfEachPlace : CopyCount::All,
      C.ReplacedKernels, C.Merges);
  M.Errors.merge(Result.Figures);
  for (std::string &Problem : Result.Problems)
    M.Evidence.push_back(std::move(Problem));
  if (!Right || !Result.equal())
    return false;
  for (std::string &Sentence : Result.Evidence)
    M.Evidence.push_back(std::move(Sentence));
  return true;
}

bool ReferenceRun::compareTimed(const ProgramRun &Run, const Candidate &C,
                                Measurement &M) const {
  if (!compareOutputs(Run, C.Class, M))
    return false;
  if (Variation.KernelRunsVary)
    return true;
  RunRecord Timed = recordRun(Run.Traces, Table);
  for (const auto &[Name, Count] : Record.KernelRuns) {
    if (ranOftenEnough(Name, Count, Timed, C.Merges) ||
        isReplaced(Name, C.ReplacedKernels))
      continue;
    M.Evidence.push_back("kernel " + Name +
                         " ran fewer times in a timed run than the original");
    return false;
  }
  return true;
}
