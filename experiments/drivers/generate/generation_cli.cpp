#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/generation_keys.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

constexpr const char* kGroup = "GenerationConfig";
constexpr const char* kGroupWithoutEffect = "GenerationConfig, taken without effect or refused";

/// An option with several values: each is appended to a JSON list.
void note_list(CLI::App* command, const char* option, GenerationOptions& options,
               const std::string& key) {
  const bool is_text = key == "stop_strings";
  command->get_option(option)->each([&options, key, is_text](const std::string& text) {
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
          fmt::format("{}; allowed: {}", key.help, key.form.allowed))
      ->type_name("JSON")
      ->group(is_quiet ? kGroupWithoutEffect : kGroup);
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
    if (key.name == std::string_view("suppress_tokens")) continue;
    if (CLI::Option* other = command->get_option_no_throw(key.option()))
      other->each([&options, &key](const std::string& text) { options.given[key.name] = text; });
    else
      add_key_option(command, options, key);
  }
  note_list(command, "--suppress-tokens", options, "suppress_tokens");
  note_list(command, "--stop", options, "stop_strings");
  command->get_option("--drafter")->each([&options](const std::string&) {
    options.is_drafter_given = true;
  });
  for (const char* option : {"--policy", "--speculation-length"})
    command->get_option(option)->each(
        [&options](const std::string&) { options.is_policy_given = true; });
  command->get_option("--stop")->excludes("--stop-strings");
}

}  // namespace speclab::experiments
