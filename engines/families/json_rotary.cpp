#include "engines/families/json_rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace speclab::engines {
namespace {

using Kind = RotaryScaling::Kind;
using Tables = std::vector<JsonNode>;

constexpr const char *kFull = "full_attention", *kSliding = "sliding_attention";
/// The names of base and part beside the tables, in all families.
constexpr std::array kThetaNames = {"rope_theta", "rotary_emb_base"};
constexpr std::array kPartNames = {"partial_rotary_factor", "rotary_pct", "rope_pct"};

/// The object `key`; nothing where it is missing or empty.
std::optional<JsonNode> table_at(const JsonNode& config, const char* key) {
  const auto table = config.find(key);
  return table && table->keys().empty() ? std::nullopt : table;
}

/// rope_parameters of a family whose layers with a window have another table.
JsonNode global_table(const JsonNode& parameters) {
  for (const std::string& key : parameters.keys())
    if (key != kFull && key != kSliding)
      parameters.at(key).fail(parameters.at(key).shown(), "full_attention and sliding_attention");
  parameters.at(kSliding);
  return parameters.at(kFull);
}

/// The tables that speak of layers without a window.
Tables tables_of(const JsonNode& config, const RotaryRule& rule) {
  Tables tables;
  if (const auto scaling = table_at(config, "rope_scaling")) tables.push_back(*scaling);
  if (const auto parameters = table_at(config, "rope_parameters"))
    tables.push_back(rule.window_theta > 0 ? global_table(*parameters) : *parameters);
  return tables;
}

/// The place of a number: in a table, or beside the tables under the family's name for it.
std::optional<JsonNode> place_of(const JsonNode& config, const Tables& tables, const char* key,
                                 const char* name) {
  for (const JsonNode& table : tables)
    if (const auto found = table.find(key)) return found;
  return config.find(name);
}

void require_number(const JsonNode& holder, const char* key, double number) {
  const auto found = holder.find(key);
  if (found && found->as_number() != number)
    found->fail(found->shown(), fmt::format("{}, as the rest of the file has it", number));
}

/// Every other place and name of a number must repeat it.
template <std::size_t N>
void require_everywhere(const JsonNode& config, const Tables& tables, const char* key,
                        const std::array<const char*, N>& names, double number) {
  for (const JsonNode& table : tables) require_number(table, key, number);
  for (const char* name : names) require_number(config, name, number);
}

void read_theta(const JsonNode& config, const Tables& tables, const RotaryRule& rule,
                DecoderShape& shape) {
  const auto said = place_of(config, tables, "rope_theta", rule.theta_key);
  const double theta = said ? said->as_number() : rule.theta;
  require_everywhere(config, tables, "rope_theta", kThetaNames, theta);
  shape.rope_theta = static_cast<float>(theta);
}

void require_part(const JsonNode& said, bool turns_part) {
  const double part = said.as_number();
  if (!turns_part && part != 1) said.fail(said.shown(), "1, as whole heads turn in this family");
  if (!(part > 0) || !(part <= 1)) said.fail(said.shown(), "a number above 0, at most 1");
}

void read_part(const JsonNode& config, const Tables& tables, const RotaryRule& rule,
               DecoderShape& shape) {
  const auto said = place_of(config, tables, "partial_rotary_factor", rule.part_key);
  if (said) require_part(*said, rule.turns_part);
  const double part = said ? said->as_number() : rule.part;
  require_everywhere(config, tables, "partial_rotary_factor", kPartNames, part);
  if (part == 1) return;
  shape.rotary_part = static_cast<std::int32_t>(shape.head_dim * part);
  if (shape.rotary_part < 2)
    said.value_or(config).fail(fmt::format("{} of a head's values turn", shape.rotary_part),
                               fmt::format("2 or more of the {} values of a head", shape.head_dim));
}

void read_scaling(const JsonNode& config, const Tables& tables, DecoderShape& shape) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const RotaryScaling scaling = read_json_scaling(tables[i], config, shape);
    if (i > 0 && scaling != shape.rotary_scaling)
      tables[i].fail("another scaling than in rope_scaling", "the same in both");
    shape.rotary_scaling = scaling;
  }
}

/// max_position_embeddings is the trained context where scaling is dynamic, and often with yarn.
/// Longrope's far numbers are not used, so that its context ends with the original one.
void stretch_context(DecoderShape& shape) {
  const RotaryScaling& scaling = shape.rotary_scaling;
  if (scaling.kind == Kind::longrope)
    shape.context_length = std::min(shape.context_length, scaling.original_context);
  if (scaling.kind != Kind::dynamic && scaling.kind != Kind::yarn) return;
  const double stretched = scaling.factor * scaling.original_context;
  shape.context_length = std::max(shape.context_length,
                                  static_cast<std::int32_t>(std::min(stretched, double{1 << 24})));
}

/// Whole heads turn, and by positions as they are.
void require_plain(const JsonNode& table, const JsonNode& config, const DecoderShape& shape) {
  if (read_json_scaling(table, config, shape).kind != Kind::none)
    table.fail("a scaling", "rope_type default: windows are not scaled");
  require_number(table, "partial_rotary_factor", 1);
}

/// The base of layers with a window, from their own table or from rope_local_base_freq.
void read_window_theta(const JsonNode& config, const RotaryRule& rule, DecoderShape& shape) {
  constexpr const char* kName = "rope_local_base_freq";
  Tables tables;
  if (const auto parameters = table_at(config, "rope_parameters"))
    tables.push_back(parameters->at(kSliding));
  for (const JsonNode& table : tables) require_plain(table, config, shape);
  const auto said = place_of(config, tables, "rope_theta", kName);
  const double theta = said ? said->as_number() : rule.window_theta;
  require_everywhere(config, tables, "rope_theta", std::array{kName}, theta);
  shape.window_rope_theta = static_cast<float>(theta);
}

}  // namespace

void read_json_rotary(const JsonNode& config, const RotaryRule& rule, DecoderShape& shape) {
  const Tables tables = tables_of(config, rule);
  read_theta(config, tables, rule, shape);
  read_part(config, tables, rule, shape);
  read_scaling(config, tables, shape);
  if (rule.window_theta > 0) read_window_theta(config, rule, shape);
  stretch_context(shape);
}

}  // namespace speclab::engines
