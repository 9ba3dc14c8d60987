//===- ClangFlagPurpose.cpp - What a flag of the driver is for ------------===//

#include "ClangFlagPurpose.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"

using namespace cudal1;
using llvm::StringRef;
using llvm::opt::Arg;
namespace options = clang::options;

bool cudal1::inAnyGroup(const Arg &A, std::initializer_list<unsigned> Groups) {
  return llvm::any_of(
      Groups, [&](unsigned Group) { return A.getOption().matches(Group); });
}

static bool isInstrumentation(StringRef Name) {
  for (StringRef Prefix :
       {"fsanitize", "fno-sanitize", "fprofile", "fno-profile", "fcoverage",
        "ftest-coverage", "flto", "fno-lto", "fstack-protector",
        "fno-stack-protector", "fcf-protection", "fdata-sections",
        "ffunction-sections", "ffat-lto", "fdiagnostics", "fcolor-diagnostics",
        "fno-diagnostics", "ftime-trace"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

Purpose cudal1::purposeOf(const Arg &A) {
  unsigned Id = A.getOption().getID();
  switch (Id) {
  case options::OPT_UNKNOWN:
    return Purpose::Unknown;
  case options::OPT_INPUT:
    return Purpose::Input;
  case options::OPT_offload_arch_EQ:
    return Purpose::Arch;
  case options::OPT_ffast_math:
  case options::OPT_Ofast:
    return Purpose::FastMath;
  case options::OPT_o:
  case options::OPT_v:
  case options::OPT_pipe:
  case options::OPT_save_temps_EQ:
  case options::OPT_save_temps:
  case options::OPT__HASH_HASH_HASH:
    return Purpose::Output;
  case options::OPT_Wl_COMMA:
  case options::OPT_Xlinker:
  case options::OPT_shared:
  case options::OPT_static:
  case options::OPT_rdynamic:
    return Purpose::Linker;
  case options::OPT_cuda_host_only:
  case options::OPT_cuda_device_only:
  case options::OPT_cuda_compile_host_device:
  case options::OPT_offload_host_only:
  case options::OPT_offload_device_only:
  case options::OPT_offload_host_device:
  case options::OPT_no_offload_arch_EQ:
    return Purpose::Side;
  case options::OPT_w:
    return Purpose::Warning;
  default:
    break;
  }
  if (inAnyGroup(A, {options::OPT_Diag_Group, options::OPT_pedantic_Group}))
    return Purpose::Warning;
  if (inAnyGroup(A, {options::OPT_M_Group, options::OPT_Action_Group}))
    return Purpose::Output;
  if (inAnyGroup(A, {options::OPT_Link_Group, options::OPT_T_Group}))
    return Purpose::Linker;
  if (inAnyGroup(A, {options::OPT_DebugInfo_Group}))
    return Purpose::DebugInfo;
  if (isInstrumentation(A.getOption().getName()))
    return Purpose::Instrument;
  if (inAnyGroup(A, {options::OPT_m_Group}))
    return Purpose::Machine;
  return Purpose::Parse;
}
