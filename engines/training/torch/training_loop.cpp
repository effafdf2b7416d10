#include "engines/training/torch/training_loop.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <torch/nn/utils/clip_grad.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "engines/training/manifest.h"
#include "engines/training/torch/training_device.h"
#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

/// Warm-up over 3 %, then a half cosine to 0. @param fraction  of the training, [0, 1]
double cosine_rate(double fraction) {
  constexpr double kWarmUp = 0.03;
  if (fraction < kWarmUp) return fraction / kWarmUp;
  return 0.5 * (1.0 + std::cos(std::numbers::pi * (fraction - kWarmUp) / (1.0 - kWarmUp)));
}

/// A parabola up to 1 at the end of the warm-up, or the cosine from 1 to 0.1, whichever is lower.
double parabola_cosine_rate(double step, double num_steps) {
  const double warm_up = std::min(2000.0, num_steps / 20),
               to_go = 1 - std::min(step, warm_up) / warm_up;
  return std::min(1 - to_go * to_go,
                  0.1 + 0.45 * (1 + std::cos(std::numbers::pi * step / num_steps)));
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint32_t epoch, std::uint64_t seed) {
  const RngStream stream(seed);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(
                  stream.uniform({epoch, static_cast<std::uint32_t>(i), Purpose::train, 0}) *
                  static_cast<double>(i))]);
  return order;
}

class TrainingLoop {
 public:
  TrainingLoop(const TextSplit& texts, TrainingTask& task, const TrainingLoopOptions& options,
               const TrainCallbacks& callbacks)
      : texts_(texts),
        task_(task),
        options_(options),
        callbacks_(callbacks),
        optimiser_(task.parameters(), options.schedule),
        checkpoint_(options.checkpoint, options.training, task.parameters(), optimiser_) {
    if (texts_.training.size() < batch())
      throw ConfigError(
          fmt::format("{} texts are left for training after {} for validation; allowed: at least "
                      "one batch of {}; add prompts",
                      texts_.training.size(), texts_.held_out.size(), batch()));
    state_.curve = fmt::format("tokens,loss_nats{}\n", validation_columns(task.num_steps()));
    if (std::filesystem::exists(options.checkpoint)) state_ = checkpoint_.load();
    if (state_.step > num_steps())
      throw DataError(
          fmt::format("{}: {} steps are done of {}; it is damaged, delete it to begin again",
                      escaped(options.checkpoint, 200), state_.step, num_steps()));
    if (const nlohmann::ordered_json own = texts_json(options.provenance);
        state_.origins.empty() || state_.origins.back() != own)
      state_.origins.push_back(own);
  }

  TrainingOutcome run() {
    for (; state_.step < num_steps(); ++state_.step) {
      check_interruption();
      train_step();
      if (state_.step % steps_a_report() == steps_a_report() - 1) report();
    }
    if (state_.loss_count > 0) report();
    return {state_.curve, state_.origins};
  }

 private:
  static constexpr std::int64_t kTextsAReport = 800, kReportsATraining = 10;  ///< at most, at least

  const TrainingSchedule& schedule() const { return options_.schedule; }
  std::size_t batch() const { return static_cast<std::size_t>(schedule().batch); }
  std::int64_t steps_an_epoch() const {
    return static_cast<std::int64_t>(texts_.training.size() / batch());
  }
  std::int64_t steps_a_report() const {
    return std::max<std::int64_t>(
        1, std::min(kTextsAReport / schedule().batch, num_steps() / kReportsATraining));
  }
  std::int64_t num_steps() const { return steps_an_epoch() * schedule().epochs; }
  double fraction(std::int64_t steps) const {
    return static_cast<double>(steps) / static_cast<double>(num_steps());
  }

  /// What is done so far is kept whatever comes.
  void check_interruption() {
    if (!callbacks_.check_interruption) return;
    try {
      callbacks_.check_interruption();
    } catch (...) {
      checkpoint_.save(state_);
      throw;
    }
  }

