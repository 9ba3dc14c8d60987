//===- Spelling.h - Write as the author of the code writes ------*- C++ -*-===//

#ifndef CUDAL1_REWRITE_SPELLING_H
#define CUDAL1_REWRITE_SPELLING_H

#include "cudal1/Analysis/Kernel.h"

namespace cudal1 {

/// The type of one element behind \p D (a pointer, an array, or a variable or
/// field of that type itself), without qualifiers, as written where \p D is
/// declared: `T` in a template, `real_t`, `DATA_TYPE` even when that is a
/// macro. \p Type is what it stands for, and is printed when the declaration
/// does not spell it.
std::string spellElementType(const clang::ValueDecl *D, clang::QualType Type,
                             const clang::ASTContext &Context);

/// A zero of type \p Type, which is spelled \p Spelled: `0.0f`, `0`, `T(0)`.
std::string spellZero(clang::QualType Type, llvm::StringRef Spelled);

/// True when most names of more than one word in the kernel are written
/// like_this, false when likeThis.
bool prefersUnderscores(const Kernel &K);

/// One name out of words, in the kernel's manner: {"row", "offset"} gives
/// rowOffset or row_offset.
std::string joinWords(const Kernel &K, llvm::ArrayRef<llvm::StringRef> Words);

/// The name of an array without what only says where it lies (d_A, dev_A,
/// s_tile), with a small first letter: "a", "tile".
std::string plainName(const clang::ValueDecl *Array);

/// The source text of \p E as the author wrote it, "" when a macro is in the
/// way; with parentheses around it unless it is a primary or postfix
/// expression.
std::string spellOperand(const clang::Expr *E,
                         const clang::ASTContext &Context);
std::string spell(const clang::Expr *E, const clang::ASTContext &Context);
/// The text without line breaks; "" when it holds a comment.
std::string spellOnOneLine(const clang::Expr *E,
                           const clang::ASTContext &Context);

/// The opposite of \p Condition, as one would write it: `i < n` for `i >= n`.
std::string spellNegated(const clang::Expr *Condition,
                         const clang::ASTContext &Context);

/// What the line on which \p S begins is indented by.
std::string indentationOf(const clang::Stmt *S,
                          const clang::ASTContext &Context);

} // namespace cudal1

#endif // CUDAL1_REWRITE_SPELLING_H
