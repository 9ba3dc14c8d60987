//===- CubinTest.cpp - What a cubin holds ---------------------------------===//

#include "cudal1/Measure/Cubin.h"
#include "CubinImage.h"
#include "TestFolder.h"
#include "cudal1/Support/Process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "llvm/Support/MemoryBuffer.h"
using namespace cudal1;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

Cubin read(llvm::StringRef Image) {
  llvm::Expected<Cubin> C = readCubin(Image);
  if (!C) {
    ADD_FAILURE() << llvm::toString(C.takeError());
    return {};
  }
  return *C;
}

std::string problemOf(llvm::StringRef Image) {
  llvm::Expected<Cubin> C = readCubin(Image);
  return C ? "" : llvm::toString(C.takeError());
}

std::string hashOf(const CubinImage &Image, llvm::StringRef Kernel) {
  Cubin C = read(Image.build());
  std::optional<size_t> Found = findKernel(C, Kernel);
  if (!Found) {
    ADD_FAILURE() << "no kernel " << Kernel.str();
    return "";
  }
  return C.Kernels[*Found].CodeHash;
}

/// Two kernels, a variable that the first reaches through the table of
/// addresses, and a constant.
CubinImage example(const std::string &Code = "code of scale",
                   const std::string &OtherCode = "code of other",
                   const std::string &Variable = "Counter") {
  CubinImage Image;
  Image.addKernel("_Z5scalePfi", Code, {{0, 8}, {8, 4}}, 24);
  Image.addKernel("_Z5otherv", OtherCode);
  unsigned Counter = Image.addVariable(Variable, ".nv.global.init",
                                       std::string("\1\0\0\0", 4));
  Image.addVariable("Scale", ".nv.constant3", std::string(64, 'x'));
  Image.addSection(".nv.constant4", SHT_PROGBITS, SHF_ALLOC,
                   std::string(8, '\0'));
  Image.addRelocation(".nv.constant4", 0, Counter);
  return Image;
}

TEST(CubinTest, HoldsKernelsWithTheirParametersAndVariables) {
  Cubin C = read(example().build());
  ASSERT_EQ(C.Kernels.size(), 2u);
  EXPECT_EQ(C.Kernels[0].Name, "_Z5scalePfi");
  EXPECT_THAT(C.Kernels[0].ParameterOffsets, ElementsAre(0u, 8u));
  EXPECT_THAT(C.Kernels[0].ParameterSizes, ElementsAre(8u, 4u));
  EXPECT_EQ(C.Kernels[0].Registers, 24u);
  EXPECT_THAT(C.Kernels[1].ParameterSizes, IsEmpty());
  ASSERT_EQ(C.Globals.size(), 2u);
  EXPECT_EQ(C.Globals[0].Name, "Counter");
  EXPECT_EQ(C.Globals[0].Bytes, 4u);
  EXPECT_FALSE(C.Globals[0].Constant);
  EXPECT_EQ(C.Globals[1].Name, "Scale");
  EXPECT_TRUE(C.Globals[1].Constant);
}

TEST(CubinTest, BothAbisAreRead) {
  EXPECT_EQ(read(example().build(0x33)).Kernels.size(), 2u);
  EXPECT_EQ(read(example().build(0x41)).Kernels.size(), 2u);
}

TEST(CubinTest, WhatIsNoCubinIsAnError) {
  EXPECT_THAT(problemOf(""), HasSubstr("cannot read the cubin"));
  EXPECT_THAT(problemOf("#!/bin/sh\n"), HasSubstr("cannot read the cubin"));
  EXPECT_THAT(problemOf(std::string(4096, '\0')),
              HasSubstr("no machine code of an NVIDIA GPU"));
  EXPECT_THAT(problemOf(example().build(0x41, ET_EXEC, EM_X86_64)),
              HasSubstr("no machine code of an NVIDIA GPU"));
  EXPECT_THAT(problemOf(example().build(0)),
              HasSubstr("no machine code of an NVIDIA GPU"));
  EXPECT_THAT(problemOf(example().build(0x41, ET_REL)),
              HasSubstr("relocatable device code"));
}

TEST(CubinTest, OneCutShortAnywhereIsAnError) {
  std::string Image = example().build();
  for (size_t Size = 0; Size < Image.size(); ++Size) {
    // Of its own size, so that a sanitizer sees a read past the end.
    std::vector<char> Cut(Image.begin(), Image.begin() + Size);
    EXPECT_NE(problemOf(llvm::StringRef(Cut.data(), Cut.size())), "") << Size;
  }
}

