#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Json = nlohmann::json;

/// The library's message, without its name for the error, the place and the text that it quotes.
std::string reason(std::string_view message) {
  const std::size_t place = message.find(": ");
  if (place != std::string_view::npos) message.remove_prefix(place + 2);
  return escaped(message.substr(0, message.find("; last read")), 100);
}

/// Builds the value event by event, and refuses depth and numbers of values beyond the limits and
/// keys that come twice in one object. The library's own parser with a callback looks at all
/// members of an object whenever one ends, which is quadratic.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(const std::string& path, std::uint64_t offset, const JsonLimits& limits,
          const JsonSinks& sinks)
      : path_(path), offset_(offset), limits_(limits), sinks_(sinks) {}

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
    const bool again =
        gives_away() ? !given_keys_.insert(name).second : stack_.back().value->contains(name);
    if (again) fail("key", "'" + escaped(name, 64) + "' again", "each key once");
    (gives_away() ? item_key_ : key_) = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception& error) override {
    const bool is_number = error.id >= 400 && error.id < 500;  // the library's errors of range
    throw_model_file_error(
        path_, offset_ + position,
        {"JSON", reason(error.what()),
         is_number ? "numbers that fit a double" : "valid JSON in UTF-8", FileProblem::kDamaged});
  }

 private:
  struct Container {
    std::optional<std::string>
        place;  ///< as in JsonSinks; nothing where none of their containers can follow
    const JsonSink* sink = nullptr;
    Json* value = nullptr;
  };

  bool gives_away() const { return !stack_.empty() && stack_.back().sink; }

  Json* put(Json value) {
    if (gives_away()) num_kept_ = num_values_;
    if (++num_values_ > limits_.max_values)
      fail("size", fmt::format("more than {} values", limits_.max_values),
           fmt::format("at most {}", limits_.max_values));
    if (stack_.empty()) return &(root_ = std::move(value));
    if (gives_away()) return &(item_ = std::move(value));
    Json& container = *stack_.back().value;
    if (container.is_array()) return &container.emplace_back(std::move(value));
    return &(container[key_] = std::move(value));
  }
  bool add(Json value) {
    put(std::move(value));
    give_item();
    return true;
  }
  bool open(Json value) {
    if (stack_.size() >= static_cast<std::size_t>(limits_.max_depth))
      fail("nesting", fmt::format("deeper than {}", limits_.max_depth),
           fmt::format("at most {} levels", limits_.max_depth));
    Container container{next_place()};
    if (const auto sink = container.place ? sinks_.find(*container.place) : sinks_.end();
        sink != sinks_.end())
      container.sink = &sink->second;
    container.value = put(std::move(value));
    stack_.push_back(std::move(container));
    return true;
  }
  bool close() {
    if (gives_away()) {
      given_keys_ = {};
      item_key_.clear();
    }
    stack_.pop_back();
    give_item();
    return true;
  }
  /// Where one has just ended in a container that is given away.
  void give_item() {
    if (!gives_away()) return;
    (*stack_.back().sink)(item_key_, item_);
    num_values_ = num_kept_;
  }

  /// The place of the container that comes next.
  std::optional<std::string> next_place() const {
    if (stack_.empty()) return "";
    const Container& parent = stack_.back();
    if (parent.sink || !parent.place || !parent.value->is_object()) return std::nullopt;
    std::string place = *parent.place + "/" + key_;
    const bool leads_on = std::ranges::any_of(
        sinks_, [&](const auto& sink) { return sink.first.starts_with(place); });
    return leads_on ? std::optional(std::move(place)) : std::nullopt;
  }
  [[noreturn]] void fail(const char* field, std::string found, std::string allowed) const {
    throw_model_file_error(path_, offset_, {field, std::move(found), std::move(allowed)});
  }

  const std::string& path_;
  std::uint64_t offset_;
  const JsonLimits& limits_;
  const JsonSinks& sinks_;
  Json root_, item_;
  std::vector<Container> stack_;
  std::string key_, item_key_;
  std::unordered_set<std::string> given_keys_;
  std::size_t num_values_ = 0, num_kept_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& path, std::uint64_t offset,
                const JsonLimits& limits, const JsonSinks& sinks) {
  // The library takes a zero byte for the end of the text: what follows would be hidden from this
  // reader and not from others.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw_model_file_error(path, offset + zero,
                           {"JSON", "a zero byte", "valid JSON in UTF-8", FileProblem::kDamaged});
  Builder builder(path, offset, limits, sinks);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace speclab::engines
