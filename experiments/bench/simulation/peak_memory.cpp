#include "experiments/bench/simulation/peak_memory.h"

#include <sys/resource.h>

namespace speclab::bench {

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace speclab::bench
