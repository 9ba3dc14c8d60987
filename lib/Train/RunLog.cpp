//===- RunLog.cpp - All runs' figures in one SQLite file ------------------===//

#include "cudal1/Train/Curves.h"
#include "cudal1/Train/TrainError.h"
#include <sqlite3.h>

using namespace cudal1;

/// How long another trainer's write is waited for.
static constexpr int BusyMilliseconds = 10000;

struct RunLog::Database {
  sqlite3 *Handle = nullptr;
  std::string Path;

  [[noreturn]] void fail() const {
    throw TrainError("the run log '" + Path +
                     "' cannot be used: " + sqlite3_errmsg(Handle));
  }
};

namespace {

/// A statement with its values bound in order.
class Statement {
public:
  Statement(sqlite3 *Handle, const char *Sql) {
    sqlite3_prepare_v2(Handle, Sql, -1, &S, nullptr);
  }
  ~Statement() { sqlite3_finalize(S); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(const std::string &Text) {
    sqlite3_bind_text(S, ++Bound, Text.c_str(), -1, SQLITE_TRANSIENT);
    return *this;
  }
  Statement &bind(double Value) {
    sqlite3_bind_double(S, ++Bound, Value);
    return *this;
  }
  Statement &bind(long long Value) {
    sqlite3_bind_int64(S, ++Bound, Value);
    return *this;
  }
  int step() { return S ? sqlite3_step(S) : SQLITE_ERROR; }
  long long integer() { return sqlite3_column_int64(S, 0); }

private:
  sqlite3_stmt *S = nullptr;
  int Bound = 0;
};

} // namespace

RunLog::RunLog(const std::filesystem::path &Path, const std::string &Name,
               const std::string &Settings)
    : Open(new Database) {
  Open->Path = Path.string();
  if (Path.has_parent_path())
    std::filesystem::create_directories(Path.parent_path());
  if (sqlite3_open(Path.c_str(), &Open->Handle) != SQLITE_OK)
    Open->fail();
  sqlite3_busy_timeout(Open->Handle, BusyMilliseconds);
  execute("CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY, name TEXT "
          "UNIQUE, begun TEXT DEFAULT CURRENT_TIMESTAMP, settings TEXT)");
  execute("CREATE TABLE IF NOT EXISTS figures(run INTEGER, name TEXT, "
          "iteration REAL, value REAL, PRIMARY KEY(run, name, iteration))");
  Statement Enter(Open->Handle, "INSERT INTO runs(name, settings) VALUES(?, ?) "
                                "ON CONFLICT(name) DO UPDATE SET "
                                "settings = excluded.settings");
  if (Enter.bind(Name).bind(Settings).step() != SQLITE_DONE)
    Open->fail();
  Statement Find(Open->Handle, "SELECT id FROM runs WHERE name = ?");
  if (Find.bind(Name).step() != SQLITE_ROW)
    Open->fail();
  Run = Find.integer();
}

RunLog::~RunLog() {
  sqlite3_close(Open->Handle);
  delete Open;
}

void RunLog::execute(const std::string &Sql) {
  if (sqlite3_exec(Open->Handle, Sql.c_str(), nullptr, nullptr, nullptr) !=
      SQLITE_OK)
    Open->fail();
}

void RunLog::restore(const RunCurves &Curves) {
  execute("BEGIN");
  execute("DELETE FROM figures WHERE run = " + std::to_string(Run));
  for (const auto &[Name, Points] : Curves)
    for (auto [Iteration, Value] : Points)
      add(Name, Iteration, Value);
  execute("COMMIT");
}

void RunLog::add(const std::string &Name, double Iteration, double Value) {
  Statement S(Open->Handle,
              "INSERT OR REPLACE INTO figures VALUES(?, ?, ?, ?)");
  if (S.bind(Run).bind(Name).bind(Iteration).bind(Value).step() != SQLITE_DONE)
    Open->fail();
}
