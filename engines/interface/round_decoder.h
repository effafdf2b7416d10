#pragma once
// Decoding as experiments see it: begin, rounds, finish. Plain decoding and every speculative
// combination look alike.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/drafter_options.h"
#include "engines/interface/sampling_options.h"
#include "engines/interface/sequence_search.h"
#include "sim/core/chance.h"
#include "sim/core/draft.h"
#include "sim/core/records.h"
#include "sim/core/speculation_length_policy.h"
#include "sim/rules/lossy_rule_options.h"

namespace speclab::engines {

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
