#include "experiments/drivers/levers/measure_levers.h"

#include <fmt/format.h>

#include "analysis/stats/bootstrap.h"
#include "analysis/stats/intervals.h"
#include "experiments/drivers/levers/lever_prompts.h"
#include "experiments/drivers/levers/measure_steps.h"
#include "experiments/drivers/program/build_info.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using Requests = std::vector<engines::Request>;

/// Sums over prompts or batches of one lever, plain and assisted.
struct LeverSums {
  analysis::ClusterTotals plain, assisted, speedup;  ///< tokens over seconds; seconds over seconds
  std::int64_t tokens = 0, plain_rounds = 0, assisted_rounds = 0;

  void add(const LeverDecoding& first, const LeverDecoding& second) {
    plain.add(static_cast<double>(first.tokens), first.seconds);
    assisted.add(static_cast<double>(second.tokens), second.seconds);
    speedup.add(first.seconds, second.seconds);
    tokens += first.tokens;
    plain_rounds += first.rounds;
    assisted_rounds += second.rounds;
  }
};

/// Alone, or in batches.
struct Company {
  int batch, new_tokens, draft_length;
};

class LeverBench {
 public:
  LeverBench(engines::Engines& engines, const LeverSettings& settings, const std::string& model,
             const SayLine& say)
      : engines_(engines),
        settings_(settings),
        model_(model),
        say_(say),
        levers_(load_levers(engines, model, say)),
        prompts_(read_lever_prompts(*loaded_.front().loaded.tokenizer,
                                    {settings.per_category, settings.num_batches, settings.batch,
                                     settings.batch_prompt_tokens})) {}

  std::vector<analysis::StepRow> steps() {
    say_(fmt::format("{}: times forwards of 1 to 16 rows", model_));
    return measure_steps(engines_, levers_, context());
  }

  std::vector<analysis::LeverRow> rows() {
    std::vector<analysis::LeverRow> rows;
    const Company alone{1, settings_.new_tokens, settings_.draft_length},
        together{settings_.batch, settings_.batch_new_tokens, settings_.batch_draft_length};
    for (LoadedLever& lever : loaded_) {
      say_(fmt::format("{}: decodes pilots with {}", model_, lever.lever->name));
      add_rows(lever, alone, rows);
    }
    measure_alone(alone, rows);
    for (LoadedLever& lever : loaded_)
      if (lever.lever->in_batches) measure_batches(lever, together, rows);
    return rows;
  }

 private:
  const std::vector<Token>& context() const { return prompts_.alone.front().prompt_ids; }

  /// A row of plain and one of assisted decoding, with their predictions.
  void add_rows(LoadedLever& lever, const Company& company, std::vector<analysis::LeverRow>& rows) {
    const int most = company.draft_length + 1;
    const int tokens =
        company.batch == 1 ? static_cast<int>(context().size()) : settings_.batch_prompt_tokens;
    std::vector<int> timed{company.batch, company.batch * most};
    if (company.batch == 1) timed = {1, 2, 4, most};
    const StepCosts costs(*lever.loaded.model, context(), tokens, timed);
    const engines::ModelInfo& info = lever.loaded.model->info();
    for (const int draft_length : {0, company.draft_length}) {
      rows.push_back({.model = model_,
                      .lever = lever.lever->name,
                      .arithmetic = info.dtype,
                      .kernels = info.kernels,
                      .batch = company.batch,
                      .draft_length = draft_length,
                      .predicted_tokens_per_s = predicted(lever, company, draft_length, costs),
                      .weight_bytes = info.weight_bytes,
                      .streamed_bytes = info.streamed_bytes,
                      .machine = engines_.machine_info().cpu_model,
                      .revision = kRevision});
    }
  }

  /// Tokens a second: the rounds of pilots tell rows and tokens, timed forwards what they cost.
  double predicted(LoadedLever& lever, const Company& company, int draft_length,
                   const StepCosts& costs) {
    if (draft_length == 0) return company.batch / (costs.at(company.batch) * 1e-9);
    double seconds = 0, tokens = 0;
    for (const engines::Request& pilot : prompts_.pilots) {
      const LeverDecoding decoded =
          decode_batch(engines_, lever.loaded, {pilot}, company.new_tokens, draft_length);
      tokens += static_cast<double>(decoded.tokens);
      for (const int rows : decoded.rows) seconds += costs.at(rows * company.batch) * 1e-9;
    }
    return company.batch * tokens / seconds;
  }

