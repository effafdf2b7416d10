#pragma once
// A draft's next tokens as a drafter's model sees them, and the growth that chooses among them.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engines/interface/drafter.h"
#include "engines/interface/round_decoder.h"

namespace speclab::engines {

/// A node of a tree that is being drafted behind a sequence.
struct DraftPlace {
  const Sequence& sequence;
  const TokenTree& tree;
  TokenTree::Node node;
};

/// Laws follow the sampling settings; likelihoods are the model's own, at temperature 1 before any
/// cutoff.
class NextTokens {
 public:
  virtual ~NextTokens() = default;
  virtual std::size_t vocab_size() const = 0;
  virtual bool reads_hidden() const { return false; }
  /// Levels that can be asked for; a draft has no more.
  virtual std::int32_t most_levels() const { return std::numeric_limits<std::int32_t>::max(); }
  /// @param spare  tokens that a sequence may grow by, all nodes of a tree included
  virtual void begin(std::span<const Sequence> /*sequences*/, std::int32_t /*spare*/) {}
  virtual void read_hidden(const Sequence&, std::span<const float> /*hidden*/) {}

  /// Bytes of weights and cache that models have read so far.
  virtual std::int64_t bytes_read() const { return 0; }

  /// A draft begins; the root can be asked for from here on. @return false where `levels` do not
  /// fit, or there is nothing to draft
  virtual bool start(const Sequence& sequence, std::int32_t levels) = 0;
  /// The nodes from `first` on were added: they can be asked for from here on, and no others.
  virtual void read(const Sequence&, const TokenTree&, TokenTree::Node /*first*/) {}

  /// Whether it has anything to say about the children of a node; a node that nothing is known of
  /// has none, and is not asked about.
  virtual bool knows(const DraftPlace&) const { return true; }
  /// Of a mixture's law behind a node, in [0, 1], whatever the weights say; nothing where it leaves
  /// that to them.
  virtual std::optional<double> claimed_share(const DraftPlace&) const { return std::nullopt; }
  /// What children of a node are drawn from.
  virtual void law(const DraftPlace& place, Law& law) = 0;
  /// The most likely children, at most `count`, in falling order, ties to the lower id. Valid until
  /// the next call.
  virtual std::span<const LawEntry<float>> most_likely(const DraftPlace& place,
                                                       std::size_t count) = 0;
  virtual double likelihood(const DraftPlace& place, Token token) = 0;
};

/// One whose model answers for itself. @tparam Model  DraftModel or NextTokens
template <typename Model>
class NextTokensOfModel : public NextTokens {
 public:
  bool reads_hidden() const final { return model_->reads_hidden(); }
  std::int32_t most_levels() const final { return model_->most_levels(); }
  void begin(std::span<const Sequence> sequences, std::int32_t spare) final {
    model_->begin(sequences, spare);
  }
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) final {
    model_->read_hidden(sequence, hidden);
  }
  std::int64_t bytes_read() const final { return model_->bytes_read(); }

 protected:
  explicit NextTokensOfModel(std::unique_ptr<Model> model) : model_(std::move(model)) {}

  std::unique_ptr<Model> model_;
};

/// Chooses the nodes of a draft, whatever model says what may follow them.
class DraftGrowth {
 public:
  virtual ~DraftGrowth() = default;
  /// Nodes that it may have a model read in one draft, beyond as many as are still wanted.
  virtual std::int32_t most_read() const = 0;
  /// Fills a draft behind a sequence.
  virtual void grow(NextTokens& next, const Sequence& sequence, const DraftLimit& limit,
                    Draft& draft) = 0;
};

/// A chain, or a tree of the shape that options.drafter.tree names; its tokens are drawn from the
/// laws. At temperature 0, where a law has one token, the most likely others stand behind it.
std::unique_ptr<DraftGrowth> make_shape_growth(const DecoderOptions& options);
/// A tree of the most likely tokens, grown best first, as a beam or of the best suffixes; at every
/// temperature its tokens are certain, not drawn.
std::unique_ptr<DraftGrowth> make_likely_growth(const DecoderOptions& options);

/// A drafter that lets what options.drafter.tree says grow from what may follow. @param name  of
/// the kind
std::unique_ptr<Drafter> make_growing_drafter(std::unique_ptr<NextTokens> next_tokens,
                                              const std::string& name,
                                              const DecoderOptions& options);

}  // namespace speclab::engines
