#pragma once
// The command line as data, out of which --help, the man page and the shells' completions are made.

#include <CLI/CLI.hpp>
#include <memory>

#include "experiments/drivers/commands/command_page.h"

namespace speclab::experiments {

/// A command with its options and subcommands; what is hidden is left out.
/// @param name  the words that call it
CommandPage command_page(const CLI::App& command, const std::string& name);

/// How --help lays out options: flags plain, numbers with their range.
std::shared_ptr<CLI::Formatter> help_formatter();

/// The commands `completion` and `man`. @param app  outlives its parsing, has all other commands
void add_page_commands(CLI::App& app);

}  // namespace speclab::experiments
