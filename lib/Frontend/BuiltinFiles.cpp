//===- BuiltinFiles.cpp - Headers that live in this program ---------------===//

#include "cudal1/Frontend/BuiltinFiles.h"

using namespace cudal1;

// Made by CMake from the headers in Compat/: one row a file.
static constexpr BuiltinFile Files[] = {
#include "BuiltinFiles.inc"
};

llvm::ArrayRef<BuiltinFile> cudal1::builtinFiles() { return Files; }
