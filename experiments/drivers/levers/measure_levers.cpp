#include "experiments/drivers/levers/measure_levers.h"

#include <fmt/format.h>
#include <speclab_revision.h>

#include <algorithm>
#include <chrono>

#include "analysis/stats/bootstrap.h"
#include "analysis/stats/median.h"
#include "experiments/drivers/levers/measure_steps.h"
#include "experiments/drivers/levers/step_costs.h"
#include "experiments/drivers/plan/chat_prompt.h"
#include "experiments/drivers/plan/prompt_set.h"
#include "sim/core/errors.h"
#include "sim/core/policies/constant_policy.h"

namespace speclab::experiments {
namespace {

using Requests = std::vector<engines::Request>;

constexpr int kShareOfWeights = 5;  ///< that stay of a streamed model
const std::vector<std::string> kCategories{"code_editing", "extraction", "summarisation"};

/// What one generation of a batch came to.
struct Decoded {
  std::vector<std::vector<Token>> texts;
  std::int64_t tokens = 0, rounds = 0;  ///< of all sequences
  double seconds = 0;
  std::vector<int> rows;  ///< of every round of every sequence
};

Decoded decode(engines::Engines& engines, engines::LoadedModel& loaded, const Requests& requests,
               int new_tokens, int draft_length) {
  const auto decoder =
      engines.make_decoder(*loaded.model, loaded.tokenizer,
                           {.sampling = {.temperature = 0},
                            .stop = {.max_new_tokens = new_tokens, .ignore_eos = true},
                            .drafter = {.kind = draft_length == 0 ? "plain" : "prompt_lookup"},
                            .verifier = "greedy"});
  decoder->begin(requests, ConstantPolicy(draft_length));
  const auto start = std::chrono::steady_clock::now();
  while (decoder->round()) {
  }
  Decoded decoded;
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const GenerationRecord& record : decoder->records()) {
    decoded.texts.push_back(record.output_ids);
    decoded.tokens += static_cast<std::int64_t>(record.output_ids.size());
    decoded.rounds += static_cast<std::int64_t>(record.rounds.size());
    for (const RoundRecord& round : record.rounds) decoded.rows.push_back(round.rows);
  }
  return decoded;
}

/// Sums over prompts of one lever, plain and assisted.
struct LeverSums {
  analysis::ClusterTotals plain, assisted, speedup;  ///< tokens over seconds; seconds over seconds
  std::int64_t tokens = 0, plain_rounds = 0, assisted_rounds = 0;

  void add(const Decoded& first, const Decoded& second) {
    plain.add(static_cast<double>(first.tokens), first.seconds);
    assisted.add(static_cast<double>(second.tokens), second.seconds);
    speedup.add(first.seconds, second.seconds);
    tokens += first.tokens;
    plain_rounds += first.rounds;
    assisted_rounds += second.rounds;
  }
};

class LeverBench {
 public:
  LeverBench(engines::Engines& engines, const LeverSettings& settings, std::string model,
             const std::function<void(const std::string&)>& say)
      : engines_(engines), settings_(settings), model_(std::move(model)), say_(say) {
    for (const engines::KnownModel& known : engines_.known_models())
      if (known.name == model_) require_there(known);
    if (path_.empty())
      throw ConfigError(fmt::format("model '{}' is not in the catalogue", escaped(model_)));
    for (const Lever& lever : levers()) load(lever);
    read_requests();
  }

  std::vector<StepRow> steps() {
    say_(fmt::format("{}: times forwards of 1 to 16 rows", model_));
    return measure_steps(engines_, model_, path_, loaded_, requests_.front().prompt_ids);
  }

  std::vector<LeverRow> rows() {
    std::vector<LeverRow> rows;
    for (const int draft_length : {0, settings_.draft_length}) add_rows(1, draft_length, rows);
    for (const int draft_length : {0, settings_.batch_draft_length})
      add_rows(settings_.batch, draft_length, rows);
    predict(rows);
    measure_alone(rows);
    measure_batch(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].source_bytes_per_s = analysis::median(loaded_[i % loaded_.size()].source_rates).value;
    return rows;
  }

