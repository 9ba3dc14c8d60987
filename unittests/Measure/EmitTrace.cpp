// Writes a trace as the injection library would, so that shell scripts can
// stand in for CUDA programs. Does nothing without the library's environment.
//
//   emit-trace WORD...
//     alloc ADDRESS BYTES        launch NAME ADDRESS
//     copy ADDRESS F,F,...       (floats; `nan` too)
//     run NAME COUNT NS          (COUNT kernels of NS each ran)
//     error FUNCTION CODE        die (no End record)
//     idle NS                    (the host does something else meanwhile)
//     make NS                    (the host makes or releases memory meanwhile)
//
// In time mode only `run`, `make` and `die` are written.

#include "cudal1/Measure/TraceFormat.h"
#include <cstdlib>
#include <sstream>

using namespace cudal1::trace;

int main(int Count, char **Arguments) {
  const char *Directory = std::getenv(DirectoryVariable);
  const char *ModeName = std::getenv(ModeVariable);
  if (!Directory || !ModeName)
    return 0;
  Mode M = std::string(ModeName) == "time" ? Mode::Time : Mode::Trace;
  Writer Out;
  if (!Out.open(Directory, M))
    return 1;
  bool Tracing = M == Mode::Trace;
  uint32_t Names = 0;
  uint64_t Now = 1000;
  for (int I = 1; I < Count;) {
    auto Next = [&] { return std::string(I < Count ? Arguments[I++] : ""); };
    auto Number = [&] { return std::strtoull(Next().c_str(), nullptr, 0); };
    std::string Word = Next();
    if (Word == "alloc") {
      uint64_t Address = Number(), Bytes = Number();
      if (Tracing)
        Out.allocation(AllocationKind::Device, Address, Bytes);
    } else if (Word == "launch") {
      Launch L;
      L.Name = Next();
      L.Parameters = {{0, 8, Number()}};
      if (Tracing)
        Out.launch(L);
    } else if (Word == "copy") {
      uint64_t Address = Number();
      std::istringstream List(Next());
      std::vector<float> Values;
      for (std::string Item; std::getline(List, Item, ',');)
        Values.push_back(std::strtof(Item.c_str(), nullptr));
      if (Tracing)
        Out.copy(CopyOrigin::Copy, Address, Values.data(),
                 Values.size() * sizeof(float));
    } else if (Word == "run") {
      Out.string(Names, Next());
      uint64_t Times = Number(), Ns = Number();
      for (; Times > 0; --Times, Now += Ns + 100)
        Out.kernelActivity(Names, Now, Now + Ns, 7);
      ++Names;
    } else if (Word == "idle") {
      Now += Number();
    } else if (Word == "make") {
      uint64_t Ns = Number();
      Out.resourceCall(Now, Now + Ns);
      Now += Ns;
    } else if (Word == "error") {
      std::string Function = Next();
      int32_t Code = int32_t(Number());
      if (Tracing)
        Out.apiError(Function, Code);
    } else if (Word == "die") {
      return 0;
    } else {
      return 2;
    }
  }
  Out.end({});
  return 0;
}
