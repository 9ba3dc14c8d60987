//===- Rule.cpp - One kind of rewrite -------------------------------------===//

#include "cudal1/Rewrite/Rule.h"

namespace cudal1 {

Rule::~Rule() = default;

std::string toString(const RewriteParams &Params) {
  std::string Result;
  for (const auto &[Name, Value] : Params) {
    if (!Result.empty())
      Result += ',';
    Result += Name + "=" + std::to_string(Value);
  }
  return Result;
}

static Site siteOn(Side S, const Rule &R, const ProgramAnalysis &A,
                   clang::SourceLocation Loc) {
  const Program &P = A.program();
  const clang::SourceManager &SM = P.sources(S);
  auto [Id, Offset] = SM.getDecomposedLoc(SM.getFileLoc(Loc));
  Site Result;
  Result.TheRule = &R;
  Result.File = P.pathOf(S, Id);
  Result.Line = SM.getLineNumber(Id, Offset);
  Result.Offset = Offset;
  Result.Choices = {{}};
  Result.Class = R.fpClass();
  return Result;
}

Site siteAt(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
            clang::SourceLocation Loc) {
  Site S = siteOn(Side::Device, R, A, Loc);
  S.TheKernel = &K;
  return S;
}

Site hostSiteAt(const Rule &R, const ProgramAnalysis &A,
                clang::SourceLocation Loc) {
  return siteOn(Side::Host, R, A, Loc);
}

Rewrite describe(const Site &S, const RewriteParams &Params) {
  Rewrite R;
  R.Rule = S.TheRule->name().str();
  if (S.TheKernel)
    R.Kernel = S.TheKernel->DisplayName;
  R.File = S.File;
  R.Line = S.Line;
  R.Subject = S.Subject;
  R.Description = S.Description;
  R.Params = Params;
  R.Class = S.Class;
  R.Condition = S.Condition;
  R.Evidence = S.Evidence;
  R.Libraries = S.Libraries;
  R.ReplacedKernels = S.ReplacedKernels;
  R.Merges = S.Merges;
  return R;
}

} // namespace cudal1
