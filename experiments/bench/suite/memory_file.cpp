#include "experiments/bench/suite/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "sim/system/errors.h"

namespace speclab::bench {

std::string memory_file(const std::string& content) {
  const int descriptor = ::memfd_create("speclab-bench", MFD_CLOEXEC);
  if (descriptor < 0 ||
      ::write(descriptor, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
    throw Error(ExitCode::internal, "no file in memory for a benchmark");
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace speclab::bench
