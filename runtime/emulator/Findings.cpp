//===- Findings.cpp -------------------------------------------------------===//

#include "Findings.h"
#include "Describe.h"
#include "Launcher.h"
#include "Settings.h"
#include "Text.h"
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>

namespace cudal1::emulator {

namespace {

/// Where findings of one kind count as one.
using Place = std::tuple<FindingKind, const KernelInfo *, std::string, uint32_t,
                         uint32_t>;
/// The same by the site's address, which is quicker to look up.
using Origin = std::tuple<FindingKind, const KernelInfo *, const SourceSite *>;

struct Reported {
  std::mutex Lock;
  std::set<Origin> Origins; ///< at which no more is reported
  std::set<Place> Places;
  std::set<std::pair<FindingKind, std::string>> Messages; ///< of no place
  uint64_t Count = 0;
};

Reported &reported() {
  static Reported *All = new Reported;
  return *All;
}

bool hasPlace(const SourceSite *Site) {
  return Site && Site->File && Site->Line;
}

/// True if the finding is a new one. Takes note of it.
bool isNew(Reported &All, FindingKind Kind, const SourceSite *Site,
           const std::string &Message) {
  if (!hasPlace(Site))
    return All.Messages.insert({Kind, Message}).second;
  const KernelInfo *Kernel = currentKernel();
  All.Origins.insert({Kind, Kernel, Site});
  return All.Places.insert({Kind, Kernel, Site->File, Site->Line, Site->Column})
      .second;
}

std::string quoted(const char *Text) {
  std::string Result = "\"";
  for (; Text && *Text; ++Text) {
    unsigned char C = static_cast<unsigned char>(*Text);
    if (C == '"' || C == '\\')
      Result += {'\\', *Text};
    else if (C < 0x20)
      Result += format("\\u%04x", C);
    else
      Result += *Text;
  }
  return Result + "\"";
}

std::string triple(const uint32_t (&Value)[3]) {
  return format("%u,%u,%u", Value[0], Value[1], Value[2]);
}

void print(FindingKind Kind, const SourceSite *Site,
           const std::string &Message) {
  std::string Line;
  if (Site && Site->File)
    Line = Site->Column
               ? format("%s:%u:%u: ", Site->File, Site->Line, Site->Column)
               : format("%s:%u: ", Site->File, Site->Line);
  Line += format("%s: %s\n", spellFindingKind(Kind), Message.c_str());
  const ThreadState *Thread = cudal1_emu_thread;
  if (const KernelInfo *Kernel = currentKernel()) {
    Line += "  in kernel " + demangled(Kernel->Name);
    if (Thread)
      Line +=
          format(", block (%s), thread (%s)", triple(Thread->BlockIdx).c_str(),
                 triple(Thread->ThreadIdx).c_str());
    Line += "\n";
  }
  std::fwrite(Line.data(), 1, Line.size(), stderr);
}

void append(FindingKind Kind, const SourceSite *Site,
            const std::string &Message, const std::string &Path) {
  std::string Line =
      format("{\"kind\": %s", quoted(spellFindingKind(Kind)).c_str());
  if (Site)
    Line += format(", \"file\": %s, \"line\": %u, \"column\": %u, "
                   "\"function\": %s",
                   quoted(Site->File).c_str(), Site->Line, Site->Column,
                   quoted(Site->Function).c_str());
  Line += ", \"message\": " + quoted(Message.c_str());
  if (const KernelInfo *Kernel = currentKernel())
    Line += ", \"kernel\": " + quoted(Kernel->Name);
  if (const ThreadState *Thread = cudal1_emu_thread)
    Line += format(", \"block\": [%s], \"thread\": [%s]",
                   triple(Thread->BlockIdx).c_str(),
                   triple(Thread->ThreadIdx).c_str());
  Line += "}\n";
  if (FILE *File = std::fopen(Path.c_str(), "a")) {
    std::fwrite(Line.data(), 1, Line.size(), File);
    std::fclose(File);
  }
}

} // namespace

const char *spellFindingKind(FindingKind Kind) {
  switch (Kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::UseAfterFree:
    return "use-after-free";
  case FindingKind::Uninitialized:
    return "uninitialized";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::DivergentBarrier:
    return "divergent-barrier";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::Race:
    return "race";
  case FindingKind::IllegalAddress:
    return "illegal-address";
  case FindingKind::InvalidFree:
    return "invalid-free";
  case FindingKind::DivisionByZero:
    return "division-by-zero";
  case FindingKind::Leak:
    return "leak";
  case FindingKind::Unsupported:
    return "unsupported";
  }
  return "unknown";
}

bool wantsFinding(FindingKind Kind, const SourceSite *Site) {
  if (!hasPlace(Site))
    return true;
  Reported &All = reported();
  std::lock_guard<std::mutex> Guard(All.Lock);
  return All.Origins.count({Kind, currentKernel(), Site}) == 0;
}

void reportFinding(FindingKind Kind, const SourceSite *Site,
                   const std::string &Message) {
  Reported &All = reported();
  std::lock_guard<std::mutex> Guard(All.Lock);
  if (!isNew(All, Kind, Site, Message))
    return;
  ++All.Count;
  if (!settings().Quiet)
    print(Kind, Site, Message);
  if (!settings().FindingsPath.empty())
    append(Kind, Site, Message, settings().FindingsPath);
}

uint64_t findingCount() {
  Reported &All = reported();
  std::lock_guard<std::mutex> Guard(All.Lock);
  return All.Count;
}

} // namespace cudal1::emulator
