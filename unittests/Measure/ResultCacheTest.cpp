//===- ResultCacheTest.cpp - Measurements kept from call to call ----------===//

#include "cudal1/Measure/ResultCache.h"
#include "TestFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cstdlib>
#include <sqlite3.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cudal1;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace {

Measurement result(Verdict V, std::string Sentence = "a sentence") {
  Measurement M;
  M.Outcome = V;
  M.Engine = "program";
  M.Evidence = {std::move(Sentence)};
  return M;
}

/// Noon of 2026-11-30 in the middle of all time zones.
constexpr int64_t ADay = 1796040000;

class ResultCacheTest : public testing::Test {
protected:
  std::unique_ptr<ResultCache> open() {
    auto Cache = ResultCache::open(Folder / "cache", [this] { return Now; });
    if (!Cache) {
      ADD_FAILURE() << llvm::toString(Cache.takeError());
      return nullptr;
    }
    return std::move(*Cache);
  }

  void store(ResultCache &Cache, llvm::StringRef Key, const Measurement &M) {
    if (llvm::Error E = Cache.store(Key, M))
      ADD_FAILURE() << llvm::toString(std::move(E));
  }

  CacheSummary summary() {
    llvm::Expected<CacheSummary> S = open()->summary();
    if (!S) {
      ADD_FAILURE() << llvm::toString(S.takeError());
      return {};
    }
    return *S;
  }

