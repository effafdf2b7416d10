#include "engines/tokenizers/sentencepiece_file.h"

#include <bit>
#include <span>

#include "engines/formats/input_file.h"
#include "engines/formats/other_file.h"

namespace speclab::engines {
namespace {

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
    switch (key & 7) {
      case 0:
        field.value = varint();
        return field;
      case 1:
        field.value = fixed(8);
        return field;
      case 2:
        field.bytes = take(varint());
        field.is_bytes = true;
        return field;
      case 5:
        field.value = fixed(4);
        return field;
      default:
        fail("wire type", std::to_string(key & 7), "0, 1, 2, 5", FileProblem::kDamaged);
    }
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

}  // namespace

SentencePieceModel read_sentencepiece_file(const std::string& path, const TokenizerLimits& limits) {
  return SentencePieceReader(path, limits).read();
}

}  // namespace speclab::engines
