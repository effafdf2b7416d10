#pragma once
// Where the difference between a predicted and a measured walltime comes from.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stats/groups.h"
#include "analysis/stats/pair_costs.h"
#include "analysis/tables/costs.h"

namespace speclab::analysis {

/// In the order in which measured values take the place of predicted ones.
enum class Cause {
  pace,  ///< bare forwards took another time between the generations than when the cost surface was
         ///< measured
  acceptance,  ///< other rounds than the pilots let expect: other lengths, other numbers accepted
  ragged_end,  ///< tokens of a last round behind the stop
  prefill,     ///< reading the prompt
  drafting,    ///< drafts took another time than on the cost surface
  overhead,    ///< processors, verification, commit and the rest of a round
  not_explained,  ///< forwards took another time in rounds than bare ones at the same pace
};
inline constexpr std::array kCauses = {Cause::pace,         Cause::acceptance, Cause::ragged_end,
                                       Cause::prefill,      Cause::drafting,   Cause::overhead,
                                       Cause::not_explained};

const char* to_string(Cause cause);
/// For readers: "acceptance", "reading the prompt", ...
const char* words_of(Cause cause);

/// Means of a generation. predicted_ns and the causes add up to measured_ns.
struct Ledger {
  double predicted_ns = 0;
  double measured_ns = 0;
  std::array<Estimate, kCauses.size()> ns{};  ///< by cause; with 95 % intervals over prompts
  bool has_pace =
      true;  ///< where it was not measured, that cause is 0 and what it would take is not explained

  bool is_known(Cause cause) const { return has_pace || cause != Cause::pace; }
  const Estimate& at(Cause cause) const { return ns[static_cast<std::size_t>(cause)]; }
};

/// Makes the ledgers of a run's groups. What acceptance is held against falls on a cell's
/// generations as plain decoding of their lengths would, so that its interval does not tell how
/// unlike the prompts are.
class LedgerMaker {
 public:
  /// @param costs, paces  of costs.csv and pace.csv; without costs there is no ledger, without pace
  /// that cause is not known
  LedgerMaker(const Run& run, std::vector<CostRow> costs, const std::vector<PaceRow>& paces);

  /// Nothing where the group has no prediction or its costs were not measured.
  std::optional<Ledger> ledger(const Generations& generations) const;

 private:
  struct Account;
  struct Cell;
  /// By cell_id; nothing where one has no prediction or its costs were not measured.
  std::optional<std::map<std::string, Cell>> cells_of(const Generations& generations) const;
  double plain_ns(const Generation& generation, const PairCosts& costs) const;
  Account account(const Generation& generation, const Cell& cell) const;

  const Run& run_;
  std::vector<CostRow> costs_;  ///< at the pace of the generations
  bool has_pace_;
};

/// "acceptance (+12.0 %), drafting (-3.1 %), ...": the causes of the largest differences, of either
/// sign, largest first, at most three, as shares of the predicted walltime; empty where none
/// reaches half a per cent.
std::string reasons(const Ledger& ledger);

/// Median over ledgers of |not explained| / measured, and of the share of the measured walltime
/// that the prediction was off by.
std::optional<Estimate> median_unexplained(const std::vector<Ledger>& ledgers);

}  // namespace speclab::analysis
