//===- ProgramBuilder.cpp - Build a program and its variants --------------===//

#include "cudal1/Measure/ProgramBuilder.h"
#include "Cleanup.h"
#include "UnitOverlay.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>
#include <thread>

using namespace cudal1;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

std::string replaceAll(std::string Text, llvm::StringRef From,
                       llvm::StringRef To) {
  for (size_t At = 0; (At = Text.find(From, At)) != std::string::npos;
       At += To.size())
    Text.replace(At, From.size(), To);
  return Text;
}

BuildOutcome problem(std::string Text) {
  BuildOutcome Outcome;
  Outcome.Problem = std::move(Text);
  return Outcome;
}

/// Runs a build command; \p Program is what it should have made.
BuildOutcome runBuild(const Command &Cmd, BuiltProgram Program) {
  llvm::Expected<ProcessResult> Result = runCommand(Cmd);
  if (!Result)
    return problem(llvm::toString(Result.takeError()));
  BuildOutcome Outcome;
  Outcome.TimedOut = Result->End == ProcessEnd::TimedOut;
  Outcome.Stopped = Result->End == ProcessEnd::Stopped;
  if (!Result->succeeded()) {
    std::string Line = firstErrorLine(Result->Stderr + "\n" + Result->Stdout);
    Outcome.Problem = "'" + Cmd.Argv.front() + "' " + Result->describeEnd() +
                      (Line.empty() ? "" : ": " + Line);
    return Outcome;
  }
  if (!Program.Executable.empty() && !fs::can_execute(Program.Executable))
    return problem("'" + Cmd.toShell() + "' made no program '" +
                   Program.Executable + "'");
  Outcome.Program = std::move(Program);
  return Outcome;
}

/// One unit, built by its compiler or by a command with `{source}`: every
/// candidate has a folder of its own, so many can be built at once.
class UnitBuilder final : public ProgramBuilder {
public:
  UnitBuilder(BuildSpec Spec, std::string WorkFolder, unsigned Jobs,
              const std::atomic<bool> *StopFlag)
      : Spec(std::move(Spec)), WorkFolder(std::move(WorkFolder)),
        Jobs(std::max(1u, Jobs)), StopFlag(StopFlag) {}

  BuildOutcome buildOriginal() override {
    return buildFrom("original", {}, {});
  }

  BuildOutcome build(const Candidate &C) override {
    std::string Key = sourcesKey(C.Sources);
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      auto Known = Built.find(Key);
      if (Known != Built.end())
        return Known->second;
    }
    BuildOutcome Outcome = buildFrom(Key, C.Sources, C.Libraries);
    if (!Outcome.Stopped) {
      std::lock_guard<std::mutex> Lock(Mutex);
      Built[Key] = Outcome;
    }
    return Outcome;
  }

  void buildAhead(llvm::ArrayRef<Candidate> Candidates) override {
    // Two workers must not build the same program in the same folder.
    std::map<std::string, const Candidate *> Distinct;
    for (const Candidate &C : Candidates)
      Distinct.try_emplace(sourcesKey(C.Sources), &C);
    std::vector<const Candidate *> Work;
    Work.reserve(Distinct.size());
    for (const auto &Entry : Distinct)
      Work.push_back(Entry.second);
    std::atomic<size_t> Next = 0;
    auto Worker = [&] {
      for (size_t I; (I = Next++) < Work.size();)
        build(*Work[I]);
    };
    std::vector<std::thread> Workers;
    for (unsigned I = 1; I < std::min<size_t>(Jobs, Work.size()); ++I)
      Workers.emplace_back(Worker);
    Worker();
    for (std::thread &T : Workers)
      T.join();
  }

  void release(const Candidate &C) override {
    std::string Key = sourcesKey(C.Sources);
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Built.erase(Key);
    }
    removeFolder(folderOf(Key));
  }

