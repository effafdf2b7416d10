// What --dry-run lists is what runs, for random sweeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "analysis/tables/run_folder.h"
#include "experiments/drivers/journal/run_log.h"
#include "tests/experiments/drivers/support/small_experiment.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using Rng = std::mt19937_64;
using Values = std::vector<std::string>;
using Selection = std::map<std::string, Values>;  // axis -> TOML values

std::size_t below(Rng& rng, std::size_t count) { return static_cast<std::size_t>(rng() % count); }

const std::map<std::string, Values> kPool{
    {"temperature", {"0.0", "0.5", "1.0", "1.5"}},
    {"drafter",
     {"\"none\"", "\"bigram\"", "\"tree\"", "\"small_transformer\"", "\"prompt_lookup\""}},
    {"tree", {"\"chain\"", "\"2x2\""}},
    {"policy", {"\"constant:1\"", "\"constant:2\"", "\"constant:3\""}},
    {"verifier", {"\"rejection\"", "\"several_drafts\""}}};

Values some(const Values& pool, Rng& rng) {
  Values values = pool;
  std::shuffle(values.begin(), values.end(), rng);
  values.resize(1 + below(rng, pool.size()));
  return values;
}

std::string list(const Values& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return "[" + text + "]";
}

/// A sweep as text, and the values behind it for the independent count.
struct RandomSweep {
  Selection axes;
  std::vector<Selection> zips, exclusions;
  int repetitions = 1;
  bool pooled = true;

  explicit RandomSweep(Rng& rng)
      : repetitions(1 + static_cast<int>(below(rng, 2))), pooled(below(rng, 2) == 0) {
    for (const auto& [axis, pool] : kPool) axes[axis] = some(pool, rng);
    axes["tree"] = below(rng, 2) == 0 ? Values{"\"chain\""} : kPool.at("tree");
    if (below(rng, 3) == 0) add_zip(rng);
    for (std::size_t i = below(rng, 3); i-- > 0;) add_exclusion(rng);
  }

  /// Moves two axes into a zip of two or three different rows.
  void add_zip(Rng& rng) {
    const std::string first = below(rng, 2) == 0 ? "temperature" : "drafter", second = "policy";
    std::set<std::pair<std::string, std::string>> rows;
    for (int i = 0; i < 3; ++i)
      rows.insert({axes[first][below(rng, axes[first].size())],
                   axes[second][below(rng, axes[second].size())]});
    Selection zip;
    for (const auto& [a, b] : rows) zip[first].push_back(a), zip[second].push_back(b);
    for (const std::string& axis : {first, second}) {
      axes[axis].clear();
      for (const std::string& value : zip[axis])
        if (std::ranges::find(axes[axis], value) == axes[axis].end()) axes[axis].push_back(value);
    }
    zips.push_back(zip);
  }

  void add_exclusion(Rng& rng) {
    Selection exclusion;
    for (const char* axis : {"temperature", "drafter", "policy"}) {
      const std::string value = axes[axis][below(rng, axes[axis].size())];
      if (below(rng, 2) == 0 && value != "\"none\"") exclusion[axis] = {value};
    }
    if (!exclusion.empty()) exclusions.push_back(exclusion);
  }

  std::string toml() const {
    std::string text;
    for (const auto& zip : zips) text += table("zip", zip);
    for (const auto& exclusion : exclusions) text += table("exclude", exclusion);
    return text;
  }

  std::vector<std::string> settings() const {
    std::vector<std::string> settings{
        "experiment.repetitions=" + std::to_string(repetitions),
        pooled ? "prompts.pool_categories=true" : "prompts.pool_categories=false"};
    for (const auto& [axis, values] : axes)
      if (zips.empty() || !zips.front().contains(axis))
        settings.push_back("axes." + axis + "=" + list(values));
    return settings;
  }

 private:
  static std::string table(const std::string& name, const Selection& selection) {
    std::string text = "\n[[" + name + "]]\n";
    for (const auto& [axis, values] : selection) text += axis + " = " + list(values) + "\n";
    return text;
  }
};

/// A cell as the independent enumeration sees it: values as TOML, empty where an axis does not
/// apply.
using Point = std::map<std::string, std::string>;

bool has_zip_row(const Selection& zip, const Point& point) {
  for (std::size_t row = 0; row < zip.begin()->second.size(); ++row)
    if (std::ranges::all_of(zip, [&](const auto& axis) {
          const std::string& value = point.at(axis.first);
          return value.empty() || value == "\"none\"" || axis.second[row] == value;
        }))
      return true;
  return false;
}

bool is_excluded(const RandomSweep& sweep, const Point& point) {
  return std::ranges::any_of(sweep.exclusions, [&](const Selection& exclusion) {
    return std::ranges::all_of(
        exclusion, [&](const auto& axis) { return axis.second.front() == point.at(axis.first); });
  });
}