  /// @param rows  of the levers in turn, plain and assisted
  void measure_alone(const Company& company, std::vector<analysis::LeverRow>& rows) {
    std::vector<LeverSums> sums(loaded_.size());
    for (std::size_t p = 0; p < prompts_.alone.size(); ++p) {
      say_(fmt::format("{}: prompt {} of {}", model_, p + 1, prompts_.alone.size()));
      for (std::size_t i = 0; i < loaded_.size(); ++i) {
        loaded_[i].source_rates.push_back(source_rate(engines_, *loaded_[i].lever, levers_.path));
        add_pair(loaded_[i], {prompts_.alone[p]}, company, p % 2 == 1, sums[i]);
      }
    }
    for (std::size_t i = 0; i < loaded_.size(); ++i)
      fill(rows[2 * i], rows[2 * i + 1], sums[i], loaded_[i]);
  }

  /// Sequences of the first batch are decoded alone too, so that a batch has its like beside it.
  void measure_batches(LoadedLever& lever, const Company& company,
                       std::vector<analysis::LeverRow>& rows) {
    say_(fmt::format("{}: batches of {} with {}", model_, company.batch, lever.lever->name));
    add_rows(lever, company, rows);
    LeverSums sums;
    for (std::size_t b = 0; b < prompts_.batches.size(); ++b)
      add_pair(lever, prompts_.batches[b], company, b % 2 == 1, sums);
    analysis::LeverRow &plain = rows[rows.size() - 2], &assisted = rows.back();
    fill(plain, assisted, sums, lever);
    plain.batch_gain = plain.tokens_per_s / speed_alone(lever, company.new_tokens);
  }

  double speed_alone(LoadedLever& lever, int new_tokens) {
    constexpr std::size_t kSequences = 4;
    double tokens = 0, seconds = 0;
    for (std::size_t i = 0; i < kSequences; ++i) {
      const LeverDecoding decoded =
          decode_batch(engines_, lever.loaded, {prompts_.batches.front()[i]}, new_tokens, 0);
      tokens += static_cast<double>(decoded.tokens);
      seconds += decoded.seconds;
    }
    return tokens / seconds;
  }

  /// Neither way of decoding is always the first.
  void add_pair(LoadedLever& lever, const Requests& requests, const Company& company,
                bool assisted_first, LeverSums& sums) {
    const auto decoded = [&](int draft_length) {
      return decode_batch(engines_, lever.loaded, requests, company.new_tokens, draft_length);
    };
    LeverDecoding first = decoded(assisted_first ? company.draft_length : 0),
                  second = decoded(assisted_first ? 0 : company.draft_length);
    if (first.texts != second.texts)
      throw Error(ExitCode::drift,
                  fmt::format("model '{}' with {}: drafted text differs from plain text", model_,
                              lever.lever->name));
    if (assisted_first) std::swap(first, second);
    sums.add(first, second);
  }

  void fill(analysis::LeverRow& plain, analysis::LeverRow& assisted, const LeverSums& sums,
            const LoadedLever& lever) {
    fill(plain, sums.plain, sums.tokens, sums.plain_rounds, lever);
    fill(assisted, sums.assisted, sums.tokens, sums.assisted_rounds, lever);
    const analysis::Estimate speedup = bootstrap_.ratio(sums.speedup);
    assisted.speedup = speedup.value;
    assisted.speedup_interval = speedup.interval;
  }

  void fill(analysis::LeverRow& row, const analysis::ClusterTotals& totals, std::int64_t tokens,
            std::int64_t rounds, const LoadedLever& lever) {
    const analysis::Estimate rate = bootstrap_.ratio(totals);
    row.units = static_cast<std::int32_t>(rate.n);
    row.tokens = tokens;
    row.tokens_per_s = rate.value;
    row.interval = rate.interval;
    row.tokens_per_round = static_cast<double>(tokens) / static_cast<double>(rounds);
    row.source_bytes_per_s = analysis::median(lever.source_rates).value;
  }

  engines::Engines& engines_;
  const LeverSettings& settings_;
  std::string model_;
  const SayLine& say_;
  LoadedLevers levers_;
  std::vector<LoadedLever>& loaded_ = levers_.each;
  LeverPrompts prompts_;
  analysis::Bootstrap bootstrap_{1};
};

}  // namespace

LeverTables measure_levers(engines::Engines& engines, const LeverSettings& settings,
                           const SayLine& say) {
  LeverTables all;
  for (const std::string& model : settings.models) {
    LeverBench bench(engines, settings, model, say);
    const std::vector<analysis::StepRow> steps = bench.steps();
    const std::vector<analysis::LeverRow> rows = bench.rows();
    all.steps.insert(all.steps.end(), steps.begin(), steps.end());
    all.rows.insert(all.rows.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace speclab::experiments
