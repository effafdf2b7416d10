#pragma once
// Decoding as experiments see it: begin, rounds, finish. Plain decoding and every speculative
// combination look alike.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/language_model.h"
#include "engines/interface/names.h"
#include "engines/interface/sampling_options.h"
#include "sim/core/records.h"
#include "sim/core/speculation_length_policy.h"
#include "sim/rules/lossy_rule_options.h"
#include "sim/rules/rule.h"

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

/// One drafter: its kind and the settings that kind knows.
struct DrafterOptions {
  std::string kind = "none";   ///< "plain" (no speculative loop at all), or one of kDrafterKinds
  std::string model{};         ///< path or catalogue name, for kinds that load one
  std::string tree = "chain";  ///< shape of a token tree, as TreeGrowth::parse reads it
  std::optional<std::int32_t>
      max_ngram{};  ///< longest suffix to look up, in tokens; longest_ngram() if not given
  std::optional<std::int32_t>
      min_ngram{};  ///< shortest suffix to look up; least_ngram() if not given
  std::optional<double>
      lookup_weight{};  ///< probability of the copied token in a mixture with prompt lookup, (0,
                        ///< 1]; the expectation of CopyRecord if not given
  std::vector<DrafterOptions>
      parts{};  ///< parts of a "mixture"; a part has no tree and is no mixture
  std::string bridge =
      "auto";           ///< to a target with another tokenizer: "auto", or one of kBridgeNames
  double weight = 1.0;  ///< weight as a part of a mixture (see is_part_weight), relative to the
                        ///< other parts that have a prediction

  /// Those of its kind; `plain` has none.
  DrafterTraits traits() const { return drafter_traits(kind); }
  /// Prompt lookup alone takes Hugging Face's 3. In a mixture, longer suffixes show how far a copy
  /// can be trusted. A suffix of one token is too weak beside a layer that reads hidden states.
  std::int32_t longest_ngram() const {
    return max_ngram.value_or(traits().mixes_copies() ? 10 : 3);
  }
  std::int32_t least_ngram() const {
    return min_ngram.value_or(std::min(reads_hidden_states(traits().law) ? 2 : 1, longest_ngram()));
  }
  /// True if its drafts copy from earlier text. Its acceptance then differs from one text to
  /// another.
  bool looks_up() const {
    return traits().looks_up || std::ranges::any_of(parts, &DrafterOptions::looks_up);
  }
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
