//===- ReplayProgramsTest.cpp - Programs that replay can hold, or cannot --===//

#include "ReplayBench.h"

using namespace cudal1;
using testing::HasSubstr;

namespace {

TEST(ReplayPrograms, StateThatDoesNotFitBesideTheProgramIsKeptElsewhere) {
  Bench S;
  // The program takes nearly all of it: nothing is left for copies.
  S.ForProgram.Run.Environment = {"FAKE_GPU_MEMORY=16777216"};
  std::string Text = with("cudaMalloc(&bystander, sizeof(host));",
                          "cudaMalloc(&bystander, (16 << 20) - (3 << 20));");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayPrograms, StateThatFitsNowhereIsNotReplayed) {
  Bench S;
  S.ForProgram.Run.Environment = {"FAKE_GPU_MEMORY=16777216",
                                  "FAKE_GPU_HOST_MEMORY=1048576"};
  std::string Text = with("cudaMalloc(&bystander, sizeof(host));",
                          "cudaMalloc(&bystander, (16 << 20) - (3 << 20));");
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("memory cannot be saved: neither the GPU nor"));
}

TEST(ReplayPrograms, AProgramThatForksIsReplayed) {
  Bench S;
  std::string Text =
      with("  float *in, *out, *bystander;",
           "  float *in, *out, *bystander;\n  cudaDeviceSynchronize();\n"
           "  if (fork() == 0)\n    _exit(0);\n  wait(nullptr);",
           with("#include <unistd.h>",
                "#include <sys/wait.h>\n#include <unistd.h>"));
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayPrograms, AProgramThatIsKilledBeforeTheLaunchIsNotReplayed) {
  Bench S;
  std::string Text =
      with("  for (int i = 0; i < 3; ++i) {",
           "  const char *mode = getenv(\"CUDAL1_MODE\");\n"
           "  if (mode && !strcmp(mode, \"replay\"))\n"
           "    kill(getpid(), SIGKILL);\n  for (int i = 0; i < 3; ++i) {",
           with("#include <cstdio>", "#include <csignal>\n#include <cstdio>"));
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("was killed by signal 9 (Killed) before launch 1"));
}

TEST(ReplayPrograms, TimesThatAnotherProcessDisturbsAreSaidToBe) {
  Bench S;
  // A seventh more on some launches than on others.
  std::string Text =
      with("  fakeWork(60);\n",
           "  fakeWork(60);\n  if (i == 0) {\n    static unsigned turn = 1;\n"
           "    turn = turn * 1664525 + 1013904223;\n"
           "    fakeWork((turn >> 24) * 40);\n  }\n");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(59);", Text));
  EXPECT_TRUE(isRight(M.Outcome)) << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("is another process using the GPU?"));
}

TEST(ReplayPrograms, SentinelsDoNotHideFaultsElsewhere) {
  Bench S;
  std::string Text = with("out[i] = in[i] * a + offsets[i % 4];",
                          "out[i] = i % 2 ? 1e30f : in[i] * a;");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("in[i] * a;", "in[i] * a * 1.001f;", Text),
                            FpClass::Reassociate);
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayPrograms, PointersToVariablesAreNotReplayed) {
  Bench S;
  std::string Text =
      with("__device__ int launches;",
           "__device__ int launches;\n__device__ float *there = offsets + 1;");
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("holds a pointer to the variable offsets"));
}

TEST(ReplayPrograms, PointersToVariablesInConstantsAreNotReplayed) {
  Bench S;
  std::string Text =
      with("__device__ int launches;",
           "__device__ int launches;\n__constant__ int *there = &launches;");
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("holds a pointer to the variable launches"));
}

TEST(ReplayPrograms, ConstantsOfTheProgramAreThoseOfItsVariants) {
  Bench S;
  std::string Text =
      with("__device__ float offsets", "__constant__ float offsets");
  Text = with("  float *in, *out, *bystander;",
              "  float *in, *out, *bystander;\n  offsets[1] = 0.5f;", Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayPrograms, PointersToVariablesInBuffersAreNotReplayed) {
  Bench S;
  std::string Text = with("  for (int i = 0; i < 3; ++i) {",
                          "  int *there = &launches;\n"
                          "  cudaMemcpy(bystander + 2, &there, 8, "
                          "cudaMemcpyHostToDevice);\n"
                          "  for (int i = 0; i < 3; ++i) {");
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("holds a pointer to the variable launches"));
}

