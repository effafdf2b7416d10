#include <algorithm>
#include <unordered_map>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/piece_models.h"
#include "engines/tokenizers/text_ids.h"

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
    for (const auto& [text, token] : parts.whole_pieces) whole_pieces_.add(text, token);
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
        const Token whole = model_.whole_pieces_.find(piece, kNoToken);
        if (whole != kNoToken) return out.push_back(whole);
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
  TextIds whole_pieces_;
  UnknownText unknown_;
  bool closes_gaps_, has_all_bytes_;
};

bool is_one_character(std::string_view text) {
  return !text.empty() && character_length(text[0]) == text.size();
}

/// Calls `use(character)` with the bytes of each character.
template <typename Use>
void visit_character_texts(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t length = std::min(text.size(), character_length(text[0]));
    use(text.substr(0, length));
    text.remove_prefix(length);
  }
}

/// Numbers of the characters of all pieces: their tokens, and from `num_tokens` on in the order of
/// the pieces for those that have none.
std::unordered_map<std::string, Token> character_numbers(std::span<const NamedPiece> pieces,
                                                         Token num_tokens) {
  std::unordered_map<std::string, Token> numbers;
  for (const auto& [text, token] : pieces)
    if (is_one_character(text)) numbers.emplace(text, token);
  Token next = num_tokens;
  for (const auto& piece : pieces)
    visit_character_texts(piece.first, [&](std::string_view character) {
      if (numbers.emplace(character, next).second) ++next;
    });
  return numbers;
}

/// Whether a blank's mark stands behind another character.
bool has_later_mark(std::string_view text) {
  const std::size_t place = text.rfind(kBlankMark);
  return place != std::string_view::npos && place > 0 &&
         !text.substr(0, place).ends_with(kBlankMark);
}

class TextBpeModel final : public PieceModel {
 public:
  explicit TextBpeModel(const TextBpeParts& parts)
      : characters_(character_numbers(parts.pieces, parts.num_tokens)),
        merges_(parts.merges),
        num_tokens_(parts.num_tokens),
        num_numbers_(parts.num_tokens + static_cast<Token>(characters_.size())),
        unknown_(parts.unknown),
        has_words_apart_(!parts.whole_pieces_first && marks_begin_tokens(parts)) {
    if (!parts.whole_pieces_first) return;
    for (const auto& [text, token] : parts.pieces) whole_pieces_.add(text, token);
  }

  std::unique_ptr<Work> start() const override { return std::make_unique<Merging>(*this); }
  bool takes_any_bytes() const override { return false; }
  std::size_t num_bytes_without_token(std::string_view text) const override {
    std::size_t count = 0;
    visit_character_texts(text, [&](std::string_view character) {
      if (character == " ") character = kBlankMark;
      if (number_of(character) == kNoToken && unknown_.drops(character)) count += character.size();
    });
    return count;
  }

 private:
  /// Then words merge apart from each other, and those that come again need no merging.
  static bool marks_begin_tokens(const TextBpeParts& parts) {
    const auto text = &NamedPiece::first;
    return std::ranges::count(parts.pieces, kBlankMark, text) > 0 &&
           std::ranges::none_of(parts.pieces, has_later_mark, text);
  }

  Token number_of(std::string_view character) const {
    const auto found = characters_.find(std::string(character));
    return found == characters_.end() ? kNoToken : found->second;
  }

  class Merging final : public Work {
   public:
    explicit Merging(const TextBpeModel& model) : model_(model), merger_(kNoBytes, model.merges_) {}

    void append_tokens(std::string_view piece, std::vector<Token>& out) override {
      if (!model_.whole_pieces_.empty()) {
        const Token whole = model_.whole_pieces_.find(piece, kNoToken);
        if (whole != kNoToken) return out.push_back(whole);
      }
      if (!model_.has_words_apart_) return merge(piece, out);
      while (!piece.empty()) {
        const std::string_view word = piece.substr(0, word_length(piece));
        known_.append(word, out, [&] { merge(word, out); });
        piece.remove_prefix(word.size());
      }
    }