std::string unquoted(const std::string& value) {
  std::string text = value;
  std::erase(text, '"');
  return text;
}

std::string id_of(const Point& point) {
  const std::string temperature = point.at("temperature") == "0.0"   ? "0"
                                  : point.at("temperature") == "1.0" ? "1"
                                                                     : point.at("temperature");
  std::string id = "fake T=" + temperature + " " + unquoted(point.at("drafter"));
  if (point.at("drafter") == "\"none\"") return id;
  const std::string tree = point.at("drafter") == "\"tree\"" ? "2x1"
                           : point.at("drafter") == "\"prompt_lookup\""
                               ? "chain"
                               : unquoted(point.at("tree"));
  return id + " " + tree + " " + unquoted(point.at("policy")) + " " +
         unquoted(point.at("verifier"));
}

/// Every combination written out, one after the other, with what does not apply left empty.
std::set<std::string> expected_ids(const RandomSweep& sweep) {
  std::set<std::string> ids;
  const auto add = [&](const Point& point) {
    for (const Selection& zip : sweep.zips)
      if (!has_zip_row(zip, point)) return;
    if (!is_excluded(sweep, point)) ids.insert(id_of(point));
  };
  for (const std::string& temperature : sweep.axes.at("temperature")) {
    add({{"temperature", temperature},
         {"drafter", "\"none\""},
         {"tree", ""},
         {"policy", ""},
         {"verifier", ""}});
    for (const std::string& drafter : sweep.axes.at("drafter"))
      for (const std::string& tree : sweep.axes.at("tree"))
        for (const std::string& policy : sweep.axes.at("policy"))
          for (const std::string& verifier : sweep.axes.at("verifier"))
            if (drafter != "\"none\"")
              add({{"temperature", temperature},
                   {"drafter", drafter},
                   {"tree",
                    drafter == "\"small_transformer\"" || drafter == "\"bigram\"" ? tree : ""},
                   {"policy", policy},
                   {"verifier", verifier}});
  }
  return ids;
}

std::set<std::string> with_categories(const std::set<std::string>& ids, bool pooled) {
  std::set<std::string> all;
  for (const std::string& id : ids)
    for (const char* category : {"chat", "sums"}) all.insert(pooled ? id : id + " " + category);
  return all;
}

/// The lines of --dry-run that are cells.
std::set<std::string> listed(const std::string& description) {
  std::istringstream lines(description);
  std::set<std::string> cells;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) cells.insert(line.substr(2));
  return cells;
}

std::set<std::string> ids_that_ran(const testing::SmallExperiment& experiment,
                                   const std::string& name, const Plan& plan) {
  const RunLog log(plan, experiment.folder(name));
  std::set<std::string> ids;
  for (const auto& [row, entry] : log.rows())
    ids.insert(plan.cells[plan.generations[static_cast<std::size_t>(row)].cell].id);
  EXPECT_EQ(log.rows().size(), plan.generations.size());
  EXPECT_EQ(analysis::read_run(experiment.folder(name)).generations.size(), plan.generations.size())
      << "the manifest's zips and exclusions do not disturb a report";
  return ids;
}

TEST(RandomSweeps, ListWhatThenRuns) {
  const testing::SmallExperiment experiment(testing::memory_folder());
  Rng rng(20240602);
  int read = 0, refused = 0, zipped = 0, excluded = 0;
  const int wanted = speclab::testing::by_size(100, 250, 1000);
  while (read < wanted) {
    const RandomSweep sweep(rng);
    const std::set<std::string> expected = with_categories(expected_ids(sweep), sweep.pooled);
    Plan plan;
    try {
      plan = make_plan(
          read_run_config(experiment.config_file_without_axes(sweep.toml()), sweep.settings()));
    } catch (const ConfigError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.find("no cell") != std::string::npos ||
                  message.find("draws trees of this axis") != std::string::npos)
          << message << sweep.toml();
      ++refused;
      continue;
    }
    ++read;
    zipped += sweep.zips.empty() ? 0 : 1;
    excluded += sweep.exclusions.empty() ? 0 : 1;
    const std::string description = describe(plan);
    ASSERT_EQ(listed(description), expected) << description << sweep.toml();
    EXPECT_NE(description.find(": " + std::to_string(expected.size()) + " cells, 4 prompts, "),
              std::string::npos)
        << description;
    EXPECT_EQ(plan.generations.size(), expected.size() * (sweep.pooled ? 4u : 2u) *
                                           static_cast<std::size_t>(sweep.repetitions));
    EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
    EXPECT_EQ(ids_that_ran(experiment, "run", plan), expected);
    std::filesystem::remove_all(experiment.folder("run"));
  }
  EXPECT_LT(refused, wanted * 3 / 2);
  EXPECT_GT(zipped, wanted / 10);
  EXPECT_GT(excluded, wanted / 10);
}

}  // namespace
}  // namespace speclab::experiments
