#pragma once
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace speclab::testing {

struct Outcome {
  int code = -1;
  std::string output;  ///< standard output; with the errors where the command line says 2>&1
};

inline Outcome run_shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace speclab::testing
