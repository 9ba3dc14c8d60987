//===- InjectionTest.cpp - The injection library under fake CUDA ----------===//

#include "../Measure/TestFolder.h"
#include "cudal1/Measure/Trace.h"
#include "cudal1/Support/Process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using trace::CopyOrigin;

namespace {

/// CUDA_ERROR_INVALID_VALUE
constexpr int InvalidValue = 1;

class InjectionTest : public testing::Test {
protected:
  /// Runs the fake program; whatever the library does, it must succeed.
  std::vector<Trace> run(std::string Scenario, std::string Mode = "trace",
                         std::vector<std::string> Environment = {}) {
    Command Cmd;
    Cmd.Argv = {CUDAL1_FAKE_PROGRAM, CUDAL1_INJECTION_LIBRARY, Scenario};
    Cmd.Environment = {"CUDAL1_MODE=" + Mode, "CUDAL1_TRACE_DIR=" + Folder.Path,
                       "CUDAL1_CUPTI=" CUDAL1_FAKE_CUPTI};
    for (std::string &Entry : Environment)
      Cmd.Environment.push_back(std::move(Entry));
    llvm::Expected<ProcessResult> Result = runCommand(Cmd);
    if (!Result) {
      ADD_FAILURE() << llvm::toString(Result.takeError());
      return {};
    }
    EXPECT_TRUE(Result->succeeded()) << Result->describeEnd();
    if (Scenario != "vanish")
      EXPECT_EQ(Result->Stdout, "done\n");
    Stderr = Result->Stderr;
    llvm::Expected<std::vector<Trace>> Traces = readTraces(Folder.Path);
    if (!Traces) {
      ADD_FAILURE() << llvm::toString(Traces.takeError());
      return {};
    }
    return std::move(*Traces);
  }

  template <typename T> static std::vector<T> eventsOf(const Trace &Of) {
    std::vector<T> Result;
    for (const TraceEvent &Event : Of.Events)
      if (const auto *Found = std::get_if<T>(&Event))
        Result.push_back(*Found);
    return Result;
  }

