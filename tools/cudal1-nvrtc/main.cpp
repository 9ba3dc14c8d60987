//===- main.cpp - Compile device code by NVRTC for the tool ---------------===//
//
// Started by the tool: cudal1-nvrtc LIBNVRTC SOCKET. Takes one text after the
// other from the socket and sends its cubin, or what NVRTC says against it. A
// process of its own, so that a compiler that crashes or hangs ends itself
// only; kept for many texts, so that headers are read once.
//
//===----------------------------------------------------------------------===//

#include "../../runtime/ReplayConnection.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include <cstdio>
#include <dlfcn.h>
#include <nvrtc.h>
#include <string>
#include <vector>

using namespace cudal1;

namespace {

/// The functions of the NVRTC that is there when the program runs.
struct Nvrtc {
  decltype(&nvrtcCreateProgram) Create;
  decltype(&nvrtcDestroyProgram) Destroy;
  decltype(&nvrtcAddNameExpression) AddName;
  decltype(&nvrtcCompileProgram) Compile;
  decltype(&nvrtcGetCUBINSize) CubinSize;
  decltype(&nvrtcGetCUBIN) Cubin;
  decltype(&nvrtcGetProgramLogSize) LogSize;
  decltype(&nvrtcGetProgramLog) Log;

  bool load(const char *Path) {
    void *Library = ::dlopen(Path, RTLD_NOW);
    if (!Library)
      return false;
    auto Find = [&](const char *Name, auto &Function) {
      Function = reinterpret_cast<std::remove_reference_t<decltype(Function)>>(
          ::dlsym(Library, Name));
      return Function != nullptr;
    };
    return Find("nvrtcCreateProgram", Create) &&
           Find("nvrtcDestroyProgram", Destroy) &&
           Find("nvrtcAddNameExpression", AddName) &&
           Find("nvrtcCompileProgram", Compile) &&
           Find("nvrtcGetCUBINSize", CubinSize) &&
           Find("nvrtcGetCUBIN", Cubin) &&
           Find("nvrtcGetProgramLogSize", LogSize) &&
           Find("nvrtcGetProgramLog", Log);
  }
};

std::vector<std::string> readList(replay::Decoder &Request) {
  std::vector<std::string> List;
  for (auto Left = Request.number<uint64_t>(); Left && !Request.failed();
       --Left)
    List.push_back(Request.string());
  return List;
}

/// A string of NVRTC's, by the functions for its size and for itself.
template <typename SizeFn, typename TextFn>
std::string fetch(nvrtcProgram Program, SizeFn Size, TextFn Text) {
  size_t Bytes = 0;
  if (Size(Program, &Bytes) != NVRTC_SUCCESS)
    return "";
  std::string Result(Bytes, '\0');
  if (Text(Program, Result.data()) != NVRTC_SUCCESS)
    return "";
  return Result;
}

/// The reply to one request.
std::string compile(const Nvrtc &N, const std::string &Payload) {
  replay::Decoder Request(Payload);
  std::string Name = Request.string();
  std::string Text = Request.string();
  std::vector<std::string> Arguments = readList(Request);
  std::vector<std::string> Kernels = readList(Request);

  std::string Image, Log = "the program cannot be made";
  nvrtcProgram Program = nullptr;
  if (N.Create(&Program, Text.c_str(), Name.c_str(), 0, nullptr, nullptr) ==
      NVRTC_SUCCESS) {
    for (const std::string &Kernel : Kernels)
      N.AddName(Program, Kernel.c_str());
    std::vector<const char *> Options;
    Options.reserve(Arguments.size());
    for (const std::string &Argument : Arguments)
      Options.push_back(Argument.c_str());
    bool Compiled = N.Compile(Program, int(Options.size()), Options.data()) ==
                    NVRTC_SUCCESS;
    Log = fetch(Program, N.LogSize, N.Log);
    if (Compiled)
      Image = fetch(Program, N.CubinSize, N.Cubin);
    N.Destroy(&Program);
  }
  replay::Encoder Reply;
  Reply.string(Image);
  Reply.string(Log);
  return Reply.Bytes;
}

} // namespace

int main(int Argc, char **Argv) {
  Nvrtc N;
  runtime::ReplayConnection Tool;
  if (Argc != 3 || !N.load(Argv[1]) || !Tool.connect(Argv[2])) {
    std::fprintf(stderr, "usage: cudal1-nvrtc LIBNVRTC SOCKET\n");
    return 2;
  }
  // The process ends with the connection.
  for (;;)
    Tool.send(compile(N, Tool.receive()));
}
