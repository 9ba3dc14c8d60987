//===- Listing.h - --list-rules and --list-sites ----------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_LISTING_H
#define CUDAL1_TOOL_LISTING_H

#include "cudal1/Rewrite/RuleList.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudal1 {

/// Name, fp class and summary of each.
void listRules(const RuleList &Rules, llvm::raw_ostream &OS);

/// `FILE:LINE: RULE:SUBJECT {choice}... [class]`, then what it does and why it
/// is legal. The head of a line is a step as --apply takes it.
void listSites(llvm::ArrayRef<Site> Sites, llvm::raw_ostream &OS);

} // namespace cudal1

#endif // CUDAL1_TOOL_LISTING_H
