#include "engines/tokenizers/json_parts.h"

#include <nlohmann/json.hpp>

#include <cmath>

#include "engines/formats/input_file.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {

void JsonItems::add_token(const std::string& text, const nlohmann::json& id) {
  if (tokens_.size() == limits_.tokens)
    fail_("model.vocab", "more than " + std::to_string(limits_.tokens) + " tokens",
          "an object of 1 to " + std::to_string(limits_.tokens) + " tokens");
  tokens_.push_back(
      {text, id.is_primitive() ? id : nlohmann::json(id.is_array() ? "an array" : "an object")});
}

void JsonItems::add_piece(const nlohmann::json& piece) {
  if (pieces_.size() == limits_.tokens)
    fail_("model.vocab", "more than " + std::to_string(limits_.tokens) + " pieces",
          "at most " + std::to_string(limits_.tokens));
  if (piece.size() != 2 || !piece[0].is_string() || !piece[1].is_number() ||
      !std::isfinite(piece[1].get<double>()))
    fail_("model.vocab", "entry " + std::to_string(pieces_.size()) + ", " + shown_json(piece, 64),
          "[piece, score]");
  pieces_.push_back({piece[0].get_ref<const std::string&>(), piece[1].get<double>()});
}

void JsonItems::add_merge(const nlohmann::json& merge) {
  if (places_.size() == limits_.merges)
    fail_("model.merges", "more than " + std::to_string(limits_.merges),
          "an array of at most " + std::to_string(limits_.merges));
  std::uint32_t left_size = kLine;
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    left_size = static_cast<std::uint32_t>(merge[0].get_ref<const std::string&>().size());
    merges_ += merge[0].get_ref<const std::string&>() + merge[1].get_ref<const std::string&>();
  } else if (merge.is_string()) {
    merges_ += merge.get_ref<const std::string&>();
  } else {
    fail_("model.merges", shown_json(merge, 64), "\"left right\" or [\"left\", \"right\"]");
  }
  places_.push_back({static_cast<std::uint32_t>(merges_.size()), left_size});
}

void JsonItems::add_merges_to(VocabularyBuilder& builder) const {
  std::uint32_t begin = 0;
  for (const Place& place : places_) {
    const std::string_view text = std::string_view(merges_).substr(begin, place.end - begin);
    if (place.left_size == kLine)
      builder.add_merge_line(text);
    else
      builder.add_merge(text.substr(0, place.left_size), text.substr(place.left_size));
    begin = place.end;
  }
}

void JsonVocabulary::add_members(const JsonNode& vocab,
                                 const std::vector<JsonItems::NamedId>& members) {
  if (!vocab.value().is_object() || members.empty())
    vocab.fail(vocab.shown(), "an object of 1 to " + std::to_string(limits_.tokens) + " tokens");
  id_limit_ = 2 * members.size();
  for (const auto& [text, id] : members)
    set_token(text, vocab_id(vocab, text, id), TokenKind::normal);
}

void JsonVocabulary::add_pieces(const JsonNode& vocab,
                                const std::vector<JsonItems::Piece>& pieces) {
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
                     .special = node.flag_or("special", false)};
    token.id =
        static_cast<Token>(node.at("id").as_integer(0, static_cast<std::int64_t>(id_limit_) - 1));
    read_options(node, token);
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
