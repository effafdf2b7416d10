#pragma once
#include <string>

#include "experiments/drivers/commands/command_page.h"

namespace speclab::experiments {

/// The page of section 1 in the language of man(7), with every command, option and exit code.
/// @param program  the page of the program itself
/// @param version  for the foot of the page
std::string man_page(const CommandPage& program, const std::string& version);

}  // namespace speclab::experiments
