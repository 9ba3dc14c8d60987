//===- ApiTraceTest.cpp - The trace of an emulated program ----------------===//

#include "../Measure/TestFolder.h"
#include "cudal1/Measure/Trace.h"
#include "cudal1/Support/Process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using testing::IsEmpty;
using testing::SizeIs;
using trace::CopyOrigin;

namespace {

class EmulatedTraceTest : public testing::Test {
protected:
  /// The trace of the program in one of its scenarios.
  std::vector<Trace> run(const std::string &Scenario) {
    Command Cmd;
    Cmd.Argv = {CUDAL1_EMULATED_PROGRAM, Scenario};
    Cmd.Environment = {"CUDAL1_MODE=trace", "CUDAL1_TRACE_DIR=" + Folder.Path};
    llvm::Expected<ProcessResult> Result = runCommand(Cmd);
    if (!Result) {
      ADD_FAILURE() << llvm::toString(Result.takeError());
      return {};
    }
    EXPECT_TRUE(Result->succeeded()) << Result->describeEnd();
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
};

TEST_F(EmulatedTraceTest, CopiesToTheHostAreRecordedWithTheirBytes) {
  std::vector<Trace> Traces = run("copies");
  ASSERT_THAT(Traces, SizeIs(1));
  EXPECT_TRUE(Traces[0].Complete);
  auto Copies = eventsOf<TraceCopy>(Traces[0]);
  ASSERT_THAT(Copies, SizeIs(3));
  EXPECT_EQ(Copies[0].Origin, CopyOrigin::Copy);
  EXPECT_EQ(Copies[0].Bytes, 16u);
  EXPECT_EQ(Copies[0].Kept[4], 2);
  // Two rows of four bytes.
  EXPECT_EQ(Copies[1].Bytes, 8u);
  EXPECT_EQ(Copies[2].Origin, CopyOrigin::FreedBuffer);
  EXPECT_EQ(Copies[2].Bytes, 256u);
  auto Allocations = eventsOf<TraceAllocation>(Traces[0]);
  ASSERT_THAT(Allocations, SizeIs(1));
  EXPECT_EQ(Copies[0].Source, Allocations[0].Address);
  EXPECT_THAT(eventsOf<TraceFree>(Traces[0]), SizeIs(1));
  EXPECT_EQ(Traces[0].Counters.HostToDeviceCopies, 1u);
}

TEST_F(EmulatedTraceTest, LaunchesAreRecordedWithTheirArguments) {
  std::vector<Trace> Traces = run("launches");
  ASSERT_THAT(Traces, SizeIs(1));
  auto Launches = eventsOf<trace::Launch>(Traces[0]);
  ASSERT_THAT(Launches, SizeIs(2));
  uint64_t Device = eventsOf<TraceAllocation>(Traces[0])[0].Address;
  EXPECT_EQ(Launches[0].Name, "addOne");
  EXPECT_EQ(Launches[0].Grid[1], 3u);
  EXPECT_EQ(Launches[0].Block[0], 32u);
  ASSERT_THAT(Launches[0].Parameters, SizeIs(2));
  EXPECT_EQ(Launches[0].Parameters[0].Value, Device);
  EXPECT_EQ(Launches[0].Parameters[1].Value, 64u);
  EXPECT_NE(Launches[0].Stream, Launches[1].Stream);
  ASSERT_THAT(Launches[1].Parameters, SizeIs(3));
  EXPECT_EQ(Launches[1].Parameters[1].Offset, 8u);
  EXPECT_EQ(Launches[1].Parameters[1].Value, 0xfffeu);
  EXPECT_EQ(Launches[1].Parameters[2].Offset, 16u);
  EXPECT_EQ(Launches[1].Parameters[2].Size, 24u);
  EXPECT_EQ(Traces[0].Counters.Launches, 2u);
  EXPECT_EQ(Traces[0].Counters.Synchronizations, 1u);
  EXPECT_THAT(Traces[0].Kernels, IsEmpty());
}

TEST_F(EmulatedTraceTest, FailedCallsAreRecordedButNotReports) {
  std::vector<Trace> Traces = run("errors");
  ASSERT_THAT(Traces, SizeIs(1));
  std::map<std::pair<std::string, int>, uint64_t> Expected = {
      {{"cudaMalloc", 2}, 2}, {{"cudaLaunchKernel", 9}, 1}};
  EXPECT_EQ(Traces[0].ApiErrors, Expected);
}

TEST_F(EmulatedTraceTest, SharedMemoryIsRecordedOnceTheProgramWaits) {
  std::vector<Trace> Traces = run("shared");
  ASSERT_THAT(Traces, SizeIs(1));
  auto Copies = eventsOf<TraceCopy>(Traces[0]);
  // The managed buffer, and the pinned one that the kernel was given.
  ASSERT_THAT(Copies, SizeIs(2));
  EXPECT_EQ(Copies[0].Origin, CopyOrigin::SharedView);
  EXPECT_EQ(Copies[1].Kept[32], 1);
}

TEST_F(EmulatedTraceTest, CopiesOfAGraphAreRecordedAtEachLaunch) {
  std::vector<Trace> Traces = run("graph");
  ASSERT_THAT(Traces, SizeIs(1));
  auto Copies = eventsOf<TraceCopy>(Traces[0]);
  ASSERT_THAT(Copies, SizeIs(2));
  EXPECT_EQ(Copies[0].Origin, CopyOrigin::GraphCopy);
  EXPECT_EQ(Copies[0].Kept[0], 1);
  EXPECT_EQ(Copies[1].Kept[0], 2);
  auto Launches = eventsOf<trace::Launch>(Traces[0]);
  // Recorded once, and run by each of two launches.
  ASSERT_THAT(Launches, SizeIs(3));
  EXPECT_TRUE(Launches[0].Captured);
  EXPECT_FALSE(Launches[1].Captured || Launches[2].Captured);
  EXPECT_EQ(Traces[0].Counters.GraphLaunches, 2u);
}

TEST_F(EmulatedTraceTest, AForkedChildLeavesTheParentsTraceAlone) {
  std::vector<Trace> Traces = run("fork");
  ASSERT_THAT(Traces, SizeIs(1));
  EXPECT_TRUE(Traces[0].Complete);
  EXPECT_THAT(eventsOf<TraceFree>(Traces[0]), IsEmpty());
}

} // namespace
