//===- Files.cpp - Whole files, read and written --------------------------===//

#include "cudal1/Train/Files.h"
#include "cudal1/Train/TrainError.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <unistd.h>
#include <zstd.h>

using namespace cudal1;

std::string cudal1::readFile(const std::filesystem::path &Path) {
  std::ifstream In(Path, std::ios::binary);
  std::ostringstream Content;
  if (!In || !(Content << In.rdbuf())) {
    // An empty file leaves the stream failed, with nothing wrong.
    if (std::error_code Code;
        In && std::filesystem::file_size(Path, Code) == 0 && !Code)
      return {};
    throw TrainError("cannot read '" + Path.string() +
                     "': " + std::strerror(errno));
  }
  return Content.str();
}

std::string cudal1::readMaybeCompressed(const std::filesystem::path &Path) {
  std::string Bytes = readFile(Path);
  if (Path.extension() != ".zst")
    return Bytes;
  std::string Result;
  std::string Chunk(ZSTD_DStreamOutSize(), '\0');
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> Context(ZSTD_createDCtx(),
                                                              ZSTD_freeDCtx);
  ZSTD_inBuffer In{Bytes.data(), Bytes.size(), 0};
  size_t Left = 0;
  while (In.pos < In.size) {
    ZSTD_outBuffer Out{Chunk.data(), Chunk.size(), 0};
    Left = ZSTD_decompressStream(Context.get(), &Out, &In);
    if (ZSTD_isError(Left))
      throw TrainError("'" + Path.string() +
                       "' cannot be decompressed: " + ZSTD_getErrorName(Left));
    Result.append(Chunk, 0, Out.pos);
  }
  // What still waits inside the decompressor.
  while (Left) {
    ZSTD_outBuffer Out{Chunk.data(), Chunk.size(), 0};
    size_t Next = ZSTD_decompressStream(Context.get(), &Out, &In);
    if (ZSTD_isError(Next) || Out.pos == 0)
      throw TrainError("'" + Path.string() +
                       "' ends in the middle of its data");
    Result.append(Chunk, 0, Out.pos);
    Left = Next;
  }
  return Result;
}

void cudal1::writeFileAtomically(const std::filesystem::path &Path,
                                 const std::string &Content) {
  auto Fail = [&] {
    throw TrainError("cannot write '" + Path.string() +
                     "': " + std::strerror(errno));
  };
  if (Path.has_parent_path())
    std::filesystem::create_directories(Path.parent_path());
  std::string Beside = Path.string() + ".part";
  int File =
      ::open(Beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (File < 0)
    Fail();
  for (size_t Done = 0; Done < Content.size();) {
    ssize_t N = ::write(File, Content.data() + Done, Content.size() - Done);
    if (N < 0 && errno != EINTR) {
      ::close(File);
      Fail();
    }
    Done += N > 0 ? static_cast<size_t>(N) : 0;
  }
  bool Kept = ::fsync(File) == 0;
  if (::close(File) != 0 || !Kept ||
      std::rename(Beside.c_str(), Path.c_str()) != 0)
    Fail();
}
