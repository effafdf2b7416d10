// A config that is edited after its run was begun: what is the same work is kept, the rest is
// measured, and the tables are those of a run that never had another config (SWP-8).
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

#include "analysis/tables/run_folder.h"
#include "experiments/drivers/journal/run_log.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using testing::expect_files_of;
using testing::SmallExperiment;

using Chance = std::mt19937;

template <typename T>
const T& any_of(const std::vector<T>& values, Chance& chance) {
  return values[chance() % values.size()];
}

/// A value and the ways to write it.
struct Spelled {
  std::string value;
  std::vector<std::string> spellings;
  auto operator<=>(const Spelled&) const = default;
};

const std::vector<Spelled> kTemperatures{{"0", {"0.0", "0", "0e5", "+0.0"}},
                                         {"0.1", {"0.1", "1e-1", "0.10", "10e-2"}},
                                         {"0.5", {"0.5", "5e-1", "0.50"}},
                                         {"1", {"1", "1.0", "1e0"}}};
const std::vector<Spelled> kDrafters{{"bigram", {"\"bigram\"", "'bigram'"}},
                                     {"unigram", {"\"unigram\""}},
                                     {"tree", {"\"tree\"", "\"tr\\u0065e\""}},
                                     {"prompt_lookup", {"\"prompt_lookup\""}}};
const std::vector<Spelled> kPolicies{{"constant:1", {"\"constant:1\""}},
                                     {"constant:3", {"\"constant:3\"", "'constant:3'"}},
                                     {"heuristic", {"\"heuristic\""}}};

/// A config that its user edits, and what it asks for, by this test's own book-keeping.
class EditedConfig {
 public:
  explicit EditedConfig(const SmallExperiment& experiment)
      : core_(experiment.folder("core")), pilot_(experiment.folder("pilot")) {}

  void edit(Chance& chance) {
    switch (chance() % 15) {
      case 0:
      case 1:
        edit_axis(temperatures_, kTemperatures, chance);
        break;
      case 2:
      case 3:
        edit_axis(drafters_, kDrafters, chance);
        break;
      case 4:
      case 5:
        edit_axis(policies_, kPolicies, chance);
        break;
      case 6:
        per_category_ = 3 - per_category_;
        break;
      case 7:
        repetitions_ = 1 + static_cast<int>(chance() % 3);
        break;
      case 8:
        categories_ =
            any_of(std::vector<std::string>{"", R"(["chat"])", R"(["sums", "chat"])"}, chance);
        break;
      case 9:
        pools_ = !pools_;
        break;
      case 10:
        tree_ = any_of(std::vector<std::string>{"2x1", "2x2", "1x1x1"}, chance);
        break;
      case 11:
        pilot_length_ = 3 + static_cast<int>(chance() % 3);
        break;
      case 12:
        excluded_ = any_of(std::vector<std::string>{"", "bigram", "tree"}, chance);
        break;
      case 13:
        further_ = static_cast<int>(chance() % 4);
        break;
      default:
        name_ = fmt::format("name{}", chance() % 3);
        break;
    }
    dress_ = static_cast<std::uint32_t>(chance());
  }

