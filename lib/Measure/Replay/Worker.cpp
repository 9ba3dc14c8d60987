//===- Worker.cpp - Judges variants in held processes of one GPU ----------===//

#include "Worker.h"
#include "../GpuLock.h"
#include "Timings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace cudal1;
using Clock = std::chrono::steady_clock;

namespace {

/// CUfunction_attribute values, fixed by the driver's binary interface.
enum FunctionAttribute : int32_t {
  MaxDynamicSharedSize = 8,
  PreferredSharedCarveout = 9,
  RequiredClusterWidth = 11, // and height and depth after it
  NonPortableClusterSizeAllowed = 14,
  ClusterSchedulingPreference = 15,
};
/// A launch may ask for this much dynamic shared memory without the attribute.
constexpr int32_t PlainDynamicShared = 48 << 10;

/// Pairs of one round take about this long in all.
constexpr double RoundUs = 4000;
constexpr unsigned LeastPairs = 2;
constexpr unsigned HotPairs = 4;
/// A clock below this share of the GPU's highest one is throttled.
constexpr double ThrottledShare = 0.75;
constexpr unsigned MaxThrottledRounds = 5;
/// The peak is from clock × bus width; a boost may exceed it a bit.
constexpr double BandwidthMargin = 1.1;
/// Kernels of a program that are held at the same time.
constexpr size_t MaxHeldCases = 6;
/// A compare needs some launches of our own beside the variant's.
constexpr std::chrono::milliseconds CompareExtra(2000);

template <typename... Parts> std::string sentence(const Parts &...Of) {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  (Out << ... << Of);
  return Text;
}

LaunchShape shapeOf(const replay::LaunchConfig &Config) {
  LaunchShape Shape;
  for (int I = 0; I < 3; ++I) {
    Shape.Grid[I] = Config.Grid[I];
    Shape.Block[I] = Config.Block[I];
  }
  Shape.SharedBytes = Config.SharedBytes;
  return Shape;
}

replay::LaunchConfig
transformed(replay::LaunchConfig Config,
            llvm::ArrayRef<const LaunchTransform *> Transforms) {
  LaunchShape Shape = shapeOf(Config);
  for (const LaunchTransform *T : Transforms)
    Shape = T->apply(Shape);
  for (int I = 0; I < 3; ++I) {
    Config.Grid[I] = uint32_t(Shape.Grid[I]);
    Config.Block[I] = uint32_t(Shape.Block[I]);
  }
  Config.SharedBytes = uint32_t(Shape.SharedBytes);
  return Config;
}

bool sameLayout(llvm::ArrayRef<replay::ParameterLayout> A,
                llvm::ArrayRef<replay::ParameterLayout> B) {
  return llvm::equal(A, B, [](const auto &X, const auto &Y) {
    return X.Offset == Y.Offset && X.Size == Y.Size;
  });
}

} // namespace

std::vector<std::unique_ptr<HeldCase>> *
ReplayWorker::casesOf(llvm::StringRef Kernel, Measurement &M) {
  auto [Entry, New] = Held.try_emplace(Kernel);
  auto Known = Cases.find(Kernel);
  if (Known == Cases.end() || Known->second.Cases.empty()) {
    M.Evidence.push_back(sentence("the kernel ", Kernel, " is not replayed: ",
                                  Known == Cases.end()
                                      ? "it is not in the profile"
                                      : Known->second.Problem));
    return nullptr;
  }
  if (New)
    for (const ReplayCase &C : Known->second.Cases)
      Entry->second.push_back(std::make_unique<HeldCase>(Context, C, Gpu));
  return &Entry->second;
}

/// Ends processes that this variant does not need, until \p Most are left with
/// those it needs. True if it ended any.
bool ReplayWorker::closeOthers(llvm::ArrayRef<Loaded> Needed, size_t Most) {
  std::vector<HeldCase *> Open;
  for (auto &Entry : Held)
    for (std::unique_ptr<HeldCase> &Case : Entry.second)
      if (Case->isOpen() && llvm::none_of(Needed, [&](const Loaded &L) {
            return L.Case == Case.get();
          }))
        Open.push_back(Case.get());
  size_t Closed = 0;
  while (Closed < Open.size() && Open.size() - Closed + Needed.size() > Most)
    Open[Closed++]->close();
  return Closed > 0;
}

