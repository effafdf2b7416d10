// The batch at which speculation stops paying, by a roofline (MagicDec, Section 3.2), beside what
// others measured over batches.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/analytic/batch.h"
#include "sim/analytic/roofline.h"
#include "sim/analytic/static_tree.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kMostBatch = 1 << 14;
constexpr double kKvBytes =
    131072;  ///< of a token of the target: 32 layers, 8 heads of 128, two numbers of two bytes
constexpr double kDraftKvBytes = 32768;
constexpr double kBytesPerParameter = 2.0;
const std::vector<double> kChildAcceptance{
    0.8, 0.16};  ///< acceptance of a node's first and second child

/// Which drafts, as `--tree` writes them.
constexpr const char* kChains[] = {"1", "2", "4", "8"};
constexpr const char* kTrees[] = {"2x1", "2x2", "2x1x1x1", "2x2x2x2"};

struct Pair {
  const char *target, *draft;
};
constexpr Pair kPairs[] = {
    {"llama-2-7b", "llama-68m"}, {"llama-3-8b", "llama-3.2-1b"}, {"llama-2-70b", "llama-2-7b"}};

/// An 8B-class target and a 1.2B-class draft on one H200, as in the worked examples, with the cache
/// that grows with the text.
sim::BatchSetting example_machine(int batch, int context) {
  return {.target = {15e9, 7.5e9, kKvBytes},
          .draft = {2.47e9, 1.235e9, kDraftKvBytes},
          .device = {4.3e12, 788e12},
          .batch = batch,
          .context = context};
}

/// One row: the batch, or the speed-up that is left at the largest where the draft pays at every
/// one.
void add_crossover(const std::string& draft, const std::string& where, sim::BatchSetting setting,
                   Reproduction& result) {
  const TreeShape shape = TreeShape::parse(draft, 0);
  const auto rounds = sim::BatchDraft::tree(shape);
  const double tokens = sim::tree_tokens_per_round(shape, kChildAcceptance);
  const auto batch = sim::crossover_batch(tokens, rounds, setting, kMostBatch);
  setting.batch = kMostBatch;
  result.rows.push_back(
      {.setting =
           fmt::format("acceptance_rate=0.8;tree={};context={}{}", draft, setting.context, where),
       .quantity =
           batch ? "crossover_batch" : fmt::format("predicted_batch_speedup_at_{}", kMostBatch),
       .ours = batch ? static_cast<double>(*batch)
                     : sim::predicted_batch_speedup(tokens, rounds, setting),
       .source = "own",
       .locator = "roofline"});
}

void add_example_machine(Reproduction& result) {
  for (const int context : {0, 2048, 8192}) {
    for (const char* chain : kChains) add_crossover(chain, "", example_machine(1, context), result);
    for (const char* tree : kTrees) add_crossover(tree, "", example_machine(1, context), result);
  }
}

void add_named(const Pair& pair, const std::string& device, Reproduction& result) {
  sim::BatchSetting setting{.target = sim::named_model(pair.target).model_shape(kBytesPerParameter),
                            .draft = sim::named_model(pair.draft).model_shape(kBytesPerParameter),
                            .device = sim::named_device(device)};
  const std::string where =
      fmt::format(";target={};draft={};device={}", pair.target, pair.draft, device);
  for (const int context : {0, 2048}) {
    setting.context = context;
    for (const char* draft : {"4", "2x2x2x2"}) add_crossover(draft, where, setting, result);
  }
}

/// The batch at which chains and token trees stop paying at acceptance rate 0.8, and siblings of
/// them at 0.16: on the example machine and for named models on named devices. Results of ours,
/// with no number of a paper beside them; of what pays at every batch the speed-up at the largest
/// tried.
void add_crossovers(Reproduction& result) {
  add_example_machine(result);
  for (const Pair& pair : kPairs)
    for (const std::string& device : sim::device_names()) add_named(pair, device, result);
}

