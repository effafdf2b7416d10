#pragma once
// Options and subcommands of a command, independent of the library that parses them.

#include <string>
#include <vector>

namespace speclab::experiments {

struct OptionPage {
  std::vector<std::string> names;      ///< with their hyphens; of a positional its name
  std::string value{};                 ///< "INT", "FLOAT", "TEXT"; empty of a flag
  std::vector<std::string> choices{};  ///< the values that there are; empty: any
  std::string range{};                 ///< of a number, in words; may be empty
  std::string default_value{};         ///< empty: none
  std::string description{};
  std::vector<std::string> needs{}, excludes{};  ///< other options
  bool is_positional = false;
  bool is_required = false;
  bool is_list = false;  ///< takes several values, or may be repeated

  bool is_flag() const { return value.empty(); }
  bool is_number() const { return value == "INT" || value == "UINT" || value == "FLOAT"; }
};

struct CommandPage {
  std::string name;  ///< the words that call it: "speclab models inspect"
  std::string description;
  std::string footer;  ///< examples, as they are laid out
  std::vector<OptionPage> options{};
  std::vector<CommandPage> subcommands{};

  /// The last word of the name.
  std::string word() const { return name.substr(name.rfind(' ') + 1); }
};

/// Functions that complete the commands, options and choices of the page, and files where a value
/// may be one. @param program  the page of the program itself
std::string bash_completion(const CommandPage& program);
std::string zsh_completion(const CommandPage& program);

}  // namespace speclab::experiments
