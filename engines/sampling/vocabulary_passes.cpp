#include "engines/sampling/vocabulary_passes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engines/cpu/kernels.h"
#include "engines/cpu/thread_team.h"
#include "sim/core/vector_math.h"

namespace speclab::engines {
namespace {

using cpu::kSoftmaxChunk;

constexpr int kPartSize = 4 * kSoftmaxChunk;  ///< a few microseconds of work

/// A smaller vocabulary gains nothing from sharing.
constexpr std::size_t kSharedSize = 4 * kPartSize;

int count_of(std::size_t size, int in_one) {
  return (static_cast<int>(size) + in_one - 1) / in_one;
}

/// The largest, or NaN if there is one.
float top_of(std::span<const float> tops) {
  float top = -std::numeric_limits<float>::infinity();
  for (const float other : tops)
    if (std::isnan(other) || other > top) top = other;
  return top;
}

}  // namespace

template <typename Job>
void VocabularyPasses::for_each_part(std::size_t size, const Job& job) {
  const auto run = [&](int part) {
    const int begin = part * kPartSize;
    job(Part{static_cast<std::size_t>(part), begin,
             std::min(begin + kPartSize, static_cast<int>(size))});
  };
  const int num_parts = count_of(size, kPartSize);
  if (team_ && size >= kSharedSize) return team_->run_parts(num_parts, run);
  for (int part = 0; part < num_parts; ++part) run(part);
}

double VocabularyPasses::softmax(std::span<const float> scores, double temperature,
                                 std::span<float> out) {
  const cpu::CpuKernels& kernels = *cpu::best_kernels();
  const std::size_t size = scores.size();
  tops_.resize(static_cast<std::size_t>(count_of(size, kPartSize)));
  sums_.resize(static_cast<std::size_t>(count_of(size, kSoftmaxChunk)));
  for_each_part(size, [&](const Part& part) {
    tops_[part.number] = kernels.largest(scores.data() + part.begin, part.end - part.begin);
  });
  const float top = top_of(tops_);
  for_each_part(size, [&](const Part& part) {
    for (int begin = part.begin; begin < part.end; begin += kSoftmaxChunk)
      sums_[static_cast<std::size_t>(begin / kSoftmaxChunk)] =
          kernels.exponentials({.logits = scores.data() + begin,
                                .size = std::min(kSoftmaxChunk, part.end - begin),
                                .top = top,
                                .inverse_temperature = static_cast<float>(1.0 / temperature),
                                .out = out.data() + begin});
  });
  const double total = std::accumulate(sums_.begin(), sums_.end(), 0.0);
  for_each_part(size, [&](const Part& part) {
    kernels.scale(out.data() + part.begin, part.end - part.begin, static_cast<float>(1.0 / total));
  });
  return total;
}

double VocabularyPasses::softmax(std::span<const double> scores, double temperature,
                                 std::span<double> out) {
  const double largest = scores[arg_max(scores)];
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    total += out[i] = std::exp((scores[i] - largest) / temperature);
  for (double& probability : out) probability /= total;
  return total;
}

std::size_t VocabularyPasses::arg_max(std::span<const float> scores) {
  best_.resize(static_cast<std::size_t>(count_of(scores.size(), kPartSize)));
  for_each_part(scores.size(), [&](const Part& part) {
    const int best =
        cpu::best_kernels()->arg_max(scores.data() + part.begin, part.end - part.begin);
    best_[part.number] = static_cast<std::size_t>(part.begin + best);
  });
  std::size_t best = best_.front();
  for (const std::size_t other : best_)
    if (std::isnan(scores[other]) || scores[other] > scores[best]) best = other;
  return best;
}

std::size_t VocabularyPasses::arg_max(std::span<const double> scores) {
  const auto nan = std::ranges::find_if(scores, [](double score) { return std::isnan(score); });
  return nan != scores.end() ? static_cast<std::size_t>(nan - scores.begin())
                             : index_of_max(scores);
}

}  // namespace speclab::engines
