#pragma once
// JSON that comes from outside. The library parses any depth, but its printer and its comparison
// call themselves once a level, so that a value nested deeply enough overflows the stack.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace speclab {

inline constexpr int kMostJsonDepth = 100;
inline constexpr std::size_t kLongestShownJson = 80;

/// How many lists and objects of a JSON text stand within each other at most. Brackets in strings
/// do not count; a text that is no JSON has some depth too.
int json_depth(std::string_view text);

/// Numbers of a JSON text that the library rounds: integers that 64 bits do not hold, and decimals
/// with more digits than their double has. Each is given by the double that it becomes.
std::map<double, std::string> rounded_numbers(std::string_view text);

/// Appends the value as JSON in printable ASCII until the text is longer than `longest`: no part of
/// a large or deep value beyond it is looked at.
template <typename Json>
void append_shown_json(const Json& value, std::size_t longest, std::string& text) {
  const auto print = [&](const Json& leaf) {
    text += leaf.dump(-1, ' ', true, Json::error_handler_t::replace);
  };
  if (value.is_string())
    return print(value.template get_ref<const std::string&>().substr(0, longest + 1));
  if (!value.is_structured()) return print(value);
  text += value.is_array() ? '[' : '{';
  bool is_first = true;
  for (const auto& member : value.items()) {
    if (text.size() > longest) return;
    if (!is_first) text += ',';
    is_first = false;
    if (value.is_object()) {
      print(member.key().substr(0, longest + 1));
      text += ':';
    }
    append_shown_json(member.value(), longest, text);
  }
  text += value.is_array() ? ']' : '}';
}

/// The value as JSON for a message: printable ASCII, cut behind `longest` characters.
template <typename Json>
std::string shown_json(const Json& value, std::size_t longest = kLongestShownJson) {
  std::string text;
  append_shown_json(value, longest, text);
  return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

/// The value in one line; text that is no UTF-8 is replaced.
template <typename Json>
std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The value of a text; discarded if the text is no JSON or nested too deeply.
template <typename Json>
Json parsed_or_discarded(const std::string& text) {
  if (json_depth(text) > kMostJsonDepth) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace speclab
