#include "experiments/drivers/generate/planned_generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/generate/call_checks.h"
#include "experiments/drivers/generate/generation_config.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

bool speaks_of_generation(const GenerationOptions& options, const GenerationSources& sources) {
  return options.config_file || options.save_file || options.explain || options.has_key_option ||
         (sources.folder && changes_texts(*sources.folder));
}

void print_explanation(const GenerateOptions& options, const ReadGeneration& read,
                       const ExplainedCall& call) {
  if (!options.common.json) return fmt::print("{}", explanation_text(read.config, read.mode, call));
  KeyValue json = explanation_json(read.config, read.mode);
  json.update(explained_call_json(call));
  fmt::print("{}\n", json.dump(-1, ' ', false, KeyValue::error_handler_t::replace));
}

void print_notes(const ReadGeneration& read) {
  for (const auto* notes : {&read.config.notes(), &read.mode.notes})
    for (const std::string& note : *notes) fmt::print(stderr, "speclab: {}\n", note);
}

/// --explain opens no model, so it would not notice a folder that is not there.
void check_folder(const std::string& model) {
  std::error_code none;
  if (model.find('/') != std::string::npos && !std::filesystem::exists(model, none))
    throw ConfigError(
        fmt::format("--model {}: nothing is there; allowed: a folder, a file, or a "
                    "name of speclab models",
                    escaped(model, 200)));
}

GenerationPlan plan_of(const GenerateOptions& options, const ReadGeneration& read) {
  return generation_plan(read.config, read.mode, options.generation,
                         {options.decoder, options.policy, options.common.seed});
}

ExplainedCall explained_call(const GenerateOptions& options, const ReadGeneration& read) {
  try {
    ExplainedCall call{.plan = plan_of(options, read)};
    check_call(options, &*call.plan);
    return call;
  } catch (const ConfigError& error) {
    return {.refusal = error.what()};
  }
}

/// Keys that decide in the mode, even at their defaults.
std::vector<std::string> deciding_keys(const GenerationConfig& config, const GenerationMode& mode) {
  std::vector<std::string> keys{"do_sample", "num_beams", "max_length", "max_new_tokens"};
  const auto add = [&](bool decide, std::initializer_list<const char*> more) {
    if (decide) keys.insert(keys.end(), more.begin(), more.end());
  };
  add(config.is_true("do_sample"), {"temperature", "top_k", "top_p"});
  add(mode.name == "contrastive_search", {"penalty_alpha", "top_k"});
  add(mode.keeps_beams(), {"early_stopping", "length_penalty", "num_return_sequences"});
  add(mode.name == "group_beam_search", {"num_beam_groups", "diversity_penalty"});
  return keys;
}

bool is_shown(const GenerationConfig& config, const GenerationKey& key,
              const std::vector<std::string>& deciding) {
  if (config.value(key.name).is_null()) return false;
  return config.is_given(key.name) || std::ranges::find(deciding, key.name) != deciding.end();
}

/// Calls visit(key, value, origin) for each key that is shown, in the order of the table.
void visit_shown(const GenerationConfig& config, const GenerationMode& mode, auto visit) {
  const std::vector<std::string> deciding = deciding_keys(config, mode);
  for (const GenerationKey& key : generation_keys())
    if (is_shown(config, key, deciding))
      visit(key.name, config.value(key.name), config.origin(key.name));
}

std::vector<std::string> all_notes(const GenerationConfig& config, const GenerationMode& mode) {
  std::vector<std::string> notes = config.notes();
  notes.insert(notes.end(), mode.notes.begin(), mode.notes.end());
  return notes;
}

bool is_drafted(const ExplainedCall& call) { return call.plan && call.plan->mode.drafted; }

std::string drafter_text(const GenerationPlan& plan) {
  const engines::DrafterOptions& drafter = plan.decoding.drafter;
  return fmt::format("drafter {}{}, tree {}, policy {}\n", escaped(drafter.kind, 40),
                     drafter.model.empty() ? "" : " of " + escaped(drafter.model, 100),
                     escaped(drafter.tree, 100), escaped(plan.policy, 40));
}

}  // namespace

std::optional<ReadGeneration> read_generation(const GenerateOptions& options) {
  if (options.generation.explain) check_folder(options.common.model.model);
  const GenerationSources sources =
      read_generation_sources(options.generation, options.common.model.model);
  if (!speaks_of_generation(options.generation, sources)) return std::nullopt;
  GenerationConfig config(sources);
  const Assistant assistant = assistant_of(config, options.generation, options.decoder.drafter);
  GenerationMode mode = generation_mode(config, assistant);
  return ReadGeneration{std::move(config), std::move(mode)};
}

std::optional<GenerationPlan> planned_generation(const GenerateOptions& options,
                                                 const ReadGeneration& read) {
  std::optional<GenerationPlan> plan;
  if (!options.generation.explain) {
    plan = plan_of(options, read);
    check_call(options, &*plan);
  }
  if (options.generation.save_file)
    save_generation_config(read.config, *options.generation.save_file);
  if (options.generation.explain)
    print_explanation(options, read, explained_call(options, read));
  else
    print_notes(read);
  return plan;
}

nlohmann::ordered_json generation_json(const ReadGeneration& read) {
  return explanation_json(read.config, read.mode);
}

GenerateOptions with_plan(const GenerateOptions& options, GenerationPlan& plan,
                          std::size_t prompt_length) {
  set_prompt_length(plan, prompt_length);
  GenerateOptions planned = options;
  planned.decoder = plan.decoding;
  if (plan.mode.searches() && !plan.decoding.do_sample)
    planned.decoder.sampling.temperature = 0;  // nothing is drawn
  planned.policy = plan.policy;
  return planned;
}

KeyValue explanation_json(const GenerationConfig& config, const GenerationMode& mode) {
  KeyValue values = KeyValue::object();
  visit_shown(config, mode, [&](const char* key, const KeyValue& value, const std::string& origin) {
    values[key] = {{"value", value}, {"origin", origin}};
  });
  return {{"mode", mode.name},
          {"why", mode.why},
          {"drafted", mode.drafted},
          {"values", std::move(values)},
          {"notes", all_notes(config, mode)}};
}

KeyValue explained_call_json(const ExplainedCall& call) {
  KeyValue json{{"drafter", nullptr}, {"refusal", nullptr}};
  if (is_drafted(call)) {
    const engines::DrafterOptions& drafter = call.plan->decoding.drafter;
    json["drafter"] = {{"kind", drafter.kind},
                       {"model", drafter.model},
                       {"tree", drafter.tree},
                       {"policy", call.plan->policy}};
  }
  if (!call.refusal.empty()) json["refusal"] = call.refusal;
  return json;
}

std::string explanation_text(const GenerationConfig& config, const GenerationMode& mode,
                             const ExplainedCall& call) {
  const bool is_drafted_search = mode.drafted && mode.searches();
  std::string text =
      fmt::format("{}{}\n{}\n", mode.name, is_drafted_search ? " (drafted)" : "", mode.why);
  if (is_drafted(call)) text += drafter_text(*call.plan);
  text += '\n';
  visit_shown(config, mode, [&](const char* key, const KeyValue& value, const std::string& origin) {
    text += fmt::format("{:<32} {:<16} {}\n", key, shown(value, 200), origin);
  });
  for (const std::string& note : all_notes(config, mode)) text += "note: " + note + "\n";
  if (!call.refusal.empty()) text += "a call that generates is refused: " + call.refusal + "\n";
  return text;
}

}  // namespace speclab::experiments
