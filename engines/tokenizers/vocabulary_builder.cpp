#include "engines/tokenizers/vocabulary_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "engines/formats/input_file.h"
#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/json_parts.h"
#include "engines/tokenizers/piece_models.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

// @source ends of a turn or of a text in the model families read here
constexpr std::string_view kEndTexts[] = {"<|im_end|>",      "<|endoftext|>", "<|eot_id|>",
                                          "<|end_of_text|>", "<|eom_id|>",    "<|end|>",
                                          "<end_of_turn>",   "<|return|>",    "<|call|>",
                                          "<EOT>",           "_<EOT>",        "<end_of_utterance>"};

std::string quoted_text(std::string_view text) { return "'" + escaped(text, 40) + "'"; }

std::string entry(std::size_t index, const std::string& shown) {
  return "entry " + std::to_string(index) + ", " + shown;
}

/// Finding all pairs that make a piece takes the square of its length.
constexpr std::size_t kMostPieceBytes = 1024;

class ScoredMaker {
 public:
  ScoredMaker(const ScoredPieces& pieces, const FieldFailure& fail, VocabularyBuilder& builder)
      : pieces_(pieces), fail_(fail), vocabulary_(builder.vocabulary()) {
    for (std::size_t i = 0; i < pieces.texts.size(); ++i) {
      check_piece(i);
      if (pieces.types[i] == PieceType::unused)
        builder.add_unused_token();
      else
        builder.add_token(pieces.texts[i], kind_of(pieces.types[i]));
    }
  }

  void make() {
    vocabulary_.unknown = unknown();
    vocabulary_.model = pieces_.is_unigram ? unigram() : bpe();
    vocabulary_.normalizer = normalizer();
    vocabulary_.added = added_tokens();
    vocabulary_.spelling = spelling();
    vocabulary_.gives_texts_back = false;
    vocabulary_.roles.kind = pieces_.is_unigram ? "Unigram" : "BPE";
  }

 private:
  void check_piece(std::size_t i) const {
    const std::string place = "entry " + std::to_string(i);
    if (!std::isfinite(pieces_.scores[i])) fail_("scores", place + " is not finite", "numbers");
    if (pieces_.types[i] == PieceType::normal && pieces_.texts[i].size() > kMostPieceBytes)
      fail_("tokens", place + " of " + std::to_string(pieces_.texts[i].size()) + " bytes",
            "at most " + std::to_string(kMostPieceBytes));
  }

  UnknownText unknown() const {
    UnknownText text{.is_fused = true};
    ByteTokens bytes;
    bytes.fill(kNoToken);
    bool has_bytes = false;
    for (std::size_t i = 0; i < pieces_.texts.size(); ++i) {
      const auto token = static_cast<Token>(i);
      if (pieces_.types[i] == PieceType::unknown && !text.token) text.token = token;
      if (pieces_.types[i] != PieceType::byte) continue;
      if (const auto byte = byte_of_token(pieces_.texts[i])) {
        bytes[static_cast<unsigned char>(*byte)] = token;
        has_bytes = true;
      }
    }
    if (has_bytes) text.bytes = bytes;
    return text;
  }

  bool is_cut_out(PieceType type) const {
    return type == PieceType::user_defined && !pieces_.is_unigram;
  }

  std::vector<NamedPiece> pieces_of_model() const {
    std::vector<NamedPiece> named;
    for (std::size_t i = 0; i < pieces_.texts.size(); ++i) {
      const PieceType type = pieces_.types[i];
      const bool is_made = type == PieceType::normal || type == PieceType::user_defined;
      if (is_made && !pieces_.texts[i].empty())
        named.emplace_back(pieces_.texts[i], static_cast<Token>(i));
    }
    return named;
  }

  std::shared_ptr<const PieceModel> bpe() {
    TextBpeParts parts{.pieces = pieces_of_model(),
                       .merges = {},
                       .num_tokens = static_cast<Token>(pieces_.texts.size()),
                       .unknown = vocabulary_.unknown};
    vocabulary_.merges = {};
    const std::vector<Merge> merges =
        merges_of_scores(parts.pieces, pieces_.scores, parts.num_tokens);
    parts.merges = merges;
    return text_bpe_model(parts);
  }

