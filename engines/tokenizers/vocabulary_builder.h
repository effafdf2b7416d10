#pragma once
// Turns the token texts of a model file into a checked vocabulary, the part that all file formats
// share; and pieces with scores, as SentencePiece makes them, in its own file and in GGUF.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/tokenizers/pre_tokenizer.h"
#include "engines/tokenizers/text_ids.h"
#include "engines/tokenizers/text_tokenizer.h"

namespace speclab::engines {

/// Reports a bad field of the file and does not return.
using FieldFailure = std::function<void(const std::string& field, const std::string& found,
                                        const std::string& allowed)>;

/// Throws ModelFileError for the file.
FieldFailure failure_of_file(const std::string& path);

/// The alphabet that normal tokens are written in.
enum class Alphabet : std::uint8_t { byte_level, plain_text };

class VocabularyBuilder {
 public:
  /// @param fail  throws ModelFileError for the file being read
  explicit VocabularyBuilder(FieldFailure fail, Alphabet alphabet = Alphabet::byte_level)
      : fail_(std::move(fail)), alphabet_(alphabet) {}

  /// Adds the next token; one without text is never made.
  /// @param text  as in the file: normal tokens in the alphabet
  void add_token(const std::string& text, TokenKind kind);
  /// Adds the next token as one that no text becomes and that stands for no text.
  void add_unused_token();
  /// Adds the next merge of two token texts, both and their union known.
  void add_merge(std::string_view left, std::string_view right);
  /// The same from "left right"; no token of the byte-level alphabet holds a blank.
  void add_merge_line(std::string_view line);
  /// @param name  a pre-tokenizer's GGUF name
  void set_pre_tokenizer(const std::string& field, const std::string& name);
  /// @throws as `fail` does where the id is none of the vocabulary
  Token checked(const std::string& field, std::int64_t id) const;
  /// Token with this text as in the file, or kNoToken.
  Token find(std::string_view text) const { return ids_.find(text, kNoToken); }

  /// The vocabulary as read so far; the rest is the reader's to fill in.
  TextVocabulary& vocabulary() { return vocabulary_; }
  /// Adds the usual names of ends of a turn or of a text to the roles, where they are control
  /// tokens.
  void add_usual_ends();

 private:
  [[noreturn]] void fail(const std::string& field, const std::string& found,
                         const std::string& allowed) const;

  FieldFailure fail_;
  Alphabet alphabet_;
  TextVocabulary vocabulary_;
  TextIds ids_;
  std::string merged_;  ///< the union of the last merge
};

/// @source SentencePiece's sentencepiece_model.proto; GGUF has the same numbers
enum class PieceType : std::uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

TokenKind kind_of(PieceType type);

struct ScoredPieces {
  std::vector<std::string> texts{};
  std::vector<float> scores{};
  std::vector<PieceType> types{};
  bool is_unigram = false;
  SentencePieceRules rules{};
  std::string charsmap{};               ///< bytes, may be empty
  bool takes_user_defined_raw = false;  ///< as llama.cpp does: user-defined pieces are found before
                                        ///< normalization, and sums of scores have double precision
};

/// Adds the pieces to the builder and makes normalizer, model and spelling of them.
/// @param fail  for pieces that cannot be
void make_scored_vocabulary(const ScoredPieces& pieces, const FieldFailure& fail,
                            VocabularyBuilder& builder);

}  // namespace speclab::engines
