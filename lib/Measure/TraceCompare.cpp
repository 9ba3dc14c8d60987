//===- TraceCompare.cpp - Compare what two runs did on the GPU ------------===//

#include "cudal1/Measure/TraceCompare.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

using namespace cudal1;
using trace::CopyOrigin;

namespace {

constexpr double NotComparable = std::numeric_limits<double>::infinity();

/// Problems listed per kind before the rest is only counted.
constexpr size_t MaxListed = 3;

llvm::StringRef describe(CopyOrigin Origin) {
  switch (Origin) {
  case CopyOrigin::Copy:
    return "device-to-host copy";
  case CopyOrigin::GraphCopy:
    return "device-to-host copy of a graph";
  case CopyOrigin::SharedView:
    return "view of memory shared with the GPU";
  case CopyOrigin::FreedBuffer:
    return "device buffer at its release";
  }
  return "";
}

/// Follows allocations and launches through one process.
class LayoutTracker {
public:
  explicit LayoutTracker(const KernelParameterTable &Table) : Table(Table) {
    for (const auto &Entry : Table) {
      auto [Known, New] =
          ByBaseName.try_emplace(kernelBaseName(Entry.first()), &Entry.second);
      if (!New && *Known->second != Entry.second)
        Known->second = nullptr; // overloads with different parameters
    }
  }

  void launch(const trace::Launch &L) {
    const std::vector<ElementLayout> *Found = layoutsOf(L.Name);
    if (!Found)
      return;
    const std::vector<ElementLayout> &Layouts = *Found;
    for (size_t I = 0; I < std::min(Layouts.size(), L.Parameters.size()); ++I)
      if (Block *Into = find(L.Parameters[I].Value);
          Into && !Layouts[I].empty())
        *Into = {Into->Begin, Into->Bytes, Layouts[I], L.Parameters[I].Value,
                 Into->Number};
  }

  void allocate(const TraceAllocation &A) {
    Blocks[A.Address] = {A.Address, A.Bytes, {}, A.Address, ++Made};
  }

  void free(const TraceFree &F) { Blocks.erase(F.Address); }

  TypedCopy type(const TraceCopy &Copy) {
    TypedCopy Result{&Copy, {}, 0};
    Block *From = find(Copy.Source);
    if (From) {
      Result.Allocation = From->Number;
      Result.Offset = Copy.Source - From->Begin;
    }
    if (!From || From->Layout.empty())
      return Result;
    uint64_t Stride = 0;
    for (ElementType Type : From->Layout)
      Stride += sizeOf(Type);
    Result.Layout = From->Layout;
    // Elements repeat in both directions from where the kernel's pointer was.
    uint64_t Anchor = From->Anchor % Stride;
    Result.Phase = (Copy.Source % Stride + Stride - Anchor) % Stride;
    return Result;
  }

private:
  struct Block {
    uint64_t Begin;
    uint64_t Bytes;
    ElementLayout Layout;
    uint64_t Anchor; ///< address at which an element starts
    uint64_t Number; ///< of the allocation, from 1
  };

  Block *find(uint64_t Address) {
    auto Above = Blocks.upper_bound(Address);
    if (Above == Blocks.begin())
      return nullptr;
    Block &Candidate = std::prev(Above)->second;
    return Address - Candidate.Begin < Candidate.Bytes ? &Candidate : nullptr;
  }

  using Layouts = std::vector<ElementLayout>;

  /// Compilers mangle kernels of internal linkage differently.
  const Layouts *layoutsOf(const std::string &Name) {
    auto [Known, New] = ByName.try_emplace(Name, nullptr);
    if (!New)
      return Known->second;
    auto Exact = Table.find(Name);
    if (Exact != Table.end())
      return Known->second = &Exact->second;
    auto Alike = ByBaseName.find(kernelBaseName(Name));
    return Known->second = Alike == ByBaseName.end() ? nullptr : Alike->second;
  }

