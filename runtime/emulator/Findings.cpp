//===- Findings.cpp -------------------------------------------------------===//

#include "Findings.h"
#include "Launcher.h"
#include "Settings.h"
#include "Text.h"
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

namespace cudal1::emulator {

namespace {

/// Messages kept of one kind at one place.
constexpr unsigned MessagesPerSite = 3;

using Place = std::tuple<FindingKind, std::string, uint32_t, uint32_t>;

struct Reported {
  std::mutex Lock;
  std::map<Place, std::set<std::string>> Messages;
  uint64_t Count = 0;
};

Reported &reported() {
  static Reported *All = new Reported;
  return *All;
}

Place placeOf(FindingKind Kind, const SourceSite *Site) {
  if (!Site)
    return {Kind, "", 0, 0};
  return {Kind, Site->File ? Site->File : "", Site->Line, Site->Column};
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
    Line = format("%s:%u:%u: ", Site->File, Site->Line, Site->Column);
  Line += format("%s: %s\n", spellFindingKind(Kind), Message.c_str());
  const ThreadState *Thread = cudal1_emu_thread;
  if (const KernelInfo *Kernel = currentKernel()) {
    int Status = 0;
    char *Demangled =
        abi::__cxa_demangle(Kernel->Name, nullptr, nullptr, &Status);
    Line += format("  in kernel %s", Demangled ? Demangled : Kernel->Name);
    std::free(Demangled);
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
  case FindingKind::Leak:
    return "leak";
  case FindingKind::Unsupported:
    return "unsupported";
  }
  return "unknown";
}

bool wantsFinding(FindingKind Kind, const SourceSite *Site) {
  if (!Site)
    return true;
  Reported &All = reported();
  std::lock_guard<std::mutex> Guard(All.Lock);
  auto Found = All.Messages.find(placeOf(Kind, Site));
  return Found == All.Messages.end() || Found->second.size() < MessagesPerSite;
}

void reportFinding(FindingKind Kind, const SourceSite *Site,
                   const std::string &Message) {
  if (!wantsFinding(Kind, Site))
    return;
  Reported &All = reported();
  std::lock_guard<std::mutex> Guard(All.Lock);
  if (!All.Messages[placeOf(Kind, Site)].insert(Message).second)
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