  std::vector<const OwnText*> next_texts() {
    const std::int64_t epoch = state_.step / steps_an_epoch();
    if (epoch != order_epoch_)
      order_ = shuffled(texts_.training.size(), static_cast<std::uint32_t>(epoch), schedule().seed);
    order_epoch_ = epoch;
    std::vector<const OwnText*> texts;
    const std::size_t first = static_cast<std::size_t>(state_.step % steps_an_epoch()) * batch();
    for (std::size_t i = first; i < first + batch(); ++i)
      texts.push_back(texts_.training[order_[i]]);
    return texts;
  }

  void train_step() {
    const std::vector<const OwnText*> texts = next_texts();
    optimiser_.zero_grad();
    const double loss = task_.backward(texts);
    if (!std::isfinite(loss))
      throw DataError(
          fmt::format("training diverged after {} tokens: the loss is not finite; lower "
                      "drafter.learning_rate = {}",
                      state_.visited, schedule().learning_rate));
    torch::nn::utils::clip_grad_norm_(task_.parameters().values(), schedule().max_gradient_norm);
    optimiser_.step(schedule().learning_rate *
                    learning_rate_multiplier(schedule().rate_schedule, state_.step, num_steps()));
    state_.loss_sum += loss;
    ++state_.loss_count;
    for (const OwnText* text : texts)
      state_.visited += static_cast<std::int64_t>(text->laws.size());
  }

  void report() {
    const std::vector<ValidationSpread> by_step = validate_in_clusters(task_, texts_.held_out);
    const Validation& first = by_step.front().mean;
    const double loss = state_.loss_sum / static_cast<double>(state_.loss_count);
    state_.curve += fmt::format("{},{:.5f}{}\n", state_.visited, loss, validation_fields(by_step));
    state_.loss_sum = 0;
    state_.loss_count = 0;
    TrainingState next = state_;
    next.step = std::min(state_.step + 1, num_steps());
    checkpoint_.save(next);
    callbacks_.progress({.phase = "train",
                         .fraction = fraction(next.step),
                         .loss = loss,
                         .acceptance_rate = first.acceptance_rate,
                         .acceptance_name = task_.acceptance_name(),
                         .greedy_agreement = first.greedy_agreement,
                         .tokens = state_.visited});
  }

  const TextSplit& texts_;
  TrainingTask& task_;
  const TrainingLoopOptions& options_;
  const TrainCallbacks& callbacks_;
  Optimiser optimiser_;
  TrainingCheckpoint checkpoint_;
  TrainingState state_;
  std::vector<std::size_t> order_;
  std::int64_t order_epoch_ = -1;
};

}  // namespace

double learning_rate_multiplier(const std::string& rate_schedule, std::int64_t step,
                                std::int64_t num_steps) {
  const double done = static_cast<double>(step), all = static_cast<double>(num_steps);
  return rate_schedule == "cosine" ? cosine_rate(done / all) : parabola_cosine_rate(done, all);
}

std::string training_digest(const TextSplit& texts, const TrainOptions& options) {
  const TrainingSchedule& s = options.schedule;
  Sha256 content;
  for (const auto* part : {&texts.held_out, &texts.training})
    for (const OwnText* text : *part) {
      content.update(std::as_bytes(std::span(&text->prompt_length, 1)));
      content.update(std::as_bytes(std::span(text->tokens)));
      content.update(std::as_bytes(std::span(text->laws)));
    }
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", content.finish(), s.batch, s.optimiser,
                     s.rate_schedule, s.learning_rate, s.weight_decay, s.max_gradient_norm,
                     s.epochs, s.validation_sequences, s.seed, at::toString(product_dtype(s)),
                     s.device);
}

TrainingOutcome run_training(const TextSplit& texts, TrainingTask& task,
                             const TrainingLoopOptions& options, const TrainCallbacks& callbacks) {
  return TrainingLoop(texts, task, options, callbacks).run();
}

}  // namespace speclab::engines
