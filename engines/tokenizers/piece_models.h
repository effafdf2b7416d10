#pragma once
// How a piece of text becomes tokens: byte-pair encoding of bytes and of characters, Unigram.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/tokenizers/bpe_merger.h"
#include "sim/core/token.h"

namespace speclab::engines {

class PieceModel {
 public:
  /// Work space of one call, so that threads can share the model.
  class Work {
   public:
    virtual ~Work() = default;
    /// @param piece  not empty; any bytes where the model takes them, else valid UTF-8
    virtual void append_tokens(std::string_view piece, std::vector<Token>& out) = 0;
  };

  virtual ~PieceModel() = default;
  virtual std::unique_ptr<Work> start() const = 0;
  /// Bytes of a text that stand in no token, not even in one for unknown text.
  virtual std::size_t num_bytes_without_token(std::string_view text) const = 0;
  /// Whether bytes that are no UTF-8 have tokens of their own.
  virtual bool takes_any_bytes() const = 0;
};

/// The tokens of text that the vocabulary lacks: byte tokens, the unknown token, or none.
struct UnknownText {
  std::optional<ByteTokens> bytes{};  ///< where missing characters are spelt byte by byte
  std::optional<Token> token{};       ///< where they are not, or a byte has no token
  bool is_fused = false;              ///< unknown characters side by side are one token

  /// Appends the tokens of one character, or of bytes.
  /// @param follows_unknown  the text before it became the unknown token, and so does this
  void append(std::string_view text, std::vector<Token>& out, bool& follows_unknown) const {
    if (spells(text)) {
      for (const char byte : text) out.push_back((*bytes)[static_cast<unsigned char>(byte)]);
      follows_unknown = false;
    } else if (token) {
      if (!(follows_unknown && is_fused)) out.push_back(*token);
      follows_unknown = true;
    }
  }
  /// Whether the text leaves nothing behind.
  bool drops(std::string_view text) const { return !token && !spells(text); }

 private:
  bool spells(std::string_view text) const {
    if (!bytes) return false;
    for (const char byte : text)
      if ((*bytes)[static_cast<unsigned char>(byte)] == kNoToken) return false;
    return true;
  }
};

/// A token that merging makes, by its text.
using NamedPiece = std::pair<std::string_view, Token>;

struct ByteBpeParts {
  ByteTokens byte_tokens;
  std::span<const Merge> merges;
  std::vector<NamedPiece> whole_pieces{};  ///< pieces that are this token, merges or not
  UnknownText unknown{};                   ///< for bytes without a token
  bool closes_gaps = false;  ///< what stands on both sides of a dropped byte can merge
};

/// Merges bytes, whatever they are.
std::shared_ptr<const PieceModel> byte_bpe_model(const ByteBpeParts& parts);

struct TextBpeParts {
  std::vector<NamedPiece> pieces;  ///< all that merging can make, characters included
  std::span<const Merge> merges;
  Token num_tokens = 0;
  bool whole_pieces_first = false;
  UnknownText unknown{};
};

/// Merges characters; the text is valid UTF-8.
std::shared_ptr<const PieceModel> text_bpe_model(const TextBpeParts& parts);

/// SentencePiece's rule, by which two neighbours merge if their union is a token: all such pairs,
/// the token with the highest score first, of equal scores the leftmost. Characters that are no
/// tokens themselves have numbers from `num_tokens` on, which text_bpe_model knows again.
/// @param scores  of each token
/// @source Kudo and Richardson 2018; src/bpe_model.cc of SentencePiece
std::vector<Merge> merges_of_scores(std::span<const NamedPiece> pieces,
                                    std::span<const float> scores, Token num_tokens);

struct UnigramParts {
  std::vector<NamedPiece> pieces;
  std::vector<double> scores;  ///< of each piece: the logarithm of its probability
  double unknown_score = 0;    ///< of a character without a piece
  UnknownText unknown{};
  bool is_single_precision = false;  ///< sums are kept as SentencePiece keeps them
};

/// Cuts a piece into tokens whose scores have the largest sum.
/// @source Kudo 2018 (arXiv 1804.10959); the order in which equal sums win is that of
/// EncodeOptimized in SentencePiece's src/unigram_model.cc
std::shared_ptr<const PieceModel> unigram_model(const UnigramParts& parts);

/// Copies the tokens of pieces that come again from where they already stand in the result.
class KnownPieces {
 public:
  KnownPieces() : slots_(kFirstSlots) {}

  /// Calls `make()`, which appends to `out`, where the piece is new.
  /// @param piece  not empty; outlives this @param out  the same in all calls, never shortened
  template <typename Make>
  void append(std::string_view piece, std::vector<Token>& out, Make make) {
    const std::size_t hash = std::hash<std::string_view>()(piece);
    std::size_t place = hash & (slots_.size() - 1);
    for (; !slots_[place].piece.empty(); place = (place + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[place];
      if (slot.hash != hash || slot.piece != piece) continue;
      for (std::size_t i = 0; i < slot.count; ++i) out.push_back(Token{out[slot.begin + i]});
      return;
    }
    const std::size_t begin = out.size();
    make();
    slots_[place] = {piece, hash, begin, out.size() - begin};
    if (++num_pieces_ * 2 > slots_.size()) grow();
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  struct Slot {
    std::string_view piece;  ///< empty: the slot is free
    std::size_t hash = 0, begin = 0, count = 0;
  };

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.piece.empty()) continue;
      std::size_t place = slot.hash & (slots_.size() - 1);
      while (!slots_[place].piece.empty()) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< a power of two, half empty
  std::size_t num_pieces_ = 0;
};

}  // namespace speclab::engines
