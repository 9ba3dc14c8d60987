//===- Program.cpp - Parsing both sides of a unit -------------------------===//

#include "cudal1/Frontend/Program.h"
#include "SidePass.h"

#include "llvm/Support/Path.h"
#include <thread>

using namespace clang;

namespace cudal1 {

char ParseError::ID;

void ParseError::log(llvm::raw_ostream &OS) const {
  OS << "Clang cannot parse '" << File << "' ("
     << (Where == Side::Device ? "device" : "host") << " pass)";
}

std::error_code ParseError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

Program::Program(ParseInput Input, SourceOverlay Overlay)
    : Input(std::move(Input)), Overlay(std::move(Overlay)) {}

Program::~Program() = default;

llvm::Expected<std::unique_ptr<Program>> Program::parse(ParseInput Input,
                                                        SourceOverlay Overlay) {
  std::unique_ptr<Program> P(new Program(std::move(Input), std::move(Overlay)));
  P->HostPass = std::make_unique<SidePass>(P->Input, P->Input.HostArgs);
  if (!P->Input.DeviceArgs.empty())
    P->DevicePass = std::make_unique<SidePass>(P->Input, P->Input.DeviceArgs);
  if (llvm::Error E = P->parsePasses())
    return std::move(E);
  return P;
}

llvm::Error Program::reparse(SourceOverlay NewOverlay) {
  Overlay = std::move(NewOverlay);
  return parsePasses();
}

llvm::Error Program::parsePasses() {
  bool DeviceParsed = true;
  std::thread DeviceThread;
  if (DevicePass)
    DeviceThread =
        std::thread([&] { DeviceParsed = DevicePass->parse(Overlay); });
  bool HostParsed = HostPass->parse(Overlay);
  if (DevicePass)
    DeviceThread.join();
  if (!DeviceParsed)
    return llvm::make_error<ParseError>(Input.File, Side::Device,
                                        DevicePass->diagnostics());
  if (!HostParsed)
    return llvm::make_error<ParseError>(Input.File, Side::Host,
                                        HostPass->diagnostics());
  return llvm::Error::success();
}

bool Program::hasSide(Side S) const {
  return S == Side::Host ? HostPass != nullptr : DevicePass != nullptr;
}

ASTUnit &Program::ast(Side S) const {
  assert(hasSide(S) && "this program has no such side");
  return (S == Side::Host ? HostPass : DevicePass)->unit();
}

llvm::StringRef Program::textOf(llvm::StringRef AbsolutePath) const {
  std::string Path = AbsolutePath.str();
  for (const SourceOverlay *Source : {&Overlay, &Input.VirtualFiles})
    if (auto It = Source->find(Path); It != Source->end())
      return It->second;
  for (Side S : {Side::Device, Side::Host}) {
    if (!hasSide(S))
      continue;
    auto File = ast(S).getFileManager().getOptionalFileRef(Path);
    if (!File)
      continue;
    if (auto Buffer = sources(S).getMemoryBufferForFileOrNone(*File))
      return Buffer->getBuffer();
  }
  return {};
}

std::string Program::pathOf(Side S, FileID Id) const {
  OptionalFileEntryRef File = sources(S).getFileEntryRefForID(Id);
  if (!File)
    return "";
  SmallString<256> Path(File->getName());
  if (!llvm::sys::path::is_absolute(Path))
    llvm::sys::path::make_absolute(Input.Directory, Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

bool Program::isEditable(Side S, FileID Id) const {
  const SourceManager &Sources = sources(S);
  if (Id == Sources.getMainFileID())
    return true;
  std::string Path = pathOf(S, Id);
  if (Path.empty() || Input.VirtualFiles.count(Path))
    return false;
  bool Invalid = false;
  const SrcMgr::SLocEntry &Entry = Sources.getSLocEntry(Id, &Invalid);
  return !Invalid && Entry.isFile() &&
         !SrcMgr::isSystem(Entry.getFile().getFileCharacteristic());
}

std::vector<FileID> Program::editableFiles(Side S) const {
  const SourceManager &Sources = sources(S);
  std::vector<FileID> Files{Sources.getMainFileID()};
  auto Consider = [&](const SrcMgr::SLocEntry &Entry) {
    if (!Entry.isFile() ||
        SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      return;
    OptionalFileEntryRef File = Entry.getFile().getContentCache().OrigEntry;
    if (!File)
      return;
    FileID Id = Sources.translateFile(*File);
    if (Id.isValid() && !llvm::is_contained(Files, Id) && isEditable(S, Id))
      Files.push_back(Id);
  };
  for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I)
    Consider(Sources.getLocalSLocEntry(I));
  for (unsigned I = 0; I < Sources.loaded_sloc_entry_size(); ++I)
    Consider(Sources.getLoadedSLocEntry(I));
  return Files;
}

} // namespace cudal1
