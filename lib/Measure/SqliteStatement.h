//===- SqliteStatement.h - One prepared statement ---------------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_SQLITESTATEMENT_H
#define CUDAL1_LIB_MEASURE_SQLITESTATEMENT_H

#include "llvm/ADT/StringRef.h"
#include <sqlite3.h>
#include <string>

namespace cudal1 {

/// Prepares, binds, steps and finalizes. What fails shows as no row, and in
/// code().
class SqliteStatement {
public:
  SqliteStatement(sqlite3 *Database, llvm::StringRef Text) {
    Code =
        sqlite3_prepare_v2(Database, Text.data(), static_cast<int>(Text.size()),
                           &Statement, nullptr);
  }
  SqliteStatement(const SqliteStatement &) = delete;
  SqliteStatement &operator=(const SqliteStatement &) = delete;
  ~SqliteStatement() { sqlite3_finalize(Statement); }

  /// Parameters are counted from 1. The text must live until the last step.
  SqliteStatement &bind(int Index, llvm::StringRef Text) {
    return check(sqlite3_bind_text64(Statement, Index, Text.data(), Text.size(),
                                     SQLITE_STATIC, SQLITE_UTF8));
  }
  SqliteStatement &bind(int Index, int64_t Number) {
    return check(sqlite3_bind_int64(Statement, Index, Number));
  }

  /// True if there is a row.
  bool step() {
    if (Code != SQLITE_OK && Code != SQLITE_ROW)
      return false;
    Code = sqlite3_step(Statement);
    return Code == SQLITE_ROW;
  }

  /// Columns are counted from 0; valid until the next step.
  llvm::StringRef text(int Column) const {
    const auto *Bytes =
        reinterpret_cast<const char *>(sqlite3_column_text(Statement, Column));
    size_t Size = sqlite3_column_bytes(Statement, Column);
    return Bytes ? llvm::StringRef(Bytes, Size) : llvm::StringRef();
  }
  int64_t number(int Column) const {
    return sqlite3_column_int64(Statement, Column);
  }

  /// The last result code of SQLite.
  int code() const { return Code; }
  /// All rows were stepped through without a failure.
  bool done() const { return Code == SQLITE_DONE; }

private:
  SqliteStatement &check(int New) {
    if (Code == SQLITE_OK)
      Code = New;
    return *this;
  }

  sqlite3_stmt *Statement = nullptr;
  int Code = SQLITE_OK;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_SQLITESTATEMENT_H
