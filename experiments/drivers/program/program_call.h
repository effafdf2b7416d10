#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

/// The path of this program's file.
std::string program_path();

/// SHA-256 of the file that runs, also where another one has taken its path since. Read once.
std::string program_sha256();

/// Becomes this program with other arguments. @return exit code, only if that fails
int become_program(std::vector<std::string> arguments);

/// The words as a shell reads them back, apart by spaces.
std::string shell_line(const std::vector<std::string>& words);

/// What a command said.
struct CommandAnswer {
  int code = -1;     ///< exit code; 127 where there is no such command, -1 where a signal ended it
  std::string text;  ///< standard output and error
};

/// Runs a command and waits for its end. @throws Error(internal) if no process can be started
CommandAnswer ask_command(const std::vector<std::string>& words);

}  // namespace speclab::experiments