sim::BatchSetting setting_of(const analysis::Table& table, std::size_t row) {
  return {.target = {table.number(row, "weight_bytes"), table.number(row, "parameters"), 0.0},
          .draft = {table.number(row, "draft_weight_bytes"), table.number(row, "draft_parameters"),
                    0.0},
          .device = {table.number(row, "bandwidth_bytes_per_s"), table.number(row, "flop_per_s")},
          .batch = small_count(table, row, "batch", 1),
          .context = small_count(table, row, "context")};
}

double forward_ms(const analysis::Table& table, std::size_t row) {
  return sim::forward_time_ms(
      {table.number(row, "weight_bytes"), table.number(row, "parameters"),
       table.number(row, "kv_bytes_per_token")},
      {table.number(row, "bandwidth_bytes_per_s"), table.number(row, "flop_per_s")},
      {.batch = small_count(table, row, "batch", 1),
       .rows = small_count(table, row, "rows", 1),
       .context = small_count(table, row, "context")});
}

double ours_of(const analysis::Table& table, std::size_t row) {
  const std::string quantity = table.text(row, "quantity");
  const auto rate = [&] { return table.number(row, "acceptance_rate"); };
  const auto length = [&] { return small_count(table, row, "speculation_length"); };
  const auto batch = [&] { return small_count(table, row, "batch", 1); };
  if (quantity == "forward_time_ms") return forward_ms(table, row);
  if (quantity == "ridge_rows")
    return sim::ridge_rows(
        {table.number(row, "bandwidth_bytes_per_s"), table.number(row, "flop_per_s")},
        table.number(row, "bytes_per_parameter"));
  if (quantity == "verify_cost_ratio")
    return sim::batch_costs(setting_of(table, row), length()).verify_cost_ratio;
  if (quantity == "cost_ratio")
    return sim::batch_costs(setting_of(table, row), length()).cost_ratio;
  if (quantity == "predicted_batch_speedup")
    return sim::predicted_batch_speedup(rate(), length(), setting_of(table, row));
  if (quantity == "batched_round_tokens_mean_max")
    return sim::batched_round_tokens_mean_max(rate(), length(), batch());
  if (quantity == "batched_round_tokens_mean_min")
    return sim::batched_round_tokens_mean_min(rate(), length(), batch());
  if (quantity == "offload_token_time_s")
    return sim::offload_token_time_s(table.number(row, "weight_bytes"),
                                     table.number(row, "bandwidth_bytes_per_s"));
  table.fail(row, "quantity", "'" + escaped(quantity) + "' is no formula of batches");
}

std::string text_of_row(const analysis::Table& table, std::size_t row) {
  const char* columns[] = {"batch", "rows", "context", "acceptance_rate", "speculation_length"};
  const std::string setting = setting_in(table, row, columns);
  return setting.empty() ? "bandwidth_bytes_per_s=" + table.text(row, "bandwidth_bytes_per_s")
                         : setting;
}

/// "batch=16;..." as a number.
std::optional<int> batch_of(const std::string& condition, const std::string& key) {
  if (!condition.starts_with(key)) return std::nullopt;
  int batch = 0;
  const char* begin = condition.data() + key.size();
  if (std::from_chars(begin, condition.data() + condition.size(), batch).ec != std::errc())
    return std::nullopt;
  return batch;
}

/// What a paper measured over batches: rows of context_headlines.csv whose condition begins with
/// `key`.
struct MeasuredLine {
  std::string method, source, key, device;
};

analysis::Series measured(const analysis::Table& table, const MeasuredLine& line,
                          std::size_t colour) {
  analysis::Series series{.name = fmt::format("{} ({})", line.method, line.device),
                          .colour = colour};
  for (std::size_t row = 0; row < table.size(); ++row) {
    const bool is_ratio = is(table, row, "quantity", "throughput_ratio") ||
                          is(table, row, "quantity", "speedup_ratio");
    const auto batch = batch_of(table.optional_text(row, "condition").value_or(""), line.key);
    const bool is_line = is(table, row, "method", line.method) &&
                         is(table, row, "source", line.source) &&
                         is(table, row, "target_model", "Llama-3.1-8B");
    if (is_line && is_ratio && batch)
      series.points.push_back(paper_point(*batch, table.number(row, "value")));
  }
  return series;
}

