#include "analysis/gate/count_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "analysis/stats/groups.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

/// Tables and keys of a config that say what work is done. Warm-up follows from them; `rounds` is
/// the path of the caches.
constexpr std::array<std::string_view, 8> kWork = {"experiment.repetitions",
                                                   "experiment.plain_repetitions",
                                                   "experiment.places",
                                                   "target.rounds",
                                                   "target.chat_template",
                                                   "prompts.",
                                                   "sampling.",
                                                   "verification."};
constexpr std::array<std::string_view, 6> kOrigins = {"machine", "device",   "kernels",
                                                      "dtype",   "libtorch", "seed"};
/// Without these in words, beside its origins, a run cannot be held against another.
constexpr std::array<std::string_view, 7> kRecorded = {
    "revision", "flags", "blas", "governor", "driver", "threads", "prompts_sha256"};

bool is_of(std::string_view key, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return name.ends_with('.') ? key.starts_with(name) : key == name;
  });
}

void compare(const std::string& name, const std::string& base, const std::string& head,
             std::vector<std::string>& differences) {
  if (base != head)
    differences.push_back(fmt::format("{}: {}, {}", name, base.empty() ? "none" : escaped(base),
                                      head.empty() ? "none" : escaped(head)));
}

std::map<std::string, std::string> keys_of(const Keys& keys,
                                           std::span<const std::string_view> names) {
  std::map<std::string, std::string> chosen;
  for (const auto& [key, value] : keys)
    if (is_of(key, names)) chosen[key] = value;
  return chosen;
}

void compare_keys(std::map<std::string, std::string> base, std::map<std::string, std::string> head,
                  std::vector<std::string>& differences) {
  std::set<std::string> names;
  for (const auto& keys : {base, head})
    for (const auto& [name, value] : keys) names.insert(name);
  for (const std::string& name : names) compare(name, base[name], head[name], differences);
}

/// Older runs do not.
bool tells_config(const ModelProvenance& model) {
  return !model.config_sha256.empty() && model.config_sha256 != kNotRecorded;
}

/// By name: "SHA256", of the weights and, where both runs tell it of the model, of config.json.
std::map<std::string, std::string> models_of(const Manifest& manifest, ModelRole role,
                                             const Manifest& other) {
  std::map<std::string, std::string> models;
  for (const ModelProvenance& model : manifest.models) {
    if (model.role != role) continue;
    const bool both =
        tells_config(model) &&
        std::ranges::any_of(other.models, [&](const ModelProvenance& theirs) {
          return theirs.role == role && theirs.name == model.name && tells_config(theirs);
        });
    models[(role == ModelRole::target ? "target " : "drafter ") + model.name] =
        both ? fmt::format("{} with config.json {}", model.sha256, model.config_sha256)
             : model.sha256;
  }
  return models;
}

void check_recorded(const char* which, const Manifest& manifest,
                    std::vector<std::string>& differences) {
  const auto look = [&](std::string_view key) {
    if (const std::string text = manifest.provenance(key); text.empty() || text == kNotRecorded)
      differences.push_back(
          fmt::format("{}: its manifest does not say {}; measure it again", which, key));
  };
  std::ranges::for_each(kRecorded, look);
  std::ranges::for_each(kOrigins, look);
  const auto unlike = std::ranges::count_if(
      manifest.sections, [](const auto& section) { return !section.differs.empty(); });
  if (unlike > 0)
    differences.push_back(
        fmt::format("{}: {} of its {} sections are of another origin; measure it again", which,
                    unlike, manifest.sections.size()));
}

void check_whole(const char* which, const Run& run, std::vector<std::string>& differences) {
  const std::string missing = run.manifest.missing(run.num_measured(), "generations");
  if (!run.device.dropped.empty() || !run.device.fault.empty())
    differences.push_back(
        fmt::format("{}: {}; see device.csv and measure it again", which, device_note(run.device)));
  if (!run.failures.empty())
    differences.push_back(fmt::format("{}: generations failed, see failures.csv", which));
  else if (!missing.empty())
    differences.push_back(fmt::format("{}: {}", which, missing));
}

/// Rows whose text is fixed by model and prompt.
bool is_fixed(const Generation& g) { return g.axes.temperature == 0 && !g.forced_acceptance; }

void check_own_texts(const char* which, const Run& run, std::vector<std::string>& differences) {
  const Baseline baseline(run);
  std::size_t others = 0;
  for (const Generation& g : run.generations) {
    if (!is_fixed(g) || g.axes.is_plain()) continue;
    others += std::ranges::any_of(baseline.partners_of(g), [&](const Generation* plain) {
      return plain->output_hash != g.output_hash;
    });
  }
  if (others > 0)
    differences.push_back(
        fmt::format("{}: {} greedy outputs are not those of plain decoding", which, others));
}

