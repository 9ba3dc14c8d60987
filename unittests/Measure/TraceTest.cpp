//===- TraceTest.cpp - Traces survive being written and read --------------===//

#include "cudal1/Measure/Trace.h"
#include "TestFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using testing::HasSubstr;

namespace {

std::vector<Trace> readAll(const TestFolder &Folder) {
  llvm::Expected<std::vector<Trace>> Traces = readTraces(Folder.Path);
  if (!Traces) {
    ADD_FAILURE() << llvm::toString(Traces.takeError());
    return {};
  }
  return std::move(*Traces);
}

std::string onlyFile(const TestFolder &Folder) {
  std::error_code Code;
  llvm::sys::fs::directory_iterator Entry(Folder.Path, Code);
  return Entry->path();
}

TEST(TraceTest, EveryRecordIsReadAsItWasWritten) {
  TestFolder Folder;
  {
    trace::Writer Out;
    ASSERT_TRUE(Out.open(Folder.Path, trace::Mode::Trace));
    Out.allocation(trace::AllocationKind::Managed, 0x1000, 64);
    trace::Launch L;
    L.Name = "_Z1kPf";
    L.Grid[0] = 7;
    L.Block[1] = 3;
    L.SharedBytes = 48;
    L.Stream = 2;
    L.Result = 0;
    L.Parameters = {{0, 8, 0x1000}, {8, 4, 5}};
    Out.launch(L);
    Out.copy(trace::CopyOrigin::Copy, 0x1010, "abcd", 4);
    Out.apiError("cudaFoo", 11);
    Out.apiError("cudaFoo", 11);
    Out.graphLaunch(1, 0);
    Out.free(0x1000);
    Out.note("a note");
    Out.string(0, "_Z1kPf");
    Out.kernelActivity(0, 100, 250, 1);
    Out.transferActivity(trace::TransferKind::DeviceToHost, 300, 310, 4);
    trace::Counters Count;
    Count.Launches = 1;
    Count.Synchronizations = 9;
    Out.end(Count);
  }
  std::vector<Trace> Traces = readAll(Folder);
  ASSERT_EQ(Traces.size(), 1u);
  const Trace &T = Traces[0];
  EXPECT_TRUE(T.Complete);
  EXPECT_EQ(T.Pid, ::getpid());
  ASSERT_EQ(T.Events.size(), 5u);
  EXPECT_EQ(std::get<TraceAllocation>(T.Events[0]).Bytes, 64u);
  const auto &L = std::get<trace::Launch>(T.Events[1]);
  EXPECT_EQ(L.Name, "_Z1kPf");
  EXPECT_EQ(L.Grid[0], 7u);
  EXPECT_EQ(L.Block[1], 3u);
  ASSERT_EQ(L.Parameters.size(), 2u);
  EXPECT_EQ(L.Parameters[1].Offset, 8u);
  EXPECT_EQ(L.Parameters[1].Value, 5u);
  const auto &C = std::get<TraceCopy>(T.Events[2]);
  EXPECT_EQ(C.Kept, "abcd");
  EXPECT_EQ(C.Source, 0x1010u);
  EXPECT_EQ(T.ApiErrors.at({"cudaFoo", 11}), 2u);
  EXPECT_EQ(T.Notes, std::vector<std::string>{"a note"});
  ASSERT_EQ(T.Kernels.size(), 1u);
  EXPECT_EQ(T.Names[T.Kernels[0].Name], "_Z1kPf");
  EXPECT_EQ(T.Transfers[0].Bytes, 4u);
  EXPECT_EQ(T.Counters.Synchronizations, 9u);
}

TEST(TraceTest, ProcessThatDiesLeavesAnIncompleteTrace) {
  TestFolder Folder;
  {
    trace::Writer Out;
    ASSERT_TRUE(Out.open(Folder.Path, trace::Mode::Trace));
    Out.note("x");
    Out.end({}); // pushes the records out
    Out.note("after the end");
    Out.end({});
  }
  EXPECT_TRUE(readAll(Folder)[0].Complete);
  std::string Path = onlyFile(Folder);
  uint64_t Size = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(Path, Size));
  // Cut anywhere, it must read as incomplete and never fail.
  for (uint64_t Keep = Size - 1; Keep > sizeof(trace::Header); --Keep) {
    ASSERT_EQ(::truncate(Path.c_str(), long(Keep)), 0);
    llvm::Expected<Trace> T = readTrace(Path);
    ASSERT_TRUE(bool(T)) << llvm::toString(T.takeError());
    // Where it is cut right behind the first End, that one counts.
    if (T->Complete)
      EXPECT_EQ(T->Notes.size(), 1u);
  }
}