analysis::Figure empty_figure(const char* id, const char* title, std::string caption) {
  return {.id = id,
          .title = title,
          .caption = std::move(caption),
          .x = {.label = "batch, sequences",
                .scale = analysis::Scale::logarithmic,
                .range = analysis::Interval{0.8, 600}},
          .y = axis("speed-up", 0, 3),
          .reference = analysis::ReferenceLine{1.0, "plain decoding"}};
}

/// Shapes differ from machine to machine; what must agree is that the gain falls with the batch
/// unless the cache dominates.
analysis::Figure roofline_figure() {
  analysis::Figure figure =
      empty_figure("batch_crossover", "Speed-up over the batch, by roofline",
                   "Acceptance rate 0.8. An 8B-class target and a 1.2B-class draft on one H200 "
                   "(4.3e12 B/s, 788e12 FLOP/s), chain of 4 after contexts of 0, 2048 "
                   "and 8192 tokens, and a binary tree of depth 4 (31 nodes) at context 0 with "
                   "acceptance by rank 0.8, 0.16. MagicDec 2024, Section 3.2.");
  const auto batches = steps(0, 9, 90);
  for (const int context : {0, 2048, 8192}) {
    std::vector<analysis::Point> points;
    for (const double power : batches)
      points.push_back(vertex(
          std::round(std::exp2(power)),
          sim::predicted_batch_speedup(
              0.8, 4, example_machine(static_cast<int>(std::lround(std::exp2(power))), context))));
    figure.series.push_back(
        curve(fmt::format("chain of 4, context {}", context), figure.series.size() + 1, points));
  }
  const TreeShape tree = TreeShape::parse("2x2x2x2", 0);
  const double ranks[] = {0.8, 0.16};
  std::vector<analysis::Point> points;
  for (const double power : batches)
    points.push_back(
        vertex(std::round(std::exp2(power)),
               sim::predicted_batch_speedup(
                   sim::tree_tokens_per_round(tree, ranks), sim::BatchDraft::tree(tree),
                   example_machine(static_cast<int>(std::lround(std::exp2(power))), 0))));
  figure.series.push_back(curve("binary tree of 31, context 0", 4, points));
  return figure;
}

analysis::Figure measured_figure(const analysis::Table& table) {
  analysis::Figure figure =
      empty_figure("batch_crossover_measured", "Speed-up over the batch, as measured",
                   "Llama-3.1-8B. EAGLE and EAGLE-3 on an H100 (SGLang, chain of 3; EAGLE-3 "
                   "paper), trees and chains on a B200 (SGLang, gsm8k; DFlash paper). "
                   "Context: read from the papers' tables, other machines than the roofline's.");
  figure.x.range = analysis::Interval{0.8, 100};
  const MeasuredLine lines[] = {{"EAGLE", "eagle3_2025", "batch=", "H100"},
                                {"EAGLE-3", "eagle3_2025", "batch=", "H100"},
                                {"EAGLE-3 chain of 10", "dflash2026", "concurrency=", "B200"},
                                {"EAGLE-3 tree of 60", "dflash2026", "concurrency=", "B200"},
                                {"DFlash block of 10", "dflash2026", "concurrency=", "B200"}};
  for (const MeasuredLine& line : lines)
    figure.series.push_back(measured(table, line, figure.series.size() + 1));
  return figure;
}

}  // namespace

Reproduction batch_crossover(const Papers& papers) {
  Reproduction result;
  add_values(papers.table("batch_examples.csv"), text_of_row, ours_of, result);
  add_crossovers(result);
  result.figures = {roofline_figure(), measured_figure(papers.table("context_headlines.csv"))};
  return result;
}

}  // namespace speclab::experiments
