// The levers on latency that the first article names: smaller weights, weights beyond memory,
// batches, and assistance on each of them. Hugging Face 2023.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/levers/measure_levers.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr const char* kRows = "/levers.csv";

LeverSettings settings_of(bool quick) {
  if (quick) return {.models = {"smollm2-135m"}};
  return {.models = {"smollm2-135m", "qwen2.5-coder-1.5b"}, .per_category = 2};
}

std::string setting_of(const analysis::LeverRow& row) {
  return fmt::format("model={};lever={};batch={};draft_length={}", row.model, row.lever, row.batch,
                     row.draft_length);
}

Comparison speed(const analysis::LeverRow& row) {
  Comparison result =
      measured(setting_of(row), "tokens_per_s",
               {row.tokens_per_s, row.interval, static_cast<std::size_t>(row.units)});
  result.note = fmt::format("predicted {:.4g}; {} in {}", row.predicted_tokens_per_s,
                            row.streamed_bytes > 0 ? "layers streamed" : "all weights in memory",
                            row.arithmetic);
  return result;
}

/// The article's claim beside ours, under the name of ours.
Comparison claim(const analysis::Table& claims, Comparison ours, const char* theirs,
                 std::string note) {
  const std::string quantity = ours.quantity;
  ours.quantity = theirs;
  ours = compare(claims, ours);
  ours.quantity = quantity;
  ours.note = std::move(note);
  return ours;
}

/// The gain of assistance alone with bfloat16, int8 and streamed weights.
std::optional<Comparison> assisted_claim(const analysis::Table& claims,
                                         const analysis::LeverRow& row) {
  if (row.batch != 1 || row.is_plain() || !row.speedup) return std::nullopt;
  const Comparison ours =
      measured(setting_of(row), "speedup",
               {*row.speedup, row.speedup_interval, static_cast<std::size_t>(row.units)});
  const std::string round = fmt::format("ours at {:.2f} tokens a round", row.tokens_per_round);
  if (row.lever == "bfloat16")
    return claim(claims, ours, "speedup_max_ratio", "theirs: greedy, the upper end; " + round);
  if (row.lever == "int8")
    return claim(claims, ours, "speedup_int8_max_ratio",
                 "theirs: greedy, the upper end with int8 weights; " + round);
  if (row.lever == "streamed")
    return claim(claims, ours, "speedup_offload_max_ratio",
                 "theirs: greedy, the upper end off-loaded; " + round);
  Comparison only = ours;
  only.note = "no claim of theirs; " + round;
  return only;
}

std::optional<Comparison> batch_claim(const analysis::Table& claims,
                                      const analysis::LeverRow& row) {
  if (!row.batch_gain) return std::nullopt;
  Comparison ours{
      .setting = setting_of(row), .quantity = "batch_gain_ratio", .ours = *row.batch_gain};
  if (row.lever != "bfloat16") return ours;
  return claim(claims, ours, "distilgpt2_batch_gain_ratio",
               "theirs: distilgpt2 in a batch of 64 on an RTX 3090");
}

analysis::Figure figure_of(const std::vector<analysis::LeverRow>& rows) {
  BesideFigure figure(
      "latency_levers", "Tokens a second under each lever", {.label = ""}, "tokens a second",
      fmt::format("Filled: measured on {}, bars 95 % over {} prompts, or over batches. "
                  "Hollow: predicted from timed forwards and the rounds of pilots. "
                  "Greedy; assisted by prompt lookup.",
                  rows.front().machine, rows.front().units));
  for (const analysis::LeverRow& row : rows) {
    const std::string series =
        fmt::format("{}, {}", row.is_plain() ? "plain" : "assisted",
                    row.batch == 1 ? "alone" : fmt::format("batch {}", row.batch));
    const double x = figure.place(fmt::format("{}, {}", row.model, row.lever));
    figure.add(series, x, {row.tokens_per_s, row.interval, static_cast<std::size_t>(row.units)});
    figure.add_theirs(series, x, row.predicted_tokens_per_s);
  }
  analysis::Figure drawn = figure.figure();
  drawn.y.scale = analysis::Scale::logarithmic;
  return drawn;
}

void require_own_rows(const std::string& path) {
  for (const analysis::LeverRow& row : analysis::levers_table().read(path))
    require_own_revision(path, row.revision);
}

}  // namespace

/// @throws Error(drift) if rows of another program are there
void measure_latency_levers(const Papers&, const std::string& folder, bool quick) {
  if (std::filesystem::exists(folder + kRows)) return require_own_rows(folder + kRows);
  const auto engines = open_engines();
  const LeverTables tables =
      measure_levers(*engines, settings_of(quick),
                     [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
  make_folder(folder);
  write_file(folder + "/steps.csv", analysis::steps_table().csv(tables.steps));
  write_file(folder + kRows, analysis::levers_table().csv(tables.rows));
}

Reproduction latency_levers(const Papers& papers, const RunFolders& folders) {
  const std::vector<analysis::LeverRow> rows =
      analysis::levers_table().read(folders.at("latency_levers") + kRows);
  if (rows.empty()) throw DataError(folders.at("latency_levers") + kRows + ": no rows");
  const analysis::Table claims = papers.table("hf_assisted_generation.csv");
  Reproduction result;
  for (const analysis::LeverRow& row : rows)
    if (const auto found = assisted_claim(claims, row)) result.rows.push_back(*found);
  for (const analysis::LeverRow& row : rows)
    if (const auto found = batch_claim(claims, row)) result.rows.push_back(*found);
  for (const analysis::LeverRow& row : rows) result.rows.push_back(speed(row));
  result.figures.push_back(figure_of(rows));
  result.remarks.push_back(
      context_remark(fmt::format("greedy decoding on {}, revision {}", rows.front().machine,
                                 rows.front().revision),
                     "OPT and other pairs in PyTorch, an RTX 3090 and others"));
  return result;
}

}  // namespace speclab::experiments
