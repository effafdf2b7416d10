#include "experiments/drivers/verify/row_noise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace speclab::experiments {
namespace {

std::size_t arg_max(std::span<const float> logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

/// Rounding errors of the largest logit that another order of additions may cost.
double allowed_share(const engines::ModelInfo& model) {
  if (model.device == "cpu") return 0.0;
  return model.dtype == "float32" ? 32 * 0x1p-23 : 4 * 0x1p-8;
}

void add(std::span<const float> alone, std::span<const float> together, double share,
         RowNoise& noise) {
  noise.different += std::memcmp(alone.data(), together.data(), alone.size_bytes()) != 0;
  double& largest = noise.largest_of_row.emplace_back(0.0);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    largest = std::max(largest,
                       std::abs(static_cast<double>(alone[i]) - static_cast<double>(together[i])));
    noise.allowed = std::max(noise.allowed, share * std::abs(static_cast<double>(alone[i])));
  }
  noise.flips += arg_max(alone) != arg_max(together);
}

}  // namespace

double RowNoise::largest() const {
  return largest_of_row.empty() ? 0.0 : *std::ranges::max_element(largest_of_row);
}

RowNoise measure_row_noise(engines::LanguageModel& model, const std::vector<Text>& texts,
                           std::size_t rows_together, const TokensDone& done) {
  RowNoise noise;
  const double share = allowed_share(model.info());
  for (const Text& text : texts) {
    std::vector<std::vector<float>> alone;
    visit_plain_logits(model, text, [&](std::size_t, std::span<const float> logits) {
      alone.emplace_back(logits.begin(), logits.end());
    });
    visit_logits_of_rows(model, text, rows_together,
                         [&](std::size_t index, std::span<const float> logits) {
                           add(alone[index - text.prompt_length], logits, share, noise);
                         });
    done(text.output_length());
  }
  return noise;
}

}  // namespace speclab::experiments
