#include "experiments/drivers/generate/generation_cli.h"

#include <fmt/format.h>

#include <array>

#include "experiments/drivers/generate/generation_keys.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

constexpr const char* kGroup = "GenerationConfig";
constexpr const char* kGroupWithoutEffect = "GenerationConfig, taken without effect or refused";

/// Notes each text of an option that another file has added.
void note_texts(CLI::Option* option, std::function<void(const std::string&)> note) {
  option->each(std::move(note));
}

/// Existing options whose value is one number.
void note_numbers(CLI::App* command, GenerationOptions& options, const GenerationKey& key) {
  note_texts(command->get_option(key.option()),
             [&options, &key](const std::string& text) { options.given[key.name] = text; });
}

/// An option with several values: each is appended to a JSON list.
void note_list(CLI::App* command, const char* option, GenerationOptions& options,
               const std::string& key) {
  const bool is_text = key == "stop_strings";
  note_texts(command->get_option(option), [&options, key, is_text](const std::string& text) {
    KeyValue list =
        options.given.contains(key) ? KeyValue::parse(options.given[key]) : KeyValue::array();
    list.push_back(is_text ? KeyValue(text) : parsed_or_discarded<KeyValue>(text));
    options.given[key] = list.dump(-1, ' ', true, KeyValue::error_handler_t::replace);
  });
}

void add_key_option(CLI::App* command, GenerationOptions& options, const GenerationKey& key) {
  const bool is_quiet = key.group == KeyGroup::no_effect || key.group == KeyGroup::refused;
  command
      ->add_option_function<std::string>(
          key.option(),
          [&options, &key](const std::string& text) {
            options.given[key.name] = text;
            options.has_key_option = true;
          },
          fmt::format("{}; allowed: {}", key.help, key.allowed))
      ->type_name("JSON")
      ->group(is_quiet ? kGroupWithoutEffect : kGroup);
}

void note_other_options(CLI::App* command, GenerationOptions& options) {
  note_list(command, "--suppress-tokens", options, "suppress_tokens");
  note_list(command, "--stop", options, "stop_strings");
  note_texts(command->get_option("--drafter"),
             [&options](const std::string&) { options.is_drafter_given = true; });
  for (const char* option : {"--policy", "--speculation-length"})
    note_texts(command->get_option(option),
               [&options](const std::string&) { options.is_policy_given = true; });
}

}  // namespace

void add_generation_options(CLI::App* command, GenerationOptions& options) {
  command
      ->add_option("--generation-config", options.config_file,
                   "JSON file with keys of transformers' GenerationConfig; options of the command "
                   "line win, and the model folder's generation_config.json comes last")
      ->group(kGroup);
  command
      ->add_option("--save-generation-config", options.save_file,
                   "Write the keys that differ from the defaults of transformers 4.49 to this file")
      ->group(kGroup);
  command
      ->add_flag(
          "--explain", options.explain,
          "Print the mode, why it is chosen, where each value comes from, the drafter, and the "
          "refusal that a call would meet; load no model")
      ->group(kGroup);
  for (const GenerationKey& key : generation_keys()) {
    if (key.form == KeyForm::tokens && command->get_option_no_throw(key.option())) continue;
    if (command->get_option_no_throw(key.option()))
      note_numbers(command, options, key);
    else
      add_key_option(command, options, key);
  }
  note_other_options(command, options);
  command->get_option("--stop")->excludes("--stop-strings");
}

}  // namespace speclab::experiments
