#include "experiments/drivers/verify/arithmetic_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "analysis/stats/intervals.h"
#include "engines/interface/not_finite.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

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

constexpr std::size_t kLongestOutput = 256;  ///< tokens
constexpr std::size_t kRowsTogether = 16;

/// @param longest  tokens of the output at most; the rest is cut off
Text written_text(engines::RoundDecoder& decoder, const engines::Request& request,
                  std::size_t longest) {
  decoder.begin({request}, ConstantPolicy(0));
  while (decoder.round()) {
  }
  const std::vector<Token>& output = decoder.records().front().output_ids;
  SPECLAB_EXPECT(!output.empty(), "a text of at least one token");
  Text text{request.prompt_ids, request.prompt_ids.size()};
  text.ids.insert(text.ids.end(), output.begin(), output.end());
  text.ids.resize(std::min(text.ids.size(), text.prompt_length + longest));
  return text;
}

/// At least 1: the decoder refuses a prompt that leaves no room, with both sizes.
std::size_t longest_output(const engines::Request& request, const engines::ModelInfo& model,
                           std::size_t positions) {
  const auto context = static_cast<std::size_t>(model.context_length);
  const std::size_t room = context - std::min(context, request.prompt_ids.size());
  return std::max<std::size_t>(1, std::min({positions, kLongestOutput, room}));
}

/// The law that logits make at temperature 1, in double.
struct LogitLaw {
  std::span<const float> logits;
  std::size_t arg_max;
  double log_normaliser;

  /// @throws NotFiniteError naming the model
  LogitLaw(std::span<const float> row, const std::string& model)
      : logits(row),
        arg_max(static_cast<std::size_t>(std::ranges::max_element(row) - row.begin())) {
    const double largest = static_cast<double>(row[arg_max]);
    double sum = 0.0;
    for (const float logit : row) sum += std::exp(static_cast<double>(logit) - largest);
    log_normaliser = largest + std::log(sum);
    if (!std::isfinite(log_normaliser)) engines::throw_logits_not_finite(model);
  }
  double probability(std::size_t token) const {
    return std::exp(static_cast<double>(logits[token]) - log_normaliser);
  }
};

double total_variation(const LogitLaw& a, const LogitLaw& b) {
  double sum = 0.0;
  for (std::size_t token = 0; token < a.logits.size(); ++token)
    sum += std::abs(a.probability(token) - b.probability(token));
  return 0.5 * sum;
}

/// Adds the positions of one text. @param first, second  [positions, vocab]
void add_text(std::span<const float> first, std::span<const float> second,
              const engines::ModelInfo& model, ArithmeticDistance& distance) {
  const auto vocab = static_cast<std::size_t>(model.vocab_size);
  for (std::size_t at = 0; at < first.size(); at += vocab) {
    const LogitLaw a(first.subspan(at, vocab), model.name),
        b(second.subspan(at, vocab), model.name);
    distance.total_variations.push_back(total_variation(a, b));
    distance.same_arg_max += a.arg_max == b.arg_max;
  }
}

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::string error_line(const ArithmeticDistance& distance) {
  const bool over_prompts = distance.prompts > 1;
  if (!distance.standard_error) return "no standard error, because there is one text alone";
  return fmt::format("standard error {:.2g} over {} {}", *distance.standard_error,
                     over_prompts ? distance.prompts : distance.texts,
                     over_prompts ? "prompts" : "texts of one prompt");
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

OwnTexts write_own_texts(engines::Engines& engines, engines::LoadedModel& target,
                         const std::vector<engines::Request>& requests,
                         const OwnTextSettings& settings, const TokensDone& done) {
  SPECLAB_EXPECT(!requests.empty() && settings.positions >= 1, "prompts and positions");
  const std::size_t prompts = requests.size(),
                    share = (static_cast<std::size_t>(settings.positions) + prompts - 1) / prompts;
  OwnTexts own;
  for (std::size_t prompt = 0; prompt < prompts; ++prompt) {
    const std::size_t longest = longest_output(requests[prompt], target.model->info(), share);
    const auto decoder =
        engines.make_decoder(*target.model, target.tokenizer,
                             {.sampling = {.temperature = 1.0},
                              .stop = {static_cast<std::int32_t>(longest), settings.ignore_eos},
                              .drafter = {.kind = "plain"},
                              .seed = settings.seed});
    std::size_t written = 0;
    for (std::size_t id = prompt; written < share; id += prompts) {
      own.texts.push_back(
          written_text(*decoder, {static_cast<std::uint32_t>(id), requests[prompt].prompt_ids},
                       share - written));
      own.prompt_of.push_back(prompt);
      written += own.texts.back().output_length();
      done(own.texts.back().output_length());
    }
  }
  for (const Text& text : own.texts) {
    own.logits.push_back(own_logits(*target.model, text));
    done(text.output_length());
  }
  return own;
}

std::vector<float> own_logits(engines::LanguageModel& model, const Text& text) {
  std::vector<float> logits;
  logits.reserve((text.ids.size() - text.prompt_length) *
                 static_cast<std::size_t>(model.info().vocab_size));
  visit_logits_of_rows(model, text, kRowsTogether, [&](std::size_t, std::span<const float> row) {
    logits.insert(logits.end(), row.begin(), row.end());
  });
  return logits;
}

double ArithmeticDistance::mean() const {
  return sum_of(total_variations) / static_cast<double>(total_variations.size());
}

double ArithmeticDistance::largest() const { return *std::ranges::max_element(total_variations); }

std::optional<double> ArithmeticDistance::percentile_99() const {
  return analysis::percentile(total_variations, 0.99).value;
}

double ArithmeticDistance::arg_max_agreement() const {
  return static_cast<double>(same_arg_max) / static_cast<double>(total_variations.size());
}

ArithmeticDistance distance_to(engines::LanguageModel& other, const std::string& dtype,
                               const OwnTexts& own, const TokensDone& done) {
  ArithmeticDistance distance{.dtype = dtype,
                              .other_dtype = other.info().dtype,
                              .total_variations = {},
                              .texts = own.texts.size(),
                              .prompts = own.prompt_of.back() + 1};
  analysis::ClusterTotals clusters;
  for (std::size_t i = 0; i < own.texts.size(); ++i) {
    const std::size_t before = distance.total_variations.size();
    add_text(own.logits[i], own_logits(other, own.texts[i]), other.info(), distance);
    const auto added = std::span<const double>(distance.total_variations).subspan(before);
    const bool is_new = distance.prompts == 1 || i == 0 || own.prompt_of[i] != own.prompt_of[i - 1];
    if (is_new) clusters.add(0.0, 0.0);
    clusters.numerator.back() += sum_of(added);
    clusters.denominator.back() += static_cast<double>(added.size());
    done(added.size());
  }
  distance.standard_error = analysis::clustered_standard_error(clusters);
  return distance;
}

std::string distance_text(const ArithmeticDistance& distance) {
  const auto percentile = distance.percentile_99();
  return fmt::format(
      "against    the laws of {} and {} are {:.3g} apart in the mean, {}\n"
      "           (total variation of the next token at temperature 1; n = {} positions)\n"
      "           {}; largest {:.3g}; the arg max agrees at {:.2f} % of the positions\n"
      "           This distance is the price of the number format, not of speculation.\n",
      distance.dtype, distance.other_dtype, distance.mean(), error_line(distance),
      distance.total_variations.size(),
      percentile ? fmt::format("99th percentile {:.3g}", *percentile)
                 : "no 99th percentile, which needs 662 positions",
      distance.largest(), 100.0 * distance.arg_max_agreement());
}

}  // namespace speclab::experiments
