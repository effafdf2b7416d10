#pragma once
// How many rounds texts take with drafts of one length, from counts of a drafter alone.

#include <string>
#include <vector>

namespace speclab::experiments {

/// Texts of one law, in the mean.
struct RoundsOfText {
  double tokens = 0, rounds = 0, drafting_rounds = 0;

  void add(const RoundsOfText& other, double weight);
  /// Plain decoding's time over that of drafting. Rounds without a draft cost what plain ones do.
  double speedup(double plain_us, double round_us) const;
};

/// A drafter's rounds at one temperature and length.
struct KeptDrafts {
  RoundsOfText mean;                  ///< a group of texts is as heavy as any other
  std::vector<RoundsOfText> without;  ///< the mean without each group in turn
};

/// Temperatures of texts whose rounds are predicted.
std::vector<double> temperatures_on_device();

/// @param temperature  counted, or between two that were: then the places of both are taken
/// together
/// @throws ConfigError where no temperature was counted on one side, DataError where the drafter
/// has no counts
KeptDrafts kept_drafts(const std::string& drafter, double temperature, int speculation_length);

}  // namespace speclab::experiments
