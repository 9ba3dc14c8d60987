//===- TerminalReport.h - The report that a person reads --------*- C++ -*-===//

#ifndef CUDAL1_REPORT_TERMINALREPORT_H
#define CUDAL1_REPORT_TERMINALREPORT_H

#include "cudal1/Report/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace cudal1 {

struct TerminalStyle {
  bool Color = false;
  /// Every variant tried, instead of the few best and a count.
  bool Verbose = false;
};

void printReport(const UnitReport &U, llvm::StringRef Gpu,
                 const TerminalStyle &Style, llvm::raw_ostream &OS);

/// "1.086 ms", "12.3 s", "850 µs": three digits, a fitting unit.
std::string formatMs(double Ms);
/// "3.12x".
std::string formatSpeedup(double Speedup);

} // namespace cudal1

#endif // CUDAL1_REPORT_TERMINALREPORT_H
