//===- DeviceSlice.cpp - A unit's text without host code ------------------===//

#include "cudal1/Frontend/DeviceSlice.h"
#include "DeviceUses.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace cudal1;

namespace {

/// Words that stand before a declaration's own begin.
constexpr llvm::StringLiteral Specifiers[] = {
    "__host__", "__forceinline__", "__inline__", "inline", "static", "extern"};

/// What NVRTC has no header for, as far as device code needs it.
llvm::StringRef substituteFor(llvm::StringRef Header) {
  static constexpr llvm::StringLiteral Integers =
      "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; "
      "typedef unsigned char uint8_t; typedef unsigned short uint16_t; "
      "typedef unsigned int uint32_t; typedef long int64_t; "
      "typedef unsigned long uint64_t; typedef unsigned long uintptr_t; "
      "typedef long intptr_t;";
  static constexpr llvm::StringLiteral Floats =
      "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n"
      "#define FLT_EPSILON 1.192092896e-07F\n"
      "#define DBL_MAX 1.7976931348623157e+308\n"
      "#define DBL_MIN 2.2250738585072014e-308\n"
      "#define DBL_EPSILON 2.2204460492503131e-016";
  static constexpr llvm::StringLiteral Limits =
      "#define INT_MAX 2147483647\n#define INT_MIN (-2147483647 - 1)\n"
      "#define UINT_MAX 4294967295U";
  return llvm::StringSwitch<llvm::StringRef>(Header)
      .Cases({"<cstdint>", "<stdint.h>"}, Integers)
      .Cases({"<cfloat>", "<float.h>"}, Floats)
      .Cases({"<climits>", "<limits.h>"}, Limits)
      .Default("");
}

/// The name by which a header of CUDA's C++ libraries is included; empty for
/// other files.
llvm::StringRef libraryHeader(llvm::StringRef Path) {
  size_t Include = Path.rfind("/include/");
  if (Include == llvm::StringRef::npos)
    return "";
  llvm::StringRef Name = Path.drop_front(Include + strlen("/include/"));
  Name.consume_front("cccl/");
  for (llvm::StringRef Library : {"cub/", "thrust/", "cuda/"})
    if (Name.starts_with(Library))
      return Name;
  return "";
}

/// What an #include line names, as written, or nothing.
llvm::StringRef includedName(llvm::StringRef Line) {
  Line = Line.ltrim();
  if (!Line.consume_front("#"))
    return "";
  Line = Line.ltrim();
  if (!Line.consume_front("include"))
    return "";
  Line = Line.ltrim();
  size_t End = Line.starts_with("<")    ? Line.find('>')
               : Line.starts_with("\"") ? Line.find('"', 1)
                                        : llvm::StringRef::npos;
  return End == llvm::StringRef::npos ? "" : Line.take_front(End + 1);
}

class Builder {
public:
  explicit Builder(const Program &P)
      : P(P), Sources(P.sources(Side::Device)), Text(P.text()),
        Uses(findDeviceUses(P)) {}

  DeviceSlice build() {
    findChunks(*P.context(Side::Device).getTranslationUnitDecl());
    mergeNested();
    std::vector<HostChunk> Chunks;
    for (auto &[Begin, Item] : Items)
      if (Item.IsHost)
        Chunks.push_back(chunk(Begin, Item));
    return DeviceSlice(std::move(Chunks), findIncludes());
  }

private:
  /// What begins at one place: several variables of one declaration do.
  struct Item {
    unsigned End = 0;              ///< after its last token
    std::optional<unsigned> Brace; ///< opens its body
    bool IsHost = true;
    bool IsFunction = false;
  };

  /// Offset in the main file; nothing for what is elsewhere or in a macro.
  std::optional<unsigned> offset(SourceLocation Loc) const {
    if (Loc.isInvalid() || Loc.isMacroID())
      return std::nullopt;
    auto [Id, Offset] = Sources.getDecomposedLoc(Loc);
    if (Id != Sources.getMainFileID() && Id != Sources.getPreambleFileID())
      return std::nullopt;
    return Offset;
  }

