#include "experiments/drivers/program/program_call.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {

std::string program_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string program_sha256() {
  static const std::string digest = sha256_file("/proc/self/exe");
  return digest;
}

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

CommandAnswer ask_command(const std::vector<std::string>& words) {
  FILE* pipe = popen((shell_line(words) + " 2>&1").c_str(), "r");
  if (!pipe) throw Error(ExitCode::internal, "cannot start " + words.front());
  CommandAnswer answer;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    answer.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return answer;
}

}  // namespace speclab::experiments
