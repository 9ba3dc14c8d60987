//===- OutputFiles.cpp - All files or none --------------------------------===//

#include "cudal1/Rewrite/SourceWriter.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace cudal1 {

static llvm::Error cannotWrite(llvm::StringRef Path, std::error_code Why) {
  return llvm::createStringError(Why, "cannot write " + Path + ": " +
                                          Why.message() +
                                          "; no file was changed");
}

/// Writes all of \p Text and waits until it is on disk.
static std::error_code writeAndSync(int Descriptor, llvm::StringRef Text,
                                    bool Regular) {
  while (!Text.empty()) {
    ssize_t Written = llvm::sys::RetryAfterSignal(-1, ::write, Descriptor,
                                                  Text.data(), Text.size());
    if (Written < 0)
      return std::error_code(errno, std::generic_category());
    Text = Text.drop_front(Written);
  }
  // Pipes and devices cannot be synchronised.
  if (Regular && ::fsync(Descriptor) != 0)
    return std::error_code(errno, std::generic_category());
  return {};
}

namespace {

/// The new content of one file, on its way to its target.
struct Pending {
  std::string Target;
  std::string Temporary;
  /// What the target held before, when it was there.
  std::optional<std::string> Previous;
  bool Renamed = false;
};

} // namespace

static std::error_code stage(llvm::StringRef Target, llvm::StringRef Text,
                             Pending &Out) {
  // A link is followed: the file behind it is what is replaced.
  llvm::SmallString<256> Real;
  if (fs::real_path(Target, Real))
    Real = Target;
  Out.Target = Real.str().str();
  fs::file_status Status;
  bool Exists = !fs::status(Out.Target, Status) && fs::exists(Status);
  if (Exists) {
    if (!fs::can_write(Out.Target))
      return std::make_error_code(std::errc::permission_denied);
    auto Old = llvm::MemoryBuffer::getFile(Out.Target);
    if (!Old)
      return Old.getError();
    Out.Previous = (*Old)->getBuffer().str();
  }
  llvm::SmallString<256> Temporary;
  int Descriptor = -1;
  if (std::error_code E = fs::createUniqueFile(Out.Target + ".%%%%%%.tmp",
                                               Descriptor, Temporary))
    return E;
  Out.Temporary = Temporary.str().str();
  std::error_code E = writeAndSync(Descriptor, Text, /*Regular=*/true);
  if (!E)
    E = fs::setPermissions(Descriptor,
                           Exists ? Status.permissions()
                                  : fs::perms(fs::all_read | fs::all_write) &
                                        ~fs::perms(fs::getUmask()));
  ::close(Descriptor);
  return E;
}

/// Puts back what was there before, as far as the disk lets us: the error that
/// led here is the one to be told.
static void undo(std::vector<Pending> &List) {
  for (Pending &File : List) {
    if (!File.Renamed) {
      if (!File.Temporary.empty())
        (void)fs::remove(File.Temporary);
      continue;
    }
    if (!File.Previous) {
      (void)fs::remove(File.Target);
      continue;
    }
    Pending Old;
    if (!stage(File.Target, *File.Previous, Old))
      (void)fs::rename(Old.Temporary, Old.Target);
  }
}

/// A pipe or a device: nothing can be renamed over it.
static std::error_code writeDirectly(llvm::StringRef Path,
                                     llvm::StringRef Text) {
  if (Path == "-")
    return writeAndSync(STDOUT_FILENO, Text, /*Regular=*/false);
  int Descriptor = -1;
  if (std::error_code E = fs::openFileForWrite(
          Path, Descriptor, fs::CD_OpenExisting, fs::OF_None))
    return E;
  std::error_code E = writeAndSync(Descriptor, Text, /*Regular=*/false);
  ::close(Descriptor);
  return E;
}

llvm::Error writeOutput(const SourceOutput &Output) {
  std::vector<Pending> List;
  llvm::scope_exit Undo([&] { undo(List); });
  std::vector<const OutputFile *> Direct;
  for (const OutputFile &File : Output.Files) {
    fs::file_status Status;
    if (!fs::status(File.Path, Status) && fs::is_directory(Status))
      return cannotWrite(File.Path,
                         std::make_error_code(std::errc::is_a_directory));
    if (File.Path == "-" ||
        (fs::exists(Status) && !fs::is_regular_file(Status))) {
      Direct.push_back(&File);
      continue;
    }
    // The backup first: until it is complete the original stays.
    if (!File.Backup.empty()) {
      auto Present = llvm::MemoryBuffer::getFile(File.Path);
      if (!Present)
        return cannotWrite(File.Path, Present.getError());
      if (std::error_code E =
              stage(File.Backup, (*Present)->getBuffer(), List.emplace_back()))
        return cannotWrite(File.Backup, E);
    }
    if (std::error_code E = stage(File.Path, File.Text, List.emplace_back()))
      return cannotWrite(File.Path, E);
  }
  for (const OutputFile *File : Direct)
    if (std::error_code E = writeDirectly(File->Path, File->Text))
      return cannotWrite(File->Path, E);
  for (Pending &File : List) {
    if (std::error_code E = fs::rename(File.Temporary, File.Target))
      return cannotWrite(File.Target, E);
    File.Renamed = true;
  }
  Undo.release();
  return llvm::Error::success();
}

} // namespace cudal1