  /// As the user writes it, in words that change with every edit.
  std::string text() const {
    Chance chance(dress_);
    std::vector<std::string> tables{
        fmt::format("[experiment]\nname = \"{}\"\nrepetitions = {}\nplain_repetitions = {}\n",
                    name_, repetitions_, further_ > 0 ? repetitions_ + further_ : 0),
        "[target]\nmodel = \"fake\"\n",
        fmt::format("[drafters.tree]\nkind = \"small_transformer\"\ntree = \"{}\"\n", tree_),
        fmt::format(
            "[prompts]\nset = \"{}\"\nper_category = {}\nnew_tokens = 8\npool_categories = {}\n",
            core_, per_category_, pools_) +
            (categories_.empty() ? "" : "categories = " + categories_ + "\n"),
        fmt::format("[pilot]\nset = \"{}\"\nmax_length = {}\n", pilot_, pilot_length_),
        "[costs]\nrepetitions = 1\nnew_tokens = 16\n",
        fmt::format("[axes]\ntemperature = {}\ndrafter   =   {}\npolicy = {}\n",
                    spelled(temperatures_, chance), spelled(drafters_, chance),
                    spelled(policies_, chance))};
    if (excludes())
      tables.push_back(fmt::format("[[exclude]]\ndrafter = \"{}\"\ntemperature = [{}]\n", excluded_,
                                   temperatures_.front().value));
    std::ranges::shuffle(tables, chance);
    std::string text = "# A question\n";
    for (const std::string& table : tables)
      text += fmt::format("\n{}{}# {}\n", chance() % 3 == 0 ? "   \n\t\n" : "", table, chance());
    return text;
  }

  /// Everything that makes a generation what it is.
  std::set<std::string> work() const {
    std::set<std::string> work;
    for (const Spelled& temperature : temperatures_)
      for (const std::string& drafting : draftings(temperature))
        for (const std::string& category : categories())
          for (int prompt = 1; prompt <= per_category_; ++prompt)
            for (int repetition = 0;
                 repetition < repetitions_ + (drafting == "none" ? further_ : 0); ++repetition)
              work.insert(fmt::format("{} {} core_{}_{} {}", temperature.value, drafting, category,
                                      prompt, repetition));
    return work;
  }

  const std::string& name() const { return name_; }

 private:
  static void edit_axis(std::vector<Spelled>& axis, const std::vector<Spelled>& pool,
                        Chance& chance) {
    const Spelled& value = any_of(pool, chance);
    const auto found = std::ranges::find(axis, value);
    if (found == axis.end())
      axis.insert(axis.begin() + static_cast<std::ptrdiff_t>(chance() % (axis.size() + 1)), value);
    else if (axis.size() > 1 && chance() % 2 == 0)
      axis.erase(found);
    else
      std::ranges::shuffle(axis, chance);
  }

  static std::string spelled(const std::vector<Spelled>& axis, Chance& chance) {
    std::vector<std::string> words;
    for (const Spelled& value : axis) words.push_back(any_of(value.spellings, chance));
    return fmt::format("[{}]", fmt::join(words, chance() % 2 == 0 ? ", " : " ,\n   "));
  }

  bool excludes() const {
    return std::ranges::find(drafters_, excluded_, &Spelled::value) != drafters_.end();
  }

  std::vector<std::string> categories() const {
    return categories_ == R"(["chat"])" ? std::vector<std::string>{"chat"}
                                        : std::vector<std::string>{"chat", "sums"};
  }

  std::vector<std::string> draftings(const Spelled& temperature) const {
    std::vector<std::string> draftings{"none"};
    for (const Spelled& drafter : drafters_)
      for (const Spelled& policy : policies_)
        if (!excludes() || drafter.value != excluded_ || temperature != temperatures_.front())
          draftings.push_back(drafter.value + (drafter.value == "tree" ? tree_ : "") + " " +
                              policy.value);
    return draftings;
  }

  std::string core_, pilot_, name_ = "small", categories_, tree_ = "2x1", excluded_;
  std::vector<Spelled> temperatures_{kTemperatures[0], kTemperatures[2]},
      drafters_{kDrafters[0], kDrafters[2]}, policies_{kPolicies[1]};
  int per_category_ = 1, repetitions_ = 1, further_ = 0,
      pilot_length_ = 4;  ///< further_: of plain decoding
  bool pools_ = true;
  std::uint32_t dress_ = 1;
};

