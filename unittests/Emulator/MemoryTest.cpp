//===- MemoryTest.cpp - Allocations and the checks of accesses ------------===//

#include "DeviceMemory.h"
#include "HostMemory.h"
#include "TestKernel.h"
#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>

using namespace cudal1::emulator;
using testing::HasSubstr;

namespace {

/// A new place for each test: findings are reported once for each place.
const SourceSite *freshSite(uint32_t Alignment = 4) {
  static uint32_t Line = 100;
  return new SourceSite{"check.cu", "kernel", ++Line, 1, 0, Alignment};
}

/// What the checks say of a kernel of one thread.
std::string findingsOfKernel(std::function<void()> Body,
                             LaunchResult Expected = LaunchResult::Done) {
  WithSettings Settings;
  TestKernel Kernel(std::move(Body), 0);
  return findingsOf([&] { EXPECT_EQ(Kernel.run(1, 1), Expected); });
}

char *device(uint64_t Bytes, MemoryKind Kind = MemoryKind::Device) {
  return static_cast<char *>(memory::allocate(Bytes, Kind));
}

TEST(DeviceMemory, AllocationsAreAlignedFreshAndApart) {
  char *A = device(100), *B = device(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(A) % 512, 0u);
  EXPECT_GE(B - A, 100 + 256);
  float Value;
  std::memcpy(&Value, A, 4);
  EXPECT_NE(Value, Value);
  EXPECT_TRUE(memory::release(A));
  EXPECT_FALSE(memory::release(A));
  EXPECT_FALSE(memory::release(B + 1));
  EXPECT_TRUE(memory::release(B));
}

TEST(DeviceMemory, CountsWhatIsInUseAndRefusesMoreThanThereIs) {
  uint64_t Before = memory::bytesInUse();
  char *A = device(1 << 20);
  EXPECT_EQ(memory::bytesInUse(), Before + (1 << 20));
  EXPECT_EQ(device(memory::totalBytes()), nullptr);
  memory::release(A);
  EXPECT_EQ(memory::bytesInUse(), Before);
}

TEST(DeviceMemory, UsesAddressesAgainAfterAWhile) {
  constexpr uint64_t Large = uint64_t(32) << 20;
  std::set<void *> Seen;
  uint64_t Rounds = 0;
  while (true) {
    void *A = memory::allocate(Large, MemoryKind::Pinned);
    ASSERT_NE(A, nullptr);
    memory::release(A);
    if (!Seen.insert(A).second)
      break;
    ASSERT_LT(++Rounds, 40u);
  }
  EXPECT_GT(Rounds, 4u);
  // What was freed last is still known as such.
  void *A = memory::allocate(64, MemoryKind::Device);
  memory::release(A);
  EXPECT_FALSE(memory::find(A)->Live);
}

TEST(DeviceMemory, KnowsWhatIsAccessible) {
  char *A = device(100);
  EXPECT_TRUE(memory::isAccessible(A, 100));
  EXPECT_FALSE(memory::isAccessible(A, 101));
  EXPECT_TRUE(memory::isAccessible(A + 50, 50));
  int Local = 0;
  EXPECT_TRUE(memory::isAccessible(&Local, 4));
  EXPECT_FALSE(memory::isAccessible(nullptr, 4));
  memory::release(A);
  EXPECT_FALSE(memory::isAccessible(A, 1));
}

TEST(Checks, AcceptWhatIsRight) {
  char *A = device(64);
  EXPECT_EQ(findingsOfKernel([=] {
              int Local = 0;
              cudal1_emu_check_store(A, 16, freshSite(16));
              cudal1_emu_check_load(A + 4, 4, freshSite());
              cudal1_emu_check_atomic(A + 8, 8, freshSite(8));
              cudal1_emu_check_store(&Local, 4, freshSite());
              cudal1_emu_check_load("text", 4, freshSite(1));
            }),
            "");
}

TEST(Checks, TellHowFarOutsideAnAccessIs) {
  char *A = device(4096);
  std::string Number =
      " (number " + std::to_string(memory::find(A)->Number) + ")";
  EXPECT_THAT(
      findingsOfKernel(
          [=] { cudal1_emu_check_load(A + 4108, 4, freshSite()); }),
      HasSubstr("4 bytes read 12 bytes past the end of a 4096-byte allocation" +
                Number));
  EXPECT_THAT(findingsOfKernel(
                  [=] { cudal1_emu_check_store(A + 4096, 1, freshSite()); }),
              HasSubstr("1 byte written directly past the end of a 4096-byte"));
  EXPECT_THAT(
      findingsOfKernel([=] { cudal1_emu_check_store(A - 8, 4, freshSite()); }),
      HasSubstr("4 bytes written 8 bytes before the start of a 4096-byte"));
  EXPECT_THAT(findingsOfKernel(
                  [=] { cudal1_emu_check_store(A + 4092, 8, freshSite()); }),
              HasSubstr("at byte 4092 of a 4096-byte allocation" + Number +
                        ", 4 bytes past its end"));
}

TEST(Checks, FindUseAfterFree) {
  char *A = device(64);
  memory::release(A);
  std::string Findings =
      findingsOfKernel([=] { cudal1_emu_check_load(A, 4, freshSite()); });
  EXPECT_THAT(Findings, HasSubstr("\"kind\": \"use-after-free\""));
  EXPECT_THAT(Findings, HasSubstr("which was freed"));
}

TEST(Checks, FindUninitialisedMemoryByTheByte) {
  char *A = device(64);
  std::string Findings = findingsOfKernel([=] {
    cudal1_emu_check_store(A, 6, freshSite(1));
    cudal1_emu_check_load(A, 4, freshSite());
    cudal1_emu_check_load(A + 4, 4, freshSite());
  });
  EXPECT_THAT(Findings, HasSubstr("4 bytes read at byte 4 of a 64-byte"));
  EXPECT_THAT(Findings, HasSubstr("never written before"));
  memory::markInitialized(A, 64);
  EXPECT_EQ(
      findingsOfKernel([=] { cudal1_emu_check_load(A, 16, freshSite()); }), "");
}

TEST(Checks, UninitialisedBytesTravelWithCopies) {
  char *A = device(16), *B = device(16);
  std::string Findings = findingsOfKernel([=] {
    cudal1_emu_check_store(A, 4, freshSite());
    cudal1_emu_memcpy(B, A, 16, freshSite(1));
    cudal1_emu_check_load(B, 4, freshSite());
  });
  EXPECT_EQ(Findings, "");
  EXPECT_THAT(
      findingsOfKernel([=] { cudal1_emu_check_load(B + 8, 4, freshSite()); }),
      HasSubstr("never written before"));
  EXPECT_EQ(findingsOfKernel([=] {
              cudal1_emu_memset(B, 0, 16, freshSite(1));
              cudal1_emu_check_load(B + 8, 4, freshSite());
            }),
            "");
}

TEST(Checks, DemandNoMoreAlignmentThanTheLargestVectorHas) {
  char *A = device(64);
  memory::markInitialized(A, 64);
  EXPECT_EQ(findingsOfKernel(
                [=] { cudal1_emu_check_load(A + 16, 4, freshSite(32)); }),
            "");
}

TEST(Checks, FindAMisalignedVectorByItsFirstElement) {
  char *A = device(64);
  memory::markInitialized(A, 64);
  EXPECT_THAT(
      findingsOfKernel([=] { cudal1_emu_check_load(A + 4, 4, freshSite(16)); }),
      HasSubstr("the address must be a multiple of 16"));
}

TEST(Checks, FindMisalignedVectors) {
  char *A = device(64);
  memory::markInitialized(A, 64);
  EXPECT_THAT(findingsOfKernel(
                  [=] { cudal1_emu_check_load(A + 4, 16, freshSite(16)); }),
              HasSubstr("the address must be a multiple of 16"));
}

TEST(Checks, ANullPointerEndsTheLaunch) {
  EXPECT_THAT(
      findingsOfKernel([] { cudal1_emu_check_load(nullptr, 4, freshSite()); },
                       LaunchResult::IllegalAddress),
      HasSubstr("through a null pointer"));
}

TEST(Checks, HostMemoryIsIllegalUnlessItIsRegistered) {
  auto Host = std::make_unique<char[]>(1 << 20);
  char *A = Host.get();
  EXPECT_THAT(
      findingsOfKernel([=] { cudal1_emu_check_load(A, 4, freshSite()); },
                       LaunchResult::IllegalAddress),
      HasSubstr("which is memory of the host"));
  host::registerRange(A, 1 << 20);
  EXPECT_EQ(findingsOfKernel([=] { cudal1_emu_check_load(A, 4, freshSite()); }),
            "");
  EXPECT_TRUE(host::unregisterRange(A));
}

int Table[8];
const VariableInfo Variables[] = {{"_ZN1a5tableE", Table, sizeof Table, 0, 0}};
const ModuleInfo Module = {nullptr, 0, Variables, 1};

TEST(Checks, KnowDeviceVariables) {
  cudal1_emu_register_module(&Module);
  EXPECT_EQ(findVariable("_ZN1a5tableE"), Variables);
  EXPECT_EQ(findingsOfKernel(
                [] { cudal1_emu_check_load(Table + 7, 4, freshSite()); }),
            "");
  EXPECT_THAT(
      findingsOfKernel(
          [] { cudal1_emu_check_load(Table + 7, 8, freshSite()); }),
      HasSubstr("of device variable 'a::table' (32 bytes), 4 bytes past"));
}

TEST(Checks, NameSharedArrays) {
  WithSettings Settings;
  uint32_t Tile = 0;
  TestKernel Kernel([&] {
    int *Values = shared<int>(Tile);
    cudal1_emu_check_store(Values + threadX(), 4, freshSite());
    cudal1_emu_check_load(Values + threadX(), 4, freshSite());
    barrier();
    if (threadX() == 0) {
      cudal1_emu_check_load(Values + 33, 4, freshSite());
      cudal1_emu_check_load(shared<int>(Kernel.Info.DynamicSharedOffset) + 2, 4,
                            freshSite());
    }
  });
  Kernel.addShared("other", 64);
  Tile = Kernel.addShared("_ZZ6kernelPfE4tile", 128);
  std::string Findings =
      findingsOf([&] { EXPECT_EQ(Kernel.run(1, 32, 8), LaunchResult::Done); });
  EXPECT_THAT(Findings, HasSubstr("4 bytes read 4 bytes past the end of shared "
                                  "array 'tile' (128 bytes)"));
  EXPECT_THAT(Findings, HasSubstr("directly past the end of the dynamic shared "
                                  "memory (8 bytes)"));
  EXPECT_THAT(Findings, HasSubstr("\"thread\": [0,0,0]"));
}

TEST(Checks, ReportAPlaceOnce) {
  char *A = device(64);
  const SourceSite *Site = freshSite();
  std::string Findings = findingsOfKernel([=] {
    for (int I = 0; I < 100; ++I)
      cudal1_emu_check_load(A + 64 + 4 * I, 4, Site);
  });
  EXPECT_EQ(std::count(Findings.begin(), Findings.end(), '\n'), 1);
}

} // namespace