  TestFolder Folder;
  std::string Stderr;
};

TEST_F(InjectionTest, CopiesToTheHostAreRecordedWithTheirBytes) {
  std::vector<Trace> Traces = run("copies");
  ASSERT_THAT(Traces, SizeIs(1));
  EXPECT_TRUE(Traces[0].Complete);
  std::vector<TraceCopy> Copies = eventsOf<TraceCopy>(Traces[0]);
  ASSERT_THAT(Copies, SizeIs(5));
  EXPECT_EQ(Copies[0].Bytes, 16u);
  EXPECT_EQ(Copies[0].Kept[15], 15);
  EXPECT_EQ(Copies[1].Bytes, 8u);
  EXPECT_EQ(Copies[2].Bytes, 4u);
  EXPECT_EQ(Copies[3].Kept, "abcdef");
  EXPECT_EQ(Copies[3].Source, Copies[0].Source + 40);
  EXPECT_EQ(Copies[4].Origin, CopyOrigin::FreedBuffer);
  EXPECT_EQ(Copies[4].Bytes, 256u);
  EXPECT_THAT(eventsOf<TraceAllocation>(Traces[0]), SizeIs(1));
  EXPECT_THAT(eventsOf<TraceFree>(Traces[0]), SizeIs(1));
}

TEST_F(InjectionTest, LaunchesAreRecordedWithTheirArguments) {
  std::vector<Trace> Traces = run("launches");
  ASSERT_THAT(Traces, SizeIs(1));
  auto Launches = eventsOf<trace::Launch>(Traces[0]);
  ASSERT_THAT(Launches, SizeIs(4));
  uint64_t Device = eventsOf<TraceAllocation>(Traces[0])[0].Address;
  for (int I : {0, 1}) {
    EXPECT_EQ(Launches[I].Name, "_Z1kPfi");
    EXPECT_EQ(Launches[I].Grid[0], 3u);
    EXPECT_EQ(Launches[I].Block[0], 64u);
    ASSERT_THAT(Launches[I].Parameters, SizeIs(3));
    EXPECT_EQ(Launches[I].Parameters[0].Value, Device);
    EXPECT_EQ(Launches[I].Parameters[1].Value, 7u);
    EXPECT_EQ(Launches[I].Parameters[2].Size, 24u);
    EXPECT_FALSE(Launches[I].Captured);
  }
  EXPECT_NE(Launches[0].Stream, Launches[1].Stream);
  EXPECT_EQ(Launches[2].Result, InvalidValue);
  EXPECT_TRUE(Launches[3].Captured);
  EXPECT_EQ(Traces[0].Counters.Launches, 3u);
  ASSERT_THAT(Traces[0].Kernels, SizeIs(1));
  EXPECT_EQ(Traces[0].Kernels[0].EndNs - Traces[0].Kernels[0].StartNs, 500u);
}

TEST_F(InjectionTest, FailedCallsAreRecordedButNotQueriesAndReports) {
  std::vector<Trace> Traces = run("errors");
  ASSERT_THAT(Traces, SizeIs(1));
  std::map<std::pair<std::string, int>, uint64_t> Expected = {
      {{"cudaMalloc", 2}, 1}, {{"cuCtxSynchronize", 700}, 1}};
  EXPECT_EQ(Traces[0].ApiErrors, Expected);
}

TEST_F(InjectionTest, SharedMemoryIsRecordedWhenTheProgramWaitsAfterALaunch) {
  std::vector<Trace> Traces = run("shared");
  ASSERT_THAT(Traces, SizeIs(1));
  std::vector<TraceCopy> Copies = eventsOf<TraceCopy>(Traces[0]);
  ASSERT_THAT(Copies, SizeIs(1));
  EXPECT_EQ(Copies[0].Origin, CopyOrigin::SharedView);
  EXPECT_TRUE(Copies[0].Kept.starts_with("result"));
}

TEST_F(InjectionTest, CopiesOfAGraphAreRecordedAtEachLaunch) {
  std::vector<Trace> Traces = run("graph");
  ASSERT_THAT(Traces, SizeIs(1));
  std::vector<TraceCopy> Copies = eventsOf<TraceCopy>(Traces[0]);
  ASSERT_THAT(Copies, SizeIs(2));
  EXPECT_EQ(Copies[0].Origin, CopyOrigin::GraphCopy);
  EXPECT_EQ(Copies[0].Kept, "12345678");
  EXPECT_EQ(Copies[1].Kept, "abcdefgh");
  EXPECT_EQ(Traces[0].Counters.GraphLaunches, 2u);
}

TEST_F(InjectionTest, TimeModeRecordsTimesAlone) {
  std::vector<Trace> Traces = run("launches", "time");
  ASSERT_THAT(Traces, SizeIs(1));
  EXPECT_THAT(Traces[0].Events, IsEmpty());
  EXPECT_THAT(Traces[0].Kernels, SizeIs(1));
  EXPECT_TRUE(Traces[0].Complete);
}

TEST_F(InjectionTest, TimeModeRecordsWhenMemoryIsMade) {
  std::vector<Trace> Traces = run("launches", "time");
  ASSERT_THAT(Traces, SizeIs(1));
  ASSERT_THAT(Traces[0].ResourceCalls, SizeIs(1));
  EXPECT_EQ(Traces[0].ResourceCalls[0].StartNs, 100u);
  EXPECT_EQ(Traces[0].ResourceCalls[0].EndNs, 200u);
}

TEST_F(InjectionTest, ForkedChildLeavesTheParentsTraceAlone) {
  std::vector<Trace> Traces = run("fork");
  ASSERT_THAT(Traces, SizeIs(1));
  EXPECT_TRUE(Traces[0].Complete);
  EXPECT_THAT(Traces[0].Events, IsEmpty());
  EXPECT_THAT(Traces[0].Kernels, SizeIs(1));
}

TEST_F(InjectionTest, ProcessThatLeavesByExitWithoutHandlersIsIncomplete) {
  EXPECT_THAT(run("vanish"), IsEmpty()); // nothing recorded, nothing kept
}

TEST_F(InjectionTest, RefusedOrMissingCuptiBecomesANote) {
  std::vector<Trace> Traces = run("nothing", "trace", {"FAKE_CUPTI_REFUSES=1"});
  ASSERT_THAT(Traces, SizeIs(1));
  EXPECT_THAT(Traces[0].Notes,
              ElementsAre(HasSubstr("is another profiler active")));
  EXPECT_EQ(Stderr, "");
}

TEST_F(InjectionTest, FolderThatCannotBeWrittenIsOneLineOnStderr) {
  std::string Nowhere = "CUDAL1_TRACE_DIR=" + (Folder / "missing");
  EXPECT_THAT(run("nothing", "trace", {Nowhere}), IsEmpty());
  EXPECT_THAT(Stderr, HasSubstr("cudal1: cannot write a trace"));
}

TEST_F(InjectionTest, WithoutItsVariablesItDoesNothing) {
  // The other scenarios would call a subscriber that there is none of.
  EXPECT_THAT(run("nothing", "trace", {"CUDAL1_TRACE_DIR"}), IsEmpty());
  EXPECT_EQ(Stderr, "");
  std::error_code Code;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(Folder.Path, Code),
            llvm::sys::fs::directory_iterator());
}

} // namespace
