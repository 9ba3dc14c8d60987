//===- TiledContraction.h - The tiled form of a contraction -----*- C++ -*-===//
//
// Writes the body of a kernel that computes what a contraction nest computes,
// with tiles of both factors in shared memory and a rectangle of sums in the
// registers of each thread. The author's expressions are copied; the variables
// that they mention are declared anew where they are used.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_TILEDCONTRACTION_H
#define CUDAL1_LIB_REWRITE_TILEDCONTRACTION_H

#include "ScopedText.h"
#include "cudal1/Analysis/Contraction.h"
#include "cudal1/Rewrite/Rule.h"

namespace cudal1 {

/// A block computes M x N elements of the output, K products of each at a time;
/// a thread ThreadM x ThreadN elements.
struct TileShape {
  int64_t M = 0, N = 0, K = 0, ThreadM = 0, ThreadN = 0;

  int64_t threads() const { return (M / ThreadM) * (N / ThreadN); }
};

/// The output of \p Nest shares no memory with what \p K reads; \p Evidence
/// gets why.
bool outputIsDisjoint(const Kernel &K, const ProgramAnalysis &A,
                      const ContractionNest &Nest,
                      std::vector<std::string> &Evidence);

/// Appends what \p Find finds in \p K, or else in \p K with the function that
/// holds its loop in place of the call.
void findContractionSites(
    const Rule &R, const Kernel &K, const ProgramAnalysis &A,
    llvm::function_ref<void(const Rule &, const Kernel &,
                            const ProgramAnalysis &, std::vector<Site> &)>
        Find,
    std::vector<Site> &Out);

class TiledContraction {
public:
  TiledContraction(const Kernel &K, const ProgramAnalysis &A,
                   const ContractionNest &Nest);

  /// Why the nest's text cannot be written in tiled form; "" when it can.
  std::string obstacle() const;
  /// Bytes of shared memory of one block.
  int64_t sharedBytes(const TileShape &Shape) const;
  /// Bytes of one sum.
  int64_t sumBytes() const;
  /// The threads of a block share the loads of its tiles evenly.
  bool fits(const TileShape &Shape) const;
  /// The new body, without braces.
  std::string body(const TileShape &Shape) const;

protected:
  /// One factor, with the names and sizes of its tile.
  struct Side {
    const ContractionFactor *Factor = nullptr;
    const ContractionCoordinate *Coordinate = nullptr;
    bool IsLeft = true;
    std::string Tile, Next, Register, Wide, Blocks, Thread, Load;
    std::string Element;
    /// In the instantiation with the smallest, and with the largest elements.
    int64_t ElementSize = 4, MostBytes = 4;
    /// Text of a value whose product with the other side's changes no sum.
    std::string Padding;
    /// Consecutive k are neighbours in memory; else consecutive coordinates
    /// are, or nothing is.
    bool ContiguousAlongK = false;
    bool ContiguousAlongCoordinate = false;
    /// Vector type, "" where none is certain to fit.
    std::string Vector;
    int64_t VectorWidth = 1;
    /// What must hold at run time for vector loads, "" for nothing.
    std::string WideCondition;
  };

  std::vector<Patch> updatePatches() const;
  bool neverEndsInside(const TileShape &Shape) const;
  bool isKept(const ContractionConstant &C) const;
  void constantsOfLoop(Lines &Out) const;
  void combineTile(Lines &Out, const TileShape &Shape) const;
  void combineOne(Lines &Out, const TileShape &Shape) const;
  Side describe(bool IsLeft);
  /// The elements' type is a template's parameter.
  bool dependsOnTemplate(const Side &S) const;
  void chooseVector(Side &S);
  std::optional<std::string> multiple(const Polynomial &P, int64_t Of,
                                      std::optional<SymbolId> Divided) const;
  std::string product(const Polynomial::Monomial &M, int64_t Factor) const;
  void chooseNames();
  std::string name(llvm::ArrayRef<llvm::StringRef> Words);
  void choosePaddings();
  std::pair<int64_t, int64_t> pointeeBytes(const clang::ValueDecl *Base) const;
  bool startsAtZero() const;

  int64_t width(const Side &S, const TileShape &Shape) const;
  int64_t group(const Side &S, const TileShape &Shape) const;
  void constants(Lines &Out, const TileShape &Shape) const;
  void uniformValues(Lines &Out) const;
  void positions(Lines &Out, const TileShape &Shape) const;
  void load(Lines &Out, const Side &S, const TileShape &Shape) const;
  void loadChunk(Lines &Out, const Side &S, const TileShape &Shape) const;
  void store(Lines &Out, const Side &S, const TileShape &Shape) const;
  void update(Lines &Out) const;
  void mainLoop(Lines &Out, const TileShape &Shape) const;
  void registers(Lines &Out, const Side &S, const TileShape &Shape) const;
  void firstValues(Lines &Out, const TileShape &Shape) const;
  void epilogue(Lines &Out, const TileShape &Shape) const;
  void elementLoops(Lines &Out, bool Braces = true) const;
  void coordinates(Lines &Out, const Statements &For,
                   const TileShape &Shape) const;
  std::vector<std::string> dependents(const Statements &For) const;
  std::string guard(const Side &S, int64_t Ahead, const TileShape &Shape) const;
  std::string bothGuards(const TileShape &Shape) const;
  std::string epilogueText(const std::string &Element) const;
  std::string lane(const Side &S, llvm::StringRef Index,
                   const TileShape &Shape) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const ContractionNest &Nest;
  ScopedText Text;
  Side Left, Right;
  std::string LoadName, StoreName, I, J, Offset, Start, Stage, Sum, SumType,
      DepthType, Threads;
  std::string BM, BN, BK, TM, TN, Value, CombineName;
  /// Names of what holds the nest's Constants.
  std::vector<std::string> Constants;
  std::vector<std::string> Taken;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_TILEDCONTRACTION_H