TEST(ReplayPrograms, BuffersBehindMembersOfArgumentsHaveTheirTypes) {
  Bench S;
  S.ForReplay.Members["_Z5scale11TwoPointersPKffi"] = {
      {0, 0, {ElementType::Float}}};
  std::string Text =
      with("void scale(float *out,", "void scale(TwoPointers o,");
  Text = with("out[i] = in[i] * a", "((float *)o.First)[i] = in[i] * a", Text);
  Text = with("    scale<<<(n + 127) / 128, 128>>>(out,",
              "    scale<<<(n + 127) / 128, 128>>>(both,", Text);
  Text = with("    scale<<<4, 64>>>(out,", "    scale<<<4, 64>>>(both,", Text);
  Text = with("  for (int i = 0; i < 3; ++i) {",
              "  TwoPointers both = {out, nullptr};\n"
              "  for (int i = 0; i < 3; ++i) {",
              Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("in[i] * a", "in[i] * a * 1.0000001f", Text),
                            FpClass::Reassociate);
  EXPECT_TRUE(isRight(M.Outcome)) << evidence(M);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
  M = S.measure(with("in[i] * a", "in[i] * a * 1.01f", Text),
                FpClass::Reassociate);
  EXPECT_VERDICT(M, Verdict::WrongResult);
  EXPECT_THAT(evidence(M), HasSubstr("a buffer in argument 1"));
}

TEST(ReplayPrograms, AVariableBehindAMemberOfAnArgumentIsNotReplayed) {
  Bench S;
  std::string Text =
      with("void scale(float *out,", "void scale(TwoPointers o,");
  Text = with("out[i] = in[i]", "((float *)o.First)[i] = in[i]", Text);
  Text = with("    scale<<<(n + 127) / 128, 128>>>(out,",
              "    scale<<<(n + 127) / 128, 128>>>(both,", Text);
  Text = with("    scale<<<4, 64>>>(out,", "    scale<<<4, 64>>>(both,", Text);
  Text = with("  for (int i = 0; i < 3; ++i) {",
              "  TwoPointers both = {out, &launches};\n"
              "  for (int i = 0; i < 3; ++i) {",
              Text);
  EXPECT_THAT(whyNotReplayed(S, Text),
              HasSubstr("an argument points into the variable launches"));
}

TEST(ReplayPrograms, MemoryThatCannotBeSavedIsNamed) {
  auto WithMemory = [](const std::string &Call) {
    return with("  cudaMalloc(&bystander, sizeof(host));",
                "  " + Call + "((void **)&bystander, sizeof(host));");
  };
  Bench Gpus, Processes, Plain;
  EXPECT_THAT(whyNotReplayed(Gpus, WithMemory("fakeMemoryOfOtherGpu")),
              HasSubstr("has memory on several GPUs"));
  EXPECT_THAT(whyNotReplayed(Processes, WithMemory("fakeMemoryOfOtherProcess")),
              HasSubstr("memory of another process"));
  Plain.ForProgram.Run.Environment = {"FAKE_GPU_PAGEABLE=1"};
  EXPECT_THAT(whyNotReplayed(Plain, with("  float *in, *out, *bystander;",
                                         "  float *in, *out, *bystander;",
                                         with("cudaMalloc(&in, sizeof(host));",
                                              "in = (float *)malloc(sizeof("
                                              "host));"))),
              HasSubstr("plain memory of the host"));
}

TEST(ReplayPrograms, MappedMemoryThatNoArgumentShowsIsPutBack) {
  Bench S;
  // Each launch adds to it, by a pointer in a device variable.
  std::string Text =
      with("__device__ int launches;",
           "__device__ int launches;\n__device__ float *hidden;");
  Text = with("cudaMalloc(&out, sizeof(host));",
              "cudaMalloc(&out, sizeof(host));\n"
              "  fakeMappedMemory((void **)&hidden, sizeof(host));\n"
              "  cudaMemcpy(hidden, host, sizeof(host), "
              "cudaMemcpyHostToDevice);",
              Text);
  Text = with("in[i] * a +", "(hidden[i] += 1) + in[i] * a +", Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
  EXPECT_VERDICT(S.measure(with("hidden[i] += 1", "1", Text)),
                 Verdict::WrongResult);
}

TEST(ReplayPrograms, WhatTheProgramSetsForAFunctionItsVariantsGet) {
  Bench S;
  // A cluster of sixteen blocks: cluster dimension and function attribute.
  std::string Text = with("    scale<<<(n + 127) / 128, 128>>>(",
                          "    fakeFunctionAttribute((void *)scale, 14, 1);\n"
                          "    fakeAttribute(4, 16, 1, 1);\n"
                          "    scale<<<16, 64>>>(");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
}

TEST(ReplayPrograms, MemoryThatIsReadByAHiddenPointerIsNotPoisoned) {
  Bench S;
  // The second half of the output is an input, which no parameter shows.
  std::string Text =
      with("__device__ int launches;",
           "__device__ int launches;\n__device__ float *hidden;");
  Text = with("cudaMalloc(&out, sizeof(host));",
              "cudaMalloc(&out, 2 * sizeof(host));\n  hidden = out + n;\n"
              "  cudaMemcpy(hidden, host, sizeof(host), "
              "cudaMemcpyHostToDevice);",
              Text);
  Text = with("in[i] * a +", "in[i] * a + hidden[i] +", Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("a poisoned output"));
  EXPECT_THAT(evidence(M), HasSubstr("on 4 data sets"));
  EXPECT_VERDICT(S.measure(with("hidden[i]", "hidden[i] * 1.01f", Text),
                           FpClass::Reassociate),
                 Verdict::WrongResult);
}

TEST(ReplayPrograms, OfAKernelThatIsNotLaunchedNothingIsSaid) {
  Bench S;
  std::string Text = with("int main() {", "__global__ void idle(float *data) "
                                          "{ data[0] = 1; }\n\nint main() {");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("data[0] = 1", "data[0] = 2", Text));
  EXPECT_VERDICT(M, Verdict::Unsupported);
  EXPECT_EQ(M.Engine, "replay");
  EXPECT_THAT(evidence(M), HasSubstr("the program does not launch it"));
  M = S.measure(with("data[0] = 1", "data[0] = 2",
                     with("fakeWork(60);", "fakeWork(10);", Text)));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_THAT(evidence(M), HasSubstr("the program does not launch it"));
}

