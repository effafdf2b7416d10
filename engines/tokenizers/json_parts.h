#pragma once
// The parts of a tokenizer.json. Each reader throws ModelFileError naming the field where a part is
// of a kind that is not read, or contradicts itself. Tokens and merges are kept as they are read: a
// tree of them takes 30 times their text.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engines/formats/json_file.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/pre_tokenizer.h"
#include "engines/tokenizers/text_tokenizer.h"
#include "engines/tokenizers/vocabulary_builder.h"

namespace speclab::engines {

/// What `model.vocab` and `model.merges` hold, in the order of the file.
class JsonItems {
 public:
  struct NamedId {
    std::string text;
    nlohmann::json id;  ///< unchecked; of an array or an object only that it is one
  };
  struct Piece {
    std::string text;
    double score;
  };

  /// @param fail  where there are more than `limits` allow, or one is of no known form
  JsonItems(FieldFailure fail, const TokenizerLimits& limits)
      : fail_(std::move(fail)), limits_(limits) {}

  /// A member of the vocabulary.
  void add_token(const std::string& text, const nlohmann::json& id);
  /// An element of the vocabulary of a Unigram model, [piece, score].
  void add_piece(const nlohmann::json& piece);
  /// "left right" or ["left", "right"].
  void add_merge(const nlohmann::json& merge);

  std::vector<NamedId> take_tokens() { return std::move(tokens_); }
  const std::vector<Piece>& pieces() const { return pieces_; }
  void add_merges_to(VocabularyBuilder& builder) const;

 private:
  static constexpr std::uint32_t kLine = UINT32_MAX;
  struct Place {
    std::uint32_t end;        ///< in merges_; it begins where the one before ends
    std::uint32_t left_size;  ///< kLine: the text is left, a blank and right
  };
  FieldFailure fail_;
  TokenizerLimits limits_;
  std::vector<NamedId> tokens_;
  std::vector<Piece> pieces_;
  std::string merges_;
  std::vector<Place> places_;
};

/// The id of every text, from the model of a tokenizer.json, its added tokens, and those that other
/// files of the folder add.
class JsonVocabulary {
 public:
  struct NamedToken {
    std::string text;
    TokenKind kind = TokenKind::unused;
  };

  /// @param root  of the file, for messages
  JsonVocabulary(JsonNode root, const TokenizerLimits& limits)
      : root_(std::move(root)), limits_(limits) {}

  /// @throws ModelFileError as do the others: no tokens, or an id that is none
  void add_members(const JsonNode& vocab, const std::vector<JsonItems::NamedId>& members);
  void add_pieces(const JsonNode& vocab, const std::vector<JsonItems::Piece>& pieces);
  /// An array of objects with id, content and options.
  void add_added_tokens(const JsonNode& added);
  /// Tokens of other files, where the vocabulary has a place for them.
  void add_told_tokens(const std::string& folder, const std::vector<ToldToken>& told);

  const std::vector<NamedToken>& tokens() const { return tokens_; }
  const std::vector<AddedToken>& added() const { return added_; }
  /// kNoToken where there is none.
  Token find(const std::string& text) const;
  /// Whether the token's text finds this id; else the text comes again later.
  bool is_found(std::size_t id) const { return find(tokens_[id].text) == static_cast<Token>(id); }

 private:
  struct Problem {
    std::string found, allowed;
  };

  std::size_t vocab_id(const JsonNode& vocab, const std::string& text,
                       const nlohmann::json& id) const;
  /// Why the text cannot have the id.
  std::optional<Problem> problem_of(const std::string& text, std::size_t id) const;
  void set_token(const std::string& text, std::size_t id, TokenKind kind);
  void add(AddedToken token);

  JsonNode root_;
  TokenizerLimits limits_;
  std::size_t id_limit_ = 0;
  std::vector<NamedToken> tokens_;
  std::unordered_map<std::string, Token> ids_;
  std::vector<AddedToken> added_;
  std::unordered_set<std::string> added_texts_;
};

/// Fails where a text is not one character.
const std::string& json_character(const JsonNode& node);
/// Fails where there are 1000 steps already.
void expect_few_steps(const JsonNode& node, std::size_t num_steps);

Normalizer json_normalizer(const JsonNode& node);

struct JsonPreTokenizer {
  PreTokenizer::Steps steps;
  bool is_byte_level = false;  ///< pieces are bytes in the byte-level alphabet
  bool changes_text = false;   ///< pieces side by side are not the text
};
/// @param prefix_space  takes the place of a ByteLevel's add_prefix_space where the whole
///                      pre-tokenizer is one
/// @source transformers, PreTrainedTokenizerFast.__init__
JsonPreTokenizer json_pre_tokenizer(const JsonNode& node, std::optional<bool> prefix_space);

/// @param id_of  id of a token's text, or kNoToken
Surroundings json_post_processor(const JsonNode& node,
                                 const std::function<Token(const std::string&)>& id_of,
                                 std::int64_t most_id);

/// The step of a Replace, which normalizers and decoders have.
NormalizerStep json_replace(const JsonNode& node);
/// A pattern member {"Regex": text} or {"String": text}.
std::shared_ptr<const Pattern> json_pattern(const JsonNode& node);

/// The byte of "<0x41>", or nothing.
std::optional<char> byte_of_token(const std::string& text);

/// @param node        `decoder` of a tokenizer.json; nothing: a blank stands between two tokens
/// @param normalizer  of the file, for the added tokens that it changes
/// @param path        of the file, for messages
/// @throws ModelFileError if the decoder is not read, or makes too many bytes
SpellingRules json_spelling(const std::optional<JsonNode>& node, const JsonVocabulary& vocabulary,
                            const Normalizer& normalizer, const std::string& path);

}  // namespace speclab::engines
