//===- ResultCache.cpp - Measurements kept from call to call --------------===//

#include "cudal1/Measure/ResultCache.h"
#include "Cleanup.h"
#include "SqliteStatement.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace cudal1;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Tells our databases from others ("CL1R").
static constexpr int ApplicationId = 0x434c3152;
/// How long one process waits for another that writes.
static constexpr int BusyMilliseconds = 10000;
static constexpr llvm::StringLiteral DatabaseName = "results.sqlite3",
                                     LockName = "results.lock",
                                     AsidePrefix = "set-aside-";

ResultKey &ResultKey::add(llvm::StringRef What, llvm::StringRef Value) {
  for (llvm::StringRef Part : {What, Value}) {
    // With its size, so that no two lists of parts read the same.
    Hash.update(std::to_string(Part.size()) + ":");
    Hash.update(Part);
  }
  return *this;
}

ResultKey &ResultKey::addFile(llvm::StringRef What, llvm::StringRef Path) {
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  return add(What, File ? (*File)->getBuffer() : llvm::StringRef());
}

std::string ResultKey::text() const {
  llvm::SHA256 Copy = Hash;
  return llvm::toHex(Copy.final(), /*LowerCase=*/true);
}

std::string ResultCache::defaultFolder() {
  auto In = [](const char *Variable, llvm::ArrayRef<llvm::StringRef> Parts) {
    const char *Value = std::getenv(Variable);
    if (!Value || !*Value)
      return std::string();
    llvm::SmallString<128> Folder(Value);
    for (llvm::StringRef Part : Parts)
      path::append(Folder, Part);
    return Folder.str().str();
  };
  if (std::string Own = In("CUDA_L1_CACHE_DIR", {}); !Own.empty())
    return Own;
  if (std::string Users = In("XDG_CACHE_HOME", {"cuda-l1"}); !Users.empty())
    return Users;
  return In("HOME", {".cache", "cuda-l1"});
}

std::string ResultCache::file() const {
  llvm::SmallString<128> Path(Folder);
  path::append(Path, DatabaseName);
  return Path.str().str();
}

ResultCache::~ResultCache() { close(); }

void ResultCache::close() {
  sqlite3_close(Database);
  Database = nullptr;
}

llvm::Error ResultCache::failure(llvm::StringRef What) const {
  return llvm::createStringError(
      "cannot " + What + " the kept results in '" + file() +
      "': " + (Database ? sqlite3_errmsg(Database) : "out of memory") +
      "; --no-cache works without them");
}

