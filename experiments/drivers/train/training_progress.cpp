#include "experiments/drivers/train/training_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace speclab::experiments {
namespace {

/// ", 12 min left" of the phase that has been running since `begin`.
std::string time_left(double fraction, std::chrono::steady_clock::time_point begin) {
  if (fraction <= 0 || fraction >= 1) return "";
  const std::chrono::duration<double, std::ratio<60>> passed =
      std::chrono::steady_clock::now() - begin;
  return fmt::format(", {:.0f} min left", passed.count() * (1 / fraction - 1));
}

std::string in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

void print_progress(const engines::TrainProgress& progress) {
  if (progress.phase == "train")
    fmt::print(stderr, "train {:3.0f} %: {} tokens, loss {:.4f}, validation",
               100 * progress.fraction, progress.tokens, progress.loss);
  else if (progress.phase == "validate")
    fmt::print(stderr, "held out, {}: {} tokens, perplexity {:.1f}", progress.source,
               progress.tokens, std::exp(progress.loss));
  else if (progress.phase == "count")
    fmt::print(stderr, "counting {} tokens", progress.tokens);
  else
    fmt::print(stderr, "{} {:3.0f} %: {} new tokens", progress.phase, 100 * progress.fraction,
               progress.tokens);
  if (progress.acceptance_rate)
    fmt::print(stderr, ", {} {:.3f}", in_words(progress.acceptance_name),
               *progress.acceptance_rate);
  if (progress.greedy_agreement)
    fmt::print(stderr, ", arg max equal {:.3f}", *progress.greedy_agreement);
}

}  // namespace

void TrainingProgressLines::show(const engines::TrainProgress& progress) {
  const bool begins = progress.phase != phase_;
  if (begins)
    first_ = progress.fraction, begin_ = std::chrono::steady_clock::now(), phase_ = progress.phase;
  print_progress(progress);
  fmt::print(
      stderr, "{}\n",
      begins || first_ >= 1 ? "" : time_left((progress.fraction - first_) / (1 - first_), begin_));
}

}  // namespace speclab::experiments
