//===- Edit.cpp - Applying an Edit to the texts of a Program --------------===//

#include "cudal1/Rewrite/Edit.h"
#include "clang/Format/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static llvm::Error describeFailure(llvm::StringRef Path, llvm::Error Cause) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "cannot apply the rewrite to " + Path + ": " +
                                     llvm::toString(std::move(Cause)));
}

/// True when a launch stands on a line that [Begin, End) touches: `<<<` is best
/// left as the author set it.
static bool touchesLaunch(llvm::StringRef Text, unsigned Begin, unsigned End) {
  size_t LineBegin = Text.take_front(Begin).rfind('\n');
  LineBegin = LineBegin == llvm::StringRef::npos ? 0 : LineBegin + 1;
  llvm::StringRef Lines = Text.slice(LineBegin, Text.find('\n', End));
  return Lines.contains("<<<") || Lines.contains(">>>");
}

/// \p Text with the lines of \p Touched formatted by the project's own
/// .clang-format; unchanged where there is none. Options that another version
/// of clang-format knows are passed over, and a file that cannot be read counts
/// as none: layout is no reason to refuse a rewrite.
static llvm::Expected<std::string>
formatTouched(llvm::StringRef Path, std::string Text,
              const std::vector<tooling::Range> &Touched) {
  llvm::Expected<format::FormatStyle> Style = format::getStyle(
      "file", Path, "none", Text, /*FS=*/nullptr,
      /*AllowUnknownOptions=*/true, [](const llvm::SMDiagnostic &, void *) {});
  if (!Style) {
    llvm::consumeError(Style.takeError());
    return Text;
  }
  if (Style->DisableFormat)
    return Text;
  // Only the layout of touched lines is ours to change.
  Style->SortIncludes = {};
  tooling::Replacements Kept;
  for (const tooling::Replacement &R :
       format::reformat(*Style, Text, Touched, Path)) {
    if (touchesLaunch(Text, R.getOffset(), R.getOffset() + R.getLength()))
      continue;
    if (llvm::Error E = Kept.add(R))
      return std::move(E);
  }
  return tooling::applyAllReplacements(Text, Kept);
}

llvm::Expected<SourceOverlay> applyEdit(const Program &P, const Edit &E) {
  SourceOverlay Result = P.overlay();
  for (const auto &[Path, Replacements] : E.Files) {
    llvm::StringRef Old = P.textOf(Path);
    for (const tooling::Replacement &R : Replacements)
      if (R.getOffset() + R.getLength() > Old.size())
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "cannot apply the rewrite to " + Path +
                ": a change lies beyond the end of its text");
    llvm::Expected<std::string> New =
        tooling::applyAllReplacements(Old, Replacements);
    if (!New)
      return describeFailure(Path, New.takeError());
    New =
        formatTouched(Path, std::move(*New), Replacements.getAffectedRanges());
    if (!New)
      return describeFailure(Path, New.takeError());
    Result[Path] = std::move(*New);
  }
  return Result;
}

} // namespace cudal1