private:
  std::string folderOf(llvm::StringRef Key) const {
    return WorkFolder + "/" + Key.str();
  }

  BuildOutcome buildFrom(const std::string &Key,
                         llvm::ArrayRef<SourceReplacement> Sources,
                         llvm::ArrayRef<std::string> Libraries) {
    std::string Folder = folderOf(Key);
    if (std::error_code Code = fs::create_directories(Folder))
      return problem("cannot make the folder '" + Folder +
                     "': " + Code.message());
    UnitOverlay Files(Spec.MainFile, Spec.Directory, Folder + "/source");
    if (llvm::Error E = Files.create(Sources))
      return problem(llvm::toString(std::move(E)));
    BuiltProgram Program{Folder + "/program", ""};
    Command Cmd;
    Cmd.WorkingDirectory = Spec.Directory;
    Cmd.TimeLimit = Spec.TimeLimit;
    Cmd.StopFlag = StopFlag;
    std::string Source = Files.mainFile();
    if (Spec.Command.empty()) {
      Cmd.Argv = {Spec.Compiler};
      for (const std::string &Flag : Files.map(linkingFlags(Spec.Flags)))
        Cmd.Argv.push_back(Flag);
      Cmd.Argv.insert(Cmd.Argv.end(), {Source, "-o", Program.Executable});
      for (const std::string &Library : Libraries)
        Cmd.Argv.push_back("-l" + Library);
    } else {
      std::string Line = replaceAll(Spec.Command, "{source}", Source);
      Line = replaceAll(Line, "{output}", Program.Executable);
      Cmd.Argv = {"/bin/sh", "-c", Line};
    }
    return runBuild(Cmd, std::move(Program));
  }

  BuildSpec Spec;
  std::string WorkFolder;
  unsigned Jobs;
  const std::atomic<bool> *StopFlag;
  std::mutex Mutex;
  std::map<std::string, BuildOutcome> Built;
};

/// A project, built by the user's command in a copy: one copy for the original
/// and one in which variants take turns, so that builds are incremental.
class ProjectBuilder final : public ProgramBuilder {
public:
  ProjectBuilder(BuildSpec Spec, std::string WorkFolder,
                 const std::atomic<bool> *StopFlag)
      : Spec(std::move(Spec)), WorkFolder(std::move(WorkFolder)),
        StopFlag(StopFlag) {}

  BuildOutcome buildOriginal() override {
    for (llvm::StringRef Name : {"original", "variant"})
      if (llvm::Error E = copyFolder(Spec.ProjectRoot, copy(Name)))
        return problem(llvm::toString(std::move(E)));
    return buildIn("original");
  }

  BuildOutcome build(const Candidate &C) override {
    if (llvm::Error E = place(C.Sources))
      return problem(llvm::toString(std::move(E)));
    return buildIn("variant");
  }

private:
  std::string copy(llvm::StringRef Name) const {
    return WorkFolder + "/" + Name.str();
  }

  /// Folders that are nothing but weight, or that would build the original.
  bool isLeftOut(llvm::StringRef Folder) const {
    return path::filename(Folder) == ".git" ||
           fs::exists(Folder + "/CMakeCache.txt") ||
           llvm::StringRef(WorkFolder + "/").starts_with(Folder.str() + "/");
  }

  llvm::Error copyFolder(const std::string &From, const std::string &To) {
    std::error_code Code = fs::create_directories(To);
    for (fs::directory_iterator Entry(From, Code, /*follow_symlinks=*/false),
         End;
         Entry != End && !Code; Entry.increment(Code)) {
      const std::string &Path = Entry->path();
      std::string Target = To + "/" + path::filename(Path).str();
      if (Entry->type() == fs::file_type::directory_file) {
        if (!isLeftOut(Path))
          if (llvm::Error E = copyFolder(Path, Target))
            return E;
      } else if (Entry->type() == fs::file_type::symlink_file) {
        llvm::SmallString<256> Linked;
        Code = fs::real_path(Path, Linked);
        if (!Code)
          Code = fs::create_link(Linked, Target);
      } else if (Entry->type() == fs::file_type::regular_file) {
        Code = fs::copy_file(Path, Target);
        if (llvm::ErrorOr<fs::perms> Mode = fs::getPermissions(Path); Mode)
          Code = fs::setPermissions(Target, *Mode);
      }
      if (Code)
        break;
    }
    if (Code)
      return llvm::createStringError(Code, "cannot copy the project from '" +
                                               From + "' to '" + To +
                                               "': " + Code.message());
    return llvm::Error::success();
  }

