#include "experiments/drivers/compose/composed_speedups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/tables/costs.h"
#include "experiments/drivers/compose/composed_texts.h"
#include "experiments/drivers/compose/contradictions.h"
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

/// Texts of all laws, a group as heavy as any other, and the speed-up without each group in turn.
struct MeanOfGroups {
  MeanText mean;
  std::vector<double> without;
};

MeanOfGroups mean_of_groups(const ComposedTexts& texts, const PlaceCounts& counts) {
  std::vector<MeanText> of_laws;
  for (const sim::PlaceAcceptance& law : counts.laws()) of_laws.push_back(texts.of_law(law));
  MeanOfGroups result;
  for (const MeanText& law : of_laws)
    result.mean.add(law, 1.0 / static_cast<double>(of_laws.size()));
  for (std::size_t left_out = 0; of_laws.size() > 1 && left_out < of_laws.size(); ++left_out) {
    MeanText others;
    for (std::size_t i = 0; i < of_laws.size(); ++i) others.add(of_laws[i], i == left_out ? 0 : 1);
    result.without.push_back(others.speedup());
  }
  if (of_laws.size() == 1 && counts.groups().size() > 1)
    for (const std::string& group : counts.groups())
      result.without.push_back(texts.of_law(counts.law_without(group)).speedup());
  return result;
}

/// Settings of single sequences that draft chains, in the order of the file.
std::vector<Setting> drafting_settings(const std::vector<analysis::CostRow>& costs,
                                       const SettingFilter& filter) {
  std::vector<Setting> settings;
  for (const analysis::CostRow& row : costs)
    if (row.kind == sim::CostKind::draft && row.setting.batch == 1 &&
        row.setting.generation.empty() && row.setting.tree == "chain" &&
        filter.keeps(row.setting) && std::ranges::find(settings, row.setting) == settings.end())
      settings.push_back(row.setting);
  return settings;
}

/// The longest draft whose cost was measured in the setting's regime, and which a measured forward
/// verifies; 0 if there is none.
int longest_draft(const std::vector<analysis::CostRow>& costs, const Setting& setting) {
  std::int64_t drafted = 0, verified = 0;
  for (const analysis::CostRow& row : costs) {
    if (row.kind == sim::CostKind::draft && row.regime == setting.regime() &&
        row.setting == analysis::setting_of_costs(setting))
      drafted = std::max(drafted, row.rows);
    if (row.kind == sim::CostKind::target && row.setting == analysis::setting_of_forwards(setting))
      verified = std::max(verified, row.rows - 1);
  }
  return static_cast<int>(std::min<std::int64_t>({drafted, verified, kLongestLength}));
}

/// The longest context of a timed forward; 0 if none was timed.
std::int64_t longest_context(const std::vector<analysis::CostRow>& costs) {
  std::int64_t longest = 0;
  for (const analysis::CostRow& row : costs)
    if (row.kind == sim::CostKind::target) longest = std::max(longest, row.context);
  return longest;
}

std::vector<std::string> drafters_of(const std::vector<analysis::DrafterCounts>& counts) {
  std::vector<std::string> names;
  for (const analysis::DrafterCounts& row : counts)
    if (std::ranges::find(names, row.setting.drafter) == names.end())
      names.push_back(row.setting.drafter);
  return names;
}

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
    std::vector<Setting> all = drafting_settings(costs_, filter);
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
    if (std::ranges::any_of(all, [&](const Setting& setting) {
          return setting.verifier != all.front().verifier ||
                 setting.loaded_model() != all.front().loaded_model();
        }))
      result_.sources.push_back(
          "Costs of other models or verifiers are left out; --model and --verifier choose.");
    result_.model = chosen.front().loaded_model();
    result_.sources.push_back(fmt::format("They are of {} with the verifier {}.",
                                          escaped(result_.model, 60),
                                          escaped(chosen.front().verifier, 60)));
    const int longest = result_.prompt_tokens + result_.new_tokens;
    if (const std::int64_t measured = longest_context(costs_); measured < longest)
      result_.sources.push_back(fmt::format(
          "Forwards were timed up to a context of {}; longer ones follow the last line.",
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
    std::vector<std::string> names;
    for (const Setting& setting : drafting_settings(costs_, {}))
      names.push_back(fmt::format("{} with {}", escaped(setting.loaded_model(), 60),
                                  escaped(setting.drafter, 60)));
    throw ConfigError(
        fmt::format("--model, --drafter and --verifier select no costs of chains in {}; it has: {}",
                    path_text(folder_), list_of(names)));
  }

  /// The counts of a drafter, which are noted among the sources; empty if there are none.
  /// @throws ConfigError if --counts has several others
  std::vector<analysis::DrafterCounts> counts_of(const std::string& drafter) {
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
    if (!rows.empty())
      result_.sources.push_back(
          fmt::format("The counts of {} are {}{}.", escaped(drafter, 60), path_text(path),
                      name == drafter ? "" : ", where it is called " + escaped(name, 60)));
    return rows;
  }

  void add(Setting setting) {
    const std::vector<analysis::DrafterCounts> counts = counts_of(setting.drafter);
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

  /// @throws DataError where the time of a prompt is not known
  void expect_prefill(const Setting& setting) const {
    const auto is_its = [&](const analysis::CostRow& row) {
      return row.kind == sim::CostKind::prefill &&
             row.setting == analysis::setting_of_forwards(setting);
    };
    if (std::ranges::none_of(costs_, is_its))
      throw DataError(fmt::format("{}/costs.csv: no cost of kind prefill for {}; measure it",
                                  escaped(folder_, kLongestPath),
                                  escaped(setting.loaded_model(), 60)));
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
    expect_prefill(setting);
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
