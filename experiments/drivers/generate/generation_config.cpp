#include "experiments/drivers/generate/generation_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/generate/generate_options.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr const char* kTransformers = "transformers 4.49";
constexpr const char* kSpeclab = "speclab";
constexpr const char* kByTemperature = ", by temperature";  ///< origin of do_sample
constexpr std::array kModeChoosers{"num_beams", "num_beam_groups", "penalty_alpha",
                                   "force_words_ids", "do_sample"};

KeyGroup group_of(const std::string& key) { return find_generation_key(key)->group; }

bool decides_decoding(const std::string& key) {
  return group_of(key) == KeyGroup::mode || group_of(key) == KeyGroup::decoding;
}

/// The first decoding option of the command line or the file; empty if there is none.
std::string first_decoding_option(const GenerationSources& sources) {
  for (const auto& [name, value] : sources.command_line.values.items())
    if (decides_decoding(name)) return find_generation_key(name)->option();
  return sources.file ? "--generation-config" : "";
}

bool has_mode_chooser(const GivenValues& given) {
  return std::ranges::any_of(kModeChoosers,
                             [&](const char* key) { return given.values.contains(key); });
}

}  // namespace

GenerationSources read_generation_sources(const GenerationOptions& options,
                                          const std::string& model) {
  GenerationSources sources;
  for (const auto& [name, text] : options.given) {
    const GenerationKey* key = find_generation_key(name);
    if (key == nullptr)
      throw ConfigError(fmt::format("{} is no key of transformers 4.49{}", escaped(name, 60),
                                    nearest_key_hint(name)));
    add_given_value(sources.command_line, *key, command_line_value(*key, text));
  }
  if (options.config_file) sources.file = read_generation_file(*options.config_file);
  sources.folder = read_folder_generation_file(model);
  return sources;
}

bool changes_texts(const GivenValues& folder) {
  for (const auto& [name, value] : folder.values.items())
    if (group_of(name) != KeyGroup::no_effect && group_of(name) != KeyGroup::special_token)
      return true;
  return false;
}

GenerationConfig::GenerationConfig(const GenerationSources& sources) {
  const bool folder_decides = first_decoding_option(sources).empty();
  GivenValues folder = sources.folder.value_or(GivenValues{});
  if (!folder_decides) folder.values.erase("do_sample");
  const bool is_mode_chosen =
      sources.file || has_mode_chooser(sources.command_line) || has_mode_chooser(folder);
  set_defaults(is_mode_chosen ? AbsentKeys::as_transformers : AbsentKeys::as_speclab);
  set_given(folder);
  if (sources.file) set_given(*sources.file);
  set_given(sources.command_line);
  decide_sampling(sources);
  decide_length();
  for (const GenerationKey& key : generation_keys())
    if (key.put && !value(key.name).is_null()) key.put(value(key.name), values_);
  for (const auto& [name, value] : folder.values.items())
    entries_.at(name).hides_folder = entries_.at(name).value != value;
  note_folder(sources, folder_decides);
}

void GenerationConfig::set_defaults(AbsentKeys absent) {
  const bool as_transformers = absent == AbsentKeys::as_transformers;
  const char* origin = as_transformers ? kTransformers : kSpeclab;
  for (const GenerationKey& key : generation_keys())
    entries_[key.name] = {key.default_value(), origin};
  entries_["max_length"] = {nullptr, kSpeclab};
  entries_["max_new_tokens"] = {engines::StopOptions{}.max_new_tokens, kSpeclab};
  if (as_transformers) return;
  entries_["do_sample"].value = true;
  entries_["top_k"].value = 0;
}

void GenerationConfig::set_given(const GivenValues& given) {
  for (const auto& [name, value] : given.values.items())
    entries_[name] = {value, given.origin, true};
}

/// A temperature of the command line says whether tokens are drawn; 0 says it everywhere.
void GenerationConfig::decide_sampling(const GenerationSources& sources) {
  Entry& do_sample = entries_["do_sample"];
  const Entry& temperature = entries_["temperature"];
  if (temperature.value == 0) {
    if (do_sample.is_given && do_sample.value == true)
      notes_.push_back(
          fmt::format("temperature = 0 ({}) is greedy; do_sample = true ({}) has no "
                      "effect",
                      temperature.origin, do_sample.origin));
    do_sample = {false, temperature.origin + kByTemperature, temperature.is_given};
    return;
  }
  if (!sources.command_line.values.contains("temperature")) return;
  if (sources.command_line.values.value("do_sample", true) == false)
    throw ConfigError(
        fmt::format("command line: --temperature {} draws tokens and --do-sample false does not; "
                    "allowed: one of them, or --temperature 0",
                    temperature.value.dump()));
  do_sample = {true, std::string(kCommandLine) + kByTemperature, true};
}

