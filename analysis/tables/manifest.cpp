#include "analysis/tables/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "sim/system/toml_depth.h"
#include "sim/system/utf8.h"

namespace speclab::analysis {
namespace {

constexpr double kMostNats = 1e3;  ///< of a held-out loss

constexpr std::array<std::string_view, 5> kOfARun{"kernels", "dtype", "config_sha256",
                                                  "prompts_sha256", "seed"};

toml::table parse(const std::string& path, const std::string& text) {
  if (const std::size_t line = too_deep_toml_line(text); line > 0)
    throw DataError(path + ":" + std::to_string(line) + ": a dotted key of too many parts");
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw DataError(path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                    std::string(error.description()));
  }
}

[[noreturn]] void throw_missing(const std::string& path, const std::string& key) {
  throw DataError(path + ": provenance." + key +
                  " is missing or empty; rows of unknown origin are not used, run the experiment "
                  "again (where an older revision did not note it, write \"" +
                  std::string(kNotRecorded) +
                  "\" and renew the line of manifest.toml in SHA256SUMS, if there is one)");
}

std::string text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  std::ostringstream stream;
  node.visit([&](const auto& concrete) { stream << concrete; });
  return stream.str();
}

/// Entries are shown on terminals.
void expect_printable(const std::string& path, std::string_view key, std::string_view text) {
  if (!is_printable(key) || !is_printable(text))
    throw DataError(
        fmt::format("{}: provenance.{} = '{}'; allowed: UTF-8 without control characters", path,
                    escaped(key), escaped(text)));
}

/// A field of a [[provenance.models]] table, which must be there.
std::string model_text(const std::string& path, const toml::table& model, std::string_view key) {
  const auto text = model[key].value<std::string>();
  if (!text || text->empty()) throw_missing(path, "models." + std::string(key));
  expect_printable(path, "models." + std::string(key), *text);
  return *text;
}

template <typename Enum>
Enum choice(const std::string& path, const std::string& text,
            std::initializer_list<std::pair<const char*, Enum>> allowed) {
  std::vector<const char*> names;
  for (const auto& [name, value] : allowed) {
    if (text == name) return value;
    names.push_back(name);
  }
  throw DataError(fmt::format("{}: provenance.models: '{}'; allowed: {}", path, escaped(text),
                              fmt::join(names, ", ")));
}

/// A number of a [[provenance.models]] table, which must be there. @param most  of what is allowed
double model_number(const std::string& path, const toml::table& model, std::string_view key,
                    double most) {
  const auto node = model[key];
  if (!node) throw_missing(path, "models." + std::string(key));
  const auto number = node.value<double>();
  if (number && *number >= 0 && *number <= most) return *number;
  throw DataError(fmt::format(
      "{}: provenance.models.{} = {}; allowed: a number from 0 to {}, the value that the run wrote",
      path, key, escaped(text_of(*node.node())), most));
}

std::int64_t training_tokens(const std::string& path, const toml::table& model) {
  const toml::node& node = *model.get("training_tokens");
  const auto tokens = node.value_exact<std::int64_t>();
  if (tokens && *tokens >= 1) return *tokens;
  throw DataError(
      fmt::format("{}: provenance.models.training_tokens = {}; allowed: integers >= 1, the value "
                  "that the run wrote",
                  path, escaped(text_of(node))));
}

std::optional<TrainingRecord> read_training(const std::string& path, const toml::table& model) {
  if (!model.contains("training_tokens")) return std::nullopt;
  return TrainingRecord{.tokens = training_tokens(path, model),
                        .held_out_loss = model_number(path, model, "held_out_loss", kMostNats),
                        .held_out_agreement = model_number(path, model, "held_out_agreement", 1),
                        .held_out_acceptance = model_number(path, model, "held_out_acceptance", 1)};
}

