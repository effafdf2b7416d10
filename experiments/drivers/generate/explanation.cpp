#include "experiments/drivers/generate/call_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Keys that decide in the mode, even at their defaults.
std::vector<std::string> deciding_keys(const ReadGeneration& read) {
  std::vector<std::string> keys{"do_sample", "num_beams", "max_length", "max_new_tokens"};
  const auto add = [&](bool decide, std::initializer_list<const char*> more) {
    if (decide) keys.insert(keys.end(), more.begin(), more.end());
  };
  add(read.config.values().search.do_sample, {"temperature", "top_k", "top_p"});
  add(read.mode.keeps_beams(), {"early_stopping", "length_penalty", "num_return_sequences"});
  for (const char* key : read.mode.traits().decided_by) add(key != nullptr, {key});
  return keys;
}

/// Calls visit(key, value, origin) for each key that is shown, in the order of the table.
void visit_shown(const ReadGeneration& read, auto visit) {
  const GenerationConfig& config = read.config;
  const std::vector<std::string> deciding = deciding_keys(read);
  for (const GenerationKey& key : generation_keys()) {
    const bool decides = std::ranges::find(deciding, key.name) != deciding.end();
    if (!config.value(key.name).is_null() && (decides || config.is_given(key.name)))
      visit(key.name, config.value(key.name), config.origin(key.name));
  }
}

bool is_drafted(const ExplainedCall& call) { return call.plan && call.plan->mode.drafted; }

std::string drafter_text(const GenerationPlan& plan) {
  const engines::DrafterOptions& drafter = plan.decoding.drafter;
  return fmt::format("drafter {}{}, tree {}, policy {}\n", escaped(drafter.kind, 40),
                     drafter.model.empty() ? "" : " of " + escaped(drafter.model, 100),
                     escaped(drafter.tree, 100), escaped(plan.policy, 40));
}

}  // namespace

std::vector<std::string> all_notes(const ReadGeneration& read) {
  std::vector<std::string> notes = read.config.notes();
  notes.insert(notes.end(), read.mode.notes.begin(), read.mode.notes.end());
  return notes;
}

KeyValue explanation_json(const ReadGeneration& read) {
  KeyValue values = KeyValue::object();
  visit_shown(read, [&](const char* key, const KeyValue& value, const std::string& origin) {
    values[key] = {{"value", value}, {"origin", origin}};
  });
  return {{"mode", read.mode.name()},
          {"why", read.mode.why},
          {"drafted", read.mode.drafted},
          {"values", std::move(values)},
          {"notes", all_notes(read)}};
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

std::string explanation_text(const ReadGeneration& read, const ExplainedCall& call) {
  const GenerationMode& mode = read.mode;
  const bool is_drafted_search = mode.drafted && mode.searches();
  std::string text =
      fmt::format("{}{}\n{}\n", mode.name(), is_drafted_search ? " (drafted)" : "", mode.why);
  if (is_drafted(call)) text += drafter_text(*call.plan);
  text += '\n';
  visit_shown(read, [&](const char* key, const KeyValue& value, const std::string& origin) {
    text += fmt::format("{:<32} {:<16} {}\n", key, shown(value, 200), origin);
  });
  for (const std::string& note : all_notes(read)) text += "note: " + note + "\n";
  if (!call.refusal.empty()) text += "a call that generates is refused: " + call.refusal + "\n";
  return text;
}

}  // namespace speclab::experiments
