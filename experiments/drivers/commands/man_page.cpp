#include "experiments/drivers/commands/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "experiments/drivers/program/exit_codes.h"

namespace speclab::experiments {
namespace {

/// Text as roff prints it: a hyphen is one, and no line begins a request.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) safe += "\\&";
    if (c == '-')
      safe += "\\-";
    else if (c == '\\')
      safe += "\\e";
    else
      safe += c;
  }
  return safe;
}

/// Laid out already: examples and lists of keys.
std::string as_it_is(const std::string& text) {
  std::istringstream lines(text);
  std::string page = ".PP\n.nf\n";
  for (std::string line; std::getline(lines, line);) page += roff(line) + "\n";
  return page + ".fi\n";
}

std::string option_head(const OptionPage& option) {
  const std::string names = roff(fmt::format("{}", fmt::join(option.names, ", ")));
  if (option.is_flag()) return fmt::format("\\fB{}\\fR", names);
  return fmt::format("\\fB{}\\fR{}{}", names,
                     option.is_positional ? "" : " \\fI" + option.value + "\\fR",
                     option.is_list ? " ..." : "");
}

/// "Allowed: auto, cpu. Default: auto. Needs --slurm."
std::string option_facts(const OptionPage& option) {
  std::string facts;
  if (!option.choices.empty())
    facts += fmt::format(" Allowed: {}.", fmt::join(option.choices, ", "));
  if (!option.range.empty()) facts += fmt::format(" Allowed: {}.", option.range);
  if (!option.is_flag() && !option.default_value.empty())
    facts += fmt::format(" Default: {}.", option.default_value);
  if (option.is_required) facts += " Required.";
  if (!option.needs.empty()) facts += fmt::format(" Needs {}.", fmt::join(option.needs, ", "));
  if (!option.excludes.empty())
    facts += fmt::format(" Excludes {}.", fmt::join(option.excludes, ", "));
  return facts;
}

std::string option_entry(const OptionPage& option) {
  const std::string stop = option.description.ends_with('.') ? "" : ".";
  return fmt::format(".TP\n{}\n{}\n", option_head(option),
                     roff(option.description + stop + option_facts(option)));
}

std::string command_section(const CommandPage& command) {
  std::string page =
      fmt::format(".SS \"{}\"\n{}.\n", roff(command.name), roff(command.description));
  for (const OptionPage& option : command.options) page += option_entry(option);
  if (!command.footer.empty()) page += as_it_is(command.footer);
  for (const CommandPage& subcommand : command.subcommands) page += command_section(subcommand);
  return page;
}

std::string exit_status() {
  std::string page = ".SH \"EXIT STATUS\"\n";
  for (const ExitCodeWords& words : exit_codes())
    page += fmt::format(".TP\n{}\n{}.\n", static_cast<int>(words.code), roff(words.meaning));
  return page;
}

}  // namespace

std::string man_page(const CommandPage& program, const std::string& version) {
  const std::string& words = program.description;  // "speclab: what it does"
  const std::size_t colon = words.find(": ");
  std::string page = fmt::format(
      ".TH SPECLAB 1 \"\" \"{}\" \"User Commands\"\n.ad l\n.SH NAME\nspeclab \\- {}\n"
      ".SH SYNOPSIS\n\\fBspeclab\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH OPTIONS\n",
      roff(version), roff(words.substr(colon == std::string::npos ? 0 : colon + 2)));
  for (const OptionPage& option : program.options) page += option_entry(option);
  page += ".SH COMMANDS\n";
  for (const CommandPage& command : program.subcommands) page += command_section(command);
  return page + exit_status();
}

}  // namespace speclab::experiments