  const KernelParameterTable &Table;
  std::map<std::string, const Layouts *> ByBaseName;
  std::map<std::string, const Layouts *> ByName;
  std::map<uint64_t, Block> Blocks;
  uint64_t Made = 0;
};

void countKernels(const Trace &T, RunRecord &Record) {
  if (!T.Kernels.empty()) {
    std::vector<std::string> BaseNames;
    BaseNames.reserve(T.Names.size());
    for (const std::string &Name : T.Names)
      BaseNames.push_back(kernelBaseName(Name));
    for (const KernelInterval &K : T.Kernels)
      ++Record.KernelRuns[BaseNames[K.Name]];
    return;
  }
  for (const TraceEvent &Event : T.Events)
    if (const auto *L = std::get_if<trace::Launch>(&Event))
      if (L->Result == 0 && !L->Captured)
        ++Record.KernelRuns[kernelBaseName(L->Name)];
}

/// The kept bytes of two copies of the same size, block by block.
std::vector<BufferPart> partsOf(const TraceCopy &A, const TraceCopy &B) {
  std::vector<BufferPart> Parts;
  trace::Sample Blocks(A.Bytes, A.SampleCap);
  for (uint64_t I = 0; I < Blocks.count(); ++I) {
    uint64_t At = I * Blocks.blockSize();
    Parts.push_back({Blocks.offset(I), A.Kept.substr(At, Blocks.blockSize()),
                     B.Kept.substr(At, Blocks.blockSize())});
  }
  return Parts;
}

bool keptAlike(const TraceCopy &A, const TraceCopy &B) {
  return A.SampleCap == B.SampleCap && !A.Kept.empty() && !B.Kept.empty();
}

bool isSampled(const TraceCopy &Copy) {
  return !trace::Sample(Copy.Bytes, Copy.SampleCap).whole();
}

/// Compares a copy of the variant with the original's.
class CopyComparer {
public:
  CopyComparer(const Tolerance &Limits, RunComparison &Result)
      : Limits(Limits), Result(Result) {}

  void compare(const TypedCopy &A, const TypedCopy &B, size_t Index,
               double Noise) {
    std::string Which =
        (describe(A.Copy->Origin) + " " + llvm::Twine(Index + 1) + " (" +
         llvm::Twine(A.Copy->Bytes) + " bytes)")
            .str();
    if (Noise == NotComparable) {
      ++Skipped;
      return;
    }
    ++Compared;
    if (A.Copy->Bytes != B.Copy->Bytes) {
      problem(Which + " has " + std::to_string(B.Copy->Bytes) +
              " bytes in the variant");
      return;
    }
    if (A.Copy->Digest == B.Copy->Digest) {
      Result.Figures.ValuesCompared += valuesIn(A);
      return;
    }
    if (!keptAlike(*A.Copy, *B.Copy)) {
      problem(Which + " differs, and its bytes were not kept");
      return;
    }
    BufferComparison Values =
        compareBuffers(partsOf(*A.Copy, *B.Copy), A.Layout, A.Phase,
                       Tolerance(Limits.Class, Noise, Limits.Relative));
    Result.Figures.merge(Values.Figures);
    if (!Values.equal()) {
      problem(Which + ": " + Values.FirstMismatch + ", " +
              std::to_string(Values.Figures.Mismatches) + " of " +
              std::to_string(Values.Figures.ValuesCompared) +
              " values outside the " +
              (Limits.Relative && Limits.Class != FpClass::Exact
                   ? "given tolerance"
                   : "tolerance of class " + toString(Limits.Class).str()));
      return;
    }
    if (!isSampled(*A.Copy))
      return;
    // Differences outside of the kept sample cannot be judged by value.
    if (Limits.Class == FpClass::Exact && Noise == 0)
      problem(Which + " differs outside of the kept sample");
    else
      ++Sampled;
  }

  void finish(CopyOrigin Origin) {
    if (Problems > MaxListed)
      Result.Problems.push_back(std::to_string(Problems - MaxListed) +
                                " more of the kind '" + describe(Origin).str() +
                                "' differ");
    std::string Text =
        std::to_string(Compared) + " × " + describe(Origin).str() + " compared";
    if (Skipped)
      Text += ", " + std::to_string(Skipped) +
              " not compared since the original's own vary";
    if (Sampled)
      Text += ", " + std::to_string(Sampled) + " of them by a sample";
    if (Compared || Skipped)
      Result.Evidence.push_back(Text);
  }

private:
  static uint64_t valuesIn(const TypedCopy &C) {
    uint64_t Stride = 0;
    for (ElementType Type : C.Layout)
      Stride += sizeOf(Type);
    return Stride ? C.Copy->Bytes / Stride * C.Layout.size() : C.Copy->Bytes;
  }

