//===- ProgramGenerator.cpp - Random small CUDA programs ------------------===//

#include "ProgramGenerator.h"
#include <random>

using namespace cudal1::fuzz;

namespace {

/// Elements of every buffer. Indices stay below it: at most 100 rows of 16, a
/// few columns of 100, twice 1600. Without Rows they stay below half of it.
constexpr int BufferElements = 4096;

/// The text of one kernel and of its launch.
class KernelGenerator {
public:
  KernelGenerator(uint64_t Seed, std::string Name)
      : Random(Seed), Name(std::move(Name)) {}

  void generate() {
    Type = pick({"float", "float", "float", "double", "int"});
    Rows = chance(30);
    Size = pickInt({1, 31, 33, 64, 100});
    Steps = pickInt({0, 1, 3, 7, 8});
    bool Tile = !Rows && chance(30);
    // A block as a whole counts into few elements, or reduces to one.
    bool Counts = !Rows && !Tile && chance(15);
    bool Reduces = !Rows && !Tile && !Counts && chance(15);
    BlockSize = Tile      ? 32
                : Reduces ? pickInt({64, 128, 256})
                          : pickInt({16, 32, 48, 64, 128});
    chooseBuffers(Tile);
    if (Counts)
      Type = pick({"int", "int", "float"});
    if (Counts || Reduces) {
      // What is added to is nobody's input.
      First = "a";
      Second = chance(30) ? "a" : "b";
      InPlace = false;
    }
    Body = Tile      ? tileBody()
           : Counts  ? countingBody()
           : Reduces ? treeBody()
                     : plainBody();
  }

  std::string kernel() const {
    return "__global__ void " + Name + "(" + Type + " *a, " + Type + " *b, " +
           Type + " *c, int n, int m) {\n" + Body + "}\n\n";
  }

  std::string launch();

private:
  int below(int Limit) { return int(Random() % uint64_t(Limit)); }
  bool chance(int Percent) { return below(100) < Percent; }
  std::string pick(std::vector<std::string> From) {
    return From[size_t(below(int(From.size())))];
  }
  int pickInt(std::vector<int> From) {
    return From[size_t(below(int(From.size())))];
  }
  bool isInteger() const { return Type == "int"; }

  void chooseBuffers(bool Tile);
  std::string plainBody();
  std::string tileBody();
  std::string countingBody();
  std::string treeBody();
  std::string index(bool InLoop);
  std::string ownIndex(bool InLoop);
  std::string ownElement(bool InLoop);
  std::string input(const std::string &Name, const std::string &Passed,
                    bool InLoop);
  std::string constant();
  std::string leaf(bool InLoop);
  std::string expression(int Depth, bool InLoop);
  std::string function(int Depth, bool InLoop);
  std::string statement(bool InLoop, const std::string &Indent);
  std::string loop(const std::string &Indent);
  std::string loopHead();

