#pragma once
// A drafter proposes a token tree for each sequence, with the laws that its tokens were drawn from.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/draft.h"
#include "sim/core/records.h"

namespace speclab::engines {

/// A sequence being decoded. `tokens` holds the prompt and everything emitted. The last token is
/// pending: it is not in the target's cache yet.
struct Sequence {
  std::uint32_t id = 0;         ///< keys the random streams
  std::int32_t index = 0;       ///< index in the batch, [0, batch)
  std::int32_t cache_slot = 0;  ///< slot in the target's cache
  std::int32_t prompt_length = 0;
  std::uint32_t round = 0;
  std::vector<Token> tokens;
  bool finished = false;
};

/// How far a draft may go.
struct DraftLimit {
  std::int32_t max_length =
      0;                    ///< levels, and nodes of an adaptive tree; 0 is a draft without nodes
  double stop_below = 0.0;  ///< a chain ends behind the first token that the drafter finds less
                            ///< likely than this; 0 ends none
};

class Drafter {
 public:
  virtual ~Drafter() = default;
  virtual std::string name() const = 0;
  /// True if it reads the target's hidden states; read_hidden is called only then.
  virtual bool reads_hidden() const { return false; }
  /// A new batch begins; tokens hold the prompts. index runs from 0 to the batch size.
  virtual void begin(std::span<const Sequence> sequences) = 0;
  /// Receives the target's hidden states after the tokens that it has just committed, in order.
  /// After begin they belong to the prompt without its last token; after a round, to the accepted
  /// path.
  /// @param hidden  [count, hidden_size], float32; valid during the call
  virtual void read_hidden(const Sequence&, std::span<const float> /*hidden*/) {}
  /// Fills drafts[i] for sequences[i] within limits[i]. A drafter that copies counts its tokens as
  /// certain, so stop_below never ends its drafts.
  virtual void propose(std::span<const Sequence* const> sequences,
                       std::span<const DraftLimit> limits, std::span<Draft> drafts) = 0;
  /// Bytes of weights and cache that its models have read so far; 0 if it reads none.
  virtual std::int64_t bytes_read() const { return 0; }
  /// Work between two tokenizers for a sequence since begin; nothing where there is one tokenizer.
  virtual std::optional<BridgeUse> bridge_use(const Sequence&) const { return std::nullopt; }
  /// Called after verification; the sequence's tokens already hold the emitted ones.
  virtual void observe(const Sequence& sequence, const Draft& draft, const Verdict& verdict) = 0;
};

}  // namespace speclab::engines
