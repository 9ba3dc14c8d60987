//===- ResultCache.h - Measurements kept from call to call ------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_RESULTCACHE_H
#define CUDAL1_MEASURE_RESULTCACHE_H

#include "cudal1/Measure/Engine.h"
#include "llvm/Support/SHA256.h"
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace cudal1 {

/// Gathers all that a result depends on. Order counts.
class ResultKey {
public:
  ResultKey &add(llvm::StringRef What, llvm::StringRef Value);
  /// The file's contents; one that cannot be read is like none.
  ResultKey &addFile(llvm::StringRef What, llvm::StringRef Path);
  /// What was gathered, as 64 digits.
  std::string text() const;

private:
  llvm::SHA256 Hash;
};

/// What a cache holds.
struct CacheSummary {
  std::string File;
  uint64_t Entries = 0;
  uint64_t Bytes = 0; ///< on disk
  /// When results were kept, in seconds since 1970; 0 if there are none.
  int64_t Oldest = 0, Newest = 0;
  std::map<std::string, uint64_t> ByVerdict;
};

/// A measurement that was kept.
struct KeptResult {
  Measurement Result;
  int64_t Time = 0; ///< when, in seconds since 1970
};

/// Measurements by key, in a SQLite database. Several processes may use one at
/// once; one that is killed while it writes loses no more than what it wrote.
class ResultCache {
public:
  /// Raised when a kept result can no longer be taken for a measured one: the
  /// layout of the database, or how engines come to their verdicts, changed.
  static constexpr int FormatVersion = 3;
  /// Results beyond these are forgotten, the oldest first (about 100 MB).
  static constexpr unsigned MostResults = 50000;

  /// Seconds since 1970.
  using Clock = std::function<int64_t()>;

  /// Opens the cache in \p Folder, which is made if need be. A database that is
  /// damaged, or of another version, is set aside and a new one begun; notes()
  /// tells. An Error if that cannot be done.
  static llvm::Expected<std::unique_ptr<ResultCache>>
  open(llvm::StringRef Folder, Clock Now = nullptr);
  ~ResultCache();
  ResultCache(const ResultCache &) = delete;
  ResultCache &operator=(const ResultCache &) = delete;

  /// $CUDA_L1_CACHE_DIR, else cuda-l1 in $XDG_CACHE_HOME, else in ~/.cache.
  /// Empty if none of them is set.
  static std::string defaultFolder();

  /// What the user should know of how it was opened, one sentence each.
  const std::vector<std::string> &notes() const { return Notes; }

  /// Nothing as well where the database fails.
  std::optional<KeptResult> find(llvm::StringRef Key);
  /// Keeps a result, in the place of one with the same key.
  llvm::Error store(llvm::StringRef Key, const Measurement &M);
  llvm::Expected<CacheSummary> summary();
  /// Forgets all results, and removes what was set aside.
  llvm::Error clear();

private:
  ResultCache(std::string Folder, Clock Now)
      : Folder(std::move(Folder)), Now(std::move(Now)) {}
  std::string file() const;
  llvm::Error openDatabase();
  std::string problemOfDatabase();
  llvm::Error setAside(llvm::StringRef Why);
  llvm::Error createTables();
  llvm::Error forgetOldest();
  void close();
  llvm::Error failure(llvm::StringRef What) const;
  llvm::Error execute(const char *Statement);

  std::string Folder;
  Clock Now;
  sqlite3 *Database = nullptr;
  std::vector<std::string> Notes;
};

/// \p Inner, whose results are kept in \p Cache and taken from it. The key is
/// \p KeyPrefix, the program's digest, the engine and the candidate; a program
/// without a digest is measured each time. What was interrupted is not kept,
/// nor is anything once \p StopFlag is true; confirm() always measures.
std::unique_ptr<MeasureEngine>
makeCachedEngine(std::unique_ptr<MeasureEngine> Inner,
                 std::unique_ptr<ResultCache> Cache, std::string KeyPrefix,
                 const std::atomic<bool> *StopFlag = nullptr);

} // namespace cudal1

#endif // CUDAL1_MEASURE_RESULTCACHE_H
