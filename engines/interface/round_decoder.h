#pragma once
// Decoding as experiments see it: begin, rounds, finish. Plain decoding and every speculative
// combination look alike.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/drafter_options.h"
#include "engines/interface/sampling_options.h"
#include "sim/core/chance.h"
#include "sim/core/draft.h"
#include "sim/core/records.h"
#include "sim/core/speculation_length_policy.h"
#include "sim/core/token.h"
#include "sim/rules/lossy_rule_options.h"

namespace speclab::engines {

// Decoding that keeps several sequences or candidates at once: beams and contrastive search.

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

class Tokenizer;

/// When a generation ends.
struct StopOptions {
  std::int32_t max_new_tokens = 128;
  bool ignore_eos = false;
  std::vector<std::string>
      stop_strings{};  ///< the text ends before the first of them; needs a tokenizer
  std::optional<std::vector<Token>>
      eos_token_ids{};       ///< ends of this text; those of the tokenizer if not given
  double max_seconds = 0.0;  ///< a text ends with its first token behind them; 0: no limit
};

/// Forced rounds for shape models, whose text means nothing. Each round has a largest depth and a
/// number of accepted tokens; the list repeats.
struct ReplayTrace {
  struct Round {
    std::int32_t depth, accepted;
  };
  std::vector<Round> rounds;

  /// Round `round` of a sequence; every sequence starts at a round of its own.
  const Round& at(std::uint32_t sequence, std::uint32_t round) const {
    constexpr std::uint32_t kStride = 7919;
    return rounds[(sequence * kStride + round) % rounds.size()];
  }
};

struct DecoderOptions {
  SamplingOptions sampling{};
  StopOptions stop{};
  DrafterOptions drafter{};
  std::string verifier = "rejection";  ///< one of kVerifierKinds
  LossyRuleOptions lossy{};
  std::uint64_t seed = 0;
  std::shared_ptr<Chance> chance = nullptr;  ///< source of all draws; Philox under `seed` if null
  std::shared_ptr<const ReplayTrace> replay = nullptr;  ///< for verifier "replay"
  bool log_probabilities = false;  ///< records tell that of every token under the model itself
  /// Called with every draft and the target's laws after its nodes, before verification; may be
  /// empty.
  std::function<void(const Draft&, const TargetLaws<float>&)> on_draft{};
  std::optional<SearchOptions> search{};  ///< none: a text is made in rounds
};

/// True if the output law is the target's.
inline bool is_lossless(const DecoderOptions& options) {
  const bool is_exact = options.verifier == "lenient" && options.lossy.lenience == 1.0;
  return !options.drafter.traits().drafts() || is_exact ||
         is_lossless(options.verifier, options.sampling.temperature);
}

/// The source of chance that the options name.
inline std::shared_ptr<Chance> chance_of(const DecoderOptions& options) {
  return options.chance ? options.chance : std::make_shared<PhiloxChance>(options.seed);
}

struct Request {
  std::uint32_t sequence_id = 0;  ///< keys the random streams
  std::vector<Token> prompt_ids;  ///< at least one
};

/// Decodes one batch of sequences. After finish it may begin again and reuses its buffers.
class RoundDecoder {
 public:
  virtual ~RoundDecoder() = default;
  /// Commits all but the last token of every prompt (prefill). @throws ConfigError if a prompt is
  /// empty or too long
  virtual void begin(const std::vector<Request>& requests,
                     const SpeculationLengthPolicy& policy) = 0;
  /// Runs one round for every unfinished sequence. @return false when all are finished
  virtual bool round() = 0;
  /// The records so far, one per request; valid until the next begin.
  virtual const std::vector<GenerationRecord>& records() const = 0;
  virtual void finish() = 0;
  virtual std::string description() const = 0;
};

}  // namespace speclab::engines
