#include "experiments/drivers/predict/law_answers.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "experiments/drivers/predict/asked_answers.h"
#include "experiments/drivers/predict/typed_numbers.h"
#include "sim/analytic/block_verification.h"
#include "sim/analytic/candidates.h"
#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using Probabilities = LawAnswers::Probabilities;
using LawQuestion = LawAnswers::Question;

constexpr double kMostCombinations = 1e7;  ///< over all prefixes: some seconds
constexpr AllowedNumbers kLenience{1e-6, 1.0, "numbers from 1e-6 to 1"};

/// A form of two laws, from one that also takes a parameter.
template <typename Parameter>
auto with_parameter(double (*form)(Probabilities, Probabilities, Parameter), Parameter parameter) {
  return [=](Probabilities p, Probabilities q) { return form(p, q, parameter); };
}

LawQuestion rules_question(int candidates) {
  return {.name = "rules",
          .title = fmt::format("of {} candidates keep:", candidates),
          .means = {
              {"one_step", sim::noniterative_acceptance_rate},
              {"sample_match", sim::sample_match_acceptance_rate},
              {"point_mass", [](Probabilities p,
                                Probabilities q) { return sim::point_mass_acceptance_rate(p, q); }},
              {"naive", with_parameter(sim::naive_sampling_acceptance, candidates)},
              {"top_k", with_parameter(sim::top_k_sampling_acceptance, candidates)},
              {"multi_step", with_parameter(sim::multi_step_acceptance, candidates)},
              {"spectr", with_parameter(sim::spectr_acceptance, candidates)},
              {"bound", with_parameter(sim::optimal_acceptance_bound, candidates)},
              {"without_replacement",
               with_parameter(sim::without_replacement_acceptance, candidates), candidates}}};
}

LawQuestion lenience_question(double lenience) {
  const auto distance = [=](LenientResidual residual) {
    return [=](Probabilities p, Probabilities q) {
      return sim::lenient_distance(p, q, lenience, residual);
    };
  };
  return {.name = "lenience",
          .title = fmt::format("{} (A.5):", lenience),
          .means = {{"acceptance_rate", with_parameter(sim::lenient_acceptance_rate, lenience)},
                    {"distance_full_residual", distance(LenientResidual::full)},
                    {"distance_lenient_residual", distance(LenientResidual::lenient)},
                    {"argmax_acceptance_rate",
                     with_parameter(sim::argmax_lenient_acceptance_rate, lenience)}}};
}

LawQuestion blocks_question(int length) {
  return {
      .name = "blocks",
      .title = fmt::format("drafts kept of {}:", length),
      .means = {{"accepted_by_tokens", with_parameter(sim::token_verification_accepted, length)},
                {"accepted_by_blocks", with_parameter(sim::block_verification_accepted, length),
                 length}}};
}

}  // namespace

LawAnswers::LawAnswers(const PredictOptions& options) : combinations_left_(kMostCombinations) {
  if (options.candidates) {
    candidates_ = *options.candidates;
    if (candidates_ < 1 || candidates_ > kMostCandidates)
      throw ConfigError(fmt::format("--candidates {}; allowed: integers from 1 to {}", candidates_,
                                    kMostCandidates));
    questions_.push_back(rules_question(candidates_));
  }
  if (options.lenience)
    questions_.push_back(
        lenience_question(parse_number("--lenience", *options.lenience, kLenience)));
  if (const int length = options.speculation_length.value_or(0); length > 0)
    questions_.push_back(blocks_question(length));
}

bool LawAnswers::can_try(std::size_t vocabulary, int num_tokens) {
  combinations_left_ -= std::pow(static_cast<double>(vocabulary), num_tokens);
  return combinations_left_ >= 0.0;
}

void LawAnswers::add(Probabilities p, Probabilities q) {
  if (static_cast<std::size_t>(candidates_) > p.size())
    throw ConfigError(
        fmt::format("--candidates {}; the laws have {} tokens; allowed: at most as many",
                    candidates_, p.size()));
  ++prefixes_;
  for (LawQuestion& question : questions_)
    for (Mean& mean : question.means) {
      if (mean.num_tokens > 0 && !mean.is_left_out)
        mean.is_left_out = !can_try(p.size(), mean.num_tokens);
      if (!mean.is_left_out) mean.sum += mean.value(p, q);
    }
}

std::vector<Answer> LawAnswers::answers() const {
  std::vector<Answer> all;
  for (const LawQuestion& question : questions_) {
    Answer answer{.name = question.name, .values = {}, .text = question.title};
    for (const Mean& mean : question.means) {
      if (mean.is_left_out) continue;
      answer.text += fmt::format("{} {} {:.4f}", answer.values.empty() ? "" : ",", mean.name,
                                 mean.sum / prefixes_);
      answer.values.push_back({mean.name, mean.sum / prefixes_});
    }
    all.push_back(std::move(answer));
  }
  return all;
}

std::vector<std::string> LawAnswers::notes() const {
  std::vector<std::string> left_out;
  for (const LawQuestion& question : questions_)
    for (const Mean& mean : question.means)
      if (mean.is_left_out)
        left_out.push_back(
            fmt::format("{} is left out: it tries more than {:.0e} combinations of "
                        "tokens; take a smaller vocabulary or fewer tokens",
                        mean.name, kMostCombinations));
  return left_out;
}

}  // namespace speclab::experiments