bool ReplayWorker::openAll(const CompiledVariant &V,
                           std::vector<Loaded> &Functions, Measurement &M) {
  for (const ChangedKernel &Kernel : V.Kernels) {
    std::vector<std::unique_ptr<HeldCase>> *OfKernel = casesOf(Kernel.Name, M);
    if (!OfKernel)
      return false;
    for (std::unique_ptr<HeldCase> &Case : *OfKernel)
      Functions.push_back({&Kernel, Case.get(), {}});
  }
  closeOthers(Functions, MaxHeldCases);
  for (Loaded &L : Functions) {
    llvm::Error E = L.Case->open();
    // Other held programs may have left too little memory.
    if (E && L.Case->forgive() && closeOthers({}, 0)) {
      llvm::consumeError(std::move(E));
      E = L.Case->open();
    }
    if (E) {
      M.Evidence.push_back(
          sentence("the kernel ", L.Kernel->Name,
                   " is not replayed: ", llvm::toString(std::move(E))));
      return false;
    }
  }
  if (llvm::all_of(Functions, [](const Loaded &L) { return L.Case->isOpen(); }))
    return true;
  M.Evidence.push_back("the GPU's memory does not suffice to hold the program "
                       "at several launches");
  return false;
}

/// The held process, or its context, did not survive the variant.
void ReplayWorker::blame(llvm::Error E, HeldCase &Case, llvm::StringRef Doing,
                         Measurement &M) {
  M.Outcome = Verdict::RunError;
  if (E.isA<SessionLost>())
    E = llvm::handleErrors(
        std::move(E), [&](std::unique_ptr<SessionLost> Lost) -> llvm::Error {
          if (Lost->cause() == SessionLost::Cause::TimedOut)
            M.Outcome = Verdict::Timeout;
          else if (Lost->cause() == SessionLost::Cause::Stopped)
            M.Outcome = Verdict::Unsupported;
          return llvm::Error(std::move(Lost));
        });
  M.Evidence.push_back(sentence(Doing, ": ", llvm::toString(std::move(E))));
  Case.close();
}

/// What the driver would refuse at the launch, said in words.
bool ReplayWorker::fits(const Loaded &L, const replay::FunctionInfo &Info,
                        Measurement &M) {
  const replay::Held &Held = L.Case->device().held();
  const replay::LaunchConfig &Config = L.Function.Config;
  auto Fail = [&](Verdict Why, std::string Text) {
    M.Outcome = Why;
    M.Evidence.push_back(std::move(Text));
    return false;
  };
  if (!sameLayout(Info.Parameters, Held.Function.Parameters))
    return Fail(Verdict::Unsupported,
                "the kernel's parameters are not those of the original");
  uint64_t Threads =
      uint64_t(Config.Block[0]) * Config.Block[1] * Config.Block[2];
  if (Threads > uint64_t(Info.MaxThreads))
    return Fail(Verdict::RunError,
                sentence("a block of ", Threads, " threads is too large for ",
                         Info.Registers, " registers a thread (at most ",
                         Info.MaxThreads, ")"));
  uint64_t Shared = uint64_t(Info.StaticSharedBytes) + Config.SharedBytes;
  if (Shared > Held.MaxSharedPerBlock)
    return Fail(Verdict::RunError, sentence("needs ", Shared,
                                            " bytes of shared memory, a block "
                                            "has ",
                                            Held.MaxSharedPerBlock));
  return true;
}

