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

Site siteAt(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
            clang::SourceLocation Loc) {
  const Program &P = A.program();
  const clang::SourceManager &SM = P.sources(Side::Device);
  auto [Id, Offset] = SM.getDecomposedLoc(SM.getFileLoc(Loc));
  Site S;
  S.TheRule = &R;
  S.TheKernel = &K;
  S.File = P.pathOf(Side::Device, Id);
  S.Line = SM.getLineNumber(Id, Offset);
  S.Offset = Offset;
  S.Choices = {{}};
  S.Class = R.fpClass();
  return S;
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
  return R;
}

} // namespace cudal1