 private:
  void require_there(const engines::KnownModel& known) {
    if (!known.fetched_by.empty())
      throw ConfigError(
          fmt::format("model '{}' is not here (run {})", known.name, known.fetched_by));
    path_ = known.path;
  }

  void load(const Lever& lever) {
    say_(fmt::format("{}: loads {}", model_, lever.name));
    engines::ModelOptions options{.model = model_};
    options.dtype = lever.dtype;
    options.activations = lever.activations;
    if (lever.streams) {
      options.weights = "streamed";
      options.resident_bytes =
          loaded_.front().loaded.model->info().num_parameters / kShareOfWeights * 2 / 3;
    }
    loaded_.push_back({&lever, engines_.load_model(options), {}});
  }

  void read_requests() {
    const auto ids = [&](const Prompt& prompt) {
      return chat_prompt_ids(*loaded_.front().loaded.tokenizer, prompt.text, "auto");
    };
    for (const Prompt& prompt : read_prompts(
             {.set = "core", .categories = kCategories, .per_category = settings_.per_category}))
      requests_.push_back({0, ids(prompt)});
    for (const Prompt& prompt :
         read_prompts({.set = "pilot", .categories = kCategories, .per_category = 1}))
      pilots_.push_back({0, ids(prompt)});
    const std::vector<Prompt> all = read_prompts({.set = "core", .per_category = 0});
    for (int i = 0; i < settings_.batch; ++i) {
      engines::Request request{static_cast<std::uint32_t>(i),
                               ids(all[static_cast<std::size_t>(i) % all.size()])};
      const auto length = static_cast<std::size_t>(settings_.batch_prompt_tokens);
      if (request.prompt_ids.size() > length)
        request.prompt_ids.erase(request.prompt_ids.begin(),
                                 request.prompt_ids.end() - static_cast<std::ptrdiff_t>(length));
      batch_.push_back(std::move(request));
    }
  }

  void add_rows(int batch, int draft_length, std::vector<LeverRow>& rows) {
    for (const LoadedLever& each : loaded_) {
      const engines::ModelInfo& info = each.loaded.model->info();
      rows.push_back({.model = model_,
                      .lever = each.lever->name,
                      .arithmetic = info.dtype,
                      .kernels = info.kernels,
                      .batch = batch,
                      .draft_length = draft_length,
                      .weight_bytes = info.weight_bytes,
                      .streamed_bytes = info.streamed_bytes,
                      .machine = engines_.machine_info().cpu_model,
                      .revision = SPECLAB_REVISION});
    }
  }

  /// Forwards are timed, and pilots decoded under each lever: their rounds tell rows and tokens.
  void predict(std::vector<LeverRow>& rows) {
    const std::vector<Token>& tokens = requests_.front().prompt_ids;
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      say_(fmt::format("{}: times forwards and decodes pilots with {}", model_,
                       loaded_[i].lever->name));
      engines::LanguageModel& model = *loaded_[i].loaded.model;
      const StepCosts alone(model, tokens, static_cast<int>(tokens.size()),
                            {1, 2, 4, settings_.draft_length + 1});
      const StepCosts wide(model, tokens, settings_.batch_prompt_tokens,
                           {settings_.batch, settings_.batch * (settings_.batch_draft_length + 1)});
      for (std::size_t row = i; row < rows.size(); row += loaded_.size())
        predict(rows[row], loaded_[i], rows[row].batch == 1 ? alone : wide);
    }
  }

