//===- Delivery.cpp - Where the result goes -------------------------------===//

#include "Delivery.h"
#include "cudal1/Report/UnifiedDiff.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace cudal1;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

/// A call with neither -o nor --in-place, where the source itself is wanted.
bool Delivery::toStdout() const {
  return S.Line.Output == "-" ||
         (S.Line.Output.empty() && !S.Line.InPlace && !S.Line.Diff);
}

std::string Delivery::outputPathFor(llvm::StringRef Input) const {
  llvm::StringRef Output = S.Line.Output;
  bool Folder = S.Line.Inputs.size() > 1 || Output.ends_with("/") ||
                fs::is_directory(Output);
  if (!Folder)
    return Output.str();
  llvm::SmallString<128> Result(Output);
  path::append(Result, path::stem(Input) + ".opt" + path::extension(Input));
  return std::string(Result);
}

static llvm::Error cannotWrite(const llvm::Twine &Path, llvm::StringRef Why) {
  return llvm::createStringError("cannot write '" + Path + "': " + Why);
}

/// Fails when \p Target cannot be made or replaced.
static llvm::Error checkTarget(const std::string &Target) {
  if (fs::is_directory(Target))
    return cannotWrite(Target, "it is a folder");
  llvm::SmallString<128> Folder(Target);
  if (fs::make_absolute(Folder))
    return llvm::Error::success();
  path::remove_filename(Folder);
  if (!fs::is_directory(Folder))
    return cannotWrite(Target, ("there is no folder '" + Folder + "'").str());
  // A special file is written directly, all others are replaced; one that is
  // read-only is meant to stay.
  bool Special = fs::exists(Target) && !fs::is_regular_file(Target);
  if ((!Special && ::access(Folder.c_str(), W_OK) != 0) ||
      (fs::exists(Target) && ::access(Target.c_str(), W_OK) != 0))
    return cannotWrite(Target, std::generic_category().message(errno));
  return llvm::Error::success();
}

llvm::Error Delivery::checkWritable(llvm::StringRef Input) const {
  if (toStdout() || (S.Line.Output.empty() && !S.Line.InPlace))
    return llvm::Error::success();
  return checkTarget(S.Line.InPlace ? Input.str() : outputPathFor(Input));
}

llvm::Error Delivery::checkReportWritable() const {
  if (S.Line.ReportFile.empty() || S.Line.ReportFile == "-")
    return llvm::Error::success();
  return checkTarget(S.Line.ReportFile);
}

llvm::Error Delivery::checkDistinct() const {
  if (S.Line.Output.empty() || toStdout())
    return llvm::Error::success();
  std::map<std::string, llvm::StringRef> InputOf;
  for (const std::string &Input : S.Line.Inputs) {
    std::string Target = outputPathFor(Input);
    auto [Other, IsNew] = InputOf.try_emplace(Target, Input);
    if (!IsNew && !fs::equivalent(Input, Other->second))
      return llvm::createStringError("the results of '" + Other->second +
                                     "' and '" + Input + "' would both be '" +
                                     Target + "'; give each a call of its own");
    for (const std::string &Third : S.Line.Inputs)
      if (Third != Input && fs::equivalent(Third, Target))
        return llvm::createStringError("the result of '" + Input +
                                       "' would replace the input '" + Third +
                                       "'; name another folder with -o");
  }
  return llvm::Error::success();
}

void Delivery::printDiff(const SourceOverlay &Original,
                         const SourceOverlay &Texts) {
  for (const auto &[Path, New] : Texts) {
    auto Before = Original.find(Path);
    std::string Old;
    if (Before != Original.end())
      Old = Before->second;
    else if (auto Buffer = llvm::MemoryBuffer::getFile(Path))
      Old = (*Buffer)->getBuffer().str();
    S.Out.results() << unifiedDiff(Path, Old, Path, New);
  }
}

llvm::Error Delivery::write(const SourceOutput &Files, UnitReport &Report) {
  if (llvm::Error E = writeOutput(Files))
    return E;
  for (const OutputFile &File : Files.Files)
    Report.Written.push_back(File.Path);
  for (const std::string &Note : Files.Notes)
    Report.Messages.push_back(Note);
  return llvm::Error::success();
}

llvm::Error Delivery::deliver(const SourceWriter &Writer, llvm::StringRef Input,
                              const SourceOverlay &Original,
                              const SourceOverlay &Texts, UnitReport &Report) {
  if (S.Line.Diff)
    printDiff(Original, Texts);
  if (S.Line.InPlace) {
    auto Files = Writer.inPlace(Texts, BackedUp);
    if (!Files)
      return Files.takeError();
    for (const OutputFile &File : Files->Files)
      if (File.Path != Input)
        Files->Notes.push_back(
            File.Path +
            " is changed for every unit that includes it, and only "
            "the launches of " +
            path::filename(Input).str() +
            " were seen: those of other units must be alike");
    return write(*Files, Report);
  }
  if (!S.Line.Output.empty() && S.Line.Output != "-") {
    auto Files = Writer.asCopies(Texts, outputPathFor(Input), Written);
    if (!Files)
      return Files.takeError();
    for (const OutputFile &File : Files->Files)
      Written[File.Path] = File.Text;
    return write(*Files, Report);
  }
  if (!toStdout())
    return llvm::Error::success();
  auto Files = Writer.asCopies(Texts, "-");
  if (!Files)
    return Files.takeError();
  S.Out.results() << Files->Files.front().Text;
  return llvm::Error::success();
}

llvm::Error Delivery::deliverUnchanged(llvm::StringRef Input,
                                       UnitReport &Report) {
  if (S.Line.InPlace || (S.Line.Diff && S.Line.Output.empty()))
    return llvm::Error::success();
  auto Buffer = llvm::MemoryBuffer::getFile(Input);
  if (!Buffer)
    return llvm::createStringError("cannot read '" + Input +
                                   "': " + Buffer.getError().message());
  if (toStdout()) {
    S.Out.results() << (*Buffer)->getBuffer();
    return llvm::Error::success();
  }
  SourceOutput Output;
  Output.Files.push_back(
      {outputPathFor(Input), (*Buffer)->getBuffer().str(), ""});
  return write(Output, Report);
}
