#include "tests/engines/formats/slow_json.h"

#include <cmath>
#include <cstdlib>

#include "tests/engines/formats/slow_reader.h"

namespace speclab::testing {
namespace {

/// Length of the UTF-8 character at `at`, 0 if there is none. @source Unicode 15, table 3-7
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3
                                                                                              : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) &&
                   follows(3)
               ? 4
               : 0;
  return 0;
}

std::string utf8_of(unsigned code) {
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

class Parser {
 public:
  Parser(const std::string& text, int max_depth) : text_(text), max_depth_(max_depth) {}

  SlowJson whole() {
    SlowJson json = value(0);
    blanks();
    require(at_ == text_.size(), "nothing after the value");
    return json;
  }

 private:
  static void require(bool condition, const char* rule) {
    if (!condition) throw SlowRefusal{rule};
  }
  bool is_next(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool skip(char c) {
    const bool found = is_next(c);
    if (found) ++at_;
    return found;
  }
  void blanks() {
    while (skip(' ') || skip('\t') || skip('\n') || skip('\r')) {
    }
  }
  bool skip_word(const char* word) {
    const std::string whole = word;
    if (text_.compare(at_, whole.size(), whole) != 0) return false;
    at_ += whole.size();
    return true;
  }

  SlowJson value(int depth) {
    blanks();
    SlowJson json;
    if (is_next('{') || is_next('[')) require(depth < max_depth_, "depth");
    if (skip('{')) {
      json.kind = SlowJson::Kind::object;
      list('}', [&] { member(json, depth); });
    } else if (skip('[')) {
      json.kind = SlowJson::Kind::array;
      list(']', [&] { json.items.push_back(value(depth + 1)); });
    } else if (is_next('"')) {
      json.kind = SlowJson::Kind::string;
      json.text = string();
    } else if (skip_word("true") || skip_word("false")) {
      json.kind = SlowJson::Kind::boolean;
      json.text = text_[at_ - 2] == 'u' ? "true" : "false";
    } else if (!skip_word("null")) {
      number(json);
    }
    return json;
  }

  template <typename Item>
  void list(char close, Item item) {
    blanks();
    if (skip(close)) return;
    do item();
    while (blanks(), skip(','));
    require(skip(close), "closed lists");
  }

  void member(SlowJson& json, int depth) {
    blanks();
    std::string key = string();
    require(json.find(key) == nullptr, "each key once");
    blanks();
    require(skip(':'), "a colon");
    json.keys.push_back(std::move(key));
    json.items.push_back(value(depth + 1));
  }

  std::size_t digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - begin;
  }

  void number(SlowJson& json) {
    json.kind = SlowJson::Kind::number;
    json.offset = at_;
    skip('-');
    const bool zero = is_next('0');
    const std::size_t count = digits();
    require(count == 1 || (count > 1 && !zero), "a number");
    if (skip('.')) require(digits() > 0, "a fraction");
    if (skip('e') || skip('E')) {
      if (!skip('+')) skip('-');
      require(digits() > 0, "an exponent");
    }
    json.text = text_.substr(json.offset, at_ - json.offset);
    require(std::isfinite(std::strtod(json.text.c_str(), nullptr)), "a number that fits a double");
  }

  std::string string() {
    require(skip('"'), "a string");
    std::string result;
    while (!skip('"')) {
      const std::size_t length = at_ < text_.size() ? character_length(text_, at_) : 0;
      require(length > 0 && static_cast<unsigned char>(text_[at_]) >= 0x20, "characters of UTF-8");
      if (skip('\\')) {
        result += escape();
      } else {
        result += text_.substr(at_, length);
        at_ += length;
      }
    }
    return result;
  }

  std::string escape() {
    const std::string from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    require(at_ < text_.size(), "an escape");
    const char letter = text_[at_++];
    if (const std::size_t place = from.find(letter); place != std::string::npos)
      return to.substr(place, 1);
    require(letter == 'u', "an escape");
    const unsigned first = hexadecimal();
    if (first < 0xD800 || first > 0xDFFF) return utf8_of(first);
    require(first < 0xDC00 && skip_word("\\u"), "a pair of surrogates");
    const unsigned second = hexadecimal();
    require(second >= 0xDC00 && second <= 0xDFFF, "a pair of surrogates");
    return utf8_of(0x10000 + (first - 0xD800) * 1024 + (second - 0xDC00));
  }

  unsigned hexadecimal() {
    const std::string digits = text_.substr(at_, 4);
    require(digits.size() == 4 &&
                digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos,
            "four hexadecimal digits");
    at_ += 4;
    return static_cast<unsigned>(std::strtoul(digits.c_str(), nullptr, 16));
  }

  const std::string& text_;
  int max_depth_;
  std::size_t at_ = 0;
};

}  // namespace

const SlowJson* SlowJson::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key) return &items[i];
  return nullptr;
}

std::optional<std::int64_t> SlowJson::natural() const {
  if (kind != Kind::number || text.find_first_of(".eE") != std::string::npos) return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : text[0] == '-' ? text.substr(1) : text) {
    const auto next = static_cast<std::uint64_t>(digit - '0');
    if (value > (static_cast<std::uint64_t>(INT64_MAX) - next) / 10) return std::nullopt;
    value = 10 * value + next;
  }
  return text[0] == '-' && value > 0 ? std::nullopt
                                     : std::optional(static_cast<std::int64_t>(value));
}

SlowJson read_json_slowly(const std::string& text, int max_depth) {
  return Parser(text, max_depth).whole();
}

}  // namespace speclab::testing