  void predict(LeverRow& row, LoadedLever& lever, const StepCosts& costs) {
    double seconds = 0, tokens = 0;
    for (const engines::Request& pilot : pilots_) {
      if (row.is_plain()) continue;
      const Decoded decoded = decode(
          engines_, lever.loaded, {pilot},
          row.batch == 1 ? settings_.new_tokens : settings_.batch_new_tokens, row.draft_length);
      tokens += static_cast<double>(decoded.tokens);
      for (const int rows : decoded.rows) seconds += costs.at(rows * row.batch) * 1e-9;
    }
    if (row.is_plain()) {
      tokens = 1;
      seconds = costs.at(row.batch) * 1e-9;
    }
    row.predicted_tokens_per_s = row.batch * tokens / seconds;
  }

  void measure_alone(std::vector<LeverRow>& rows) {
    std::vector<LeverSums> measured(loaded_.size());
    for (std::size_t p = 0; p < requests_.size(); ++p) {
      say_(fmt::format("{}: prompt {} of {}", model_, p + 1, requests_.size()));
      for (std::size_t i = 0; i < loaded_.size(); ++i) {
        loaded_[i].source_rates.push_back(source_rate(engines_, *loaded_[i].lever, path_));
        add_pair(i, {requests_[p]}, settings_.new_tokens, settings_.draft_length, measured[i]);
      }
    }
    for (std::size_t i = 0; i < loaded_.size(); ++i)
      fill(rows[i], rows[loaded_.size() + i], measured[i]);
  }

  void measure_batch(std::vector<LeverRow>& rows) {
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      say_(fmt::format("{}: a batch of {} with {}", model_, settings_.batch,
                       loaded_[i].lever->name));
      LeverSums measured;
      add_pair(i, batch_, settings_.batch_new_tokens, settings_.batch_draft_length, measured);
      fill(rows[2 * loaded_.size() + i], rows[3 * loaded_.size() + i], measured);
    }
  }

  void add_pair(std::size_t lever, const Requests& requests, int new_tokens, int draft_length,
                LeverSums& measured) {
    const Decoded plain = decode(engines_, loaded_[lever].loaded, requests, new_tokens, 0),
                  assisted =
                      decode(engines_, loaded_[lever].loaded, requests, new_tokens, draft_length);
    if (plain.texts != assisted.texts)
      throw Error(ExitCode::drift,
                  fmt::format("model '{}' with {}: drafted text differs from plain "
                              "text",
                              model_, loaded_[lever].lever->name));
    measured.add(plain, assisted);
  }

  void fill(LeverRow& plain, LeverRow& assisted, const LeverSums& measured) {
    fill(plain, measured.plain, measured.tokens, measured.plain_rounds);
    fill(assisted, measured.assisted, measured.tokens, measured.assisted_rounds);
    const analysis::Estimate speedup = bootstrap_.ratio(measured.speedup);
    assisted.speedup = speedup.value;
    assisted.speedup_interval = speedup.interval;
  }

  void fill(LeverRow& row, const analysis::ClusterTotals& totals, std::int64_t tokens,
            std::int64_t rounds) {
    const analysis::Estimate rate = bootstrap_.ratio(totals);
    row.prompts = static_cast<std::int32_t>(rate.n) * row.batch;
    row.tokens = tokens;
    row.tokens_per_s = rate.value;
    row.interval = rate.interval;
    row.tokens_per_round = static_cast<double>(tokens) / static_cast<double>(rounds);
  }

  engines::Engines& engines_;
  const LeverSettings& settings_;
  std::string model_, path_;
  const std::function<void(const std::string&)>& say_;
  std::vector<LoadedLever> loaded_;
  Requests requests_, pilots_, batch_;
  analysis::Bootstrap bootstrap_{1};
};

}  // namespace

LeverTables measure_levers(engines::Engines& engines, const LeverSettings& settings,
                           const std::function<void(const std::string&)>& say) {
  LeverTables all;
  for (const std::string& model : settings.models) {
    LeverBench bench(engines, settings, model, say);
    const std::vector<StepRow> steps = bench.steps();
    const std::vector<LeverRow> rows = bench.rows();
    all.steps.insert(all.steps.end(), steps.begin(), steps.end());
    all.rows.insert(all.rows.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace speclab::experiments
