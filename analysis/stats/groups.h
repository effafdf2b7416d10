#pragma once
// Groups of generations (a cell, or cells pooled over categories), the sums and ratios that they
// give, with intervals clustered by prompt, and which of them the pilots would have chosen.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/stats/bootstrap.h"
#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

using Generations = std::vector<const Generation*>;

/// A number of one generation, for instance its tokens.
using Quantity = std::function<double(const Generation&)>;

/// 0 over no generations.
double sum_over(const Generations& generations, const Quantity& quantity);

/// The sum of one quantity over that of another, resampled by prompt. It has no interval if it
/// is 0. @return nothing if the denominator is not above 0
std::optional<Estimate> ratio_over(const Generations& generations, const Quantity& numerator,
                                   const Quantity& denominator, Bootstrap& bootstrap);

/// Acceptance at one depth of the draft, 1 being the first drafted token.
struct DepthSurvival {
  int depth = 1;
  Estimate conditional_acceptance;  ///< P(accepted here | accepted before and a draft reaches here)
  Estimate survival;  ///< P(at least `depth` accepted): product of the conditional rates so far
};

/// Depths from 1 to the last one at which a token was accepted. Rounds that end before a depth
/// for lack of a draft do not count there, so that adaptive lengths do not look like
/// rejections. Empty if nothing was accepted.
/// @source Kaplan and Meier 1958 (product limit)
std::vector<DepthSurvival> acceptance_by_depth(const Generations& generations, const Run& run,
                                               Bootstrap& bootstrap);

/// Finds the plain generations that a speculative one is compared with.
class Baseline {
 public:
  explicit Baseline(const Run& run);
  /// Plain decoding of the same model, sampling settings, prompt and repetition; where it has more
  /// repetitions than the others also those that were measured among them, which are of equal
  /// remainder. Empty if it was not run.
  const Generations& partners_of(const Generation& generation) const;

 private:
  std::map<std::tuple<Setting, std::string, std::int64_t>, Generations> plain_;
};

/// Mean nanoseconds of a round, by what they were spent on.
struct TimeSplit {
  double draft_ns = 0;
  double target_ns = 0;
  double verify_ns = 0;
  double other_ns = 0;

  double total_ns() const { return draft_ns + target_ns + verify_ns + other_ns; }
};

/// Ratios are ratios of totals. What is not defined for the group is missing.
struct GroupSummary {
  std::size_t n_prompts = 0;
  std::size_t n_rows = 0;
  Estimate walltime_ns;  ///< mean of a generation
  std::optional<Estimate>
      speedup;  ///< plain / own walltime over the pairs; for plain decoding missing
  std::optional<Estimate> decoding_speedup;  ///< the same without the prompts' reading
  std::optional<Estimate>
      pair_speedup;  ///< median of plain / own walltime over the pairs, taken as independent
  std::optional<Estimate> tokens_per_round;  ///< missing if there were no rounds
  std::optional<Estimate> acceptance_rate;   ///< accepted / tested; missing if nothing was drafted
  std::optional<double> accepted_fraction;   ///< accepted / drafted
  double drafting_fraction = 0;              ///< drafting rounds / rounds
  Estimate round_ns;                         ///< mean decoding time of a round
  std::optional<Estimate> token_ns;  ///< mean of a token that rounds emitted, as round_ns without
                                     ///< the prompt's reading; missing if there were none
  TimeSplit split;
  Prediction prediction;          ///< pooled; missing if a cell of the group has none
  std::size_t unequal_pairs = 0;  ///< generations whose output differs in length from that of the
                                  ///< same repetition of plain decoding
  std::size_t other_texts = 0;  ///< lossless generations at temperature 0 whose text is not that of
                                ///< every plain one they are compared with
  std::size_t apart_pairs = 0;  ///< generations whose plain partners are, one of them at least, of
                                ///< another section: measured at another time
  bool lossless = true;
  std::optional<double> law_distance{};      ///< mean over the tokens of a lossy group
  std::optional<double> bytes_per_token{};   ///< that forwards of rounds read, over output tokens
  std::optional<double> joules_per_token{};  ///< of rounds; either is missing if a row lacks it
  bool forced_acceptance = false;

  /// Whether the rule changes the output law; forced acceptance, which has none, is not meant.
  bool is_lossy() const { return law_distance.has_value(); }
};

/// @param generations  not empty, all lossless or none, all of forced acceptance or none (else
/// DataError)
GroupSummary summarise(const Generations& generations, const Run& run, const Baseline& baseline,
                       Bootstrap& bootstrap);

/// All generations of the same axes, and what they say.
struct Group {
  Setting axes;
  std::string category;  ///< `all` if pooled over categories
  Generations generations;
  GroupSummary summary;
};

/// Groups in the order in which rows.csv first names them.
std::vector<Group> pooled_groups(const Run& run, const Baseline& baseline, Bootstrap& bootstrap);
std::vector<Group> groups_by_category(const Run& run, const Baseline& baseline,
                                      Bootstrap& bootstrap);

/// Two of the groups that share model and sampling settings: the one that the pilots predicted to
/// have the shortest walltime, and the one that was found to have it. Either may be plain decoding;
/// neither is lossy, which would be another text's time.
struct PilotChoice {
  const Group* chosen;
  const Group* fastest;
};

/// One choice for every model and sampling setting at which plain decoding and something else were
/// predicted and measured, in the order of `groups`, which must outlive the result.
std::vector<PilotChoice> pilot_choices(const std::vector<Group>& groups);

}  // namespace speclab::analysis
