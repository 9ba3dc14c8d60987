//===- DeviceSliceTest.cpp - A unit's text without host code --------------===//

#include "cudal1/Frontend/DeviceSlice.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using testing::ElementsAre;

namespace {

const DeviceSlice Slice({{"int main() {", /*HasBody=*/true},
                         {"struct Host {", /*HasBody=*/true,
                          /*HasSemicolon=*/true},
                         {"int counter = 0;"}},
                        {{"<vector>", ""},
                         {"<cub/cub.cuh>", "#include <cub/block.cuh>\n"}});

TEST(DeviceSlice, LeavesHostCodeOutOfAnyVersion) {
  for (const char *Body : {"", "k<<<1, 2>>>(); if (1) { f('{', \"}\"); }",
                           "/* } */ int x = 1'000; f(R\"a(})\")a\");"})
    EXPECT_EQ(Slice.cut("#include <vector>\nkernel();\nint main() {" +
                        std::string(Body) +
                        "}\nstruct Host { int x; } h;\nint counter = 0;\n"),
              "\nkernel();\n\n\n\n\n")
        << Body;
}

TEST(DeviceSlice, KeepsTheNumbersOfLines) {
  EXPECT_EQ(DeviceSlice({{"void f() {", true}}, {}).cut("a\nvoid f() {\n}\nb"),
            "a\n\n\nb\n");
}

TEST(DeviceSlice, NamesTheHeadersOfALibrary) {
  EXPECT_EQ(DeviceSlice({}, {{"<cub/cub.cuh>", "#include <a>\n#include <b>"}})
                .cut("#  include <cub/cub.cuh> // all of it\n#include <own.h>"),
            "#include <a>\n#include <b>\n#include <own.h>\n");
}

TEST(DeviceSlice, TakesTheSameWordsInDeviceCodeForNoHostCode) {
  const char *Kept[] = {"__global__ void k() { int counter = 0; }",
                        "// int counter = 0;",
                        "/* int counter = 0; */",
                        "#define MAKE \\\n  int counter = 0;",
                        "__constant__ char t[] = \"int counter = 0;\";",
                        "__device__ /* */ int counter = 0;",
                        "struct S { int counter = 0; };"};
  const DeviceSlice Counter({{"int counter = 0;"}}, {});
  for (std::string Before : Kept)
    EXPECT_EQ(Counter.cut("namespace a {\n" + Before +
                          "\n}\nextern \"C\" {\nint counter = 0;\n}"),
              "namespace a {\n" + Before + "\n}\nextern \"C\" {\n\n}\n");
}

TEST(DeviceSlice, NothingWhereHostCodeIsNotFound) {
  EXPECT_FALSE(Slice.cut("int main() {}\nint counter = 0;\n"));
  EXPECT_FALSE(Slice.cut("int main() { struct Host { }; int counter = 0;\n"));
  EXPECT_FALSE(Slice.cut(""));
}

TEST(NvrtcArguments, SayWhatNvccIsTold) {
  EXPECT_THAT(*nvrtcArguments({"-O3", "-std=c++20", "-I", "inc", "-DN=4", "-w",
                               "--use_fast_math", "-Xcompiler", "-Wall",
                               "-maxrregcount=64", "-lineinfo", "-lcublas"},
                              "/user"),
              ElementsAre("--std=c++20", "-I/user/inc", "-DN=4",
                          "--use_fast_math", "--maxrregcount=64",
                          "--generate-line-info"));
}

TEST(NvrtcArguments, NoneWhereNvrtcCannotBeTold) {
  for (const char *Flag : {"-G", "-rdc=true", "-dc", "-dlto", "-Xcicc=-O1"})
    EXPECT_FALSE(nvrtcArguments({Flag}, "/user")) << Flag;
}

} // namespace
