#include <fcntl.h>

#include <csignal>

#include "experiments/drivers/cli/cli.h"

namespace {

/// A standard descriptor that is closed would be given to the next file opened, and messages would
/// go into it. Standard output is opened for reading only, so that what is printed there still
/// fails.
void open_closed_descriptors() {
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  open_closed_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further is an error of the write, with
                                  // its message and exit code
  return speclab::experiments::run_cli(argc, argv);
}
