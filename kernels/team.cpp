#include "kernels/team.hpp"

#include <omp.h>

namespace lawful::kernels {

int machine_threads() { return omp_get_num_procs(); }

void use_threads(int count) {
  omp_set_dynamic(0);
  omp_set_num_threads(count);
}

int threads() { return omp_get_max_threads(); }

}  // namespace lawful::kernels
