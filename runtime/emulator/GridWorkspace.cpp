//===- GridWorkspace.cpp - What cooperative groups keep of a grid ---------===//

#include "GridWorkspace.h"
#include "DeviceLibrary.h"
#include "Worker.h"

using namespace cudal1::emulator;

namespace {

constexpr uint32_t PageBytes = 4096;

/// Far enough from all device variables that the checks do not take it for a
/// place beside one.
struct alignas(PageBytes) Padded {
  char Before[PageBytes];
  GridWorkspace Workspace;
  char After[size_t(2) * PageBytes - sizeof(GridWorkspace)];
};

Padded Only;

/// 0: the launch is not cooperative.
uint64_t workspaceAddress() {
  if (!Worker::current()->launch().Shape.Cooperative)
    return 0;
  return reinterpret_cast<uint64_t>(&Only.Workspace);
}

} // namespace

GridWorkspace &cudal1::emulator::gridWorkspace() { return Only.Workspace; }

uint32_t cudal1_nvvm_read_ptx_sreg_envreg1() {
  return static_cast<uint32_t>(workspaceAddress() >> 32);
}
uint32_t cudal1_nvvm_read_ptx_sreg_envreg2() {
  return static_cast<uint32_t>(workspaceAddress());
}