  void findChunks(const DeclContext &Context) {
    for (const Decl *D : Context.decls()) {
      if (D->isImplicit())
        continue;
      if (const auto *Inner = dyn_cast<DeclContext>(D);
          Inner && (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D)))
        findChunks(*Inner);
      else
        consider(*D);
    }
  }

  void consider(const Decl &D) {
    SourceLocation First = D.getBeginLoc(), Last = D.getEndLoc();
    // __host__ is a macro; what a macro declares as a whole is kept.
    if (First.isMacroID() && !Last.isMacroID())
      First = Sources.getExpansionLoc(First);
    std::optional<unsigned> Begin = offset(First);
    if (Last.isMacroID())
      Last = Sources.getExpansionRange(Last).getEnd();
    std::optional<unsigned> End = offset(Lexer::getLocForEndOfToken(
        Last, 0, Sources, P.context(Side::Device).getLangOpts()));
    if (!Begin || !End || *End <= *Begin)
      return;
    Item &Here = Items[*Begin];
    Here.End = std::max(Here.End, *End);
    Here.IsHost &= !isKept(D);
    const Decl *Templated = &D;
    if (const auto *T = dyn_cast<TemplateDecl>(&D); T && T->getTemplatedDecl())
      Templated = T->getTemplatedDecl();
    if (const auto *F = dyn_cast<FunctionDecl>(Templated)) {
      Here.IsFunction = true;
      if (F->doesThisDeclarationHaveABody() && F->getBody())
        Here.Brace = offset(F->getBody()->getBeginLoc());
    } else if (const auto *R = dyn_cast<TagDecl>(Templated)) {
      if (R->isThisDeclarationADefinition())
        Here.Brace = offset(R->getBraceRange().getBegin());
    }
  }

  /// `typedef struct {…} Name;` is two declarations, one in the other.
  void mergeNested() {
    for (auto Outer = Items.begin(); Outer != Items.end(); ++Outer)
      for (auto Inner = std::next(Outer);
           Inner != Items.end() && Inner->first < Outer->second.End;
           Inner = Items.erase(Inner)) {
        Outer->second.IsHost &= Inner->second.IsHost;
        Outer->second.End = std::max(Outer->second.End, Inner->second.End);
        if (!Outer->second.Brace)
          Outer->second.Brace = Inner->second.Brace;
      }
  }

  bool isKept(const Decl &D) const {
    if (const auto *Directive = dyn_cast<UsingDirectiveDecl>(&D))
      return !Directive->getNominatedNamespace()->isStdNamespace();
    if (isa<FileScopeAsmDecl>(D) || isa<EmptyDecl>(D))
      return true;
    const Decl *Templated = &D;
    if (const auto *T = dyn_cast<TemplateDecl>(&D); T && T->getTemplatedDecl())
      Templated = T->getTemplatedDecl();
    return Uses.Declarations.contains(Templated->getCanonicalDecl()) ||
           isDeviceDeclaration(*Templated);
  }

  /// Where the specifiers that belong to a declaration begin.
  unsigned withSpecifiers(unsigned Begin) const {
    for (llvm::StringRef Before = Text.take_front(Begin).rtrim();;) {
      llvm::StringRef Word = Before.take_back(
          Before.size() -
          (Before.find_last_not_of("_abcdefghijklmnopqrstuvwxyz") + 1));
      if (!llvm::is_contained(Specifiers, Word))
        return Begin;
      Begin = Before.size() - Word.size();
      Before = Before.drop_back(Word.size()).rtrim();
    }
  }