  llvm::Error write(llvm::StringRef Original, llvm::StringRef Text) {
    llvm::SmallString<256> Relative(Original);
    if (!path::replace_path_prefix(Relative, Spec.ProjectRoot, copy("variant")))
      return llvm::createStringError("'" + Original +
                                     "' lies outside of the project '" +
                                     Spec.ProjectRoot + "'");
    std::error_code Code;
    llvm::raw_fd_ostream Out(Relative, Code);
    if (!Code) {
      Out << Text;
      Out.close();
      Code = Out.error();
      Out.clear_error();
    }
    if (Code)
      return llvm::createStringError(Code, "cannot write '" + Relative.str() +
                                               "': " + Code.message());
    return llvm::Error::success();
  }

  /// Puts the variant's files in place, and the originals of the last one's.
  llvm::Error place(llvm::ArrayRef<SourceReplacement> Sources) {
    for (const std::string &Path : Changed) {
      auto Original = llvm::MemoryBuffer::getFile(Path);
      if (!Original)
        return llvm::createStringError(
            Original.getError(),
            "cannot read '" + Path + "': " + Original.getError().message());
      if (llvm::Error E = write(Path, (*Original)->getBuffer()))
        return E;
    }
    Changed.clear();
    for (const SourceReplacement &Source : Sources) {
      if (llvm::Error E = write(Source.OriginalPath, Source.Text))
        return E;
      Changed.push_back(Source.OriginalPath);
    }
    return llvm::Error::success();
  }

  BuildOutcome buildIn(llvm::StringRef Name) {
    Command Cmd;
    Cmd.Argv = {"/bin/sh", "-c", Spec.Command};
    Cmd.WorkingDirectory = copy(Name);
    Cmd.TimeLimit = Spec.TimeLimit;
    Cmd.StopFlag = StopFlag;
    return runBuild(Cmd, {"", copy(Name)});
  }

  BuildSpec Spec;
  std::string WorkFolder;
  const std::atomic<bool> *StopFlag;
  std::vector<std::string> Changed;
};

} // namespace

ProgramBuilder::~ProgramBuilder() = default;

llvm::Expected<std::unique_ptr<ProgramBuilder>>
cudal1::makeProgramBuilder(BuildSpec Spec, std::string WorkFolder,
                           unsigned Jobs, const std::atomic<bool> *StopFlag) {
  bool OfUnit = Spec.Command.empty() ||
                llvm::StringRef(Spec.Command).contains("{source}");
  if (OfUnit && Spec.Command.empty() && Spec.Compiler.empty())
    return llvm::createStringError("there is no compiler and no build command; "
                                   "install nvcc or give --build-cmd");
  if (!OfUnit && Spec.ProjectRoot.empty())
    return llvm::createStringError(
        "the build command '" + Spec.Command +
        "' names no {source}, and no project folder is known to copy");
  if (OfUnit)
    return std::make_unique<UnitBuilder>(std::move(Spec), std::move(WorkFolder),
                                         Jobs, StopFlag);
  return std::make_unique<ProjectBuilder>(std::move(Spec),
                                          std::move(WorkFolder), StopFlag);
}

std::vector<std::string>
cudal1::linkingFlags(llvm::ArrayRef<std::string> Flags) {
  std::vector<std::string> Result;
  for (size_t I = 0; I < Flags.size(); ++I) {
    llvm::StringRef Flag = Flags[I];
    if (Flag == "-c" || Flag == "--compile" || Flag == "-M" || Flag == "-MM" ||
        Flag == "-MD" || Flag == "-MMD" || Flag == "-MP" ||
        Flag == "--generate-dependencies-with-compile")
      continue;
    if (Flag == "-o" || Flag == "--output-file" || Flag == "-MF" ||
        Flag == "-MT" || Flag == "-MQ" || Flag == "--dependency-output" ||
        Flag == "--dependency-target-name") {
      ++I;
      continue;
    }
    if (Flag == "-dc" || Flag == "--device-c")
      Result.push_back("-rdc=true");
    else if (Flag != "-dw" && Flag != "--device-w")
      Result.push_back(Flag.str());
  }
  return Result;
}

std::string cudal1::firstErrorLine(llvm::StringRef Output) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Output.split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Line : Lines)
    if (Line.contains("error"))
      return Line.trim().str();
  return Lines.empty() ? "" : Lines.back().trim().str();
}
