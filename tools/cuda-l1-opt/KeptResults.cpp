//===- KeptResults.cpp - Results from call to call ------------------------===//

#include "KeptResults.h"
#include "cudal1/Measure/ResultCache.h"
#include "cudal1/Support/Process.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace cudal1;
namespace fs = llvm::sys::fs;

/// Of larger files only size and time are looked at: reading them would take
/// longer than the program itself.
static constexpr uint64_t MostHashedBytes = uint64_t(256) << 20;

static llvm::Expected<std::unique_ptr<ResultCache>> openCache() {
  std::string Folder = ResultCache::defaultFolder();
  if (Folder.empty())
    return llvm::createStringError("there is no folder for results: set "
                                   "CUDA_L1_CACHE_DIR, XDG_CACHE_HOME or HOME");
  return ResultCache::open(Folder);
}

static std::string dateOf(int64_t Seconds) {
  llvm::sys::TimePoint<> Time{std::chrono::seconds(Seconds)};
  return llvm::formatv("{0:%Y-%m-%d %H:%M}", Time).str();
}

static void print(const CacheSummary &Summary, llvm::raw_ostream &OS) {
  OS << "results kept in " << Summary.File << '\n'
     << "  entries  " << Summary.Entries << '\n'
     << "  size     " << (Summary.Bytes + 1023) / 1024 << " kB\n";
  if (!Summary.Entries)
    return;
  OS << "  oldest   " << dateOf(Summary.Oldest) << '\n'
     << "  newest   " << dateOf(Summary.Newest) << '\n';
  for (const auto &[Verdict, Count] : Summary.ByVerdict)
    OS << llvm::formatv("  {0,-13}  {1}\n", Verdict, Count);
}

llvm::Error cudal1::serveCacheTask(Task What, Console &Out) {
  llvm::Expected<std::unique_ptr<ResultCache>> Cache = openCache();
  if (!Cache)
    return Cache.takeError();
  for (const std::string &Note : (*Cache)->notes())
    Out.note(Note);
  llvm::Expected<CacheSummary> Summary = (*Cache)->summary();
  if (!Summary)
    return Summary.takeError();
  if (What == Task::CacheInfo) {
    print(*Summary, Out.results());
    return llvm::Error::success();
  }
  if (llvm::Error E = (*Cache)->clear())
    return E;
  Out.results() << Summary->Entries << " results forgotten in " << Summary->File
                << '\n';
  return llvm::Error::success();
}

/// A file that the program may read.
static void addDataFile(ResultKey &Key, const llvm::Twine &Name) {
  fs::file_status Status;
  if (fs::status(Name, Status) || Status.type() != fs::file_type::regular_file)
    return;
  llvm::SmallString<128> Path;
  Name.toVector(Path);
  if (Status.getSize() <= MostHashedBytes)
    Key.addFile("data", Path);
  else
    Key.add("large data",
            llvm::formatv(
                "{0} {1} {2}", Path, Status.getSize(),
                Status.getLastModificationTime().time_since_epoch().count())
                .str());
}

static void addWords(ResultKey &Key, llvm::StringRef What,
                     llvm::ArrayRef<std::string> Words) {
  Key.add(What, std::to_string(Words.size()));
  for (const std::string &Word : Words)
    Key.add(What, Word);
}

/// The GPU and the toolkit's and driver's exact versions.
static void addMachine(ResultKey &Key, const Setup &S) {
  if (S.Toolkit && !S.Toolkit->NvccPath.empty()) {
    Command Version;
    Version.Argv = {S.Toolkit->NvccPath, "--version"};
    if (llvm::Expected<ProcessResult> Result = runCommand(Version))
      Key.add("nvcc", Result->Stdout);
    else
      llvm::consumeError(Result.takeError());
  }
  if (S.Gpu)
    Key.add("gpu", S.Gpu->Name)
        .add("gpu", std::to_string(S.Gpu->MultiprocessorCount))
        .add("gpu", std::to_string(S.Gpu->MemoryBytes))
        .add("arch", S.Gpu->arch())
        .add("driver", std::to_string(S.Gpu->DriverVersion));
  auto Driver =
      llvm::MemoryBuffer::getFileAsStream("/proc/driver/nvidia/version");
  Key.add("driver", Driver ? (*Driver)->getBuffer() : "");
  for (const char *Name : {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"}) {
    const char *Value = std::getenv(Name);
    Key.add(Name, Value ? Value : "");
  }
}

/// All that the project's own files of this unit say.
static void addSources(ResultKey &Key, const CompileUnit &Unit,
                       const Program &P) {
  Key.add("file", Unit.File).add("directory", Unit.Directory);
  addWords(Key, "flags", Unit.Flags.NvccArgs);
  addWords(Key, "inputs", Unit.Flags.Inputs);
  for (Side S : {Side::Device, Side::Host}) {
    if (!P.hasSide(S))
      continue;
    for (clang::FileID Id : P.editableFiles(S)) {
      std::string Path = P.pathOf(S, Id);
      Key.add("path", Path).add("text", P.textOf(Path));
    }
  }
}

static void addRun(ResultKey &Key, const CommandLine &Line,
                   const Settings &Chosen) {
  llvm::SmallString<128> Here;
  if (!fs::current_path(Here))
    Key.add("run in", Here);
  addWords(Key, "arguments", Chosen.RunArgs);
  addWords(Key, "environment", Chosen.Environment);
  addWords(Key, "outputs", Chosen.OutputFiles);
  Key.add("build", Chosen.BuildCommand).add("run", Chosen.RunCommand);
  Key.add("test", Chosen.TestCommand).add("stdin", Chosen.StdinFile);
  addDataFile(Key, Chosen.StdinFile);
  for (const std::string &Argument : Chosen.RunArgs)
    addDataFile(Key, Argument);
  for (llvm::StringRef Word : llvm::split(Chosen.RunCommand, ' '))
    addDataFile(Key, Word);
  auto Number = [](const auto &Value) {
    return Value ? llvm::formatv("{0}", *Value).str() : std::string();
  };
  Key.add("tolerance", Number(Chosen.Tolerance));
  Key.add("time limit", Number(Line.TimeLimitSeconds));
  Key.add("launch", Number(Line.Launch));
  addWords(Key, "gpus", Line.Gpus);
}

std::unique_ptr<MeasureEngine>
cudal1::keepResults(std::unique_ptr<MeasureEngine> Engine, const Setup &S,
                    const Settings &Chosen, const CompileUnit &Unit,
                    const Program &P) {
  if (!Chosen.KeepResults)
    return Engine;
  llvm::Expected<std::unique_ptr<ResultCache>> Cache = openCache();
  if (!Cache) {
    S.Out.note("results are not kept for later calls: " +
               llvm::toString(Cache.takeError()));
    return Engine;
  }
  ResultKey Key;
  Key.add("format", std::to_string(ResultCache::FormatVersion));
  addMachine(Key, S);
  addSources(Key, Unit, P);
  addRun(Key, S.Line, Chosen);
  return makeCachedEngine(std::move(Engine), std::move(*Cache), Key.text(),
                          &S.Stop);
}
