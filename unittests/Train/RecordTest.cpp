//===- RecordTest.cpp - Every measurement made, as a graph ----------------===//

#include "SyntheticRecord.h"
#include "cudal1/Train/Environment.h"
#include "cudal1/Train/Files.h"
#include "cudal1/Train/TrainError.h"
#include "gtest/gtest.h"

using namespace cudal1;
namespace fs = std::filesystem;

namespace {

class Record : public testing::Test {
protected:
  Record() : Folder(fs::temp_directory_path() / "cudal1-record-test") {
    fs::remove_all(Folder);
    fs::create_directories(Folder);
  }
  ~Record() override { fs::remove_all(Folder); }

  fs::path write(const std::string &Name, const std::string &Content) {
    writeFileAtomically(Folder / Name, Content);
    return Folder / Name;
  }
  std::string whyNot(const std::string &Content) {
    try {
      readRecord({write("bad.jsonl", Content)});
    } catch (const TrainError &E) {
      return E.what();
    }
    return "it was read";
  }

  fs::path Folder;
  const std::string Header =
      R"({"format":"cuda-l1-measurements","version":1,"gpu":{"name":"G"}})"
      "\n";
};

const char *const Root =
    R"({"program":"f/p","family":"f","kernel":"k","node":"a","applied":[],)"
    R"("log_speedup":0,"state":{"loops":2,"usesY":true},"actions":[)"
    R"({"rule":"unroll-loop","subject":"j","params":{"factor":4},)"
    R"("features":{"advice":0.2},"to":"b","verdict":"faster",)"
    R"("log_speedup":0.5,"low":0.4,"high":0.6},)"
    R"({"rule":"block-size","features":{},"to":"c","verdict":"wrong-result"},)"
    R"({"rule":"fast-math","features":{}},)"
    R"({"rule":"split-work","features":{},"to":"d"}]})"
    "\n";

TEST_F(Record, ReadsNodesAndOutcomes) {
  MeasurementRecord R = readRecord({write("a.jsonl", Header + Root)});
  EXPECT_EQ(R.Gpu, "G");
  EXPECT_EQ(R.Measurements, 2U);
  ASSERT_EQ(R.Kernels.size(), 1U);
  const RecordedKernel &K = R.Kernels[0];
  EXPECT_EQ(K.name(), "f/p:k");
  EXPECT_EQ(K.Root, "a");
  EXPECT_DOUBLE_EQ(K.bestKnown(), 0.5);
  const RecordedNode &N = K.Nodes.at("a");
  EXPECT_EQ(N.State.at("usesY"), 1);
  ASSERT_EQ(N.Actions.size(), 4U);
  EXPECT_EQ(N.Actions[0].Step.Key.Params.at("factor"), 4);
  EXPECT_DOUBLE_EQ(N.Actions[0].Low, 0.4);
  EXPECT_EQ(N.Actions[1].Verdict, Outcome::WrongResult);
  EXPECT_FALSE(N.Actions[2].isKnown());
  EXPECT_FALSE(N.Actions[3].isKnown());
}

TEST_F(Record, OffersOnlyWhatWasMeasured) {
  MeasurementRecord R = readRecord({write("a.jsonl", Header + Root)});
  RecordedEnvironment E(R.Kernels[0]);
  ASSERT_EQ(E.node(E.root()).Actions.size(), 2U);
  StepResult Faster = E.measure(E.root(), 0);
  EXPECT_EQ(Faster.Verdict, Outcome::Faster);
  // The node has no line of its own.
  EXPECT_TRUE(E.node(Faster.To).Actions.empty());
  EXPECT_TRUE(E.isFailed(E.lead(E.root(), 1)));
}

TEST_F(Record, PutsTheLinesOfANodeTogether) {
  std::string Later =
      R"({"program":"f/p","kernel":"k","node":"a","applied":[],"state":{},)"
      R"("actions":[{"rule":"split-work","to":"d","verdict":"slower",)"
      R"("log_speedup":-0.3}]})"
      "\n";
  MeasurementRecord R = readRecord(
      {write("a.jsonl", Header + Root), write("b.jsonl", Header + Later)});
  const RecordedNode &N = R.Kernels[0].Nodes.at("a");
  ASSERT_EQ(N.Actions.size(), 4U);
  EXPECT_EQ(N.Actions[3].Verdict, Outcome::Slower);
}

TEST_F(Record, LeavesOutKernelsWithoutTheirOriginal) {
  std::string Orphan =
      R"({"program":"f/q","kernel":"k","node":"z","applied":[{"rule":"x"}],)"
      R"("state":{},"actions":[]})"
      "\n";
  EXPECT_TRUE(readRecord({write("a.jsonl", Header + Orphan)}).Kernels.empty());
}

TEST_F(Record, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_NE(whyNot(Header + Root + "{broken").find("bad.jsonl:3: "),
            std::string::npos);
  EXPECT_NE(whyNot(Header + R"({"program":"p"})").find("bad.jsonl:2: "),
            std::string::npos);
  EXPECT_NE(whyNot("{}\n").find("no record of measurements"),
            std::string::npos);
  EXPECT_NE(whyNot("").find("it is empty"), std::string::npos);
  EXPECT_NE(whyNot(R"({"format":"cuda-l1-measurements","version":9})")
                .find("version 9"),
            std::string::npos);
  std::string Odd = Root;
  Odd.replace(Odd.find("faster"), 6, "bestest");
  EXPECT_NE(whyNot(Header + Odd).find("unknown verdict"), std::string::npos);
}

TEST_F(Record, SaysWhichFileCannotBeRead) {
  EXPECT_THROW(readRecord({Folder / "none.jsonl"}), TrainError);
  EXPECT_THROW(readRecord({write("x.jsonl.zst", "no such data")}), TrainError);
}

TEST_F(Record, SurvivesWritingAndReading) {
  std::string Lines = syntheticLines(1);
  MeasurementRecord R = readRecord({write("s.jsonl", Lines)});
  std::string Again = Lines.substr(0, Lines.find('\n') + 1);
  for (const RecordedKernel &K : R.Kernels)
    for (const auto &[Name, Node] : K.Nodes)
      Again += toJson(K, Name, Node).dump() + "\n";
  EXPECT_EQ(readRecord({write("t.jsonl", Again)}).Measurements, R.Measurements);
}

} // namespace
