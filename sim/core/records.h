#pragma once
// The records of a generation: one for each round and one for the whole. Times are integer
// nanoseconds.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/draft.h"
#include "sim/core/token.h"

namespace speclab {

/// One draft-verify round of one sequence.
struct RoundRecord {
  std::int32_t round = 0;
  std::int32_t position = 0;  ///< index of the first token this round emitted, prompt included
  std::int32_t drafted = 0;   ///< drafted nodes
  std::int32_t rows = 0;      ///< rows of the target forward, pending token included
  std::int32_t depth = 0;     ///< deepest drafted node
  std::int32_t accepted = 0;  ///< accepted by the verifier, before any cut by a stop rule
  std::int32_t tested = 0;
  std::int32_t emitted = 0;  ///< after the cut; accepted + 1 if nothing was cut
  NextKind next_kind = NextKind::bonus;
  std::int64_t draft_ns = 0;
  std::int64_t target_ns = 0;  ///< the target's forward
  std::int64_t verify_ns = 0;  ///< processors, acceptance, commit
  std::int64_t other_ns = 0;   ///< the rest of the round
};

/// The sum of one number over the rounds.
template <typename Number>
std::int64_t total_of(std::span<const RoundRecord> rounds, Number RoundRecord::* number) {
  std::int64_t sum = 0;
  for (const RoundRecord& round : rounds) sum += round.*number;
  return sum;
}

/// Source of an emitted token; for reports.
enum class TokenFate : std::uint8_t { plain, accepted, recovered, bonus };

enum class StopReason : std::uint8_t { length, end_of_sequence, stop_string, time };

/// Bytes of weights and of cached keys and values that forwards read. They are counted, not
/// measured: a forward reads the weights once, in the form that its number of rows takes, and
/// ModelInfo::cache_bytes_per_token of every committed token of its sequences.
struct ReadBytes {
  std::int64_t target = 0;
  std::int64_t draft = 0;  ///< 0 if the drafter reads no model

  std::int64_t total() const { return target + draft; }
};

/// Energy that meters counted.
struct EnergyUse {
  double joules = 0;
  std::string source;  ///< parts that the meters cover: "cpu packages", "gpu", "cpu packages + gpu"
};

/// Sizes of two vocabularies and of what they have in common.
struct VocabularyOverlap {
  std::int64_t shared = 0;  ///< tokens that both spell equally
  std::int64_t draft = 0;   ///< all tokens of the drafter
  std::int64_t target = 0;  ///< all tokens of the target
};

/// Work between a drafter and a target with different tokenizers.
struct BridgeUse {
  std::string bridge{};           ///< the way: "re_encode", "look_behind", "intersection", ...
  std::int64_t draft_tokens = 0;  ///< drafted, in the drafter's own tokens
  std::int64_t spelling_ns = 0;   ///< decoding and encoding texts, part of the rounds' draft_ns
  VocabularyOverlap overlap{};
  std::int64_t unshared_outputs = 0;  ///< emitted tokens that are none of the drafter's
};

struct GenerationRecord {
  std::vector<Token> output_ids;
  std::vector<std::vector<Token>> other_texts{};  ///< of a search, behind its best
  std::vector<TokenFate> fates;                   ///< one per output id
  std::vector<double> log_probabilities{};  ///< one per output id where they are asked for, under
                                            ///< the model itself, before any setting
  std::vector<RoundRecord> rounds;
  StopReason stop_reason = StopReason::length;
  std::int64_t prefill_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t time_to_first_token_ns = 0;
  ReadBytes read{};                   ///< the rounds' bytes, without the prefill
  std::optional<BridgeUse> bridge{};  ///< empty where both models share a tokenizer
  std::optional<EnergyUse> energy{};  ///< the rounds' energy; empty if no meter told it
};

const char* to_string(NextKind kind);
const char* to_string(TokenFate fate);
const char* to_string(StopReason reason);

/// Training text of a drafter that speclab trained, and its results on held-out text.
struct TrainingRecord {
  std::int64_t tokens = 0;   ///< tokens of the training text in one pass
  double held_out_loss = 0;  ///< cross-entropy to the target's law, in nats a token; for n-grams
                             ///< and language models to the text's own tokens
  double held_out_agreement = 0;   ///< share of positions at which its most likely token is the
                                   ///< target's; for a language model, the text's
  double held_out_acceptance = 0;  ///< mean sum of min(p, q), for some kinds a lower bound; for a
                                   ///< language model the mean probability of the text's next token
};

/// The origin of a file: keys and their texts, in the order in which they are written.
using Provenance = std::vector<std::pair<std::string, std::string>>;

// Readings of an accelerator while something is measured on it.

/// One moment of a device. A reading that it does not offer is missing. @source NVML, nvmlDevice*
struct DeviceSample {
  std::optional<std::int64_t> sm_clock_mhz{}, memory_clock_mhz{};
  std::optional<std::int64_t> temperature_c{};
  std::optional<double> power_w{};
  std::optional<std::int64_t>
      slowdowns{};  ///< reasons for lower clocks than asked for, as bits of nvmlClocksEventReasons
  std::optional<std::int64_t> other_processes{};  ///< number of other processes that compute on it
  std::optional<std::int64_t> ecc_errors{};       ///< uncorrected, since the driver was loaded
};

/// The slowdowns that disturb a measurement: power cap, hardware limit, thermal limit (by software
/// or hardware), power brake. @source nvml.h
inline constexpr std::int64_t kDisturbingSlowdowns = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace speclab
