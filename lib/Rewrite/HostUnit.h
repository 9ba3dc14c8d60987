//===- HostUnit.h - May the host be taken to use the GPU plainly? -*- C++ -*-=//
//
// Rules on host code reason about one thread of the host that gives all of its
// work to the default stream of one device, and that sees of the device's
// memory only what it copies back. This says whether a unit is like that.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_HOSTUNIT_H
#define CUDAL1_LIB_REWRITE_HOSTUNIT_H

#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// Why the unit is not such a one, as a clause ("line 12 makes a stream"); ""
/// when it is a whole program with
/// - no stream but the default one, no host callbacks, one device, one thread;
/// - no memory that both sides see: managed, mapped or shared; page-locked
///   memory only where its address is handed to nothing but copies that wait;
/// - no kernel that prints, and none that cannot be seen;
/// - every pointer that a kernel gets from the host into memory of cudaMalloc.
std::string whyNotPlain(const ProgramAnalysis &A);

/// Every function of the unit's editable files with a body, no template itself
/// and no instantiation of one: its text is its own.
std::vector<const clang::FunctionDecl *> hostFunctions(const Program &P);

/// The unit defines main.
bool definesMain(const Program &P);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_HOSTUNIT_H
