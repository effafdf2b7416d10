#include "experiments/drivers/verify/row_noise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace speclab::experiments {
namespace {

std::size_t arg_max(std::span<const float> logits) { return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin()); }

class Comparison {
 public:
  void add(std::span<const float> alone, std::span<const float> together) {
    ++noise_.rows;
    noise_.different += std::memcmp(alone.data(), together.data(), alone.size_bytes()) != 0;
    double largest = 0.0;
    for (std::size_t i = 0; i < alone.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(alone[i]) - static_cast<double>(together[i])));
    differences_.push_back(largest);
    const std::size_t best = arg_max(alone), other = arg_max(together);
    if (best == other) return;
    ++noise_.flips;
    noise_.unexplained += static_cast<double>(alone[best]) - static_cast<double>(alone[other]) > 2.0 * largest;
  }

  RowNoise result() {
    if (differences_.empty()) return noise_;
    std::ranges::sort(differences_);
    noise_.largest = differences_.back();
    noise_.ceiling = 1.5 * differences_[static_cast<std::size_t>(0.999 * static_cast<double>(differences_.size() - 1))];
    return noise_;
  }

 private:
  RowNoise noise_;
  std::vector<double> differences_;
};

}  // namespace

RowNoise measure_row_noise(engines::LanguageModel& model, const std::vector<Text>& texts, std::size_t rows_together) {
  Comparison comparison;
  for (const Text& text : texts) {
    std::vector<std::vector<float>> alone;
    visit_plain_logits(model, text, [&](std::size_t, std::span<const float> logits) { alone.emplace_back(logits.begin(), logits.end()); });
    visit_logits_of_rows(model, text, rows_together, [&](std::size_t index, std::span<const float> logits) { comparison.add(alone[index - text.prompt_length], logits); });
  }
  return comparison.result();
}

}  // namespace speclab::experiments
