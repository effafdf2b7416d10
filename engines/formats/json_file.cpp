#include "engines/formats/json_file.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "engines/formats/input_file.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {

using Json = nlohmann::json;

namespace {

bool begins_like_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

Json read_json_file(const std::string& path, const JsonLimits& limits, const JsonSinks& sinks) {
  const InputFile file(path);
  if (file.size() > limits.max_bytes) {
    file.fail(0,
              {"size", fmt::format("{} bytes", file.size()),
               fmt::format("at most {}", limits.max_bytes), "check that this is the right file"});
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  if (!begins_like_json(text)) refuse_other_file(file, "a JSON text");
  return parse_json(text, path, 0, limits, sinks);
}

JsonNode::JsonNode(const Json& root, std::string path, std::uint64_t offset)
    : value_(&root), path_(std::move(path)), offset_(offset), change_(FileProblem::kOtherModel) {}

JsonNode::JsonNode(const Json& value, std::string path, std::uint64_t offset,
                   const std::string& member)
    : value_(&value),
      path_(std::move(path)),
      offset_(offset),
      field_("." + escaped(member, 64)),
      change_(FileProblem::kDamaged) {}

JsonNode::JsonNode(const JsonNode& parent, const Json& value, const std::string& step)
    : value_(&value),
      path_(parent.path_),
      offset_(parent.offset_),
      field_(parent.field_ + step),
      change_(parent.change_) {}

JsonNode JsonNode::at(const std::string& key) const {
  if (const auto member = find(key)) return *member;
  fail("no '" + escaped(key, 64) + "'", "an object with that key");
}

std::optional<JsonNode> JsonNode::find(const std::string& key) const {
  if (!value_->is_object()) fail(shown(), "an object");
  const auto member = value_->find(key);
  if (member == value_->end() || member->is_null()) return std::nullopt;
  return JsonNode(*this, *member, "." + escaped(key, 64));
}

bool JsonNode::flag_or(const std::string& key, bool otherwise) const {
  const auto member = find(key);
  return member ? member->as_bool() : otherwise;
}

double JsonNode::number_or(const std::string& key, double otherwise) const {
  const auto member = find(key);
  return member ? member->as_number() : otherwise;
}

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) fail(shown(), "an array");
  std::vector<JsonNode> nodes;
  nodes.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    nodes.push_back(JsonNode(*this, (*value_)[i], fmt::format("[{}]", i)));
  return nodes;
}

std::vector<std::string> JsonNode::keys() const {
  if (!value_->is_object()) fail(shown(), "an object");
  std::vector<std::string> names;
  for (const auto& member : value_->items()) names.push_back(member.key());
  return names;
}

bool JsonNode::is_string() const { return value_->is_string(); }
bool JsonNode::is_array() const { return value_->is_array(); }

const std::string& JsonNode::as_string() const {
  if (!value_->is_string()) fail(shown(), "a string");
  return value_->get_ref<const std::string&>();
}

bool JsonNode::as_bool() const {
  if (!value_->is_boolean()) fail(shown(), "true or false");
  return value_->get<bool>();
}

double JsonNode::as_number() const {
  if (!value_->is_number()) fail(shown(), "a number");
  return value_->get<double>();
}

std::int64_t JsonNode::as_integer(std::int64_t min, std::int64_t max) const {
  const bool fits = value_->is_number_unsigned()
                        ? std::in_range<std::int64_t>(value_->get<std::uint64_t>())
                        : value_->is_number_integer();
  const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
  if (!fits || number < min || number > max)
    fail(shown(), fmt::format("an integer in [{}, {}]", min, max));
  return number;
}

void JsonNode::fail(std::string found, std::string allowed) const {
  refuse(std::move(found), std::move(allowed), change_);
}

void JsonNode::refuse(std::string found, std::string allowed, std::string change) const {
  const std::string field = field_.empty() ? "the JSON" : field_.substr(field_[0] == '.' ? 1 : 0);
  throw_model_file_error(path_, offset_,
                         {field, std::move(found), std::move(allowed), std::move(change)});
}

std::string JsonNode::shown() const {
  if (value_->is_structured())
    return fmt::format("an {} of {}", value_->is_array() ? "array" : "object", value_->size());
  return shown_json(*value_, 64);
}

}  // namespace speclab::engines
