//===- ConfigTest.cpp - Project settings ----------------------------------===//

#include "cudal1/Frontend/Config.h"
#include "TestFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {

Config load(const TestFolder &Folder, llvm::StringRef Text) {
  auto Loaded = loadConfig(Folder.write(".cuda-l1.toml", Text));
  if (Loaded)
    return *Loaded;
  ADD_FAILURE() << llvm::toString(Loaded.takeError());
  return {};
}

std::string problem(llvm::StringRef Text) {
  TestFolder Folder;
  return messageOf(loadConfig(Folder.write(".cuda-l1.toml", Text)));
}

TEST(Config, EveryKeyIsRead) {
  TestFolder Folder;
  Config Settings = load(Folder, R"(
rules = "-*,unroll-loop"
fp_class = "reassociate"
search = "random"
budget = "90s"
max_variants = 40
seed = 7
cache = false
tolerance = 1e-4
arch = "sm_90"
cuda_path = "cuda"
extra_args = ["-DX=1", "--use_fast_math"]
run_args = ["1024", "-v"]
stdin = "input/data.txt"
output_files = ["out.bin"]
build_cmd = "make -j2"
run_cmd = "./app 10"
test_cmd = "make check"
[env]
OMP_NUM_THREADS = "4"
)");
  EXPECT_EQ(Settings.File, Folder.path(".cuda-l1.toml"));
  EXPECT_EQ(Settings.Rules, "-*,unroll-loop");
  EXPECT_EQ(Settings.AllowedFpClass, FpClass::Reassociate);
  EXPECT_EQ(Settings.Search, "random");
  EXPECT_EQ(Settings.Budget, 90s);
  EXPECT_EQ(Settings.MaxVariants, 40u);
  EXPECT_EQ(Settings.Seed, 7u);
  EXPECT_EQ(Settings.KeepResults, false);
  EXPECT_EQ(Settings.Tolerance, 1e-4);
  EXPECT_EQ(Settings.Arch, "sm_90");
  EXPECT_THAT(Settings.ExtraArgs, ElementsAre("-DX=1", "--use_fast_math"));
  EXPECT_THAT(Settings.RunArgs, ElementsAre("1024", "-v"));
  EXPECT_EQ(Settings.StdinFile, Folder.path("input/data.txt"));
  EXPECT_THAT(Settings.OutputFiles, ElementsAre("out.bin"));
  EXPECT_THAT(Settings.Environment, ElementsAre(Pair("OMP_NUM_THREADS", "4")));
  EXPECT_EQ(Settings.Programs.BuildCommand, "make -j2");
  EXPECT_EQ(Settings.Programs.RunCommand, "./app 10");
  EXPECT_EQ(Settings.Programs.TestCommand, "make check");
  EXPECT_EQ(Settings.Programs.CudaPath, Folder.path("cuda"));
  EXPECT_THAT(Settings.Programs.keys(),
              ElementsAre("build_cmd", "run_cmd", "test_cmd", "cuda_path"));
}

TEST(Config, AnEmptyFileSaysNothing) {
  TestFolder Folder;
  Config Settings = load(Folder, "\xEF\xBB\xBF# nothing\n");
  EXPECT_FALSE(Settings.Rules);
  EXPECT_FALSE(Settings.Budget);
  EXPECT_THAT(Settings.ExtraArgs, IsEmpty());
  EXPECT_THAT(Settings.Programs.keys(), IsEmpty());
}

TEST(Config, AnUnknownKeyIsAnErrorWithPlaceAndSuggestion) {
  EXPECT_THAT(problem("seed = 1\n  rule = \"x\"\n"),
              HasSubstr(".cuda-l1.toml:2:3: unknown key 'rule'; did you mean "
                        "'rules'?"));
  EXPECT_THAT(problem("max-variants = 1\n"), HasSubstr("'max_variants'"));
  EXPECT_THAT(problem("colour = 1\n"), HasSubstr("docs/configuration.md"));
  EXPECT_THAT(problem("[server]\nport = 1\n"), HasSubstr("'server'"));
}