  void problem(std::string Text) {
    if (++Problems <= MaxListed)
      Result.Problems.push_back(std::move(Text));
  }

  const Tolerance &Limits;
  RunComparison &Result;
  size_t Compared = 0, Skipped = 0, Sampled = 0, Problems = 0;
};

void compareKernelRuns(const RunRecord &Original, const RunRecord &Variant,
                       llvm::ArrayRef<std::string> Replaced,
                       llvm::ArrayRef<KernelMerge> Merges,
                       RunComparison &Result) {
  for (const auto &[Name, Count] : Original.KernelRuns) {
    auto Entry = Variant.KernelRuns.find(Name);
    uint64_t Now = Entry == Variant.KernelRuns.end() ? 0 : Entry->second;
    if (!ranOftenEnough(Name, Count, Variant, Merges) &&
        !isReplaced(Name, Replaced))
      Result.Problems.push_back("kernel " + Name + " ran " +
                                std::to_string(Now) + " times, " +
                                std::to_string(Count) + " in the original");
    else if (Now != Count)
      Result.Evidence.push_back("kernel " + Name + " ran " +
                                std::to_string(Now) + " times, " +
                                std::to_string(Count) + " in the original");
  }
  Result.Evidence.push_back(std::to_string(Variant.totalKernelRuns()) +
                            " kernel runs (original: " +
                            std::to_string(Original.totalKernelRuns()) + ")");
}

void compareErrors(const RunRecord &Original, const RunRecord &Variant,
                   bool HasLibrary, RunComparison &Result) {
  auto Describe = [](const std::pair<std::string, int> &Key) {
    return Key.first + " failed with error " + std::to_string(Key.second);
  };
  for (const auto &[Key, Count] : Variant.ApiErrors) {
    auto Entry = Original.ApiErrors.find(Key);
    uint64_t Before = Entry == Original.ApiErrors.end() ? 0 : Entry->second;
    if (Before != Count)
      (HasLibrary ? Result.Evidence : Result.Problems)
          .push_back(Describe(Key) + " " + std::to_string(Count) + " times, " +
                     std::to_string(Before) + " times in the original");
  }
  for (const auto &[Key, Count] : Original.ApiErrors)
    if (!Variant.ApiErrors.count(Key))
      Result.Problems.push_back(Describe(Key) + " " + std::to_string(Count) +
                                " times in the original, never in the variant");
}

std::set<CopyOrigin> originsOf(const RunRecord &A, const RunRecord &B) {
  std::set<CopyOrigin> Result;
  for (const RunRecord *Record : {&A, &B})
    for (const auto &Entry : Record->Copies)
      Result.insert(Entry.first);
  return Result;
}

const std::vector<TypedCopy> &copiesOf(const RunRecord &Record,
                                       CopyOrigin Origin) {
  static const std::vector<TypedCopy> None;
  auto Entry = Record.Copies.find(Origin);
  return Entry == Record.Copies.end() ? None : Entry->second;
}

using CopyPairs = std::vector<std::pair<size_t, size_t>>;

/// Which copies of a variant stand for which of the original: for each place
/// that is copied from, the last ones. Nothing when the variant lacks them all
/// for some place, or has more, or a place is not known.
std::optional<CopyPairs> pairLastCopies(const std::vector<TypedCopy> &A,
                                        const std::vector<TypedCopy> &B) {
  using Place = std::tuple<uint64_t, uint64_t, uint64_t>;
  std::map<Place, std::pair<std::vector<size_t>, std::vector<size_t>>> Places;
  auto PlaceOf = [](const TypedCopy &C) {
    return Place(C.Allocation, C.Offset, C.Copy->Bytes);
  };
  for (size_t I = 0; I < A.size(); ++I)
    Places[PlaceOf(A[I])].first.push_back(I);
  for (size_t I = 0; I < B.size(); ++I)
    Places[PlaceOf(B[I])].second.push_back(I);
  CopyPairs Pairs;
  for (const auto &[From, Both] : Places) {
    const auto &[Ours, Theirs] = Both;
    if (std::get<0>(From) == 0 || Theirs.empty() || Theirs.size() > Ours.size())
      return std::nullopt;
    for (size_t I = 1; I <= Theirs.size(); ++I)
      Pairs.push_back({Ours[Ours.size() - I], Theirs[Theirs.size() - I]});
  }
  llvm::sort(Pairs);
  return Pairs;
}

/// How much a copy differs between two runs of the original. Sets HasNan.
double noiseOf(const TypedCopy &A, const TypedCopy &B, bool &HasNan) {
  if (A.Copy->Bytes != B.Copy->Bytes)
    return NotComparable;
  bool Same = A.Copy->Digest == B.Copy->Digest;
  if (!keptAlike(*A.Copy, *B.Copy))
    return Same ? 0 : NotComparable;
  BufferComparison Values =
      compareBuffers(partsOf(*A.Copy, *B.Copy), A.Layout, A.Phase, Tolerance());
  HasNan |= Values.OriginalHasNan;
  if (Same)
    return 0;
  // Bits differ, if only in NaN payloads or outside of the sample.
  return std::max(Values.MaxScaled, std::numeric_limits<double>::min());
}

/// Noise above this is no rounding: such values say nothing.
constexpr double MaxUsefulNoise = 1e-3;

} // namespace

