//===- HeaderInclude.cpp - An include that new text needs -----------------===//
//
// EditBuilder::include. The new line follows the last include that stands
// before any declaration and under no condition (that of a header guard aside).
//
//===----------------------------------------------------------------------===//

#include "SourceLines.h"
#include "cudal1/Rewrite/EditBuilder.h"

using namespace clang;

namespace cudal1 {

/// The name in `#ifndef NAME`, `#define NAME`.
static llvm::StringRef firstWord(const RawDirective &D) {
  return D.Rest.take_until([](char C) { return isWhitespace(C); });
}

namespace {

/// Where an include may be added, among what stands before the first token.
struct IncludePlace {
  /// Behind this directive.
  const RawDirective *After = nullptr;
  /// Before this one, where there is none to stand behind.
  const RawDirective *Before = nullptr;
  bool IsThere = false;
};

} // namespace

static IncludePlace placeIn(const SourceLines &L, llvm::StringRef Header) {
  IncludePlace Result;
  const std::vector<RawDirective> &All = L.directives();
  unsigned End = L.tokens().empty() ? unsigned(L.text().size())
                                    : L.tokens().front().Offset;
  bool Guarded = All.size() > 1 && All[0].Name == "ifndef" &&
                 All[1].Name == "define" &&
                 firstWord(All[0]) == firstWord(All[1]);
  unsigned Depth = 0, Base = Guarded ? 1 : 0;
  for (const RawDirective &D : All) {
    if (D.Offset > End)
      break;
    if (D.Name.starts_with("if")) {
      if (Depth == Base && !Result.Before && !Guarded)
        Result.Before = &D;
      ++Depth;
    } else if (D.Name == "endif" && Depth) {
      --Depth;
    }
    if (Depth != Base)
      continue;
    bool Opens =
        (Guarded && &D == &All[1]) || (D.Name == "pragma" && D.Rest == "once");
    if (Opens || D.Name == "include")
      Result.After = &D;
    else if (!Result.Before)
      Result.Before = &D;
    if (D.Name == "include" && D.Rest.size() > 2 &&
        D.Rest.drop_front().starts_with(Header) &&
        D.Rest.size() == Header.size() + 2)
      Result.IsThere = true;
  }
  return Result;
}

void EditBuilder::include(llvm::StringRef Header, SourceLocation Loc) {
  const SourceManager &SM = P.sources(Where);
  FileID Id = SM.getFileID(SM.getFileLoc(Loc));
  std::string Path = P.pathOf(Where, Id);
  if (!P.isEditable(Where, Id))
    return refuse("cannot add an include", Loc,
                  "it stands in a file that is not the project's own");
  const SourceLines &L = lines(Path);
  IncludePlace Place = placeIn(L, Header);
  if (Place.IsThere)
    return;
  std::string Line = ("#include <" + Header + ">").str();
  const RawDirective *D = Place.After;
  if (D && L.isFirstOnLine(D->Offset) && L.isLastOnLine(D->End)) {
    unsigned At = L.lineEnd(D->End);
    return add(Path, {At, At, false, L.newline().str() + Line});
  }
  unsigned At = L.text().size();
  if (!D && Place.Before)
    At = Place.Before->Offset;
  if (!L.tokens().empty())
    At = std::min(At, L.tokens().front().Offset);
  if (D || At >= L.text().size() || !L.isFirstOnLine(At))
    return refuse("cannot add an include", Loc,
                  "its file has no line for one before its declarations");
  At = L.lineStart(At);
  add(Path, {At, At, false, Line + L.newline().str()});
}

} // namespace cudal1
