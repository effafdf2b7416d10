#include "experiments/drivers/program/threads.h"

#include <fmt/format.h>
#include <sched.h>

#include <cstdio>

namespace speclab::experiments {

int num_processors() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::string threads_warning(std::int32_t threads, int processors) {
  if (threads <= processors) return "";
  return fmt::format(
      "warning: {} threads for {} processors: they wait for each other; give at most {}, or 0 for "
      "all",
      threads, processors, processors);
}

void warn_of_threads(std::int32_t threads) {
  if (const std::string warning = threads_warning(threads, num_processors()); !warning.empty())
    fmt::print(stderr, "speclab: {}\n", warning);
}

}  // namespace speclab::experiments
