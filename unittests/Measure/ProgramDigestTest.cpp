//===- ProgramDigestTest.cpp - Do two programs run the same code? ---------===//

#include "cudal1/Measure/ProgramDigest.h"
#include "TestFolder.h"
#include "gtest/gtest.h"

using namespace cudal1;

namespace {

std::string contentsOf(llvm::StringRef Path) {
  auto File = llvm::MemoryBuffer::getFile(Path);
  return File ? (*File)->getBuffer().str() : std::string();
}

TEST(ProgramDigestTest, SameProgramHasTheSameDigestWhereverItLies) {
  TestFolder Folder;
  std::string Copy = Folder.write("copy", contentsOf(CUDAL1_EMIT_TRACE));
  std::optional<std::string> Digest = programDigest(CUDAL1_EMIT_TRACE);
  ASSERT_TRUE(Digest);
  EXPECT_EQ(programDigest(Copy), Digest);
}

TEST(ProgramDigestTest, ChangedConstantChangesTheDigest) {
  TestFolder Folder;
  std::string Contents = contentsOf(CUDAL1_EMIT_TRACE);
  size_t At = Contents.find("CUDAL1TR");
  ASSERT_NE(At, std::string::npos);
  Contents[At] = 'X';
  EXPECT_NE(programDigest(Folder.write("copy", Contents)),
            programDigest(CUDAL1_EMIT_TRACE));
}

TEST(ProgramDigestTest, WhatIsNoProgramHasNone) {
  TestFolder Folder;
  EXPECT_FALSE(programDigest(Folder / "missing"));
  EXPECT_FALSE(programDigest(Folder.write("script", "#!/bin/sh\n")));
  EXPECT_FALSE(programDigest(Folder.write("empty", "")));
  std::string Cut = contentsOf(CUDAL1_EMIT_TRACE).substr(0, 100);
  EXPECT_FALSE(programDigest(Folder.write("cut", Cut)));
}

} // namespace