   private:
    /// Marks, and what follows up to the next one.
    static std::size_t word_length(std::string_view text) {
      std::size_t begin = 0;
      while (text.substr(begin).starts_with(kBlankMark)) begin += kBlankMark.size();
      return std::min(text.find(kBlankMark, begin), text.size());
    }

    void merge(std::string_view text, std::vector<Token>& out) {
      collect_symbols(text);
      merged_.clear();
      merger_.append_merged(symbols_, merged_);
      bool follows_unknown = false;
      for (const Token number : merged_) {
        if (number < model_.num_tokens_) {
          out.push_back(number);
          follows_unknown = false;
        } else {
          model_.unknown_.append(text_of(number), out, follows_unknown);
        }
      }
    }

    void collect_symbols(std::string_view text) {
      symbols_.clear();
      others_.clear();
      visit_character_texts(text, [&](std::string_view character) {
        Token number = model_.number_of(character);
        if (number == kNoToken && model_.unknown_.drops(character)) return;
        if (number == kNoToken || number >= model_.num_tokens_) others_.push_back(character);
        if (number == kNoToken)
          number = model_.num_numbers_ + static_cast<Token>(others_.size() - 1);
        else if (number >= model_.num_tokens_)
          spelt_[number] = character;
        symbols_.push_back(number);
      });
    }

    std::string_view text_of(Token number) const {
      return number >= model_.num_numbers_
                 ? others_[static_cast<std::size_t>(number - model_.num_numbers_)]
                 : spelt_.at(number);
    }

    static constexpr ByteTokens kNoBytes = {};

    const TextBpeModel& model_;
    BpeMerger merger_;
    std::vector<Token> symbols_, merged_;
    std::vector<std::string_view> others_;               ///< characters without a token
    std::unordered_map<Token, std::string_view> spelt_;  ///< those that tokens are made of
    KnownPieces known_;
  };

  std::unordered_map<std::string, Token> characters_;
  MergeTable merges_;
  Token num_tokens_, num_numbers_;
  UnknownText unknown_;
  bool has_words_apart_;
  TextIds whole_pieces_;
};

}  // namespace

std::shared_ptr<const PieceModel> byte_bpe_model(const ByteBpeParts& parts) {
  return std::make_shared<ByteBpeModel>(parts);
}

std::shared_ptr<const PieceModel> text_bpe_model(const TextBpeParts& parts) {
  return std::make_shared<TextBpeModel>(parts);
}

std::vector<Merge> merges_of_scores(std::span<const NamedPiece> pieces,
                                    std::span<const float> scores, Token num_tokens) {
  std::vector<float> order;
  for (const auto& piece : pieces) order.push_back(scores[static_cast<std::size_t>(piece.second)]);
  std::ranges::sort(order, std::greater<>());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  const auto characters = character_numbers(pieces, num_tokens);
  TextIds ids;
  for (const auto& [text, token] : pieces) ids.add(text, token);
  const auto number_of = [&](std::string_view text) {
    if (is_one_character(text)) return characters.at(std::string(text));
    return ids.find(text, kNoToken);
  };
  std::vector<Merge> merges;
  for (const auto& [text, token] : pieces) {
    const float score = scores[static_cast<std::size_t>(token)];
    const auto rank = static_cast<std::uint32_t>(
        std::ranges::lower_bound(order, score, std::greater<>()) - order.begin());
    for (std::size_t cut = character_length(text[0]); cut < text.size();
         cut += character_length(text[cut])) {
      const Token left = number_of(text.substr(0, cut)), right = number_of(text.substr(cut));
      if (left != kNoToken && right != kNoToken) merges.push_back({left, right, token, rank});
    }
  }
  return merges;
}

}  // namespace speclab::engines
