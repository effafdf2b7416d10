#include "engines/tokenizers/piece_models.h"

#include <algorithm>

#include "engines/tokenizers/byte_trie.h"
#include "engines/tokenizers/characters.h"

namespace speclab::engines {
namespace {

class UnigramModel final : public PieceModel {
 public:
  explicit UnigramModel(const UnigramParts& parts)
      : scores_(parts.scores),
        unknown_score_(parts.unknown_score),
        unknown_(parts.unknown),
        is_single_precision_(parts.is_single_precision) {
    for (std::size_t i = 0; i < parts.pieces.size(); ++i) {
      if (!parts.pieces[i].first.empty())
        trie_.add(parts.pieces[i].first, static_cast<std::int32_t>(i));
      tokens_.push_back(parts.pieces[i].second);
    }
  }

  std::unique_ptr<Work> start() const override { return std::make_unique<Search>(*this); }
  bool takes_any_bytes() const override { return false; }
  std::size_t num_bytes_without_token(std::string_view) const override { return 0; }

 private:
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::size_t kNowhere = SIZE_MAX;

  /// The best way to a place in the text.
  struct Way {
    double score = 0;
    std::size_t begin = kNowhere;  ///< of its last part
    std::int32_t piece = kUnknown;
  };

  class Search final : public Work {
   public:
    explicit Search(const UnigramModel& model) : model_(model) {}

    void append_tokens(std::string_view text, std::vector<Token>& out) override {
      find_ways(text);
      ends_.clear();
      for (std::size_t end = text.size(); end > 0; end = ways_[end].begin) ends_.push_back(end);
      bool follows_unknown = false;
      for (auto end = ends_.rbegin(); end != ends_.rend(); ++end) {
        const Way& way = ways_[*end];
        if (way.piece == kUnknown) {
          model_.unknown_.append(text.substr(way.begin, *end - way.begin), out, follows_unknown);
        } else {
          out.push_back(model_.tokens_[static_cast<std::size_t>(way.piece)]);
          follows_unknown = false;
        }
      }
    }

   private:
    void find_ways(std::string_view text) {
      ways_.assign(text.size() + 1, {});
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t character = std::min(text.size() - begin, character_length(text[begin]));
        bool has_character = false;
        model_.trie_.visit_prefixes(
            text.substr(begin), [&](std::size_t length, std::int32_t piece) {
              offer(begin, length, piece, model_.scores_[static_cast<std::size_t>(piece)]);
              has_character |= length == character;
            });
        if (!has_character) offer(begin, character, kUnknown, model_.unknown_score_);
        begin += character;
      }
    }

    void offer(std::size_t begin, std::size_t length, std::int32_t piece, double score) {
      Way& way = ways_[begin + length];
      double sum = ways_[begin].score + score;
      if (model_.is_single_precision_) sum = static_cast<double>(static_cast<float>(sum));
      if (way.begin == kNowhere || sum > way.score) way = {sum, begin, piece};
    }

    const UnigramModel& model_;
    std::vector<Way> ways_;
    std::vector<std::size_t> ends_;
  };

  ByteTrie trie_;
  std::vector<Token> tokens_;  ///< of each piece
  std::vector<double> scores_;
  double unknown_score_;
  UnknownText unknown_;
  bool is_single_precision_;
};

}  // namespace

std::shared_ptr<const PieceModel> unigram_model(const UnigramParts& parts) {
  return std::make_shared<UnigramModel>(parts);
}

}  // namespace speclab::engines
