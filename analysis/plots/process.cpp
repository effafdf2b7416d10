#include "analysis/plots/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "sim/system/errors.h"

extern char** environ;

namespace speclab::analysis {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// An unnamed scratch file: unlike a pipe it cannot block, whatever the program reads or writes
/// first.
File scratch_file() {
  errno = 0;
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw WriteError(std::string("cannot make a scratch file: ") + std::strerror(errno));
  return file;
}

void seek_to_begin(std::FILE* file) {
  if (std::fseek(file, 0, SEEK_SET) != 0)
    throw WriteError(std::string("cannot read a scratch file: ") + std::strerror(errno));
}

/// A full disk shows when the buffer goes to the file.
File scratch_file_with(const std::string& content) {
  File file = scratch_file();
  const bool written =
      std::fwrite(content.data(), 1, content.size(), file.get()) == content.size() &&
      std::fflush(file.get()) == 0;
  if (!written)
    throw WriteError(std::string("cannot write a scratch file: ") + std::strerror(errno) +
                     "; make room in the temporary folder");
  seek_to_begin(file.get());
  return file;
}

std::string content_of(std::FILE* file) {
  seek_to_begin(file);
  std::string content(2000, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file));
  return content;
}

/// Starts the program and waits. @return 0, or the error number if it could not be started;
/// `status` as of waitpid
int spawn_and_wait(const std::vector<std::string>& arguments, int input, int errors, int& status) {
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return error;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

}  // namespace

void run_process(const std::vector<std::string>& arguments, const std::string& input) {
  const File input_file = scratch_file_with(input);
  const File error_file = scratch_file();
  int status = 0;
  const int error =
      spawn_and_wait(arguments, fileno(input_file.get()), fileno(error_file.get()), status);
  if (error != 0)
    throw WriteError(arguments[0] + ": cannot start: " + std::strerror(error) +
                     "; scripts/setup installs it");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw WriteError(arguments[0] + " failed: " + escaped(content_of(error_file.get()), 600));
  }
}

}  // namespace speclab::analysis