TEST(CubinTest, OneWithAnyByteChangedIsReadOrRefused) {
  std::string Image = example().build();
  for (size_t At = 0; At < Image.size(); ++At)
    for (char New : {'\0', '\x7f', '\xff'}) {
      std::vector<char> Changed(Image.begin(), Image.end());
      Changed[At] = New;
      llvm::Expected<Cubin> C =
          readCubin(llvm::StringRef(Changed.data(), Changed.size()));
      llvm::consumeError(C.takeError());
    }
}

TEST(CubinTest, AddressesOfFunctionsInDataAreSeen) {
  EXPECT_FALSE(read(example().build()).TakesFunctionAddresses);
  CubinImage Image = example();
  unsigned Text = Image.addSection(".text._Z5twicef", SHT_PROGBITS,
                                   SHF_ALLOC | SHF_EXECINSTR, "code");
  unsigned Twice = Image.addSymbol("_Z5twicef", STT_FUNC, Text, 0, 4);
  Image.addRelocation(".debug_frame", 0, Twice);
  EXPECT_FALSE(read(Image.build()).TakesFunctionAddresses);
  Image.addRelocation(".nv.global.init", 0, Twice);
  EXPECT_TRUE(read(Image.build()).TakesFunctionAddresses);
}

TEST(CubinTest, MemoryAllocatedInKernelsIsSeen) {
  EXPECT_FALSE(read(example().build()).UsesDeviceHeap);
  CubinImage Image = example();
  Image.addSymbol("malloc", STT_FUNC, SHN_UNDEF);
  EXPECT_TRUE(read(Image.build()).UsesDeviceHeap);
}

TEST(CubinTest, HashIsTheSameForTheSameCode) {
  EXPECT_EQ(hashOf(example(), "_Z5scalePfi"), hashOf(example(), "_Z5scalePfi"));
}

TEST(CubinTest, HashDoesNotSeeAnotherKernelsCode) {
  CubinImage Changed = example("code of scale", "something longer by far");
  EXPECT_EQ(hashOf(example(), "_Z5scalePfi"), hashOf(Changed, "_Z5scalePfi"));
  EXPECT_NE(hashOf(example(), "_Z5otherv"), hashOf(Changed, "_Z5otherv"));
}

TEST(CubinTest, HashSeesWhateverTheKernelMayUse) {
  std::string Before = hashOf(example(), "_Z5scalePfi");
  std::vector<CubinImage> Others = {
      example("CODE of scale"),
      example("code of scale", "code of other", "Another")};
  for (int I = 0; I < 7; ++I)
    Others.push_back(example());
  // A device function; a shared array; local memory; constants of its own.
  Others[2].addSection(".text._Z6helperf", SHT_PROGBITS,
                       SHF_ALLOC | SHF_EXECINSTR, "helper");
  Others[3].addSection(".nv.shared._Z5scalePfi", SHT_NOBITS, SHF_ALLOC, "1234");
  Others[4].addSection(".nv.local._Z5scalePfi", SHT_NOBITS, SHF_ALLOC, "1234");
  Others[5].addSection(".nv.constant2._Z5scalePfi", SHT_PROGBITS, SHF_ALLOC,
                       "1234");
  // A variable with a value; one without; a relocation of its code.
  Others[6].addVariable("More", ".nv.constant3", "1234");
  Others[7].addVariable("More", ".nv.global", "1234");
  Others[8].addRelocation(".text._Z5scalePfi", 0, 1);
  std::set<std::string> Hashes = {Before};
  for (const CubinImage &Image : Others)
    Hashes.insert(hashOf(Image, "_Z5scalePfi"));
  EXPECT_EQ(Hashes.size(), Others.size() + 1);
}

TEST(CubinTest, HashSeesWhichVariableAnAddressIsOf) {
  auto With = [](bool Second) {
    CubinImage Image;
    Image.addKernel("k", "code");
    unsigned A = Image.addVariable("A", ".nv.global", "1234");
    unsigned B = Image.addVariable("B", ".nv.global", "1234");
    Image.addRelocation(".nv.constant4", 0, Second ? B : A);
    return hashOf(Image, "k");
  };
  EXPECT_NE(With(false), With(true));
}

