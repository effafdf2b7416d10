#include "experiments/drivers/program_call.h"

#include <unistd.h>

#include <filesystem>

#include "sim/core/errors.h"

namespace speclab::experiments {

std::string program_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

int become_program(std::vector<std::string> arguments) {
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv("/proc/self/exe", words.data());
  return static_cast<int>(ExitCode::internal);
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "'" : " '";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "'";
  }
  return line;
}

}  // namespace speclab::experiments
