//===- DeviceCluster.cpp - Special registers of clusters ------------------===//
///
/// \file
/// Every block is a cluster of its own, as on a GPU when none are asked for.
///
//===----------------------------------------------------------------------===//

#include "Abi.h"
#include "DeviceLibrary.h"

#define AXIS(Letter, Index)                                                    \
  uint32_t cudal1_nvvm_read_ptx_sreg_clusterid_##Letter() {                    \
    return cudal1_emu_thread->BlockIdx[Index];                                 \
  }                                                                            \
  uint32_t cudal1_nvvm_read_ptx_sreg_nclusterid_##Letter() {                   \
    return cudal1_emu_thread->GridDim[Index];                                  \
  }                                                                            \
  uint32_t cudal1_nvvm_read_ptx_sreg_cluster_ctaid_##Letter() { return 0; }    \
  uint32_t cudal1_nvvm_read_ptx_sreg_cluster_nctaid_##Letter() { return 1; }
AXIS(x, 0)
AXIS(y, 1)
AXIS(z, 2)

uint32_t cudal1_nvvm_read_ptx_sreg_cluster_ctarank() { return 0; }
uint32_t cudal1_nvvm_read_ptx_sreg_cluster_nctarank() { return 1; }
uint32_t cudal1_nvvm_is_explicit_cluster() { return 0; }
