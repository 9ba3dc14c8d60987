//===- RuntimeCompiler.cpp - Compile device code by NVRTC -----------------===//

#include "RuntimeCompiler.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using Clock = std::chrono::steady_clock;

RuntimeCompiler::RuntimeCompiler(
    const RuntimeCompilerSpec &Spec, std::string MainFile, std::string Arch,
    std::vector<const std::atomic<bool> *> StopFlags)
    : Spec(Spec), MainFile(std::move(MainFile)), Arch(std::move(Arch)),
      StopFlags(std::move(StopFlags)) {}

RuntimeCompiler::~RuntimeCompiler() { end(); }

bool RuntimeCompiler::isStopped() const {
  return llvm::any_of(StopFlags, [](const std::atomic<bool> *Flag) {
    return Flag && Flag->load(std::memory_order_relaxed);
  });
}

void RuntimeCompiler::end() {
  Kill = true;
  Socket.reset();
  if (Runner.joinable())
    Runner.join();
  Kill = Ended = false;
}

llvm::Error RuntimeCompiler::start() {
  Socket = std::make_unique<LocalSocket>();
  if (llvm::Error E = Socket->listen())
    return E;
  Runner = std::thread([this, Where = Socket->path()] {
    Command Cmd;
    Cmd.Argv = {Spec.Executable, Spec.Library, Where};
    // Its precompiled headers lie beside the socket, and go with it.
    Cmd.WorkingDirectory = llvm::sys::path::parent_path(Where).str();
    Cmd.StopFlag = &Kill;
    llvm::Expected<ProcessResult> Result = runCommand(Cmd);
    if (!Result)
      llvm::consumeError(Result.takeError());
    Ended = true;
  });
  if (Socket->accept([this] { return Ended || isStopped(); }))
    return llvm::Error::success();
  end();
  return llvm::createStringError("'" + Spec.Executable + "' did not start");
}

llvm::Expected<std::string>
RuntimeCompiler::compile(llvm::StringRef Text,
                         llvm::ArrayRef<std::string> Kernels,
                         std::chrono::milliseconds TimeLimit) {
  if (!Socket)
    if (llvm::Error E = start())
      return std::move(E);
  std::vector<std::string> Arguments = Spec.Arguments;
  Arguments.push_back("-arch=" + Arch);
  Arguments.push_back("-I" + llvm::sys::path::parent_path(MainFile).str());
  replay::Encoder Request;
  Request.string(MainFile);
  Request.string(Text.str());
  for (llvm::ArrayRef<std::string> List :
       {llvm::ArrayRef(Arguments), Kernels}) {
    Request.number<uint64_t>(List.size());
    for (const std::string &Item : List)
      Request.string(Item);
  }
  Clock::time_point Deadline = Clock::now() + TimeLimit;
  auto GiveUp = [&] { return isStopped() || Clock::now() > Deadline; };
  std::string Payload;
  if (!Socket->send(Request.Bytes, GiveUp) ||
      !Socket->receive(Payload, GiveUp)) {
    end();
    return llvm::createStringError("NVRTC ended, or took too long");
  }
  replay::Decoder Reply(Payload);
  std::string Image = Reply.string();
  std::string Log = Reply.string();
  if (Reply.failed() || Image.empty())
    return llvm::createStringError("NVRTC: " + Log);
  return Image;
}

std::string cudal1::nameExpression(llvm::StringRef MangledName) {
  std::string Whole = llvm::demangle(MangledName);
  llvm::StringRef Name = Whole;
  if (Name.contains("(anonymous namespace)") || !Name.consume_front("void "))
    return "";
  // Up to the parenthesis that is in no template argument.
  int Depth = 0;
  for (size_t I = 0; I < Name.size(); ++I) {
    Depth += Name[I] == '<' ? 1 : Name[I] == '>' ? -1 : 0;
    if (Name[I] == '(' && Depth == 0)
      return Name.take_front(I).str();
  }
  return "";
}
