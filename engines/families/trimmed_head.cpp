#include "engines/families/catalogue.h"

#include <fmt/format.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

class TrimmedHead final : public DecoderWeights {
 public:
  /// @param vocab_size  rows of the head within
  TrimmedHead(std::unique_ptr<DecoderWeights> weights, std::vector<Token> tokens,
              std::int32_t vocab_size)
      : weights_(std::move(weights)),
        tokens_(std::move(tokens)),
        vocab_size_(static_cast<std::size_t>(vocab_size)) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    return trimmed(role, weights_->read(role, layer));
  }
  std::string_view stored_type(TensorRole role, std::int32_t layer) const override {
    return weights_->stored_type(role, layer);
  }
  std::vector<std::byte> read_stored(TensorRole role, std::int32_t layer) const override {
    return trimmed(role, weights_->read_stored(role, layer));
  }
  std::optional<RowPlaces> row_places(TensorRole role, std::int32_t layer) const override {
    std::optional<RowPlaces> places = weights_->row_places(role, layer);
    if (places) places->rows = trimmed(role, std::move(places->rows));
    return places;
  }
  /// The whole head and the rows that are kept.
  std::int64_t bytes_to_read(TensorRole role, std::int32_t layer) const override {
    const std::int64_t bytes = weights_->bytes_to_read(role, layer);
    return is_of_head(role) ? 2 * bytes : bytes;
  }
  std::string sha256() const override { return weights_->sha256(); }
  bool are_random() const override { return weights_->are_random(); }

 private:
  static bool is_of_head(TensorRole role) {
    return role == TensorRole::head || role == TensorRole::head_bias;
  }

  template <typename Value>
  std::vector<Value> trimmed(TensorRole role, std::vector<Value> values) const {
    if (!is_of_head(role)) return values;
    const std::size_t width = values.size() / vocab_size_;
    std::vector<Value> rows;
    rows.reserve(tokens_.size() * width);
    for (const Token token : tokens_) {
      const auto row =
          values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(token) * width);
      rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(width));
    }
    return rows;
  }

  std::unique_ptr<DecoderWeights> weights_;
  std::vector<Token> tokens_;
  std::size_t vocab_size_;
};

}  // namespace

ModelSource with_trimmed_head(ModelSource source, std::vector<Token> tokens) {
  if (!source.config.draft_vocabulary.empty())
    throw ConfigError(
        fmt::format("model '{}' has a draft vocabulary of {} tokens already; allowed: the bridge "
                    "intersection",
                    escaped(source.config.name), source.config.draft_vocabulary.size()));
  SPECLAB_EXPECT(!tokens.empty() && tokens.back() < source.config.vocab_size,
                 "tokens of the model");
  source.weights =
      std::make_unique<TrimmedHead>(std::move(source.weights), tokens, source.config.vocab_size);
  source.config.draft_vocabulary = std::move(tokens);
  return source;
}

}  // namespace speclab::engines