std::string place_of(const Generation& g) {
  return fmt::format("cell '{}', prompt {}, repetition {}", escaped(g.cell_id),
                     escaped(g.prompt_id), g.repetition);
}

/// "12 rows differ in the prompt's tokens, first CELL: 3, 4".
class RowDifference {
 public:
  explicit RowDifference(const char* what) : what_(what) {}
  template <typename Value>
  void look(const RowPair& pair, const Value& base, const Value& head) {
    if (base != head && ++count_ == 1)
      first_ = fmt::format("{}: {}, {}", place_of(*pair.base), base, head);
  }
  void tell(std::vector<std::string>& differences) const {
    if (count_ > 0)
      differences.push_back(fmt::format("{} rows differ in {}, first {}", count_, what_, first_));
  }

 private:
  const char* what_;
  std::size_t count_ = 0;
  std::string first_;
};

/// What a cell's name says of the rows that bear it.
std::string axes_text(const Generation& g) {
  const Setting& a = g.axes;
  return escaped(fmt::format("{} {} {} {} {} {} {} {} {} {} {}", g.category, a.model, a.drafter,
                             a.tree, a.policy, a.verifier, a.temperature, a.top_k, a.top_p, a.min_p,
                             a.repetition_penalty),
                 300);
}

void compare_rows(const std::vector<RowPair>& pairs, bool fixed_length,
                  std::vector<std::string>& differences) {
  RowDifference cell("the settings of the cell of this name"), prompt("tokens of the prompt"),
      tokens("tokens emitted"), stop("why they stop"), text("text at temperature 0 (output_hash)");
  for (const RowPair& pair : pairs) {
    const Generation &base = *pair.base, &head = *pair.head;
    cell.look(pair, axes_text(base), axes_text(head));
    prompt.look(pair, base.prompt_tokens, head.prompt_tokens);
    if (fixed_length || is_fixed(base)) tokens.look(pair, base.output_tokens, head.output_tokens);
    if (!is_fixed(base)) continue;
    stop.look(pair, base.stop_reason, head.stop_reason);
    text.look(pair, base.output_hash, head.output_hash);
  }
  for (const RowDifference* difference : {&cell, &prompt, &tokens, &stop, &text})
    difference->tell(differences);
}

bool has_fixed_length(const Manifest& manifest) {
  return std::ranges::any_of(manifest.config, [](const auto& entry) {
    return entry.first == "prompts.ignore_eos" && entry.second == "true";
  });
}

}  // namespace

std::vector<RowPair> row_pairs(const Run& base, const Run& head) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, const Generation*> rows;
  for (const Generation& g : head.generations)
    rows.emplace(std::tuple(g.cell_id, g.prompt_id, g.repetition), &g);
  std::vector<RowPair> pairs;
  for (const Generation& g : base.generations)
    if (const auto found = rows.find({g.cell_id, g.prompt_id, g.repetition}); found != rows.end())
      pairs.push_back({&g, found->second});
  return pairs;
}

std::vector<std::string> config_differences(const Manifest& base, const Manifest& head) {
  std::vector<std::string> differences;
  check_recorded("base", base, differences);
  check_recorded("head", head, differences);
  compare("experiment.kind", base.kind, head.kind, differences);
  compare_keys(keys_of(base.config, kWork), keys_of(head.config, kWork), differences);
  compare("prompts_sha256", base.provenance("prompts_sha256"), head.provenance("prompts_sha256"),
          differences);
  compare_keys(models_of(base, ModelRole::target, head), models_of(head, ModelRole::target, base),
               differences);
  return differences;
}

std::vector<std::string> work_differences(const Run& base, const Run& head) {
  std::vector<std::string> differences = config_differences(base.manifest, head.manifest);
  check_whole("base", base, differences);
  check_whole("head", head, differences);
  const auto pairs = row_pairs(base, head);
  if (pairs.size() != base.generations.size() || pairs.size() != head.generations.size())
    differences.push_back(
        fmt::format("{} rows of the base and {} of the head, of which {} are of the same cell, "
                    "prompt and repetition",
                    base.generations.size(), head.generations.size(), pairs.size()));
  compare_rows(pairs, has_fixed_length(base.manifest), differences);
  check_own_texts("base", base, differences);
  check_own_texts("head", head, differences);
  return differences;
}

std::vector<std::string> origin_differences(const Manifest& base, const Manifest& head) {
  constexpr std::array<std::string_view, 5> kTreatment = {"drafters.", "axes.", "zip", "exclude",
                                                          "pilot."};
  std::vector<std::string> differences;
  for (const std::string_view key : kOrigins)
    compare(std::string(key), base.provenance(key), head.provenance(key), differences);
  compare_keys(keys_of(base.config, kTreatment), keys_of(head.config, kTreatment), differences);
  compare_keys(models_of(base, ModelRole::drafter, head), models_of(head, ModelRole::drafter, base),
               differences);
  return differences;
}

}  // namespace speclab::analysis
