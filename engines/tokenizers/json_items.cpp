#include "engines/tokenizers/json_items.h"

#include <cmath>

#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {

void JsonTokens::add(const std::string& text, const nlohmann::json& id) {
  if (tokens_.size() == max_tokens_)
    fail_("model.vocab", "more than " + std::to_string(max_tokens_) + " tokens",
          "an object of 1 to " + std::to_string(max_tokens_) + " tokens");
  tokens_.push_back(
      {text, id.is_primitive() ? id : nlohmann::json(id.is_array() ? "an array" : "an object")});
}

void JsonPieces::add(const nlohmann::json& piece) {
  if (pieces_.size() == max_pieces_)
    fail_("model.vocab", "more than " + std::to_string(max_pieces_) + " pieces",
          "at most " + std::to_string(max_pieces_));
  if (piece.size() != 2 || !piece[0].is_string() || !piece[1].is_number() ||
      !std::isfinite(piece[1].get<double>()))
    fail_("model.vocab", "entry " + std::to_string(pieces_.size()) + ", " + shown_json(piece, 64),
          "[piece, score]");
  pieces_.push_back({piece[0].get_ref<const std::string&>(), piece[1].get<double>()});
}

void JsonMerges::add(const nlohmann::json& merge) {
  if (places_.size() == max_merges_)
    fail_("model.merges", "more than " + std::to_string(max_merges_),
          "an array of at most " + std::to_string(max_merges_));
  std::uint32_t left_size = kLine;
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    left_size = static_cast<std::uint32_t>(merge[0].get_ref<const std::string&>().size());
    texts_ += merge[0].get_ref<const std::string&>() + merge[1].get_ref<const std::string&>();
  } else if (merge.is_string()) {
    texts_ += merge.get_ref<const std::string&>();
  } else {
    fail_("model.merges", shown_json(merge, 64), "\"left right\" or [\"left\", \"right\"]");
  }
  places_.push_back({static_cast<std::uint32_t>(texts_.size()), left_size});
}

void JsonMerges::add_to(VocabularyBuilder& builder) const {
  std::uint32_t begin = 0;
  for (const Place& place : places_) {
    const std::string text = texts_.substr(begin, place.end - begin);
    if (place.left_size == kLine)
      builder.add_merge_line(text);
    else
      builder.add_merge(text.substr(0, place.left_size), text.substr(place.left_size));
    begin = place.end;
  }
}

}  // namespace speclab::engines