TEST(CubinTest, HashSeesTheOrderOfConstants) {
  auto With = [](const char *First, const char *Second) {
    CubinImage Image;
    Image.addKernel("k", "code");
    Image.addVariable(First, ".nv.constant3", "0000");
    Image.addVariable(Second, ".nv.constant3", "0000");
    return hashOf(Image, "k");
  };
  EXPECT_NE(With("A", "B"), With("B", "A"));
}

TEST(CubinTest, HashSeesRegistersAndParameters) {
  auto With = [](uint16_t Size, uint32_t Registers) {
    CubinImage Image;
    Image.addKernel("k", "code", {{0, Size}}, Registers);
    return hashOf(Image, "k");
  };
  EXPECT_EQ(With(8, 10), With(8, 10));
  EXPECT_NE(With(8, 10), With(4, 10));
  EXPECT_NE(With(8, 10), With(8, 12));
}

TEST(CubinTest, HashDoesNotSeeFileHashesAndItsOwnName) {
  auto With = [](const std::string &Kernel, const std::string &File) {
    CubinImage Image;
    Image.addKernel(Kernel, "code");
    unsigned X = Image.addVariable("_ZN" + std::to_string(12 + File.size()) +
                                       "_GLOBAL__N__" + File + "1xE",
                                   ".nv.global", "1234");
    Image.addRelocation(".nv.constant4", 0, X);
    return hashOf(Image, Kernel);
  };
  EXPECT_EQ(With("_Z1kPfS_", "dd79b212_4_s_cu_main"),
            With("_Z1kPKfPf", "01234567_6_abc_cu_89abcdef"));
}

TEST(CubinTest, KernelIsFoundByItsNameThenWithoutHashesThenWithoutTypes) {
  Cubin C;
  for (const char *Name :
       {"_Z1kPf", "_Z1kPd", "_Z1tIfEvPT_", "_Z1tIdEvPT_",
        "_ZN29_GLOBAL__N__11111111_4_s_cu_z5innerEPf",
        "_ZN29_GLOBAL__N__11111111_4_s_cu_z5innerEPd", "_Z4onlyPKf"})
    C.Kernels.push_back({Name, "", {}, {}});
  EXPECT_EQ(findKernel(C, "_Z1kPd"), 1u);
  EXPECT_EQ(findKernel(C, "_Z1kPi"), std::nullopt); // which of the two?
  EXPECT_EQ(findKernel(C, "_Z1tIdEvPKT_"), 3u);
  EXPECT_EQ(findKernel(C, "_ZN29_GLOBAL__N__22222222_4_s_cu_z5innerEPd"), 5u);
  EXPECT_EQ(findKernel(C, "_Z4onlyPf"), 6u);
  EXPECT_EQ(findKernel(C, "_Z4nonePf"), std::nullopt);
}

TEST(CubinTest, NamesOfInternalLinkageAreThoseOfTheProgram) {
  Cubin C;
  C.Kernels.resize(2);
  C.Kernels[0].Name = "_ZN29_GLOBAL__N__dd79b212_4_s_cu_z1kEPf";
  C.Kernels[1].Name = "_Z5plainPf";
  C.Globals.resize(2);
  C.Globals[0].Name =
      "_ZN27_INTERNAL_dd79b212_4_s_cu_z29_GLOBAL__N__dd79b212_4_s_cu_z1vE";
  C.Globals[1].Name = "_ZN29_GLOBAL__N__dd79b212_4_s_cu_z5twiceE";
  static constexpr char Text[] =
      "\0_ZN29_GLOBAL__N__11111111_4_s_cu_z1kEPf\0text\0"
      "_ZN27_INTERNAL_11111111_4_s_cu_z29_GLOBAL__N__11111111_4_s_cu_z1vE\0"
      "_ZN29_GLOBAL__N__11111111_4_s_cu_z5twiceE\0"
      "_ZN29_GLOBAL__N__22222222_4_t_cu_z5twiceE\0"
      "_ZN29_GLOBAL__N__cut off";
  adoptFileHashes(C, llvm::StringRef(Text, sizeof(Text) - 1));
  EXPECT_EQ(C.Kernels[0].Name, "_ZN29_GLOBAL__N__11111111_4_s_cu_z1kEPf");
  EXPECT_EQ(C.Kernels[1].Name, "_Z5plainPf");
  EXPECT_EQ(C.Globals[0].Name, "_ZN27_INTERNAL_11111111_4_s_cu_z"
                               "29_GLOBAL__N__11111111_4_s_cu_z1vE");
  EXPECT_EQ(C.Globals[1].Name, "_ZN29_GLOBAL__N__dd79b212_4_s_cu_z5twiceE");
}

