#include "experiments/drivers/workers/shard.h"

#include <fmt/format.h>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/origin.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/predict/predictions.h"
#include "experiments/drivers/run/run_files.h"
#include "experiments/drivers/run/run_journals.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

/// A copy of the section's header opens it in the journal of a shard; what the run has measured is
/// known beside it.
void begin_shard(RunLog& log, const RunLog& run, const Plan& plan) {
  const int section = run.section_of(plan);
  if (!log.sections().empty()) log.secure();
  if (!log.sections().contains(section))
    log.open_section(section, run.sections().at(section).header);
  log.include(run);
  log.look_at(plan);
}

[[noreturn]] void throw_not_prepared(const RunOptions& options) {
  throw DataError(fmt::format(
      "{}: pilots, costs and predictions of this config are missing, and shards need them",
      options.folder));
}

}  // namespace

void measure_shard(const Plan& plan, const RunOptions& options, int shard, const ShardFeed& feed,
                   const OpenEngines& open_engines) {
  const std::string own_folder = shard_folder(options.folder, shard);
  make_folder(own_folder);
  const auto lock = lock_soon(own_folder, options.network_folder);
  const RunLog run(options.folder, Journal::Tail::left);
  const int section = run.section_of(plan);
  if (section == 0) throw_not_prepared(options);
  RunLog log(own_folder);
  const std::unique_ptr<engines::Engines> engines = open_engines();
  const LoadedPlan loaded = load_plan(plan, *engines, options.threads);
  check_same_origin(run.sections().at(section).header, current_origin(loaded, options.workers),
                    options.folder);
  begin_shard(log, run, plan);
  if (!is_prepared(plan, log)) throw_not_prepared(options);
  Progress silent(Progress::Style::silent);
  Workbench bench(loaded, log, silent, options.limits);
  GenerationMeter meter(bench);
  while (const auto assignment = feed.next()) {
    feed.begun(assignment->row);
    const Measured measured = meter.measure(assignment->row, assignment->attempts);
    feed.ended(assignment->row, measured);
    if (measured.failed && leaves_doubt(*measured.failed)) return;
  }
}

void note_failure(const Plan& plan, const RunOptions& options, int shard,
                  const FailureEntry& failure) {
  const std::string folder = shard_folder(options.folder, shard);
  make_folder(folder);
  const auto lock = lock_soon(folder, options.network_folder);
  RunLog log(folder);
  begin_shard(log, RunLog(options.folder, Journal::Tail::left), plan);
  log.add(failure);
}

std::vector<std::vector<std::size_t>> blocks_of(const Plan& plan,
                                                const std::vector<std::size_t>& rows) {
  std::vector<std::vector<std::size_t>> blocks;
  for (const std::size_t row : rows) {
    if (blocks.empty() ||
        !plan.are_compared(plan.generations[blocks.back().back()], plan.generations[row]))
      blocks.emplace_back();
    blocks.back().push_back(row);
  }
  return blocks;
}

std::vector<std::vector<std::size_t>> dealt(const std::vector<std::vector<std::size_t>>& blocks,
                                            std::size_t num_shards) {
  std::vector<std::vector<std::size_t>> hands(num_shards);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    hands[i % num_shards].insert(hands[i % num_shards].end(), blocks[i].begin(), blocks[i].end());
  return hands;
}

}  // namespace speclab::experiments
