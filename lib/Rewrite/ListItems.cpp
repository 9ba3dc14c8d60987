//===- ListItems.cpp - Parameters and arguments in their lists ------------===//

#include "ListItems.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

static void replaceItem(EditBuilder &Builder, llvm::ArrayRef<SourceRange> Items,
                        unsigned Index, llvm::ArrayRef<std::string> Text) {
  if (!Text.empty() || Items.size() == 1)
    return Builder.replace(Items[Index], llvm::join(Text, ", "));
  // The comma goes with it.
  bool Last = Index + 1 == Items.size();
  SourceRange Kept = Items[Last ? Index - 1 : Index + 1], Gone = Items[Index];
  std::string Other = Builder.text(Kept).str();
  if (Other.empty())
    return Builder.fail("a parameter or argument is made by a macro");
  Builder.replace(Last ? SourceRange(Kept.getBegin(), Gone.getEnd())
                       : SourceRange(Gone.getBegin(), Kept.getEnd()),
                  Other);
}

void replaceParameter(EditBuilder &Builder, const FunctionDecl &F,
                      unsigned Index, llvm::ArrayRef<std::string> Text) {
  Builder.setSide(Side::Device);
  std::vector<SourceRange> Items;
  for (const ParmVarDecl *Each : F.parameters())
    Items.push_back(Each->getSourceRange());
  replaceItem(Builder, Items, Index, Text);
}

void replaceArgument(EditBuilder &Builder, const Launch &L, unsigned Index,
                     llvm::ArrayRef<std::string> Text) {
  Builder.setSide(Side::Host);
  std::vector<SourceRange> Items;
  for (const Expr *Each : L.Arguments)
    Items.push_back(Each->getSourceRange());
  replaceItem(Builder, Items, Index, Text);
}

} // namespace cudal1