  std::shared_ptr<const PieceModel> unigram() const {
    constexpr float kPenalty = 10.0F;  // @source SentencePiece's unigram_model.cc: kUnkPenalty
    UnigramParts parts{.pieces = pieces_of_model(),
                       .scores = {},
                       .unknown = vocabulary_.unknown,
                       .is_single_precision = !pieces_.takes_user_defined_raw};
    float least = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < pieces_.texts.size(); ++i)
      if (pieces_.types[i] == PieceType::normal) least = std::min(least, pieces_.scores[i]);
    // A user-defined piece wins over all others: logarithms of probabilities are negative.
    for (const auto& piece : parts.pieces) {
      const auto i = static_cast<std::size_t>(piece.second);
      const bool is_user_defined = pieces_.types[i] == PieceType::user_defined;
      parts.scores.push_back(is_user_defined ? 0.0F : pieces_.scores[i]);
    }
    parts.unknown_score = static_cast<double>(least - kPenalty);
    return unigram_model(parts);
  }

  Normalizer normalizer() const {
    std::string problem;
    Charsmap charsmap(pieces_.charsmap, problem);
    if (!problem.empty()) fail_("precompiled_charsmap", problem, "a trie and its replacements");
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < pieces_.texts.size(); ++i)
      if (pieces_.types[i] == PieceType::user_defined) kept.push_back(pieces_.texts[i]);
    return {sentencepiece_step(pieces_.rules, std::move(charsmap), kept)};
  }

  std::vector<AddedToken> added_tokens() const {
    std::vector<AddedToken> added;
    for (std::size_t i = 0; i < pieces_.texts.size(); ++i) {
      const PieceType type = pieces_.types[i];
      const bool is_control = type == PieceType::control || type == PieceType::unknown;
      if (!is_control && !is_cut_out(type)) continue;
      added.push_back({.id = static_cast<Token>(i),
                       .text = pieces_.texts[i],
                       .special = is_control,
                       .normalized = !is_control && !pieces_.takes_user_defined_raw,
                       .normal_form = pieces_.texts[i]});
    }
    return added;
  }

  /// Marks become blanks; the blank that every text gets at its beginning is taken away.
  SpellingRules spelling() const {
    SpellingRules rules{.texts = {}, .dropped_at_first = ""};
    for (std::size_t i = 0; i < pieces_.texts.size(); ++i) {
      const auto byte =
          pieces_.types[i] == PieceType::byte ? byte_of_token(pieces_.texts[i]) : std::nullopt;
      if (pieces_.types[i] == PieceType::unused)
        rules.texts.emplace_back();
      else
        rules.texts.push_back(byte ? std::string(1, *byte)
                                   : replaced(pieces_.texts[i], kBlankMark, " "));
    }
    if (pieces_.rules.dummy_prefix != PrependScheme::never) {
      const bool is_behind = pieces_.rules.treat_whitespace_as_suffix;
      rules.stripped = " ";
      (is_behind ? rules.strip_end : rules.strip_begin) = 1;
    }
    return rules;
  }

  const ScoredPieces& pieces_;
  const FieldFailure& fail_;
  TextVocabulary& vocabulary_;
};

}  // namespace

FieldFailure failure_of_file(const std::string& path) {
  return [path](const std::string& field, const std::string& found, const std::string& allowed) {
    throw_model_file_error(path, 0, {field, found, allowed});
  };
}

void VocabularyBuilder::add_token(const std::string& text, TokenKind kind) {
  const std::size_t index = vocabulary_.texts.size();
  if (text.empty()) return add_unused_token();
  if (!ids_.add(text, static_cast<Token>(index)))
    fail("tokens", entry(index, quoted_text(text) + " again"), "each token once");
  std::string bytes;
  if (kind == TokenKind::normal && alphabet_ == Alphabet::byte_level) {
    auto decoded = bytes_of_token_text(text);
    if (!decoded)
      fail("tokens", entry(index, quoted_text(text)), "characters of the byte-level alphabet");
    bytes = std::move(*decoded);
  } else {
    if (alphabet_ == Alphabet::plain_text && valid_utf8_prefix(text) != text.size())
      fail("tokens", entry(index, quoted_text(text)), "valid UTF-8");
    bytes = text;
  }
  vocabulary_.texts.push_back(std::move(bytes));
  vocabulary_.kinds.push_back(kind);
}

void VocabularyBuilder::add_unused_token() {
  vocabulary_.texts.emplace_back();
  vocabulary_.kinds.push_back(TokenKind::unused);
}

void VocabularyBuilder::add_merge(std::string_view left, std::string_view right) {
  merged_.assign(left).append(right);
  const Merge merge{find(left), find(right), find(merged_)};
  if (merge.left == kNoToken || merge.right == kNoToken || merge.merged == kNoToken) {
    fail("merges", entry(vocabulary_.merges.size(), quoted_text(left) + " + " + quoted_text(right)),
         "two tokens whose union is one");
  }
  vocabulary_.merges.push_back(merge);
}

void VocabularyBuilder::add_merge_line(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos)
    fail("merges", entry(vocabulary_.merges.size(), quoted_text(line)),
         "two texts with a blank between");
  add_merge(line.substr(0, blank), line.substr(blank + 1));
}

void VocabularyBuilder::set_pre_tokenizer(const std::string& field, const std::string& name) {
  const auto patterns = pre_tokenizer_patterns(name);
  if (patterns.empty()) fail(field, quoted_text(name), known_pre_tokenizers());
  vocabulary_.patterns.assign(patterns.begin(), patterns.end());
  vocabulary_.whole_pieces_first = takes_whole_pieces_first(name);
}

Token VocabularyBuilder::checked(const std::string& field, std::int64_t id) const {
  const auto size = static_cast<std::int64_t>(vocabulary_.texts.size());
  if (id < 0 || id >= size) fail(field, std::to_string(id), "0 to " + std::to_string(size - 1));
  return static_cast<Token>(id);
}

void VocabularyBuilder::add_usual_ends() {
  std::vector<EndToken>& ends = vocabulary_.roles.ends;
  for (const std::string_view text : kEndTexts) {
    const Token token = find(text);
    if (token != kNoToken &&
        vocabulary_.kinds[static_cast<std::size_t>(token)] == TokenKind::control &&
        std::ranges::count(ends, token, &EndToken::id) == 0)
      ends.push_back({token, "the name of the token"});
  }
}

void VocabularyBuilder::fail(const std::string& field, const std::string& found,
                             const std::string& allowed) const {
  fail_(field, found, allowed);
  std::abort();  // a failure that returns has broken its contract
}

TokenKind kind_of(PieceType type) {
  if (type == PieceType::user_defined) return TokenKind::user_defined;
  if (type == PieceType::unused) return TokenKind::unused;
  const bool is_made = type == PieceType::normal || type == PieceType::byte;
  return is_made ? TokenKind::normal : TokenKind::control;
}

void make_scored_vocabulary(const ScoredPieces& pieces, const FieldFailure& fail,
                            VocabularyBuilder& builder) {
  ScoredMaker(pieces, fail, builder).make();
}

}  // namespace speclab::engines
