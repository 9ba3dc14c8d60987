//===- SafeTensorsTest.cpp - Weights in the safetensors format ------------===//

#include "cudal1/Network/SafeTensors.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace cudal1;

namespace {

/// A file of a header and data as one writes it by hand.
std::string file(const std::string &Header, size_t DataBytes) {
  uint64_t Length = Header.size();
  std::string Result(sizeof Length, '\0');
  std::memcpy(Result.data(), &Length, sizeof Length);
  return Result + Header + std::string(DataBytes, '\0');
}

std::string whyNot(const std::string &Bytes) {
  std::string Why;
  EXPECT_FALSE(parseSafeTensors(Bytes, Why));
  return Why;
}

TEST(SafeTensors, ReadsWhatItWrites) {
  SafeTensors File;
  File.Metadata["schema"] = "0123";
  File.Tensors["a.weight"] = {{2, 3}, {1, 2, 3, 4, 5, 6}};
  File.Tensors["a.bias"] = {{2}, {-1, 0.5}};
  std::string Why;
  std::optional<SafeTensors> Again = parseSafeTensors(serialize(File), Why);
  ASSERT_TRUE(Again) << Why;
  EXPECT_EQ(Again->Metadata, File.Metadata);
  ASSERT_EQ(Again->Tensors.size(), 2U);
  EXPECT_EQ(Again->Tensors["a.weight"].Shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(Again->Tensors["a.weight"].Values, File.Tensors["a.weight"].Values);
  EXPECT_EQ(Again->Tensors["a.bias"].Values, File.Tensors["a.bias"].Values);
}

TEST(SafeTensors, RefusesWhatIsNoSuchFile) {
  EXPECT_EQ(whyNot(""), "it is no safetensors file");
  EXPECT_EQ(whyNot("short"), "it is no safetensors file");
  EXPECT_EQ(whyNot(std::string(8, '\xff') + "{}"), "it is no safetensors file");
  EXPECT_EQ(whyNot(file("[1, 2", 0)), "its header is no JSON object");
}

TEST(SafeTensors, RefusesTensorsThatDoNotFitTheData) {
  EXPECT_EQ(
      whyNot(file(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
                  8)),
      "tensor 'a' lies beyond the end of the data");
  EXPECT_EQ(
      whyNot(
          file(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8)),
      "tensor 'a' has another size than its shape says");
  EXPECT_EQ(
      whyNot(file(
          R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
          8)),
      "tensor 'a' has another size than its shape says");
  EXPECT_EQ(
      whyNot(file(R"({"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}})",
                  8)),
      "tensor 'a' is not of type F32");
  EXPECT_EQ(whyNot(file(R"({"a":{"dtype":"F32","shape":[-1]}})", 8)),
            "tensor 'a' has no shape or no offsets");
}

} // namespace
