#include "experiments/drivers/reproduce/crossovers.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/analytic/roofline.h"
#include "sim/analytic/static_tree.h"

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

}  // namespace

sim::BatchSetting example_machine(int batch, int context) {
  return {.target = {15e9, 7.5e9, kKvBytes},
          .draft = {2.47e9, 1.235e9, kDraftKvBytes},
          .device = {4.3e12, 788e12},
          .batch = batch,
          .context = context};
}

void add_crossovers(Reproduction& result) {
  add_example_machine(result);
  for (const Pair& pair : kPairs)
    for (const std::string& device : sim::device_names()) add_named(pair, device, result);
}

}  // namespace speclab::experiments