  std::mt19937_64 Random;
  std::string Name, Type, Body;
  bool Rows = false; ///< two-dimensional, a thread for each of Size * RowWidth
  bool RowsOfC = false; ///< a thread has 16 elements of c
  int Size = 0, Steps = 0, BlockSize = 0;
  std::string First = "a", Second = "b"; ///< what is passed as a and b
  /// Of an input that is the output as well, a thread reads its own elements.
  bool InPlace = false;
};

/// Which buffers overlap. Nine of ten kernels that read their output as an
/// input do so in place; the others mostly race, and are of no use.
void KernelGenerator::chooseBuffers(bool Tile) {
  if (chance(12))
    First = "c";
  if (chance(15))
    Second = First;
  else if (chance(5))
    Second = First + " + 1";
  else if (!Rows && chance(4)) // the half that is not written
    Second = "c + " + std::to_string(BufferElements / 2);
  InPlace = !Tile && chance(90);
}

/// An index that any thread may read, below BufferElements. With Rows, i is
/// below 1600, else below 100.
std::string KernelGenerator::index(bool InLoop) {
  if (Rows)
    return InLoop
               ? pick({"i", "i + k", "k", "i + k * 16", "2 * i + k", "n - 1"})
               : pick({"i", "i + 1", "0", "2 * i + 1", "n + i"});
  if (!InLoop)
    return pick({"i", "i + 1", "i * 16", "n - 1", "0", "2 * i + 1", "n + i"});
  return pick({"i", "k", "i + k", "i * 16 + k", "k * n + i", "i * m + k",
               "i * 16", "2 * i + k", "k * 16 + 3", "n + k"});
}

/// Of an element that no other thread touches: of the first n where one thread
/// has one, of its own row of 16 in a loop.
std::string KernelGenerator::ownIndex(bool InLoop) {
  if (!RowsOfC)
    return "i";
  return InLoop && chance(50) ? "i * 16 + k" : "i * 16";
}

std::string KernelGenerator::ownElement(bool InLoop) {
  return "c[" + ownIndex(InLoop) + "]";
}

/// An element of the input \p Name, for which \p Passed is passed.
std::string KernelGenerator::input(const std::string &Name,
                                   const std::string &Passed, bool InLoop) {
  bool Own = InPlace && Passed == "c";
  return Name + "[" + (Own ? ownIndex(InLoop) : index(InLoop)) + "]";
}

std::string KernelGenerator::constant() {
  if (isInteger())
    return pick({"1", "2", "3", "7", "16", "-5"});
  return pick({"0.5", "0.5f", "1.0", "2.0f", "0.25", "3", "-1.5f", "0.1"});
}

std::string KernelGenerator::leaf(bool InLoop) {
  switch (below(8)) {
  case 0:
    return constant();
  case 1:
    return "v";
  case 2:
    return InLoop ? "k" : "i";
  case 3:
    return ownElement(InLoop);
  case 4:
    return input("b", Second, InLoop);
  default:
    return input("a", First, InLoop);
  }
}

/// Calls and operators that a rule may simplify.
std::string KernelGenerator::function(int Depth, bool InLoop) {
  std::string X = expression(Depth - 1, InLoop);
  if (isInteger())
    return pick({"(" + X + ") / 4", "(" + X + ") % 8", "(" + X + ") / 7",
                 "max(" + X + ", 3)", "(i * 16 + " + constant() + ") % 16",
                 "((" + X + ") & 255) * 2"});
  if (Type == "double")
    return pick({"pow((double)(" + X + "), 2.0) * 0.125", "(" + X + ") / 2.0",
                 "sqrt(fabs(" + X + "))", "(" + X + ") / 3.0"});
  return pick({"pow((float)(" + X + "), 2.0f) * 0.125f", "(" + X + ") / 2.0",
               "sqrtf(fabsf(" + X + "))", "(" + X + ") / 3.0f",
               "(" + X + ") * 0.5", "(float)((" + X + ") / 4.0)"});
}

std::string KernelGenerator::expression(int Depth, bool InLoop) {
  if (Depth == 0 || chance(20))
    return leaf(InLoop);
  if (chance(20))
    return function(Depth, InLoop);
  std::string Left = expression(Depth - 1, InLoop);
  std::string Right = expression(Depth - 1, InLoop);
  // Products shrink, so that nothing overflows.
  if (chance(25))
    return isInteger() ? "((" + Left + ") & 15) * ((" + Right + ") & 7)"
                       : "(" + Left + ") * (" + Right + ") * 0.01f";
  return "(" + Left + pick({" + ", " - "}) + Right + ")";
}

std::string KernelGenerator::statement(bool InLoop, const std::string &Indent) {
  std::string Value = expression(2, InLoop);
  std::string Element = ownElement(InLoop);
  switch (below(10)) {
  case 0:
    return Indent + "v = v * " + (isInteger() ? "1" : "0.5f") + " + " + Value +
           ";\n";
  case 1:
    return Indent + "v += " + Value + ";\n";
  case 2:
    return Indent + "if (" + leaf(InLoop) + " > " + constant() + ")\n" +
           Indent + "  " + Element + " -= " + Value + ";\n";
  case 3:
    return Indent + Element + " = " + Value + ";\n";
  case 4:
    return Indent + "{\n" + Indent + "  " + Type + " w = " + Value + ";\n" +
           Indent + "  " + Element + " += w;\n" + Indent + "}\n";
  case 5:
    return InLoop ? Indent + "if (k == " + pick({"2", "5", "m - 1"}) + ")\n" +
                        Indent + "  " + pick({"continue", "break"}) + ";\n"
                  : Indent + "v -= " + Value + ";\n";
  default:
    return Indent + Element + " += " + Value + ";\n";
  }
}

std::string KernelGenerator::loopHead() {
  return pick({"for (int k = 0; k < m; k++)", "for (int k = 0; k < m; ++k)",
               "for (int k = 0; k < 8; k++)", "for (int k = 1; k <= m; k++)",
               "for (int k = m - 1; k >= 0; k--)",
               "for (int k = 0; k < m; k += 2)",
               "for (int k = 2; k < 9; k += 3)",
               "for (unsigned k = 0; k < (unsigned)m; k++)"});
}

std::string KernelGenerator::loop(const std::string &Indent) {
  std::string Text = Indent + loopHead() + " {\n";
  for (int I = 0, Count = 1 + below(3); I < Count; ++I)
    Text += statement(/*InLoop=*/true, Indent + "  ");
  return Text + Indent + "}\n";
}

std::string KernelGenerator::plainBody() {
  RowsOfC = !Rows && chance(30);
  std::string Text;
  if (Rows)
    Text =
        "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n" +
        pick({"  if (x >= 16 || y >= n)\n    return;\n  int i = y * 16 + x;\n",
              "  if (y >= 16 || x >= n)\n    return;\n  int i = x * 16 + y;\n",
              "  if (y >= 16 || x >= n)\n    return;\n  int i = y * n + x;\n"});
  else
    Text = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i >= n)\n    return;\n";
  Text += "  " + Type + " v = " + constant() + ";\n";
  for (int I = 0, Count = 1 + below(4); I < Count; ++I)
    Text += chance(60) ? loop("  ") : statement(/*InLoop=*/false, "  ");
  if (chance(60))
    Text += "  " + ownElement(/*InLoop=*/false) + " += v;\n";
  return Text;
}

