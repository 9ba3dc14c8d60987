//===- SiteMatch.cpp - Finding a site again or by a user's words ----------===//

#include "cudal1/Search/SiteMatch.h"

using namespace cudal1;

static llvm::StringRef kernelName(const Site &S) {
  return S.TheKernel ? llvm::StringRef(S.TheKernel->DisplayName) : "";
}

std::optional<Action> cudal1::findAgain(llvm::ArrayRef<Site> Sites,
                                        const Rewrite &R) {
  std::optional<Action> Found;
  unsigned Distance = 0;
  for (const Site &S : Sites) {
    if (S.TheRule->name() != R.Rule || S.Subject != R.Subject ||
        S.File != R.File || kernelName(S) != R.Kernel)
      continue;
    auto Params = llvm::find(S.Choices, R.Params);
    unsigned D = S.Line > R.Line ? S.Line - R.Line : R.Line - S.Line;
    if (Params == S.Choices.end() || (Found && D >= Distance))
      continue;
    Found = Action{&S, &*Params};
    Distance = D;
  }
  return Found;
}

bool cudal1::atSameSite(const Rewrite &A, const Rewrite &B) {
  return A.Rule == B.Rule && A.Kernel == B.Kernel && A.File == B.File &&
         A.Line == B.Line && A.Subject == B.Subject;
}

static llvm::Error badSpec(llvm::StringRef Text, const llvm::Twine &Why) {
  return llvm::createStringError(
      "cannot read the step '" + Text + "': " + Why +
      "; write rule[@LINE][:SUBJECT][{name=value,...}]");
}

/// Reads "name=value,..." into \p Out.
static llvm::Error parseParams(llvm::StringRef Whole, llvm::StringRef Text,
                               RewriteParams &Out) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Text.split(Parts, ',');
  for (llvm::StringRef Part : Parts) {
    auto [Name, Value] = Part.split('=');
    int64_t Number = 0;
    if (Name.trim().empty() || Value.trim().getAsInteger(10, Number))
      return badSpec(Whole, "'" + Part + "' is not name=number");
    Out[Name.trim().str()] = Number;
  }
  return llvm::Error::success();
}

llvm::Expected<StepSpec> StepSpec::parse(llvm::StringRef Text) {
  StepSpec Spec;
  llvm::StringRef Rest = Text;
  if (Rest.consume_back("}")) {
    size_t Open = Rest.rfind('{');
    if (Open == llvm::StringRef::npos)
      return badSpec(Text, "no '{' before '}'");
    if (llvm::Error E = parseParams(Text, Rest.substr(Open + 1), Spec.Params))
      return std::move(E);
    Rest = Rest.take_front(Open);
  }
  // A subject may hold any character, a rule's name neither '@' nor ':'.
  size_t Colon = Rest.find(':');
  if (Colon != llvm::StringRef::npos) {
    Spec.Subject = Rest.substr(Colon + 1).str();
    Rest = Rest.take_front(Colon);
  }
  auto [Rule, Line] = Rest.split('@');
  if (Rest.contains('@')) {
    unsigned Number = 0;
    if (Line.getAsInteger(10, Number))
      return badSpec(Text, "'" + Line + "' is not a line number");
    Spec.Line = Number;
  }
  if (Rule.empty())
    return badSpec(Text, "no rule is named");
  Spec.Rule = Rule.str();
  return Spec;
}

bool StepSpec::matches(const Site &S) const {
  return S.TheRule->name() == Rule && (!Line || S.Line == *Line) &&
         (!Subject || S.Subject == *Subject);
}

std::string StepSpec::str() const {
  std::string Text = Rule;
  if (Line)
    Text += "@" + std::to_string(*Line);
  if (Subject)
    Text += ":" + *Subject;
  if (!Params.empty())
    Text += "{" + toString(Params) + "}";
  return Text;
}

/// True when \p Choice has every named parameter with the named value.
static bool fits(const RewriteParams &Choice, const RewriteParams &Named) {
  return llvm::all_of(Named, [&](const auto &P) {
    auto It = Choice.find(P.first);
    return It != Choice.end() && It->second == P.second;
  });
}

/// "unroll-loop@12:i{factor=2} or {factor=4}" for each site of the rule.
static std::string describeSites(llvm::ArrayRef<Site> Sites,
                                 llvm::StringRef Rule) {
  std::string Text;
  for (const Site &S : Sites) {
    if (S.TheRule->name() != Rule)
      continue;
    Text += Text.empty() ? "" : "; ";
    Text += S.TheRule->name().str() + "@" + std::to_string(S.Line);
    if (!S.Subject.empty())
      Text += ":" + S.Subject;
    for (const RewriteParams &Choice : S.Choices)
      if (!Choice.empty())
        Text += " {" + toString(Choice) + "}";
  }
  return Text;
}

llvm::Expected<Action> cudal1::findStep(llvm::ArrayRef<Site> Sites,
                                        const StepSpec &Spec) {
  for (const Site &S : Sites) {
    if (!Spec.matches(S))
      continue;
    for (const RewriteParams &Choice : S.Choices)
      if (fits(Choice, Spec.Params))
        return Action{&S, &Choice};
  }
  std::string There = describeSites(Sites, Spec.Rule);
  if (There.empty())
    return llvm::createStringError("no site fits '" + Spec.str() +
                                   "': the rule has no legal site in this unit"
                                   " (see --list-sites)");
  return llvm::createStringError("no site fits '" + Spec.str() +
                                 "'; legal ones of this rule: " + There);
}