TEST(ReplayPrograms, ALaunchInAnotherShapeIsTriedAgain) {
  Bench S;
  std::string Count = S.Folder / "count";
  S.ForProgram.Run.Environment = {"COUNT=" + Count};
  // The first process that is held launches with shared memory.
  std::string Text = with(
      "  for (int i = 0; i < 3; ++i) {\n    scale<<<(n + 127) / 128, 128>>>(",
      "  const char *mode = getenv(\"CUDAL1_MODE\");\n"
      "  bool first = mode && !strcmp(mode, \"replay\") && "
      "access(getenv(\"COUNT\"), F_OK) != 0;\n"
      "  if (first)\n    fclose(fopen(getenv(\"COUNT\"), \"w\"));\n"
      "  for (int i = 0; i < 3; ++i) {\n"
      "    scale<<<(n + 127) / 128, 128, first ? 64 : 0>>>(");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("fakeWork(60);", "fakeWork(10);", Text));
  EXPECT_VERDICT(M, Verdict::Faster);
  EXPECT_EQ(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("on 4 data sets"));
  EXPECT_TRUE(llvm::sys::fs::exists(Count));
}

TEST(ReplayPrograms, KernelsOfGraphsGoToTheProgram) {
  Bench S;
  std::string Text = with("for (int i = 0; i < 3; ++i) {",
                          "fakeBeginCapture(); shift<<<1, 1>>>(in, 1); "
                          "fakeEndCapture(); fakeLaunchGraph();\n"
                          "  for (int i = 0; i < 3; ++i) {");
  Text = with("    shift<<<(n + 127) / 128, 128>>>(in, n);\n", "", Text);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("data[i] + 1", "data[i] + 2", Text));
  EXPECT_NE(M.Engine, "replay") << evidence(M);
}

TEST(ReplayPrograms, WhereNothingCanBeComparedNothingIsProved) {
  Bench S;
  // A bystander of which nobody says what it is, and that holds the result
  // already.
  std::string Text = with("data[i] = data[i] + 1", "data[i] = 7");
  Text = with("shift<<<(n + 127) / 128, 128>>>(in, n)",
              "shift<<<1, 1>>>(bystander, 1)", Text);
  Text = with("  for (int i = 0; i < 3; ++i) {",
              "  host[0] = 7;\n  cudaMemcpy(bystander, host, 4, "
              "cudaMemcpyHostToDevice);\n  for (int i = 0; i < 3; ++i) {",
              Text);
  S.ForReplay.Parameters.erase(Shift);
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("data[i] = 7", "(void)data[i]", Text));
  EXPECT_NE(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M),
              HasSubstr("nothing is known that the kernel writes"));
}

TEST(ReplayPrograms, ResultsThatChangeByThemselvesAreNotJudgedByReplay) {
  Bench S;
  std::string Text =
      with("data[i] = data[i] + 1;",
           "{ static float turn; data[i] = data[i] + (turn += 1); }");
  S.Folder.write("user/file.cu", Text);
  S.prepare();
  Measurement M = S.measure(with("(turn += 1)", "(turn += 2)", Text));
  EXPECT_NE(M.Engine, "replay") << evidence(M);
  EXPECT_THAT(evidence(M), HasSubstr("different results"));
}

} // namespace
