#include "experiments/drivers/generate/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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
