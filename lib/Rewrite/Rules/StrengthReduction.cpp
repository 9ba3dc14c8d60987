//===- StrengthReduction.cpp - Cheaper operations for costly ones ---------===//
//
// A GPU has no instruction for pow, for integer division or for a correctly
// rounded quotient: each is a subroutine of dozens. What nvcc reduces by itself
// is left to it: integer division by constants, a quotient and a remainder of
// the same operands, division of floats by powers of two.
//
//===----------------------------------------------------------------------===//

#include "../CheapArithmetic.h"
#include "../IndexNarrowing.h"
#include "../LoopQuotient.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Replaces powers and divisions by cheaper operations.
class StrengthReduction : public Rule {
public:
  llvm::StringRef name() const override { return "strength-reduction"; }
  llvm::StringRef summary() const override {
    return "Replaces powers and divisions by cheaper operations.";
  }
  FpClass fpClass() const override { return FpClass::Approximate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;

private:
  void groupedSite(const Kernel &K, const ProgramAnalysis &A,
                   const FunctionDecl *F, PlaceFinder Find,
                   llvm::StringRef Subject, llvm::StringRef What,
                   llvm::StringRef Fact, std::vector<Site> &Out) const;
};

} // namespace

void StrengthReduction::groupedSite(const Kernel &K, const ProgramAnalysis &A,
                                    const FunctionDecl *F, PlaceFinder Find,
                                    llvm::StringRef Subject,
                                    llvm::StringRef What, llvm::StringRef Fact,
                                    std::vector<Site> &Out) const {
  std::vector<Place> Places = commonPlaces(K, A, F, Find);
  if (Places.empty())
    return;
  Site S = siteOfPlaces(*this, K, A, F, Places);
  S.Subject = Subject.str();
  S.Description = What.str() + " " + inFunction(F) + " (" +
                  std::to_string(Places.size()) +
                  (Places.size() == 1 ? " place)" : " places)");
  S.Evidence = {Fact.str()};
  Out.push_back(std::move(S));
}

static llvm::StringRef powerFact(FpClass Class) {
  if (Class == FpClass::Reassociate)
    return "the exponent is a constant, the base has no side effects, and the "
           "product is no less accurate than pow";
  return "the exponent is a constant and the base has no side effects; the "
         "product rounds to float more than once";
}

void StrengthReduction::findSites(const Kernel &K, const ProgramAnalysis &A,
                                  std::vector<Site> &Out) const {
  const Program &P = A.program();
  for (const FunctionDecl *F : rewritableFunctions(K, A)) {
    // A site a class: the accurate ones can be had without the others.
    for (FpClass Class : {FpClass::Reassociate, FpClass::Approximate})
      groupedSite(
          K, A, F,
          [&](const Kernel &, const FunctionDecl *Body) {
            std::vector<Place> All = powerPlaces(Body, P, /*Roots=*/false);
            llvm::erase_if(All,
                           [&](const Place &At) { return At.Class != Class; });
            return All;
          },
          Class == FpClass::Reassociate ? "pow" : "pow:float",
          "write small powers as products", powerFact(Class), Out);
    groupedSite(
        K, A, F,
        [&](const Kernel &, const FunctionDecl *Body) {
          return powerPlaces(Body, P, /*Roots=*/true);
        },
        "root", "write pow(x, 0.5) as a square root",
        "the exponent is the constant 0.5 or -0.5", Out);
    groupedSite(
        K, A, F,
        [&](const Kernel &, const FunctionDecl *Body) {
          return constantQuotientPlaces(Body, P);
        },
        "quotient", "multiply by the reciprocal of a constant",
        "the divisor is a constant with a normal reciprocal: the quotient is "
        "off by at most two units in the last place",
        Out);
  }
  findLoopQuotients(*this, K, A, Out);
  findNarrowIndices(*this, K, A, Out);
}

std::unique_ptr<Rule> createStrengthReductionRule() {
  return std::make_unique<StrengthReduction>();
}

} // namespace cudal1
