//===- Listing.cpp - --list-rules and --list-sites ------------------------===//

#include "Listing.h"
#include "llvm/Support/Path.h"

using namespace cudal1;

void cudal1::listRules(const RuleList &Rules, llvm::raw_ostream &OS) {
  size_t Width = 0;
  for (const auto &R : Rules.rules())
    Width = std::max(Width, R->name().size());
  for (const auto &R : Rules.rules()) {
    OS << R->name() << std::string(Width - R->name().size() + 2, ' ')
       << R->summary();
    if (R->fpClass() != FpClass::Exact)
      OS << " [" << toString(R->fpClass()) << ']';
    if (R->isOptIn())
      OS << " [only when named by --rules]";
    OS << '\n';
  }
}

/// The path from the current folder, where that is shorter.
static std::string shortPath(llvm::StringRef Path) {
  llvm::SmallString<128> Here;
  if (llvm::sys::fs::current_path(Here))
    return Path.str();
  llvm::StringRef Rest = Path;
  if (Rest.consume_front(Here) && Rest.consume_front("/"))
    return Rest.str();
  return Path.str();
}

void cudal1::listSites(llvm::ArrayRef<Site> Sites, llvm::raw_ostream &OS) {
  for (const Site &S : Sites) {
    OS << shortPath(S.File) << ':' << S.Line << ": " << S.TheRule->name();
    if (!S.Subject.empty())
      OS << ':' << S.Subject;
    for (const RewriteParams &Choice : S.Choices)
      if (!Choice.empty())
        OS << " {" << toString(Choice) << '}';
    OS << " [" << toString(S.Class) << (S.needsCheck() ? ", needs-check" : "")
       << "]\n    ";
    OS << (S.isOnHost() ? std::string("on the host")
                        : "in " + S.TheKernel->DisplayName)
       << ": ";
    OS << S.Description << '\n';
    for (const std::string &Fact : S.Evidence)
      OS << "    because " << Fact << '\n';
    for (const std::string &Library : S.Libraries)
      OS << "    links -l" << Library << '\n';
    if (S.needsCheck())
      OS << "    only if " << S.Condition << '\n';
  }
}
