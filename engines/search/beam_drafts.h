#pragma once
// Tokens that a drafter foretells behind beams, read in the same forward as the beams.

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engines/drafters/drafters.h"
#include "engines/interface/round_decoder.h"
#include "engines/search/beam_group.h"

namespace speclab::engines {

/// A step of beams costs no forward if the tokens that it chose were drafted behind their beams.
/// @source Leviathan et al. 2023, Appendix A.4
class BeamDrafts {
 public:
  /// @param drafter  null: nothing is drafted
  explicit BeamDrafts(std::unique_ptr<Drafter> drafter) : drafter_(std::move(drafter)) {}

  void begin(const Request& request, std::size_t num_beams);
  /// Appends the rows of a draft behind each beam, whose own rows are there. A step needs a drafted
  /// token behind every beam, so all drafts are as deep as the shallowest.
  /// @param levels  at most, of a draft @return levels of each draft
  std::int32_t add_rows(std::span<const Beam> beams, std::int32_t levels,
                        std::vector<ForwardRow>& rows);
  /// Gives each beam the row that has read its last token.
  /// @param beams  behind a step: each has its parent's row
  /// @return false, and all rows stay, if a token was not drafted
  bool follow(std::span<Beam> beams) const;
  std::int64_t bytes_read() const { return drafter_ ? drafter_->bytes_read() : 0; }

 private:
  void add_tree(const TokenTree& tree, std::int32_t levels, std::int32_t root,
                std::vector<ForwardRow>& rows);

  std::unique_ptr<Drafter> drafter_;
  std::vector<Sequence> texts_;                                     ///< of each place of a beam
  std::map<std::pair<std::int32_t, Token>, std::int32_t> drafted_;  ///< row by its parent and token
};

/// True if the options ask for drafts.
bool has_drafts(const DecoderOptions& options);

/// Drafted tokens behind a beam at most.
std::int32_t most_drafted(const DecoderOptions& options);

/// Tokens that the target's cache holds at most: the prompt once, and what stands behind it for
/// each beam.
std::int64_t tokens_of_beams(const DecoderOptions& options, std::int64_t prompt_tokens);

/// @throws ConfigError if the options ask for drafts in a search that takes none, or for a drafter
/// that reads states of one text
void check_drafts(const DecoderOptions& options);

/// The drafter that the options ask for; null if they ask for none.
/// @throws ConfigError as check_drafts and make_drafter do, and if memory does not hold the
/// drafter's caches
std::unique_ptr<Drafter> make_beam_drafter(const DecoderOptions& options, std::size_t prompt_tokens,
                                           const ModelInfo& target, DrafterModels& models);

}  // namespace speclab::engines
