//===- Regions.cpp - What memory there is and what it holds ---------------===//

#include "Plan.h"
#include "Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <set>

using namespace cudal1;
using cudal1_state::Field;
using cudal1_state::PointerJob;
using cudal1_state::RangeResult;
using cudal1_state::SumJob;
using cudal1_state::VaryJob;

namespace {

constexpr size_t PointerBytes = 8;
/// The members of a structure are judged each by its own size; more of one
/// type are an array.
constexpr size_t MaxMembers = 16;
/// cuMemAlloc aligns to this, so what lies behind an allocation up to the next
/// multiple belongs to nobody.
constexpr uint64_t AllocationAlignment = 256;
/// The driver cuts small allocations out of blocks of this size.
constexpr uint64_t DriverBlock = uint64_t(2) << 20;
constexpr uint64_t LargestGuard = DriverBlock / 2, SmallestGuard = 512;
/// Allocations of one size that are tried before going on to the next.
constexpr unsigned GuardsOfOneSize = 4;
constexpr uint8_t GuardByte = 0xFF; ///< a NaN in every floating-point type

/// The memory is an array of one scalar type.
bool isUniform(const ElementLayout &Layout) {
  return llvm::all_equal(Layout) && Layout.front() != ElementType::Padding &&
         (Layout.size() == 1 || Layout.size() > MaxMembers);
}

/// The inverse of the key by which cudal1_range orders doubles.
double fromKey(uint64_t Key) {
  return fromBits(Key >> 63 ? Key & ~(uint64_t(1) << 63) : ~Key);
}

/// Values that move towards this stay within [Min, Max] and keep their sign:
/// indices computed from them stay in range, positive things positive.
double anchorOf(double Min, double Max) {
  if (Min == Max)
    return 0;
  return Min > 0 ? Min : Max < 0 ? Max : 0;
}

} // namespace

std::vector<uint64_t> ReplayState::argumentWords() const {
  const replay::Held &Held = Device.held();
  std::vector<uint64_t> Words;
  for (const replay::ParameterLayout &P : Held.Function.Parameters) {
    uint64_t Word = 0;
    if (P.Size == PointerBytes && P.Offset + P.Size <= Held.Arguments.size())
      std::memcpy(&Word, Held.Arguments.data() + P.Offset, sizeof(Word));
    Words.push_back(Word);
  }
  return Words;
}

/// Aligned words of arguments that are no plain pointers: members of
/// structures.
std::vector<uint64_t> ReplayState::memberWords() const {
  const replay::Held &Held = Device.held();
  std::vector<uint64_t> Words;
  for (const replay::ParameterLayout &P : Held.Function.Parameters)
    for (uint64_t At = llvm::alignTo(P.Offset, PointerBytes);
         P.Size != PointerBytes && At + PointerBytes <= P.Offset + P.Size &&
         At + PointerBytes <= Held.Arguments.size();
         At += PointerBytes) {
      uint64_t Word;
      std::memcpy(&Word, Held.Arguments.data() + At, sizeof(Word));
      Words.push_back(Word);
    }
  return Words;
}

std::vector<ReplayState::TypedPointer> ReplayState::typedPointers() const {
  std::vector<TypedPointer> Pointers;
  const ReplayParameters &Known = Options.Parameters;
  std::vector<uint64_t> Words = argumentWords();
  Pointers.reserve(Words.size() + Known.Members.size());
  for (size_t I = 0; I < Words.size(); ++I)
    Pointers.push_back(
        {Words[I], "the buffer of argument " + std::to_string(I + 1),
         I < Known.Layouts.size() ? Known.Layouts[I] : ElementLayout()});
  const replay::Held &Held = Device.held();
  for (const PointerMember &M : Known.Members) {
    if (M.Parameter >= Held.Function.Parameters.size())
      continue;
    const replay::ParameterLayout &P = Held.Function.Parameters[M.Parameter];
    if (M.Offset + PointerBytes > P.Size ||
        P.Offset + P.Size > Held.Arguments.size())
      continue;
    TypedPointer Pointer = {
        0, "a buffer in argument " + std::to_string(M.Parameter + 1), M.Layout};
    std::memcpy(&Pointer.Value, Held.Arguments.data() + P.Offset + M.Offset,
                PointerBytes);
    Pointers.push_back(std::move(Pointer));
  }
  return Pointers;
}

