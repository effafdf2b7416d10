// The filter tojson, as transformers sets it: Python's json.dumps with ensure_ascii off.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/templates/characters.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

struct JsonStyle {
  bool ensures_ascii = false;
  bool sorts_keys = false;
  std::optional<std::string> margin;  ///< of one level; then each item has a line of its own
  std::string between_items = ", ", behind_key = ": ";
};

class JsonWriter {
 public:
  JsonWriter(Rendering& rendering, JsonStyle style)
      : rendering_(rendering), style_(std::move(style)) {}

  void write(const Value& value) {
    rendering_.step();
    const Level level(rendering_, depth_, rendering_.limits().value_depth, "levels of values");
    rendering_.expect_text_size(text_.size());
    if (const auto text = plain(value)) {
      text_ += *text;
      return;
    }
    if (value.is_text()) return write_text(value.bytes());
    if (value.is(Kind::sequence) && value.sequence().kind <= SequenceKind::tuple)
      return write(value.sequence());
    if (value.is(Kind::mapping)) return write(value.mapping());
    rendering_.fail("Object of type " + type_name(value) + " is not JSON serializable");
  }
  std::string take() { return std::move(text_); }

 private:
  /// null, true, false or a number; nothing for other values.
  static std::optional<std::string> plain(const Value& value) {
    if (value.is_none()) return "null";
    if (value.is(Kind::boolean)) return value.boolean() ? "true" : "false";
    if (value.is(Kind::integer)) return integer_text(value.integer());
    if (!value.is(Kind::real)) return std::nullopt;
    const double number = value.number();
    if (std::isnan(number)) return "NaN";
    return std::isinf(number) ? number > 0 ? "Infinity" : "-Infinity" : real_text(number);
  }

  void write_text(const std::string& text) {
    rendering_.step_bytes(text.size() * 4);
    rendering_.expect_text_size(text_.size() + text.size());
    text_ += '"';
    if (style_.ensures_ascii)
      for (const char32_t c : characters_of(text)) write_ascii(c);
    else
      for (const char byte : text) write_byte(byte);
    text_ += '"';
  }
  void write_byte(char byte) {
    constexpr std::string_view kSpecial = "\"\\\n\r\t\f\b", kLetters = "\"\\nrtfb";
    if (const std::size_t i = kSpecial.find(byte); i != kSpecial.npos)
      (text_ += '\\') += kLetters[i];
    else if (static_cast<unsigned char>(byte) < 0x20)
      text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    else
      text_ += byte;
  }
  void write_ascii(char32_t c) {
    if (c < 0x7F + 1) return write_byte(static_cast<char>(c));
    if (c < 0x10000) {
      text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      return;
    }
    const auto rest = static_cast<unsigned>(c) - 0x10000;
    text_ += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
  }

  void begin_line() {
    if (!style_.margin) return;
    rendering_.expect_text_size(style_.margin->size() * indented_ + text_.size());
    text_ += '\n';
    for (std::size_t i = 0; i < indented_; ++i) text_ += *style_.margin;
  }

  /// Writes what stands between two brackets. @param write_item  called for each of `count` items
  template <typename WriteItem>
  void write_items(char open, char close, std::size_t count, WriteItem write_item) {
    text_ += open;
    if (count > 0) {
      ++indented_;
      for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) text_ += style_.between_items;
        begin_line();
        write_item(i);
      }
      --indented_;
      begin_line();
    }
    text_ += close;
  }

  void write(const Sequence& sequence) {
    write_items('[', ']', sequence.items.size(), [&](std::size_t i) { write(sequence.items[i]); });
  }
  void write(const Mapping& mapping) {
    auto items = mapping.items;
    if (style_.sorts_keys)
      std::ranges::stable_sort(items, [&](const auto& a, const auto& b) {
        return compared(rendering_, a.first, b.first) < 0;
      });
    write_items('{', '}', items.size(), [&](std::size_t i) {
      write_text(key(items[i].first));
      text_ += style_.behind_key;
      write(items[i].second);
    });
  }

  std::string key(const Value& key) const {
    if (key.is_text()) return key.bytes();
    if (const auto text = plain(key)) return *text;
    rendering_.fail("keys must be str, int, float, bool or None, not " + type_name(key));
  }

  Rendering& rendering_;
  JsonStyle style_;
  std::string text_;
  std::size_t depth_ = 0, indented_ = 0;
};

std::string margin_of(Rendering& rendering, const Value& indent) {
  if (indent.is_text()) return indent.bytes();
  return calculated(rendering, Sign::multiply, rendering.make_text(" "), indent).bytes();
}

}  // namespace

Value as_json(Rendering& rendering, const Value& input, const CallArguments& arguments) {
  const Parameters given(rendering, "filter 'tojson'", arguments,
                         {"ensure_ascii?", "indent?", "separators?", "sort_keys?"});
  JsonStyle style;
  style.ensures_ascii = given.truth(0, false);
  style.sorts_keys = given.truth(3, false);
  if (!given[1].is_none()) {
    style.margin = margin_of(rendering, given[1]);
    style.between_items = ",";
  }
  if (!given[2].is_none()) {
    const auto parts = items_of(rendering, given[2]);
    if (parts.size() != 2 || !parts[0].is_text() || !parts[1].is_text())
      rendering.fail("filter 'tojson': separators; allowed: two texts");
    style.between_items = parts[0].bytes();
    style.behind_key = parts[1].bytes();
  }
  JsonWriter writer(rendering, std::move(style));
  writer.write(input);
  return rendering.make_text(writer.take());
}

}  // namespace speclab::templates
