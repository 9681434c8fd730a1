// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All-reduce with MPI, started by mpirun: mpi_allreduce FLOATS STEPS.
#include "Samples.h"

#include <mpi.h>
#include <string>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: mpi_allreduce FLOATS STEPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int count = std::stoi(argv[1]), rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<float> values(count, 0.0f);
  std::vector<double> micros =
      graphc::bench::timeSteps(std::stoi(argv[2]), [&] {
        MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_SUM,
                      MPI_COMM_WORLD);
      });
  if (rank == 0)
    graphc::bench::printSamples(micros);
  MPI_Finalize();
  return 0;
}
