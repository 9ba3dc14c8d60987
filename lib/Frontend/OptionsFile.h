//===- OptionsFile.h - Flags kept in files ----------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_FRONTEND_OPTIONSFILE_H
#define CUDAL1_LIB_FRONTEND_OPTIONSFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudal1 {

/// Splits the text of an nvcc options file as nvcc 13 does (measured): words
/// end at white space, double quotes keep it, single quotes are plain
/// characters, and quotes and backslashes are taken off twice.
std::vector<std::string> tokenizeNvccOptions(llvm::StringRef Text);

/// Replaces `--options-file X`, `-optf X,Y` by what the files hold, also when
/// they name further files. Relative names start at \p Directory. Errors: a
/// file that cannot be read, files that name each other in a circle.
llvm::Expected<std::vector<std::string>>
expandNvccOptionsFiles(llvm::ArrayRef<std::string> Flags,
                       llvm::StringRef Directory);

/// Replaces `@X` by the words of file X, quoted as for a Unix shell. As GCC
/// does, `@X` stays when there is no such file.
llvm::Expected<std::vector<std::string>>
expandResponseFiles(llvm::ArrayRef<std::string> Flags,
                    llvm::StringRef Directory);

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_OPTIONSFILE_H
