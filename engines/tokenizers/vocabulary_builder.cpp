#include "engines/tokenizers/vocabulary_builder.h"

#include <algorithm>
#include <cstdlib>

#include "engines/formats/input_file.h"
#include "engines/tokenizers/characters.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

// @source ends of a turn or of a text in the model families read here
constexpr std::string_view kEndTexts[] = {"<|im_end|>",      "<|endoftext|>", "<|eot_id|>",
                                          "<|end_of_text|>", "<|eom_id|>",    "<|end|>",
                                          "<end_of_turn>",   "<|return|>",    "<|call|>",
                                          "<EOT>",           "_<EOT>",        "<end_of_utterance>"};

std::string quoted(const std::string& text) { return "'" + escaped(text, 40) + "'"; }

std::string entry(std::size_t index, const std::string& shown) {
  return "entry " + std::to_string(index) + ", " + shown;
}

}  // namespace

FieldFailure failure_of_file(const std::string& path) {
  return [path](const std::string& field, const std::string& found, const std::string& allowed) {
    throw_model_file_error(path, 0, {field, found, allowed});
  };
}

void VocabularyBuilder::add_token(const std::string& text, TokenKind kind) {
  const std::size_t index = vocabulary_.texts.size();
  if (text.empty()) return add_unused_token();
  if (!ids_.emplace(text, static_cast<Token>(index)).second)
    fail("tokens", entry(index, quoted(text) + " again"), "each token once");
  std::string bytes = text;
  if (kind == TokenKind::normal && alphabet_ == Alphabet::byte_level) {
    auto decoded = bytes_of_token_text(text);
    if (!decoded)
      fail("tokens", entry(index, quoted(text)), "characters of the byte-level alphabet");
    bytes = std::move(*decoded);
  } else if (alphabet_ == Alphabet::plain_text && valid_utf8_prefix(text) != text.size()) {
    fail("tokens", entry(index, quoted(text)), "valid UTF-8");
  }
  vocabulary_.texts.push_back(std::move(bytes));
  vocabulary_.kinds.push_back(kind);
}

void VocabularyBuilder::add_unused_token() {
  vocabulary_.texts.emplace_back();
  vocabulary_.kinds.push_back(TokenKind::unused);
}

void VocabularyBuilder::add_merge(const std::string& left, const std::string& right) {
  const Merge merge{find(left), find(right), find(left + right)};
  if (merge.left == kNoToken || merge.right == kNoToken || merge.merged == kNoToken) {
    fail("merges", entry(vocabulary_.merges.size(), quoted(left) + " + " + quoted(right)),
         "two tokens whose union is one");
  }
  vocabulary_.merges.push_back(merge);
}

void VocabularyBuilder::add_merge_line(const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos)
    fail("merges", entry(vocabulary_.merges.size(), quoted(line)),
         "two texts with a blank between");
  add_merge(line.substr(0, blank), line.substr(blank + 1));
}

void VocabularyBuilder::set_pre_tokenizer(const std::string& field, const std::string& name) {
  const auto patterns = pre_tokenizer_patterns(name);
  if (patterns.empty()) fail(field, quoted(name), known_pre_tokenizers());
  vocabulary_.patterns.assign(patterns.begin(), patterns.end());
  vocabulary_.whole_pieces_first = takes_whole_pieces_first(name);
}

Token VocabularyBuilder::checked(const std::string& field, std::int64_t id) const {
  const auto size = static_cast<std::int64_t>(vocabulary_.texts.size());
  if (id < 0 || id >= size) fail(field, std::to_string(id), "0 to " + std::to_string(size - 1));
  return static_cast<Token>(id);
}

Token VocabularyBuilder::find(const std::string& text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? kNoToken : found->second;
}

void VocabularyBuilder::add_usual_ends() {
  std::vector<EndToken>& ends = vocabulary_.roles.ends;
  for (const std::string_view text : kEndTexts) {
    const Token token = find(std::string(text));
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

}  // namespace speclab::engines
