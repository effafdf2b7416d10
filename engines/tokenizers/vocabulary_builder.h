#pragma once
// Turns the token texts of a model file into a checked BpeVocabulary; the part that all file
// formats share.

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engines/tokenizers/bpe_tokenizer.h"

namespace speclab::engines {

/// Reports a bad field of the file and does not return.
using FieldFailure = std::function<void(const std::string& field, const std::string& found,
                                        const std::string& allowed)>;

class VocabularyBuilder {
 public:
  /// @param fail  throws ModelFileError for the file being read
  explicit VocabularyBuilder(FieldFailure fail) : fail_(std::move(fail)) {}

  /// Adds the next token. @param text  as in the file: normal tokens in the byte-level alphabet
  void add_token(const std::string& text, TokenKind kind);
  /// Adds the next token as one that no text becomes and that stands for no text.
  void add_unused_token();
  /// Adds the next merge of two token texts, both and their union known.
  void add_merge(const std::string& left, const std::string& right);
  /// The same from "left right"; no token of the byte-level alphabet holds a blank.
  void add_merge_line(const std::string& line);
  /// @param name  a pre-tokenizer's GGUF name
  void set_pre_tokenizer(const std::string& field, const std::string& name);
  /// The token that texts are to begin with, checked against the vocabulary.
  void set_begin_of_sequence(const std::string& field, std::int64_t id);
  /// Adds an end of sequence, checked against the vocabulary.
  void add_end_of_sequence(const std::string& field, std::int64_t id);
  void set_chat_template(std::string source) { vocabulary_.chat_template = std::move(source); }
  /// Token with this text as in the file, or kNoToken.
  Token find(const std::string& text) const;

  /// Adds the usual names of ends of a turn or of a text, where they are control tokens, and hands
  /// the result over.
  BpeVocabulary finish();

 private:
  Token checked(const std::string& field, std::int64_t id) const;
  [[noreturn]] void fail(const std::string& field, const std::string& found,
                         const std::string& allowed) const;

  FieldFailure fail_;
  BpeVocabulary vocabulary_;
  std::unordered_map<std::string, Token> ids_;
};

}  // namespace speclab::engines
