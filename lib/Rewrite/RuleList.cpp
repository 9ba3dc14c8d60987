//===- RuleList.cpp - The rules, by name, and their sites -----------------===//

#include "cudal1/Rewrite/RuleList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"
#include <set>

namespace cudal1 {

#define CUDAL1_RULE(NAME) std::unique_ptr<Rule> create##NAME##Rule();
#include "Rules.def"
#undef CUDAL1_RULE

RuleList RuleList::all() {
  RuleList List;
#define CUDAL1_RULE(NAME) List.Rules.push_back(create##NAME##Rule());
#include "Rules.def"
#undef CUDAL1_RULE
  return List;
}

const Rule *RuleList::find(llvm::StringRef Name) const {
  for (const std::unique_ptr<Rule> &R : Rules)
    if (R->name() == Name)
      return R.get();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Selection by globs
//===----------------------------------------------------------------------===//

/// '*' stands for any text; nothing else is special.
static llvm::Regex globToRegex(llvm::StringRef Glob) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Glob.split(Parts, '*');
  std::string Text = "^";
  for (auto [I, Part] : llvm::enumerate(Parts)) {
    if (I)
      Text += ".*";
    Text += llvm::Regex::escape(Part);
  }
  return llvm::Regex(Text + "$");
}

llvm::Error RuleList::select(llvm::StringRef Globs) {
  llvm::SmallVector<llvm::StringRef> Items;
  llvm::SplitString(Globs, Items, ",\n");
  std::set<const Rule *> On;
  for (const std::unique_ptr<Rule> &R : Rules)
    if (!R->isOptIn())
      On.insert(R.get());
  bool First = true;
  for (llvm::StringRef Item : Items) {
    Item = Item.trim();
    if (Item.empty())
      continue;
    llvm::StringRef Glob = Item;
    bool Remove = Glob.consume_front("-");
    if (std::exchange(First, false) && !Remove)
      On.clear();
    if (!Glob.contains('*') && !find(Glob))
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "no rule is called '" + Glob +
              "'; --list-rules prints the names of all rules");
    const llvm::Regex Pattern = globToRegex(Glob);
    for (const std::unique_ptr<Rule> &R : Rules) {
      if (!Pattern.match(R->name()))
        continue;
      if (Remove)
        On.erase(R.get());
      else if (!R->isOptIn() || Glob == R->name())
        On.insert(R.get());
    }
  }
  llvm::erase_if(Rules, [&](const std::unique_ptr<Rule> &R) {
    return !On.count(R.get());
  });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Sites of all rules
//===----------------------------------------------------------------------===//

static auto keyOf(const Site &S) {
  return std::tie(S.File, S.Offset, S.Subject);
}

/// What is written stands in the template, and so in every instantiation: it
/// has to be what each of them asks for.
static bool makeSameText(const Site &S, const Site &Other,
                         const RewriteParams &Choice) {
  llvm::Expected<Edit> Here = S.Apply(Choice), There = Other.Apply(Choice);
  bool Same = Here && There && Here->Files == There->Files;
  for (llvm::Expected<Edit> *Result : {&Here, &There})
    if (!*Result)
      llvm::consumeError(Result->takeError());
  return Same;
}

/// What holds for \p S in one instantiation and for \p Other in another.
static void intersect(Site &S, const Site &Other) {
  llvm::erase_if(S.Choices, [&](const RewriteParams &Choice) {
    return !llvm::is_contained(Other.Choices, Choice) ||
           !makeSameText(S, Other, Choice);
  });
  for (const std::string &Fact : Other.Evidence)
    if (!llvm::is_contained(S.Evidence, Fact))
      S.Evidence.push_back(Fact);
  S.Class = std::max(S.Class, Other.Class);
  if (S.Condition.empty())
    S.Condition = Other.Condition;
  else if (!Other.Condition.empty() && Other.Condition != S.Condition)
    S.Condition += "; " + Other.Condition;
}

/// The sites of \p R that every instantiation of \p K has.
static std::vector<Site> sitesOf(const Rule &R, const Kernel &K,
                                 const ProgramAnalysis &A) {
  std::vector<Site> Result;
  R.findSites(K, A, Result);
  for (const Kernel *Instance : A.instancesOf(K)) {
    if (Instance == &K || Result.empty())
      continue;
    std::vector<Site> Others;
    R.findSites(*Instance, A, Others);
    llvm::erase_if(Result, [&](Site &S) {
      auto It = llvm::find_if(
          Others, [&](const Site &O) { return keyOf(O) == keyOf(S); });
      if (It == Others.end())
        return true;
      intersect(S, *It);
      return S.Choices.empty();
    });
  }
  for (Site &S : Result)
    S.TheRule = &R;
  return Result;
}

std::vector<Site> findSites(const RuleList &Rules, const ProgramAnalysis &A,
                            FpClass Weakest, bool NeedsCheck) {
  std::vector<Site> Result;
  auto Add = [&](std::vector<Site> Sites) {
    for (Site &S : Sites)
      if (S.Class <= Weakest && (NeedsCheck || !S.needsCheck()))
        Result.push_back(std::move(S));
  };
  for (const std::unique_ptr<Rule> &R : Rules.rules()) {
    std::vector<Site> OnHost;
    R->findHostSites(A, OnHost);
    Add(std::move(OnHost));
  }
  for (const std::unique_ptr<Kernel> &K : A.kernels()) {
    if (!K->Editable || !K->IsPrimary)
      continue;
    for (const std::unique_ptr<Rule> &R : Rules.rules())
      Add(sitesOf(*R, *K, A));
  }
  llvm::sort(Result, [](const Site &A, const Site &B) {
    return std::tuple(llvm::StringRef(A.File), A.Offset, A.TheRule->name(),
                      llvm::StringRef(A.Subject)) <
           std::tuple(llvm::StringRef(B.File), B.Offset, B.TheRule->name(),
                      llvm::StringRef(B.Subject));
  });
  return Result;
}

} // namespace cudal1
