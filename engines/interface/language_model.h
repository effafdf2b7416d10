#pragma once
// A language model as its users see it: rows go in, logits come out, and a cache keeps a path. No
// torch here.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/records.h"
#include "sim/core/token.h"

namespace speclab::engines {

/// One row of a forward pass. It sees its sequence's committed cache, its ancestors among the new
/// rows, and itself.
struct ForwardRow {
  static constexpr std::int32_t kCommitted = -1;
  /// The parent of a row that continues a kept branch.
  static constexpr std::int32_t branch(std::int32_t i) { return -2 - i; }
  Token token = 0;
  std::int32_t position = 0;  ///< distance from the sequence's first token (depth, not slot)
  std::int32_t sequence = 0;  ///< cache slot, as given by KvCache::begin
  std::int32_t parent =
      kCommitted;  ///< earlier row of the same sequence in this forward, a branch, or kCommitted
  bool wants_logits = true;
  bool wants_hidden = false;
  const float* feature = nullptr;  ///< [feature_size], read by models that have
                                   ///< ModelInfo::feature_size; null for all others
};

/// Keys and values of a set of sequences. A forward appends rows; commit keeps a path of them.
class KvCache {
 public:
  virtual ~KvCache() = default;
  /// A new empty sequence. @return its slot @throws ContractError if all slots are taken
  virtual std::int32_t begin() = 0;
  /// A new sequence with a copy of `sequence`'s committed entries. @return its slot
  virtual std::int32_t fork(std::int32_t sequence) = 0;
  /// Keeps these rows of the last forward in this order and forgets the sequence's other rows. All
  /// belong to `sequence`. The first continues the committed cache; each other is the child of the
  /// one before.
  virtual void commit(std::int32_t sequence, std::span<const std::int32_t> rows) = 0;
  /// Keeps the paths that end in these rows of the last forward as branches 0, 1, ... of the
  /// sequence, and forgets its other rows and branches. A fork copies nothing. Tokens that all
  /// paths begin with are committed. commit is not allowed while there are branches.
  /// @throws DeviceError if this cache has no branches
  virtual void keep(std::int32_t sequence, std::span<const std::int32_t> rows) = 0;
  /// Forgets committed entries from `length` on.
  virtual void truncate(std::int32_t sequence, std::int32_t length) = 0;
  virtual void release(std::int32_t sequence) = 0;
  virtual std::int32_t length(std::int32_t sequence) const = 0;  ///< committed tokens
  virtual std::int32_t capacity()
      const = 0;  ///< tokens a sequence can hold, uncommitted rows included
};

struct ModelInfo {
  std::string name;
  std::string family;           ///< "llama"
  std::string dtype;            ///< arithmetic of products: "float32", "bfloat16", "q8", or weights
                                ///< and activations, "file x int8"
  std::string device;           ///< "cpu", "cuda"
  std::string kernels;          ///< the kernels that the probe chose
  std::string sha256;           ///< digest of the file, or of the folder's weight file
  std::string config_sha256{};  ///< digest of the config.json beside it, which holds for example
                                ///< the draft vocabulary; empty: there is none
  std::string version{};        ///< "NAME/v1" of a drafter that has versions, else empty
  std::string
      base_sha256{};  ///< digest of the model whose hidden states it reads; empty: none, or unknown
  std::int32_t vocab_size = 0;
  std::int32_t context_length = 0;
  std::int32_t num_layers = 0;
  std::int32_t hidden_size = 0;
  std::int32_t state_width = 0;  ///< of the states that others read; 0: hidden_size
  std::int32_t num_state_layers =
      0;  ///< number of layers whose residual stream follows the last state in a row's hidden state
  std::int32_t feature_size =
      0;  ///< size of the vector that every row brings beside its token; 0 if rows bring none
  std::vector<Token>
      draft_vocabulary{};  ///< token of every logit, ascending; empty: logit i is token i
  std::int64_t num_parameters = 0;
  std::int64_t weight_bytes = 0;  ///< bytes read by one forward of one row; an embedding table
                                  ///< counts only if it is the head
  std::int64_t cache_bytes_per_token =
      0;  ///< bytes of keys and values of one cached token, all layers together; 0: no cache
  std::int32_t narrow_rows = 0;  ///< forwards of more rows read wide_weight_bytes; 0: all read the
                                 ///< same
  std::int64_t wide_weight_bytes = 0;  ///< of the form of the weights for many rows
  std::int64_t streamed_bytes = 0;  ///< bytes that every forward reads from the model's files; 0:
                                    ///< all weights stay in memory
  double speedup_of_int8 = 0;       ///< of int8 activations over the exact products that a probe
                                    ///< chose, for one row; 0: not measured
  bool random_weights = false;      ///< a shape model: its time is real, its text is not
  std::string widened_from{};       ///< the model that was put into this larger shape, whose text
                                    ///< and digest it has; empty: none
  std::optional<TrainingRecord> training{};  ///< set for a drafter that speclab trained

  /// Size of the last state of a row, and of each stream that follows it.
  std::int32_t last_state_size() const { return state_width > 0 ? state_width : hidden_size; }
  /// Size of the hidden state that a row gets if it wants one.
  std::int32_t state_size() const { return last_state_size() * (1 + num_state_layers); }
};

/// Logits and hidden states of the rows that asked for them, each in row order; valid until the
/// model's next forward.
struct ForwardResult {
  std::span<const float> logits;  ///< [num_wanting_rows, vocab_size], float32, host memory
  std::int32_t vocab_size = 0;    ///< logits a row: the model's vocabulary, or its draft vocabulary
  std::span<const float> hidden{};  ///< [num_wanting_rows, state_size], float32: the input of the
                                    ///< head, after the last norm, then the streams behind layers
  std::int32_t state_size = 0;

  std::span<const float> row(std::size_t i) const {
    return logits.subspan(i * static_cast<std::size_t>(vocab_size),
                          static_cast<std::size_t>(vocab_size));
  }
  std::span<const float> hidden_row(std::size_t i) const {
    return hidden.subspan(i * static_cast<std::size_t>(state_size),
                          static_cast<std::size_t>(state_size));
  }
};

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  virtual const ModelInfo& info() const = 0;
  /// @param capacity  tokens a sequence can hold, rows of a forward included; rounded up by the
  /// storage
  virtual std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences,
                                              std::int32_t capacity) = 0;
  /// Runs the rows. Their keys and values stay uncommitted in the cache; the next forward drops
  /// those that commit did not keep.
  /// @throws ContractError if a token, position, sequence or parent is out of range, or the cache
  /// is full
  virtual ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) = 0;
};

}  // namespace speclab::engines
