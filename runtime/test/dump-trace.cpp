// Prints the records of trace files, one a line, for people and for tests.
// Plain C++17: builds where there is nothing but a compiler.
//
//   g++ -std=c++17 -I include runtime/test/dump-trace.cpp -o dump-trace

#include "cudal1/Measure/TraceFormat.h"
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace cudal1::trace;

namespace {

std::string text(Cursor &C) {
  auto [From, Size] = C.bytes();
  return std::string(From ? From : "", Size);
}

void printLaunch(Cursor &C) {
  std::printf("launch %s", text(C).c_str());
  uint32_t Shape[6];
  for (uint32_t &Dim : Shape)
    Dim = C.get<uint32_t>();
  std::printf(" grid %u,%u,%u block %u,%u,%u", Shape[0], Shape[1], Shape[2],
              Shape[3], Shape[4], Shape[5]);
  auto Shared = C.get<uint32_t>();
  auto Stream = C.get<uint64_t>();
  auto Captured = C.get<uint8_t>();
  auto Result = C.get<int32_t>();
  std::printf(" shared %u stream %llu captured %d result %d", Shared,
              (unsigned long long)Stream, Captured, Result);
  for (auto Left = C.get<uint32_t>(); Left > 0 && C.ok(); --Left) {
    auto Offset = C.get<uint32_t>();
    auto Size = C.get<uint32_t>();
    auto Value = C.get<uint64_t>();
    std::printf(" arg@%u:%u=%llx", Offset, Size, (unsigned long long)Value);
  }
  std::printf("\n");
}

void printCopy(Cursor &C) {
  static const char *const Origins[] = {"copy", "graph-copy", "shared-view",
                                        "freed-buffer"};
  auto Origin = C.get<CopyOrigin>();
  auto Source = C.get<uint64_t>();
  auto Bytes = C.get<uint64_t>();
  auto Low = C.get<uint64_t>();
  auto High = C.get<uint64_t>();
  C.get<uint64_t>();
  auto Stored = C.get<StoredData>();
  std::printf("%s %llu from %llx hash %016llx%016llx stored %d\n",
              Origins[int(Origin) & 3], (unsigned long long)Bytes,
              (unsigned long long)Source, (unsigned long long)High,
              (unsigned long long)Low, int(Stored));
}

void printRecord(RecordKind Kind, Cursor C) {
  switch (Kind) {
  case RecordKind::Note:
    std::printf("note %s\n", text(C).c_str());
    return;
  case RecordKind::Launch:
    return printLaunch(C);
  case RecordKind::Allocation: {
    int Memory = C.get<uint8_t>();
    auto Address = C.get<uint64_t>();
    std::printf("allocation kind %d at %llx bytes %llu\n", Memory,
                (unsigned long long)Address,
                (unsigned long long)C.get<uint64_t>());
    return;
  }
  case RecordKind::Free:
    std::printf("free %llx\n", (unsigned long long)C.get<uint64_t>());
    return;
  case RecordKind::Copy:
    return printCopy(C);
  case RecordKind::ApiError: {
    std::string Name = text(C);
    std::printf("error %s %d\n", Name.c_str(), C.get<int32_t>());
    return;
  }
  case RecordKind::GraphLaunch:
    std::printf("graph-launch stream %llu\n",
                (unsigned long long)C.get<uint64_t>());
    return;
  case RecordKind::String: {
    auto Index = C.get<uint32_t>();
    std::printf("string %u %s\n", Index, text(C).c_str());
    return;
  }
  case RecordKind::KernelActivity: {
    auto Name = C.get<uint32_t>();
    auto Start = C.get<uint64_t>();
    auto End = C.get<uint64_t>();
    std::printf("kernel %u ns %lld stream %u\n", Name, (long long)(End - Start),
                C.get<uint32_t>());
    return;
  }
  case RecordKind::TransferActivity: {
    int Transfer = C.get<uint8_t>();
    auto Start = C.get<uint64_t>();
    auto End = C.get<uint64_t>();
    std::printf("transfer %d ns %lld bytes %llu\n", Transfer,
                (long long)(End - Start),
                (unsigned long long)C.get<uint64_t>());
    return;
  }
  case RecordKind::End: {
    C.get<uint64_t>();
    auto Launches = C.get<uint64_t>();
    auto Graphs = C.get<uint64_t>();
    auto Uploads = C.get<uint64_t>();
    auto Syncs = C.get<uint64_t>();
    std::printf("end launches %llu graphs %llu uploads %llu syncs %llu "
                "dropped %llu\n",
                (unsigned long long)Launches, (unsigned long long)Graphs,
                (unsigned long long)Uploads, (unsigned long long)Syncs,
                (unsigned long long)C.get<uint64_t>());
    return;
  }
  }
  std::printf("unknown record %d\n", int(Kind));
}

} // namespace

int main(int Count, char **Arguments) {
  for (int I = 1; I < Count; ++I) {
    std::ifstream File(Arguments[I], std::ios::binary);
    std::string Data((std::istreambuf_iterator<char>(File)),
                     std::istreambuf_iterator<char>());
    Cursor C(Data.data(), Data.size());
    auto H = C.get<Header>();
    if (!C.ok() || std::memcmp(H.Magic, Magic, sizeof(Magic)) != 0 ||
        H.Version != Version) {
      std::fprintf(stderr, "%s is no trace of version %u\n", Arguments[I],
                   Version);
      return 1;
    }
    std::printf("mode %s\n", H.Mode ? "time" : "trace");
    while (C.left() > 0) {
      auto [Kind, Fields] = C.record();
      if (!C.ok()) {
        std::printf("cut off\n");
        break;
      }
      printRecord(Kind, Fields);
    }
  }
  return 0;
}
