//===- Serve.h - The environment on stdin and stdout ------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_SERVE_H
#define CUDAL1_TOOL_SERVE_H

#include "ExitCode.h"
#include "Setup.h"

namespace cudal1 {

/// Answers requests until the input ends, one line of JSON each (see
/// docs/environment.md). A request that cannot be served gets a line with an
/// error and changes nothing.
ExitCode serve(const Setup &S);

} // namespace cudal1

#endif // CUDAL1_TOOL_SERVE_H
