#include <bit>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <unordered_set>

#include "engines/formats/input_file.h"
#include "engines/tokenizers/folder_tokens.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/vocabulary_builder.h"

namespace speclab::engines {
namespace {

/// The content of a tokenizer.model.
struct SentencePieceModel {
  ScoredPieces pieces;
  std::int64_t begin_id = 1, end_id = 2;  ///< -1: none
};

constexpr std::uint64_t kMostFileBytes = std::uint64_t{256} << 20;

/// A field of a message: its number, and its value as a number or as bytes.
struct ProtoField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes{};
  bool is_bytes = false;
};

/// Walks through the fields of one message.
class ProtoMessage {
 public:
  /// @param offset  of the message in the file
  ProtoMessage(std::string_view bytes, std::uint64_t offset, const std::string& path)
      : bytes_(bytes), offset_(offset), path_(path) {}

  bool ended() const { return at_ == bytes_.size(); }
  std::uint64_t place() const { return offset_ + at_; }

  ProtoField next() {
    const std::uint64_t key = varint();
    ProtoField field{.number = key >> 3};
    const std::uint64_t type = key & 7;
    field.is_bytes = type == 2;
    if (type == 0)
      field.value = varint();
    else if (type == 1 || type == 5)
      field.value = fixed(type == 1 ? 8 : 4);
    else if (type == 2)
      field.bytes = take(varint());
    else
      fail("wire type", std::to_string(type), "0, 1, 2, 5", FileProblem::kDamaged);
    return field;
  }

  /// A message inside this one. @param bytes  of one of its fields
  ProtoMessage inner(std::string_view bytes) const {
    return {bytes, offset_ + static_cast<std::uint64_t>(bytes.data() - bytes_.data()), path_};
  }
  [[noreturn]] void fail(const char* field, std::string found, std::string allowed,
                         const char* change = FileProblem::kOtherModel) const {
    throw_model_file_error(path_, place(), {field, std::move(found), std::move(allowed), change});
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail("number", "more than ten bytes", "at most ten bytes", FileProblem::kDamaged);
  }

