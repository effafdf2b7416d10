#include <algorithm>
#include <unordered_map>

#include "engines/tokenizers/bpe_models.h"

namespace speclab::engines {
namespace {

class ByteBpeModel final : public PieceModel {
 public:
  explicit ByteBpeModel(const ByteBpeParts& parts)
      : byte_tokens_(parts.byte_tokens),
        merges_(parts.merges),
        unknown_(parts.unknown),
        closes_gaps_(parts.closes_gaps),
        has_all_bytes_(std::ranges::count(byte_tokens_, kNoToken) == 0) {
    for (const auto& [text, token] : parts.whole_pieces)
      whole_pieces_.emplace(std::string(text), token);
  }

  std::unique_ptr<Work> start() const override { return std::make_unique<Merging>(*this); }
  bool takes_any_bytes() const override { return true; }
  std::size_t num_bytes_without_token(std::string_view text) const override {
    if (unknown_.token) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(text, [this](char byte) {
      return byte_tokens_[static_cast<unsigned char>(byte)] == kNoToken;
    }));
  }

 private:
  class Merging final : public Work {
   public:
    explicit Merging(const ByteBpeModel& model)
        : model_(model), merger_(model.byte_tokens_, model.merges_) {}

    void append_tokens(std::string_view piece, std::vector<Token>& out) override {
      if (!model_.whole_pieces_.empty()) {
        const auto whole = model_.whole_pieces_.find(std::string(piece));
        if (whole != model_.whole_pieces_.end()) return out.push_back(whole->second);
      }
      const bool needs_symbols = model_.unknown_.token || model_.closes_gaps_;
      if (model_.has_all_bytes_ || !needs_symbols) return merger_.append_tokens(piece, out);
      collect_symbols(piece);
      merger_.append_merged(symbols_, out);
    }

   private:
    void collect_symbols(std::string_view piece) {
      symbols_.clear();
      bool follows_unknown = false;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        const Token token = model_.byte_tokens_[static_cast<unsigned char>(piece[i])];
        if (token == kNoToken) {
          model_.unknown_.append(piece.substr(i, 1), symbols_, follows_unknown);
        } else {
          symbols_.push_back(token);
          follows_unknown = false;
        }
      }
    }

    const ByteBpeModel& model_;
    BpeMerger merger_;
    std::vector<Token> symbols_;
  };

  ByteTokens byte_tokens_;
  MergeTable merges_;
  std::unordered_map<std::string, Token> whole_pieces_;
  UnknownText unknown_;
  bool closes_gaps_, has_all_bytes_;
};

}  // namespace

std::shared_ptr<const PieceModel> byte_bpe_model(const ByteBpeParts& parts) {
  return std::make_shared<ByteBpeModel>(parts);
}

}  // namespace speclab::engines
