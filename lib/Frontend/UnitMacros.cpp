//===- UnitMacros.cpp - A unit's macros, after CUDA's headers -------------===//

#include "UnitMacros.h"

using namespace cudal1;
using llvm::StringRef;

/// Macros that curand leaves behind. nvcc's programs do not see them, as nvcc
/// does not include curand by itself; `#ifndef THREAD_NUM` must hold.
static constexpr llvm::StringLiteral Leftovers[] = {
    "LARGE_SIZE", "MEXP", "QUALIFIERS", "TBL_SIZE", "THREAD_NUM"};

static bool speaksToHeaders(StringRef Name) {
  return Name.starts_with("_") || Name.starts_with_insensitive("cuda");
}

/// `NAME`, `NAME=value` or `NAME(a)=value` as a line of a header.
static std::string defineLine(StringRef Macro) {
  // Clang, too, takes no more than the first line of a value.
  Macro = Macro.take_until([](char C) { return C == '\n' || C == '\r'; });
  auto [Name, Value] = Macro.split('=');
  if (!Macro.contains('='))
    Value = "1";
  return ("#define " + Name + " " + Value + "\n").str();
}

SeparatedMacros cudal1::separateMacros(llvm::ArrayRef<std::string> ClangArgs) {
  SeparatedMacros Result;
  Result.Text = "#pragma clang system_header\n";
  for (StringRef Name : Leftovers)
    Result.Text += ("#undef " + Name + "\n").str();
  for (size_t I = 0; I < ClangArgs.size(); ++I) {
    StringRef Flag = ClangArgs[I];
    bool IsDefine = Flag.starts_with("-D"), IsUndef = Flag.starts_with("-U");
    // The value of another flag may look like one of these.
    if (Flag == "-Xclang" || Flag == "-Xarch_host" || Flag == "-Xarch_device" ||
        Flag == "-include") {
      Result.Args.push_back(ClangArgs[I]);
      if (I + 1 < ClangArgs.size())
        Result.Args.push_back(ClangArgs[++I]);
      continue;
    }
    bool TwoWords = Flag.size() == 2 && I + 1 < ClangArgs.size();
    StringRef Macro = TwoWords
                          ? StringRef(ClangArgs[I + 1])
                          : Flag.drop_front(std::min<size_t>(2, Flag.size()));
    if ((!IsDefine && !IsUndef) || Macro.empty() || speaksToHeaders(Macro)) {
      Result.Args.push_back(ClangArgs[I]);
      continue;
    }
    I += TwoWords;
    Result.Text +=
        IsDefine ? defineLine(Macro) : ("#undef " + Macro + "\n").str();
  }
  return Result;
}