llvm::Error ResultCache::execute(const char *Statement) {
  if (sqlite3_exec(Database, Statement, nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure("use");
  return llvm::Error::success();
}

llvm::Error ResultCache::openDatabase() {
  close();
  if (sqlite3_open_v2(file().c_str(), &Database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                          SQLITE_OPEN_FULLMUTEX,
                      nullptr) != SQLITE_OK)
    return failure("open");
  sqlite3_busy_timeout(Database, BusyMilliseconds);
  return llvm::Error::success();
}

/// Why the open database cannot be used; empty if it can, or if it is new.
std::string ResultCache::problemOfDatabase() {
  auto Number = [&](llvm::StringRef Query) -> std::optional<int64_t> {
    SqliteStatement S(Database, Query);
    if (!S.step())
      return std::nullopt;
    return S.number(0);
  };
  std::string Damaged = "is damaged";
  SqliteStatement Check(Database, "PRAGMA quick_check(1)");
  if (!Check.step())
    return Damaged + " (" + sqlite3_errmsg(Database) + ")";
  if (Check.text(0) != "ok")
    return Damaged;
  std::optional<int64_t> Tables = Number("SELECT count(*) FROM sqlite_master");
  std::optional<int64_t> Id = Number("PRAGMA application_id");
  std::optional<int64_t> Version = Number("PRAGMA user_version");
  if (!Tables || !Id || !Version)
    return Damaged + " (" + sqlite3_errmsg(Database) + ")";
  if (*Tables == 0 && *Id == 0 && *Version == 0)
    return "";
  if (*Id != ApplicationId)
    return "is not of cuda-l1-opt";
  if (*Version != FormatVersion)
    return llvm::formatv("is of version {0}, this program's is {1}", *Version,
                         FormatVersion);
  return "";
}

/// Moves the database out of the way, never to be read again.
llvm::Error ResultCache::setAside(llvm::StringRef Why) {
  close();
  llvm::SmallString<128> Path;
  for (unsigned I = 1; Path.empty() || fs::exists(Path); ++I) {
    Path = Folder;
    path::append(Path, AsidePrefix + std::to_string(I) + ".sqlite3");
  }
  if (std::error_code Code = fs::rename(file(), Path))
    return llvm::createStringError(Code, "cannot set aside the kept results '" +
                                             file() + "', which " + Why + ": " +
                                             Code.message());
  // The next one would take its log for its own.
  if (fs::rename(file() + "-wal", Path + "-wal"))
    removeFile(file() + "-wal");
  removeFile(file() + "-shm");
  Notes.push_back(("the kept results '" + file() + "': the file " + Why +
                   "; it was set aside as '" + Path + "' and a new one begun")
                      .str());
  return llvm::Error::success();
}

llvm::Error ResultCache::createTables() {
  if (llvm::Error E = execute("PRAGMA journal_mode = WAL;"
                              "PRAGMA synchronous = NORMAL"))
    return E;
  if (SqliteStatement Version(Database, "PRAGMA user_version");
      Version.step() && Version.number(0) == FormatVersion)
    return llvm::Error::success();
  std::string Create = llvm::formatv(
      "BEGIN IMMEDIATE;"
      "CREATE TABLE IF NOT EXISTS results ("
      "  key TEXT PRIMARY KEY, verdict TEXT NOT NULL, time INTEGER NOT NULL,"
      "  measurement TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE INDEX IF NOT EXISTS results_by_time ON results (time);"
      "PRAGMA application_id = {0};"
      "PRAGMA user_version = {1};"
      "COMMIT",
      ApplicationId, FormatVersion);
  return execute(Create.c_str());
}

llvm::Error ResultCache::forgetOldest() {
  SqliteStatement S(Database,
                    "DELETE FROM results WHERE key IN (SELECT key FROM results "
                    "ORDER BY time DESC LIMIT -1 OFFSET ?)");
  S.bind(1, int64_t(MostResults)).step();
  return S.done() ? llvm::Error::success() : failure("use");
}

llvm::Expected<std::unique_ptr<ResultCache>>
ResultCache::open(llvm::StringRef Folder, Clock Now) {
  if (!Now)
    Now = [] {
      return std::chrono::duration_cast<std::chrono::seconds>(
                 std::chrono::system_clock::now().time_since_epoch())
          .count();
    };
  if (std::error_code Code = fs::create_directories(Folder))
    return llvm::createStringError(Code,
                                   "cannot make the folder '" + Folder +
                                       "' for results: " + Code.message());
  std::unique_ptr<ResultCache> Cache(
      new ResultCache(Folder.str(), std::move(Now)));
  // One at a time decides whether the database is to be set aside.
  llvm::SmallString<128> LockFile(Folder);
  path::append(LockFile, LockName);
  int Lock = ::open(LockFile.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  llvm::scope_exit Unlock([&] {
    if (Lock >= 0)
      ::close(Lock);
  });
  while (Lock >= 0 && ::flock(Lock, LOCK_EX) != 0 && errno == EINTR)
    ;
  if (llvm::Error E = Cache->openDatabase())
    return std::move(E);
  std::string Problem = Cache->problemOfDatabase();
  if (!Problem.empty()) {
    if (llvm::Error E = Cache->setAside(Problem))
      return std::move(E);
    if (llvm::Error E = Cache->openDatabase())
      return std::move(E);
  }
  if (llvm::Error E = Cache->createTables())
    return std::move(E);
  if (llvm::Error E = Cache->forgetOldest())
    return std::move(E);
  return std::move(Cache);
}

std::optional<KeptResult> ResultCache::find(llvm::StringRef Key) {
  SqliteStatement S(Database,
                    "SELECT measurement, time FROM results WHERE key = ?");
  if (!S.bind(1, Key).step())
    return std::nullopt;
  llvm::Expected<llvm::json::Value> Parsed = llvm::json::parse(S.text(0));
  if (!Parsed) {
    llvm::consumeError(Parsed.takeError());
    return std::nullopt;
  }
  KeptResult Kept;
  Kept.Time = S.number(1);
  llvm::json::Path::Root Root("measurement");
  if (!fromJSON(*Parsed, Kept.Result, Root))
    return std::nullopt;
  return Kept;
}

llvm::Error ResultCache::store(llvm::StringRef Key, const Measurement &M) {
  std::string Text = llvm::formatv("{0}", toJSON(M)).str();
  SqliteStatement S(Database,
                    "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)");
  S.bind(1, Key).bind(2, toString(M.Outcome)).bind(3, Now()).bind(4, Text);
  S.step();
  return S.done() ? llvm::Error::success() : failure("add to");
}

llvm::Expected<CacheSummary> ResultCache::summary() {
  CacheSummary Result;
  Result.File = file();
  SqliteStatement S(Database, "SELECT verdict, count(*), min(time), max(time) "
                              "FROM results GROUP BY verdict");
  while (S.step()) {
    Result.ByVerdict[S.text(0).str()] = S.number(1);
    Result.Entries += S.number(1);
    Result.Oldest =
        Result.Oldest ? std::min(Result.Oldest, S.number(2)) : S.number(2);
    Result.Newest = std::max(Result.Newest, S.number(3));
  }
  if (!S.done())
    return failure("read");
  for (llvm::StringRef Suffix : {"", "-wal"}) {
    uint64_t Bytes = 0;
    if (!fs::file_size(file() + Suffix, Bytes))
      Result.Bytes += Bytes;
  }
  return Result;
}

llvm::Error ResultCache::clear() {
  if (llvm::Error E = execute("DELETE FROM results; VACUUM;"
                              "PRAGMA wal_checkpoint(TRUNCATE)"))
    return E;
  std::error_code Code;
  for (fs::directory_iterator Entry(Folder, Code), End; Entry != End && !Code;
       Entry.increment(Code))
    if (path::filename(Entry->path()).starts_with(AsidePrefix))
      removeFile(Entry->path());
  return llvm::Error::success();
}
