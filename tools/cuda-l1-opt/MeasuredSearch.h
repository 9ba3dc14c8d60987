//===- MeasuredSearch.h - Search with a GPU ---------------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_MEASUREDSEARCH_H
#define CUDAL1_TOOL_MEASUREDSEARCH_H

#include "Setup.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Search/RewriteSession.h"

namespace cudal1 {

/// Measures the original, searches, and confirms the winner. Fills \p Report
/// with all figures. Gives the Variant to be written: the original where
/// nothing was faster. An Error means that the original itself cannot be
/// measured.
llvm::Expected<Variant> searchMeasured(const Setup &S, const Settings &Chosen,
                                       const CompileUnit &Unit,
                                       RewriteSession &Session,
                                       UnitReport &Report);

} // namespace cudal1

#endif // CUDAL1_TOOL_MEASUREDSEARCH_H