/// max_new_tokens counts if both are given, as in transformers 4.49.
void GenerationConfig::decide_length() {
  const bool has_length = is_given("max_length"), has_new_tokens = is_given("max_new_tokens");
  if (has_length && !has_new_tokens)
    entries_["max_new_tokens"] = {nullptr, entries_["max_length"].origin};
  if (has_length && has_new_tokens)
    notes_.push_back(
        fmt::format("max_new_tokens = {} ({}) counts; max_length = {} ({}) has no "
                    "effect",
                    value("max_new_tokens").dump(), origin("max_new_tokens"),
                    value("max_length").dump(), origin("max_length")));
}

void GenerationConfig::note_folder(const GenerationSources& sources, bool folder_decides) {
  if (!sources.folder) return;
  notes_.insert(notes_.end(), sources.folder->notes.begin(), sources.folder->notes.end());
  if (!sources.folder->values.contains("do_sample")) return;
  const std::string found = fmt::format("{}: do_sample = {}", sources.folder->origin,
                                        sources.folder->values["do_sample"].dump());
  notes_.push_back(folder_decides ? found + " applies, because no decoding option is given"
                                  : fmt::format("{} does not apply, because {} is given", found,
                                                first_decoding_option(sources)));
}

bool GenerationConfig::is_given_by_user(const std::string& key) const {
  return is_given(key) && origin(key) != kFolderOrigin;
}

bool GenerationConfig::differs_from_transformers(const std::string& key) const {
  return value(key) != find_generation_key(key)->default_value();
}

std::string named_value(const GenerationConfig& config, const std::string& key) {
  return fmt::format("{} = {} ({})", key, shown(config.value(key)), config.origin(key));
}

void refuse_values(const GenerationConfig& config, const std::vector<std::string>& keys,
                   const std::string& allowed) {
  std::vector<std::string> named;
  for (const std::string& key : keys) named.push_back(named_value(config, key));
  throw ConfigError(fmt::format("{}; allowed: {}", fmt::join(named, ", "), allowed));
}

KeyValue saved_values(const GenerationConfig& config) {
  KeyValue values = KeyValue::object();
  for (const GenerationKey& key : generation_keys()) {
    const KeyValue& value = config.value(key.name);
    // The folder's ends belong to its tokenizer.
    const bool is_of_folder =
        key.group == KeyGroup::special_token && !config.is_given_by_user(key.name);
    if (value.is_null() || is_of_folder) continue;
    // Without max_length speclab takes another length than transformers.
    if (config.differs_from_transformers(key.name) || config.hides_folder(key.name) ||
        key.name == std::string("max_length"))
      values[key.name] = value;
  }
  return values;
}

void save_generation_config(const GenerationConfig& config, const std::string& path) {
  std::error_code none;
  const bool is_there = std::filesystem::exists(path, none);
  if (path.empty() || (is_there && !std::filesystem::is_regular_file(path, none)))
    throw ConfigError(
        fmt::format("--save-generation-config {}: no regular file; allowed: a regular file, which "
                    "is replaced, or a new name",
                    escaped(path, kLongestPath)));
  // A link stays, and the file that it names is written.
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, none);
  write_file(target.empty() ? path : target.string(),
             saved_values(config).dump(2, ' ', false, KeyValue::error_handler_t::replace) + "\n");
}

engines::SamplingOptions sampling_of(const GenerationConfig& config) {
  engines::SamplingOptions sampling = config.values().sampling;
  if (!config.values().search.do_sample) {
    const engines::SamplingOptions off{.temperature = 0};
    sampling.temperature = off.temperature;
    engines::for_each_sampling_row([&](const auto& row) {
      if (row.is_cutoff) sampling.*row.member = off.*row.member;
    });
  }
  if (config.is_given_by_user("eos_token_id"))
    sampling.eos_token_ids = config.values().eos_token_ids;
  return sampling;
}

engines::StopOptions stop_of(const GenerationConfig& config, engines::StopOptions stop) {
  const GenerationValues& values = config.values();
  stop.max_new_tokens = values.max_new_tokens.value_or(stop.max_new_tokens);
  stop.max_seconds = values.stop.max_seconds;
  stop.stop_strings = values.stop.stop_strings;
  // The tokenizer reads a folder's ends itself.
  if (config.is_given_by_user("eos_token_id")) stop.eos_token_ids = values.eos_token_ids;
  return stop;
}

}  // namespace speclab::experiments
