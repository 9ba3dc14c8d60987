//===- Files.h - Whole files, read and written ---------------------*- C++
//-*-===//

#ifndef CUDAL1_TRAIN_FILES_H
#define CUDAL1_TRAIN_FILES_H

#include <filesystem>
#include <string>

namespace cudal1 {

/// The whole file. Throws TrainError.
std::string readFile(const std::filesystem::path &Path);
/// The same, decompressed when its name ends in .zst.
std::string readMaybeCompressed(const std::filesystem::path &Path);
/// Writes to a file beside it and renames: a reader sees the old or the new
/// content, whenever the writer dies. Throws TrainError.
void writeFileAtomically(const std::filesystem::path &Path,
                         const std::string &Content);

} // namespace cudal1

#endif // CUDAL1_TRAIN_FILES_H