/// What the program has set for the original's function, the variant's gets.
bool ReplayWorker::setAttributes(Loaded &L, const replay::FunctionInfo &Info,
                                 Measurement &M) {
  const replay::FunctionInfo &Original = L.Case->device().held().Function;
  replay::Batch Attributes;
  auto Set = [&](int32_t Attribute, int32_t Value) {
    Attributes.setFunctionAttribute(L.Function.Function, Attribute, Value);
  };
  auto Dynamic = std::max<int32_t>(Original.MaxDynamicShared,
                                   int32_t(L.Function.Config.SharedBytes));
  if (Dynamic + Info.StaticSharedBytes > PlainDynamicShared)
    Set(MaxDynamicSharedSize, Dynamic);
  if (Original.SharedCarveout >= 0)
    Set(PreferredSharedCarveout, Original.SharedCarveout);
  if (Original.NonPortableCluster != Info.NonPortableCluster)
    Set(NonPortableClusterSizeAllowed, Original.NonPortableCluster);
  if (Original.ClusterScheduling != Info.ClusterScheduling)
    Set(ClusterSchedulingPreference, Original.ClusterScheduling);
  for (int I = 0; I < 3; ++I)
    if (Original.RequiredCluster[I] &&
        Original.RequiredCluster[I] != Info.RequiredCluster[I])
      Set(RequiredClusterWidth + I, Original.RequiredCluster[I]);
  if (!Attributes.operations())
    return true;
  llvm::Error E = L.Case->device().run(Attributes, CompareExtra).takeError();
  if (!E)
    return true;
  blame(std::move(E), *L.Case, "setting its attributes", M);
  return false;
}

bool ReplayWorker::load(const CompiledVariant &V, Loaded &L, Measurement &M) {
  ReplayDevice &Device = L.Case->device();
  const replay::Held &Held = Device.held();
  llvm::Expected<LoadedFunction> Function =
      Device.load(V.Image, L.Kernel->VariantName);
  if (!Function) {
    blame(Function.takeError(), *L.Case, "loading it", M);
    // That is no fault of the variant's.
    if (llvm::StringRef(M.Evidence.back()).contains("OUT_OF_MEMORY"))
      M.Outcome = Verdict::Unsupported;
    return false;
  }
  L.Function.Module = Function->Module;
  L.Function.Function = Function->Info.Handle;
  L.Function.Config = transformed(Held.Launch, L.Kernel->Transforms);
  if (!fits(L, Function->Info, M))
    return false;
  if (!setAttributes(L, Function->Info, M))
    return false;
  for (const CubinGlobal &Global : Context.Original.Globals) {
    uint64_t Address = 0;
    if (std::optional<size_t> I = findGlobal(V.Contents, Global.Name)) {
      llvm::Expected<std::pair<uint64_t, uint64_t>> Found =
          Device.global(L.Function.Module, V.Contents.Globals[*I].Name);
      if (!Found) {
        blame(Found.takeError(), *L.Case, "finding its variables", M);
        return false;
      }
      if (Found->first && Found->second != Global.Bytes) {
        M.Evidence.push_back("the variable " + Global.Name +
                             " has another size than in the original");
        return false;
      }
      Address = Found->first;
    }
    L.Function.Globals.push_back(Address);
  }
  if (llvm::Error E = L.Case->state().bind(L.Function)) {
    blame(std::move(E), *L.Case, "setting its variables", M);
    return false;
  }
  return true;
}

bool ReplayWorker::verify(const CompiledVariant &V, Loaded &L,
                          llvm::StringRef When, bool AllSets, Measurement &M) {
  ReplayState &State = L.Case->state();
  std::vector<unsigned> Sets = {0};
  for (unsigned Set = 1; Set < State.dataSets(); ++Set)
    if (AllSets || Set + 1 == State.dataSets())
      Sets.push_back(Set);
  llvm::Expected<StateComparison> Compared =
      State.compare(L.Function, Sets, V.Source->Class,
                    L.Case->launchLimit(unsigned(Sets.size())) + CompareExtra);
  if (!Compared) {
    blame(Compared.takeError(), *L.Case, "launching it", M);
    return false;
  }
  M.Errors.merge(Compared->Figures);
  if (Compared->right() && Compared->Figures.ValuesCompared == 0) {
    M.Outcome = Verdict::Unsupported;
    M.Evidence.push_back("nothing is known that the kernel writes");
    return false;
  }
  if (Compared->right()) {
    M.Evidence.push_back(
        sentence(When, ": right on ", Sets.size(),
                 Sets.size() == 1 ? " data set, " : " data sets, ",
                 Compared->Figures.ValuesCompared, " values compared, ",
                 Compared->Figures.Differing, " of other bits"));
    return true;
  }
  M.Outcome = Verdict::WrongResult;
  for (const std::string &Text : Compared->Mismatches)
    M.Evidence.push_back(sentence(When, ": ", Text));
  return false;
}