TEST(Config, AWrongTypeIsAnErrorWithPlace) {
  EXPECT_THAT(problem("cache = \"no\"\n"),
              HasSubstr("'cache' must be true or false, not a string"));
  EXPECT_THAT(problem("\nseed = \"7\"\n"),
              EndsWith(":2:8: 'seed' must be an integer of at least 0, not a "
                       "string"));
  EXPECT_THAT(problem("rules = [\"a\"]\n"),
              HasSubstr("must be a string, not an array"));
  EXPECT_THAT(problem("extra_args = \"-DX\"\n"),
              HasSubstr("an array of strings, not a string"));
  EXPECT_THAT(problem("run_args = [\"a\", 1]\n"),
              HasSubstr(":1:18: 'run_args'"));
  EXPECT_THAT(problem("budget = 60\n"), HasSubstr("must be a string"));
  EXPECT_THAT(problem("tolerance = true\n"), HasSubstr("a number"));
  EXPECT_THAT(problem("env = [\"A=1\"]\n"), HasSubstr("a table of strings"));
  EXPECT_THAT(problem("[env]\nA = 1\n"), HasSubstr("'A' must be a string"));
}

TEST(Config, AValueOutOfRangeIsAnErrorThatListsTheRange) {
  EXPECT_THAT(problem("fp_class = \"sloppy\"\n"), HasSubstr("reassociate"));
  EXPECT_THAT(problem("search = \"best\"\n"), HasSubstr("exhaustive"));
  EXPECT_THAT(problem("budget = \"soon\"\n"), HasSubstr("\"60s\""));
  EXPECT_THAT(problem("max_variants = 0\n"), HasSubstr("at least 1"));
  EXPECT_THAT(problem("seed = -1\n"), HasSubstr("at least 0"));
  EXPECT_THAT(problem("tolerance = 0.0\n"), HasSubstr("above 0"));
  EXPECT_THAT(problem("tolerance = nan\n"), HasSubstr("above 0"));
  EXPECT_THAT(problem("arch = \"hopper\"\n"), HasSubstr("sm_90"));
  EXPECT_THAT(problem("rules = \"\"\n"), HasSubstr("not empty"));
  EXPECT_THAT(problem("[env]\n\"A=B\" = \"1\"\n"), HasSubstr("variable"));
}

TEST(Config, WhatIsNotTomlIsAnErrorWithPlace) {
  EXPECT_THAT(problem("seed = 1\nrules = unquoted\n"),
              HasSubstr(".cuda-l1.toml:2:"));
  EXPECT_THAT(problem("seed = 1\nseed = 2\n"), HasSubstr(":2:"));
  EXPECT_THAT(problem(llvm::StringRef("\0\xff\x01", 3)), HasSubstr("not TOML"));
  EXPECT_THAT(messageOf(loadConfig("/nowhere/.cuda-l1.toml")),
              HasSubstr("cannot read"));
}

TEST(Config, TheNearestFileAboveTheSourceIsTaken) {
  TestFolder Folder;
  std::string Outer = Folder.write("p/.cuda-l1.toml", "");
  std::string Source = Folder.write("p/src/deep/a.cu", "");
  EXPECT_EQ(findConfigFile(Source), Outer);
  std::string Inner = Folder.write("p/src/.cuda-l1.toml", "");
  EXPECT_EQ(findConfigFile(Source), Inner);
  llvm::sys::fs::create_directories(Folder.path("p/src/deep/.cuda-l1.toml"));
  EXPECT_EQ(findConfigFile(Source), Inner);
  EXPECT_EQ(findConfigFile(Folder.path("p/src/../b.cu")), Outer);
}

TEST(Durations, AreReadInFourUnits) {
  EXPECT_EQ(parseDuration("500ms"), 500ms);
  EXPECT_EQ(parseDuration("60s"), 60s);
  EXPECT_EQ(parseDuration("1.5m"), 90s);
  EXPECT_EQ(parseDuration("2h"), 2h);
  EXPECT_EQ(parseDuration("30"), 30s);
  for (llvm::StringRef Bad :
       {"", "s", "-1s", "0s", "ten", "nan", "1e99h", "5 parsecs"})
    EXPECT_FALSE(parseDuration(Bad)) << Bad.str();
}

} // namespace
