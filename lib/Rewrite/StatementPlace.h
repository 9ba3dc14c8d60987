//===- StatementPlace.h - Where lines may stand around a statement --------===//

#ifndef CUDAL1_LIB_REWRITE_STATEMENTPLACE_H
#define CUDAL1_LIB_REWRITE_STATEMENTPLACE_H

#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// Where a statement stands in its file, and what stands around it.
struct EditBuilder::StatementPlace {
  enum Kind {
    InCompound, ///< Between braces: lines may be added freely.
    SoleChild,  ///< After `if (...)`, `for (...)`, `else`, `do`: needs braces.
    AfterLabel  ///< After `case 1:` or `label:`.
  };
  std::string Path;
  Kind Where = InCompound;
  /// Offset of the statement's first token.
  unsigned Begin = 0;
  /// After the last token, semicolon included.
  unsigned End = 0;
  /// Where lines before it go: its `#pragma unroll` if it has one, else Begin.
  unsigned Head = 0;
  /// End of the token before it.
  unsigned PreviousEnd = 0;
  /// Offset of the `if`, `for`, `else` ... it is the child of, or of the label.
  unsigned Owner = 0;
  bool IsDeclaration = false;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_STATEMENTPLACE_H