bool ReplayWorker::addPairs(std::vector<Loaded> &Functions, unsigned Count,
                            ReplayTimings &Timings, Measurement &M) {
  for (unsigned Throttled = 0;; ++Throttled) {
    std::vector<std::vector<TimedPair>> ByCase;
    bool Slow = false;
    for (Loaded &L : Functions) {
      llvm::Expected<TimedPairs> Pairs =
          L.Case->timer().time(L.Function, Count, /*Cold=*/true,
                               L.Case->launchLimit(2 * Count) + CompareExtra);
      if (!Pairs) {
        blame(Pairs.takeError(), *L.Case, "timing it", M);
        return false;
      }
      double Highest = 1e-3 * double(L.Case->device().held().ClockKHz);
      Slow |= Pairs->ClockMHz > 0 && Pairs->ClockMHz < ThrottledShare * Highest;
      ByCase.push_back(std::move(Pairs->Pairs));
    }
    if (Slow && Throttled < MaxThrottledRounds)
      continue;
    if (Slow && Timings.pairs() == 0)
      M.Evidence.push_back("the GPU's clock is throttled");
    Timings.add(ByCase);
    return true;
  }
}

bool ReplayWorker::time(const CompiledVariant &V,
                        std::vector<Loaded> &Functions, Measurement &M) {
  StoppingRule Rule = Context.Options.Stopping;
  std::vector<const ReplayCase *> Timed;
  unsigned Most = ~0U;
  double PairUs = 0;
  for (const Loaded &L : Functions) {
    Timed.push_back(&L.Case->what());
    Most = std::min(Most, L.Case->timer().maxPairs());
    PairUs += 2 * L.Case->state().originalUs();
    Rule.MinDeviation = std::max(Rule.MinDeviation, L.Case->noise());
  }
  // An even number, so that a drift cancels.
  unsigned Count = std::clamp(unsigned(RoundUs / std::max(PairUs, 1.0)),
                              LeastPairs, std::max(Most, LeastPairs)) &
                   ~1U;
  ReplayTimings Timings(Rule, Timed);
  Clock::time_point Start = Clock::now();
  std::optional<Verdict> Decided;
  while (!Decided) {
    if (!addPairs(Functions, Count, Timings, M))
      return false;
    bool Enough = Clock::now() - Start > Context.Options.TimingBudget ||
                  Timings.staysBelow(V.Source->SpeedupToBeat);
    Decided = Timings.decide(Enough);
  }
  Timings.conclude(*Decided, M);
  for (size_t I = 0; I < Functions.size(); ++I)
    rejectImpossible(Functions[I], Timings.variantUs(I), M);
  return true;
}

/// Faster than the memory can take the results is a fault of the measurement.
void ReplayWorker::rejectImpossible(const Loaded &L, double Us,
                                    Measurement &M) const {
  double Peak = Context.Options.MemoryBandwidthGBs;
  uint64_t Bytes = L.Case->state().leastBytesWritten();
  // The last of them may stay in the cache; who was there first has left it.
  uint64_t Cached = L.Case->device().held().L2Bytes;
  if (Peak <= 0 || Bytes <= Cached ||
      Us * BandwidthMargin >= 1e-3 * double(Bytes - Cached) / Peak)
    return;
  M.Outcome = Verdict::Ambiguous;
  M.Evidence.push_back(sentence("rejected: a launch of ", L.Kernel->Name,
                                " seems to take ", llvm::format("%.2f", Us),
                                " us, too little to write ", Bytes,
                                " bytes; the measurement is wrong"));
}

