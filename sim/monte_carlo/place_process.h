#pragma once
// Acceptance by what every place of texts shows of a drafter: which places follow one another
// decides where rounds begin.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

/// Chains of a drafter that begin at all places of a text, not only where rounds of a decoder do.
struct PlaceAcceptance {
  double hit_rate = 1.0;  ///< share of places for which it drafts at all, in [survival[0], 1]
  std::vector<double> survival{0.5};  ///< [d]: share of places whose first d + 1 drafted tokens are
                                      ///< kept; in [0, 1), falling
  std::optional<int> most_levels{};   ///< of a draft, where the drafter has no more

  /// @throws ContractError if a field is out of range
  void validate() const;
};

/// Lengths of the runs of kept places that follow a place that was not kept: P(at least d), d = 0,
/// 1, .... A run behind such a place lasts at least d with chance (S(d) - S(d+1)) / (1 - S(1)),
/// where S(d) is the share of places whose next d are kept; but with no more than S(1), because
/// hard places stand together. Beyond the last level that was observed S falls by the ratio of the
/// last two. Longer runs are no likelier than shorter ones: where noise lets the falls of S rise,
/// they are pooled. A draft that grows worse from level to level makes S(2) too small, and the runs
/// too long.
/// @throws ContractError as PlaceAcceptance::validate
/// @source ours
std::vector<double> runs_behind_misses(const PlaceAcceptance& places);

/// Text as runs of places whose drafts are kept, each ended by a place whose draft is not. Rounds
/// begin behind rejections and behind bonus tokens, wherever those fall; so they begin at harder
/// places than those of the whole text.
class PlaceProcess final : public AcceptanceProcess {
 public:
  /// @throws ContractError as PlaceAcceptance::validate
  explicit PlaceProcess(const PlaceAcceptance& places);

  std::string name() const override { return "places"; }
  void begin(const RngStream& stream, std::uint32_t sequence) override;
  int begin_round(std::uint32_t round) override;
  DraftLevel level(int index) override;
  void advance(int emitted) override;
  bool is_logged() const override { return true; }

 private:
  void draw_run(const std::vector<double>& at_least);

  std::vector<double> first_run_;    ///< of a text, which begins anywhere: P(at least d)
  std::vector<double> later_runs_;   ///< behind a miss
  double chance_of_rejected_draft_;  ///< a draft is made at a place where it is not kept
  int most_levels_;
  RngStream stream_{0};
  std::uint32_t sequence_ = 0;
  std::uint32_t next_run_ = 0;
  int kept_ = 0;         ///< places before the next miss
  bool drafts_ = false;  ///< at that miss
};

}  // namespace speclab::sim