  HostChunk chunk(unsigned Begin, const Item &I) const {
    Begin = withSpecifiers(Begin);
    if (I.Brace && *I.Brace > Begin && *I.Brace < I.End)
      return {Text.slice(Begin, *I.Brace + 1).str(), /*HasBody=*/true,
              /*HasSemicolon=*/!I.IsFunction};
    size_t Semicolon = Text.find(';', I.End);
    return {Text.slice(Begin, Semicolon == llvm::StringRef::npos
                                  ? I.End
                                  : Semicolon + 1)
                .str()};
  }

  /// The line of the main file through which a file is read.
  std::optional<unsigned> includeOffset(FileID Id) const {
    SourceLocation Loc = Sources.getIncludeLoc(Id);
    while (Loc.isValid()) {
      if (std::optional<unsigned> Offset = offset(Loc))
        return Offset;
      Loc = Sources.getIncludeLoc(Sources.getFileID(Loc));
    }
    return std::nullopt;
  }

  std::map<std::string, std::string> findIncludes() const {
    std::map<size_t, std::vector<std::string>> UsedThrough;
    for (FileID Id : Uses.Files)
      if (std::optional<unsigned> Offset = includeOffset(Id)) {
        size_t Line = Text.take_front(*Offset).count('\n');
        UsedThrough[Line].push_back(P.pathOf(Side::Device, Id));
      }
    std::map<std::string, std::string> Includes;
    llvm::SmallVector<llvm::StringRef> Lines;
    Text.split(Lines, '\n');
    for (auto [Number, Line] : llvm::enumerate(Lines))
      if (llvm::StringRef Name = includedName(Line); !Name.empty())
        Includes[Name.str()] = inPlaceOf(Name, UsedThrough[Number]);
    return Includes;
  }

  static std::string inPlaceOf(llvm::StringRef Name,
                               std::vector<std::string> Used) {
    if (llvm::StringRef Own = substituteFor(Name); !Own.empty())
      return Own.str();
    if (Used.empty())
      return "";
    llvm::sort(Used);
    std::string Lines;
    for (const std::string &Path : Used) {
      llvm::StringRef Header = libraryHeader(Path);
      if (Header.empty())
        return ("#include " + Name).str();
      Lines += ("#include <" + Header + ">\n").str();
    }
    return Lines;
  }

  const Program &P;
  const SourceManager &Sources;
  llvm::StringRef Text;
  DeviceUses Uses;
  std::map<unsigned, Item> Items; ///< by the offset of its begin
};

/// The end of the string or character literal that begins at \p At.
size_t endOfLiteral(llvm::StringRef Text, size_t At) {
  char Quote = Text[At];
  if (Quote == '"' && At > 0 && Text[At - 1] == 'R') {
    size_t Open = Text.find('(', At);
    if (Open == llvm::StringRef::npos)
      return Text.size();
    std::string End = (")" + Text.slice(At + 1, Open) + "\"").str();
    size_t Found = Text.find(End, Open);
    return Found == llvm::StringRef::npos ? Text.size() : Found + End.size();
  }
  for (size_t I = At + 1; I < Text.size() && Text[I] != '\n'; ++I) {
    if (Text[I] == '\\')
      ++I;
    else if (Text[I] == Quote)
      return I + 1;
  }
  return Text.size();
}

bool isDigitSeparator(llvm::StringRef Text, size_t At) {
  return At > 0 && llvm::isAlnum(Text[At - 1]) && At + 1 < Text.size() &&
         llvm::isAlnum(Text[At + 1]);
}

/// After the comment or literal that begins at \p At; \p At if none does.
size_t pastNoCode(llvm::StringRef Text, size_t At) {
  llvm::StringRef Rest = Text.substr(At);
  if (Rest.starts_with("//"))
    return std::min(Text.find('\n', At), Text.size());
  if (Rest.starts_with("/*"))
    return std::min(Text.find("*/", At + 2), Text.size() - 2) + 2;
  if (Rest.starts_with("\"") ||
      (Rest.starts_with("'") && !isDigitSeparator(Text, At)))
    return endOfLiteral(Text, At);
  return At;
}

