// Batches and beams.

#include <algorithm>

#include "sim/analytic/batch.h"
#include "sim/analytic/other_forms.h"
#include "sim/analytic/tokens_per_round.h"
#include "tests/sim/agreement/twin.h"

namespace speclab::testing {
namespace {

using namespace sim;

struct Batch {
  double alpha;
  int gamma, size;
};
Batch any_batch(Dice& dice) {
  return {dice.between(0.3, 0.95), dice.integer(1, 8), dice.integer(1, 8)};
}

struct Played {
  double first, shortest, longest;
};
Played played(Dice& dice, const Batch& batch) {
  Played tokens{};
  for (int sequence = 0; sequence < batch.size; ++sequence) {
    const double own = 1.0 + accepted_run(dice, batch.alpha, batch.gamma);
    if (sequence == 0) tokens = {own, own, own};
    tokens.shortest = std::min(tokens.shortest, own);
    tokens.longest = std::max(tokens.longest, own);
  }
  return tokens;
}

Setting waste(Dice& dice) {
  const Batch batch = any_batch(dice);
  const double share = padding_waste_ratio(batch.alpha, batch.gamma, batch.size);
  return {0.0, batched_round_tokens_mean_max(batch.alpha, batch.gamma, batch.size), [=](Dice& d) {
            const Played tokens = played(d, batch);
            return (tokens.longest - tokens.first) - share * tokens.longest;
          }};
}

/// What a batch's round emits beside what as many plain steps would have cost, forwards timed by
/// the roofline here and now.
Setting speedup_of_a_batch(Dice& dice) {
  const Batch batch{dice.between(0.3, 0.95), dice.integer(1, 8), dice.integer(1, 256)};
  const ModelShape target{1.5e10, 7.5e9, 1.3e5}, draft{2.5e9, 1.25e9, 3e4};
  const DeviceRates device{.bandwidth_bytes_per_s = 4.3e12, .flop_per_s = 7.88e14};
  const int context = dice.integer(0, 4000);
  const double speedup = predicted_batch_speedup(
      batch.alpha, batch.gamma, BatchSetting{target, draft, device, batch.size, context});
  const auto seconds = [&](const ModelShape& model, double rows) {
    return std::max((model.weight_bytes + batch.size * model.kv_bytes_per_token * context) /
                        device.bandwidth_bytes_per_s,
                    2.0 * model.parameters * rows / device.flop_per_s);
  };
  const double round = batch.gamma * seconds(draft, batch.size) +
                       seconds(target, batch.size * (batch.gamma + 1.0)),
               step = seconds(target, batch.size);
  return {0.0, tokens_per_round(batch.alpha, batch.gamma), [=](Dice& d) {
            return 1.0 + accepted_run(d, batch.alpha, batch.gamma) - speedup * round / step;
          }};
}

Setting steps_of_a_beam(Dice& dice) {
  const Batch beam = any_batch(dice);
  return relative(beam_steps_per_round(beam.alpha, beam.gamma),
                  [=](Dice& d) { return 1.0 + accepted_run(d, beam.alpha, beam.gamma); });
}

Setting operations_of_a_beam(Dice& dice) {
  const Batch steps = any_batch(dice);
  const int width = dice.integer(1, 4);
  const BeamRound round{width, width + dice.integer(0, 4), steps.gamma};
  const double factor = beam_operations_factor(steps.alpha, round),
               rows = width + static_cast<double>(round.draft_beam_width) * steps.gamma;
  return {0.0, rows, [=](Dice& d) {
            return rows - factor * width * (1.0 + accepted_run(d, steps.alpha, steps.gamma));
          }};
}

Twin of_batch(const char* name, double (*closed)(double, int, int), double Played::* sampled) {
  return {name, [=](Dice& dice) {
            const Batch batch = any_batch(dice);
            return relative(closed(batch.alpha, batch.gamma, batch.size),
                            [=](Dice& d) { return played(d, batch).*sampled; });
          }};
}

}  // namespace

std::vector<Twin> batch_twins() {
  return {
      of_batch("batched_round_tokens_mean_max", batched_round_tokens_mean_max, &Played::longest),
      of_batch("batched_round_tokens_mean_min", batched_round_tokens_mean_min, &Played::shortest),
      {"padding_waste_ratio", waste},
      {"predicted_batch_speedup", speedup_of_a_batch},
      {"beam_steps_per_round", steps_of_a_beam},
      {"beam_operations_factor", operations_of_a_beam},
  };
}

}  // namespace speclab::testing
