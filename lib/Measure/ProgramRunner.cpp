//===- ProgramRunner.cpp - Run a program under the injection library ------===//

#include "cudal1/Measure/ProgramRunner.h"
#include "Cleanup.h"
#include "cudal1/Measure/Overlay.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

std::string quoted(llvm::StringRef Word) {
  Command One;
  One.Argv = {Word.str()};
  return One.toShell();
}

std::string withProgram(std::string Line, llvm::StringRef Executable) {
  constexpr llvm::StringRef Placeholder = "{program}";
  std::string Text = quoted(Executable);
  for (size_t At = 0; (At = Line.find(Placeholder, At)) != std::string::npos;
       At += Text.size())
    Line.replace(At, Placeholder.size(), Text);
  return Line;
}

llvm::Error makeFolder(llvm::StringRef Folder) {
  if (std::error_code Code = fs::create_directories(Folder))
    return llvm::createStringError(Code, "cannot make the folder '" + Folder +
                                             "': " + Code.message());
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::string>
ProgramRunner::makeRunFolder(const BuiltProgram &Program) {
  if (!Program.ProjectCopy.empty()) {
    for (const ResultFile &File : Run.OutputFiles)
      removeFile(Program.ProjectCopy + "/" + File.Path);
    return Program.ProjectCopy;
  }
  llvm::SmallString<256> Folder(Run.WorkingDirectory);
  if (Folder.empty())
    if (std::error_code Code = fs::current_path(Folder))
      return llvm::createStringError(
          Code, "the current folder cannot be found: " + Code.message());
  path::remove_dots(Folder, /*remove_dot_dot=*/true);
  Overlay Files(WorkFolder + "/run-" + std::to_string(Count));
  Files.addFolder(Folder);
  for (const ResultFile &File : Run.OutputFiles) {
    llvm::SmallString<256> Path(File.Path);
    path::make_absolute(Folder, Path);
    path::remove_dots(Path, /*remove_dot_dot=*/true);
    Files.leaveOut(Path);
  }
  if (llvm::Error E = Files.create())
    return std::move(E);
  return Files.map(Folder);
}

Command ProgramRunner::commandFor(
    const BuiltProgram &Program, std::string RunFolder,
    std::optional<std::chrono::milliseconds> TimeLimit) const {
  Command Cmd;
  if (Run.Command.empty()) {
    Cmd.Argv = {Program.Executable};
    Cmd.Argv.insert(Cmd.Argv.end(), Run.Arguments.begin(), Run.Arguments.end());
  } else {
    std::string Line = withProgram(Run.Command, Program.Executable);
    for (const std::string &Argument : Run.Arguments)
      Line += " " + quoted(Argument);
    Cmd.Argv = {"/bin/sh", "-c", Line};
  }
  Cmd.WorkingDirectory = std::move(RunFolder);
  Cmd.Environment = Run.Environment;
  Cmd.StdinFile = Run.StdinFile;
  Cmd.TimeLimit = TimeLimit;
  Cmd.StopFlag = StopFlag;
  return Cmd;
}

void ProgramRunner::inject(Command &Cmd, llvm::StringRef Mode) const {
  auto Set = [&](llvm::StringRef Name, llvm::StringRef Value) {
    Cmd.Environment.push_back((Name + "=" + Value).str());
  };
  Set("CUDA_INJECTION64_PATH", Injection.Library);
  Set(trace::ModeVariable, Mode);
  if (!Injection.Cupti.empty())
    Set(trace::CuptiVariable, Injection.Cupti);
}

llvm::Expected<ProcessResult>
ProgramRunner::runHeld(const BuiltProgram &Program, const std::string &Socket) {
  ++Count;
  llvm::Expected<std::string> RunFolder = makeRunFolder(Program);
  if (!RunFolder)
    return RunFolder.takeError();
  Command Cmd = commandFor(Program, *RunFolder, std::nullopt);
  inject(Cmd, "replay");
  Cmd.Environment.push_back(std::string(replay::SocketVariable) + "=" + Socket);
  llvm::Expected<ProcessResult> Result = runCommand(Cmd);
  removeFolder(WorkFolder + "/run-" + std::to_string(Count));
  return Result;
}

llvm::Expected<ProgramRun>
ProgramRunner::run(const BuiltProgram &Program, trace::Mode Mode,
                   std::chrono::milliseconds TimeLimit) {
  ++Count;
  llvm::Expected<std::string> RunFolder = makeRunFolder(Program);
  if (!RunFolder)
    return RunFolder.takeError();
  std::string TraceFolder = WorkFolder + "/traces-" + std::to_string(Count);
  if (llvm::Error E = makeFolder(TraceFolder))
    return std::move(E);
  llvm::scope_exit Cleanup([&] {
    removeFolder(TraceFolder);
    removeFolder(WorkFolder + "/run-" + std::to_string(Count));
  });
  Command Cmd = commandFor(Program, *RunFolder, TimeLimit);
  inject(Cmd, Mode == trace::Mode::Time ? "time" : "trace");
  Cmd.Environment.push_back(std::string(trace::DirectoryVariable) + "=" +
                            TraceFolder);

  ProgramRun Result;
  llvm::Expected<ProcessResult> Process = runCommand(Cmd);
  if (!Process)
    return Process.takeError();
  Result.Process = std::move(*Process);
  llvm::Expected<std::vector<Trace>> Traces = readTraces(TraceFolder);
  if (!Traces)
    return Traces.takeError();
  Result.Traces = std::move(*Traces);
  for (const ResultFile &File : Run.OutputFiles) {
    llvm::SmallString<256> Path(File.Path);
    path::make_absolute(*RunFolder, Path);
    if (auto Contents = llvm::MemoryBuffer::getFile(
            Path, /*IsText=*/false, /*RequiresNullTerminator=*/false))
      Result.Files[File.Path] = (*Contents)->getBuffer().str();
  }
  return std::move(Result);
}

llvm::Expected<ProcessResult>
ProgramRunner::runPlain(const BuiltProgram &Program,
                        const std::string &ShellCommand,
                        std::chrono::milliseconds TimeLimit) {
  ++Count;
  llvm::Expected<std::string> RunFolder = makeRunFolder(Program);
  if (!RunFolder)
    return RunFolder.takeError();
  Command Cmd = commandFor(Program, *RunFolder, TimeLimit);
  Cmd.Argv = {"/bin/sh", "-c", withProgram(ShellCommand, Program.Executable)};
  llvm::Expected<ProcessResult> Result = runCommand(Cmd);
  removeFolder(WorkFolder + "/run-" + std::to_string(Count));
  return Result;
}