bool cudal1::isReplaced(llvm::StringRef Name,
                        llvm::ArrayRef<std::string> Replaced) {
  return llvm::any_of(Replaced, [Name](const std::string &Mangled) {
    return kernelBaseName(Mangled) == Name;
  });
}

uint64_t RunRecord::totalKernelRuns() const {
  uint64_t Total = 0;
  for (const auto &Entry : KernelRuns)
    Total += Entry.second;
  return Total;
}

/// Adds the runs that count for \p Name, each run for \p Weight of its runs; 0
/// for a number that is not known.
static void addRuns(const std::string &Name, uint64_t Weight,
                    const RunRecord &Variant,
                    llvm::ArrayRef<KernelMerge> Merges,
                    std::set<std::string> Seen, uint64_t &Runs, bool &Unknown) {
  if (!Seen.insert(Name).second)
    return;
  auto Entry = Variant.KernelRuns.find(Name);
  if (Entry != Variant.KernelRuns.end()) {
    Runs += Weight * Entry->second;
    Unknown |= Weight == 0 && Entry->second > 0;
  }
  for (const KernelMerge &M : Merges)
    if (M.From == Name)
      addRuns(M.Into, Weight * M.Runs, Variant, Merges, Seen, Runs, Unknown);
}

bool cudal1::ranOftenEnough(const std::string &Name, uint64_t Count,
                            const RunRecord &Variant,
                            llvm::ArrayRef<KernelMerge> Merges) {
  uint64_t Runs = 0;
  bool Unknown = false;
  addRuns(Name, 1, Variant, Merges, {}, Runs, Unknown);
  return Unknown || Runs >= Count;
}

RunRecord cudal1::recordRun(llvm::ArrayRef<Trace> Traces,
                            const KernelParameterTable &Table) {
  RunRecord Record;
  for (const Trace &T : Traces) {
    LayoutTracker Tracker(Table);
    for (const TraceEvent &Event : T.Events) {
      if (const auto *L = std::get_if<trace::Launch>(&Event))
        Tracker.launch(*L);
      else if (const auto *A = std::get_if<TraceAllocation>(&Event))
        Tracker.allocate(*A);
      else if (const auto *F = std::get_if<TraceFree>(&Event))
        Tracker.free(*F);
      else if (const auto *C = std::get_if<TraceCopy>(&Event))
        Record.Copies[C->Origin].push_back(Tracker.type(*C));
    }
    countKernels(T, Record);
    for (const auto &[Key, Count] : T.ApiErrors)
      Record.ApiErrors[Key] += Count;
    Record.Complete &= T.Complete;
  }
  return Record;
}