class EditedConfigs : public ::testing::Test {
 protected:
  /// Goes on with the config under these settings and @return how many generations that measured.
  /// The tables must be a fresh run's.
  std::size_t go_on(const std::vector<std::string>& settings) {
    const Plan plan = experiment_.plan(settings);
    const std::size_t before =
        std::filesystem::exists(experiment_.folder("run")) ? experiment_.num_measured("run") : 0;
    experiment_.run(plan, "run");
    const std::string fresh = "fresh" + std::to_string(++num_fresh_);
    experiment_.run(plan, fresh);
    expect_files_of(experiment_, fresh, "run", testing::kFilesAfterEdits);
    return experiment_.num_measured("run") - before;
  }

  int num_sections() const {
    return static_cast<int>(RunLog(experiment_.folder("run")).sections().size());
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  int num_fresh_ = 0;
};

TEST_F(EditedConfigs, InAnotherOrderUnderAnotherNameLoadNothingAndMakeTheFilesAnew) {
  EXPECT_EQ(go_on({}), 24u);
  const int starts = experiment_.num_engine_starts();
  const std::string predictions = experiment_.file("run", "predictions.csv");
  const Plan plan =
      experiment_.plan({"axes.temperature=[5e-1, 0]", R"(axes.drafter=["tree", "bigram"])",
                        "experiment.name=other"});
  experiment_.engines().sha256 = "not looked at";
  EXPECT_EQ(experiment_.run(plan, "run"), RunOutcome::completed);
  EXPECT_EQ(experiment_.num_engine_starts(), starts + 1) << "for the tokenizer";
  EXPECT_EQ(num_sections(), 1);
  EXPECT_NE(experiment_.file("run", "predictions.csv"), predictions) << "in the config's order";
  EXPECT_EQ(analysis::read_run(experiment_.folder("run")).predictions.size(), plan.cells.size());
}

TEST_F(EditedConfigs, ThatLoseAValueLeaveItsRowsOutAndHaveThemAgainWithIt) {
  EXPECT_EQ(go_on({}), 24u);
  EXPECT_EQ(go_on({"axes.temperature=0.5"}), 0u);
  EXPECT_EQ(num_sections(), 2);
  EXPECT_EQ(go_on({}), 0u);
  EXPECT_EQ(num_sections(), 2) << "the first section again";
  EXPECT_EQ(go_on({"axes.temperature=[0.0, 0.5, 0.7]"}), 12u);
}

TEST_F(EditedConfigs, WithMorePromptsOrRepetitionsMeasureTheseAtTheSameChance) {
  EXPECT_EQ(go_on({"prompts.per_category=1"}), 12u);
  EXPECT_EQ(go_on({"prompts.per_category=2"}), 12u);
  EXPECT_EQ(go_on({"prompts.per_category=2", "experiment.repetitions=3"}), 48u);
  EXPECT_EQ(go_on({"prompts.per_category=2", "experiment.repetitions=2",
                   R"(prompts.categories=["sums"])"}),
            0u);
}

TEST_F(EditedConfigs, WithAnotherDefinitionUnderTheSameNameMeasureThatAnew) {
  EXPECT_EQ(go_on({}), 24u);
  EXPECT_EQ(go_on({"drafters.tree.tree=2x2"}), 8u);
  EXPECT_EQ(go_on({"prompts.pool_categories=false"}), 0u);
}

/// What `auto` does depends on the pilots, what is replayed too; constant lengths do not.
TEST_F(EditedConfigs, WithOtherPilotsMeasureAnewWhatGoesByThem) {
  const std::vector<std::string> axes{R"(axes.policy=["auto", "constant:3"])",
                                      "axes.drafter=bigram",
                                      R"(target.model=["fake", "shape-15m"])"};
  const auto with = [&](const std::string& setting) {
    std::vector<std::string> settings = axes;
    settings.push_back(setting);
    const std::size_t before =
        std::filesystem::exists(experiment_.folder("run")) ? experiment_.num_measured("run") : 0;
    experiment_.run(experiment_.plan(settings), "run");
    return experiment_.num_measured("run") - before;
  };
  EXPECT_EQ(with("experiment.name=small"),
            48u);  // two models, two temperatures, plain and two policies, four prompts
  EXPECT_EQ(with("pilot.max_length=6"),
            24u);  // auto of both, and the constant one that is replayed
  EXPECT_EQ(with("costs.new_tokens=20"), 16u);  // auto weighs costs
}

TEST_F(EditedConfigs, WithAnotherTextOfAPromptMeasureThatPromptAnew) {
  EXPECT_EQ(go_on({}), 24u);
  const std::string path = experiment_.folder("core") + "/chat.toml";
  std::string text = read_file(path);
  text.replace(text.find("aaaaaaaa chat"), 13, "other words!");
  write_file(path, text);
  EXPECT_EQ(go_on({}), 6u);
}

/// A header that a repair could not save takes its entries with it, and nothing else.
TEST_F(EditedConfigs, WhoseHeaderIsLostAreMeasuredAnew) {
  EXPECT_EQ(go_on({"axes.temperature=0.0"}), 12u);
  EXPECT_EQ(go_on({"axes.temperature=[0.0, 0.5]"}), 12u);
  std::string journal = experiment_.file("run", "journal");
  journal[journal.rfind(" header ") + 30] ^= 1;
  write_file(experiment_.folder("run") + "/journal", journal);
  const Plan plan = experiment_.plan();
  EXPECT_THROW(experiment_.run(plan, "run"), DataError);
  experiment_.run(plan, RunOptions{.folder = "run", .repair = true});
  experiment_.run(plan, "fresh");
  expect_files_of(experiment_, "fresh", "run", testing::kFilesAfterEdits);
  EXPECT_EQ(experiment_.num_measured("run"), 24u + 12u);
  EXPECT_EQ(experiment_.run(plan, "run"), RunOutcome::was_complete);
}

TEST_F(EditedConfigs, ReuseAllThatIsTheSameWorkAndNothingElse) {
  const SmallExperiment& experiment = experiment_;
  Chance chance(20261122);
  std::size_t num_reused = 0, num_new = 0, num_whole = 0;
  const auto wanted = speclab::testing::by_size(50u, 150u, 500u);
  for (unsigned edits = 0; edits < wanted;) {
    EditedConfig config(experiment);
    std::set<std::string> measured;
    for (int step = 0; step <= 10; ++step, edits += step > 1 ? 1u : 0u) {
      const std::string path =
          experiment.folder(config.name() + std::to_string(chance() % 2) + ".toml");
      write_file(path, config.text());
      SCOPED_TRACE(config.text());
      const Plan plan = make_plan(read_run_config(path, {}));
      const std::set<std::string> work = config.work();
      ASSERT_EQ(plan.generations.size(), work.size()) << "the test's book-keeping";
      experiment.run(plan, "edited");
      experiment.run(plan, "fresh");
      expect_files_of(experiment, "fresh", "edited", testing::kFilesAfterEdits);
      const std::size_t before = measured.size();
      measured.insert(work.begin(), work.end());
      ASSERT_EQ(experiment.num_measured("edited"), measured.size());
      ASSERT_EQ(experiment.run(plan, "edited"), RunOutcome::was_complete);
      num_new += measured.size() - before;
      num_reused += work.size() - (measured.size() - before);
      num_whole += measured.size() == before ? 1 : 0;
      std::filesystem::remove_all(experiment.folder("fresh"));
      config.edit(chance);
    }
    std::filesystem::remove_all(experiment.folder("edited"));
  }
  RecordProperty("reused", static_cast<int>(num_reused));
  RecordProperty("measured", static_cast<int>(num_new));
  RecordProperty("edits_without_new_work", static_cast<int>(num_whole));
  EXPECT_GT(num_reused, 10 * wanted);
  EXPECT_GT(num_new, 3 * wanted);
  EXPECT_GT(num_whole, wanted / 10);
}

}  // namespace
}  // namespace speclab::experiments