void ReplayState::addRegion(uint64_t Address, uint64_t Bytes, int Global,
                            bool Constant) {
  Region R;
  R.Address = Address;
  R.Bytes = Bytes;
  R.Global = Global;
  R.Constant = Constant;
  nameAndType(R);
  Regions.push_back(std::move(R));
}

llvm::Error ReplayState::listRegions() {
  std::vector<replay::Allocation> Blocks = Device.held().Allocations;
  llvm::sort(Blocks, [](const auto &A, const auto &B) {
    return A.Address != B.Address ? A.Address < B.Address : A.Bytes > B.Bytes;
  });
  uint64_t End = 0;
  for (const replay::Allocation &Block : Blocks) {
    // Registered twice, or a part of what was allocated as a whole.
    if (Block.Bytes == 0 || Block.Address + Block.Bytes <= End)
      continue;
    End = Block.Address + Block.Bytes;
    addRegion(Block.Address, Block.Bytes, -1, /*Constant=*/false);
  }
  Original.Globals.assign(Options.Globals.size(), 0);
  for (size_t I = 0; I < Options.Globals.size(); ++I) {
    llvm::Expected<std::pair<uint64_t, uint64_t>> Variable =
        Device.global(0, Options.Globals[I].Name);
    if (!Variable)
      return Variable.takeError();
    if (!Variable->first)
      return llvm::createStringError("the program's module has no variable " +
                                     Options.Globals[I].Name);
    Original.Globals[I] = Variable->first;
    addRegion(Variable->first, Variable->second, int(I),
              Options.Globals[I].Constant);
  }
  choosePoison();
  return refuseAliasedVariables();
}

void ReplayState::addGuard(uint64_t Address, uint64_t Bytes) {
  Region R;
  R.Address = Address;
  R.Bytes = Bytes;
  R.Guard = true;
  R.Name = "memory outside of every allocation";
  Regions.push_back(std::move(R));
}

/// Reading past the end of an allocation shall not find zeros.
llvm::Error ReplayState::fillSlack() {
  std::vector<SumJob> Jobs;
  for (const replay::Allocation &Block : Device.held().Allocations) {
    uint64_t End = Block.Address + Block.Bytes;
    uint64_t Slack = llvm::alignTo(End, AllocationAlignment) - End;
    if (Block.Kind != replay::MemoryKind::Device || Slack == 0 ||
        Block.Address % AllocationAlignment != 0)
      continue;
    Jobs.push_back({End, Slack});
    addGuard(End, Slack);
  }
  if (Jobs.empty())
    return llvm::Error::success();
  uint64_t JobBytes = Jobs.size() * sizeof(SumJob);
  llvm::Expected<uint64_t> Scratch =
      Device.scratch(JobBytes + sizeof(GuardByte));
  if (!Scratch)
    return Scratch.takeError();
  replay::Batch Work;
  Work.write(*Scratch, Jobs.data(), JobBytes);
  Work.write(*Scratch + JobBytes, &GuardByte, sizeof(GuardByte));
  for (size_t I = 0; I < Jobs.size(); ++I)
    Device.launchState(Work, "cudal1_fill", Jobs[I].Bytes,
                       {*Scratch + I * sizeof(SumJob), *Scratch + JobBytes});
  Work.synchronize();
  return Device.run(Work, Options.LaunchLimit).takeError();
}

/// Takes what is free of the driver's blocks in which the program's own
/// allocations lie, and fills it.
llvm::Error ReplayState::surroundAllocations() {
  std::set<uint64_t> Blocks;
  for (const replay::Allocation &Block : Device.held().Allocations)
    if (Block.Kind == replay::MemoryKind::Device && Block.Bytes) {
      Blocks.insert(llvm::alignDown(Block.Address, DriverBlock));
      Blocks.insert(
          llvm::alignDown(Block.Address + Block.Bytes - 1, DriverBlock));
    }
  replay::Batch Work;
  for (uint64_t Bytes = LargestGuard; Bytes >= SmallestGuard; Bytes /= 2)
    for (unsigned I = 0; I < GuardsOfOneSize; ++I) {
      llvm::Expected<uint64_t> Guard = Device.allocate(Bytes);
      if (!Guard)
        return Guard.takeError();
      if (!*Guard)
        break;
      if (!Blocks.count(llvm::alignDown(*Guard, DriverBlock))) {
        if (llvm::Error E = Device.free(*Guard))
          return E;
        break;
      }
      Work.fill(*Guard, Bytes, GuardByte);
      addGuard(*Guard, Bytes);
    }
  Work.synchronize();
  return Device.run(Work, Options.LaunchLimit).takeError();
}