TEST(TraceTest, ForeignFilesAndVersionsAreRefused) {
  TestFolder Folder;
  std::string Path = Folder.write("x.cl1trace", "something else entirely");
  llvm::Expected<Trace> T = readTrace(Path);
  ASSERT_FALSE(bool(T));
  EXPECT_THAT(llvm::toString(T.takeError()), HasSubstr("is no trace"));
  trace::Header H = {};
  std::memcpy(H.Magic, trace::Magic, sizeof(H.Magic));
  H.Version = 99;
  Path = Folder.write(
      "y.cl1trace",
      llvm::StringRef(reinterpret_cast<const char *>(&H), sizeof(H)));
  T = readTrace(Path);
  ASSERT_FALSE(bool(T));
  EXPECT_THAT(llvm::toString(T.takeError()), HasSubstr("version 99"));
}

TEST(TraceTest, DamagedRecordsDoNotBreakTheReader) {
  TestFolder Folder;
  {
    trace::Writer Out;
    ASSERT_TRUE(Out.open(Folder.Path, trace::Mode::Trace));
    trace::Launch L;
    L.Name = "kernel";
    L.Parameters.resize(3);
    Out.launch(L);
    Out.copy(trace::CopyOrigin::Copy, 1, "0123456789", 10);
    Out.end({});
  }
  std::string Path = onlyFile(Folder);
  std::string Good = Folder.read(llvm::sys::path::filename(Path));
  for (size_t At = sizeof(trace::Header); At < Good.size(); ++At) {
    std::string Bad = Good;
    Bad[At] = char(0xff);
    Folder.write(llvm::sys::path::filename(Path), Bad);
    llvm::Expected<Trace> T = readTrace(Path);
    if (!T)
      llvm::consumeError(T.takeError());
  }
}

TEST(TraceTest, RepeatedDataIsStoredOnce) {
  TestFolder Folder;
  std::string Data(100000, 'x');
  {
    trace::Writer Out;
    ASSERT_TRUE(Out.open(Folder.Path, trace::Mode::Trace));
    for (int I = 0; I < 10; ++I)
      Out.copy(trace::CopyOrigin::Copy, 1, Data.data(), Data.size());
    Out.end({});
  }
  uint64_t Size = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(onlyFile(Folder), Size));
  EXPECT_LT(Size, 2 * Data.size());
  std::vector<Trace> Traces = readAll(Folder);
  ASSERT_EQ(Traces[0].Events.size(), 10u);
  EXPECT_EQ(std::get<TraceCopy>(Traces[0].Events[9]).Kept, Data);
}

TEST(TraceTest, LargeCopyKeepsASpreadSampleWithBothEnds) {
  TestFolder Folder;
  std::string Data(1 << 20, 'x');
  Data.front() = 'a';
  Data.back() = 'z';
  {
    trace::Writer Out;
    ASSERT_TRUE(Out.open(Folder.Path, trace::Mode::Trace));
    Out.setCaps(64 << 10, 1 << 20);
    Out.copy(trace::CopyOrigin::Copy, 1, Data.data(), Data.size());
    Out.end({});
  }
  std::vector<Trace> Traces = readAll(Folder);
  const auto &C = std::get<TraceCopy>(Traces[0].Events[0]);
  EXPECT_EQ(C.Bytes, Data.size());
  EXPECT_EQ(C.Kept.size(), size_t(64 << 10));
  EXPECT_EQ(C.Kept.front(), 'a');
  EXPECT_EQ(C.Kept.back(), 'z');
}

TEST(TraceTest, SampleBlocksLieInsideTheBuffer) {
  for (uint64_t Total : {1u, 4095u, 4096u, 4097u, 100000u, 1000003u})
    for (uint64_t Cap : {0u, 1u, 4096u, 9000u, 65536u}) {
      trace::Sample Blocks(Total, Cap);
      for (uint64_t I = 0; I < Blocks.count(); ++I)
        EXPECT_LE(Blocks.offset(I) + Blocks.blockSize(), Total)
            << Total << " " << Cap;
    }
}

