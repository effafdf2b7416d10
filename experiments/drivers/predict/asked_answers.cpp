#include "experiments/drivers/predict/asked_answers.h"

#include <fmt/format.h>

#include <cmath>

#include "experiments/drivers/predict/typed_numbers.h"
#include "sim/analytic/batch.h"
#include "sim/analytic/other_forms.h"
#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr double kLeastCost = 1e-9;  ///< at which 1e9 target servers keep up with the draft
constexpr AllowedNumbers kShapeNumber{1.0, 1e6, "integers from 1 to 1e6"};

int within_range(const char* option, int value, int least, int most) {
  if (value < least || value > most)
    throw ConfigError(
        fmt::format("{} {}; allowed: integers from {} to {}", option, value, least, most));
  return value;
}

Answer distributed(const ChainInput& chain, int new_tokens) {
  const int tokens = within_range("--new-tokens", new_tokens, 1, kMostNewTokens);
  if (chain.cost_ratio < kLeastCost || chain.cost_ratio > 1.0)
    throw ConfigError(fmt::format(
        "--new-tokens with a cost ratio of {}; allowed: 1e-9 to 1, because the draft runs beside "
        "the target and must not be slower; leave --new-tokens out",
        chain.cost_ratio));
  const sim::ForwardTimes times{.draft_time = chain.cost_ratio, .target_time = 1.0};
  const double beside = tokens / sim::dsi_expected_latency(chain.acceptance_rate, times, tokens),
               in_turn =
                   tokens / sim::blocking_expected_latency(chain.acceptance_rate,
                                                           chain.speculation_length, times, tokens);
  const int servers = sim::dsi_target_servers(times, 1);
  return {.name = "distributed",
          .values = {{"new_tokens", static_cast<long long>(tokens)},
                     {"target_servers", static_cast<long long>(servers)},
                     {"predicted_speedup", beside},
                     {"predicted_speedup_in_turn", in_turn}},
          .text = fmt::format("drafting while {} target server{} verify: speed-up {:.4f} "
                              "over {} tokens, in turn at length {} {:.4f} (DSI)",
                              servers, servers == 1 ? "" : "s", beside, tokens,
                              chain.speculation_length, in_turn)};
}

Answer padded_batch(const ChainInput& chain, int asked) {
  const int batch = within_range("--batch", asked, 1, kMostSequences);
  const double rate = chain.acceptance_rate;
  const int length = chain.speculation_length;
  const double longest = sim::batched_round_tokens_mean_max(rate, length, batch),
               shortest = sim::batched_round_tokens_mean_min(rate, length, batch),
               waste = sim::padding_waste_ratio(rate, length, batch);
  return {.name = "batch",
          .values = {{"batch", static_cast<long long>(batch)},
                     {"longest_tokens_per_round", longest},
                     {"shortest_tokens_per_round", shortest},
                     {"padding_waste_ratio", waste}},
          .text = fmt::format("{} sequences at length {}: the longest round has {:.4f} "
                              "tokens, the shortest {:.4f}; padding wastes {:.1f} %",
                              batch, length, longest, shortest, 100.0 * waste)};
}

Answer beams(const ChainInput& chain, const PredictOptions& options) {
  const int width = within_range("--num-beams", *options.num_beams, 1, kMostBeams);
  const sim::BeamRound round{
      .beam_width = width,
      .draft_beam_width =
          within_range("--draft-beams", options.draft_beams.value_or(width), width, kMostBeams),
      .speculation_length = chain.speculation_length};
  const double steps = sim::beam_steps_per_round(chain.acceptance_rate, chain.speculation_length),
               operations = sim::beam_operations_factor(chain.acceptance_rate, round),
               bound = sim::beam_speedup_bound(chain.acceptance_rate, chain.speculation_length,
                                               chain.cost_ratio);
  const long long rows = sim::beam_target_runs_per_round(round);
  return {.name = "beams",
          .values = {{"target_rows_per_round", rows},
                     {"steps_per_round", steps},
                     {"operations_factor", operations},
                     {"predicted_speedup_bound", bound}},
          .text = fmt::format("{} of the target, {} of the draft, length {}: {} rows and "
                              "{:.4f} steps a round, {:.4f} times the operations, speed-up {:.4f} "
                              "at most (A.4)",
                              width, round.draft_beam_width, chain.speculation_length, rows, steps,
                              operations, bound)};
}

/// E,V,n,d or E,V,n,d,tied.
sim::MlpSpeculatorShape parse_shape(const std::string& text) {
  std::vector<std::string> parts = split(text, ',');
  const bool tied = parts.size() == 5 && parts.back() == "tied";
  if (tied) parts.pop_back();
  if (parts.size() != 4)
    throw ConfigError(
        fmt::format("--mlp-speculator '{}'; allowed: BASE_WIDTH,VOCABULARY,HEADS,INNER_WIDTH, with "
                    "',tied' behind it where stages share their weights: 4096,32000,3,4096",
                    escaped(text, 60)));
  std::vector<int> numbers;
  for (const std::string& part : parts) {
    const double number = parse_number("--mlp-speculator", part, kShapeNumber);
    if (number != std::floor(number))
      throw ConfigError(fmt::format("--mlp-speculator {}; allowed: {}", part, kShapeNumber.text));
    numbers.push_back(static_cast<int>(number));
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3], tied};
}

Answer mlp_speculator(const ChainInput& chain, const std::string& text) {
  const sim::MlpSpeculatorShape shape = parse_shape(text);
  const long long parameters = sim::mlp_parameters(shape),
                  multiplications = sim::mlp_multiplications(shape);
  const double saved = 1.0 - sim::target_reads_per_token(chain.acceptance_rate, shape.heads);
  return {.name = "mlp_speculator",
          .values = {{"parameters", parameters},
                     {"multiplications_per_round", multiplications},
                     {"target_reads_saved_ratio", saved}},
          .text = fmt::format("{} heads of an MLP speculator: {} parameters, {} "
                              "multiplications a round; they save {:.1f} % of the target's reads",
                              shape.heads, parameters, multiplications, 100.0 * saved)};
}

}  // namespace

std::vector<Answer> asked_answers(const PredictOptions& options, const ChainInput& chain) {
  std::vector<Answer> answers;
  if (options.new_tokens) answers.push_back(distributed(chain, *options.new_tokens));
  if (options.batch) answers.push_back(padded_batch(chain, *options.batch));
  if (options.draft_beams && !options.num_beams)
    throw ConfigError("--draft-beams widens the beams of --num-beams; give that too");
  if (options.num_beams) answers.push_back(beams(chain, options));
  if (options.mlp_speculator) answers.push_back(mlp_speculator(chain, *options.mlp_speculator));
  return answers;
}

std::vector<std::string> options_of_answers(const PredictOptions& options) {
  std::vector<std::string> names;
  if (options.new_tokens) names.push_back("--new-tokens");
  if (options.batch) names.push_back("--batch");
  if (options.num_beams) names.push_back("--num-beams");
  if (options.mlp_speculator) names.push_back("--mlp-speculator");
  if (options.candidates) names.push_back("--candidates");
  if (options.lenience) names.push_back("--lenience");
  return names;
}

}  // namespace speclab::experiments
