//===- ContractionTest.cpp ------------------------------------------------===//

#include "cudal1/Analysis/Contraction.h"
#include "../ParseCuda.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

using namespace cudal1;

namespace {

class Contraction : public ::testing::Test {
protected:
  /// The nest of a kernel with parameters of the usual names and this body.
  std::optional<ContractionNest> find(const std::string &Body,
                                      BlockExtents Block = {}) {
    P = cudal1::testing::parseCuda(
        "__global__ void kernel(const float *A, const float *B, float *C, "
        "int M, int N, int K, int lda) {\n" +
        Body + "\n}\n");
    if (!P)
      return std::nullopt;
    A = ProgramAnalysis::analyze(*P);
    this->K = A->kernels().front().get();
    return findContraction(*this->K, Block, Obstacle);
  }
  /// The same with the usual row, column and guard around \p Inner.
  std::optional<ContractionNest> findGuarded(const std::string &Inner) {
    return find("int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
                "int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "if (row < M && col < N) {\n" +
                Inner + "\n}");
  }
  std::string str(const Polynomial &P) const { return K->Symbols.str(P); }

  std::unique_ptr<Program> P;
  std::unique_ptr<ProgramAnalysis> A;
  const Kernel *K = nullptr;
  std::string Obstacle;
};

TEST_F(Contraction, SumsInALocalVariable) {
  auto N = findGuarded("float sum = 0;\n"
                       "for (int k = 0; k < K; ++k)\n"
                       "  sum += A[row * lda + k] * B[k * N + col];\n"
                       "C[row * N + col] = sum;");
  ASSERT_TRUE(N) << Obstacle;
  EXPECT_EQ(N->Rows.Axis, 1u);
  EXPECT_EQ(N->Columns.Axis, 0u);
  EXPECT_EQ(N->Sum->getName(), "sum");
  EXPECT_EQ(N->Left.Access->Base->getName(), "A");
  EXPECT_EQ(str(N->Left.AlongCoordinate), "lda");
  EXPECT_EQ(str(N->Left.AlongK), "1");
  EXPECT_EQ(str(N->Right.AlongCoordinate), "1");
  EXPECT_EQ(str(N->Right.AlongK), "N");
  EXPECT_EQ(N->Epilogue.size(), 1u);
  EXPECT_TRUE(N->IsPlainProduct);
  EXPECT_FALSE(N->Subtracts);
  ASSERT_EQ(N->Rows.Guards.size(), 1u);
  EXPECT_EQ(str(N->Rows.Guards.front().BoundForm), "M");
}

TEST_F(Contraction, SumsInTheOutput) {
  auto N =
      findGuarded("C[row * N + col] *= 2.0f;\n"
                  "for (int k = 0; k < K; ++k)\n"
                  "  C[row * N + col] -= B[k * N + col] * A[k * M + row];");
  ASSERT_TRUE(N) << Obstacle;
  EXPECT_EQ(N->Sum, nullptr);
  EXPECT_EQ(N->SumElements.size(), 1u);
  EXPECT_TRUE(N->FirstUpdate);
  EXPECT_TRUE(N->Subtracts);
  EXPECT_EQ(N->Left.Access->Base->getName(), "A");
  EXPECT_EQ(str(N->Left.AlongK), "M");
}

TEST_F(Contraction, ColumnsAreWhatIsContiguousInTheOutput) {
  auto N = find("int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
                "if (i >= M || N <= j) return;\n"
                "float sum = 0;\n"
                "for (int k = 0; k < K; ++k) {\n"
                "  const int at = i * K + k;\n"
                "  float x = A[at], y = B[j * K + k];\n"
                "  sum = fmaf(x, y, sum);\n"
                "}\n"
                "C[i * N + j] = sum;");
  ASSERT_TRUE(N) << Obstacle;
  EXPECT_EQ(N->Rows.Axis, 0u);
  EXPECT_EQ(N->Rows.Variables.front()->getName(), "i");
  EXPECT_EQ(str(N->Right.AlongCoordinate), "K");
  EXPECT_EQ(N->Body.size(), 3u);
}

TEST_F(Contraction, BlocksOfAConstantSizeMakeThreadNumbers) {
  std::string Body = "int row = blockIdx.y * 16 + threadIdx.y;\n"
                     "int col = blockIdx.x * 16 + threadIdx.x;\n"
                     "if (row < M && col < N) {\n"
                     "  float sum = 0;\n"
                     "  for (int k = 0; k < K; ++k)\n"
                     "    sum += A[row * K + k] * B[k * N + col];\n"
                     "  C[row * N + col] = sum;\n"
                     "}";
  EXPECT_TRUE(find(Body, BlockExtents{16, 16})) << Obstacle;
  EXPECT_FALSE(find(Body, BlockExtents{32, 16}));
  EXPECT_FALSE(find(Body));
}

TEST_F(Contraction, OtherFactorsNeedAnExactEnd) {
  auto N = findGuarded("float sum = 0, alpha = 2;\n"
                       "for (int k = 0; k < K; ++k)\n"
                       "  sum += alpha * A[row * K + k] * B[k * N + col];\n"
                       "C[row * N + col] = sum;");
  ASSERT_TRUE(N) << Obstacle;
  EXPECT_FALSE(N->IsPlainProduct);
}

TEST_F(Contraction, OtherArithmeticOfTwoElements) {
  auto N = findGuarded("float sum = 0;\n"
                       "for (int k = 0; k < K; ++k)\n"
                       "  sum += (A[row * K + k] - B[k * N + col]) *\n"
                       "         (A[row * K + k] - B[k * N + col]);\n"
                       "C[row * N + col] = sum;");
  ASSERT_TRUE(N) << Obstacle;
  EXPECT_FALSE(N->IsPlainProduct);
  EXPECT_EQ(N->Left.Mentions.size(), 2u);
  EXPECT_EQ(N->Right.Mentions.size(), 2u);
}

TEST_F(Contraction, SaysWhatIsInTheWay) {
  auto Why = [&](const std::string &Loop) {
    EXPECT_FALSE(
        findGuarded("float sum = 0;\n" + Loop + "\nC[row * N + col] = sum;"));
    return Obstacle;
  };
  EXPECT_EQ(Why("for (int k = 0; k < row; ++k)\n"
                "  sum += A[row * K + k] * B[k * N + col];"),
            "the loop does not count from 0 to a bound common to all threads");
  EXPECT_EQ(Why("for (int k = 0; k < K; ++k)\n"
                "  sum += A[row * K + k] * B[k];"),
            "a factor depends on both row and column, or on neither");
  EXPECT_EQ(Why("for (int k = 0; k < K; ++k)\n"
                "  sum += A[row * K + k] * B[k * N + col] * A[k * K + row];"),
            "the loop combines more than two elements");
  EXPECT_EQ(Why("for (int k = 0; k < K; ++k) {\n"
                "  sum += A[row * K + k] * B[k * N + col];\n"
                "  if (sum > 1) break;\n"
                "}"),
            "the loop does not count from 0 to a bound common to all threads");
}

} // namespace