/// After the brace that closes the one before \p At; npos if none does.
size_t endOfBody(llvm::StringRef Text, size_t At) {
  unsigned Depth = 1;
  while (At < Text.size()) {
    if (size_t Past = pastNoCode(Text, At); Past != At)
      At = Past;
    else if (Text[At++] == '{')
      ++Depth;
    else if (Text[At - 1] == '}' && --Depth == 0)
      return At;
  }
  return llvm::StringRef::npos;
}

/// After a directive and the lines that continue it.
size_t endOfDirective(llvm::StringRef Text, size_t At) {
  do
    At = std::min(Text.find('\n', At), Text.size() - 1) + 1;
  while (At < Text.size() && At >= 2 && Text[At - 2] == '\\');
  return At;
}

/// What stands before a brace is `namespace a` or `extern "C"`.
bool opensNamespace(llvm::StringRef Declaration) {
  Declaration = Declaration.trim();
  Declaration.consume_front("inline ");
  return Declaration.ltrim().starts_with("namespace") ||
         (Declaration.starts_with("extern") && Declaration.ends_with("\""));
}

/// A declaration that begins like this is device code.
bool namesDevice(llvm::StringRef Declaration) {
  return llvm::any_of(
      llvm::ArrayRef({"__device__", "__global__", "__constant__"}),
      [&](llvm::StringRef Word) { return Declaration.contains(Word); });
}

/// Where \p Head stands as a declaration from \p At on, which is outside of
/// functions and classes: their bodies, comments and directives may hold the
/// same words.
size_t findDeclaration(llvm::StringRef Text, size_t At, llvm::StringRef Head) {
  for (size_t Begin = At; At < Text.size();) {
    bool OpensLine =
        Text.take_front(At).rtrim(" \t").ends_with("\n") || At == 0;
    bool InWord = At > 0 && clang::isAsciiIdentifierContinue(Text[At - 1]);
    if (Text.substr(At).starts_with(Head) && !InWord &&
        !namesDevice(Text.slice(Begin, At)))
      return At;
    size_t Past = Text[At] == '#' && OpensLine ? endOfDirective(Text, At)
                                               : pastNoCode(Text, At);
    if (Past != At) {
      if (Text.slice(Begin, At).trim().empty())
        Begin = Past;
      At = Past;
      continue;
    }
    char C = Text[At++];
    if (C == '{' && !opensNamespace(Text.slice(Begin, At - 1)))
      At = endOfBody(Text, At);
    if (C == '{' || C == '}' || C == ';')
      Begin = At;
  }
  return llvm::StringRef::npos;
}

} // namespace

DeviceSlice DeviceSlice::of(const Program &P) { return Builder(P).build(); }

std::optional<std::string> DeviceSlice::cut(llvm::StringRef Text) const {
  std::string Device;
  size_t Done = 0;
  for (const HostChunk &C : Chunks) {
    size_t Begin = findDeclaration(Text, Done, C.Head);
    if (Begin == llvm::StringRef::npos)
      return std::nullopt;
    size_t End = Begin + C.Head.size();
    if (C.HasBody)
      End = endOfBody(Text, End);
    if (C.HasSemicolon && End != llvm::StringRef::npos)
      End = Text.find(';', End) + 1;
    if (End == llvm::StringRef::npos || End == 0)
      return std::nullopt;
    Device += Text.slice(Done, Begin);
    Device.append(Text.slice(Begin, End).count('\n'), '\n');
    Done = End;
  }
  Device += Text.substr(Done);

  std::string Result;
  llvm::SmallVector<llvm::StringRef> Lines;
  llvm::StringRef(Device).split(Lines, '\n');
  for (llvm::StringRef Line : Lines) {
    auto Known = Includes.find(includedName(Line).str());
    Result += Known == Includes.end() ? Line : llvm::StringRef(Known->second);
    Result += '\n';
  }
  return Result;
}
