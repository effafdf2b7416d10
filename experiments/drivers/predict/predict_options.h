#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/core/setting.h"

namespace speclab::experiments {

/// Options of `speclab predict`. Numbers with intervals are text as typed, VALUE or VALUE:LOW:HIGH.
struct PredictOptions {
  std::optional<std::string> acceptance_rate{};
  std::optional<std::string> trace{};       ///< a rounds.csv
  std::optional<std::string> observed{};    ///< run folder of the kind drafter_acceptance
  std::optional<std::string> target_law{};  ///< a file of laws p
  std::optional<std::string> draft_law{};   ///< and one of laws q

  std::optional<std::string> cost_ratio{};
  std::optional<std::string> verify_cost_ratio{};
  std::optional<std::string> overhead_ratio{};
  std::optional<std::string> costs{};  ///< a costs.csv
  SettingFilter choice{};  ///< of model, drafter, verifier that `costs`, `trace`, `observed` and
                           ///< `machine` hold
  std::optional<std::string> temperature{};  ///< chooses as well
  std::optional<int> context{};

  std::optional<std::string> machine{};  ///< kept costs, to be composed with counts
  std::optional<std::string> counts{};   ///< acceptance.csv of a drafter; else the drafter's own
  std::optional<int> prompt_tokens{};    ///< of a text, where speed-ups are composed

  std::optional<std::string> pass_of{};  ///< shapes whose passes are predicted from the rule
  std::optional<std::string> device{};   ///< and the devices
  std::optional<std::string> kernels{};  ///< measured, planned or both
  std::optional<int> rows{};             ///< of a pass
  bool rounds = false;                   ///< rounds of drafters instead of passes
  bool pass_errors = false;              ///< what the rule leaves at shapes that it has not seen

  std::string draft_operations_ratio = "0";
  std::optional<std::string> target_bytes{};
  std::optional<std::string> draft_bytes{};
  std::optional<int> max_length{};
  std::optional<int>
      speculation_length{};          ///< also say what this one gives; with `machine` that alone
  std::optional<int> tree_budget{};  ///< nodes, root included
  std::optional<int> tree_levels{};
  std::optional<std::string> rank_acceptance{};  ///< P1,P2,...

  std::optional<int> new_tokens{};   ///< of a text, for drafting beside verification and `machine`
  std::optional<int> batch{};        ///< sequences whose rounds are padded
  std::optional<int> num_beams{};    ///< of the target
  std::optional<int> draft_beams{};  ///< of the draft; as many if not given
  std::optional<std::string> mlp_speculator{};  ///< E,V,n,d[,tied]
  std::optional<int> candidates{};              ///< for one place, where laws are given
  std::optional<std::string> lenience{};        ///< l, where laws are given

  bool chooses() const { return temperature || !choice.keeps_everything(); }

  bool csv = false;
  bool json = false;
  std::optional<std::string> plot{};
};

}  // namespace speclab::experiments
