#include "experiments/drivers/toml/toml_text.h"

#include <fmt/format.h>

namespace speclab::experiments {
namespace {

/// A basic string: quotes, backslashes and control bytes escaped.
std::string text_of(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      text += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f)
      text += fmt::format("\\u{:04x}", byte);
    else
      text += c;
  }
  return text + "\"";
}

/// The shortest form that reads back exactly, and reads back as a real.
std::string text_of(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string text_of(std::int64_t value) { return fmt::format("{}", value); }
std::string text_of(std::int32_t value) { return fmt::format("{}", value); }

}  // namespace

void TomlText::table(const std::string& header) {
  content_ += (content_.empty() ? "[" : "\n[") + header + "]\n";
}
void TomlText::add(const std::string& key, const std::string& value) {
  add_raw(key, text_of(value));
}
void TomlText::add(const std::string& key, std::int64_t value) { add_raw(key, text_of(value)); }
void TomlText::add(const std::string& key, double value) { add_raw(key, text_of(value)); }
void TomlText::add(const std::string& key, bool value) { add_raw(key, value ? "true" : "false"); }

template <typename T>
void TomlText::add_list(const std::string& key, const std::vector<T>& values) {
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + text_of(value);
  add_raw(key, "[" + list + "]");
}

template void TomlText::add_list(const std::string&, const std::vector<std::string>&);
template void TomlText::add_list(const std::string&, const std::vector<double>&);
template void TomlText::add_list(const std::string&, const std::vector<std::int32_t>&);

}  // namespace speclab::experiments