RunVariation cudal1::learnVariation(const RunRecord &First,
                                    const RunRecord &Second) {
  RunVariation Result;
  for (CopyOrigin Origin : originsOf(First, Second)) {
    const std::vector<TypedCopy> &A = copiesOf(First, Origin);
    const std::vector<TypedCopy> &B = copiesOf(Second, Origin);
    if (A.size() != B.size()) {
      Result.CountVaries[Origin] = true;
      Result.Sentences.push_back(
          ("the number of times that a " + describe(Origin) +
           " happens changes from run to run; these are not compared")
              .str());
      continue;
    }
    size_t Varying = 0, Useless = 0;
    for (size_t I = 0; I < A.size(); ++I) {
      double Noise = noiseOf(A[I], B[I], Result.HasNan);
      if (Noise == 0)
        continue;
      ++Varying;
      if (Noise > MaxUsefulNoise) {
        Noise = NotComparable;
        ++Useless;
      }
      Result.CopyNoise[{Origin, I}] = Noise;
    }
    if (Varying)
      Result.Sentences.push_back(
          (llvm::Twine(Varying) + " of " + llvm::Twine(A.size()) + " × " +
           describe(Origin) + " change from run to run; " +
           (Useless ? llvm::Twine(Useless) + " of them are not compared"
                    : llvm::Twine("they are compared with a tolerance")))
              .str());
  }
  if (First.KernelRuns != Second.KernelRuns) {
    Result.KernelRunsVary = true;
    Result.Sentences.push_back("the number of kernel runs changes from run to "
                               "run; it is not compared");
  }
  if (First.ApiErrors != Second.ApiErrors) {
    Result.ApiErrorsVary = true;
    Result.Sentences.push_back(
        "the failing CUDA calls change from run to run; they are not compared");
  }
  return Result;
}

void cudal1::addVariation(RunVariation &Known, const RunRecord &First,
                          const RunRecord &Another) {
  RunVariation New = learnVariation(First, Another);
  for (const auto &[Key, Noise] : New.CopyNoise) {
    double &Largest = Known.CopyNoise[Key];
    Largest = std::max(Largest, Noise);
  }
  Known.CountVaries.insert(New.CountVaries.begin(), New.CountVaries.end());
  Known.KernelRunsVary |= New.KernelRunsVary;
  Known.ApiErrorsVary |= New.ApiErrorsVary;
  Known.HasNan |= New.HasNan;
  for (std::string &Sentence : New.Sentences)
    if (!llvm::is_contained(Known.Sentences, Sentence))
      Known.Sentences.push_back(std::move(Sentence));
}

RunComparison cudal1::compareRuns(const RunRecord &Original,
                                  const RunRecord &Variant,
                                  const RunVariation &Variation,
                                  const Tolerance &Limits, CopyCount Count,
                                  llvm::ArrayRef<std::string> Replaced,
                                  llvm::ArrayRef<KernelMerge> Merges) {
  RunComparison Result;
  if (Original.Complete && !Variant.Complete)
    Result.Problems.push_back("the variant's trace is incomplete: a process "
                              "died or left by _exit");
  for (CopyOrigin Origin : originsOf(Original, Variant)) {
    const std::vector<TypedCopy> &A = copiesOf(Original, Origin);
    const std::vector<TypedCopy> &B = copiesOf(Variant, Origin);
    if (Variation.CountVaries.count(Origin))
      continue;
    CopyPairs Pairs;
    for (size_t I = 0; I < std::min(A.size(), B.size()); ++I)
      Pairs.push_back({I, I});
    std::optional<CopyPairs> Last;
    if (Origin == CopyOrigin::Copy && Count == CopyCount::LastOfEachPlace)
      Last = pairLastCopies(A, B);
    if (Last)
      Pairs = std::move(*Last);
    if (A.size() != B.size()) {
      std::string Text =
          ("the variant has " + llvm::Twine(B.size()) + " × " +
           describe(Origin) + ", the original " + llvm::Twine(A.size()))
              .str();
      // When memory is released or waited for is the program's own business;
      // what it copies is its result.
      bool IsResult =
          Origin == CopyOrigin::Copy || Origin == CopyOrigin::GraphCopy;
      (IsResult && !Last ? Result.Problems : Result.Evidence).push_back(Text);
      if (!Last)
        continue;
    }
    CopyComparer Comparer(Limits, Result);
    for (auto [I, J] : Pairs) {
      auto Noise = Variation.CopyNoise.find({Origin, I});
      Comparer.compare(A[I], B[J], I,
                       Noise == Variation.CopyNoise.end() ? 0 : Noise->second);
    }
    Comparer.finish(Origin);
  }
  if (!Variation.KernelRunsVary)
    compareKernelRuns(Original, Variant, Replaced, Merges, Result);
  if (!Variation.ApiErrorsVary)
    compareErrors(Original, Variant, !Replaced.empty(), Result);
  return Result;
}