/// The second figure: with the caches as the launch before left them.
void ReplayWorker::timeHot(std::vector<Loaded> &Functions, Measurement &M) {
  double Original = 0, Variant = 0;
  for (Loaded &L : Functions) {
    unsigned Count = std::min(HotPairs, L.Case->timer().maxPairs());
    llvm::Expected<TimedPairs> Pairs =
        L.Case->timer().time(L.Function, Count, /*Cold=*/false,
                             L.Case->launchLimit(2 * Count) + CompareExtra);
    if (!Pairs)
      return blame(Pairs.takeError(), *L.Case, "timing it", M);
    std::vector<double> Before, After;
    for (const TimedPair &Pair : Pairs->Pairs) {
      Before.push_back(Pair.OriginalUs);
      After.push_back(Pair.VariantUs);
    }
    Original += double(L.Case->what().Launches) * median(Before);
    Variant += double(L.Case->what().Launches) * median(After);
  }
  if (Variant > 0)
    M.Evidence.push_back(
        sentence("with warm caches: ", llvm::format("%.3f", Original / Variant),
                 " times as fast"));
}

/// True if it is faster, as far as times say.
bool ReplayWorker::timeAlone(const CompiledVariant &V,
                             std::vector<Loaded> &Functions, Measurement &M) {
  const std::string &Gpu = Functions.front().Case->device().held().DeviceUuid;
  GpuLock Lock = GpuLock::take(Gpu, Context.Options.StopFlag);
  if (!Lock.isHeld() && !Gpu.empty())
    M.Evidence.push_back(GpuLock::NotHeld.str());
  if (!time(V, Functions, M) || M.Outcome != Verdict::Faster)
    return false;
  timeHot(Functions, M);
  return M.Outcome == Verdict::Faster;
}

void ReplayWorker::unload(std::vector<Loaded> &Functions) {
  for (Loaded &L : Functions)
    if (L.Function.Module && L.Case->isOpen())
      if (llvm::Error E = L.Case->device().unload(L.Function.Module)) {
        llvm::consumeError(std::move(E));
        L.Case->close();
      }
}

/// Whether the original still does there what it did at first. A variant that
/// wrote where it should not may have spoilt the memory for those after it.
bool ReplayWorker::isSound(HeldCase &Case) const {
  if (!Case.isOpen())
    return true;
  std::vector<unsigned> Sets = Case.state().allSets();
  llvm::Expected<StateComparison> Compared = Case.state().compare(
      Case.state().original(), Sets, FpClass::Exact,
      Case.launchLimit(unsigned(Sets.size())) + CompareExtra);
  if (Compared)
    return Compared->right();
  llvm::consumeError(Compared.takeError());
  return false;
}

Measurement ReplayWorker::judgeOnce(const CompiledVariant &V, bool &Spoilt) {
  Measurement M;
  M.Engine = "replay";
  std::vector<Loaded> Functions;
  if (!openAll(V, Functions, M))
    return M;
  bool Right = true;
  for (Loaded &L : Functions)
    Right = Right && load(V, L, M) &&
            verify(V, L, "before timing", /*AllSets=*/true, M);
  if (Right && timeAlone(V, Functions, M)) {
    for (Loaded &L : Functions)
      if (M.Outcome == Verdict::Faster)
        verify(V, L, "after timing", /*AllSets=*/false, M);
  }
  // The last sentence of what is not supported says why.
  for (const Loaded &L : Functions)
    for (const std::string &Note : M.Outcome == Verdict::Unsupported
                                       ? std::vector<std::string>()
                                       : L.Case->notes())
      if (!llvm::is_contained(M.Evidence, Note))
        M.Evidence.push_back(Note);
  unload(Functions);
  if (M.Outcome == Verdict::WrongResult)
    for (Loaded &L : Functions)
      if (!isSound(*L.Case)) {
        L.Case->close();
        Spoilt = true;
      }
  return M;
}

Measurement ReplayWorker::judge(const CompiledVariant &V) {
  std::lock_guard<std::mutex> Lock(Turn);
  bool Spoilt = false;
  Measurement M = judgeOnce(V, Spoilt);
  // It, or one before it, has spoilt the memory: it gets a fresh process.
  return Spoilt ? judgeOnce(V, Spoilt) : M;
}
