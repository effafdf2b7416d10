#include "experiments/drivers/predict/law_answers.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "experiments/drivers/predict/interval_value.h"
#include "sim/analytic/block_verification.h"
#include "sim/analytic/candidates.h"
#include "sim/analytic/lenience.h"
#include "sim/analytic/one_token.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

constexpr double kMostCombinations = 1e7;  ///< over all prefixes: some seconds
constexpr int kMostCandidates = 64;
constexpr AllowedNumbers kLenience{1e-6, 1.0, "numbers from 1e-6 to 1"};

}  // namespace

LawAnswers::LawAnswers(const PredictOptions& options) : combinations_left_(kMostCombinations) {
  if (options.candidates) {
    candidates_ = *options.candidates;
    if (candidates_ < 1 || candidates_ > kMostCandidates)
      throw ConfigError(fmt::format("--candidates {}; allowed: integers from 1 to {}", candidates_,
                                    kMostCandidates));
    for (const char* rule : {"one_step", "sample_match", "point_mass", "naive", "top_k",
                             "multi_step", "spectr", "bound", "without_replacement"})
      rules_.push_back({rule});
  }
  if (options.lenience) {
    lenience_ = parse_number("--lenience", *options.lenience, kLenience);
    for (const char* value : {"acceptance_rate", "distance_full_residual",
                              "distance_lenient_residual", "argmax_acceptance_rate"})
      lenient_.push_back({value});
  }
  length_ = options.speculation_length.value_or(0);
  if (length_ > 0)
    for (const char* value : {"accepted_by_tokens", "accepted_by_blocks"})
      blocks_.push_back({value});
}

bool LawAnswers::can_try(std::size_t vocabulary, int exponent) {
  combinations_left_ -= std::pow(static_cast<double>(vocabulary), exponent);
  return combinations_left_ >= 0.0;
}

void LawAnswers::add(std::span<const double> p, std::span<const double> q) {
  ++prefixes_;
  if (!rules_.empty()) add_candidates(p, q);
  if (!lenient_.empty()) add_lenience(p, q);
  if (!blocks_.empty()) add_blocks(p, q);
}

void LawAnswers::add_candidates(std::span<const double> p, std::span<const double> q) {
  if (static_cast<std::size_t>(candidates_) > p.size())
    throw ConfigError(
        fmt::format("--candidates {}; the laws have {} tokens; allowed: at most as many",
                    candidates_, p.size()));
  const double kept[] = {sim::noniterative_acceptance_rate(p, q),
                         sim::sample_match_acceptance_rate(p, q),
                         sim::point_mass_acceptance_rate(p, q),
                         sim::naive_sampling_acceptance(p, q, candidates_),
                         sim::top_k_sampling_acceptance(p, q, candidates_),
                         sim::multi_step_acceptance(p, q, candidates_),
                         sim::spectr_acceptance(p, q, candidates_),
                         sim::optimal_acceptance_bound(p, q, candidates_)};
  for (std::size_t rule = 0; rule < std::size(kept); ++rule) rules_[rule].sum += kept[rule];
  Mean& distinct = rules_.back();
  distinct.is_left_out = distinct.is_left_out || !can_try(p.size(), candidates_);
  if (!distinct.is_left_out) distinct.sum += sim::without_replacement_acceptance(p, q, candidates_);
}

void LawAnswers::add_lenience(std::span<const double> p, std::span<const double> q) {
  lenient_[0].sum += sim::lenient_acceptance_rate(p, q, lenience_);
  lenient_[1].sum += sim::lenient_distance(p, q, lenience_, LenientResidual::full);
  lenient_[2].sum += sim::lenient_distance(p, q, lenience_, LenientResidual::lenient);
  lenient_[3].sum += sim::argmax_lenient_acceptance_rate(p, q, lenience_);
}

void LawAnswers::add_blocks(std::span<const double> p, std::span<const double> q) {
  blocks_[0].sum += sim::token_verification_accepted(p, q, length_);
  Mean& blocks = blocks_[1];
  blocks.is_left_out = blocks.is_left_out || !can_try(p.size(), length_);
  if (!blocks.is_left_out) blocks.sum += sim::block_verification_accepted(p, q, length_);
}

Answer LawAnswers::answer_of(const char* name, const std::string& title, const Means& means) const {
  Answer answer{.name = name, .values = {}, .text = title};
  for (const Mean& mean : means) {
    if (mean.is_left_out) continue;
    answer.values.push_back({mean.name, mean.sum / prefixes_});
    answer.text += fmt::format("{} {} {:.4f}", answer.values.size() == 1 ? "" : ",", mean.name,
                               mean.sum / prefixes_);
  }
  return answer;
}

std::vector<Answer> LawAnswers::answers() const {
  std::vector<Answer> all;
  if (!rules_.empty())
    all.push_back(
        answer_of("rules", fmt::format("rules    of {} candidates keep:", candidates_), rules_));
  if (!lenient_.empty())
    all.push_back(answer_of("lenience", fmt::format("lenience {} (A.5):", lenience_), lenient_));
  if (!blocks_.empty())
    all.push_back(
        answer_of("blocks", fmt::format("blocks   drafts kept of {}:", length_), blocks_));
  return all;
}

std::vector<std::string> LawAnswers::notes() const {
  std::vector<std::string> left_out;
  for (const Means* means : {&rules_, &blocks_})
    if (!means->empty() && means->back().is_left_out)
      left_out.push_back(
          fmt::format("{} is left out: it tries more than {:.0e} combinations of "
                      "tokens; take a smaller vocabulary or fewer tokens",
                      means->back().name, kMostCombinations));
  return left_out;
}

}  // namespace speclab::experiments