TEST(TraceTest, HashSeesEveryByteAndTheLength) {
  auto HashOf = [](llvm::StringRef Data) {
    trace::Hash H;
    H.add(Data.data(), Data.size());
    H.finish();
    return H;
  };
  std::string Data(1000, '\0');
  trace::Hash Zero = HashOf(Data);
  for (size_t At = 0; At < Data.size(); ++At) {
    Data[At] = 1;
    EXPECT_NE(HashOf(Data), Zero) << At;
    Data[At] = 0;
  }
  EXPECT_NE(HashOf(std::string(1001, '\0')), Zero);
  EXPECT_EQ(HashOf(Data), Zero);
}

TEST(TraceTest, SpanCountsWhatIsMadeBeforeAndReleasedAfterTheWork) {
  Trace T;
  T.Names = {"_Z1aPf"};
  T.Kernels = {{0, 2000000, 3000000}, {0, 5000000, 6000000}};
  T.ResourceCalls = {{0, 500000},          // before
                     {1900000, 2100000},   // half of it before
                     {3500000, 4000000},   // within
                     {9000000, 10000000}}; // after
  EXPECT_DOUBLE_EQ(summarizeTimes(T).GpuSpanMs, 4.0 + 0.5 + 0.1 + 1.0);
  EXPECT_DOUBLE_EQ(summarizeTimes(T).GpuBusyMs, 2.0);
}

TEST(TraceTest, BusyTimeIsTheUnionOverAllStreams) {
  Trace T;
  T.Names = {"_Z1aPf", "_Z1bPf"};
  T.Kernels = {{0, 0, 1000000}, {1, 500000, 2000000}, {0, 3000000, 4000000}};
  T.Transfers = {
      {trace::TransferKind::HostToDevice, 3500000, 5000000, 1},
      {trace::TransferKind::Memset, 6000000, 6500000, 1},
  };
  RunTimes Times = summarizeTimes(T);
  EXPECT_DOUBLE_EQ(Times.KernelMs, 3.5);
  EXPECT_DOUBLE_EQ(Times.CopyMs, 1.5);
  EXPECT_DOUBLE_EQ(Times.GpuBusyMs, 4.5);
  EXPECT_DOUBLE_EQ(Times.GpuSpanMs, 6.5);
  ASSERT_EQ(Times.Kernels.size(), 2u);
  EXPECT_EQ(Times.Kernels[0].DisplayName, "a(float*)");
  EXPECT_EQ(Times.Kernels[0].Launches, 2u);
  EXPECT_DOUBLE_EQ(Times.Kernels[0].TotalMs, 2.0);
  EXPECT_DOUBLE_EQ(Times.Kernels[1].TotalMs, 1.5);
}

TEST(TraceTest, BaseNameIsWithoutParametersAndReturnType) {
  EXPECT_EQ(kernelBaseName("_Z5scalePfPKffi"), "scale");
  EXPECT_EQ(kernelBaseName("_Z5scalePfS_fi"), "scale");
  EXPECT_EQ(kernelBaseName("_ZN2ns1kEPf"), "ns::k");
  EXPECT_EQ(kernelBaseName("_ZN12_GLOBAL__N_11kEPf"),
            "(anonymous namespace)::k");
  EXPECT_EQ(kernelBaseName("_Z1kIfLi4EEvPT_"), "k<float, 4>");
  EXPECT_EQ(kernelBaseName("plain_c"), "plain_c");
}

TEST(TraceTest, BaseNameIsWithoutTheCompilersFileHashes) {
  EXPECT_EQ(kernelBaseName("_ZN32_GLOBAL__N__fb23fdff_4_s_cu_main1mEPf"),
            kernelBaseName("_ZN32_GLOBAL__N__3f1639ad_4_s_cu_main1mEPf"));
  EXPECT_EQ(kernelBaseName("_Z1tIN32_GLOBAL__N__fb23fdff_4_s_cu_main1TEEvPf"),
            "t<(anonymous namespace)::T>");
  EXPECT_EQ(kernelBaseName("__nv_static_21__fb23fdff_4_s_cu_main__Z1kPf"), "k");
  EXPECT_EQ(kernelBaseName("_ZL1kPf"), "k"); // static, as Clang mangles it
}

} // namespace
