#include "experiments/drivers/compose/composed_speedups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/tables/costs.h"
#include "analysis/tables/manifest.h"
#include "experiments/drivers/compose/chain_costs.h"
#include "experiments/drivers/compose/composed_texts.h"
#include "experiments/drivers/compose/contradictions.h"
#include "experiments/drivers/compose/counts_target.h"
#include "experiments/drivers/compose/machine_costs.h"
#include "experiments/drivers/compose/place_counts.h"
#include "experiments/drivers/predict/cost_input.h"
#include "experiments/drivers/predict/input_origin.h"
#include "experiments/drivers/predict/typed_numbers.h"
#include "sim/statistics/jackknife.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kMostPromptTokens = 1'000'000;
constexpr int kMostTextTokens = 100'000;
constexpr int kUsualTokens = 128;
constexpr std::ptrdiff_t kMostGroups = 256, kMostTemperatures = 32;
constexpr int kLongestAuto = 8;  ///< draft of `auto`, as in runs whose pilots have the usual length

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kShown = 10;
  if (names.empty()) return "none";
  const auto shown = std::min(kShown, std::ssize(names));
  return fmt::format(
      "{}{}", fmt::join(names.begin(), names.begin() + shown, ", "),
      shown == std::ssize(names) ? "" : fmt::format(" and {} more", std::ssize(names) - shown));
}

std::string path_text(const std::string& path) { return escaped(path, kLongestPath); }

class Composer {
 public:
  explicit Composer(const PredictOptions& options)
      : options_(options),
        folder_(machine_folder(*options.machine)),
        costs_(analysis::read_costs(folder_ + "/costs.csv")) {
    result_.prompt_tokens = checked("--prompt-tokens", options.prompt_tokens, kMostPromptTokens);
    result_.new_tokens = checked("--new-tokens", options.new_tokens, kMostTextTokens);
    result_.policy = options.speculation_length
                         ? fmt::format("constant:{}", *options.speculation_length)
                         : "auto";
    result_.sources = {origin_of_table(folder_ + "/costs.csv")};
    if (const std::string manifest = folder_ + "/manifest.toml"; std::filesystem::exists(manifest))
      manifest_ = analysis::read_manifest(manifest);
    if (options.temperature)
      temperature_ =
          parse_number("--temperature", *options.temperature, {0.0, 1e3, "numbers from 0 to 1000"});
  }

  Composition compose() && {
    for (const Setting& setting : chosen_settings()) add(setting);
    if (result_.speedups.empty()) refuse_all();
    if (!without_counts_.empty())
      result_.sources.push_back(
          fmt::format("Left out, because they have no counts: {}.", list_of(without_counts_)));
    return std::move(result_);
  }

 private:
  static int checked(const char* option, const std::optional<int>& value, int most) {
    if (value && (*value < 1 || *value > most))
      throw ConfigError(fmt::format("{} {}; allowed: integers from 1 to {}", option, *value, most));
    return value.value_or(kUsualTokens);
  }

  [[noreturn]] void refuse_all() const {
    if (!temperatures_.empty())
      throw ConfigError(
          fmt::format("--temperature {}: no counts or no costs; both are there for: {}",
                      *temperature_, fmt::join(temperatures_, ", ")));
    if (without_counts_.empty())
      throw DataError(fmt::format(
          "{}/costs.csv: no costs of drafts at the temperatures of the counts; measure them",
          path_text(folder_)));
    throw ConfigError(fmt::format(
        "no counts of {} were found; --drafter NAME --counts FILE names an acceptance.csv",
        list_of(without_counts_)));
  }

