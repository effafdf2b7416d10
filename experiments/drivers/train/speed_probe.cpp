#include "experiments/drivers/train/training_sizes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "experiments/drivers/program/command_folders.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Ends a probe from within the engines.
struct ProbeEnd {};

double now_s() {
  using Seconds = std::chrono::duration<double>;
  return std::chrono::duration_cast<Seconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// One call of Engines::train with the times of its callbacks, until `is_enough` or its end.
class TimedTraining {
 public:
  struct Report {
    engines::TrainProgress progress;
    double at;               ///< seconds
    std::size_t num_checks;  ///< checks before it
  };

  void run(const ProbedTraining& training, const engines::TrainOptions& options,
           const std::function<bool(const TimedTraining&)>& is_enough) {
    const auto end_if_enough = [&] {
      training.check_interruption();
      if (!is_enough(*this)) return;
      ended_at_ = now_s();
      throw ProbeEnd();
    };
    const engines::TrainCallbacks callbacks{[&](const engines::TrainProgress& progress) {
                                              reports.push_back({progress, now_s(), checks.size()});
                                              if (progress.phase == "own text") end_if_enough();
                                            },
                                            [&] {
                                              checks.push_back(now_s());
                                              end_if_enough();
                                            }};
    try {
      training.engines.train(*training.target.model, training.target.tokenizer,
                             training.config.target.model, options, callbacks);
    } catch (const ProbeEnd&) {
      seconds_to_end = now_s() - ended_at_;
    }
  }

  std::vector<double> checks;  ///< seconds
  std::vector<Report> reports;
  double seconds_to_end = 0;  ///< from the decision to stop: what a checkpoint takes

 private:
  double ended_at_ = 0;
};

/// In a folder of the probe's own.
engines::TrainOptions probe_options(const TrainConfig& config, const ScratchFolder& folder) {
  engines::TrainOptions options = config.options;
  options.output = folder.path() + "/drafter";
  options.own_text.cache_file = folder.path() + "/text.bin";
  return options;
}

double median(std::vector<double> values) {
  SPECLAB_EXPECT(!values.empty(), "times of a probe");
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Texts of a probe's batch whose prompts are read. The others have prompts of one token, which a
/// round reads.
constexpr std::size_t kReadPrompts = 4;

/// Tokens of the prompts that are read, and of their texts after so many rounds.
struct ReadTokens {
  double prompts = 0, texts = 0;
};

ReadTokens read_tokens(const engines::OwnTextOptions& own, std::size_t rounds) {
  ReadTokens tokens;
  for (std::size_t i = 0; i < kReadPrompts; ++i) {
    tokens.prompts += static_cast<double>(own.prompts[i].size() - 1);
    tokens.texts += static_cast<double>(own.prompts[i].size() + rounds);
  }
  return tokens;
}

/// The engines check before a batch, after each of its rounds but the last, and before the laws of
/// each text. @param own  of one batch
void read_text_times(const TimedTraining& timed, const engines::OwnTextOptions& own,
                     TrainingSpeeds& speeds) {
  const TimedTraining::Report& report = timed.reports.front();
  SPECLAB_EXPECT(report.num_checks > own.prompts.size(), "a check before every text");
  const std::size_t rounds = report.num_checks - own.prompts.size();
  std::vector<double> times;
  for (std::size_t i = 2; i < rounds; ++i) times.push_back(timed.checks[i] - timed.checks[i - 1]);
  const double first = timed.checks[1] - timed.checks[0];
  const ReadTokens tokens = read_tokens(own, rounds);
  speeds.round_s = times.empty() ? first : median(times);
  speeds.prompt_token_s = std::max(0.0, first - speeds.round_s) / std::max(1.0, tokens.prompts);
  speeds.law_s = (timed.checks[rounds + kReadPrompts] - timed.checks[rounds]) / tokens.texts;
}

/// Prompts of one batch. Those that are read fill one forward with their new tokens.
std::vector<std::vector<Token>> probe_prompts(const std::vector<std::vector<Token>>& prompts,
                                              std::int32_t batch) {
  constexpr std::size_t kPromptTokens = 57;
  std::vector<std::vector<Token>> cut;
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i) {
    std::vector<Token> prompt = prompts[i % prompts.size()];
    prompt.resize(i < kReadPrompts ? std::min(kPromptTokens, prompt.size()) : 1);
    cut.push_back(std::move(prompt));
  }
  return cut;
}

void probe_text(const ProbedTraining& training, const std::vector<std::vector<Token>>& prompts,
                TrainingSpeeds& speeds) {
  constexpr std::int32_t kNewTokens = 8;
  const ScratchFolder folder;
  engines::TrainOptions options = probe_options(training.config, folder);
  options.drafter = "ngram";
  options.ngram.validation_sequences = 0;
  options.own_text.max_new_tokens = std::min(kNewTokens, options.own_text.max_new_tokens);
  options.own_text.prompts = probe_prompts(prompts, options.own_text.batch);
  TimedTraining timed;
  timed.run(training, options, [](const TimedTraining& t) { return !t.reports.empty(); });
  read_text_times(timed, options.own_text, speeds);
}

/// Reports of steps so far.
std::size_t num_step_reports(const TimedTraining& timed) {
  return static_cast<std::size_t>(std::ranges::count_if(
      timed.reports,
      [](const TimedTraining::Report& report) { return report.progress.phase == "train"; }));
}

/// A step lies between two checks; where a report lies there too, a validation and a checkpoint do.
void read_step_times(const TimedTraining& timed, std::int32_t num_held_out,
                     TrainingSpeeds& speeds) {
  const std::size_t first = timed.reports.front().num_checks;
  std::vector<double> steps, with_reports;
  for (std::size_t i = first + 1; i < timed.checks.size(); ++i) {
    const bool has_report = std::ranges::any_of(
        timed.reports, [&](const TimedTraining::Report& report) { return report.num_checks == i; });
    (has_report ? with_reports : steps).push_back(timed.checks[i] - timed.checks[i - 1]);
  }
  speeds.step_s = median(steps);
  speeds.checkpoint_s = timed.seconds_to_end;
  speeds.validation_s =
      std::max(0.0, median(with_reports) - speeds.step_s - speeds.checkpoint_s) / num_held_out;
}

void probe_steps(const ProbedTraining& training, const std::vector<std::vector<Token>>& prompts,
                 TrainingSpeeds& speeds) {
  constexpr std::int32_t kHeldOut = 4, kBatches = 2, kEpochs = 20;
  const ScratchFolder folder;
  engines::TrainOptions options = probe_options(training.config, folder);
  const std::size_t texts = static_cast<std::size_t>(kHeldOut + kBatches * options.schedule.batch);
  SPECLAB_EXPECT(prompts.size() >= texts, "enough prompts for a probe");
  options.own_text.prompts.assign(prompts.begin(),
                                  prompts.begin() + static_cast<std::ptrdiff_t>(texts));
  options.own_text.batch = static_cast<std::int32_t>(texts);
  options.schedule.validation_sequences = kHeldOut;
  options.schedule.epochs = kEpochs;
  TimedTraining timed;
  timed.run(training, options, [](const TimedTraining& t) { return num_step_reports(t) >= 2; });
  read_step_times(timed, kHeldOut, speeds);
}

}  // namespace

TrainingSpeeds measure_speeds(const ProbedTraining& training,
                              const std::vector<std::vector<Token>>& prompts) {
  TrainingSpeeds speeds;
  if (training.config.options.trainer().steps()) probe_steps(training, prompts, speeds);
  probe_text(training, prompts, speeds);
  return speeds;
}

std::int64_t count_cached_texts(const ProbedTraining& training,
                                const std::vector<std::vector<Token>>& prompts) {
  engines::TrainOptions options = training.config.options;
  if (std::error_code none; !std::filesystem::exists(options.own_text.cache_file, none)) return 0;
  const ScratchFolder folder;
  options.output = folder.path() + "/drafter";
  options.drafter = "ngram";
  options.ngram.validation_sequences = 0;
  options.own_text.prompts = prompts;
  TimedTraining timed;
  timed.run(training, options, [](const TimedTraining&) { return true; });
  if (timed.reports.empty()) return 0;
  const double share = timed.reports.front().progress.fraction;
  return std::llround(share * static_cast<double>(prompts.size()));
}

}  // namespace speclab::experiments