/// Threads exchange values through a shared tile of 32 by 32 or a row of it.
std::string KernelGenerator::tileBody() {
  std::string Text = "  __shared__ " + Type + " tile[32]" +
                     pick({"[32]", "[32]", "[33]"}) + ";\n" +
                     "  int t = threadIdx.x;\n"
                     "  int i = blockIdx.x * blockDim.x + t;\n"
                     "  " +
                     Type + " v = " + constant() + ";\n" +
                     "  for (int k = 0; k < 32; k++)\n" +
                     pick({"    tile[k][t] = a[i + k];\n",
                           "    tile[t][k] = a[i + k * 2] + b[k];\n",
                           "    tile[k][t] = b[k * 32 + t];\n"}) +
                     "  __syncthreads();\n";
  Text += "  for (int k = 0; k < 32; k++)\n" +
          pick({"    v += tile[t][k] * 2;\n", "    v += tile[k][t];\n",
                "    v += tile[t][31 - k] - tile[0][k];\n"});
  if (chance(50))
    Text += "  __syncthreads();\n"
            "  tile[0][t] = v;\n"
            "  __syncthreads();\n"
            "  v += tile[0][31 - t];\n";
  return Text + "  if (i < n)\n    c[i] = v;\n";
}

/// Threads add to bins and counters. Only whole numbers are added, so that all
/// orders agree.
std::string KernelGenerator::countingBody() {
  std::string Text = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  bool Guard = chance(50);
  Text += Guard ? "  if (i >= n)\n    return;\n" : "  if (i < n) {\n";
  std::string Indent = Guard ? "  " : "    ";
  Text += Indent + "int f = (int)a[" + pick({"i", "i * 3 + 1", "n - 1 - i"}) +
          "] & 255;\n";
  bool Loop = chance(30);
  if (Loop) {
    Text += Indent + "for (int k = 0; k < m; ++k)" + " {\n";
    Indent += "  ";
  }
  for (int I = 0, Count = 1 + below(3); I < Count; ++I) {
    if (chance(40))
      Text += Indent + "if (f " + pick({"> 100", "% 3 == 1", "!= 7"}) + ")\n  ";
    Text += Indent + "atomicAdd(" +
            pick({"&c[f]", "&c[f % (m + 1)]", "&c[f % 16]", "c + (f >> 2)",
                  "&c[300]", "&c[301 + n % 2]", "&c[(f + n) % 32]"}) +
            ", " +
            pick({"1", "2", "(" + Type + ")f", "(" + Type + ")(i & 7)"}) +
            ");\n";
  }
  if (Loop)
    Text += Indent.substr(2) + "}\n";
  return Text + (Guard ? "" : "  }\n");
}