  /// Settings of the drafters asked for, of the first model and verifier that the file names.
  std::vector<Setting> chosen_settings() {
    SettingFilter filter = options_.choice;
    filter.drafter.reset();
    filter.model.reset();
    std::vector<Setting> all = chain_settings(costs_, filter);
    std::erase_if(all, [&](const Setting& setting) {
      const auto& model = options_.choice.model;
      return model && *model != setting.model && *model != setting.loaded_model();
    });
    // Counts are of the ratio test, so its costs go before those of other rules.
    std::ranges::stable_partition(
        all, [](const Setting& setting) { return setting.verifier == "rejection"; });
    std::vector<Setting> chosen;
    for (const Setting& setting : all)
      if (is_asked_for(setting.drafter) && setting.verifier == all.front().verifier &&
          setting.loaded_model() == all.front().loaded_model())
        chosen.push_back(setting);
    if (chosen.empty()) refuse_choice();
    result_.model = chosen.front().loaded_model();
    result_.sources.push_back(fmt::format("The costs are of {} with the verifier {}.",
                                          escaped(result_.model, 60),
                                          escaped(chosen.front().verifier, 60)));
    if (std::ranges::any_of(all, [&](const Setting& setting) {
          return setting.verifier != all.front().verifier ||
                 setting.loaded_model() != all.front().loaded_model();
        }))
      result_.sources.push_back(
          "Costs of other models or verifiers are left out; --model and --verifier choose.");
    const int longest = result_.prompt_tokens + result_.new_tokens;
    if (const std::int64_t measured = longest_context(costs_); measured < longest)
      result_.sources.push_back(fmt::format(
          "Forwards were timed up to a context of {}; the last fitted straight line goes on behind "
          "it.",
          measured));
    return chosen;
  }

  /// Whether --drafter means a drafter: by its name in the costs, or by that of a model that drafts
  /// as this kind.
  bool is_asked_for(const std::string& drafter) const {
    if (!options_.choice.drafter || *options_.choice.drafter == drafter) return true;
    const std::string path = counts_of_drafter(*options_.choice.drafter);
    return !path.empty() && !rows_of(analysis::read_drafter_counts(path), drafter).empty();
  }

  [[noreturn]] void refuse_choice() const {
    std::vector<std::string> asked, there;
    const auto add_asked = [&](const char* option, const std::optional<std::string>& value) {
      if (value) asked.push_back(fmt::format("{} {}", option, escaped(*value, 60)));
    };
    add_asked("--model", options_.choice.model);
    add_asked("--drafter", options_.choice.drafter);
    add_asked("--verifier", options_.choice.verifier);
    for (const Setting& setting : chain_settings(costs_, {})) {
      const std::string name =
          fmt::format("{} with {}, verified by {}", escaped(setting.loaded_model(), 60),
                      escaped(setting.drafter, 60), escaped(setting.verifier, 60));
      if (std::ranges::find(there, name) == there.end()) there.push_back(name);
    }
    throw ConfigError(fmt::format("{}{}no costs of chains in {}; it has: {}",
                                  fmt::join(asked, " and "), asked.empty() ? "" : ": ",
                                  path_text(folder_), list_of(there)));
  }

  /// The counts of a drafter, which are noted among the sources; empty if there are none.
  /// @throws ConfigError if --counts has several others
  std::vector<analysis::DrafterCounts> counts_of(const Setting& setting) {
    const std::string& drafter = setting.drafter;
    const std::string path = options_.counts
                                 ? *options_.counts
                                 : counts_of_drafter(options_.choice.drafter.value_or(drafter));
    if (path.empty()) return {};
    const std::vector<analysis::DrafterCounts> all = analysis::read_drafter_counts(path);
    const std::vector<std::string> names = drafters_of(all);
    std::string name = drafter;
    if (options_.counts && names.size() == 1) name = names.front();
    std::vector<analysis::DrafterCounts> rows = rows_of(all, name);
    if (options_.counts && rows.empty())
      throw ConfigError(fmt::format("{}: no counts of {}; it has: {}", path_text(path),
                                    escaped(drafter, 60), list_of(names)));
    if (rows.empty()) return {};
    result_.sources.push_back(
        fmt::format("The counts of {} are {}{}.", escaped(drafter, 60), path_text(path),
                    name == drafter ? "" : ", where it is called " + escaped(name, 60)));
    if (std::string note = note_on_targets(target_of_counts(path), manifest_, setting.model);
        !note.empty())
      result_.sources.push_back(std::move(note));
    return rows;
  }