ModelProvenance read_model(const std::string& path, const toml::table& table) {
  ModelProvenance model;
  model.name = model_text(path, table, "name");
  model.sha256 = model_text(path, table, "sha256");
  if (table.contains("model_config_sha256"))
    model.config_sha256 = model_text(path, table, "model_config_sha256");
  if (table.contains("version")) model.version = model_text(path, table, "version");
  model.role = choice<ModelRole>(path, model_text(path, table, "role"),
                                 {{"target", ModelRole::target}, {"drafter", ModelRole::drafter}});
  model.weights = choice<Weights>(
      path, model_text(path, table, "weights"),
      {{"trained", Weights::trained}, {"random", Weights::random}, {"widened", Weights::widened}});
  const auto parameters = table["parameters"].value<std::int64_t>();
  if (!parameters || *parameters < 1) throw_missing(path, "models.parameters");
  model.parameters = *parameters;
  model.training = read_training(path, table);
  return model;
}

/// The tables of [[provenance.KEY]]; none where it is not there.
template <typename Entry>
std::vector<Entry> read_tables(const std::string& path, const toml::table& provenance,
                               std::string_view key,
                               Entry (*read)(const std::string&, const toml::table&)) {
  const toml::node* node = provenance.get(key);
  if (node == nullptr) return {};
  if (!node->is_array_of_tables())
    throw DataError(
        fmt::format("{}: provenance.{}: allowed: tables, as in [[provenance.{}]]", path, key, key));
  std::vector<Entry> entries;
  for (const auto& entry : *node->as_array()) entries.push_back(read(path, *entry.as_table()));
  return entries;
}

std::vector<ModelProvenance> read_models(const std::string& path, const toml::table& provenance) {
  std::vector<ModelProvenance> models =
      read_tables<ModelProvenance>(path, provenance, "models", read_model);
  const auto is_target = [](const ModelProvenance& model) {
    return model.role == ModelRole::target;
  };
  if (std::ranges::none_of(models, is_target)) throw_missing(path, "models (of role target)");
  return models;
}

/// A count of a [[provenance.sections]] table, which must be there.
std::int64_t section_count(const std::string& path, const toml::table& section,
                           std::string_view key) {
  const auto count = section[key].value_exact<std::int64_t>();
  if (!count || *count < 0)
    throw DataError(path + ": provenance.sections." + std::string(key) +
                    ": allowed: integers >= 0");
  return *count;
}

SectionProvenance read_section(const std::string& path, const toml::table& table) {
  SectionProvenance section{.number = section_count(path, table, "section"),
                            .generations = section_count(path, table, "generations"),
                            .started_at = table["started_at"].value_or(std::string()),
                            .differs = {}};
  if (const auto* list = table["differs"].as_array())
    for (const auto& line : *list) section.differs.push_back(text_of(line));
  return section;
}

void expect_type(const std::string& path, std::string_view key, const toml::node& node) {
  const bool is_number = key == "threads" || key == "seed";
  if (node.is_string() && (!is_number || text_of(node) == kNotRecorded)) return;
  expect_printable(path, key, text_of(node));
  if (!is_number || !node.is_integer())
    throw DataError(fmt::format("{}: provenance.{} = {}; allowed: {}, the value that the run wrote",
                                path, key, escaped(text_of(node), 200),
                                is_number ? "an integer" : "a text"));
}

void expect_required(const std::string& path, const toml::table& provenance) {
  const auto expect = [&](std::string_view key) {
    const auto* node = provenance.get(key);
    if (node == nullptr || text_of(*node).empty()) throw_missing(path, std::string(key));
    expect_type(path, key, *node);
  };
  std::ranges::for_each(kProgramAndMachine, expect);
  std::ranges::for_each(kOfARun, expect);
}

/// Adds the keys of a table, those of tables in it too, under "PREFIX.KEY".
void add_keys(const toml::table& table, const std::string& prefix,
              std::vector<std::pair<std::string, std::string>>& keys) {
  for (const auto& [key, node] : table) {
    const std::string name =
        prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const auto* inner = node.as_table())
      add_keys(*inner, name, keys);
    else
      keys.emplace_back(name, text_of(node));
  }
}