/// A block reduces what its threads have, in shared memory.
std::string KernelGenerator::treeBody() {
  std::string Threads = std::to_string(BlockSize);
  std::string Text = "  __shared__ " + Type + " sums[" + Threads +
                     "];\n"
                     "  int t = threadIdx.x;\n"
                     "  int i = blockIdx.x * blockDim.x + t;\n";
  std::string Value = expression(2, /*InLoop=*/false);
  Text += "  " + Type + " v = " + constant() + ";\n";
  Text += pick({"  sums[t] = i < n ? " + Value + " : 0;\n",
                "  sums[t] = 0;\n  if (i < n)\n    sums[t] = " + Value + ";\n",
                "  sums[t] = v;\n  for (int k = t; k < n; k += " + Threads +
                    ")\n    sums[t] += a[k];\n"});
  Text += "  __syncthreads();\n";
  bool Doubles = chance(50);
  Text += Doubles
              ? pick({"  for (int s = 1; s < blockDim.x; s *= 2) {\n",
                      "  for (int s = 1; s < " + Threads + "; s <<= 1) {\n"})
              : pick({"  for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n",
                      "  for (int s = " + std::to_string(BlockSize / 2) +
                          "; s > 0; s /= 2) {\n"});
  std::string Combine = "      sums[t] += sums[t + s];\n";
  if (!Doubles)
    Text += "    if (t < s)\n" + Combine;
  else
    Text += pick({"    if (t % (2 * s) == 0)\n" + Combine,
                  "    int at = 2 * s * t;\n    if (at < blockDim.x)\n"
                  "      sums[at] += sums[at + s];\n"});
  Text += "    __syncthreads();\n  }\n";
  return Text + pick({"  if (t == 0)\n    c[blockIdx.x] = sums[0];\n",
                      "  if (i < n)\n    c[i] = v + sums[0];\n",
                      "  if (t == 0)\n    c[blockIdx.x] += sums[t];\n"});
}

std::string KernelGenerator::launch() {
  std::string Grid, Block;
  if (Rows) {
    int Wide = pickInt({4, 8, 16}), High = pickInt({2, 4, 8});
    Block = "dim3(" + std::to_string(Wide) + ", " + std::to_string(High) + ")";
    // Enough for either assignment of the axes.
    Grid = "dim3((n + " + std::to_string(Wide - 1) + ") / " +
           std::to_string(Wide) + " + 4, (n + " + std::to_string(High - 1) +
           ") / " + std::to_string(High) + " + 8)";
  } else {
    std::string Threads = std::to_string(BlockSize);
    Block = Threads;
    Grid = "(n + " + std::to_string(BlockSize - 1) + ") / " + Threads;
  }
  std::string Seed = std::to_string(below(1000));
  return "  {\n    int n = " + std::to_string(Size) +
         ", m = " + std::to_string(Steps) + ";\n    " + Type + " *a = filled<" +
         Type + ">(" + Seed + "), *b = filled<" + Type + ">(" + Seed +
         " + 1), *c = filled<" + Type + ">(" + Seed + " + 2);\n    " + Name +
         "<<<" + Grid + ", " + Block + ">>>(" + First + ", " + Second +
         ", c, n, m);\n    show(\"" + Name + "\", c);\n" +
         "    cudaFree(a);\n    cudaFree(b);\n    cudaFree(c);\n  }\n";
}

} // namespace

std::string
cudal1::fuzz::generateProgram(const std::vector<uint64_t> &KernelSeeds) {
  const std::string Elements = std::to_string(BufferElements);
  std::string Kernels, Launches;
  for (size_t I = 0; I < KernelSeeds.size(); ++I) {
    KernelGenerator One(KernelSeeds[I], "kernel" + std::to_string(I));
    One.generate();
    Kernels += One.kernel();
    Launches += One.launch();
  }
  return Kernels +
         "template <class T> static T *filled(int seed) {\n"
         "  static T host[" +
         Elements +
         "];\n"
         "  unsigned state = seed * 2654435761u + 1;\n"
         "  for (int i = 0; i < " +
         Elements +
         "; i++) {\n"
         "    state = state * 1664525u + 1013904223u;\n"
         "    host[i] = (T)((int)(state >> 20) - 2048) / (T)64;\n"
         "  }\n"
         "  T *device;\n"
         "  cudaMalloc(&device, sizeof(host));\n"
         "  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);\n"
         "  return device;\n"
         "}\n\n"
         "template <class T> static void show(const char *name, T *device) {\n"
         "  static T host[" +
         Elements +
         "];\n"
         "  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);\n"
         "  printf(\"%s %g %g\\n\", name, (double)host[0], (double)host[1]);\n"
         "}\n\n"
         "int main() {\n" +
         Launches + "  return 0;\n}\n";
}
