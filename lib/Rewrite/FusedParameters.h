//===- FusedParameters.h - Names of two kernels in one ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_FUSEDPARAMETERS_H
#define CUDAL1_LIB_REWRITE_FUSEDPARAMETERS_H

#include "OwnElements.h"
#include "RenamedText.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// One parameter of the kernel made of two.
struct FusedParameter {
  std::string Name;
  /// `const float *a`
  std::string Text;
  /// What the launch passes, in the host AST.
  const clang::Expr *Argument = nullptr;
  /// The parameters that it stands for.
  std::vector<const clang::ParmVarDecl *> Of;
};

/// The parameters of both kernels, those that get the same buffer or the same
/// variable being one, and names for the second kernel's variables that mean
/// nothing else in the first.
class FusedParameters {
public:
  FusedParameters(const ThreadsOf &First, const ThreadsOf &Second,
                  const ProgramAnalysis &A);

  /// Why there are none; "" when there are.
  const std::string &obstacle() const { return Obstacle; }
  const std::vector<FusedParameter> &all() const { return Parameters; }
  const NewNames &ofFirst() const { return OfFirst; }
  const NewNames &ofSecond() const { return OfSecond; }
  /// Variables of the second kernel that are ones of the first.
  bool isInherited(const clang::VarDecl *V) const {
    return Inherited.contains(V);
  }
  /// A new name for a variable of the fused kernel.
  std::string fresh(llvm::StringRef Wanted);

private:
  void no(const llvm::Twine &Why) {
    if (Obstacle.empty())
      Obstacle = Why.str();
  }
  void addParameters(const ThreadsOf &Of, NewNames &Names, bool IsSecond);
  void spell(FusedParameter &P);
  void inheritNumbers();
  void nameLocals();
  void checkNames();
  FusedParameter *alike(const ThreadsOf &Of, const clang::ParmVarDecl *P);

  const ThreadsOf &First, &Second;
  const ProgramAnalysis &A;
  std::vector<FusedParameter> Parameters;
  NewNames OfFirst, OfSecond;
  llvm::DenseSet<const clang::VarDecl *> Inherited;
  std::vector<std::string> Taken;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_FUSEDPARAMETERS_H
