#include "experiments/drivers/prompts/chat_prompt.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engines/interface/chat_request.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostDepth = 100;

/// Builds a value event by event. Of two members with one key the last counts, as in Python.
/// Deep nesting and integers beyond 64 bits are refused.
class ChatJsonBuilder : public nlohmann::json_sax<Json> {
 public:
  /// @param place  option and file, for messages
  explicit ChatJsonBuilder(std::string place) : place_(std::move(place)) {}

  Json take() { return std::move(root_); }

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return put(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return put(value) != nullptr; }
  bool number_float(number_float_t value, const string_t& digits) override {
    if (digits.find_first_of(".eE") == string_t::npos)
      fail(escaped(digits, 40), "integers of at most 64 bits");
    return put(value) != nullptr;
  }
  bool string(string_t& value) override { return put(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }  // text holds none
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    fail(fmt::format("no valid JSON at byte {}", position), "JSON in UTF-8");
  }

 private:
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const {
    throw ConfigError(fmt::format("{}: {}; allowed: {}", place_, found, allowed));
  }
  Json* put(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& container = *open_.back();
    if (container.is_array()) return &container.emplace_back(std::move(value));
    return &(container[key_] = std::move(value));
  }
  bool open(Json value) {
    if (open_.size() == kMostDepth)
      fail("nested deeper than " + std::to_string(kMostDepth), "less");
    open_.push_back(put(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string place_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
};

std::string text_of_file(const std::string& place, const std::string& path) {
  std::string text;
  try {
    text = read_file(path);
  } catch (const DataError& error) {
    throw ConfigError(fmt::format("{}: {}", place, error.what()));
  }
  if (text.size() > kMostBytes)
    throw ConfigError(
        fmt::format("{}: {} bytes; allowed: at most {}", place, text.size(), kMostBytes));
  // The parser takes a zero byte for the end.
  if (text.find('\0') != std::string::npos)
    throw ConfigError(fmt::format("{}: a zero byte; allowed: JSON in UTF-8", place));
  return text;
}

/// @param allowed  "an array" or "an object"
Json read_chat_json(const char* option, const std::string& path, Json::value_t type,
                    const char* allowed) {
  const std::string place = fmt::format("{} {}", option, escaped(path, kLongestPath));
  ChatJsonBuilder builder(place);
  Json::sax_parse(text_of_file(place, path), &builder);
  Json json = builder.take();
  if (json.type() != type)
    throw ConfigError(fmt::format("{}: a JSON {}; allowed: {}", place, json.type_name(), allowed));
  return json;
}

bool begins_with_system(const Json& messages) {
  return !messages.empty() && messages.front().is_object() &&
         messages.front().value("role", Json()) == "system";
}

std::string rendered(const engines::Tokenizer& tokenizer, const engines::ChatRequest& request,
                     const char* way_out) try {
  return tokenizer.apply_chat_template(request);
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{}; {}", error.what(), way_out));
} catch (const ModelFileError& error) {
  throw ModelFileError(fmt::format("{}; {}", error.what(), way_out));
}

}  // namespace

engines::ChatRequest read_chat_request(const ChatOptions& options) {
  engines::ChatRequest request;
  if (options.messages) {
    request.messages =
        read_chat_json("--messages", *options.messages, Json::value_t::array, "an array");
    if (request.messages.empty())
      throw ConfigError(fmt::format("--messages {}: an empty array; allowed: at least one message",
                                    escaped(*options.messages, kLongestPath)));
  }
  if (options.tools)
    request.tools = read_chat_json("--tools", *options.tools, Json::value_t::array, "an array");
  if (options.variables)
    request.variables = read_chat_json("--template-variables", *options.variables,
                                       Json::value_t::object, "an object");
  if (options.system) {
    if (begins_with_system(request.messages))
      throw ConfigError("--system: the messages begin with a system message; give one of them");
    request.messages.insert(request.messages.begin(),
                            Json{{"role", "system"}, {"content", *options.system}});
  }
  return request;
}

bool lacks_template(const engines::Tokenizer& tokenizer, const std::string& chat_template) {
  return chat_template == "auto" && !tokenizer.has_chat_template();
}

std::vector<Token> chat_prompt_ids(const engines::Tokenizer& tokenizer, const std::string& text,
                                   const std::string& chat_template, const char* way_out) {
  const bool applies = chat_template == "auto" && tokenizer.has_chat_template();
  return applies ? conversation_ids(tokenizer, engines::ChatRequest::of_user(text), way_out)
                 : tokenizer.encode_whole(text);
}

bool leaves_out_tools(const engines::Tokenizer& tokenizer,
                      const engines::ChatRequest& request) try {
  if (request.tools.empty()) return false;
  engines::ChatRequest without = request;
  without.tools = nullptr;
  return tokenizer.apply_chat_template(request) == tokenizer.apply_chat_template(without);
} catch (const Error&) {
  return false;  // a template that needs tools reads them
}

std::vector<Token> conversation_ids(const engines::Tokenizer& tokenizer,
                                    const engines::ChatRequest& request, const char* way_out) {
  return tokenizer.encode(rendered(tokenizer, request, way_out), engines::SpecialText::parsed);
}

}  // namespace speclab::experiments
