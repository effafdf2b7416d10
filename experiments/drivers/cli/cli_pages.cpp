#include "experiments/drivers/cli/cli_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>

#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/commands/command_page.h"
#include "experiments/drivers/program/build_info.h"

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

/// The page of section 1 in the language of man(7), with every command, option and exit code.
/// @param program  the page of the program itself
/// @param version  for the foot of the page
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

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true, false)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);  // a set of pointers has another order in each process
  return names;
}

/// CLI11 puts a colon and its description behind the type for each check: names of choices stand in
/// braces there, anything else is a range.
void read_type(const std::string& type, OptionPage& page) {
  const std::vector<std::string> parts = split(type, ':');
  if (parts.empty()) return;
  page.value = parts.front();
  for (const std::string& part : std::vector(parts.begin() + 1, parts.end()))
    if (part.starts_with('{'))
      page.choices = split(part.substr(1, part.size() - 2), ',');
    else
      page.range = part;
}

OptionPage option_page(const CLI::Option& option) {
  OptionPage page{.names = names_of(option), .description = option.get_description()};
  if (option.get_type_size() != 0) read_type(option.get_type_name(), page);
  page.default_value = option.get_default_str();
  page.needs = names_of(option.get_needs());
  page.excludes = names_of(option.get_excludes());
  page.is_positional = option.get_positional();
  page.is_required = option.get_required();
  page.is_list = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  return page;
}

/// The text between an option's name and its description.
std::string value_text(const OptionPage& page) {
  std::string text;
  if (!page.is_flag()) {
    text = " " + page.value;
    if (!page.default_value.empty()) text += "=" + page.default_value;
    if (!page.choices.empty()) text += fmt::format(" {{{}}}", fmt::join(page.choices, ","));
    if (!page.range.empty()) text += fmt::format(" ({})", page.range);
    if (page.is_list) text += " ...";
    if (page.is_required) text += " REQUIRED";
  }
  if (!page.needs.empty()) text += fmt::format(" Needs: {}", fmt::join(page.needs, " "));
  if (!page.excludes.empty()) text += fmt::format(" Excludes: {}", fmt::join(page.excludes, " "));
  return text;
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool) const override {
    return fmt::format("{}", fmt::join(names_of(*option), ","));
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return value_text(option_page(*option));
  }
};

}  // namespace

CommandPage command_page(const CLI::App& command, const std::string& name) {
  CommandPage page{
      .name = name, .description = command.get_description(), .footer = command.get_footer()};
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty()) page.options.push_back(option_page(*option));
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; }))
    page.subcommands.push_back(command_page(*subcommand, name + " " + subcommand->get_name()));
  return page;
}

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<HelpFormatter>(); }

void add_page_commands(CLI::App& app) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print what makes a shell complete commands and options");
  completion->footer(
      "Example: mkdir -p ~/.local/share/bash-completion/completions\n"
      "         speclab completion bash >~/.local/share/bash-completion/completions/speclab");
  const CLI::Option* shell = completion->add_option("shell", "The shell")
                                 ->required()
                                 ->check(CLI::IsMember({"bash", "zsh"}));
  completion->callback([&app, shell] {
    const CommandPage page = command_page(app, "speclab");
    const bool is_bash = shell->as<std::string>() == "bash";
    fmt::print("{}", is_bash ? bash_completion(page) : zsh_completion(page));
  });
  CLI::App* man = app.add_subcommand("man", "Print the man page of all commands");
  man->footer("Example: speclab man | man -l -");
  man->callback([&app] {
    fmt::print("{}", man_page(command_page(app, "speclab"), std::string("speclab ") + kVersion));
  });
}

}  // namespace speclab::experiments
