#include "engines/tokenizers/json_vocabulary.h"

#include <nlohmann/json.hpp>

#include "engines/formats/input_file.h"
#include "engines/tokenizers/json_steps.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {

void JsonVocabulary::add_members(const JsonNode& vocab,
                                 const std::vector<JsonTokens::NamedId>& members) {
  if (!vocab.value().is_object() || members.empty())
    vocab.fail(vocab.shown(), "an object of 1 to " + std::to_string(limits_.tokens) + " tokens");
  id_limit_ = 2 * members.size();
  for (const auto& [text, id] : members)
    set_token(text, vocab_id(vocab, text, id), TokenKind::normal);
}

void JsonVocabulary::add_pieces(const JsonNode& vocab,
                                const std::vector<JsonPieces::Piece>& pieces) {
  if (!vocab.value().is_array() || pieces.empty())
    vocab.fail(vocab.shown(), "an array of 1 to " + std::to_string(limits_.tokens) + " pieces");
  id_limit_ = 2 * pieces.size();
  for (std::size_t i = 0; i < pieces.size(); ++i) set_token(pieces[i].text, i, TokenKind::normal);
}

std::size_t JsonVocabulary::vocab_id(const JsonNode& vocab, const std::string& text,
                                     const nlohmann::json& id) const {
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= id_limit_) {
    vocab.fail("id " + shown_json(id, 40) + " of '" + escaped(text, 40) + "'",
               "ids below " + std::to_string(id_limit_));
  }
  return id.get<std::size_t>();
}

std::optional<JsonVocabulary::Problem> JsonVocabulary::problem_of(const std::string& text,
                                                                  std::size_t id) const {
  if (text.size() > limits_.token_bytes)
    return Problem{"a token of " + std::to_string(text.size()) + " bytes",
                   "at most " + std::to_string(limits_.token_bytes)};
  const bool is_free = id >= tokens_.size() || tokens_[id].kind == TokenKind::unused;
  if (is_free || tokens_[id].text == text) return std::nullopt;
  return Problem{"id " + std::to_string(id) + " for '" + escaped(tokens_[id].text, 30) + "' and '" +
                     escaped(text, 30) + "'",
                 "one token an id"};
}

void JsonVocabulary::set_token(const std::string& text, std::size_t id, TokenKind kind) {
  if (const auto problem = problem_of(text, id)) root_.fail(problem->found, problem->allowed);
  if (id >= tokens_.size()) tokens_.resize(id + 1);
  tokens_[id] = {text, kind};
  ids_.insert_or_assign(text, static_cast<Token>(id));
}

void JsonVocabulary::add_added_tokens(const JsonNode& added) {
  for (const JsonNode& node : added.elements()) {
    if (node.at("content").as_string().empty())
      node.at("content").fail("empty", "one or more characters");
    AddedToken token{.text = node.at("content").as_string(),
                     .special = json_flag(node, "special", false)};
    token.id =
        static_cast<Token>(node.at("id").as_integer(0, static_cast<std::int64_t>(id_limit_) - 1));
    token.normalized = json_flag(node, "normalized", !token.special);
    token.single_word = json_flag(node, "single_word", false);
    token.lstrip = json_flag(node, "lstrip", false);
    token.rstrip = json_flag(node, "rstrip", false);
    add(std::move(token));
  }
}

void JsonVocabulary::add_told_tokens(const std::string& folder,
                                     const std::vector<ToldToken>& told) {
  for (const auto& [told_token, found_in] : told) {
    AddedToken token = told_token;
    if (added_texts_.contains(token.text)) continue;
    const Token known = find(token.text);
    if (known == kNoToken && token.id < 0) continue;  // a text that the model has no row for
    if (known == kNoToken && static_cast<std::size_t>(token.id) >= id_limit_)
      throw_model_file_error(
          folder, 0,
          {found_in, "id " + std::to_string(token.id), "ids below " + std::to_string(id_limit_)});
    if (known != kNoToken) token.id = known;
    if (const auto problem = problem_of(token.text, static_cast<std::size_t>(token.id)))
      throw_model_file_error(folder, 0, {found_in, problem->found, problem->allowed});
    add(std::move(token));
  }
}

void JsonVocabulary::add(AddedToken token) {
  set_token(token.text, static_cast<std::size_t>(token.id),
            token.special ? TokenKind::control : TokenKind::user_defined);
  added_texts_.insert(token.text);
  added_.push_back(std::move(token));
}

Token JsonVocabulary::find(const std::string& text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? kNoToken : found->second;
}

}  // namespace speclab::engines
