#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/trace.h"
#include "experiments/drivers/predict/answers.h"
#include "experiments/drivers/predict/predict_options.h"
#include "experiments/drivers/predict/typed_numbers.h"
#include "sim/analytic/sibling_acceptance.h"

namespace speclab::experiments {

/// What is known of acceptance.
struct AcceptanceInput {
  analysis::Estimate rate;  ///< α
  std::vector<analysis::Estimate>
      tokens_by_position{};  ///< [γ] tokens a round by a trace's acceptance by position, γ = 0, 1,
                             ///< ...; empty where only α is known
  std::vector<double> rank_acceptance{};  ///< of the children of a tree's node; empty where unknown
  std::optional<sim::SiblingAcceptance>
      siblings{};                    ///< by where a node stands, where trees were observed
  std::vector<Answer> answers{};     ///< of laws
  std::string source;                ///< where it comes from, for the reader
  std::vector<std::string> notes{};  ///< what the reader must know of it
};

/// From --acceptance-rate, --trace, --observed, or --target-law and --draft-law: exactly one of
/// them, and --rank-acceptance beside the first two.
/// @param filter  which rounds of a trace count
/// @throws ConfigError about options, DataError about files
AcceptanceInput acceptance_input(const PredictOptions& options, const SettingFilter& filter);

}  // namespace speclab::experiments