/// A variant's module has variables of its own, so a pointer to the original's
/// must not be among the arguments.
llvm::Error ReplayState::refuseAliasedVariables() const {
  std::vector<uint64_t> Words = argumentWords();
  llvm::append_range(Words, memberWords());
  for (uint64_t Word : Words)
    for (const Region &R : Regions)
      if (R.Global >= 0 && Word && Word - R.Address < R.Bytes)
        return refusal("an argument points into " + R.Name +
                       ", of which each variant has its own");
  return llvm::Error::success();
}

/// Nor may one lie in the program's memory: the variant would work on the
/// original's variable, which nobody puts back or compares.
llvm::Error ReplayState::refusePointersToVariables() {
  std::vector<SumJob> Variables;
  std::vector<const Region *> Named;
  for (const Region &R : Regions)
    if (R.Global >= 0 && R.Bytes) {
      Variables.push_back({R.Address, R.Bytes});
      Named.push_back(&R);
    }
  if (Variables.empty())
    return llvm::Error::success();
  llvm::Expected<uint64_t> Found = findPointerTo(Variables);
  if (!Found)
    return Found.takeError();
  if (*Found >= Named.size())
    return llvm::Error::success();
  return refusal("the program's memory holds a pointer to " +
                 Named[*Found]->Name + ", of which each variant has its own");
}

/// The index of one of \p Targets that memory points into; ~0: of none.
llvm::Expected<uint64_t>
ReplayState::findPointerTo(llvm::ArrayRef<SumJob> Targets) {
  PointerJob Job = {{0, 0}, 0, Targets.size(), ~0ULL, 0};
  for (const SumJob &Target : Targets) {
    Job.Low = std::min(Job.Low, Target.Address);
    Job.High = std::max(Job.High, Target.Address + Target.Bytes);
  }
  uint64_t TargetBytes = Targets.size() * sizeof(SumJob),
           JobBytes = Regions.size() * sizeof(PointerJob), ConstantBytes = 0;
  for (const Region &R : Regions)
    ConstantBytes += R.Constant ? llvm::alignTo(R.Bytes, PointerBytes) : 0;
  llvm::Expected<uint64_t> Scratch =
      Device.scratch(TargetBytes + JobBytes + sizeof(uint64_t) + ConstantBytes);
  if (!Scratch)
    return Scratch.takeError();
  uint64_t JobsAt = *Scratch + TargetBytes, FoundAt = JobsAt + JobBytes,
           CopyAt = FoundAt + sizeof(uint64_t);
  Job.Targets = *Scratch;
  replay::Batch Work;
  std::vector<PointerJob> Jobs;
  for (const Region &R : Regions) {
    if (R.Guard)
      continue;
    Job.Where = {R.Constant ? CopyAt : R.Address, R.Bytes};
    Jobs.push_back(Job);
    // What lies in a bank of constants is looked at in a copy.
    if (!R.Constant)
      continue;
    Work.copy(CopyAt, R.Address, R.Bytes);
    CopyAt += llvm::alignTo(R.Bytes, PointerBytes);
  }
  Work.write(*Scratch, Targets.data(), TargetBytes);
  Work.write(JobsAt, Jobs.data(), Jobs.size() * sizeof(PointerJob));
  Work.fill(FoundAt, sizeof(uint64_t), 0);
  for (size_t I = 0; I < Jobs.size(); ++I)
    Device.launchState(Work, "cudal1_pointers",
                       Jobs[I].Where.Bytes / PointerBytes,
                       {JobsAt + I * sizeof(PointerJob), FoundAt});
  Work.read(FoundAt, sizeof(uint64_t));
  llvm::Expected<BatchReply> Reply = Device.run(Work, Options.LaunchLimit);
  if (!Reply)
    return Reply.takeError();
  std::string Bytes = Reply->results().string();
  uint64_t Found = 0;
  std::memcpy(&Found, Bytes.data(), std::min(Bytes.size(), sizeof(Found)));
  return Found - 1;
}

