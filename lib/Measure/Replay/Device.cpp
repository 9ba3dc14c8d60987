//===- Device.cpp - The GPU as the held process reaches it ----------------===//

#include "Device.h"
#include "llvm/ADT/STLExtras.h"

using namespace cudal1;

namespace {

/// Operations of ours take far less; a driver that is busy freeing gigabytes
/// may need some seconds.
constexpr std::chrono::milliseconds OwnLimit(60000);
constexpr uint32_t StateThreads = 256;
/// Enough to fill any GPU of today.
constexpr uint64_t MaxStateBlocks = 1024;
constexpr uint64_t LeastScratch = uint64_t(1) << 20;

constexpr llvm::StringLiteral StateKernelNames[] = {
    "cudal1_compare",  "cudal1_range",       "cudal1_magnitudes",
    "cudal1_vary",     "cudal1_sum",         "cudal1_fill",
    "cudal1_pointers", "cudal1_poison_read", "cudal1_clock"};

} // namespace

llvm::Expected<std::unique_ptr<ReplayDevice>>
ReplayDevice::make(std::unique_ptr<ReplaySession> Session,
                   llvm::StringRef Support, const ImageReader &Read) {
  llvm::Expected<Cubin> Contents = Read(Support);
  if (!Contents)
    return Contents.takeError();
  std::unique_ptr<ReplayDevice> D(new ReplayDevice(std::move(Session)));
  replay::Batch Load;
  Load.loadModule(Support.str());
  llvm::Expected<BatchReply> Loaded = D->run(Load, OwnLimit);
  if (!Loaded)
    return Loaded.takeError();
  auto Module = Loaded->results().number<uint64_t>();
  for (llvm::StringRef Name : StateKernelNames) {
    auto Kernel = llvm::find_if(Contents->Kernels, [&](const CubinKernel &K) {
      return llvm::StringRef(K.Name).contains(Name);
    });
    if (Kernel == Contents->Kernels.end())
      return llvm::createStringError("the module of the state kernels lacks " +
                                     Name);
    replay::Batch Get;
    Get.getFunction(Module, Kernel->Name);
    llvm::Expected<BatchReply> Got = D->run(Get, OwnLimit);
    if (!Got)
      return Got.takeError();
    replay::FunctionInfo Info;
    replay::Decoder Results = Got->results();
    Info.decode(Results);
    D->StateFunctions[Name.str()] = Info.Handle;
  }
  return std::move(D);
}

llvm::Expected<BatchReply> ReplayDevice::run(const replay::Batch &Work,
                                             std::chrono::milliseconds Limit) {
  llvm::Expected<BatchReply> Reply = Session->run(Work, Limit);
  if (Reply && Reply->failed())
    return llvm::createStringError(Reply->Answer.Problem);
  return Reply;
}

llvm::Expected<uint64_t> ReplayDevice::allocate(uint64_t Bytes, bool Host) {
  replay::Batch Work;
  Work.allocate(Bytes, Host);
  llvm::Expected<BatchReply> Reply = run(Work, OwnLimit);
  if (!Reply)
    return Reply.takeError();
  return Reply->results().number<uint64_t>();
}

llvm::Error ReplayDevice::free(uint64_t Address, bool Host) {
  replay::Batch Work;
  Work.free(Address, Host);
  return run(Work, OwnLimit).takeError();
}

llvm::Error ReplayDevice::write(uint64_t To, const void *Data, uint64_t Bytes) {
  replay::Batch Work;
  Work.write(To, Data, Bytes);
  return run(Work, OwnLimit).takeError();
}

llvm::Expected<std::string> ReplayDevice::read(uint64_t From, uint64_t Bytes) {
  replay::Batch Work;
  Work.read(From, Bytes);
  llvm::Expected<BatchReply> Reply = run(Work, OwnLimit);
  if (!Reply)
    return Reply.takeError();
  return Reply->results().string();
}

llvm::Expected<uint64_t> ReplayDevice::freeMemory() {
  replay::Batch Work;
  Work.memoryInfo();
  llvm::Expected<BatchReply> Reply = run(Work, OwnLimit);
  if (!Reply)
    return Reply.takeError();
  return Reply->results().number<uint64_t>();
}

llvm::Expected<LoadedFunction> ReplayDevice::load(const std::string &Image,
                                                  const std::string &Function) {
  replay::Batch Load;
  Load.loadModule(Image);
  llvm::Expected<BatchReply> Loaded = run(Load, OwnLimit);
  if (!Loaded)
    return Loaded.takeError();
  LoadedFunction Result;
  Result.Module = Loaded->results().number<uint64_t>();
  replay::Batch Get;
  Get.getFunction(Result.Module, Function);
  llvm::Expected<BatchReply> Got = run(Get, OwnLimit);
  if (!Got) {
    if (isAlive())
      llvm::consumeError(unload(Result.Module));
    return Got.takeError();
  }
  replay::Decoder Results = Got->results();
  Result.Info.decode(Results);
  return Result;
}

llvm::Error ReplayDevice::unload(uint64_t Module) {
  replay::Batch Work;
  Work.unloadModule(Module);
  return run(Work, OwnLimit).takeError();
}

llvm::Expected<std::pair<uint64_t, uint64_t>>
ReplayDevice::global(uint64_t Module, const std::string &Name) {
  replay::Batch Work;
  Work.getGlobal(Module, Name);
  llvm::Expected<BatchReply> Reply = run(Work, OwnLimit);
  if (!Reply)
    return Reply.takeError();
  replay::Decoder Results = Reply->results();
  auto Address = Results.number<uint64_t>();
  return std::make_pair(Address, Results.number<uint64_t>());
}

void ReplayDevice::launchState(replay::Batch &Work, llvm::StringRef Kernel,
                               uint64_t Count,
                               llvm::ArrayRef<uint64_t> Addresses) const {
  replay::LaunchConfig Config;
  Config.Block[0] = StateThreads;
  Config.Grid[0] = uint32_t(std::clamp<uint64_t>(
      (Count + StateThreads - 1) / StateThreads, 1, MaxStateBlocks));
  replay::Encoder Arguments;
  for (uint64_t Address : Addresses)
    Arguments.number(Address);
  Work.launch(StateFunctions.at(Kernel.str()), Config, Arguments.Bytes,
              /*Timed=*/false);
}

llvm::Expected<uint64_t> ReplayDevice::scratch(uint64_t Bytes) {
  if (Bytes <= ScratchBytes)
    return Scratch;
  if (Scratch)
    if (llvm::Error E = free(Scratch))
      return std::move(E);
  ScratchBytes = 0;
  uint64_t Wanted = std::max(2 * Bytes, LeastScratch);
  llvm::Expected<uint64_t> Address = allocate(Wanted);
  if (!Address)
    return Address.takeError();
  if (!*Address)
    return llvm::createStringError("the program leaves no device memory free");
  Scratch = *Address;
  ScratchBytes = Wanted;
  return Scratch;
}
