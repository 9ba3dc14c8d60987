//===- LaunchTransformTest.cpp --------------------------------------------===//

#include "cudal1/Support/LaunchTransform.h"
#include "gtest/gtest.h"

using namespace cudal1;

namespace {

TEST(LaunchTransform, IdentityKeepsTheShape) {
  LaunchShape Old{{7, 5, 3}, {32, 4, 2}, 1024};
  EXPECT_EQ(LaunchTransform::identity().apply(Old), Old);
}

TEST(LaunchTransform, RecomputesTheGridForAnotherBlock) {
  LaunchTransform T = LaunchTransform::identity();
  T.Block[0] = ExtentExpr::constant(128);
  T.Grid[0] = ExtentExpr::ceilDiv(
      ExtentExpr::mul(ExtentExpr::oldGrid(0), ExtentExpr::oldBlock(0)),
      ExtentExpr::constant(128));
  LaunchShape New = T.apply({{5, 1, 1}, {192, 1, 1}, 0});
  EXPECT_EQ(New.Block[0], 128u);
  EXPECT_EQ(New.Grid[0], 8u); // ceil(960 / 128)
  EXPECT_EQ(T.Grid[0].str(), "ceil(grid.x * block.x / 128)");
}

TEST(LaunchTransform, WordsKeepTheOrderOfOperations) {
  ExtentExpr Sum =
      ExtentExpr::add(ExtentExpr::oldShared(), ExtentExpr::constant(16));
  EXPECT_EQ(ExtentExpr::mul(Sum, ExtentExpr::constant(2)).str(),
            "(shared + 16) * 2");
  EXPECT_EQ(ExtentExpr::ceilDiv(ExtentExpr::constant(9),
                                ExtentExpr::mul(ExtentExpr::oldBlock(1),
                                                ExtentExpr::constant(2)))
                .str(),
            "ceil(9 / (block.y * 2))");
}

} // namespace
