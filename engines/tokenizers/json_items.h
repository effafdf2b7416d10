#pragma once
// Tokens and merges of a tokenizer.json as they are read: a tree of them takes 30 times their text.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engines/formats/json_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/vocabulary_builder.h"

namespace speclab::engines {

/// Members of `model.vocab` in the order of the file.
class JsonTokens {
 public:
  struct NamedId {
    std::string text;
    nlohmann::json id;  ///< unchecked; of an array or an object only that it is one
  };

  /// @param fail  where there are more than `max_tokens`
  JsonTokens(FieldFailure fail, std::size_t max_tokens)
      : fail_(std::move(fail)), max_tokens_(max_tokens) {}

  void add(const std::string& text, const nlohmann::json& id);
  std::vector<NamedId> take() { return std::move(tokens_); }

 private:
  FieldFailure fail_;
  std::size_t max_tokens_;
  std::vector<NamedId> tokens_;
};

/// Elements of `model.vocab` of a Unigram model, [piece, score], in the order of the file.
class JsonPieces {
 public:
  struct Piece {
    std::string text;
    double score;
  };

  /// @param fail  where there are more than `max_pieces`, or one is no such pair
  JsonPieces(FieldFailure fail, std::size_t max_pieces)
      : fail_(std::move(fail)), max_pieces_(max_pieces) {}

  void add(const nlohmann::json& piece);
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  FieldFailure fail_;
  std::size_t max_pieces_;
  std::vector<Piece> pieces_;
};

/// Elements of `model.merges`, "left right" or ["left", "right"], in the order of the file.
class JsonMerges {
 public:
  /// @param fail  where there are more than `max_merges`, or one is neither form
  JsonMerges(FieldFailure fail, std::size_t max_merges)
      : fail_(std::move(fail)), max_merges_(max_merges) {}

  void add(const nlohmann::json& merge);
  void add_to(VocabularyBuilder& builder) const;

 private:
  static constexpr std::uint32_t kLine = UINT32_MAX;
  struct Place {
    std::uint32_t end;        ///< in texts_; it begins where the one before ends
    std::uint32_t left_size;  ///< kLine: the text is left, a blank and right
  };

  FieldFailure fail_;
  std::size_t max_merges_;
  std::string texts_;
  std::vector<Place> places_;
};

}  // namespace speclab::engines
