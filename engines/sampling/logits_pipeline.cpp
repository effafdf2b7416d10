#include "engines/sampling/logits_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/models/cpu/kernels.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

bool more_likely(const LawEntry<float>& a, const LawEntry<float>& b) {
  return a.probability > b.probability || (a.probability == b.probability && a.token < b.token);
}

double mass(std::span<const LawEntry<float>> entries) {
  double total = 0;
  for (const LawEntry<float>& entry : entries) total += static_cast<double>(entry.probability);
  return total;
}

}  // namespace

LogitsPipeline::LogitsPipeline(const SamplingOptions& options, std::string model) : options_(options), model_(std::move(model)) { options_.validate(); }

void LogitsPipeline::require_finite(double value) const {
  if (!std::isfinite(value))
    throw ModelFileError(fmt::format("{}: logits are not finite; its weights are damaged or its arithmetic overflowed: fetch the file again or try --dtype float32",
                                     escaped(model_, 200)));
}

void LogitsPipeline::law(std::span<const float> logits, std::span<const Token> history, Law& law) {
  const cpu::CpuKernels* kernels = cpu::best_kernels();
  const std::span<const float> scores = penalised(logits, history);
  const int size = static_cast<int>(scores.size());
  if (options_.temperature == 0) {
    const Token best = kernels->arg_max(scores.data(), size);
    require_finite(static_cast<double>(scores[static_cast<std::size_t>(best)]));
    return law.assign_point_mass(scores.size(), best);
  }
  const float inverse_temperature = static_cast<float>(1.0 / options_.temperature);
  if (!truncates()) {
    const double total = kernels->softmax(scores.data(), size, inverse_temperature, law.assign_dense(scores.size()).data());
    return require_finite(total);
  }
  probabilities_.resize(scores.size());
  require_finite(kernels->softmax(scores.data(), size, inverse_temperature, probabilities_.data()));
  truncate(probabilities_, law);
}

/// @source Keskar et al. 2019 (CTRL), as in generate(): positive scores are divided, negative ones multiplied.
std::span<const float> LogitsPipeline::penalised(std::span<const float> logits, std::span<const Token> history) {
  if (options_.repetition_penalty == 1.0) return logits;
  penalised_tokens_.assign(history.begin(), history.end());
  std::sort(penalised_tokens_.begin(), penalised_tokens_.end());
  penalised_tokens_.erase(std::unique(penalised_tokens_.begin(), penalised_tokens_.end()), penalised_tokens_.end());
  penalised_.assign(logits.begin(), logits.end());
  const float penalty = static_cast<float>(options_.repetition_penalty);
  for (const Token token : penalised_tokens_) {
    float& score = penalised_[static_cast<std::size_t>(token)];
    score = score > 0 ? score / penalty : score * penalty;
  }
  return penalised_;
}

bool LogitsPipeline::truncates() const { return options_.top_k > 0 || options_.top_p < 1.0 || options_.min_p > 0.0; }

void LogitsPipeline::truncate(std::span<const float> probabilities, Law& law) {
  keep_top_k(probabilities);
  std::sort(kept_.begin(), kept_.end(), more_likely);
  if (options_.top_p < 1.0) keep_top_p();
  if (options_.min_p > 0.0) keep_min_p();
  const float scale = static_cast<float>(1.0 / mass(kept_));
  for (LawEntry<float>& entry : kept_) entry.probability *= scale;
  std::sort(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
  law.assign_sparse(probabilities.size(), kept_);
}

void LogitsPipeline::keep_top_k(std::span<const float> probabilities) {
  float least = 0;
  const std::size_t k = static_cast<std::size_t>(options_.top_k);
  if (k > 0 && k < probabilities.size()) {
    std::vector<float>& order = penalised_;
    order.assign(probabilities.begin(), probabilities.end());
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k) - 1, order.end(), std::greater<>());
    least = order[k - 1];
  }
  kept_.clear();
  for (std::size_t i = 0; i < probabilities.size(); ++i)
    if (probabilities[i] >= least && probabilities[i] > 0) kept_.push_back({static_cast<Token>(i), probabilities[i]});
}

/// The smallest set, in falling order, whose mass reaches top_p.
void LogitsPipeline::keep_top_p() {
  const double wanted = options_.top_p * mass(kept_);
  double reached = 0;
  std::size_t count = 0;
  while (count < kept_.size() && reached < wanted) reached += static_cast<double>(kept_[count++].probability);
  kept_.resize(std::max<std::size_t>(count, 1));
}

void LogitsPipeline::keep_min_p() {
  const double least = options_.min_p * static_cast<double>(kept_.front().probability);
  while (kept_.size() > 1 && static_cast<double>(kept_.back().probability) < least) kept_.pop_back();
}

}  // namespace speclab::engines
