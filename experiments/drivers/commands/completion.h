#pragma once
#include <string>

#include "experiments/drivers/commands/command_page.h"

namespace speclab::experiments {

/// Functions that complete the commands, options and choices of the page, and files where a value
/// may be one. @param program  the page of the program itself
std::string bash_completion(const CommandPage& program);
std::string zsh_completion(const CommandPage& program);

}  // namespace speclab::experiments
