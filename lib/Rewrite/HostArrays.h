//===- HostArrays.h - What host code does with an array ---------*- C++ -*-===//
//
// Rules that move copies, or give an array another kind of memory, must know
// every way in which the host reaches it. A variable that names an array (a
// local array, a vector, a pointer) is followed through casts, subscripts,
// iterators and calls of functions of the program; whatever is not recognised
// counts as a way by which something else may reach the memory later.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_HOSTARRAYS_H
#define CUDAL1_LIB_REWRITE_HOSTARRAYS_H

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMap.h"
#include <memory>
#include <vector>

namespace cudal1 {

/// One mention of a variable that names host memory.
struct HostUse {
  enum Kind {
    Query,    ///< its size, a comparison with null: no element is touched
    Read,     ///< elements are read
    Write,    ///< elements are written, or may be
    CopyFrom, ///< source of a copy by the CUDA runtime
    CopyTo,   ///< destination of one
    Define,   ///< the pointer gets its memory
    Release,  ///< free, delete[], cudaFreeHost
    Resize,   ///< a vector may get other memory
    Kept      ///< something else may reach the memory from now on
  } K = Kept;
  const clang::DeclRefExpr *Mention = nullptr;
  /// The call, assignment or access, in the function that was asked about.
  const clang::Stmt *At = nullptr;
};

/// The uses of local variables in one function.
class HostUses {
public:
  HostUses(const clang::FunctionDecl &F, clang::ASTContext &Context)
      : HostUses(F, Context, 0) {}
  ~HostUses();

  /// Every mention of \p V, a local variable or a parameter that is a pointer,
  /// an array or a vector; in the order of the text.
  std::vector<HostUse> of(const clang::VarDecl *V) const;

  /// \p V alone leads to its memory: a local array, a vector of numbers, or a
  /// pointer that gets fresh memory once, of all of whose uses none is Kept.
  bool isOwnMemory(const clang::VarDecl *V) const;

private:
  /// What an expression on the way up from a mention stands for.
  enum class Form { Variable, Pointer, Iterator, Container, Element };

  HostUses(const clang::FunctionDecl &F, clang::ASTContext &Context,
           unsigned Depth);
  HostUse read(const clang::DeclRefExpr *Mention) const;
  HostUse climb(const clang::Expr *E, Form As) const;
  HostUse ofElement(const clang::Expr *E, const clang::Stmt *Parent) const;
  HostUse ofContainer(const clang::Expr *E, const clang::Stmt *Parent) const;
  HostUse ofIterator(const clang::Expr *E, const clang::Stmt *Parent) const;
  HostUse ofPointer(const clang::Expr *E, const clang::Stmt *Parent) const;
  HostUse ofVariable(const clang::Expr *E, const clang::Stmt *Parent) const;
  HostUse ofCast(const clang::CastExpr *Cast, Form As) const;
  HostUse ofArgument(const clang::Expr *E, const clang::CallExpr *C,
                     Form As) const;
  HostUse ofRange(const clang::CXXForRangeStmt *Loop) const;
  HostUse inCallee(const clang::CallExpr *C, unsigned Argument) const;
  HostUse result(const clang::CallExpr *C, HostUse::Kind AtLeast) const;

  const clang::FunctionDecl &F;
  clang::ASTContext &Context;
  unsigned Depth;
  std::unique_ptr<clang::ParentMap> Parents;
};

/// std::vector of numbers with the library's own allocator.
bool isVectorOfNumbers(clang::QualType T, const clang::ASTContext &Context);

/// malloc, calloc or new[] without arguments of placement, seen through casts;
/// null for any other value.
const clang::Expr *freshHostMemory(const clang::Expr *E);

/// The variable and the offset in elements that a pointer expression such as
/// `h`, `h + k`, `&h[k]`, `v.data() + k` names.
struct HostPlace {
  const clang::VarDecl *Variable = nullptr;
  /// Null for none.
  const clang::Expr *Offset = nullptr;
  explicit operator bool() const { return Variable; }
};
HostPlace hostPlaceOf(const clang::Expr *Pointer,
                      const clang::ASTContext &Context);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_HOSTARRAYS_H