void ReplayState::nameAndType(Region &R) const {
  if (R.Global >= 0) {
    R.Name = "the variable " + Options.Globals[size_t(R.Global)].Name;
    // Each module aligns its own as it likes.
    R.Fields.push_back({0, R.Bytes, ElementType::Bytes, 1});
    return;
  }
  std::map<uint64_t, ElementLayout> Starts;
  std::set<uint64_t> Contradictory;
  for (const TypedPointer &P : typedPointers()) {
    if (!P.Value || P.Value - R.Address >= R.Bytes)
      continue;
    if (R.Name.empty())
      R.Name = P.Name;
    if (P.Layout.empty())
      continue;
    auto [At, New] = Starts.try_emplace(P.Value - R.Address, P.Layout);
    if (New || At->second == P.Layout)
      continue;
    ElementType One = P.Layout.front(), Other = At->second.front();
    if (!isUniform(P.Layout) || !isUniform(At->second) ||
        formatOf(One) != formatOf(Other))
      Contradictory.insert(At->first);
    else if (One != Other) // the same doubles, once known as floats
      At->second = {formatOf(One)};
  }
  if (R.Name.empty())
    R.Name = "an allocation of " + std::to_string(R.Bytes) + " bytes";
  uint64_t At = 0;
  ElementLayout Current;
  for (const auto &[Start, Layout] : Starts) {
    addFields(R, At, Start, Current);
    At = Start;
    Current = Contradictory.count(Start) ? ElementLayout() : Layout;
  }
  addFields(R, At, R.Bytes, Current);
}

void ReplayState::addBytes(Region &R, uint64_t Begin, uint64_t End) {
  constexpr uint64_t Word = sizeof(uint64_t);
  if ((R.Address + Begin) % Word == 0 && End - Begin >= Word) {
    uint64_t Count = (End - Begin) / Word;
    R.Fields.push_back({Begin, Count, ElementType::Integer64, Word});
    Begin += Count * Word;
  }
  if (Begin < End)
    R.Fields.push_back({Begin, End - Begin, ElementType::Bytes, 1});
}

void ReplayState::addFields(Region &R, uint64_t Begin, uint64_t End,
                            const ElementLayout &Layout) {
  if (Begin >= End)
    return;
  if (Layout.empty() ||
      (isUniform(Layout) && Layout.front() == ElementType::Bytes))
    return addBytes(R, Begin, End);
  uint64_t Stride = 0;
  for (ElementType Type : Layout)
    Stride += sizeOf(Type);
  if (isUniform(Layout))
    Stride = sizeOf(Layout.front());
  uint64_t Count = (End - Begin) / Stride, Offset = Begin;
  for (ElementType Type : Layout) {
    if (Count && Type != ElementType::Padding)
      R.Fields.push_back({Offset, Count, Type, uint32_t(Stride)});
    if (isUniform(Layout))
      break;
    Offset += sizeOf(Type);
  }
  addBytes(R, Begin + Count * Stride, End);
}

void ReplayState::choosePoison() {
  if (!Options.Poison)
    return;
  std::vector<uint64_t> Words = argumentWords(), Members = memberWords();
  for (Region &R : Regions) {
    unsigned Pointers = unsigned(llvm::count_if(
        Members, [&](uint64_t Word) { return Word - R.Address < R.Bytes; }));
    unsigned WriteOnly = 0;
    for (size_t I = 0; I < Words.size(); ++I) {
      if (R.Global >= 0 || !Words[I] || Words[I] - R.Address >= R.Bytes)
        continue;
      ++Pointers;
      WriteOnly += Words[I] == R.Address &&
                   I < Options.Parameters.WriteOnly.size() &&
                   Options.Parameters.WriteOnly[I];
    }
    if (Pointers == 0 || WriteOnly != Pointers)
      continue;
    R.Poisoned = true;
    R.Low = 0;
    R.High = R.Bytes;
  }
}

