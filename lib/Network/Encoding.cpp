//===- Encoding.cpp - Decisions as numbers for the network ----------------===//

#include "cudal1/Network/Encoding.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace cudal1;

namespace {

enum class Scale { Linear, Flag, Log };

struct Feature {
  const char *Name;
  Scale HowScaled;
  FeatureGroup Group;
};

const Feature StateFeatures[] = {
#define CUDAL1_STATE_FEATURE(NAME, SCALE, GROUP)                               \
  {#NAME, Scale::SCALE, FeatureGroup::GROUP},
#include "cudal1/Network/Features.def"
};

const Feature ActionFeatures[] = {
#define CUDAL1_ACTION_FEATURE(NAME, SCALE)                                     \
  {#NAME, Scale::SCALE, FeatureGroup::Code},
#include "cudal1/Network/Features.def"
};

const char *const RuleSlots[] = {
#define CUDAL1_RULE_SLOT(NAME) NAME,
#include "cudal1/Network/Features.def"
};

const char *const ParameterSlots[] = {
#define CUDAL1_PARAMETER_SLOT(NAME) NAME,
#include "cudal1/Network/Features.def"
};

/// LogSpeedup, LogStep, Failed, number of Rewrites.
constexpr size_t ExampleFigures = 4;
constexpr size_t PairFigures = 4;
constexpr size_t RuleCount = std::size(RuleSlots);
constexpr size_t StepWidth = RuleCount + std::size(ParameterSlots);

/// FNV-1a, 64 bits: stable over machines and standard libraries.
class Hasher {
public:
  void add(std::string_view Text) {
    for (unsigned char C : Text)
      Value = (Value ^ C) * 0x100000001b3;
    Value = (Value ^ 0xff) * 0x100000001b3; // the end of a word
  }
  std::string digits() const {
    char Buffer[17];
    std::snprintf(Buffer, sizeof Buffer, "%016llx",
                  static_cast<unsigned long long>(Value));
    return Buffer;
  }

private:
  uint64_t Value = 0xcbf29ce484222325;
};

float scaled(double Value, Scale S) {
  switch (S) {
  case Scale::Linear:
    return static_cast<float>(Value);
  case Scale::Flag:
    return Value != 0 ? 1.0F : 0.0F;
  case Scale::Log:
    return static_cast<float>(
        std::copysign(std::log2(1 + std::abs(Value)), Value));
  }
  return 0;
}

/// The slot of \p Name, or the last one.
template <size_t N>
size_t slotOf(const char *const (&Slots)[N], const std::string &Name) {
  return std::find(Slots, Slots + N - 1, Name) - Slots;
}

void writeFeatures(std::span<const Feature> Features, const NamedValues &Values,
                   std::span<float> Out) {
  for (size_t I = 0; I < Features.size(); ++I) {
    auto It = Values.find(Features[I].Name);
    if (It != Values.end() && std::isfinite(It->second))
      Out[I] = scaled(It->second, Features[I].HowScaled);
  }
}

/// Rule and parameters, StepWidth numbers.
void writeStep(const StepKey &Key, std::span<float> Out) {
  Out[slotOf(RuleSlots, Key.Rule)] = 1;
  for (const auto &[Name, Value] : Key.Params)
    Out[RuleCount + slotOf(ParameterSlots, Name)] +=
        scaled(static_cast<double>(Value), Scale::Log);
}

void writeExample(const MeasuredExample &E, std::span<float> Out) {
  if (!E.Rewrites.empty())
    writeStep(E.Rewrites.back(), Out);
  std::span<float> Counts = Out.subspan(StepWidth, RuleCount);
  for (const StepKey &Key : E.Rewrites)
    Counts[slotOf(RuleSlots, Key.Rule)] += 1;
  std::span<float> Figures = Out.subspan(StepWidth + RuleCount);
  Figures[0] = static_cast<float>(E.LogSpeedup);
  Figures[1] = static_cast<float>(E.LogStep);
  Figures[2] = E.Failed ? 1.0F : 0.0F;
  Figures[3] = static_cast<float>(E.Rewrites.size());
}

/// Sum of |log2 ratio| over the parameters of either.
float distance(const StepKey &A, const StepKey &B) {
  auto Get = [](const StepKey &K, const std::string &Name) {
    auto It = K.Params.find(Name);
    return It == K.Params.end()
               ? 0.0F
               : scaled(static_cast<double>(It->second), Scale::Log);
  };
  float Sum = 0;
  for (const auto &[Name, Value] : A.Params)
    Sum += std::abs(Get(A, Name) - Get(B, Name));
  for (const auto &[Name, Value] : B.Params)
    if (!A.Params.count(Name))
      Sum += std::abs(Get(B, Name));
  return Sum;
}

void writePair(const StepKey &Action, const MeasuredExample &E,
               std::span<float> Out) {
  if (E.Rewrites.empty())
    return;
  const StepKey &Last = E.Rewrites.back();
  if (Action.Rule != Last.Rule)
    return;
  Out[0] = Action == Last ? 1.0F : 0.0F;
  Out[1] = 1;
  Out[2] = Action.Subject == Last.Subject ? 1.0F : 0.0F;
  Out[3] = distance(Action, Last);
}

Schema makeSchema() {
  Schema S;
  Hasher H;
  auto AddFeature = [&](const Feature &F) {
    H.add(F.Name);
    H.add(std::to_string(static_cast<int>(F.HowScaled)));
  };
  for (const Feature &F : StateFeatures) {
    AddFeature(F);
    S.StateNames.push_back(F.Name);
    S.StateGroups.push_back(F.Group);
  }
  for (const char *Name : RuleSlots)
    H.add(Name);
  for (const char *Name : ParameterSlots)
    H.add(Name);
  for (const Feature &F : ActionFeatures) {
    AddFeature(F);
    if (std::string_view(F.Name) == "advice")
      S.AdviceColumn = StepWidth + S.ActionNames.size();
    S.ActionNames.push_back(F.Name);
  }
  S.StateWidth = std::size(StateFeatures);
  S.ActionWidth = StepWidth + std::size(ActionFeatures);
  S.ExampleWidth = StepWidth + RuleCount + ExampleFigures;
  S.PairWidth = PairFigures;
  S.Hash = H.digits();
  return S;
}

} // namespace

const Schema &cudal1::schema() {
  static const Schema TheSchema = makeSchema();
  return TheSchema;
}

EncodedDecision cudal1::encode(const Decision &D) {
  const Schema &S = schema();
  EncodedDecision E;
  E.State.resize(S.StateWidth);
  writeFeatures(StateFeatures, D.State, E.State);
  E.Actions = Rows(S.ActionWidth);
  E.Examples = Rows(S.ExampleWidth);
  E.Pairs = Rows(S.PairWidth);
  for (const CandidateStep &A : D.Actions) {
    std::span<float> Row = E.Actions.add();
    writeStep(A.Key, Row);
    writeFeatures(ActionFeatures, A.Features, Row.subspan(StepWidth));
  }
  for (const MeasuredExample &M : D.Examples)
    writeExample(M, E.Examples.add());
  for (const CandidateStep &A : D.Actions)
    for (const MeasuredExample &M : D.Examples)
      writePair(A.Key, M, E.Pairs.add());
  return E;
}
