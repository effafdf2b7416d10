// Assisted generation over temperature and over the target's size: Hugging Face 2023, NTT 2023.

#include <fmt/format.h>

#include <set>

#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// What tells the two articles' temperature figures apart.
struct TemperatureFigure {
  const char* id;
  const char* title;
  const char* verifier;
  const char* theirs;
};

std::vector<const analysis::Group*> over_temperature(const MeasuredRun& run,
                                                     const std::string& verifier) {
  std::vector<const analysis::Group*> groups;
  for (const analysis::Group& group : run.pooled())
    if (group.axes.verifier == verifier && group.axes.policy == "heuristic" &&
        group.axes.drafter == "small_transformer" && group.summary.speedup)
      groups.push_back(&group);
  return groups;
}

std::string fall_remark(const std::vector<const analysis::Group*>& groups) {
  const analysis::Group &first = *groups.front(), &last = *groups.back();
  return fmt::format(
      "from temperature {} to {} the speed-up goes from {:.2f} to {:.2f} and acceptance from "
      "{:.2f} to {:.2f}; theirs falls with temperature",
      first.axes.temperature, last.axes.temperature, first.summary.speedup->value,
      last.summary.speedup->value, needed(first.summary.acceptance_rate, "drafts").value,
      needed(last.summary.acceptance_rate, "drafts").value);
}

Reproduction temperature_figure(const TemperatureFigure& what, const MeasuredRun& run) {
  BesideFigure figure(what.id, what.title, {.label = "temperature"}, "speed-up over plain decoding",
                      "Ours, " + run.description() +
                          ", lengths by the schedule +2/-1, bars 95 % over prompts. The article's "
                          "figure has no numbers.");
  Reproduction result;
  const auto groups = over_temperature(run, what.verifier);
  if (groups.empty())
    throw DataError(fmt::format(
        "the sweep has no cells under {}; measure it with the config in experiments/configs/papers",
        what.verifier));
  for (const analysis::Group* group : groups) {
    const std::string setting =
        fmt::format("temperature={};verifier={}", group->axes.temperature, what.verifier);
    result.rows.push_back(measured(setting, "speedup", *group->summary.speedup));
    result.rows.push_back(
        measured(setting, "acceptance_rate",
                 needed(group->summary.acceptance_rate, "drafts at some temperature")));
    figure.add("small transformer", group->axes.temperature, *group->summary.speedup);
  }
  result.figures.push_back(figure.figure());
  result.remarks.push_back(fall_remark(groups));
  result.remarks.push_back(context_remark(run.description(), what.theirs));
  return result;
}

/// Parameters by name of the target.
double parameters_of(const MeasuredRun& run, const std::string& model) {
  return static_cast<double>(run.manifest().target(model).parameters);
}

const analysis::Group& group_of(const MeasuredRun& run, const std::string& model, bool is_plain) {
  return group_where(
      run.pooled(),
      [&](const analysis::Group& g) {
        return g.axes.model == model && g.axes.is_plain() == is_plain;
      },
      model);
}

}  // namespace

Reproduction hf_temperature(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun run(folders.at("temperature"));
  const analysis::Table claims = papers.table("hf_assisted_generation.csv");
  Reproduction result = temperature_figure(
      {"hf_temperature", "Assisted generation over temperature, a sample must match",
       "sample_and_match",
       "OPT and other pairs in PyTorch, an RTX 3090 and others; their sampling looks whether the "
       "target's sample is the draft"},
      run);
  for (Comparison& row : result.rows)
    if (row.quantity == "speedup" && row.setting.starts_with("temperature=0;"))
      row = beside_claim(claims, row, "speedup_max_ratio",
                         "theirs: greedy, the upper end where the target fits into memory");
  return result;
}

Reproduction ntt_temperature(const Papers&, const RunFolders& folders) {
  return temperature_figure(
      {"ntt_temperature", "Assisted generation over temperature, ratio test", "rejection",
       "OPT-6.7B and 13B, drafts of OPT-125M, one A100, openings of C4"},
      MeasuredRun(folders.at("temperature")));
}

Reproduction ntt_model_size(const Papers& papers, const RunFolders& folders) {
  const MeasuredRun run(folders.at("model_size"));
  BesideFigure figure(
      "ntt_model_size", "Walltime over the target's size, with one assistant",
      {.label = "million parameters of the target", .scale = analysis::Scale::logarithmic},
      "walltime of a generation, ms",
      "Ours, " + run.description() +
          ", greedy, schedule +2/-1. Sizes but the real one have random weights "
          "and replay its acceptance.");
  std::set<std::pair<double, std::string>> models;
  for (const analysis::Group& group : run.pooled())
    models.emplace(parameters_of(run, group.axes.model), group.axes.model);
  Reproduction result;
  for (const auto& [parameters, model] : models) {
    const analysis::Group &plain = group_of(run, model, true),
                          &assisted = group_of(run, model, false);
    result.rows.push_back(
        measured(fmt::format("target={};parameters_millions={:.0f}", model, parameters / 1e6),
                 "speedup", needed(assisted.summary.speedup, "plain generations of " + model)));
    figure.add("plain", parameters / 1e6, scaled(plain.summary.walltime_ns, 1e-6));
    figure.add("small transformer", parameters / 1e6, scaled(assisted.summary.walltime_ns, 1e-6));
  }
  const auto plain_step = [&](const std::string& model) {
    return group_of(run, model, true).summary.round_ns.value;
  };
  const auto& [least, smallest] = *models.begin();
  const auto& [most, largest] = *models.rbegin();
  result.rows.push_back(beside_claim(
      papers.table("ntt_assisted_generation.csv"),
      {.setting = largest + " / " + smallest,
       .quantity = "plain_step_time_ratio",
       .ours = plain_step(largest) / plain_step(smallest)},
      "opt_13b_over_125m_time_ratio",
      fmt::format("theirs: OPT-13B over OPT-125M, a hundredfold of parameters; ours {:.0f}-fold",
                  most / least)));
  result.figures.push_back(figure.figure());
  result.remarks.push_back(
      context_remark(run.description(), "OPT of 125M to 13B on one A100, assistant OPT-125M"));
  return result;
}

}  // namespace speclab::experiments
