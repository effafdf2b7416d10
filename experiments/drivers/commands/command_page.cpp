#include "experiments/drivers/commands/command_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace speclab::experiments {
namespace {

/// The page and all below it.
std::vector<CommandPage> all_pages(const CommandPage& page) {
  std::vector<CommandPage> pages{page};
  for (const CommandPage& subcommand : page.subcommands)
    for (const CommandPage& below : all_pages(subcommand)) pages.push_back(below);
  return pages;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

/// Everything that may stand in the command's place: options, subcommands, choices of positionals.
std::vector<std::string> words_of(const CommandPage& page) {
  std::vector<std::string> words;
  for (const OptionPage& option : page.options) {
    const auto& own = option.is_positional ? option.choices : option.names;
    words.insert(words.end(), own.begin(), own.end());
  }
  for (const CommandPage& subcommand : page.subcommands) words.push_back(subcommand.word());
  return words;
}

/// "'speclab run --set'|'speclab run --output'" of the options that hold.
template <typename Predicate>
std::string bash_patterns(const std::vector<CommandPage>& pages, const Predicate& holds) {
  std::vector<std::string> patterns;
  for (const CommandPage& page : pages)
    for (const OptionPage& option : page.options)
      if (!option.is_positional && !option.is_flag() && holds(option))
        for (const std::string& name : option.names)
          patterns.push_back(fmt::format("'{} {}'", page.name, name));
  return joined(patterns, "|");
}

std::string bash_choices(const std::vector<CommandPage>& pages) {
  std::string lines;
  for (const CommandPage& page : pages)
    for (const OptionPage& option : page.options)
      if (!option.is_positional && !option.choices.empty())
        for (const std::string& name : option.names)
          lines += fmt::format("    '{} {}') words='{}' ;;\n", page.name, name,
                               joined(option.choices, " "));
  return lines;
}

std::string bash_words(const std::vector<CommandPage>& pages) {
  std::string lines;
  for (const CommandPage& page : pages)
    lines += fmt::format("      '{}') words='{}' ;;\n", page.name, joined(words_of(page), " "));
  return lines;
}

/// A command that has subcommands or choices only takes no files.
std::string bash_commands_with_files(const std::vector<CommandPage>& pages) {
  std::vector<std::string> names;
  for (const CommandPage& page : pages)
    if (std::ranges::any_of(page.options, [](const OptionPage& option) {
          return option.is_positional && option.choices.empty();
        }))
      names.push_back(fmt::format("'{}'", page.name));
  return joined(names, "|");
}

std::string bash_commands(const std::vector<CommandPage>& pages) {
  std::vector<std::string> names;
  for (const CommandPage& page : pages) names.push_back(fmt::format("'{}'", page.name));
  names.erase(names.begin());
  return joined(names, "|");
}

/// Within single quotes of a specification, where zsh reads brackets, colons and backslashes.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
      continue;
    }
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

/// The zsh action that completes a value.
std::string zsh_action(const OptionPage& option) {
  if (!option.choices.empty()) return fmt::format("({})", joined(option.choices, " "));
  return option.is_number() ? " " : "_files";
}

std::string zsh_option(const OptionPage& option, const std::string& name) {
  const std::string text = zsh_text(option.description);
  if (option.is_flag()) return fmt::format("'{}[{}]'", name, text);
  return fmt::format("'{}{}{}[{}]:{}:{}'", option.is_list ? "*" : "", name,
                     name.starts_with("--") ? "=" : "", text, option.value, zsh_action(option));
}

std::string zsh_arguments(const CommandPage& page) {
  std::string lines;
  for (const OptionPage& option : page.options)
    for (const std::string& name : option.names)
      lines += "        " +
               (option.is_positional
                    ? fmt::format("'{}:{}:{}'", option.is_list ? "*" : "", name, zsh_action(option))
                    : zsh_option(option, name)) +
               " \\\n";
  if (!page.subcommands.empty()) {
    std::vector<std::string> words;
    for (const CommandPage& subcommand : page.subcommands) words.push_back(subcommand.word());
    lines += fmt::format("        '1::command:({})' '*:file:_files' \\\n", joined(words, " "));
  }
  return lines.substr(0, lines.size() - 3) + "\n";
}

std::string zsh_root_options(const CommandPage& program) {
  std::string lines;
  for (const OptionPage& option : program.options)
    for (const std::string& name : option.names)
      lines += "    " + zsh_option(option, name) + " \\\n";
  return lines;
}

}  // namespace

std::string bash_completion(const CommandPage& program) {
  const std::vector<CommandPage> pages = all_pages(program);
  const auto is_number = [](const OptionPage& o) { return o.choices.empty() && o.is_number(); };
  const auto is_text = [](const OptionPage& o) { return o.choices.empty() && !o.is_number(); };
  return fmt::format(R"(# Completion of speclab for bash, printed by speclab completion bash.
_speclab() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=speclab word words= files=
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command $word" in
      {}) command="$command $word" ;;
    esac
  done
  case "$command $prev" in
{}    {}) files=yes ;;
    {}) ;;
    *) case $command in
{}      esac
      case $command in
        {}) [[ $cur == -* ]] || {{ files=yes; words=; }} ;;
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ $files != yes ]] || {{
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$cur")
  }}
}}
complete -F _speclab speclab
)",
                     bash_commands(pages), bash_choices(pages), bash_patterns(pages, is_text),
                     bash_patterns(pages, is_number), bash_words(pages),
                     bash_commands_with_files(pages));
}

std::string zsh_completion(const CommandPage& program) {
  std::string commands, cases;
  for (const CommandPage& page : program.subcommands) {
    commands += fmt::format("        '{}:{}'\n", page.word(), zsh_text(page.description));
    cases +=
        fmt::format("      {}) _arguments \\\n{}        ;;\n", page.word(), zsh_arguments(page));
  }
  return fmt::format(R"(#compdef speclab
# Completion of speclab for zsh, printed by speclab completion zsh.
_speclab() {{
  local state line
  typeset -A opt_args
  _arguments -C \
{}    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
{}      )
      _describe command commands ;;
    argument) case $line[1] in
{}    esac ;;
  esac
}}
_speclab "$@"
)",
                     zsh_root_options(program), commands, cases);
}

}  // namespace speclab::experiments
