#include "experiments/drivers/predict/answers.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/drivers/predict/asked_answers.h"
#include "sim/analytic/heuristic_schedule.h"
#include "sim/analytic/speedup.h"

namespace speclab::experiments {
namespace {

constexpr double kSteadyRate = 0.99999;  ///< above it the schedule's lengths have no usable law

Answer break_even(const ChainInput& chain) {
  const double rate = chain.acceptance_rate, cost = chain.cost_ratio;
  const int length = chain.speculation_length;
  const bool can_pay = sim::speculation_can_pay(rate, cost);
  const double bound = sim::predicted_speedup_lower_bound(rate, cost);
  Answer answer{
      .name = "break_even",
      .values = {{"can_pay", can_pay},
                 {"predicted_speedup_lower_bound", bound},
                 {"speculation_length", static_cast<long long>(length)}},
      .text = can_pay ? fmt::format("acceptance is above the cost ratio {:.4g}: a length reaches "
                                    "{:.4f} at least (Corollary 3.9)",
                                    cost, bound)
                      : fmt::format("no length pays: acceptance is not above the cost ratio {:.4g} "
                                    "(Corollary 3.9)",
                                    cost)};
  if (length == 0) return answer;
  answer.values.push_back({"length_pays", sim::speculation_pays(rate, length, cost)});
  if (cost > 1.0) return answer;
  const double needed = sim::acceptance_rate_from_tokens_per_round(1.0 + cost * length, length);
  answer.values.push_back({"needed_acceptance", needed});
  answer.text += fmt::format("; length {} needs acceptance above {:.4f}", length, needed);
  return answer;
}

Answer oracle(const ChainInput& chain) {
  const double tokens = sim::oracle_tokens_per_round(chain.acceptance_rate),
               speedup = sim::oracle_speedup(chain.acceptance_rate, chain.cost_ratio);
  return {.name = "oracle",
          .values = {{"tokens_per_round", tokens}, {"predicted_speedup", speedup}},
          .text = fmt::format("a drafter that knows where it is rejected: {:.4f} tokens a round, "
                              "speed-up {:.4f}",
                              tokens, speedup)};
}

Answer heuristic(const ChainInput& chain) {
  const double balance = sim::heuristic_balance_length(chain.acceptance_rate),
               speedup = sim::heuristic_predicted_speedup(chain.acceptance_rate, chain.cost_ratio);
  return {.name = "heuristic",
          .values = {{"balance_length", balance}, {"predicted_speedup", speedup}},
          .text = fmt::format("+2/-1 balances at {:.2f} drafted tokens: speed-up {:.4f}", balance,
                              speedup)};
}

}  // namespace

std::vector<Answer> chain_answers(const PredictOptions& options, const ChainInput& chain) {
  std::vector<Answer> answers{break_even(chain)};
  if (chain.acceptance_rate < 1.0) answers.push_back(oracle(chain));
  if (chain.acceptance_rate <= kSteadyRate) answers.push_back(heuristic(chain));
  for (Answer& answer : asked_answers(options, chain)) answers.push_back(std::move(answer));
  return answers;
}

}  // namespace speclab::experiments