  std::uint64_t fixed(std::size_t count) {
    std::uint64_t value = 0;
    const std::string_view bytes = take(count);
    for (std::size_t i = 0; i < count; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return value;
  }

  std::string_view take(std::uint64_t count) {
    const std::size_t left = bytes_.size() - at_;
    if (count > left)
      fail("length", std::to_string(count) + " bytes",
           "at most the " + std::to_string(left) + " left", FileProblem::kDamaged);
    at_ += static_cast<std::size_t>(count);
    return bytes_.substr(at_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  }

  std::string_view bytes_;
  std::uint64_t offset_;
  const std::string& path_;
  std::size_t at_ = 0;
};

/// Reads SentencePiece's file: a message of protocol buffers.
/// @throws ModelFileError with the byte where it is damaged, too large, or of a kind that is not
/// read
/// @source SentencePiece's sentencepiece_model.proto; Protocol Buffers, "Encoding"
class SentencePieceReader {
 public:
  SentencePieceReader(const std::string& path, const TokenizerLimits& limits)
      : path_(path), limits_(limits) {}

  SentencePieceModel read() {
    const std::string bytes = read_bytes();
    ProtoMessage message(bytes, 0, path_);
    while (!message.ended()) {
      const ProtoField field = message.next();
      if (field.number == 1) read_piece(message, field);
      if (field.number == 2) read_trainer(message, field);
      if (field.number == 3) read_normalizer(message, field);
    }
    if (read_.pieces.texts.empty())
      message.fail("pieces", "none", "one or more", FileProblem::kDamaged);
    return std::move(read_);
  }

 private:
  std::string read_bytes() const {
    const InputFile file(path_);
    if (file.size() > kMostFileBytes)
      file.fail(0, {"size", std::to_string(file.size()) + " bytes",
                    "at most " + std::to_string(kMostFileBytes)});
    std::string bytes(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, std::as_writable_bytes(std::span(bytes)));
    refuse_other_file(file, "a SentencePiece model");
    return bytes;
  }

  static ProtoMessage opened(const ProtoMessage& outer, const ProtoField& field) {
    if (!field.is_bytes)
      outer.fail("field", std::to_string(field.number) + " as a number", "a message",
                 FileProblem::kDamaged);
    return outer.inner(field.bytes);
  }

  void read_piece(const ProtoMessage& outer, const ProtoField& field) {
    ScoredPieces& pieces = read_.pieces;
    if (pieces.texts.size() == limits_.tokens)
      outer.fail("pieces", "more than " + std::to_string(limits_.tokens),
                 "at most " + std::to_string(limits_.tokens));
    std::string text;
    float score = 0;
    auto type = static_cast<std::uint64_t>(PieceType::normal);
    for (ProtoMessage message = opened(outer, field); !message.ended();) {
      const ProtoField part = message.next();
      if (part.number == 1) text = part.bytes;
      if (part.number == 2) score = std::bit_cast<float>(static_cast<std::uint32_t>(part.value));
      if (part.number == 3) type = part.value;
    }
    if (text.size() > limits_.token_bytes)
      outer.fail("piece", std::to_string(text.size()) + " bytes",
                 "at most " + std::to_string(limits_.token_bytes));
    if (type < 1 || type > 6) outer.fail("type of a piece", std::to_string(type), "1 to 6");
    pieces.texts.push_back(std::move(text));
    pieces.scores.push_back(score);
    pieces.types.push_back(static_cast<PieceType>(type));
  }

  /// Model types: 1 Unigram, 2 BPE, 3 words, 4 characters.
  void read_trainer(const ProtoMessage& outer, const ProtoField& field) {
    std::uint64_t type = 1;
    for (ProtoMessage message = opened(outer, field); !message.ended();) {
      const ProtoField part = message.next();
      if (part.number == 3) type = part.value;
      if (part.number == 24) read_.pieces.rules.treat_whitespace_as_suffix = part.value != 0;
      if (part.number == 41) read_.begin_id = static_cast<std::int32_t>(part.value);
      if (part.number == 42) read_.end_id = static_cast<std::int32_t>(part.value);
    }
    if (type != 1 && type != 2)
      outer.fail("trainer_spec.model_type", std::to_string(type), "1 (Unigram), 2 (BPE)");
    read_.pieces.is_unigram = type == 1;
  }

  void read_normalizer(const ProtoMessage& outer, const ProtoField& field) {
    SentencePieceRules& rules = read_.pieces.rules;
    for (ProtoMessage message = opened(outer, field); !message.ended();) {
      const ProtoField part = message.next();
      if (part.number == 2) read_.pieces.charsmap = part.bytes;
      if (part.number == 3 && part.value == 0) rules.dummy_prefix = PrependScheme::never;
      if (part.number == 4) rules.remove_extra_whitespaces = part.value != 0;
      if (part.number == 5) rules.escape_whitespaces = part.value != 0;
    }
  }

  const std::string& path_;
  TokenizerLimits limits_;
  SentencePieceModel read_{.pieces = {.is_unigram = true}};
};

/// Added tokens of the folder: known pieces become tokens that are found in the text, and others
/// take the ids behind the pieces.
void add_told_tokens(const FolderTokens& told, const std::string& path,
                     VocabularyBuilder& builder) {
  constexpr std::int64_t kMostBehind = 100'000;
  TextVocabulary& vocabulary = builder.vocabulary();
  std::unordered_set<std::string> added;
  for (const AddedToken& token : vocabulary.added) added.insert(token.text);
  const auto most_id = static_cast<std::int64_t>(vocabulary.texts.size()) + kMostBehind;
  for (const auto& [told_token, found_in] : told.added) {
    AddedToken token = told_token;
    token.normalized = false;  // the normalizer knows nothing of tokens that are no pieces
    if (added.contains(token.text)) continue;
    const Token known = builder.find(token.text);
    if (known != kNoToken) {
      token.id = known;
    } else {
      if (token.id < static_cast<Token>(vocabulary.texts.size())) continue;
      if (token.id > most_id)
        throw_model_file_error(
            path, 0,
            {found_in, "id " + std::to_string(token.id), "at most " + std::to_string(most_id)});
      while (static_cast<Token>(vocabulary.texts.size()) < token.id) {
        builder.add_unused_token();
        vocabulary.spelling->texts.emplace_back();
      }
      builder.add_token(token.text, token.special ? TokenKind::control : TokenKind::user_defined);
      vocabulary.spelling->texts.push_back(token.text);
    }
    added.insert(token.text);
    vocabulary.added.push_back(std::move(token));
  }
}

/// Models of the Llama family begin texts and T5's end them, if their files do not say.
Surroundings usual_surroundings(const SentencePieceModel& model, const TokenRoles& roles) {
  Surroundings around;
  if (!model.pieces.is_unigram && roles.begin) around.before.push_back(*roles.begin);
  if (model.pieces.is_unigram && roles.end) around.after.push_back(*roles.end);
  return around;
}

void set_roles(const SentencePieceModel& model, const FolderTokens& told,
               VocabularyBuilder& builder) {
  TextVocabulary& vocabulary = builder.vocabulary();
  TokenRoles roles = roles_of(told, vocabulary.texts.size(),
                              [&](const std::string& text) { return builder.find(text); });
  const auto size = static_cast<std::int64_t>(vocabulary.texts.size());
  const auto is_inside = [size](std::int64_t id) { return id >= 0 && id < size; };
  if (!roles.begin && is_inside(model.begin_id)) roles.begin = static_cast<Token>(model.begin_id);
  if (!roles.end && is_inside(model.end_id)) roles.end = static_cast<Token>(model.end_id);
  if (roles.ends.empty() && roles.end)
    roles.ends.push_back({*roles.end, "tokenizer.model: eos_id"});
  roles.kind = vocabulary.roles.kind;
  set_surroundings(usual_surroundings(model, roles), told, roles);
  vocabulary.roles = std::move(roles);
  if (told.ends.empty()) builder.add_usual_ends();
}

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer_from_sentencepiece(const std::string& path,
                                                                   const TokenizerLimits& limits) {
  const FieldFailure fail = failure_of_file(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const FolderTokens told = read_folder_tokens(folder);
  SentencePieceModel model = SentencePieceReader(path, limits).read();
  // Models of the Llama family have no blank behind an added token, as in transformers 5, unless
  // their files say "legacy"; T5's have one.
  SentencePieceRules& rules = model.pieces.rules;
  const bool has_one_blank = !model.pieces.is_unigram && !told.is_legacy.value_or(false);
  if (rules.dummy_prefix == PrependScheme::always && has_one_blank)
    rules.dummy_prefix = PrependScheme::first;
  VocabularyBuilder builder(fail, Alphabet::plain_text);
  make_scored_vocabulary(model.pieces, fail, builder);
  add_told_tokens(told, folder, builder);
  set_roles(model, told, builder);
  return std::make_shared<TextTokenizer>(std::move(builder.vocabulary()));
}

std::shared_ptr<const Tokenizer> load_tokenizer_from_folder(const std::string& folder) {
  const auto is_there = [](const std::string& path) {
    std::error_code none;
    return std::filesystem::exists(path, none);
  };
  if (is_there(folder + "/tokenizer.json"))
    return load_tokenizer_from_json(folder + "/tokenizer.json");
  if (is_there(folder + "/tokenizer.model"))
    return load_tokenizer_from_sentencepiece(folder + "/tokenizer.model");
  return nullptr;
}

}  // namespace speclab::engines
