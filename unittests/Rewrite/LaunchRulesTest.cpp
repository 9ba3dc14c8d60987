//===- LaunchRulesTest.cpp ------------------------------------------------===//
//
// What a rule writes at a launch must be what its LaunchTransform computes.
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"
#include "cudal1/Rewrite/RuleList.h"

using namespace cudal1;
using namespace cudal1::testing;

namespace {

/// The shape of the first launch, all components known.
LaunchShape shapeOf(const ProgramAnalysis &A) {
  LaunchShape Shape;
  const Launch &L = *A.launches().front();
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    EXPECT_TRUE(L.GridExtent[Axis].Value.has_value());
    EXPECT_TRUE(L.BlockExtent[Axis].Value.has_value());
    Shape.Grid[Axis] = uint64_t(L.GridExtent[Axis].Value.value_or(0));
    Shape.Block[Axis] = uint64_t(L.BlockExtent[Axis].Value.value_or(0));
  }
  return Shape;
}

/// Applies every choice of every site of \p RuleName to \p Text; the shape that
/// the new source asks for must be the transform's. Returns their number.
unsigned checkAgreement(const std::string &Text, llvm::StringRef RuleName) {
  std::unique_ptr<Program> P = parseCuda(Text);
  if (!P)
    return 0;
  auto A = ProgramAnalysis::analyze(*P);
  LaunchShape Old = shapeOf(*A);
  RuleList Rules = RuleList::all();
  llvm::cantFail(Rules.select(("-*," + RuleName).str()));
  unsigned Count = 0;
  for (const Site &S : findSites(Rules, *A, FpClass::Exact, true))
    for (const RewriteParams &Params : S.Choices) {
      llvm::Expected<Edit> E = S.Apply(Params);
      if (!E) {
        ADD_FAILURE() << llvm::toString(E.takeError());
        continue;
      }
      EXPECT_TRUE(E->Launch.has_value());
      llvm::Expected<SourceOverlay> Texts = applyEdit(*P, *E);
      if (!Texts) {
        ADD_FAILURE() << llvm::toString(Texts.takeError());
        continue;
      }
      std::unique_ptr<Program> After = parseCuda(Texts->at(MainFile));
      if (!After)
        continue;
      LaunchShape New = shapeOf(*ProgramAnalysis::analyze(*After));
      EXPECT_EQ(E->Launch->apply(Old), New) << Texts->at(MainFile) << "\n"
                                            << E->Launch->str();
      ++Count;
    }
  return Count;
}

constexpr char Scale[] = R"(
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}
)";

TEST(LaunchRules, BlockSizeWritesTheShapeOfItsTransform) {
  for (const char *Shape :
       {"1000, 256", "7, 128", "1, 64", "13, 1024", "(3), (32)"})
    EXPECT_GT(checkAgreement(std::string(Scale) + "int main() { scale<<<" +
                                 Shape + ">>>(nullptr, 5); }",
                             "block-size"),
              0u)
        << Shape;
}

constexpr char Plane[] = R"(
__global__ void plane(float *a, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    a[x * h + y] = 1.0f;
}
)";

TEST(LaunchRules, TwoDimensionsAgreeToo) {
  for (const char *Rule : {"block-size", "swap-thread-indices"}) {
    EXPECT_GT(checkAgreement(std::string(Plane) +
                                 "int main() { plane<<<dim3(7, 5), dim3(16, "
                                 "16)>>>(nullptr, 5, 5); }",
                             Rule),
              0u);
    EXPECT_GT(checkAgreement(std::string(Plane) +
                                 "int main() { const dim3 b(64, 4), g(7, 5, "
                                 "3); plane<<<g, b>>>(nullptr, 5, 5); }",
                             Rule),
              0u);
  }
  EXPECT_EQ(checkAgreement(std::string(Plane) +
                               "int main() { dim3 b(32, 8); plane<<<dim3(3, 9),"
                               " b>>>(nullptr, 5, 5); }",
                           "swap-thread-indices"),
            1u);
}

/// A matrix product under \p Guard, launched by \p Main.
std::string product(const std::string &Guard, const std::string &Main) {
  return R"(
__global__ void product(const float *__restrict__ a, const float *b,
                        float *__restrict__ c, int m, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  )" + Guard +
         R"( {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}
int main() { )" +
         Main + "}";
}

TEST(LaunchRules, TilesAgreeToo) {
  // The transform knows the threads that are started, the text how many are
  // needed: no author's grid here has a block too many.
  EXPECT_GT(
      checkAgreement(product("if (row < m && col < n)",
                             "product<<<dim3(13, 40), dim3(16, 8)>>>(0, 0, 0, "
                             "319, 200);"),
                     "tile-contraction"),
      4u);
  EXPECT_GT(checkAgreement(product("", "dim3 b(32, 4), g(7, 50, 3); "
                                       "product<<<g, b>>>(0, 0, 0, 200, 224);"),
                           "tile-contraction"),
            4u);
}

TEST(LaunchRules, TransposeThroughSharedWritesTheShapeOfItsTransform) {
  constexpr char Transpose[] = R"(
__global__ void transpose(const float *__restrict__ in, float *__restrict__ out,
                          int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}
)";
  for (const char *Shape :
       {"dim3(8, 16), dim3(16, 16)", "dim3(4, 32), dim3(32, 8)"})
    EXPECT_GT(checkAgreement(std::string(Transpose) +
                                 "int main() { transpose<<<" + Shape +
                                 ">>>(nullptr, nullptr, 128, 256); }",
                             "transpose-through-shared"),
              0u)
        << Shape;
}

TEST(LaunchRules, CoarsenThreadWritesTheShapeOfItsTransform) {
  for (const char *Shape : {"4, 256", "7, 128", "(3), (32)"})
    EXPECT_EQ(checkAgreement(std::string(Scale) + "int main() { scale<<<" +
                                 Shape + ">>>(nullptr, 5); }",
                             "coarsen-thread"),
              3u)
        << Shape;
}

} // namespace