/// The digest is that of the config, which stands before [provenance].
void expect_unchanged_config(const std::string& path, const std::string& text,
                             const std::string& digest) {
  if (text.starts_with("\xEF\xBB\xBF") || text.find('\r') != std::string::npos)
    throw DataError(path +
                    ": has a byte-order mark or carriage returns, which speclab does not write; "
                    "turn them back (dos2unix -r)");
  if (sha256_text(text.substr(0, text.find("\n[provenance]\n"))) != digest)
    throw DataError(path +
                    ": the config is not the one whose config_sha256 stands below it; rows would "
                    "be shown under settings they were not made with: put the file back as it was");
}

/// A key of [experiment] as the run wrote it. @param least  allowed
std::optional<std::int64_t> read_repetitions(const std::string& path, const toml::table& root,
                                             std::string_view key, std::int64_t least) {
  constexpr std::int64_t kMost = 10'000;
  const toml::node* node = root["experiment"][key].node();
  if (!node) return std::nullopt;
  const std::int64_t repetitions = node->value_exact<std::int64_t>().value_or(-1);
  const char* quote = node->is_string() ? "\"" : "";
  if (repetitions < least || repetitions > kMost)
    throw DataError(fmt::format(
        "{}: experiment.{} = {}{}{}; allowed: integers from {} to {}, the value that the run wrote",
        path, key, quote, escaped(text_of(*node)), quote, least, kMost));
  return repetitions;
}

}  // namespace

const ModelProvenance& Manifest::target(const std::string& model_name) const {
  for (const auto& model : models) {
    if (model.role == ModelRole::target && model.name == model_name) return model;
  }
  throw DataError("manifest.toml: no [[provenance.models]] of role target is named '" +
                  escaped(model_name) + "', but rows are");
}

std::string Manifest::provenance(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &std::pair<std::string, std::string>::first);
  return found == entries.end() ? "" : found->second;
}

std::string Manifest::missing(std::size_t measured, std::string_view what) const {
  const auto planned =
      static_cast<std::size_t>(planned_generations.value_or(static_cast<std::int64_t>(measured)));
  return measured >= planned
             ? ""
             : fmt::format(
                   "{} of {} {} were measured; the same speclab run goes on where it stopped",
                   measured, planned, what);
}

Manifest read_manifest(const std::string& path) {
  const std::string text = read_file(path);
  const toml::table root = parse(path, text);
  const auto* provenance = root["provenance"].as_table();
  if (provenance == nullptr) throw_missing(path, "*");
  expect_required(path, *provenance);
  expect_unchanged_config(path, text, text_of(*provenance->get("config_sha256")));
  const auto seed = (*provenance)["seed"].value<std::int64_t>();
  if (!seed || *seed < 0) throw DataError(path + ": provenance.seed: allowed: integers >= 0");
  Manifest manifest;
  manifest.name = root["experiment"]["name"].value_or(std::string("run"));
  manifest.kind = root["experiment"]["kind"].value_or(std::string("decoding"));
  manifest.question = (*provenance)["question"].value_or(std::string());
  manifest.seed = static_cast<std::uint64_t>(*seed);
  manifest.repetitions = read_repetitions(path, root, "repetitions", 1);
  manifest.plain_repetitions =
      read_repetitions(path, root, "plain_repetitions", manifest.repetitions.value_or(1));
  manifest.planned_generations = (*provenance)["planned_generations"].value_exact<std::int64_t>();
  if (provenance->contains("planned_generations") && manifest.planned_generations.value_or(-1) < 0)
    throw DataError(path + ": provenance.planned_generations: allowed: integers >= 0");
  manifest.models = read_models(path, *provenance);
  manifest.sections = read_tables<SectionProvenance>(path, *provenance, "sections", read_section);
  add_keys(root, "", manifest.config);
  std::erase_if(manifest.config,
                [](const auto& entry) { return entry.first.starts_with("provenance."); });
  for (const auto& [key, node] : *provenance) {
    if (key != "question" && key != "models" && key != "sections")
      manifest.entries.emplace_back(key.str(), text_of(node));
  }
  for (const auto& [key, entry] : manifest.entries) expect_printable(path, key, entry);
  return manifest;
}

}  // namespace speclab::analysis