llvm::Expected<std::vector<RangeResult>>
ReplayState::rangesOf(llvm::ArrayRef<Field> Fields) {
  if (Fields.empty())
    return std::vector<RangeResult>();
  uint64_t FieldBytes = Fields.size() * sizeof(Field);
  std::vector<RangeResult> Results(Fields.size(), {0, ~0ULL, 0});
  uint64_t ResultBytes = Results.size() * sizeof(RangeResult);
  llvm::Expected<uint64_t> Scratch = Device.scratch(FieldBytes + ResultBytes);
  if (!Scratch)
    return Scratch.takeError();
  replay::Batch Work;
  Work.write(*Scratch, Fields.data(), FieldBytes);
  Work.write(*Scratch + FieldBytes, Results.data(), ResultBytes);
  for (size_t I = 0; I < Fields.size(); ++I)
    Device.launchState(Work, "cudal1_range", Fields[I].Count,
                       {*Scratch + I * sizeof(Field),
                        *Scratch + FieldBytes + I * sizeof(RangeResult)});
  Work.read(*Scratch + FieldBytes, ResultBytes);
  llvm::Expected<BatchReply> Reply = Device.run(Work, Options.LaunchLimit);
  if (!Reply)
    return Reply.takeError();
  std::string Bytes = Reply->results().string();
  std::memcpy(Results.data(), Bytes.data(),
              std::min<uint64_t>(Bytes.size(), ResultBytes));
  return Results;
}

/// How to vary each floating-point field. A constant that the launch writes to
/// is spread as far as the results: whoever relies on it being 0 is found out.
llvm::Error ReplayState::learnRanges() {
  if (!Options.Vary || Options.Seeds == 0)
    return llvm::Error::success();
  std::vector<Field> Before, After;
  std::vector<std::pair<Region *, TypedField *>> Of;
  for (Region &R : Regions)
    for (TypedField &F : R.Fields)
      if (isFloatingPoint(F.Type) && !R.Poisoned) {
        uint32_t Type = uint32_t(formatOf(F.Type));
        Before.push_back({R.Pristine + F.Offset, F.Count, Type, F.Stride});
        After.push_back({R.Address + F.Offset, F.Count, Type, F.Stride});
        Of.push_back({&R, &F});
      }
  llvm::Expected<std::vector<RangeResult>> Ranges = rangesOf(Before);
  if (!Ranges)
    return Ranges.takeError();
  llvm::Expected<std::vector<RangeResult>> Results = rangesOf(After);
  if (!Results)
    return Results.takeError();
  for (auto [Range, Result, Where] : llvm::zip(*Ranges, *Results, Of)) {
    auto [R, F] = Where;
    double Min = fromKey(Range.Min), Max = fromKey(Range.Max);
    if (Range.Finite == 0)
      continue;
    if (Min == Max && R->written() && Result.Finite)
      F->Spread = std::max(std::abs(fromKey(Result.Min)),
                           std::abs(fromKey(Result.Max)));
    else if (Min == 0 && Max == 0)
      continue;
    F->Anchor = anchorOf(Min, Max);
    F->Varies = true;
    R->Varied = true;
    ++VaryJobsPerSet;
  }
  if (VaryJobsPerSet)
    DataSets = 1 + Options.Seeds;
  else
    Notes.push_back("the kernel's buffers hold no floating-point data that "
                    "could be varied: verified on the program's own data only");
  return llvm::Error::success();
}

llvm::Error ReplayState::uploadVaryJobs() {
  std::vector<VaryJob> Jobs;
  for (unsigned Set = 1; Set < DataSets; ++Set)
    for (const Region &R : Regions)
      for (const TypedField &F : R.Fields)
        if (F.Varies)
          Jobs.push_back({{R.Address + F.Offset, F.Count,
                           uint32_t(formatOf(F.Type)), F.Stride},
                          F.Anchor,
                          F.Spread,
                          uint64_t(Set) * 0x9e3779b97f4a7c15 + Jobs.size()});
  if (Jobs.empty())
    return llvm::Error::success();
  llvm::Expected<uint64_t> Address =
      Device.allocate(Jobs.size() * sizeof(VaryJob));
  if (!Address)
    return Address.takeError();
  if (!*Address)
    return llvm::createStringError("the program leaves no device memory free");
  VaryJobs = *Address;
  return Device.write(VaryJobs, Jobs.data(), Jobs.size() * sizeof(VaryJob));
}
