#include "engines/formats/json_file.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "engines/formats/input_file.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

using Json = nlohmann::json;

/// Builds the value event by event, and refuses depth beyond the limit and keys that come twice in one object. The library's own parser with a
/// callback looks at all members of an object whenever one ends, which is quadratic.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(const std::string& path, std::uint64_t offset, int max_depth, const MemberSink* sink) : path_(path), offset_(offset), max_depth_(max_depth), sink_(sink) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // text holds none
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    const bool again = gives_away() ? !given_.insert(name).second : stack_.back()->contains(name);
    if (again) fail("key", "'" + escaped(name, 64) + "' again", "each key once");
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    const bool is_number = error.id >= 400 && error.id < 500;  // the library's errors of range
    throw_model_file_error(path_, offset_ + position, {"JSON", escaped(error.what(), 80), is_number ? "numbers that fit a double" : "valid JSON in UTF-8"});
  }

 private:
  /// Where a member of the outermost object goes to the sink.
  bool gives_away() const { return sink_ && stack_.size() == 1 && root_.is_object(); }

  Json* place(Json value) {
    if (stack_.empty()) return &(root_ = std::move(value));
    if (gives_away()) return &(given_value_ = std::move(value));
    if (stack_.back()->is_array()) return &stack_.back()->emplace_back(std::move(value));
    return &((*stack_.back())[key_] = std::move(value));
  }
  bool add(Json value) {
    place(std::move(value));
    if (gives_away()) (*sink_)(key_, given_value_);
    return true;
  }
  bool open(Json value) {
    if (stack_.size() >= static_cast<std::size_t>(max_depth_)) fail("nesting", fmt::format("deeper than {}", max_depth_), fmt::format("at most {} levels", max_depth_));
    if (gives_away()) given_key_ = key_;
    stack_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    stack_.pop_back();
    if (gives_away()) (*sink_)(given_key_, given_value_);
    return true;
  }
  [[noreturn]] void fail(const char* field, std::string found, std::string allowed) const {
    throw_model_file_error(path_, offset_, {field, std::move(found), std::move(allowed)});
  }

  const std::string& path_;
  std::uint64_t offset_;
  int max_depth_;
  const MemberSink* sink_;
  Json root_, given_value_;
  std::vector<Json*> stack_;
  std::string key_, given_key_;
  std::unordered_set<std::string> given_;
};

Json parsed(std::string_view text, const std::string& path, std::uint64_t offset, const JsonLimits& limits, const MemberSink* sink) {
  // The library takes a zero byte for the end of the text: what follows would be hidden from this reader and not from others.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw_model_file_error(path, offset + zero, {"JSON", "a zero byte", "valid JSON in UTF-8"});
  Builder builder(path, offset, limits.max_depth, sink);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace

Json parse_json(std::string_view text, const std::string& path, std::uint64_t offset, const JsonLimits& limits) { return parsed(text, path, offset, limits, nullptr); }

void parse_json_members(std::string_view text, const std::string& path, std::uint64_t offset, const JsonLimits& limits, const MemberSink& sink) {
  parsed(text, path, offset, limits, &sink);
}

Json read_json_file(const std::string& path, const JsonLimits& limits) {
  const InputFile file(path);
  if (file.size() > limits.max_bytes) {
    file.fail(0, {"size", fmt::format("{} bytes", file.size()), fmt::format("at most {}", limits.max_bytes), "check that this is the right file"});
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return parse_json(text, path, 0, limits);
}

JsonNode::JsonNode(const Json& root, std::string path, std::uint64_t offset) : value_(&root), path_(std::move(path)), offset_(offset) {}

JsonNode::JsonNode(const Json& value, std::string path, std::uint64_t offset, const std::string& member)
    : value_(&value), path_(std::move(path)), offset_(offset), field_("." + escaped(member, 64)) {}

JsonNode::JsonNode(const JsonNode& parent, const Json& value, const std::string& step)
    : value_(&value), path_(parent.path_), offset_(parent.offset_), field_(parent.field_ + step) {}

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

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) fail(shown(), "an array");
  std::vector<JsonNode> nodes;
  nodes.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) nodes.push_back(JsonNode(*this, (*value_)[i], fmt::format("[{}]", i)));
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
  const bool fits = value_->is_number_unsigned() ? std::in_range<std::int64_t>(value_->get<std::uint64_t>()) : value_->is_number_integer();
  const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
  if (!fits || number < min || number > max) fail(shown(), fmt::format("an integer in [{}, {}]", min, max));
  return number;
}

void JsonNode::fail(std::string found, std::string allowed) const {
  const std::string field = field_.empty() ? "the JSON" : field_.substr(field_[0] == '.' ? 1 : 0);
  throw_model_file_error(path_, offset_, {field, std::move(found), std::move(allowed)});
}

std::string JsonNode::shown() const {
  if (value_->is_structured()) return fmt::format("an {} of {}", value_->is_array() ? "array" : "object", value_->size());
  return escaped(value_->dump(), 64);
}

}  // namespace speclab::engines