TEST(CubinTest, VariableIsFoundByItsNameThenWithoutHashes) {
  Cubin C;
  for (const char *Name : {"Counter", "_ZN29_GLOBAL__N__11111111_4_s_cu_z1xE",
                           "_ZN2ns29_GLOBAL__N__11111111_4_s_cu_z1xE"})
    C.Globals.push_back({Name, 4, false});
  EXPECT_EQ(findGlobal(C, "Counter"), 0u);
  EXPECT_EQ(findGlobal(C, "_ZN29_GLOBAL__N__22222222_4_s_cu_z1xE"), 1u);
  EXPECT_EQ(findGlobal(C, "_ZN29_GLOBAL__N__22222222_4_s_cu_z1yE"),
            std::nullopt);
}

constexpr char Source[] = R"(
struct Pair { int Count[3]; char Tag; };
__constant__ float Scale[16];
namespace { __device__ int Hidden[8]; }
__device__ __noinline__ float helper(float X) { return X * Scale[1]; }
static __global__ void k(float *P, char C, Pair Q, double D) {
  P[0] = helper(P[1]) + C + Q.Tag + D + Hidden[Q.Count[0]];
  Hidden[1] = 2;
}
void launch(float *P) { k<<<1, 1>>>(P, 'x', Pair(), 1); }
__global__ void other(float *P) { P[0] = OTHER; }
)";

class CubinOfNvccTest : public testing::Test {
protected:
  void SetUp() override {
    if (!llvm::sys::fs::can_execute(Nvcc))
      GTEST_SKIP() << "no nvcc in /usr/local/cuda";
  }
  std::string compile(const std::string &Name, const std::string &Define,
                      const std::string &Arch = "sm_90") {
    std::string File = Folder.write(Name + "/unit.cu", Source);
    std::string Image = Folder / (Name + "/unit.cubin");
    Command Cmd;
    Cmd.Argv = {Nvcc,   "-w", "-cubin", "-arch=" + Arch,
                Define, File, "-o",     Image};
    llvm::Expected<ProcessResult> Result = runCommand(Cmd);
    if (!Result)
      ADD_FAILURE() << llvm::toString(Result.takeError());
    else
      EXPECT_TRUE(Result->succeeded()) << Result->Stderr;
    return Folder.read(Name + "/unit.cubin");
  }

  const std::string Nvcc = "/usr/local/cuda/bin/nvcc";
  TestFolder Folder;
};

TEST_F(CubinOfNvccTest, IsReadAndTellsWhatChanged) {
  // Before ABI 8, with it, and with Mercury.
  for (const char *Arch : {"sm_80", "sm_90", "sm_100"}) {
    SCOPED_TRACE(Arch);
    Cubin A = read(compile("a", "-DOTHER=1", Arch));
    Cubin B = read(compile("b", "-DOTHER=2", Arch));
    ASSERT_EQ(A.Kernels.size(), 2u);
    std::optional<size_t> K = findKernel(A, "_Z1kPfc4Paird");
    ASSERT_TRUE(K);
    EXPECT_THAT(A.Kernels[*K].ParameterOffsets, ElementsAre(0u, 8u, 12u, 32u));
    EXPECT_THAT(A.Kernels[*K].ParameterSizes, ElementsAre(8u, 1u, 16u, 8u));
    EXPECT_GT(A.Kernels[*K].Registers, 0u);
    EXPECT_EQ(A.Globals.size(), 2u);
    for (const CubinKernel &Kernel : A.Kernels) {
      std::optional<size_t> Same = findKernel(B, Kernel.Name);
      ASSERT_TRUE(Same) << Kernel.Name;
      bool Changed = Kernel.Name == "_Z5otherPf";
      EXPECT_EQ(B.Kernels[*Same].CodeHash != Kernel.CodeHash, Changed)
          << Kernel.Name;
    }
    for (const CubinGlobal &Global : A.Globals)
      EXPECT_TRUE(findGlobal(B, Global.Name)) << Global.Name;
  }
}

TEST_F(CubinOfNvccTest, OneCutShortAnywhereIsAnError) {
  std::string Image = compile("a", "-DOTHER=1");
  for (size_t Size = 0; Size < Image.size(); ++Size) {
    std::vector<char> Cut(Image.begin(), Image.begin() + Size);
    EXPECT_NE(problemOf(llvm::StringRef(Cut.data(), Cut.size())), "") << Size;
  }
}

} // namespace