  /// Runs SQL on the database as any program could.
  void execute(const char *Statement) {
    sqlite3 *Database = nullptr;
    ASSERT_EQ(sqlite3_open(File.c_str(), &Database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(Database, Statement, nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(Database);
    sqlite3_close(Database);
  }

  TestFolder Folder;
  const std::string File = Folder / "cache/results.sqlite3";
  int64_t Now = ADay;
};

TEST_F(ResultCacheTest, WhatWasStoredIsFoundLater) {
  store(*open(), "key", result(Verdict::WrongResult));
  auto Cache = open();
  EXPECT_THAT(Cache->notes(), IsEmpty());
  std::optional<KeptResult> Kept = Cache->find("key");
  ASSERT_TRUE(Kept);
  EXPECT_EQ(Kept->Result.Outcome, Verdict::WrongResult);
  EXPECT_THAT(Kept->Result.Evidence, ElementsAre("a sentence"));
  EXPECT_EQ(Kept->Time, ADay);
  EXPECT_FALSE(Cache->find("another"));
  EXPECT_FALSE(Cache->find(""));
}

TEST_F(ResultCacheTest, ANewResultTakesThePlaceOfTheOld) {
  auto Cache = open();
  store(*Cache, "key", result(Verdict::Faster));
  Now += 10;
  store(*Cache, "key", result(Verdict::Same));
  EXPECT_EQ(Cache->find("key")->Result.Outcome, Verdict::Same);
  EXPECT_EQ(Cache->find("key")->Time, ADay + 10);
}

TEST_F(ResultCacheTest, SummaryCountsByVerdict) {
  EXPECT_EQ(summary().Entries, 0u);
  EXPECT_EQ(summary().Oldest, 0);
  auto Cache = open();
  store(*Cache, "a", result(Verdict::Faster));
  Now += 100;
  store(*Cache, "b", result(Verdict::Faster));
  store(*Cache, "c", result(Verdict::CompileError));
  CacheSummary S = summary();
  EXPECT_EQ(S.Entries, 3u);
  EXPECT_EQ(S.Oldest, ADay);
  EXPECT_EQ(S.Newest, ADay + 100);
  EXPECT_THAT(S.ByVerdict, UnorderedElementsAre(Pair("faster", 2u),
                                                Pair("compile-error", 1u)));
  EXPECT_GT(S.Bytes, 0u);
  EXPECT_EQ(S.File, File);
}

TEST_F(ResultCacheTest, ClearForgetsAllAndRemovesWhatWasSetAside) {
  store(*open(), "key", result(Verdict::Faster));
  Folder.write("cache/results.sqlite3", "no database at all");
  auto Cache = open();
  store(*Cache, "key", result(Verdict::Faster));
  ASSERT_TRUE(llvm::sys::fs::exists(Folder / "cache/set-aside-1.sqlite3"));
  EXPECT_FALSE(bool(Cache->clear()));
  EXPECT_FALSE(Cache->find("key"));
  EXPECT_EQ(summary().Entries, 0u);
  EXPECT_FALSE(llvm::sys::fs::exists(Folder / "cache/set-aside-1.sqlite3"));
}

TEST_F(ResultCacheTest, AnotherVersionIsSetAsideAndNeverRead) {
  std::string Next = std::to_string(ResultCache::FormatVersion + 1);
  for (const std::string &Version :
       {"PRAGMA user_version = " + Next, std::string("PRAGMA user_version = 0"),
        std::string("PRAGMA application_id = 7")}) {
    store(*open(), "key", result(Verdict::Faster));
    execute(Version.c_str());
    auto Cache = open();
    EXPECT_THAT(Cache->notes(), ElementsAre(HasSubstr("it was set aside as")));
    EXPECT_FALSE(Cache->find("key"));
    store(*Cache, "key", result(Verdict::Faster));
    Cache.reset();
    EXPECT_THAT(open()->notes(), IsEmpty());
  }
  EXPECT_TRUE(llvm::sys::fs::exists(Folder / "cache/set-aside-3.sqlite3"));
}

TEST_F(ResultCacheTest, ADamagedFileIsSetAside) {
  auto Cache = open();
  for (int I = 0; I < 200; ++I)
    store(*Cache, std::to_string(I), result(Verdict::Faster));
  Cache.reset();
  std::string Good = Folder.read("cache/results.sqlite3");
  ASSERT_GT(Good.size(), 8192u);
  std::string Overwritten = Good;
  Overwritten.replace(4096, 4096, std::string(4096, '\xaa'));
  for (const std::string &Bad :
       {std::string("#!/bin/sh\n"), std::string(8192, '\0') + "x",
        Good.substr(0, Good.size() / 2), Overwritten}) {
    Folder.write("cache/results.sqlite3", Bad);
    auto Fresh = open();
    ASSERT_TRUE(Fresh);
    EXPECT_THAT(Fresh->notes(), ElementsAre(HasSubstr("it was set aside as")));
    store(*Fresh, "key", result(Verdict::Faster));
    EXPECT_TRUE(Fresh->find("key"));
  }
}

TEST_F(ResultCacheTest, AResultThatCannotBeReadIsNone) {
  store(*open(), "key", result(Verdict::Faster));
  for (const char *Text : {"'{}'", "'no json'", "''"}) {
    execute(("UPDATE results SET measurement = " + std::string(Text)).c_str());
    EXPECT_FALSE(open()->find("key"));
  }
}

TEST_F(ResultCacheTest, ACacheThatCannotBeMadeIsAnError) {
  Folder.write("file", "");
  auto Cache = ResultCache::open(Folder / "file/cache");
  ASSERT_FALSE(bool(Cache));
  EXPECT_THAT(llvm::toString(Cache.takeError()),
              HasSubstr("cannot make the folder"));
}

TEST_F(ResultCacheTest, SeveralProcessesWriteAtOnce) {
  constexpr int Processes = 8, Results = 50;
  std::vector<pid_t> Children;
  for (int P = 0; P < Processes; ++P) {
    pid_t Child = fork();
    if (Child == 0) {
      auto Cache = ResultCache::open(Folder / "cache");
      bool Good = bool(Cache);
      for (int I = 0; Good && I < Results; ++I) {
        std::string Key = std::to_string(P) + "." + std::to_string(I);
        Good = !(*Cache)->store(Key, result(Verdict::Faster, Key)) &&
               !(*Cache)->store("shared", result(Verdict::Same)) &&
               (*Cache)->find(Key);
      }
      _exit(Good ? 0 : 1);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children) {
    int Status = -1;
    waitpid(Child, &Status, 0);
    EXPECT_EQ(Status, 0);
  }
  auto Cache = open();
  EXPECT_THAT(Cache->notes(), IsEmpty());
  EXPECT_EQ(summary().Entries, uint64_t(Processes * Results + 1));
  EXPECT_THAT(Cache->find("3.7")->Result.Evidence, ElementsAre("3.7"));
}

TEST_F(ResultCacheTest, SeveralProcessesMeetADamagedFile) {
  Folder.write("cache/results.sqlite3", "no database at all");
  std::vector<pid_t> Children;
  for (int P = 0; P < 8; ++P) {
    pid_t Child = fork();
    if (Child == 0) {
      auto Cache = ResultCache::open(Folder / "cache");
      bool Good =
          Cache && !(*Cache)->store(std::to_string(P), result(Verdict::Faster));
      _exit(Good ? 0 : 1);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children) {
    int Status = -1;
    waitpid(Child, &Status, 0);
    EXPECT_EQ(Status, 0);
  }
  EXPECT_EQ(summary().Entries, 8u);
  EXPECT_FALSE(llvm::sys::fs::exists(Folder / "cache/set-aside-2.sqlite3"));
}

TEST_F(ResultCacheTest, AWriterThatIsKilledDoesNoHarm) {
  store(*open(), "before", result(Verdict::Faster));
  for (int Round = 0; Round < 5; ++Round) {
    pid_t Child = fork();
    if (Child == 0) {
      auto Cache = ResultCache::open(Folder / "cache");
      std::string Long(100000, 'x');
      for (int I = 0; Cache; ++I)
        llvm::consumeError((*Cache)->store(std::to_string(Round) + "." +
                                               std::to_string(I % 10),
                                           result(Verdict::Faster, Long)));
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(30 + 17 * Round));
    kill(Child, SIGKILL);
    int Status = 0;
    waitpid(Child, &Status, 0);
    EXPECT_TRUE(WIFSIGNALED(Status));
    auto Cache = open();
    EXPECT_THAT(Cache->notes(), IsEmpty());
    EXPECT_TRUE(Cache->find("before"));
    store(*Cache, "after", result(Verdict::Same));
    EXPECT_TRUE(Cache->find("after"));
  }
}

TEST(ResultKeyTest, EveryPartCounts) {
  TestFolder Folder;
  std::string File = Folder.write("file", "contents");
  std::set<std::string> Keys = {
      ResultKey().text(),
      ResultKey().add("a", "").text(),
      ResultKey().add("a", "b").text(),
      ResultKey().add("ab", "").text(),
      ResultKey().add("", "ab").text(),
      ResultKey().add("a", "b").add("c", "d").text(),
      ResultKey().add("c", "d").add("a", "b").text(),
      ResultKey().addFile("a", File).text(),
      ResultKey().addFile("a", Folder / "missing").add("", "").text(),
  };
  EXPECT_EQ(Keys.size(), 9u);
  EXPECT_EQ(ResultKey().addFile("a", File).text(),
            ResultKey().add("a", "contents").text());
}

TEST(ResultCacheFolderTest, IsChosenByTheEnvironment) {
  auto Set = [](const char *Name, const char *Value) {
    Value ? setenv(Name, Value, 1) : unsetenv(Name);
  };
  const char *Names[] = {"CUDA_L1_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> Before;
  for (const char *Name : Names) {
    const char *Value = std::getenv(Name);
    Before.push_back(Value ? std::optional<std::string>(Value) : std::nullopt);
  }
  Set("CUDA_L1_CACHE_DIR", "/own");
  Set("XDG_CACHE_HOME", "/xdg");
  Set("HOME", "/home/me");
  EXPECT_EQ(ResultCache::defaultFolder(), "/own");
  Set("CUDA_L1_CACHE_DIR", nullptr);
  EXPECT_EQ(ResultCache::defaultFolder(), "/xdg/cuda-l1");
  Set("XDG_CACHE_HOME", "");
  EXPECT_EQ(ResultCache::defaultFolder(), "/home/me/.cache/cuda-l1");
  Set("HOME", nullptr);
  EXPECT_EQ(ResultCache::defaultFolder(), "");
  for (size_t I = 0; I < Before.size(); ++I)
    Set(Names[I], Before[I] ? Before[I]->c_str() : nullptr);
}

/// Answers as it is told and counts what it is asked.
class FakeEngine final : public MeasureEngine {
public:
  llvm::StringRef name() const override { return "program"; }
  llvm::Expected<Baseline> prepare() override {
    Baseline B;
    B.ProgramDigest = Digest;
    return B;
  }
  Measurement measure(const Candidate &C) override {
    Asked.push_back("measure " + C.Id);
    return Answer;
  }
  Measurement confirm(const Candidate &C) override {
    Asked.push_back("confirm " + C.Id);
    return Answer;
  }
  void compileAhead(llvm::ArrayRef<Candidate> Candidates) override {
    for (const Candidate &C : Candidates)
      Asked.push_back("compile " + C.Id);
  }

  std::string Digest = "digest";
  Measurement Answer = result(Verdict::Faster);
  std::vector<std::string> Asked;
};

class CachedEngineTest : public ResultCacheTest {
protected:
  /// An engine of a new call.
  FakeEngine &start(const std::string &Prefix = "prefix",
                    const std::string &Digest = "digest") {
    auto Made = std::make_unique<FakeEngine>();
    Inner = Made.get();
    Inner->Digest = Digest;
    Engine = makeCachedEngine(std::move(Made), open(), Prefix, &Stop);
    llvm::Expected<Baseline> B = Engine->prepare();
    EXPECT_TRUE(bool(B));
    return *Inner;
  }

  static Candidate candidate(std::string Text) {
    Candidate C;
    C.Id = Text;
    C.Sources = {{"/file.cu", std::move(Text)}};
    return C;
  }

  std::atomic<bool> Stop = false;
  FakeEngine *Inner = nullptr;
  std::unique_ptr<MeasureEngine> Engine;
};

TEST_F(CachedEngineTest, AResultOfAnEarlierCallIsTaken) {
  start();
  EXPECT_THAT(Engine->measure(candidate("a")).Evidence,
              ElementsAre("a sentence"));
  start();
  for (int I = 0; I < 2; ++I) {
    Candidate C = candidate("a");
    C.Id = "under another name";
    C.SpeedupToBeat = 2;
    Measurement M = Engine->measure(C);
    EXPECT_EQ(M.Outcome, Verdict::Faster);
    EXPECT_THAT(M.Evidence,
                ElementsAre("a sentence", "measured before, on 2026-11-30"));
  }
  EXPECT_THAT(Inner->Asked, IsEmpty());
}

TEST_F(CachedEngineTest, FailuresAreKeptToo) {
  for (Verdict V :
       {Verdict::WrongResult, Verdict::CompileError, Verdict::RunError,
        Verdict::Timeout, Verdict::Ambiguous, Verdict::Unsupported}) {
    std::string Text = toString(V).str();
    start().Answer = result(V);
    Engine->measure(candidate(Text));
    start();
    EXPECT_EQ(Engine->measure(candidate(Text)).Outcome, V) << Text;
    EXPECT_THAT(Inner->Asked, IsEmpty());
  }
}

TEST_F(CachedEngineTest, WhatWasInterruptedIsNotKept) {
  start().Answer = result(Verdict::Unsupported, "stopped while it ran");
  Engine->measure(candidate("a"));
  start();
  EXPECT_EQ(Engine->measure(candidate("a")).Outcome, Verdict::Faster);
  Stop = true;
  Engine->measure(candidate("b"));
  Stop = false;
  start();
  Engine->measure(candidate("b"));
  EXPECT_THAT(Inner->Asked, ElementsAre("measure b"));
}

TEST_F(CachedEngineTest, OfManyOnlyTheUnknownAreMeasured) {
  start();
  Engine->measure(candidate("b"));
  start().Answer = result(Verdict::Slower);
  std::vector<Measurement> Results =
      Engine->measureAll({candidate("a"), candidate("b"), candidate("c")});
  EXPECT_THAT(Inner->Asked, ElementsAre("measure a", "measure c"));
  ASSERT_EQ(Results.size(), 3u);
  EXPECT_EQ(Results[0].Outcome, Verdict::Slower);
  EXPECT_EQ(Results[1].Outcome, Verdict::Faster);
  EXPECT_EQ(Results[2].Outcome, Verdict::Slower);
  EXPECT_EQ(Engine->measure(candidate("c")).Outcome, Verdict::Slower);
  EXPECT_EQ(Inner->Asked.size(), 2u);
}

TEST_F(CachedEngineTest, AnyDifferenceIsMeasuredAnew) {
  start();
  Engine->measure(candidate("a"));
  std::vector<Candidate> Others(5, candidate("a"));
  Others[0] = candidate("b");
  Others[1].Sources.push_back({"/header.h", "text"});
  Others[2].Class = FpClass::Approximate;
  Others[3].Kernels = {"k"};
  Others[4].Sources[0].OriginalPath = "/other.cu";
  for (const Candidate &C : Others)
    Engine->measure(C);
  EXPECT_EQ(Inner->Asked.size(), 1 + Others.size());
  start("another prefix");
  Engine->measure(candidate("a"));
  EXPECT_EQ(Inner->Asked.size(), 1u);
  start("prefix", "another program");
  Engine->measure(candidate("a"));
  EXPECT_EQ(Inner->Asked.size(), 1u);
}

TEST_F(CachedEngineTest, TheOriginalAndUnknownProgramsAreMeasuredEachTime) {
  start();
  Engine->measure(Candidate());
  Engine->measure(Candidate());
  EXPECT_EQ(Inner->Asked.size(), 2u);
  start("prefix", "");
  Engine->measure(candidate("a"));
  Engine->measure(candidate("a"));
  EXPECT_EQ(Inner->Asked.size(), 2u);
}

TEST_F(CachedEngineTest, TheLastWordIsMeasuredAndKept) {
  start();
  Engine->measure(candidate("a"));
  start().Answer = result(Verdict::Slower);
  EXPECT_EQ(Engine->confirm(candidate("a")).Outcome, Verdict::Slower);
  EXPECT_THAT(Inner->Asked, ElementsAre("confirm a"));
  start();
  EXPECT_EQ(Engine->measure(candidate("a")).Outcome, Verdict::Slower);
}

TEST_F(CachedEngineTest, OnlyWhatIsNotKnownIsCompiledAhead) {
  start();
  Engine->measure(candidate("a"));
  Inner->Asked.clear();
  Engine->compileAhead({candidate("a"), candidate("b")});
  EXPECT_THAT(Inner->Asked, ElementsAre("compile b"));
}

} // namespace
