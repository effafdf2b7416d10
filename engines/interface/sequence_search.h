#pragma once
// Decoding that keeps several sequences or candidates at once: beams and contrastive search.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/records.h"
#include "sim/core/token.h"

namespace speclab::engines {

/// When a search of beams ends, as generate() has it.
enum class EarlyStopping : std::uint8_t {
  no,    ///< if no open beam can probably become better: "false"
  yes,   ///< as soon as num_beams texts have ended: "true"
  never  ///< if no open beam can become better at any length: "never"
};

/// The part of a decoder's options that makes it a search, named and defined as in Hugging Face's
/// generate() 4.49.
struct SearchOptions {
  std::int32_t num_beams = 1;        ///< 1 is contrastive search
  std::int32_t num_beam_groups = 1;  ///< groups that avoid each other's tokens
  double diversity_penalty = 0.0;    ///< > 0 with groups
  double length_penalty = 1.0;       ///< a text's score is its log-probability / length ^ penalty
  EarlyStopping early_stopping = EarlyStopping::no;
  std::int32_t num_return_sequences = 1;  ///< at most num_beams
  bool do_sample = false;                 ///< beams are drawn; temperature and cutoffs then count
  double penalty_alpha = 0.0;             ///< contrastive search: weight of the similarity, [0, 1]
  std::int32_t top_k = 50;                ///< contrastive search: candidates a step, at least 2
  std::vector<std::vector<std::vector<Token>>>
      force_words_ids{};          ///< each stands in the text; of one with several, any of them
  std::int32_t draft_length = 4;  ///< tokens of a draft, which is verified beam by beam
};

/// A text that a search has found.
struct FoundSequence {
  std::vector<Token> ids;         ///< new tokens, the end included
  std::optional<double> score{};  ///< as sequences_scores; none of contrastive search
  StopReason stop_reason = StopReason::length;
};

struct SearchRecord {
  std::vector<FoundSequence> sequences;  ///< best first
  std::int64_t prefill_ns = 0, decode_ns = 0;
  std::vector<RoundRecord> rounds{};  ///< one a forward behind the prompt; its drafts are the steps
                                      ///< that it foretells
  ReadBytes read{};
};

}  // namespace speclab::engines
