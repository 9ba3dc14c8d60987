//===- WriteSyntheticRecord.cpp - The tests' record as files --------------===//

#include "SyntheticRecord.h"
#include "cudal1/Train/Files.h"
#include <cstdio>

using namespace cudal1;

/// usage: write-synthetic-record FOLDER KERNELS-PER-FAMILY
int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  try {
    std::filesystem::path Folder = Argv[1];
    writeFileAtomically(
        Folder / "synthetic.jsonl",
        syntheticLines(static_cast<unsigned>(std::stoul(Argv[2]))));
    writeFileAtomically(Folder / "families.toml", SyntheticFamilies);
    return 0;
  } catch (const std::exception &E) {
    std::fprintf(stderr, "write-synthetic-record: %s\n", E.what());
    return 1;
  }
}
