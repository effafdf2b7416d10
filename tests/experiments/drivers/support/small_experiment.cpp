#include "tests/experiments/drivers/support/small_experiment.h"

#include <filesystem>

#include "experiments/drivers/workers/shard.h"

namespace speclab::testing {
namespace {

std::string category_file(const std::string& set, const std::string& category, int count) {
  std::string text = "category = \"" + category + "\"\n";
  for (int i = 1; i <= count; ++i) {
    const std::string id = set + "_" + category + "_" + std::to_string(i);
    text += "[[prompt]]\nid = \"" + id + "\"\ntext = \"" +
            std::string(static_cast<std::size_t>(8 * i), 'a') + " " + category + "\"\n";
  }
  return text;
}

}  // namespace

SmallExperiment::SmallExperiment(const std::filesystem::path& parent) : scratch_(parent) {
  for (const std::string set : {"core", "pilot"}) {
    make_folder(scratch_.path(set));
    for (const std::string category : {"chat", "sums"})
      scratch_.file(set + "/" + category + ".toml",
                    category_file(set, category, set == "core" ? 2 : 4));
  }
}

std::string SmallExperiment::config_file_without_axes(const std::string& more) const {
  const std::string text =
      "# What does the fake do?\n[experiment]\nname = \"small\"\n\n[target]\nmodel = \"fake\"\n\n"
      "[drafters.tree]\nkind = \"small_transformer\"\ntree = \"2x1\"\n\n"
      "[prompts]\nset = \"" +
      scratch_.path("core") +
      "\"\nper_category = 2\nnew_tokens = 24\n\n"
      "[pilot]\nset = \"" +
      scratch_.path("pilot") +
      "\"\nper_category = 1\nmax_length = 4\n\n[costs]\nrepetitions = 1\nnew_tokens = 24\n\n";
  return scratch_.file("small.toml", text + more);
}

std::string SmallExperiment::config_file(const std::string& more) const {
  return config_file_without_axes(more +
                                  "\n[axes]\ntemperature = [0.0, 0.5]\ndrafter = [\"bigram\", "
                                  "\"tree\"]\npolicy = \"constant:3\"\n");
}

experiments::Plan SmallExperiment::plan(const std::vector<std::string>& settings) const {
  return experiments::make_plan(experiments::read_run_config(config_file(), settings));
}

experiments::OpenEngines SmallExperiment::open_engines() const {
  return [this]() -> std::unique_ptr<engines::Engines> {
    ++*num_engine_starts_;
    return std::make_unique<FakeEngines>(state_);
  };
}

experiments::RunOutcome SmallExperiment::run(const experiments::Plan& plan, const std::string& name,
                                             std::function<void()> check_interruption) const {
  return run(plan,
             experiments::RunOptions{
                 .folder = name, .limits = {.check_interruption = std::move(check_interruption)}});
}

experiments::RunOutcome SmallExperiment::run(const experiments::Plan& plan,
                                             experiments::RunOptions options) const {
  experiments::Progress progress(experiments::Progress::Style::silent);
  options.folder = folder(options.folder);
  return experiments::run_experiment(plan, options, open_engines(), progress);
}

void SmallExperiment::prepare(const experiments::Plan& plan, const std::string& name) const {
  experiments::Progress progress(experiments::Progress::Style::silent);
  experiments::prepare_run(plan, {.folder = folder(name)}, open_engines(), progress);
}

void SmallExperiment::measure(const experiments::Plan& plan, const std::string& name, int shard,
                              const std::vector<std::size_t>& rows) const {
  std::size_t next = 0;
  const auto assign = [&]() -> std::optional<experiments::Assignment> {
    if (next == rows.size()) return std::nullopt;
    return experiments::Assignment{rows[next++], 0};
  };
  experiments::measure_shard(plan, {.folder = folder(name)}, shard, {.next = assign},
                             open_engines());
}

void SmallExperiment::merge(const experiments::Plan& plan, const std::string& name) const {
  experiments::merge_run(plan, {.folder = folder(name)}, open_engines());
}

std::string SmallExperiment::file(const std::string& name, const std::string& file_name) const {
  return read_file(folder(name) + "/" + file_name);
}

std::size_t SmallExperiment::num_measured(const std::string& name) const {
  const std::string journal = file(name, "journal");
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = journal.find(" row ", at)) != std::string::npos; ++at) ++rows;
  return rows;
}

}  // namespace speclab::testing
