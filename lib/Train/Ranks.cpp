//===- Ranks.cpp - Several trainers that share their gradients ------------===//

#include "cudal1/Train/Ranks.h"

#ifdef CUDAL1_HAS_MPI
#include <cstdlib>
#include <mpi.h>
#endif

using namespace cudal1;

#ifdef CUDAL1_HAS_MPI

/// MPI is started only by what was started through it: on its own it takes
/// time, and may fail where no daemon runs.
static bool isLaunched() {
  for (const char *Name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(Name))
      return true;
  return false;
}

Ranks::Ranks() {
  if (!isLaunched())
    return;
  MPI_Init(nullptr, nullptr);
  Started = true;
  int Own = 0, All = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &Own);
  MPI_Comm_size(MPI_COMM_WORLD, &All);
  Rank = static_cast<unsigned>(Own);
  Size = static_cast<unsigned>(All);
}

Ranks::~Ranks() {
  if (Started)
    MPI_Finalize();
}

void Ranks::sum(std::vector<float> &Values) const {
  if (Size > 1)
    MPI_Allreduce(MPI_IN_PLACE, Values.data(), static_cast<int>(Values.size()),
                  MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void Ranks::sum(std::vector<double> &Values) const {
  if (Size > 1)
    MPI_Allreduce(MPI_IN_PLACE, Values.data(), static_cast<int>(Values.size()),
                  MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

uint64_t Ranks::max(uint64_t Value) const {
  if (Size > 1)
    MPI_Allreduce(MPI_IN_PLACE, &Value, 1, MPI_UINT64_T, MPI_MAX,
                  MPI_COMM_WORLD);
  return Value;
}

#else

Ranks::Ranks() = default;
Ranks::~Ranks() = default;
void Ranks::sum(std::vector<float> &) const {}
void Ranks::sum(std::vector<double> &) const {}
uint64_t Ranks::max(uint64_t Value) const { return Value; }

#endif