  void add(Setting setting) {
    const std::vector<analysis::DrafterCounts> counts = counts_of(setting);
    if (counts.empty()) {
      without_counts_.push_back(escaped(setting.drafter, 60));
      return;
    }
    std::map<double, std::vector<analysis::DrafterCounts>> by_temperature;
    for (const analysis::DrafterCounts& row : counts)
      by_temperature[row.setting.temperature].push_back(row);
    if (std::ssize(by_temperature) > kMostTemperatures)
      throw DataError(fmt::format("the counts of {} have {} temperatures; allowed: at most {}",
                                  escaped(setting.drafter, 60), by_temperature.size(),
                                  kMostTemperatures));
    for (const auto& [temperature, rows] : by_temperature) {
      setting.temperature = temperature;
      if (longest_draft(costs_, setting) == 0) continue;
      temperatures_.insert(temperature);
      if (!temperature_ || *temperature_ == temperature)
        add(setting, PlaceCounts(rows, most_levels(counts)));
    }
  }

  /// @throws DataError naming the file
  ComposedTexts texts_of(const Setting& setting, int longest) const try {
    return {costs_,
            setting,
            {.prompt_tokens = result_.prompt_tokens,
             .new_tokens = result_.new_tokens,
             .speculation_length = options_.speculation_length,
             .longest_draft = std::min(longest, kLongestAuto)}};
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}/costs.csv: {}", path_text(folder_), error.what()));
  }

  void add(const Setting& setting, const PlaceCounts& counts) {
    if (!has_prefill(costs_, setting))
      throw DataError(fmt::format("{}/costs.csv: no cost of kind prefill for {}; measure it",
                                  path_text(folder_), escaped(setting.loaded_model(), 60)));
    if (std::ssize(counts.groups()) > kMostGroups)
      throw DataError(fmt::format("the counts of {} have {} groups of texts; allowed: at most {}",
                                  escaped(setting.drafter, 60), counts.groups().size(),
                                  kMostGroups));
    const int longest = longest_draft(costs_, setting);
    if (options_.speculation_length &&
        (*options_.speculation_length < 1 || *options_.speculation_length > longest))
      throw ConfigError(
          fmt::format("--speculation-length {}; allowed: 1 to {}, the longest draft of {} that was "
                      "timed and verified",
                      *options_.speculation_length, longest, setting.drafter));
    const ComposedTexts texts = texts_of(setting, longest);
    const auto [mean, without] = mean_of_groups(texts, counts);
    result_.speedups.push_back({.drafter = setting.drafter,
                                .temperature = setting.temperature,
                                .composed_speedup = sim::jackknife_estimate(mean.speedup(), without,
                                                                            sim::Scale::logarithm),
                                .tokens_per_round = result_.new_tokens / mean.rounds,
                                .drafting_fraction = mean.drafting_rounds / mean.rounds});
  }

  const PredictOptions& options_;
  std::string folder_;
  std::vector<analysis::CostRow> costs_;
  std::optional<analysis::Manifest> manifest_;  ///< of the costs
  std::optional<double> temperature_;
  std::set<double> temperatures_;  ///< that counts and costs have
  std::vector<std::string> without_counts_;
  Composition result_;
};

/// @throws ConfigError naming the options that say the same in another way
void check_options(const PredictOptions& options) {
  std::vector<std::string> others = options_of_other_predictions(options);
  if (options.context) others.emplace_back("--context");
  if (options.counts && !options.choice.drafter)
    throw ConfigError("--counts is a file of one drafter's counts; give --drafter NAME beside it");
  if (!others.empty())
    throw ConfigError(
        fmt::format("--machine contradicts {}: it composes the kept costs of a machine with counts "
                    "of drafters; "
                    "leave one out",
                    fmt::join(others, ", ")));
}

}  // namespace

Composition composed_speedups(const PredictOptions& options) {
  check_options(options);
  return Composer(options).compose();
}

}  // namespace speclab::experiments
